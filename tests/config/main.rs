//! `isugate.yml`: what is read, what is said of mistakes, what hostile files come to.

mod hostile;
mod load;
mod mistakes;

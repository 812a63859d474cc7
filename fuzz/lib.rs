//! The result readers by themselves, under the project's name: fuzzing builds them without the rest of the project.

#[path = "../src/result/mod.rs"]
pub mod result;

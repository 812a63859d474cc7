//! The whole job.

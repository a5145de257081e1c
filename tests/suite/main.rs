//! Black-box tests, a file for each section of the specification.

mod architecture;
mod build;

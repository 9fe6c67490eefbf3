//! `slowpath`: a transfer from A to B is slow: where on the path, and why?
//! (The final main.rs waits for all commands; until then each command's engineer adds their `mod` line here so that
//! its unit tests run.)
#![allow(dead_code)]
#![forbid(unsafe_code)]

mod console;
mod exit;
mod resolve;

fn main() {}

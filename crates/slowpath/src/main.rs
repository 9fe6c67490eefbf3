//! `slowpath`: a transfer from A to B is slow: where on the path, and why?
//! (The final main.rs waits for all commands; until then each command's engineer adds their `mod` line here so that
//! its unit tests run.)
#![allow(dead_code)]
#![forbid(unsafe_code)]

mod case_dir;
mod console;
mod doctor_cmd;
mod exit;
mod lab_cmd;
mod resolve;

fn main() {}

//! The program as somebody meets it in the first hour: help, manual pages, completions, settings, and a terminal that behaves.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;
mod configuration;
mod far_end;
mod interrupts;
mod manual;
mod pty;
mod terminal;

//! The program as whoever means it harm meets it: text that lies to the eye, files that are all noise, writers that are killed or
//! come all at once, a far end that says what it likes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../common/mod.rs"]
mod common;
mod far_end;
mod noise;
mod text;
mod writers;

//! What moved how much in which time, as the tools print it that people use: lines that stand for themselves, told as tables
//! of patterns, a file for each family of tools.

mod amounts;
mod bandwidth_test;
pub(super) mod bench;
pub(super) mod cloud;
pub(super) mod copies;
pub(super) mod disk;
mod esp;
pub(super) mod globus_json;
pub(super) mod grid;
mod moved;
mod mpi;
mod pattern;
mod row;
pub(super) mod speed;
pub(super) mod speed_csv;
pub(super) mod speed_json;
mod tool;
mod typed;
pub(super) mod web;

pub(super) use amounts::duration_ns;
pub(super) use pattern::{Captures, first_of, fit};
pub(super) use typed::{Typed, typed, url_host};

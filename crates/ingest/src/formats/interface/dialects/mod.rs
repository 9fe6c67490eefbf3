//! The dialects of `show interfaces`, a file each. Of several whose heads look alike the one is taken that understands most.

mod arista;
mod asa;
mod dell;
mod fastiron;
mod ios;
mod juniper;
mod nx_os;
mod words;

use super::dialect::Dialect;

/// Every dialect; of equals the first is taken.
pub(super) static DIALECTS: &[&Dialect] = &[
    &ios::DIALECT,
    &nx_os::DIALECT,
    &arista::DIALECT,
    &fastiron::DIALECT,
    &dell::DIALECT,
    &asa::DIALECT,
    &juniper::DIALECT,
];

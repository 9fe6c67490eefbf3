//! Capacities of links that tools infer from delay over packet size: pathchar and pchar.

mod path;
mod pathchar;
mod pchar;

pub(crate) use pathchar::FORMAT as PATHCHAR;
pub(crate) use pchar::FORMAT as PCHAR;

//! Statistics of counts and of series: exact intervals of rare events, counters that contradict each other, steps in a series,
//! and how surely steps are found.
//!
//! Written here and not taken from a library, as verdicts are compared byte for byte: logarithms and exponentials come from
//! `libm`, whose bits are the same on every platform; those of the standard library are the platform's.
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod chain;
mod power;
mod ratio;
mod steps;

pub use chain::{Role, Standing, Station, counting, stations};
pub use power::{PowerCell, PowerRow, PowerTable, power_table};
pub use ratio::{Ratio, ln_gamma};
pub use steps::{Regime, Span, Step, Steps, find, quantile};

//! What monitoring keeps: figures of interfaces, hosts and paths with the times at which they were taken.
//!
//! The tools differ in how they write a figure down and hardly in what it is: `sample.rs` is a figure with its name and
//! labels, `known.rs` says what names mean, and `gathered.rs` puts figures together that are of the same thing.

mod cells;
pub(super) mod cloud_metrics;
mod column;
pub(super) mod esmond;
pub(super) mod exports;
mod gathered;
pub(super) mod influx;
pub(super) mod influx_tables;
mod known;
pub(super) mod mrtg;
mod pinged;
pub(super) mod prometheus;
pub(super) mod prometheus_json;
mod rows;
pub(super) mod rrd;
mod sample;
pub(super) mod smokeping_alert;
mod speedtest;
mod stumps;
pub(super) mod xport;

/// A number without a unit, as machines write it.
pub(super) fn plain_number(word: &str) -> Option<f64> {
    prometheus::number(word).filter(|value| value.is_finite())
}

/// Seconds, milliseconds or nanoseconds since 1970, by how many digits there are of them.
pub(super) fn epoch(text: &str) -> Option<evidence::Timestamp> {
    cells::epoch(text)
}

//! Times as records write them.

/// When every case is opened: worlds have no clock.
pub(super) const OPENED_S: i64 = 1_700_000_000;

pub(super) fn ns(seconds: f64) -> u64 {
    (seconds.max(0.0) * 1e9) as u64
}

pub(super) fn signed_ns(seconds: f64) -> i64 {
    (seconds.max(0.0) * 1e9) as i64
}

//! What came of packets in each direction, for people and for programs.

use evidence::{DelayStatistics, Nanos};
use net::stamp::Direction;
use serde_json::{Value, json};
use stats::Ratio;
use std::fmt::Write as _;

/// Losses with the interval that holds the true ratio in 95 of 100 cases.
pub(crate) fn counts(seen: Direction) -> String {
    let (low, high) = Ratio::new(seen.lost(), seen.sent).interval();
    let mut text = format!(
        "{} lost (95 %: {} to {})",
        words::lost_of(seen.lost(), seen.sent),
        words::share(low),
        words::share(high)
    );
    for (count, what) in [(seen.duplicates, "duplicated"), (seen.reordered, "reordered")] {
        if count > 0 {
            let _ = write!(text, ", {} {what}", words::count(count));
        }
    }
    text
}

/// Order statistics of delays.
pub(crate) fn order(delay: &DelayStatistics) -> String {
    let ns = |value: Option<i64>| match value {
        Some(ns) if ns < 0 => format!("-{}", Nanos(ns.unsigned_abs())),
        Some(ns) => Nanos(ns.unsigned_abs()).to_string(),
        None => "?".to_owned(),
    };
    let least = match delay.min_ns {
        Some(0) | None => String::new(),
        least => format!("min {}, ", ns(least)),
    };
    format!(
        "{least}median {}, 90 % {}, 99 % {}, max {}",
        ns(delay.p50_ns),
        ns(delay.p90_ns),
        ns(delay.p99_ns),
        ns(delay.max_ns)
    )
}

/// The same counts for programs.
pub(crate) fn counted(seen: Direction) -> Value {
    let (low, high) = Ratio::new(seen.lost(), seen.sent).interval();
    json!({
        "sent": seen.sent,
        "received": seen.received,
        "lost": seen.lost(),
        "loss_interval_95": [low, high],
        "duplicates": seen.duplicates,
        "reordered": seen.reordered,
    })
}

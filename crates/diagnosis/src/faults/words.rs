//! Phrases that several faults use, so that a verdict speaks with one voice.

pub(crate) use ::words::{about, about_bytes, buffer, count, first_few, interval, loss, moment, moments};

use evidence::{HopRef, Nanos, RateBps, SeriesMetric};
use libm::{log10, pow};
use stats::{Regime, Step};

/// "hop 8 (a, 192.0.2.1)"; hop 0 is the vantage and goes by its own name.
pub(crate) fn hop(hop: &HopRef) -> String {
    match (hop.ttl, &hop.name, hop.address) {
        (0, Some(name), _) => name.clone(),
        (0, None, Some(address)) => address.to_string(),
        _ => hop.to_string(),
    }
}

/// "one packet in 50,000 is lost", or in per cent where it is many.
pub(crate) fn one_in(ratio: f64) -> String {
    if ratio >= 0.005 {
        return format!("{} of packets are lost", loss(ratio));
    }
    if ratio <= 0.0 {
        return "packets are lost".into();
    }
    // Two digits: a dozen losses carry no more.
    let one_in = 1.0 / ratio;
    let scale = pow(10.0, log10(one_in).floor() - 1.0);
    let rounded = ((one_in / scale).round() * scale) as u64;
    format!("one packet in {} is lost", count(rounded))
}

/// A level of a series.
pub(crate) fn level(metric: SeriesMetric, value: f64) -> String {
    match metric {
        SeriesMetric::Throughput => RateBps(value).to_string(),
        SeriesMetric::Rtt => Nanos((value * 1e9) as u64).to_string(),
        SeriesMetric::LossRatio | SeriesMetric::Utilisation => loss(value),
    }
}

/// A step of a series: `450 Mbit/s to 58 Mbit/s in [2003-08-27 12:25, 13:55] UTC`.
pub(crate) fn step(metric: SeriesMetric, step: &Step, utc_offset_s: Option<i32>) -> String {
    /// A stretch of fewer values is told by the one next to the step.
    const FEW: usize = 4;
    let told =
        |regime: &Regime, value: f64| level(metric, if regime.points < FEW { value } else { regime.level });
    format!(
        "{} to {} in {}",
        told(&step.before, step.values.0),
        told(&step.after, step.values.1),
        interval(step.between.from, step.between.to, utc_offset_s)
    )
}

/// What stays open where large packets vanish, and what would decide.
pub(crate) const OPEN_BLACK_HOLE: &str = "MTU-001 and MTU-002 look much the same from outside: ask the router before the link which \
    MTU it has there, or send packets that may be fragmented to the hop behind it";

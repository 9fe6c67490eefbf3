//! The gate that every record passes: figures that cannot be are taken out of it, with a complaint that names them.
//!
//! Tools print nonsense: counters that wrapped below zero, losses above 100 %, a summary that contradicts its own intervals.
//! Evidence that is wrong is worse than none. A figure that is impossible by itself is taken out; of figures that contradict
//! each other both are, as nobody can tell from here which of them is right. What is plausible passes as it is.
//!
//! A format that knows *why* its tool prints such a figure (a `-1` for "unknown") leaves it out itself, without a complaint.

mod hosts;
mod interface;
mod paths;
mod transfer;

#[cfg(test)]
mod tests;

use evidence::{Payload, RateBps, SeriesMetric};
use std::fmt::Display;

/// Counters that wrapped below zero show as numbers near 2^64; nothing countable comes near 2^63.
const MOST: u64 = 1 << 63;
/// No link comes near it.
const HIGHEST_RATE_BPS: f64 = 1e18;
/// A packet's length field has 16 bits; IPv6 does not count its header of 40 bytes.
const LARGEST_PACKET_BYTES: u32 = 65_535 + 40;

/// What the gate took out of one record.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// What cannot be, in words; one for each kind of figure.
    pub(crate) reasons: Vec<String>,
}

impl Gate {
    /// Takes out what cannot be. `false`: nothing of value remains, and the record should go.
    pub(crate) fn pass(&mut self, payload: &mut Payload) -> bool {
        match payload {
            Payload::Transfer(transfer) => self.transfer(transfer),
            Payload::Probes(probes) => self.probes(probes),
            Payload::Trace(trace) => self.trace(trace),
            Payload::LinkCapacities(capacities) => self.capacities(capacities),
            Payload::InterfaceCounters(counters) => self.interface(counters),
            Payload::HostFacts(facts) => self.host(facts),
            Payload::Sockets(sockets) => self.sockets(sockets),
            Payload::CounterChain(chain) => self.chain(chain),
            Payload::Series(series) => {
                let metric = series.metric;
                let before = series.points.len();
                self.retain(&mut series.points, "values", |(_, value)| {
                    is_value(metric, *value)
                });
                before == 0 || !series.points.is_empty()
            }
            Payload::Statement(statement) => {
                let is_sound = statement.value.is_finite()
                    && statement
                        .range
                        .is_none_or(|(low, high)| low <= high && low.is_finite() && high.is_finite());
                if !is_sound {
                    self.say(format!("a statement of {} cannot be", statement.value));
                }
                is_sound
            }
            Payload::RouteHistory(_) | Payload::NotMeasured(_) => true,
        }
    }

    /// Nearly all figures are possible: what it takes to say of one that it is not stands apart.
    #[cold]
    fn say(&mut self, reason: impl Into<String>) {
        self.reasons.push(reason.into());
    }

    /// Takes out a figure that is impossible by itself.
    fn check<T: Copy + Display>(
        &mut self,
        field: &mut Option<T>,
        name: &str,
        is_possible: impl Fn(T) -> bool,
    ) {
        if let Some(value) = field.take_if(|value| !is_possible(*value)) {
            self.say(format!("{name} {value} cannot be"));
        }
    }

    fn rate(&mut self, field: &mut Option<RateBps>, name: &str) {
        if let Some(RateBps(bps)) = field.take_if(|rate| !is_rate(rate.0)) {
            self.say(format!("{name} of {bps} bit/s cannot be"));
        }
    }

    fn count(&mut self, field: &mut Option<u64>, name: &str) {
        self.check(field, name, |count| count < MOST);
    }

    /// A round trip, a delay variation.
    fn wait(&mut self, field: &mut Option<u64>, name: &str) {
        if let Some(ns) = field.take_if(|ns| *ns > crate::host::LONGEST_RTT_NS) {
            self.say(format!("{name} of {:.0} s cannot be", ns as f64 / 1e9));
        }
    }

    fn packet_size(&mut self, field: &mut Option<u32>, name: &str) {
        self.check(field, name, |bytes| (1..=LARGEST_PACKET_BYTES).contains(&bytes));
    }

    /// Takes out two figures that contradict each other.
    fn contradict<A: Copy, B: Copy>(
        &mut self,
        a: &mut Option<A>,
        b: &mut Option<B>,
        agree: impl Fn(A, B) -> bool,
        words: impl Fn(A, B) -> String,
    ) {
        if let (Some(left), Some(right)) = (*a, *b)
            && !agree(left, right)
        {
            (*a, *b) = (None, None);
            self.say(format!("{}: neither is used", words(left, right)));
        }
    }

    /// Takes out elements of a list that cannot be; they are told together.
    fn retain<T>(&mut self, list: &mut Vec<T>, name: &str, is_possible: impl Fn(&T) -> bool) {
        let before = list.len();
        list.retain(is_possible);
        let out = before - list.len();
        if out > 0 {
            self.say(format!("{out} of {before} {name} cannot be"));
        }
    }

    /// Takes a figure out of those elements of a list in which it cannot be; they are told together.
    fn each<T>(&mut self, list: &mut [T], name: &str, take: impl Fn(&mut T) -> bool) {
        let out = list
            .iter_mut()
            .filter_map(|item| take(item).then_some(()))
            .count();
        if out > 0 {
            self.say(format!("{name} of {out} of {} intervals cannot be", list.len()));
        }
    }
}

fn is_rate(bps: f64) -> bool {
    (0.0..=HIGHEST_RATE_BPS).contains(&bps)
}

fn is_ratio(ratio: f64) -> bool {
    (0.0..=1.0).contains(&ratio)
}

fn is_value(metric: SeriesMetric, value: f64) -> bool {
    match metric {
        SeriesMetric::LossRatio | SeriesMetric::Utilisation => is_ratio(value),
        SeriesMetric::Throughput => is_rate(value),
        SeriesMetric::Rtt => (0.0..=crate::host::LONGEST_RTT_NS as f64 / 1e9).contains(&value),
        #[allow(
            unreachable_patterns,
            reason = "quantities may be added: they are numbers at least"
        )]
        _ => value.is_finite(),
    }
}

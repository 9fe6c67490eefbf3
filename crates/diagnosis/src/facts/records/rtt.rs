//! The round-trip time between the two ends of the complaint, from whatever record tells it.

use super::ends::{end_of, start_of};
use super::{Recorded, Records};
use evidence::v1::{Complaint, End, Node, ObservationId, Pings, Quantity, Trace, Vantage};

/// The smallest round-trip time between the ends, nanoseconds: queues only add to it. A stated one counts only where
/// nobody measured.
pub(crate) fn between_ends(records: &Records, complaint: &Complaint) -> Option<(u64, Vec<ObservationId>)> {
    let traced = records
        .traces
        .iter()
        .filter(|trace| spans(&trace.vantage, &trace.what.from, &trace.what.to, complaint))
        .filter_map(|trace| Some((destination_rtt_ns(&trace.what)?, vec![trace.id.clone()])));
    let pinged: Vec<(u64, Vec<ObservationId>)> = records
        .pings
        .iter()
        .filter_map(|pings| Some((pinged_ns(pings, complaint)?, vec![pings.id.clone()])))
        .collect();
    let transferred = records
        .transfers
        .iter()
        .filter(|t| spans(&t.vantage, &t.what.from, &t.what.to, complaint))
        .filter_map(|t| Some((t.what.rtt_ns.filter(|ns| *ns > 0)?, vec![t.id.clone()])));
    let fine = pinged.iter().filter(|(ns, _)| !is_coarse(*ns)).cloned();
    let measured = traced.chain(fine).chain(transferred).min();
    measured
        .or_else(|| pinged.into_iter().min())
        .or_else(|| stated(records, complaint))
}

/// Whether a record is between the two ends, in either direction. One that does not name its start began where it was
/// made.
pub(crate) fn spans(vantage: &Vantage, from: &Node, to: &Node, complaint: &Complaint) -> bool {
    let start = start_of(from, vantage, complaint);
    start.is_some() && end_of(to, complaint) == start.map(End::other)
}

/// Of the last hop, where the destination answered there.
fn destination_rtt_ns(trace: &Trace) -> Option<u64> {
    let last = trace.hops.last().filter(|_| trace.reached != Some(false))?;
    let is_destination = |node: &Node| match node.same_as(&trace.to) {
        Some(same) => same,
        None => trace.reached == Some(true),
    };
    last.answers
        .iter()
        .filter(|answer| is_destination(&answer.node))
        .filter_map(|answer| answer.rtt_ns)
        .filter(|ns| *ns > 0)
        .min()
}

/// Some pings count in whole milliseconds: "1 ms" may be 2.4. Of a long path that does not matter.
fn is_coarse(ns: u64) -> bool {
    const MILLISECOND_NS: u64 = 1_000_000;
    ns.is_multiple_of(MILLISECOND_NS) && ns < 20 * MILLISECOND_NS
}

fn pinged_ns(pings: &Recorded<Pings>, complaint: &Complaint) -> Option<u64> {
    pings
        .what
        .rows
        .iter()
        .filter(|row| spans(&pings.vantage, &pings.what.from, &row.to, complaint))
        .filter_map(|row| row.rtt)
        .filter_map(|rtt| rtt.min_ns.or(rtt.mean_ns))
        .filter(|ns| *ns > 0)
        .min()
}

fn stated(records: &Records, complaint: &Complaint) -> Option<(u64, Vec<ObservationId>)> {
    records
        .statements
        .iter()
        .filter(|stated| stated.what.quantity == Quantity::Rtt)
        .filter(|stated| {
            let (from, to) = (&stated.what.from, &stated.what.to);
            from.is_unknown() && to.is_unknown() || spans(&stated.vantage, from, to, complaint)
        })
        .filter(|stated| stated.what.value > 0.0 && stated.what.value.is_finite())
        .map(|stated| ((stated.what.value * 1e9) as u64, vec![stated.id.clone()]))
        .min()
}

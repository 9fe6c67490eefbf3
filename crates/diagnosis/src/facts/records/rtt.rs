//! The round-trip time between the two ends of the complaint, from whatever record tells it.

use super::ends::end_of;
use super::{Records, hops, or};
use evidence::{
    Complaint, EchoMode, End, Node, ObservationId, Probes, Quantity, Statement, Trace, Transfer, Way,
};

/// The smallest round-trip time between the ends, nanoseconds: queues only add to it. A stated one counts only where
/// nobody measured.
pub(crate) fn between_ends(records: &Records, complaint: &Complaint) -> Option<(u64, Vec<ObservationId>)> {
    let traced = records
        .traces
        .iter()
        .filter(|t| spans(&t.what.from, &t.what.to, complaint))
        .filter_map(|t| Some((destination_rtt_ns(&t.what)?, vec![t.id.clone()])));
    let pinged: Vec<(u64, Vec<ObservationId>)> = records
        .probes
        .iter()
        .filter_map(|probes| Some((pinged_ns(&probes.what, complaint)?, vec![probes.id.clone()])))
        .collect();
    let transferred = records
        .transfers
        .iter()
        .filter(|t| spans(or(&t.what.from, &t.vantage), &t.what.to, complaint))
        .filter_map(|t| Some((transfer_rtt_ns(&t.what)?, vec![t.id.clone()])));
    let fine = pinged.iter().filter(|(ns, _)| !is_coarse(*ns)).cloned();
    let measured = traced.chain(fine).chain(transferred).min();
    measured
        .or_else(|| pinged.into_iter().min())
        .or_else(|| stated(records, complaint))
}

/// Whether a record is between the two ends, in either direction.
pub(crate) fn spans(from: &Node, to: &Node, complaint: &Complaint) -> bool {
    let start = end_of(from, complaint);
    start.is_some() && end_of(to, complaint) == start.map(End::other)
}

/// Of the last hop, where the destination answered there.
fn destination_rtt_ns(trace: &Trace) -> Option<u64> {
    let is_destination = |node: &Node| match node.same_as(&trace.to) {
        Some(same) => same,
        None => trace.reached == Some(true),
    };
    let last = trace.flows.iter().filter_map(|flow| hops(flow).last());
    last.filter(|_| trace.reached != Some(false))
        .flat_map(|hop| &hop.answers)
        .filter(|answer| is_destination(&answer.node))
        .filter_map(|answer| answer.rtt_ns)
        .filter(|ns| *ns > 0)
        .min()
}

/// As the record sums it up, or the smallest that the sender's connections saw.
fn transfer_rtt_ns(transfer: &Transfer) -> Option<u64> {
    let accounts = transfer.sender.iter().flat_map(|side| &side.accounts);
    let seen = accounts.filter_map(|account| Some(u64::from(account.min_rtt_us?) * 1_000));
    seen.chain(transfer.rtt_ns).filter(|ns| *ns > 0).min()
}

/// Some pings count in whole milliseconds: "1 ms" may be 2.4. Of a long path that does not matter.
fn is_coarse(ns: u64) -> bool {
    const MILLISECOND_NS: u64 = 1_000_000;
    ns.is_multiple_of(MILLISECOND_NS) && ns < 20 * MILLISECOND_NS
}

fn pinged_ns(probes: &Probes, complaint: &Complaint) -> Option<u64> {
    probes
        .rows
        .iter()
        .filter(|row| row.way == Way::RoundTrip)
        .filter(|row| {
            let whole_way = row.mode == Some(EchoMode::ToDestination);
            let to = probes.destination.as_ref().filter(|_| whole_way);
            spans(&probes.from, to.unwrap_or(&row.to), complaint)
        })
        .filter_map(|row| row.delay?.min_ns.or(row.delay?.mean_ns))
        .filter_map(|ns| u64::try_from(ns).ok().filter(|ns| *ns > 0))
        .min()
}

fn stated(records: &Records, complaint: &Complaint) -> Option<(u64, Vec<ObservationId>)> {
    let about = |said: &Statement| {
        said.from.is_unknown() && said.to.is_unknown() || spans(&said.from, &said.to, complaint)
    };
    let said = records.stated_where(Quantity::Rtt, about);
    let least = said.into_iter().find(|said| said.value > 0.0)?;
    Some(((least.value * 1e9) as u64, vec![least.id]))
}

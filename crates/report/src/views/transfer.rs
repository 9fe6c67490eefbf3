//! One transfer in slices of time.

use super::of_round;
use crate::names::Names;
use crate::subject::Subject;
use crate::table::{Cell, Row, Table, Tone};
use crate::words;
use evidence::v1::{Payload, RateBps, ThroughputInterval, ThroughputRecord};

/// More rows than this are summed up in equal groups.
const MOST_ROWS: usize = 24;

/// Several neighbouring slices together.
pub(crate) struct Slice {
    pub(crate) from_s: f64,
    pub(crate) until_s: f64,
    pub(crate) rate_bps: f64,
    pub(crate) retransmits: Option<u64>,
    pub(crate) cwnd_bytes: Option<u64>,
    pub(crate) lost: Option<u64>,
}

/// The slices of a transfer in at most `most` groups.
pub(crate) fn slices(transfer: &ThroughputRecord, most: usize) -> Vec<Slice> {
    let group = transfer.intervals.len().div_ceil(most.max(1)).max(1);
    transfer.intervals.chunks(group).filter_map(joined).collect()
}

fn joined(group: &[ThroughputInterval]) -> Option<Slice> {
    let (first, last) = (group.first()?, group.last()?);
    let length: f64 = group.iter().map(|i| i.length_ns as f64).sum();
    let bits: f64 = group.iter().map(|i| i.rate_bps.0 * i.length_ns as f64).sum();
    let rate_bps = bits / length;
    let sum = |field: fn(&ThroughputInterval) -> Option<u64>| {
        group.iter().filter_map(field).reduce(u64::saturating_add)
    };
    rate_bps.is_finite().then_some(Slice {
        from_s: first.start_ns as f64 / 1e9,
        until_s: last.start_ns.saturating_add(last.length_ns) as f64 / 1e9,
        rate_bps,
        retransmits: sum(|i| i.retransmits),
        cwnd_bytes: last.cwnd_bytes,
        lost: sum(|i| i.packets_lost),
    })
}

pub(crate) fn tables(subject: &Subject, round: u32) -> Vec<Table> {
    let names = Names::new(subject.case);
    let transfers = of_round(subject, round)
        .into_iter()
        .filter_map(|(number, o)| match &o.payload {
            Payload::Throughput(t) if t.intervals.len() > 1 => Some((number, t)),
            _ => None,
        });
    transfers
        .map(|(number, transfer)| table(number, transfer, &names))
        .collect()
}

fn table(number: usize, transfer: &ThroughputRecord, names: &Names) -> Table {
    let slices = slices(transfer, MOST_ROWS);
    let heads = ["seconds", "rate", "retransmits", "cwnd", "lost"];
    let known = |field: fn(&Slice) -> Option<u64>| slices.iter().any(|s| field(s).is_some());
    let columns = [
        true,
        true,
        known(|s| s.retransmits),
        known(|s| s.cwnd_bytes),
        known(|s| s.lost),
    ];
    let row = |slice: &Slice| {
        let stands = if slice.rate_bps <= 0.0 {
            Tone::Bad
        } else {
            Tone::Plain
        };
        let cells = [
            Cell::new(format!("{:.1}-{:.1}", slice.from_s, slice.until_s)),
            Cell::toned(RateBps(slice.rate_bps).to_string(), stands),
            Cell::from(slice.retransmits.map(words::count)),
            Cell::from(slice.cwnd_bytes.map(words::bytes)),
            Cell::from(slice.lost.map(words::count)),
        ];
        let shown = cells.into_iter().zip(columns).filter(|(_, shown)| *shown);
        Row::new(shown.map(|(cell, _)| cell).collect())
    };
    let summed = transfer.intervals.len() > slices.len();
    Table {
        title: format!(
            "Transfer in slices of time, {}",
            names.pair(&transfer.from, &transfer.to)
        ),
        cites: vec![number],
        head: heads
            .into_iter()
            .zip(columns)
            .filter(|(_, shown)| *shown)
            .map(|(head, _)| head.to_owned())
            .collect(),
        rows: slices.iter().map(row).collect(),
        notes: match summed {
            true => vec![format!(
                "{} slices, several to a row.",
                words::count(transfer.intervals.len() as u64)
            )],
            false => Vec::new(),
        },
    }
}

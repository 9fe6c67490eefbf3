//! Counters of interfaces side by side: what went wrong as a share of what went through, and since when it is counted.

use super::place;
use crate::subject::Subject;
use crate::table::{Cell, Row, Table, Tone};
use crate::words;
use evidence::{CounterKind, InterfaceCounters, Location, Observation, Payload, Verdict};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Columns of one table; more interfaces make more tables.
const COLUMNS: usize = 5;

pub(crate) fn tables(subject: &Subject, round: u32, verdict: Option<&Verdict>) -> Vec<Table> {
    let mut seen: Vec<(usize, &Observation, &InterfaceCounters)> = subject
        .of_round(round)
        .into_iter()
        .filter_map(|(number, o)| match &o.payload {
            Payload::InterfaceCounters(counters) => Some((number, o, counters)),
            _ => None,
        })
        .collect();
    // The located interface first, so that its neighbours stand beside it.
    seen.sort_by_key(|(number, o, counters)| (!is_located(verdict, o, counters), *number));
    seen.chunks(COLUMNS).map(|group| table(group, verdict)).collect()
}

/// Whether a finding sits at this interface.
pub(crate) fn is_located(verdict: Option<&Verdict>, o: &Observation, counters: &InterfaceCounters) -> bool {
    verdict
        .iter()
        .flat_map(|v| &v.findings)
        .any(|finding| match &finding.location {
            Location::Interface {
                device,
                interface,
                hop,
            } => {
                interface.eq_ignore_ascii_case(&counters.called(&o.id))
                    && place::is_device(device, hop.as_ref(), &counters.device)
            }
            _ => false,
        })
}

fn table(group: &[(usize, &Observation, &InterfaceCounters)], verdict: Option<&Verdict>) -> Table {
    let head = group.iter().map(|(_, o, i)| {
        let located = if is_located(verdict, o, i) {
            ", located"
        } else {
            ""
        };
        format!("{} of {}{located}", i.called(&o.id), i.device)
    });
    let line = |name: &str, value: &dyn Fn(&Observation, &InterfaceCounters) -> Cell| {
        let cells = group.iter().map(|(_, o, i)| value(o, i));
        Row::new(std::iter::once(Cell::new(name)).chain(cells).collect())
    };
    let mut rows = vec![
        line("description", &|_, i| Cell::from(i.description.clone())),
        line("read at", &|o, _| Cell::new(words::made(&o.provenance))),
        line("counting for", &|_, i| match i.counting_for_s {
            Some(s) => Cell::new(words::long(s.saturating_mul(1_000_000_000))),
            None => Cell::toned("unknown time", Tone::Soft),
        }),
        line("bandwidth", &|_, i| {
            Cell::from(i.bandwidth_bps.map(|rate| rate.to_string()))
        }),
        line("duplex", &|_, i| Cell::from(i.duplex.clone())),
        line("MTU", &|_, i| {
            Cell::from(i.mtu_bytes.map(|mtu| format!("{mtu} bytes")))
        }),
        line("load, in and out", &|_, i| Cell::from(load(i))),
    ];
    rows.retain(|row| row.cells.iter().skip(1).any(|cell| *cell != Cell::absent()));
    let kinds: BTreeSet<CounterKind> = group
        .iter()
        .flat_map(|(_, _, i)| i.counters.keys().copied())
        .collect();
    rows.extend(
        kinds
            .iter()
            .map(|kind| line(&kind_words(*kind), &|_, i| counter_cell(i, *kind))),
    );
    Table {
        title: "Interface counters".to_owned(),
        cites: group.iter().map(|(number, _, _)| *number).collect(),
        head: std::iter::once(String::new()).chain(head).collect(),
        rows,
        notes: vec!["Shares are of the packets received, or sent, as the same interface counts them. A lifetime total does not tell what happens now: only the difference of two readings does.".to_owned()],
    }
}

fn load(counters: &InterfaceCounters) -> Option<String> {
    let load = counters.load?;
    let way = |rate: Option<evidence::RateBps>, pps: Option<f64>| match (rate, pps) {
        (Some(rate), Some(pps)) => format!("{rate}, {pps:.0} packets/s"),
        (Some(rate), None) => rate.to_string(),
        (None, Some(pps)) => format!("{pps:.0} packets/s"),
        (None, None) => "not told".to_owned(),
    };
    let over = load.over_s.map(|s| words::long(s.saturating_mul(1_000_000_000)));
    let over = over.map_or(String::new(), |over| format!(" (over {over})"));
    Some(format!(
        "{}; {}{over}",
        way(load.input_bps, load.input_pps),
        way(load.output_bps, load.output_pps)
    ))
}

/// `input ignored`: the counter's own name with spaces.
pub(crate) fn kind_words(kind: CounterKind) -> Cow<'static, str> {
    // More than there are kinds. A switch has thousands of interfaces with ten counters each.
    static KNOWN: [OnceLock<String>; 64] = [const { OnceLock::new() }; 64];
    let words = || {
        let name = serde_json::to_value(kind).ok();
        let name = name.as_ref().and_then(|n| n.as_str()).unwrap_or_default();
        name.replace('-', " ").replace("input crc", "input CRC")
    };
    match KNOWN.get(kind as usize) {
        Some(known) => known.get_or_init(words).into(),
        None => words().into(),
    }
}

/// A count, and for errors its share of the packets of that direction.
fn counter_cell(counters: &InterfaceCounters, kind: CounterKind) -> Cell {
    let Some(value) = counters.counters.get(&kind).copied() else {
        return Cell::absent();
    };
    match share_of_packets(counters, kind) {
        Some(share) if value > 0 => {
            let count = words::count(value);
            Cell::toned(format!("{count} ({})", words::share(share)), Tone::Bad).short(count)
        }
        Some(_) => Cell::toned("0", Tone::Good),
        None => Cell::new(words::count(value)),
    }
}

/// What an interface counted above nothing, errors with their share: `input ignored 2,300,788 (6.1 %)`. The counter's name
/// and its figures are apart.
pub(crate) fn counted(counters: &InterfaceCounters) -> impl Iterator<Item = (CounterKind, String)> {
    let counted = counters.counters.iter().filter(|(_, value)| **value > 0);
    counted.map(|(kind, value)| {
        let share = share_of_packets(counters, *kind);
        let share = share.map_or(String::new(), |share| format!(" ({})", words::share(share)));
        (*kind, format!("{}{share}", words::count(*value)))
    })
}

/// The share of packets of its direction that an error counter makes up; `None` for what is no error or where packets
/// are not counted. It is of the packets that the interface says it received or sent, as verdicts and routers tell it.
pub(crate) fn share_of_packets(counters: &InterfaceCounters, kind: CounterKind) -> Option<f64> {
    let of = kind.share_of()?;
    let (errors, packets) = (*counters.counters.get(&kind)?, *counters.counters.get(&of)?);
    (packets > 0).then(|| errors as f64 / packets as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_packets_received() {
        let counters = InterfaceCounters {
            counters: [
                (CounterKind::InputPackets, 37_439_574),
                (CounterKind::InputIgnored, 2_300_788),
                (CounterKind::InputPauses, 3),
                (CounterKind::OutputDrops, 1),
            ]
            .into(),
            ..InterfaceCounters::default()
        };
        let share = share_of_packets(&counters, CounterKind::InputIgnored).unwrap();
        assert!((share - 0.0615).abs() < 1e-4, "{share}");
        assert_eq!(
            share_of_packets(&counters, CounterKind::InputPauses),
            None,
            "a pause is no error"
        );
        assert_eq!(
            share_of_packets(&counters, CounterKind::OutputDrops),
            None,
            "sent packets are not counted"
        );
    }
}

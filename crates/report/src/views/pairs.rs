//! Loss and round-trip times from each host to each other one, as matrices: of a case about all pairs of hosts.

use crate::subject::Subject;
use crate::table::{Cell, Row, Table, Tone};
use evidence::{Pair, Way, pairs};
use std::collections::{BTreeMap, BTreeSet};

/// Of fewer packets lost in a hundred thousand nobody would hear; red is what any transfer over a distance feels.
const HURTS: f64 = 1e-3;

/// The matrices of a round; none for a case about one pair, whose tables show more.
pub(crate) fn tables(subject: &Subject, round: u32) -> Vec<Table> {
    if !subject.case.complaint.is_of_all() {
        return Vec::new();
    }
    let pairs = pairs(subject.case.round(round));
    let loss = matrix(&pairs, "Packets lost, from row to column", loss);
    let rtt = matrix(
        &pairs,
        "Smallest round-trip time + what 99 % stay within above it, ms",
        rtt,
    );
    let probed = pairs
        .iter()
        .filter_map(|pair| pair.probed_bps)
        .map(|rate| rate.0)
        .reduce(f64::max);
    let mut notes = Vec::new();
    if let Some(bps) = probed {
        notes.push(format!(
            "probed at {} in each direction of a pair",
            evidence::RateBps(bps)
        ));
    }
    if pairs
        .iter()
        .any(|pair| pair.sent > 0 && pair.way == Way::RoundTrip)
    {
        notes.push("~: lost there or back, as only the answers were counted".to_owned());
    }
    let missing: BTreeMap<String, u64> = pairs
        .iter()
        .filter(|pair| !pair.is_measured())
        .flat_map(|pair| &pair.not_measured)
        .fold(BTreeMap::new(), |mut sum, why| {
            *sum.entry(why.clone()).or_default() += 1;
            sum
        });
    notes.extend(missing.iter().map(|(why, count)| {
        format!(
            "?: not measured ({}): {why}",
            ::words::plural(*count, "pair", "pairs")
        )
    }));
    [(loss, notes), (rtt, Vec::new())]
        .into_iter()
        .filter_map(|(table, notes)| table.map(|table| Table { notes, ..table }))
        .collect()
}

/// By the names that the places have in the mesh: a name server may call their addresses otherwise.
fn matrix(pairs: &[Pair], title: &str, cell: fn(&Pair) -> Option<Cell>) -> Option<Table> {
    let names: BTreeSet<String> = pairs
        .iter()
        .flat_map(|pair| [pair.from.called(), pair.to.called()])
        .collect();
    let by_ends: BTreeMap<(String, String), &Pair> = pairs
        .iter()
        .map(|pair| ((pair.from.called(), pair.to.called()), pair))
        .collect();
    pairs.iter().find_map(cell)?;
    let row = |from: &String| {
        let to = |to: &String| match by_ends.get(&(from.clone(), to.clone())) {
            _ if from == to => Cell::new(""),
            Some(pair) => cell(pair).unwrap_or_else(|| Cell::toned("?", Tone::Soft)),
            None => Cell::absent(),
        };
        let cells = std::iter::once(Cell::new(from.clone())).chain(names.iter().map(to));
        Row::new(cells.collect())
    };
    Some(Table {
        title: title.to_owned(),
        cites: Vec::new(),
        head: std::iter::once(String::new())
            .chain(names.iter().cloned())
            .collect(),
        rows: names.iter().map(row).collect(),
        notes: Vec::new(),
    })
}

fn loss(pair: &Pair) -> Option<Cell> {
    let loss = pair.loss()?;
    let tone = match loss {
        0.0 => Tone::Good,
        loss if loss < HURTS => Tone::Warn,
        _ => Tone::Bad,
    };
    let there_or_back = if pair.way == Way::RoundTrip { "~" } else { "" };
    let text = match loss {
        0.0 => "0".to_owned(),
        _ => ::words::share(loss),
    };
    Some(Cell::toned(format!("{there_or_back}{text}"), tone))
}

fn rtt(pair: &Pair) -> Option<Cell> {
    let rtt = pair.rtt?;
    let min = rtt.min_ns? as f64 / 1e6;
    let decimals = if min < 10.0 { 1 } else { 0 };
    let text = match rtt.p99_ns {
        Some(p99) => format!("{min:.decimals$}+{:.1}", (p99 as f64 / 1e6 - min).max(0.0)),
        None => format!("{min:.decimals$}"),
    };
    Some(Cell::new(text).short(format!("{min:.decimals$}")))
}

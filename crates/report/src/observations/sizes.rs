//! Which packet sizes each hop answered, in a few words.

use crate::views::path::ttl_of;
use crate::words;
use evidence::{EchoMode, ProbeRow, Probes, Way};
use std::collections::{BTreeMap, BTreeSet};

/// Which sizes are answered by which hops, for each way of asking.
pub(super) fn sizes(probes: &Probes) -> Vec<String> {
    let ways = [
        (Some(true), "don't fragment: "),
        (Some(false), "may fragment: "),
        (None, ""),
    ];
    let mut parts = Vec::new();
    for (dont_fragment, name) in ways {
        let mut groups = by_size(probes, dont_fragment);
        let several = |rows: &mut dyn Iterator<Item = &ProbeRow>| {
            let sizes: BTreeSet<u32> = rows.filter_map(|row| row.size_bytes).collect();
            sizes.len() > 1
        };
        if !several(
            &mut probes
                .rows
                .iter()
                .filter(|row| row.dont_fragment == dont_fragment),
        ) {
            continue;
        }
        groups.sort_by_key(|(reach, _)| reach.largest.is_none());
        let words: Vec<String> = groups
            .iter()
            .map(|group| size_words(group, probes.interface_mtu_bytes))
            .collect();
        if !words.is_empty() {
            parts.push(format!("{name}{}", words.join("; ")));
        }
    }
    parts
}

/// Hops that answered up to the same size and failed from the same size on, nearest first.
fn by_size(probes: &Probes, dont_fragment: Option<bool>) -> Vec<(Reach, Vec<u8>)> {
    let mut groups: Vec<(Reach, Vec<u8>)> = Vec::new();
    for (ttl, reach) in reached_sizes(probes, dont_fragment) {
        match groups.iter_mut().find(|(of, _)| *of == reach) {
            Some((_, ttls)) => ttls.push(ttl),
            None => groups.push((reach, vec![ttl])),
        }
    }
    groups
}

fn size_words((reach, ttls): &(Reach, Vec<u8>), interface_mtu: Option<u32>) -> String {
    let hops = words::hops(ttls);
    match (reach.largest, reach.failed_above) {
        (Some(size), Some(failed)) => format!("{size} (not {failed}) bytes answered by {hops}"),
        // No larger size was tried there: it may well pass.
        (Some(size), None) if interface_mtu.is_some_and(|mtu| size < mtu) => {
            format!("at least {size} bytes answered by {hops}")
        }
        (Some(size), None) => format!("{size} bytes answered by {hops}"),
        (None, _) => format!("no answer at any size from {hops}"),
    }
}

/// Which sizes reach a hop.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Reach {
    /// The largest size answered; `None` when it was tried and answered at no size.
    largest: Option<u32>,
    /// The smallest size above it that was tried in vain; `None` when none was tried.
    failed_above: Option<u32>,
}

/// Which sizes each hop answered, asked with or without leave to fragment; the destination's own probes count for its TTL.
fn reached_sizes(probes: &Probes, dont_fragment: Option<bool>) -> Vec<(u8, Reach)> {
    let mut rows: BTreeMap<u8, BTreeMap<u32, bool>> = BTreeMap::new();
    let asked = probes.rows.iter().filter(|row| {
        row.way == Way::RoundTrip && row.dont_fragment == dont_fragment && row.mode != Some(EchoMode::Direct)
    });
    for row in asked.filter(|row| row.sent.is_none_or(|sent| sent > 0)) {
        let answered = match row.received {
            Some(received) => received > 0,
            None => row.loss().is_some_and(|loss| loss < 1.0),
        };
        if let Some((ttl, size)) = ttl_of(row, probes).zip(row.size_bytes) {
            *rows.entry(ttl).or_default().entry(size).or_default() |= answered;
        }
    }
    rows.into_iter().map(|(ttl, row)| (ttl, reach(&row))).collect()
}

fn reach(row: &BTreeMap<u32, bool>) -> Reach {
    let answered = row.iter().rev().find(|(_, answered)| **answered);
    let largest = answered.map(|(size, _)| *size);
    let above = row
        .iter()
        .find(|(size, answered)| !**answered && Some(**size) > largest);
    Reach {
        largest,
        failed_above: above.map(|(size, _)| *size),
    }
}

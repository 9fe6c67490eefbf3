//! Hops that answer small pings and no large ones, before a hop that answers large ones: they forward what they do not
//! answer.

use super::fragmented_pings::counts;
use super::hops::spoken;
use crate::facts::Facts;
use crate::records::{Recorded, hop_ref};
use evidence::{EchoContext, EchoMode, HopRef, Location, Node, ProbeRow, Probes, RedHerring, Way};

/// Large pings without any answer, at least this many.
const LEAST_PINGS: u64 = 3;

/// No path has more hops and sizes than this.
const MOST_ROWS: usize = 2_048;

pub(super) fn find(facts: &Facts) -> Vec<RedHerring> {
    let mut found: Vec<RedHerring> = facts.records.probes.iter().filter_map(herring).collect();
    found.sort_by(|a, b| a.cites.cmp(&b.cites));
    found
}

/// One hop of a table, asked in one way.
struct Hop {
    at: HopRef,
    answers_small: bool,
    ignores_large: bool,
    /// Packets of that size get there.
    gets_large: bool,
}

fn herring(probes: &Recorded<Probes>) -> Option<RedHerring> {
    let loaded = probes.what.context == Some(EchoContext::UnderLoad);
    if loaded || probes.what.destination.is_none() || probes.what.rows.len() > MOST_ROWS {
        return None;
    }
    let large = probes.what.rows.iter().filter_map(|row| row.size_bytes).max()?;
    let hops = hops(&probes.what, large);
    let behind = hops.iter().rev().find(|hop| hop.gets_large)?;
    let mut ignoring: Vec<&HopRef> = hops
        .iter()
        .filter(|hop| hop.at.ttl < behind.at.ttl && hop.ignores_large && hop.answers_small)
        .map(|hop| &hop.at)
        .collect();
    ignoring.dedup_by_key(|hop| hop.ttl);
    let (first, last) = (*ignoring.first()?, *ignoring.last()?);
    let (who, location) = if ignoring.len() == 1 {
        (
            format!("{} answers", spoken(first)),
            Location::Hop { hop: first.clone() },
        )
    } else {
        let numbers: Vec<String> = ignoring.iter().map(|hop| hop.ttl.to_string()).collect();
        let (before, after) = (first.clone(), last.clone());
        (
            format!("hops {} answer", numbers.join(", ")),
            Location::Link { before, after },
        )
    };
    Some(RedHerring {
        code: "ignores-large-pings".into(),
        seen: format!("{who} none of the pings of {large} bytes, but small ones"),
        why_not: format!(
            "{} behind answers that size: they forward what they do not answer",
            spoken(&behind.at)
        ),
        location,
        cites: vec![probes.id.clone()],
    })
}

/// The hops in the order of the path, with the number of each: the TTL where it is printed, else its place in the table.
fn hops(probes: &Probes, large: u32) -> Vec<Hop> {
    let mut hops: Vec<Hop> = grouped(&probes.rows)
        .iter()
        .enumerate()
        .filter_map(|(index, rows)| {
            let first = rows.first()?;
            let of = |size: &dyn Fn(u32) -> bool| {
                let rows = rows.iter().filter(|row| row.size_bytes.is_some_and(size));
                rows.filter_map(|row| counts(row))
                    .fold((0_u64, 0_u64), |sum, (sent, received)| {
                        (sum.0.saturating_add(sent), sum.1.saturating_add(received))
                    })
            };
            let (small, big) = (of(&|size| size < large), of(&|size| size == large));
            let place = u8::try_from(index + 1).unwrap_or(u8::MAX);
            let node = rows.iter().map(|row| &row.to).find(|node| !node.is_unknown());
            Some(Hop {
                at: hop_ref(first.ttl.unwrap_or(place), node.unwrap_or(&Node::default())),
                answers_small: 2 * (u128::from(small.1)) > u128::from(small.0),
                ignores_large: big.0 >= LEAST_PINGS && big.1 == 0,
                gets_large: big.1 > 0,
            })
        })
        .collect();
    hops.sort_by_key(|hop| hop.at.ttl);
    hops
}

/// The rows of each hop. Two hops may have one name (a document that lost addresses), so that without a TTL a new hop
/// begins where the name changes or a size comes again; tables that go through all hops size by size have each name
/// once per size.
fn grouped(rows: &[ProbeRow]) -> Vec<Vec<&ProbeRow>> {
    let direct = |row: &ProbeRow| row.mode == Some(EchoMode::Direct);
    let same = |a: &ProbeRow, b: &ProbeRow| {
        a.ttl == b.ttl && direct(a) == direct(b) && (a.ttl.is_some() || a.to == b.to)
    };
    let rows = || rows.iter().filter(|row| row.way == Way::RoundTrip);
    let mut groups: Vec<Vec<&ProbeRow>> = Vec::new();
    for row in rows().filter(|row| row.ttl.is_none()) {
        let alike = |group: &&mut Vec<&ProbeRow>| {
            group
                .iter()
                .all(|other| same(other, row) && other.size_bytes != row.size_bytes)
        };
        match groups.last_mut().filter(alike) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    if groups.iter().any(|group| group.len() > 1) {
        return groups;
    }
    let mut by_hop: Vec<Vec<&ProbeRow>> = Vec::new();
    for row in rows() {
        let its = |group: &&mut Vec<&ProbeRow>| group.first().is_some_and(|first| same(first, row));
        match by_hop.iter_mut().find(its) {
            Some(group) => group.push(row),
            None => by_hop.push(vec![row]),
        }
    }
    by_hop
}

//! The same in tables of pings to the hops of a path, as pingroute prints them: hops that answer small pings and no
//! large ones, before a hop that answers large ones.

use crate::facts::Facts;
use crate::facts::records::Recorded;
use crate::facts::records::fragments::counts;
use evidence::{HopRef, Location, Node, PingRow, Pings, RedHerring};

/// Large pings without any answer, at least this many.
const LEAST_PINGS: u64 = 3;

pub(super) fn find(facts: &Facts) -> Vec<RedHerring> {
    let mut found: Vec<RedHerring> = facts.records.pings.iter().filter_map(herring).collect();
    found.sort_by(|a, b| a.cites.cmp(&b.cites));
    found
}

/// No path has more hops and sizes than this.
const MOST_ROWS: usize = 2_048;

/// One hop of a table.
struct Hop<'a> {
    number: u8,
    node: &'a Node,
    answers_small: bool,
    ignores_large: bool,
    answers_large: bool,
}

fn herring(pings: &Recorded<Pings>) -> Option<RedHerring> {
    if pings.what.destination.is_none() || pings.what.rows.len() > MOST_ROWS {
        return None;
    }
    let large = pings.what.rows.iter().filter_map(|row| row.size_bytes).max()?;
    let hops = hops(&pings.what, large);
    let behind = hops.iter().rev().find(|hop| hop.answers_large)?;
    let ignoring: Vec<&Hop<'_>> = hops
        .iter()
        .filter(|hop| hop.number < behind.number && hop.ignores_large && hop.answers_small)
        .collect();
    let (first, last) = (ignoring.first()?, ignoring.last()?);
    let who = if ignoring.len() == 1 {
        format!("hop {} ({})", first.number, first.node)
    } else {
        let numbers: Vec<String> = ignoring.iter().map(|hop| hop.number.to_string()).collect();
        format!("hops {}", numbers.join(", "))
    };
    let place = |hop: &Hop<'_>| HopRef {
        ttl: hop.number,
        address: hop.node.address,
        name: hop.node.name.clone(),
    };
    Some(RedHerring {
        code: "ignores-large-pings".into(),
        seen: format!("{who} answer none of the pings of {large} bytes, but small ones"),
        why_not: format!(
            "hop {} ({}) behind answers that size: they forward what they do not answer",
            behind.number, behind.node
        ),
        location: if ignoring.len() == 1 {
            Location::Hop { hop: place(first) }
        } else {
            Location::Link {
                before: place(first),
                after: place(last),
            }
        },
        cites: vec![pings.id.clone()],
    })
}

/// The hops in the order of the path: by the TTL where it is printed, else as the table has them.
fn hops(pings: &Pings, large: u32) -> Vec<Hop<'_>> {
    let mut nodes: Vec<&PingRow> = Vec::new();
    for row in &pings.rows {
        if !nodes.iter().any(|other| same_hop(other, row)) {
            nodes.push(row);
        }
    }
    let of = |hop: &PingRow, size: &dyn Fn(u32) -> bool| {
        let rows = pings
            .rows
            .iter()
            .filter(|row| same_hop(row, hop) && row.size_bytes.is_some_and(size));
        rows.filter_map(counts)
            .fold((0_u64, 0_u64), |sum, (sent, received)| {
                (sum.0.saturating_add(sent), sum.1.saturating_add(received))
            })
    };
    let mut hops: Vec<Hop<'_>> = nodes
        .iter()
        .enumerate()
        .map(|(index, hop)| {
            let (small, big) = (of(hop, &|size| size < large), of(hop, &|size| size == large));
            let place = u8::try_from(index + 1).unwrap_or(u8::MAX);
            Hop {
                number: hop.ttl.unwrap_or(place),
                node: &hop.to,
                answers_small: 2 * small.1 > small.0,
                ignores_large: big.0 >= LEAST_PINGS && big.1 == 0,
                answers_large: big.1 > 0,
            }
        })
        .collect();
    hops.sort_by_key(|hop| hop.number);
    hops
}

fn same_hop(a: &PingRow, b: &PingRow) -> bool {
    match (a.ttl, b.ttl) {
        (Some(a), Some(b)) => a == b,
        _ => a.to == b.to,
    }
}

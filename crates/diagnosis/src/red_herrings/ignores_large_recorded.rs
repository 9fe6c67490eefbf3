//! The same in tables of pings to the hops of a path, as pingroute prints them: hops that answer small pings and no
//! large ones, before a hop that answers large ones.

use crate::facts::Facts;
use crate::facts::records::Recorded;
use crate::facts::records::fragments::counts;
use evidence::v1::{HopRef, Location, Node, PingRow, Pings, RedHerring};

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

/// The hops in the order of the path, with the number of each: the TTL where it is printed, else its place in the table.
fn hops(pings: &Pings, large: u32) -> Vec<Hop<'_>> {
    let mut hops: Vec<Hop<'_>> = grouped(&pings.rows)
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
            Some(Hop {
                number: first.ttl.unwrap_or(place),
                node: &first.to,
                answers_small: 2 * (u128::from(small.1)) > u128::from(small.0),
                ignores_large: big.0 >= LEAST_PINGS && big.1 == 0,
                answers_large: big.1 > 0,
            })
        })
        .collect();
    hops.sort_by_key(|hop| hop.number);
    hops
}

/// The rows of each hop. Two hops may have one name (a document that lost addresses), so that without a TTL a new hop
/// begins where the name changes or a size comes again; tables that go through all hops size by size have each name
/// once per size.
fn grouped(rows: &[PingRow]) -> Vec<Vec<&PingRow>> {
    let mut groups: Vec<Vec<&PingRow>> = Vec::new();
    for row in rows {
        let same = |group: &Vec<&PingRow>| {
            group
                .first()
                .is_some_and(|first| first.ttl == row.ttl && first.to == row.to)
                && group.iter().all(|other| other.size_bytes != row.size_bytes)
        };
        match groups.last_mut().filter(|group| same(group)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    if groups.iter().any(|group| group.len() > 1) {
        return groups;
    }
    let mut by_hop: Vec<Vec<&PingRow>> = Vec::new();
    for row in rows {
        let same = |group: &&mut Vec<&PingRow>| {
            group
                .first()
                .is_some_and(|first| first.ttl == row.ttl && first.to == row.to)
        };
        match by_hop.iter_mut().find(same) {
            Some(group) => group.push(row),
            None => by_hop.push(vec![row]),
        }
    }
    by_hop
}

//! Lines of a route archive, as SLAC's traceroute analysis prints them: date, time, hops, epoch, route number, addresses.
//!
//! `08/27/2003 06:05:05      13 1061989505   3   (134.79.243.1),(134.79.135.15),…`

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use evidence::{KnownRoute, Node, Payload, RouteHistory, Timestamp};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

pub(crate) static FORMAT: Format = Format {
    name: "route history",
    group: Group::Paths,
    reads: "date, time, hops, epoch, route number, (address),(address)…",
    first: "0-9",
    has_command: false,
    marks: None,
    starts,
    continues: |_, line| starts(line) || line.trim_ascii().is_empty(),
    takes_in: None,
    read,
};

struct Line {
    at: Timestamp,
    number: Option<u32>,
    hops: Vec<Node>,
}

fn starts(line: &str) -> bool {
    let bytes = line.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_digit)
        && bytes.get(2) == Some(&b'/')
        && line.contains("(")
        && parse(line).is_some()
}

fn parse(line: &str) -> Option<Line> {
    let mut words = line.split_ascii_whitespace();
    let date = words.next()?;
    let time = words.next()?;
    let shaped =
        |text: &str, separator: char| text.split(separator).filter(|p| p.parse::<u16>().is_ok()).count() == 3;
    if !shaped(date, '/') || !shaped(time, ':') {
        return None;
    }
    let _hops: u16 = words.next()?.parse().ok()?;
    // The epoch is the time; the date beside it is the same in the archive's own zone.
    let epoch_s: i64 = words.next()?.parse().ok()?;
    let number = words.next()?.parse().ok();
    let hops: Vec<Node> = words
        .flat_map(|word| word.split(','))
        .filter(|hop| !hop.is_empty())
        .map(|hop| Node {
            name: None,
            address: hop.trim_matches(['(', ')']).parse().ok(),
        })
        .collect();
    (!hops.is_empty()).then_some(Line {
        at: Timestamp(epoch_s.checked_mul(1_000_000_000)?),
        number,
        hops,
    })
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut index: BTreeMap<KnownRoute, u32> = BTreeMap::new();
    let mut history = RouteHistory {
        from: context.from.clone(),
        to: context.to.clone(),
        routes: Vec::new(),
        seen: Vec::new(),
    };
    for line in block.lines().filter_map(parse) {
        let next = history.routes.len() as u32;
        let route = KnownRoute {
            number: line.number,
            hops: line.hops,
        };
        let place = match index.entry(route) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                history.routes.push(new.key().clone());
                *new.insert(next)
            }
        };
        history.seen.push((line.at, place));
    }
    history.seen.sort_unstable();
    if let Some((first, _)) = history.seen.first().copied() {
        findings.record(
            block,
            "route history",
            Some(first),
            Payload::RouteHistory(history),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
08/27/2003 06:05:05      13 1061989505   3   (134.79.243.1),(134.79.135.15),(192.41.208.50),
08/27/2003 06:20:07      16 1061990407   31   (134.79.243.1),(*),(192.12.19.252),

08/27/2003 06:35:07      13 1061991307   3   (134.79.243.1),(134.79.135.15),(192.41.208.50),
";

    #[test]
    fn equal_routes_are_one() {
        let (records, complaints) = crate::import(LINES.as_bytes(), &Context::default());
        assert_eq!(complaints, []);
        let [record] = records.as_slice() else {
            panic!("{records:?}")
        };
        let Payload::RouteHistory(history) = &record.payload else {
            panic!()
        };
        assert_eq!(history.routes.len(), 2);
        assert_eq!(
            history.routes[1].hops[1],
            Node::default(),
            "a hop that did not answer"
        );
        let seen: Vec<(i64, u32)> = history
            .seen
            .iter()
            .map(|(at, r)| (at.0 / 1_000_000_000, *r))
            .collect();
        assert_eq!(seen, [(1_061_989_505, 0), (1_061_990_407, 1), (1_061_991_307, 0)]);
    }
}

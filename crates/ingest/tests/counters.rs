//! Counters, tables and link capacities as tools and people print them, held against the records read from them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use evidence::{CounterKind, Node, Payload, Timestamp};
use ingest::{Context, ImportComplaint, Record, import};
use proptest::prelude::*;
use serde::Serialize;

/// A record as a snapshot shows it.
#[derive(Serialize)]
struct Shown<'a> {
    tool: &'a str,
    lines: (u64, u64),
    at: Option<Timestamp>,
    payload: &'a Payload,
}

fn context() -> Context {
    Context::default()
}

fn read(text: &str) -> (Vec<Record>, Vec<String>) {
    let (records, complaints) = import(text.as_bytes(), &context());
    (
        records,
        complaints.iter().map(ImportComplaint::to_string).collect(),
    )
}

fn shown(records: &[Record]) -> Vec<Shown<'_>> {
    records
        .iter()
        .map(|record| Shown {
            tool: &record.tool,
            lines: record.lines,
            at: record.at,
            payload: &record.payload,
        })
        .collect()
}

/// Snapshots the records and the complaints of a fixture.
macro_rules! check {
    ($name:ident, $fixture:literal) => {
        #[test]
        fn $name() {
            let (records, complaints) = read(include_str!(concat!("fixtures/", $fixture)));
            insta::assert_json_snapshot!(stringify!($name), (shown(&records), complaints));
        }
    };
}

/// Agents answer with wide counters that they do not keep: what is 0 never wrapped. What the narrow one counted before it did is not known.
#[test]
fn a_wide_counter_that_is_not_kept_is_not_used() {
    let walk = |narrow: u64, wide: u64| {
        read(&format!(
            "$ snmpbulkwalk -v2c -c public 192.0.2.31 1.3.6.1.2.1\nIF-MIB::ifDescr.1 = STRING: wan\n\
             IF-MIB::ifInOctets.1 = Counter32: {narrow}\nIF-MIB::ifOutOctets.1 = Counter32: 0\n\
             IF-MIB::ifHCInOctets.1 = Counter64: {wide}\nIF-MIB::ifHCOutOctets.1 = Counter64: 0\n"
        ))
    };
    let bytes = |records: &[Record]| match &records[0].payload {
        Payload::InterfaceCounters(counted) => [CounterKind::InputBytes, CounterKind::OutputBytes]
            .map(|kind| counted.counters.get(&kind).copied()),
        other => panic!("{other:?}"),
    };
    let (records, complaints) = walk(882_190_312, 0);
    assert_eq!(bytes(&records), [None, Some(0)]);
    assert!(
        complaints.iter().any(|told| told.contains("ifHCInOctets is 0")),
        "{complaints:?}"
    );
    for (narrow, wide) in [(882_190_312, 9_472_124_904), (0, 1 << 32), (0, 0)] {
        let (records, complaints) = walk(narrow, wide);
        assert_eq!((bytes(&records), complaints.len()), ([Some(wide), Some(0)], 0));
    }
}

check!(packet_counters, "packet_counters.md");
check!(cisco_of_an_incident, "cisco_show_interface.txt");
check!(cisco_ios_and_nx_os, "cisco_ios_nxos.txt");
check!(juniper_extensive_and_brief, "juniper_show_interfaces.txt");
check!(ip_link, "ip_link.txt");
check!(ip_link_json, "ip_link.json");
check!(ethtool_of_virtio, "ethtool.txt");
check!(ethtool_of_ixgbe, "ethtool_ixgbe.txt");
check!(pathchar_that_was_stopped, "pathchar.txt");
check!(pchar, "pchar.txt");
check!(pingroute_without_line_breaks, "pingroute.txt");
check!(pinger_without_a_month, "pinger.txt");
check!(packet_counters_as_csv, "packet_counters.csv");

#[test]
fn days_of_pinger_have_dates_when_the_month_is_told() {
    // 17 May 2000, noon UTC.
    let context = Context {
        at: Some(Timestamp(958_564_800_000_000_000)),
        ..Context::default()
    };
    let (records, complaints) = import(include_bytes!("fixtures/pinger.txt"), &context);
    assert_eq!(complaints, []);
    let [record] = records.as_slice() else {
        panic!("{records:?}")
    };
    let Payload::Series(series) = &record.payload else {
        panic!("{record:?}")
    };
    let days: Vec<i64> = series
        .points
        .iter()
        .map(|(at, _)| at.0 / 86_400_000_000_000)
        .collect();
    assert_eq!(days, (11_078..11_093).collect::<Vec<i64>>(), "1 to 15 May 2000");
}

#[test]
fn whoever_imports_names_the_device() {
    let context = Context {
        from: Node::named("RTR-DMZ"),
        ..Context::default()
    };
    let (records, _) = import(include_bytes!("fixtures/cisco_show_interface.txt"), &context);
    for record in records {
        let Payload::InterfaceCounters(counters) = record.payload else {
            panic!()
        };
        assert_eq!(counters.device, Node::named("RTR-DMZ"));
    }
}

const FIXTURES: &[&str] = &[
    include_str!("fixtures/packet_counters.md"),
    include_str!("fixtures/packet_counters.csv"),
    include_str!("fixtures/cisco_show_interface.txt"),
    include_str!("fixtures/cisco_ios_nxos.txt"),
    include_str!("fixtures/juniper_show_interfaces.txt"),
    include_str!("fixtures/ip_link.txt"),
    include_str!("fixtures/ip_link.json"),
    include_str!("fixtures/ethtool.txt"),
    include_str!("fixtures/ethtool_ixgbe.txt"),
    include_str!("fixtures/pathchar.txt"),
    include_str!("fixtures/pchar.txt"),
    include_str!("fixtures/pingroute.txt"),
    include_str!("fixtures/pinger.txt"),
];

/// Words that a mutated fixture gets in the place of its own.
const STRANGE: &[&str] = &[
    "",
    "0",
    "-1",
    "18446744073709551616",
    "1e999",
    "NaN",
    "^{",
    "|",
    "\"",
    ",",
    ":",
    "(",
    "%",
    "\u{fffd}",
    "w.x.y.z",
    "99999999999999999999w",
];

/// Every record and complaint names lines that exist.
fn lines_exist(text: &str) {
    let last = text.split('\n').count() as u64;
    let (records, complaints) = import(text.as_bytes(), &context());
    let records = records.iter().map(|record| record.lines);
    let complaints = complaints.iter().map(|c| (c.first_line, c.last_line));
    for (first, end) in records.chain(complaints) {
        assert!(
            1 <= first && first <= end && end <= last,
            "{first} to {end} of {last}"
        );
    }
}

proptest! {
    #[test]
    fn mutated_fixtures_are_read_or_complained_about(
        fixture in 0..FIXTURES.len(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..STRANGE.len()), 1..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut words: Vec<&str> = FIXTURES[fixture].split_inclusive([' ', '\n', ',', '|']).collect();
        for (place, strange) in edits {
            let place = place.index(words.len());
            words[place] = STRANGE[strange];
        }
        words.truncate(cut.index(words.len() * 2));
        lines_exist(&words.concat());
    }

    #[test]
    fn lines_may_come_in_any_order(fixture in 0..FIXTURES.len(), seed in any::<u64>()) {
        let mut lines: Vec<&str> = FIXTURES[fixture].lines().collect();
        let mut state = seed | 1;
        for place in (1..lines.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            lines.swap(place, (state >> 33) as usize % (place + 1));
        }
        lines_exist(&lines.join("\n"));
    }

    #[test]
    fn arbitrary_bytes_are_complained_about(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let (records, _) = import(&bytes, &context());
        prop_assert!(records.len() <= bytes.len());
    }

    #[test]
    fn packets_are_counted_as_printed(counts in proptest::collection::vec(proptest::option::of(any::<u64>()), 1..20)) {
        let mut text = "| Network | Description of Counter | Packets |\n|---|---|---|\n".to_owned();
        for (place, count) in counts.iter().enumerate() {
            let count = count.map_or("n/a".to_owned(), |count| count.to_string());
            text.push_str(&format!("| A | {place} -> {} | {count} |\n", place + 1));
        }
        let (records, complaints) = import(text.as_bytes(), &context());
        prop_assert_eq!(complaints, vec![]);
        let Payload::CounterChain(chain) = &records[0].payload else { panic!() };
        let read: Vec<Option<u64>> = chain.points.iter().map(|point| point.packets).collect();
        prop_assert_eq!(read, counts);
    }
}

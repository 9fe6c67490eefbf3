//! Counters, tables and link capacities as tools and people print them, held against the records read from them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use evidence::{Payload, Timestamp};
use ingest::{Context, ImportComplaint, Record, import};
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

check!(packet_counters, "packet_counters.md");
check!(cisco_of_an_incident, "cisco_show_interface.txt");
check!(cisco_ios_and_nx_os, "cisco_ios_nxos.txt");
check!(juniper_extensive_and_brief, "juniper_show_interfaces.txt");
check!(ip_link, "ip_link.txt");
check!(ip_link_json, "ip_link.json");
check!(ethtool_of_virtio, "ethtool.txt");
check!(ethtool_of_ixgbe, "ethtool_ixgbe.txt");

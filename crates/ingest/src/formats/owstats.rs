//! `owstats -M` and `owping -M`: what a session of OWAMP found, a name and a figure a line, for programs to read. Delays are in seconds.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::{arguments, is_gap};
use crate::host::host;
use crate::one_way::OneWay;
use crate::units::ns_of_seconds;
use crate::when;
use evidence::Node;
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "owstats -M",
    group: Group::Transfers,
    reads: "loss and delay one way, as OWAMP sums a session up for programs",
    first: "A-Za-z",
    has_command: true,
    marks: Some(|| Marks::of(["SUMMARY\t", "owstats", "owping"])),
    starts: |line| is_head(line) || is_command(line),
    continues: |block, line| {
        let is_begun = block.has(is_head);
        is_gap(block, line, is_command) || is_begun != is_head(line) && pair(line).is_some()
    },
    takes_in: None,
    read,
};

fn is_head(line: &str) -> bool {
    line.strip_prefix("SUMMARY\t")
        .is_some_and(|version| version.trim_ascii_end().parse::<f64>().is_ok())
}

fn is_command(line: &str) -> bool {
    let asks = |program| arguments(line, program).is_some_and(|mut words| words.any(|word| word == "-M"));
    asks("owstats") || asks("owping")
}

/// A name or a figure of a list, and its figure; the heading of a list has none.
fn pair(line: &str) -> Option<(&str, &str)> {
    let mut words = line.trim_ascii().split_ascii_whitespace();
    let (name, value) = (words.next()?, words.next().unwrap_or_default());
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let is_figure = |text: &str| text.parse::<f64>().is_ok();
    let fits = is_name(name) || is_figure(name) && is_figure(value);
    (fits && words.next().is_none()).then_some((name, value))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut said = BTreeMap::new();
    for (number, line) in block.numbered() {
        let Some((name, value)) = pair(line) else { continue };
        if said.insert(name, value).is_some_and(|before| before != value)
            && !name.as_bytes()[0].is_ascii_digit()
        {
            return findings.complain(number, format!("{name} is given twice, with different values"));
        }
    }
    let end = |name: &str, address: &str| {
        let mut node = said.get(address).map(|address| host(address)).unwrap_or_default();
        let name = said
            .get(name)
            .filter(|name| name.parse::<std::net::IpAddr>().is_err());
        node.name = name.map(|name| (*name).to_owned()).or(node.name);
        node
    };
    let count = |name: &str| said.get(name)?.parse::<u64>().ok();
    let figure = |name: &str| {
        said.get(name)?
            .parse::<f64>()
            .ok()
            .filter(|figure| figure.is_finite())
    };
    let delay = |name: &str| {
        let ns = figure(name)? * 1e9;
        (ns.abs() < 9.2e18).then(|| ns.round() as i64)
    };
    let ttl = count("MINTTL").filter(|ttl| count("MAXTTL") == Some(*ttl));
    let is_in_step = said.get("SYNC") == Some(&"1");
    let found = OneWay {
        from: context.from_or(end("FROM_HOST", "FROM_ADDR")),
        to: context.to_or(end("TO_HOST", "TO_ADDR")),
        sent: count("SENT"),
        lost: count("LOST"),
        duplicates: count("DUPS"),
        reordered: said.get("NOREORDERING").map(|_| 0),
        hops: ttl.and_then(|ttl| u8::try_from(255_u64.checked_sub(ttl)?).ok()),
        min_ns: delay("MIN"),
        median_ns: delay("MEDIAN"),
        max_ns: delay("MAX"),
        clock_error_ns: figure("MAXERR").filter(|_| is_in_step).and_then(ns_of_seconds),
        ..OneWay::default()
    };
    if found.sent.is_none() || found.from == Node::default() && found.to == Node::default() {
        return;
    }
    let at = figure("UNIX_START_TIME").and_then(when::epoch).or(context.at);
    findings.record(block, "owping", at, found.into_payload());
}

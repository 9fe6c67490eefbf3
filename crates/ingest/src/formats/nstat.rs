//! `nstat`: the counters of a host's protocols. Without `-a` it prints their growth since it was last run.

use super::host::command::{arguments, begins_again, facts};
use super::host::counters::divided;
use super::host::given::Given;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::json_kind::JsonKind;
use evidence::{HostFacts, Payload};
use serde_json::Value;

pub(crate) static FORMAT: Format = Format {
    name: "nstat",
    group: Group::Hosts,
    reads: "counters of IP, ICMP, TCP and UDP",
    first: "#ITUMn",
    has_command: true,
    marks: Some(|| Marks::of(["#kernel", " sampling_interval=", "nstat"]).or(|line| counter(line).is_some())),
    starts,
    continues: |block, line| {
        // A second head is that of a second run.
        let is_first_head =
            line.starts_with('#') && !block.has(|before| before.starts_with('#') && !is_command(before));
        counter(line).is_some() && !begins_again(block, line, |line| counter(line).is_some())
            || is_first_head && is_head(line)
    },
    takes_in: None,
    read,
};

/// `nstat -j`.
pub(crate) static JSON: JsonKind = JsonKind {
    name: "nstat -j",
    reads: "counters of IP, ICMP, TCP and UDP",
    group: Group::Hosts,
    is: |value| {
        let kernel = value.get("kernel").and_then(Value::as_object);
        kernel.is_some_and(|counters| counters.keys().any(|name| divided(name).is_some()))
    },
    read: |value, lines, context, findings| {
        let mut facts = HostFacts::default();
        for (name, count) in value
            .get("kernel")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            if let (Some((Some(group), name)), Some(count)) = (divided(name), count.as_u64()) {
                facts.counters.insert(format!("{group}.{name}"), count);
            }
        }
        findings.record_of(lines, "nstat", context.at, Payload::HostFacts(facts));
    },
};

fn starts(line: &str) -> bool {
    is_head(line) || counter(line).is_some() || is_command(line)
}

/// `#kernel`, and of a history `#41243.1804289383 sampling_interval=20 time_const=60`.
fn is_head(line: &str) -> bool {
    line.trim_ascii_end() == "#kernel" || line.starts_with('#') && line.contains(" sampling_interval=")
}

fn is_command(line: &str) -> bool {
    arguments(line, "nstat").is_some_and(|mut words| words.next().is_none_or(|word| word.starts_with('-')))
}

/// `TcpRetransSegs                  108                0.0`: the group, the name in it and the count.
fn counter(line: &str) -> Option<(Option<&'static str>, &str, u64)> {
    let mut words = line.split_ascii_whitespace();
    let (group, name) = divided(words.next()?)?;
    let count = words.next()?.parse().ok()?;
    // The rate always has a fraction: two whole numbers behind such a name are another's (`IpFragErr  1234  1851000` of a router).
    let rate = words.next().filter(|rate| rate.contains('.'))?;
    let rate: f64 = rate.parse().ok()?;
    (words.next().is_none() && rate.is_finite()).then_some((group, name, count))
}

/// Whether a command asks for growth since the last run, of which nobody knows when it was.
fn asks_for_growth(line: &str) -> bool {
    let is_absolute = |word: &str| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| letters.contains('a')) || word == "--ignore"
    };
    arguments(line, "nstat").is_some_and(|mut words| !words.any(is_absolute))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    if block.first().is_some_and(asks_for_growth) && block.len() > 1 {
        return findings.complain_of(
            (block.first_line, block.last_written_line()),
            "without -a nstat tells growth since its last run, whenever that was, and no totals: not used",
        );
    }
    let mut given = Given::default();
    for (number, line) in block.numbered() {
        if let Some((Some(group), name, count)) = counter(line) {
            given.put(findings, number, format!("{group}.{name}"), count);
        }
    }
    if !given.is_empty() {
        let facts = HostFacts {
            counters: given.into_values(),
            ..facts(block)
        };
        findings.record(block, "nstat", context.at, Payload::HostFacts(facts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_kernel_files() {
        assert_eq!(
            counter("TcpExtTCPLostRetransmit         7                  0.0"),
            Some((Some("TcpExt"), "TCPLostRetransmit", 7))
        );
        assert_eq!(
            counter("UdpLiteInDatagrams              1                  0.0"),
            Some((None, "InDatagrams", 1)),
            "known, and left out"
        );
        for bad in [
            "",
            "Tcp",
            "Ip addresses 3 4",
            "TcpX -1 0.0",
            "TcpX 1 0.0 more",
            "IpX 1 nan",
            "IpFragErr                                    1234                 1851000",
        ] {
            assert_eq!(counter(bad), None, "{bad}");
        }
    }
}

//! `lscpu` and `numactl --hardware`: how many processors a host has, what they are, and which of them share memory. Data that a card
//! receives at one node and a program reads at another crosses between them.

use super::command::{arguments, facts, is_only};
use super::given::Given;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use evidence::{CpuFacts, HostFacts, Payload};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "lscpu, numactl --hardware",
    group: Group::Hosts,
    reads: "model and number of the processors on line; the nodes of memory, the processors of each, and how far apart they are",
    first: "Aaln",
    has_command: true,
    marks: Some(|| Marks::of(["Architecture:", "available: ", "lscpu", "numactl"])),
    starts: |line| is_head(line) || is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            let of_lscpu = || {
                block
                    .first()
                    .is_some_and(|first| arguments(first, "lscpu").is_some())
            };
            return line.trim_ascii().is_empty() && block.len() == 1
                || is_head(line)
                || is_of_lscpu(line) && line.contains(":  ") && of_lscpu();
        }
        !line.trim_ascii().is_empty() && (is_of_lscpu(line) || is_of_numactl(line)) && !is_head(line)
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    let lists = |mut words: crate::command::Words<'_>| words.any(|word| matches!(word, "-H" | "--hardware"));
    arguments(line, "lscpu").is_some_and(|mut words| words.next().is_none())
        || arguments(line, "numactl").is_some_and(lists)
}

/// `Architecture:            x86_64`, `available: 2 nodes (0-1)`
fn is_head(line: &str) -> bool {
    line.strip_prefix("Architecture:")
        .is_some_and(|rest| rest.starts_with("  "))
        || nodes(line).is_some()
}

/// The nodes that `numactl` says there are.
fn nodes(line: &str) -> Option<u32> {
    let (number, rest) = line.strip_prefix("available: ")?.split_once(' ')?;
    let number = number.parse().ok()?;
    rest.starts_with("nodes (").then_some(number)
}

/// A line of `lscpu`: words, a colon, and a value below those of the others; a heading has none.
fn is_of_lscpu(line: &str) -> bool {
    line.split_once(':').is_some_and(|(key, value)| {
        let text = key.trim_ascii_start();
        let is_key = |byte: u8| byte.is_ascii_alphanumeric() || b" ()-_/.".contains(&byte);
        text.len() < 40
            && text.as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
            && text.bytes().all(is_key)
            && (value.starts_with(' ') || value.is_empty())
    })
}

/// A line of `numactl`: `node 0 cpus: 0 1`, `node distances:`, `node   0   1`, `  0:  10  21`.
fn is_of_numactl(line: &str) -> bool {
    line.starts_with("node ") || distance(line).is_some()
}

/// The node of a row of distances, and the distances.
fn distance(line: &str) -> Option<(u32, &str)> {
    let (node, rest) = line.trim_ascii_start().split_once(':')?;
    let are_figures = rest
        .split_ascii_whitespace()
        .all(|word| word.parse::<u32>().is_ok());
    (are_figures && !rest.trim_ascii().is_empty()).then_some((node.parse().ok()?, rest.trim_ascii()))
}

/// How many processors a list names: `0-15,32-47`.
fn count(list: &str) -> Option<u32> {
    list.split(',').try_fold(0_u32, |sum, part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        sum.checked_add(last.checked_sub(first)?.checked_add(1)?)
    })
}

/// What is kept of `lscpu` in its words, and what it is called here.
const KEPT: [(&str, &str); 5] = [
    ("Thread(s) per core", "threads per core"),
    ("Socket(s)", "sockets"),
    ("CPU max MHz", "cpu max mhz"),
    ("Hypervisor vendor", "hypervisor"),
    ("Virtualization type", "virtualization"),
];

fn kept(key: &str) -> Option<&'static str> {
    KEPT.iter()
        .find(|(known, _)| *known == key)
        .map(|(_, kept)| *kept)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut given: Given<String> = Given::default();
    let first = block.lines().find(|line| is_head(line));
    let of_numactl = first.is_some_and(|line| nodes(line).is_some());
    for (number, line) in block.numbered() {
        if number == block.first_line && is_command(line) {
            continue;
        }
        let pair = line
            .split_once(':')
            .map(|(key, value)| (key.trim_ascii(), value.trim_ascii()));
        match pair {
            _ if of_numactl && distance(line).is_some() => {
                if let Some((node, all)) = distance(line) {
                    let all = all.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                    given.put(findings, number, format!("numa node {node} distances"), all);
                }
            }
            Some((key, value)) if of_numactl && key == "available" => {
                let nodes = value.split(' ').next().unwrap_or_default();
                given.put(findings, number, "numa nodes", nodes.to_owned());
            }
            Some((key, value)) if of_numactl && is_list(key) => {
                let is_whole = !value.is_empty() && value.split(' ').all(|cpu| cpu.parse::<u32>().is_ok());
                match is_whole {
                    true => given.put(findings, number, format!("numa {key}"), value.to_owned()),
                    false if value.is_empty() => {}
                    false => findings.unread(number, line),
                }
            }
            Some(("node distances", _)) if of_numactl => {}
            Some((key, value)) if of_numactl && key.starts_with("node ") => {
                if !value.ends_with(" MB") {
                    findings.unread(number, line);
                }
            }
            None if of_numactl && is_heading_of_distances(line) => {}
            Some((key, value)) if !of_numactl => given.put(findings, number, key, value.to_owned()),
            _ => findings.unread(number, line),
        }
    }
    let mut told = facts(block);
    match of_numactl {
        true => take_nodes(given, &mut told),
        false => take_processors(given, findings, block.first_line, &mut told),
    }
    if told.cpu.is_some() || !told.other.is_empty() {
        findings.record(
            block,
            if of_numactl { "numactl" } else { "lscpu" },
            context.at,
            Payload::HostFacts(told),
        );
    }
}

/// `node 0 cpus`
fn is_list(key: &str) -> bool {
    key.strip_prefix("node ")
        .and_then(|rest| rest.strip_suffix(" cpus"))
        .is_some_and(|node| node.parse::<u32>().is_ok())
}

/// `node   0   1`
fn is_heading_of_distances(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    words.next() == Some("node") && words.all(|word| word.parse::<u32>().is_ok())
}

/// Nodes stand in the tool's words: of one that shows fewer processors than the others nobody knows whether its line is whole.
fn take_nodes(given: Given<String>, told: &mut HostFacts) {
    let values = given.into_values();
    let lists = || values.iter().filter(|(key, _)| key.ends_with(" cpus"));
    let sizes: Vec<usize> = lists().map(|(_, list)| list.split(' ').count()).collect();
    let are_equal = sizes.windows(2).all(|pair| pair.first() == pair.last());
    let kept = values
        .iter()
        .filter(|(key, _)| are_equal || !key.ends_with(" cpus"))
        .map(|(key, value)| (key.clone(), value.clone()));
    told.other = kept.collect();
}

/// How many processors are on line, where a filter left their list out: the nodes of memory list none but those. All nodes have to be there,
/// and as many processors as there are.
fn online_of_nodes(given: &Given<String>, nodes: u32) -> Option<u32> {
    let lists = (0..nodes.min(MOST_NODES)).map(|node| count(given.get(&format!("NUMA node{node} CPU(s)"))?));
    let sum = lists.sum::<Option<u32>>()?;
    let all: u32 = given.get("CPU(s)")?.parse().ok()?;
    (sum == all && nodes <= MOST_NODES).then_some(sum)
}

/// No host has more nodes of memory.
const MOST_NODES: u32 = 1024;

fn take_processors(mut given: Given<String>, findings: &mut Findings, line: u64, told: &mut HostFacts) {
    let model = given
        .take("Model name")
        .filter(|model| !model.is_empty() && model != "-");
    let nodes = given.take("NUMA node(s)").and_then(|nodes| nodes.parse().ok());
    let online = given.take("On-line CPU(s) list").and_then(|list| count(&list));
    match online.or_else(|| online_of_nodes(&given, nodes?)) {
        Some(online) => {
            told.cpu = Some(CpuFacts {
                online,
                model,
                busy_ratio: None,
                load_1min: None,
                numa_nodes: nodes,
                busiest: None,
            });
        }
        None => findings.complain(line, "which processors are on line is not told"),
    }
    let values: BTreeMap<String, String> = given.into_values();
    for (key, value) in values {
        let is_node = key.starts_with("NUMA node") && key.ends_with(" CPU(s)");
        let kept = kept(&key).map(str::to_owned);
        let kept = kept.or(is_node.then(|| key.to_ascii_lowercase().replace(" cpu(s)", " cpus")));
        if let Some(kept) = kept.filter(|_| !value.is_empty() && value != "-") {
            told.other.insert(kept, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors() {
        for (list, number) in [
            ("0-15,32-47", Some(32)),
            ("0", Some(1)),
            ("0,2,4", Some(3)),
            ("3-1", None),
            ("0-x", None),
            ("", None),
            ("0-4294967295", None),
        ] {
            assert_eq!(count(list), number, "{list}");
        }
        assert!(is_head("available: 2 nodes (0-1)") && is_head("Architecture:        x86_64"));
        assert!(!is_head("Architecture: see below") && !is_head("available: 3 seats (today)"));
        assert_eq!(distance("  0:  10  21 "), Some((0, "10  21")));
    }
}

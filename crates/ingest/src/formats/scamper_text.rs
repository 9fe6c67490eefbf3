//! scamper's `tracelb` and `tracebox` as text: links between addresses, and hops without times.
//!
//! `tracelb from 192.0.2.10 to 203.0.113.9, 5 nodes, 5 links, 61 probes, 95%`, then `192.0.2.1 -> (198.51.100.1, 198.51.100.2) -> *`

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::formats::traceroute::reached;
use crate::host::{host, leading_host};
use crate::stray::is_stray;
use evidence::{Node, Payload, Trace, TraceAnswer, TraceFlow, TraceHop};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "tracelb, tracebox",
    group: Group::Paths,
    reads: "scamper's tracelb and tracebox as text: who answered at which hop",
    first: "t",
    has_command: false,
    marks: None,
    starts: |line| head(line).is_some(),
    continues: |block, line| head(line).is_none() && is_own(block, line),
    takes_in: Some(|block, line| {
        head(line).is_none() && is_stray(block, line, |line| head(line).is_some() || is_own(block, line))
    }),
    read,
};

/// The addresses that a path through links may have at one hop; more of them are no path.
const MOST_HOPS: usize = 255;

/// The tool, and between whom.
fn head(line: &str) -> Option<(&str, Node, Node)> {
    let (tool, rest) = line.split_once(' ')?;
    if !matches!(tool, "tracelb" | "tracebox") || !line.contains(" to ") && !rest.starts_with("to ") {
        return None;
    }
    let (from, rest) = match rest.strip_prefix("from ") {
        Some(rest) => leading_host(rest),
        None => (Node::default(), rest),
    };
    let (to, _) = leading_host(rest.trim_ascii_start().strip_prefix("to ")?);
    Some((tool, from, to))
}

fn is_own(block: &Block, line: &str) -> bool {
    let is_links = block.first().is_some_and(|first| first.starts_with("tracelb"));
    if is_links {
        chain(line).is_some()
    } else {
        hop(line).is_some() || is_remark(line)
    }
}

/// What tracebox says above its hops.
fn is_remark(line: &str) -> bool {
    let text = line.trim_ascii();
    ["mode: ", "result: ", "rtt: "]
        .iter()
        .any(|start| text.starts_with(start))
}

/// The sets of addresses along `A -> (B, C) -> *`.
fn chain(line: &str) -> Option<Vec<Vec<Node>>> {
    if !line.contains(" -> ") {
        return None;
    }
    let set = |text: &str| {
        let inner = text.trim_ascii().trim_start_matches('(').trim_end_matches(')');
        let addresses = inner.split(", ").filter(|address| *address != "*");
        let nodes: Option<Vec<Node>> = addresses
            .map(|address| Some(address.parse::<std::net::IpAddr>().ok()?.into()))
            .collect();
        nodes
    };
    line.split(" -> ").map(set).collect()
}

/// `1: 192.0.2.1 IP::Checksum`, `2: *`
fn hop(line: &str) -> Option<(u8, Node)> {
    let (number, rest) = line.trim_ascii().split_once(": ")?;
    let word = rest.split_ascii_whitespace().next()?;
    let is_host = word == "*" || word.parse::<std::net::IpAddr>().is_ok();
    Some((number.parse().ok().filter(|ttl| *ttl > 0)?, host(word))).filter(|_| is_host)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let Some((tool, from, to)) = block.first().and_then(head) else {
        return;
    };
    let mut chains = Vec::new();
    let mut hops: BTreeMap<u8, TraceHop> = BTreeMap::new();
    for (number, line) in block.numbered().skip(1) {
        if let Some(chain) = (tool == "tracelb").then(|| chain(line)).flatten() {
            chains.push(chain);
        } else if let Some((ttl, node)) = (tool == "tracebox").then(|| hop(line)).flatten() {
            if hops.contains_key(&ttl) {
                findings.complain(number, format!("hop {ttl} stands twice"));
            }
            add(&mut hops, ttl, &[node]);
        } else if !is_remark(line) {
            findings.unread(number, line);
        }
    }
    if tool == "tracelb" {
        if !is_told_whole(block, &chains) {
            findings.complain_of(
                (block.first_line, block.last_written_line()),
                "not as many links as the head of tracelb tells: the hops behind a missing one are not numbered right, and none is used",
            );
            return;
        }
        hops = by_distance(&chains);
    }
    if hops.is_empty() {
        return;
    }
    let hops: Vec<TraceHop> = hops.into_values().collect();
    let to = context.to_or(to);
    let trace = Trace {
        from: context.from_or(from),
        reached: reached(&hops, &to, None),
        to,
        flows: vec![TraceFlow::of(hops)],
        ..Trace::default()
    };
    let lines = (block.first_line, block.last_written_line());
    findings.record_of(lines, "scamper", context.at, Payload::Trace(trace));
}

/// Whether there are as many links as `5 links` in the head.
fn is_told_whole(block: &Block, chains: &[Vec<Vec<Node>>]) -> bool {
    let head = block.first().unwrap_or_default();
    let told = head
        .split(", ")
        .find_map(|part| part.strip_suffix(" links")?.parse::<usize>().ok());
    told == Some(chains.len())
}

/// How far each address is from the first: the links lead from it.
fn by_distance(chains: &[Vec<Vec<Node>>]) -> BTreeMap<u8, TraceHop> {
    let mut hops = BTreeMap::new();
    let ends = |chain: &[Vec<Node>]| chain.last().and_then(|set| set.first().cloned());
    let begins = |chain: &[Vec<Node>]| chain.first().and_then(|set| set.first().cloned());
    let is_behind = |node: &Node| chains.iter().any(|chain| ends(chain).as_ref() == Some(node));
    let mut at: Vec<(Node, usize)> = chains
        .iter()
        .filter_map(|chain| begins(chain))
        .filter(|node| !is_behind(node))
        .map(|node| (node, 1))
        .collect();
    at.dedup();
    let mut seen: Vec<Node> = Vec::new();
    while let Some((node, distance)) = (!at.is_empty()).then(|| at.remove(0)) {
        if seen.contains(&node) || distance > MOST_HOPS {
            continue;
        }
        for chain in chains
            .iter()
            .filter(|chain| begins(chain).as_ref() == Some(&node))
        {
            for (place, set) in chain.iter().enumerate().skip(1) {
                if let Ok(ttl) = u8::try_from(distance + place) {
                    add(&mut hops, ttl, set);
                }
            }
            if let Some(end) = ends(chain) {
                at.push((end, distance + chain.len() - 1));
            }
        }
        if let Ok(ttl) = u8::try_from(distance) {
            add(&mut hops, ttl, std::slice::from_ref(&node));
        }
        seen.push(node);
    }
    hops
}

/// Adds who answered at a hop, or that nobody did.
fn add(hops: &mut BTreeMap<u8, TraceHop>, ttl: u8, nodes: &[Node]) {
    let hop = hops.entry(ttl).or_insert_with(|| TraceHop {
        ttl,
        ..TraceHop::default()
    });
    for node in nodes.iter().filter(|node| !node.is_unknown()) {
        if !hop.answers.iter().any(|answer| answer.node == *node) {
            hop.answers.push(TraceAnswer {
                node: node.clone(),
                ..TraceAnswer::default()
            });
        }
    }
    if hop.answers.is_empty() {
        hop.unanswered = 1;
    } else {
        hop.unanswered = 0;
    }
}

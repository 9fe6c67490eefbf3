//! The tests `trace` and `mtu`.

use super::task::Task;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::units::ns_of_seconds;
use evidence::{Node, Payload, Trace, TraceAnswer, TraceFlow, TraceHop};

/// `3<TAB>host (192.0.2.1) AS64496 1.25 ms`: the number and what follows. Pasted, the tab becomes blanks.
pub(super) fn hop(text: &str) -> Option<(u8, &str)> {
    let end = text.find(['\t', ' '])?;
    let (number, rest) = text.split_at_checked(end)?;
    let number = number.parse().ok()?;
    let rest = rest.trim_ascii();
    let answered = rest.ends_with(" ms")
        || rest.ends_with(" bytes")
        || rest.contains(" ms ")
        || rest.starts_with("No Response")
        || rest.contains(": ")
        || rest.ends_with(')');
    answered.then_some((number, rest))
}

/// Whether a line says more of the hop above: whose its autonomous system is. The tab in front of it becomes blanks where it is copied
/// from a terminal.
pub(super) fn is_below_hop(above: &str, line: &str) -> bool {
    let is_told = |(_, rest): (u8, &str)| rest.contains(" AS");
    line.starts_with(['\t', ' ']) && hop(above).is_some_and(is_told) && hop(line.trim_ascii()).is_none()
}

/// `host (192.0.2.1)`, `192.0.2.1`, `No Response`, `NONE`
pub(super) fn host(text: &str) -> Node {
    let text = text.trim_ascii();
    if matches!(text, "" | "No Response" | "NONE") {
        return Node::default();
    }
    match text.split_once(" (") {
        Some((name, address)) => Node {
            name: Some(name.to_owned()),
            address: address.trim_end_matches(')').parse().ok(),
        },
        None => Node::read(text),
    }
}

pub(super) fn trace(block: &Block, task: &Task, context: &Context, findings: &mut Findings) {
    // Several paths are several traces, each under a heading of its own.
    let mut paths: Vec<Vec<TraceHop>> = vec![Vec::new()];
    for line in block.lines() {
        let text = line.trim_ascii();
        if text.starts_with("Path ") {
            paths.push(Vec::new());
        } else if let (Some((ttl, rest)), Some(path)) = (hop(text), paths.last_mut()) {
            path.push(read_hop(ttl, rest));
        }
    }
    for hops in paths.into_iter().filter(|hops| !hops.is_empty()) {
        let to = context.to_or(task.to.clone());
        let trace = Trace {
            from: context.from_or(task.from.clone()),
            reached: reached(&hops, &to),
            path_mtu_bytes: smallest_mtu(&hops),
            to,
            flows: vec![TraceFlow::of(hops)],
            ..Trace::default()
        };
        findings.record(block, "pScheduler", task.at, Payload::Trace(trace));
    }
}

/// Whether the destination itself is the last that answered; `None` where it cannot be told from the names.
pub(super) fn reached(hops: &[TraceHop], to: &Node) -> Option<bool> {
    let last = hops.last()?.answers.first();
    last.map_or(Some(false), |answer| {
        answer.node.same_as(to).filter(|_| !to.is_unknown())
    })
}

pub(super) fn smallest_mtu(hops: &[TraceHop]) -> Option<u32> {
    hops.iter()
        .flat_map(|hop| &hop.answers)
        .filter_map(|answer| answer.mtu_bytes)
        .min()
}

fn read_hop(ttl: u8, rest: &str) -> TraceHop {
    let end = rest
        .find(')')
        .map_or_else(|| rest.find(' ').unwrap_or(rest.len()), |end| end + 1);
    let (node, figures) = if rest.starts_with("No Response") {
        ("", "")
    } else {
        rest.split_at_checked(end).unwrap_or((rest, ""))
    };
    let node = host(node);
    if node.is_unknown() {
        return TraceHop {
            ttl,
            unanswered: 1,
            ..TraceHop::default()
        };
    }
    let mut answer = TraceAnswer {
        node,
        ..TraceAnswer::default()
    };
    let mut words = figures.split_ascii_whitespace().peekable();
    let mut before = "";
    let mut mark = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "ms" => answer.rtt_ns = before.parse::<f64>().ok().and_then(|ms| ns_of_seconds(ms / 1e3)),
            "mtu" => {
                answer.mtu_bytes = words.next().and_then(|bytes| bytes.parse().ok());
                words.next_if_eq(&"bytes");
            }
            _ if word.starts_with("AS") => answer.asn = word.get(2..).and_then(|n| n.parse().ok()),
            _ if word.parse::<f64>().is_ok() => {}
            _ => mark.push(word),
        }
        before = word;
    }
    answer.mark = (!mark.is_empty()).then(|| mark.join(" "));
    TraceHop {
        ttl,
        answers: vec![answer],
        ..TraceHop::default()
    }
}

/// `MTU: 9000`, `MTU ... 9000`: the path MTU alone, without hops.
pub(super) fn mtu(block: &Block, task: &Task, context: &Context, findings: &mut Findings) {
    let mtu = block.lines().find_map(|line| {
        let rest = line.trim_ascii().strip_prefix("MTU")?;
        rest.trim_start_matches([':', '.', ' ']).parse().ok()
    });
    if mtu.is_none() {
        return;
    }
    let trace = Trace {
        from: context.from_or(task.from.clone()),
        to: context.to_or(task.to.clone()),
        path_mtu_bytes: mtu,
        ..Trace::default()
    };
    findings.record(block, "pScheduler", task.at, Payload::Trace(trace));
}

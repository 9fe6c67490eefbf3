//! From a block to its interfaces: the device that they are of, the lines of each, and the record that they give.

use crate::Context;
use crate::block::{Block, Findings};
use crate::prompt::command_line;
use evidence::{InterfaceCounters, Node, Payload};

/// The device that a prompt in the first line names; unknown without one. Whoever imports may know it.
pub(in crate::formats) fn device(block: &Block, context: &Context) -> Node {
    let prompt = block.first().and_then(command_line);
    let named = prompt.and_then(|prompt| prompt.device);
    context.from_or(named.map(Node::named).unwrap_or_default())
}

/// Each interface of a block, with the lines that it takes: an interface goes from its head to the next one.
pub(in crate::formats) fn sections(block: &Block, is_head: fn(&str) -> bool) -> Vec<Vec<(u64, &str)>> {
    let mut sections: Vec<Vec<(u64, &str)>> = Vec::new();
    for (number, line) in block.numbered() {
        let opened = sections.last().and_then(|lines| lines.first());
        // PAN-OS prints the name of an interface above each of its two parts.
        let is_repeated = line.starts_with("Name: ") && opened.is_some_and(|(_, head)| *head == line);
        if is_head(line) && !is_repeated {
            sections.push(vec![(number, line)]);
        } else if let Some(section) = sections.last_mut().filter(|_| !line.trim_ascii().is_empty()) {
            section.push((number, line));
        }
    }
    sections
}

/// Adds the record of one interface.
pub(in crate::formats) fn record(
    findings: &mut Findings,
    context: &Context,
    tool: &str,
    lines: &[(u64, &str)],
    counters: InterfaceCounters,
) {
    if let (Some((first, _)), Some((last, _))) = (lines.first(), lines.last()) {
        let payload = Payload::InterfaceCounters(counters);
        findings.record_of((*first, *last), tool, context.at, payload);
    }
}

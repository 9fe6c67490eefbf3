//! From a block to its interfaces: the device that they are of, the lines of each, and the record that they give.

use crate::Context;
use crate::block::Block;
use crate::command::{place, prompted};
use crate::findings::Findings;
use evidence::{InterfaceCounters, Node, Payload};

/// The device that a prompt in the first line names; unknown without one. Whoever imports may know it.
pub(in crate::formats) fn device(block: &Block, context: &Context) -> Node {
    let typed = block.first().and_then(prompted);
    let named = typed.as_ref().and_then(place);
    context.from_or(named.map(Node::named).unwrap_or_default())
}

/// What names a port again below a title that does.
const REPEATED: [&str; 2] = ["Controller State", "mib: Port "];

/// Each interface of a block, with the lines that it takes: an interface goes from its head to the next one.
///
/// One after another: a block may have more lines than should be held twice.
pub(in crate::formats) fn sections(
    block: &Block,
    is_head: impl Fn(usize, &str) -> bool,
) -> impl Iterator<Item = Vec<(u64, &str)>> {
    let mut lines = block.numbered().enumerate();
    let mut open: Vec<(u64, &str)> = Vec::new();
    std::iter::from_fn(move || {
        for (place, (number, line)) in lines.by_ref() {
            // PAN-OS prints the name of an interface above each of its two parts.
            let names_again = line.starts_with("Name: ") || line.starts_with("interface: ");
            let is_repeated = names_again && open.first().is_some_and(|(_, head)| *head == line);
            // IOS XR names a controller above its state, where there are several, and OpenWrt a port of a switch above its counters.
            let is_repeated = is_repeated
                || matches!(open[..], [(_, head)] if head.trim_ascii_start().starts_with("Port"))
                    && REPEATED
                        .iter()
                        .any(|begin| line.trim_ascii_start().starts_with(begin));
            if is_head(place, line) && !is_repeated {
                // The next one has as many lines, mostly.
                let next = Vec::with_capacity(open.len() + 1);
                let section = std::mem::replace(&mut open, next);
                open.push((number, line));
                if !section.is_empty() {
                    return Some(section);
                }
            } else if !open.is_empty() && !line.trim_ascii().is_empty() {
                open.push((number, line));
            }
        }
        let last = std::mem::take(&mut open);
        (!last.is_empty()).then_some(last)
    })
}

/// Adds the record of one interface.
pub(in crate::formats) fn record(
    findings: &mut Findings,
    context: &Context,
    tool: &str,
    lines: (u64, u64),
    counters: InterfaceCounters,
) {
    let payload = Payload::InterfaceCounters(counters);
    findings.record_of(lines, tool, context.at, payload);
}

/// The numbers of the first and the last of some lines.
pub(in crate::formats) fn span(lines: &[(u64, &str)]) -> (u64, u64) {
    let number = |line: Option<&(u64, &str)>| line.map_or(0, |(number, _)| *number);
    (number(lines.first()), number(lines.last()))
}

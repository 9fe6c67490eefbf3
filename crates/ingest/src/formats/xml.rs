//! XML documents: where one ends is found by its tags, and what it holds by a table of kinds.
//!
//! A block is a document, with the command that asked for it above. One that is cut ends at the first line that cannot be
//! part of it, so that the text behind it is still read.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::prompt::{CommandLine, command_line};
use crate::tags::Tags;
use crate::xml_kind::{Element, XmlKind};
use crate::xml_tree::{local, parse};

pub(crate) static FORMAT: Format = Format {
    name: "XML",
    group: Group::Any,
    reads: "documents of the tools named below, with the command above them",
    first: "<",
    has_command: true,
    marks: Some(|| {
        // Of commands: a program that prints nothing else, or the form that is asked for.
        Marks::of(["mtr", "rrdtool", "xml", "tttcp"]).or(|line| line.trim_ascii_start().starts_with('<'))
    }),
    starts,
    continues,
    takes_in: Some(takes_in),
    read,
};

/// Every kind of document, in the order in which they are asked: the more telling first.
static KINDS: &[&XmlKind] = &[
    &super::mtr::xml::KIND,
    &super::history::xport::XML,
    &super::history::xport::DUMP,
    &super::junos_paths::PING,
    &super::junos_paths::TRACEROUTE,
    &super::junos_paths::RPM,
    &super::meters::ntttcp_xml::KIND,
    &super::interface::STRUCTURED_XML,
];

/// Elements of kinds stand no deeper than that below the root: `<rpc-reply><multi-routing-engine-results>…`.
const DEEPEST_KIND: usize = 6;
/// The root begins within so many lines.
const LINES_ABOVE_ROOT: usize = 16;

/// The kinds, for the list of known formats.
pub(crate) fn kinds() -> impl Iterator<Item = &'static XmlKind> {
    KINDS.iter().copied()
}

fn starts(line: &str) -> bool {
    let text = line.trim_ascii_start();
    if text.starts_with('<') {
        let root = || root_name(text).or_else(|| text.strip_prefix("<!DOCTYPE ")?.split([' ', '>']).next());
        text.starts_with("<?xml ") || root().is_some_and(is_known_root)
    } else {
        asking(line).is_some()
    }
}

/// The name, without a prefix, of the element that the line begins with.
fn root_name(text: &str) -> Option<&str> {
    let name = text.strip_prefix('<')?;
    let end = name.find([' ', '\t', '>', '/']).unwrap_or(name.len());
    name.get(..end).map(local).filter(|name| !name.is_empty())
}

fn is_known_root(name: &str) -> bool {
    kinds().any(|kind| kind.roots.contains(&name))
}

/// The command, if the line is one that asks for XML.
fn asking(line: &str) -> Option<CommandLine<'_>> {
    let command = command_line(line)?;
    kinds().any(|kind| (kind.asked_by)(&command)).then_some(command)
}

/// How far the tags are balanced in the block.
fn so_far(block: &Block) -> Tags {
    let first = || {
        block
            .first()
            .filter(|line| line.trim_ascii_start().starts_with('<'))
    };
    block
        .tags
        .get()
        .unwrap_or_else(|| Tags::default().after(first().unwrap_or_default()))
}

/// Blank lines, tags, and what goes on with one; the same root again is a further document.
fn continues(block: &Block, line: &str) -> bool {
    let so_far = so_far(block);
    let text = line.trim_ascii_start();
    // What ends a message of NETCONF (RFC 6242 section 4.3).
    if text.trim_ascii_end() == "]]>]]>" && !so_far.is_open() {
        return true;
    }
    let is_own = text.is_empty() || text.starts_with('<') || so_far.is_in_tag();
    let name = root_name(text).filter(|name| is_known_root(name));
    let mut above = block.lines().take(LINES_ABOVE_ROOT);
    let is_further =
        name.is_some_and(|name| above.any(|line| root_name(line.trim_ascii_start()) == Some(name)));
    is_own && !is_further && goes_on(so_far, block, line)
}

/// Text in an element, or in a comment. What another tool prints is none.
fn takes_in(block: &Block, line: &str) -> bool {
    goes_on(so_far(block), block, line)
}

fn goes_on(so_far: Tags, block: &Block, line: &str) -> bool {
    let after = so_far.after(line);
    if so_far.is_open() && !after.broken {
        block.tags.set(Some(after));
    }
    so_far.is_open() && !after.broken
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let command = block.first().and_then(asking);
    let above = if command.is_some() {
        block.first().map_or(0, |line| line.len() + 1)
    } else {
        0
    };
    let Some(text) = block.text().get(above..) else {
        return;
    };
    let tree = parse(text, block.first_line + u64::from(command.is_some()));
    let lines = (block.first_line, block.last_line());
    if let Some(root) = &tree.root {
        match take(root, 0, command, context, findings) {
            true => complain_of_text_between(root, findings),
            false => findings.complain_of(lines, "an XML document of no kind that slowpath knows"),
        }
    }
    if let Some((line, reason)) = tree.error {
        findings.complain_of((block.first_line, line), reason);
    } else if text.get(tree.bytes..).is_some_and(|rest| rest.contains('<')) {
        findings.complain(
            block.last_line(),
            "more XML in the line that the document ends in",
        );
    }
}

/// Elements hold elements or text: figures that stand between elements are somebody else's, and nobody reads them.
fn complain_of_text_between(element: &Element<'_>, findings: &mut Findings) {
    let mut lines = element.text.lines().map(str::trim_ascii);
    // A value is one line, whatever blank lines are around it.
    if element.children.is_empty() && lines.clone().filter(|line| !line.is_empty()).count() < 2 {
        return;
    }
    if let Some(line) = lines.find(|line| line.bytes().any(|byte| byte.is_ascii_digit())) {
        findings.complain_of(element.lines, format!("not understood: {line}"));
    }
    for child in &element.children {
        complain_of_text_between(child, findings);
    }
}

/// Whether a kind reads this element, or one below it.
fn take(
    element: &Element<'_>,
    depth: usize,
    command: Option<CommandLine<'_>>,
    context: &Context,
    findings: &mut Findings,
) -> bool {
    if let Some(kind) = kinds().find(|kind| (kind.is)(element)) {
        (kind.read)(element, command, context, findings);
        return true;
    }
    if depth >= DEEPEST_KIND {
        return false;
    }
    let mut taken = false;
    for child in &element.children {
        taken |= take(child, depth + 1, command, context, findings);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(records, []);
        complaints.iter().map(ToString::to_string).collect()
    }

    const UNKNOWN: &str = "an XML document of no kind that slowpath knows";

    #[test]
    fn a_block_is_a_document() {
        for (text, ends) in [
            ("<?xml version=\"1.0\"?>\n<a>\n</a>\n", "lines 1 to 3"),
            ("<?xml version=\"1.0\"?><a/>]]>]]>\n", "line 1"),
            ("<?xml version=\"1.0\"?>\n<a>\nof\n\ntext</a>\n", "lines 1 to 5"),
        ] {
            assert_eq!(complaints(text), [format!("{ends}: {UNKNOWN}")], "{text}");
        }
        assert!(!starts("<pre>") && !starts("<MPLS:L=1,E=0,S=1,T=1>") && !starts("< 5 ms"));
    }

    #[test]
    fn a_cut_document_does_not_swallow_what_follows() {
        let text = "<?xml version=\"1.0\"?>\n<a>\n<b>1</b>\nno tool prints this\n";
        let said = complaints(text);
        assert_eq!(
            said[1],
            "lines 1 to 3: the XML document is cut: its elements are not closed"
        );
        assert_eq!(said[2], "line 4: no format that slowpath knows");
        let text = "<?xml version=\"1.0\"?>\n<a>\n<b>\nMtr_Version,Start_Time\n";
        assert!(complaints(text)[2].starts_with("line 4: begins like mtr CSV"));
        let twice = complaints("<?xml version=\"1.0\"?>\n<a>\n<?xml version=\"1.0\"?>\n<a/>\n");
        assert_eq!(twice[2], format!("lines 3 to 4: {UNKNOWN}"));
    }
}

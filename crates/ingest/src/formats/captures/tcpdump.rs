//! What tcpdump says when it ends: how much of the traffic its capture lacks. capinfos describes a file, and nothing of
//! that is about a path.

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::arguments;
use evidence::{HostFacts, Payload};

pub(crate) static FORMAT: Format = Format {
    name: "tcpdump",
    group: Group::Histories,
    reads: "the closing lines: packets captured, received by the filter, dropped by the kernel",
    first: "0-9t^",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "captured",
            "tcpdump",
            "reading from file ",
            "Maximum file limit reached",
        ])
    }),
    // Others that capture (sting) close with the other lines alone.
    starts: |line| {
        closing(line).is_some_and(|(said, _)| said == "captured") || is_opening(line) || is_command(line)
    },
    continues: |_, line| closing(line).is_some() || is_opening(line) || line == "^C",
    takes_in: None,
    read,
};

pub(crate) static CAPINFOS: Format = Format {
    name: "capinfos",
    group: Group::Histories,
    reads: "known to describe a file: nothing is recorded",
    first: "Fc",
    has_command: true,
    marks: Some(|| Marks::of(["File name:  ", "capinfos"])),
    starts: |line| {
        line.starts_with("File name:  ") || line.contains("capinfos") && arguments(line, "capinfos").is_some()
    },
    continues: |_, line| {
        line.split_once(':').is_some_and(|(name, _)| is_property(name)) || line.starts_with("   ")
    },
    takes_in: None,
    read: |block, _, findings| {
        // A command alone may have printed something else.
        if block.lines().any(|line| line.starts_with("File name:  ")) {
            findings.nothing_to_say();
        }
    },
};

/// `File encapsulation`, `Number of packets`: words, the first of them with a capital.
fn is_property(name: &str) -> bool {
    (4..40).contains(&name.len())
        && name
            .trim_ascii_start()
            .starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'#' | b'-' | b'(' | b')' | b'/')
        })
}

const CLOSING: [&str; 4] = [
    "captured",
    "received by filter",
    "dropped by kernel",
    "dropped by interface",
];

/// `14 packets captured`: the words, and the count.
fn closing(line: &str) -> Option<(&'static str, u64)> {
    // The key that ended it shows where it was pressed.
    let line = line.strip_prefix("^C").unwrap_or(line);
    let (count, rest) = line.split_once(' ')?;
    let words = rest
        .strip_prefix("packets ")
        .or_else(|| rest.strip_prefix("packet "))?;
    let said = CLOSING.iter().find(|said| **said == words.trim_ascii_end())?;
    Some((said, count.parse().ok()?))
}

/// A capture into a file: without `-w` it prints packets, which are not read.
fn is_command(line: &str) -> bool {
    line.contains("tcpdump")
        && arguments(line, "tcpdump").is_some_and(|mut words| words.any(|word| word.starts_with("-w")))
}

fn is_opening(line: &str) -> bool {
    line.starts_with("tcpdump: listening on ")
        || line.starts_with("tcpdump: ")
        || line.starts_with("reading from file ")
        || line.starts_with("Maximum file limit reached")
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut facts = HostFacts::default();
    let mut disputed = Vec::new();
    for (number, line) in block.numbered() {
        let Some((said, count)) = closing(line) else {
            continue;
        };
        let before = facts
            .other
            .insert(format!("tcpdump.packets {said}"), count.to_string());
        if before.is_some_and(|before| before != count.to_string()) {
            findings.complain(
                number,
                format!("packets {said} is given twice, with different values"),
            );
            disputed.push(format!("tcpdump.packets {said}"));
        }
    }
    for name in disputed {
        facts.other.remove(&name);
    }
    if facts != HostFacts::default() {
        findings.record(block, "tcpdump", context.at, Payload::HostFacts(facts));
        findings.nothing_to_say();
    }
}

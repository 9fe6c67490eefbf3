//! Linux `ethtool -k`, `-g`, `-l`, `-a`, `-c`, `-i` and `--show-fec`: how a card is set.

use super::command::{NAMELESS, arguments, facts, is_gap, is_interface, is_only};
use super::given::Given;
use crate::Context;
use crate::arrival::is_omission;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use evidence::{HostFacts, Interface, Payload};

pub(crate) static FORMAT: Format = Format {
    name: "ethtool -k, -g, -l, -a, -c, -i, --show-fec",
    group: Group::Hosts,
    reads: "offloads, rings, channels, pause frames, coalescing, driver and FEC of a Linux host's interface",
    first: "AFORCPde",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            " parameters for ",
            "Features for ",
            "driver: ",
            "Adaptive RX: ",
            "ethtool",
        ])
    }),
    starts: |line| part(line).is_some() || is_command(line) || is_driver(line) || is_adaptive(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            return is_gap(block, line, is_command)
                || part(line).is_some()
                || is_driver(line)
                || is_adaptive(line);
        }
        is_note(line) || is_omission(line) || is_blank_within(block, line)
    },
    // A name and a value with a colon between is what many print.
    takes_in: Some(|block, line| {
        let is_headless = || block.first().is_some_and(|line| asked(line).is_some());
        (!is_only(block, is_command) || is_headless())
            && !is_behind_end(block)
            && key_and_value(line).is_some_and(|(key, _)| may_be_of(block, key) && !is_again(block, key))
            && part(line).is_none()
    }),
    read,
};

/// What `ethtool` says where a card has no such thing: `Cannot get device channel parameters`, `: Operation not supported`. What FEC
/// corrected stands once more for each lane.
fn is_note(line: &str) -> bool {
    line.starts_with("    Lane ")
        || [
            "netlink error",
            "Cannot get ",
            ": Operation not supported",
            "no stats available",
            "netlink warning",
        ]
        .iter()
        .any(|note| line.starts_with(note))
}

/// Whether the part that was announced last may have this name: those of features have small letters and dashes, those of rings,
/// channels, pause frames and FEC begin with a capital, or have underlines.
fn may_be_of(block: &Block, key: &str) -> bool {
    let head = block.last_such(|line| part(line).is_some()).and_then(part);
    let is_small = key.starts_with(|c: char| c.is_ascii_lowercase());
    match head.map(|(part, ..)| part) {
        Some(Part::Rings | Part::Channels | Part::Pause | Part::Fec) => {
            !(is_small && !key.contains('_') || is_of_coalescing(key))
        }
        None if block.first().is_some_and(is_adaptive) => is_small || is_of_coalescing(key),
        // `driver: mlx5_core` stands in many a list of what a machine has.
        None if block.first().is_some_and(is_driver) => is_of_driver(key),
        _ => true,
    }
}

/// Whether a heading within a part stands there once more: another command printed what follows.
fn is_again(block: &Block, key: &str) -> bool {
    let is_it = |line: &str| key_and_value(line).is_some_and(|(known, _)| known == key);
    let mut of_part = block.lines().rev().take_while(|line| part(line).is_none());
    SECTIONS.iter().any(|(heading, _)| *heading == key) && of_part.any(is_it)
}

/// What a head announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Features,
    Rings,
    Channels,
    Pause,
    Coalescing,
    Fec,
    Driver,
}

/// The heads, and what their figures are called.
const HEADS: [(&str, Part, &str); 7] = [
    ("Features for ", Part::Features, ""),
    ("Offload parameters for ", Part::Features, ""),
    ("Ring parameters for ", Part::Rings, "ring."),
    ("Channel parameters for ", Part::Channels, "channels."),
    ("Pause parameters for ", Part::Pause, "pause."),
    ("Coalesce parameters for ", Part::Coalescing, "coalesce."),
    ("FEC parameters for ", Part::Fec, "fec."),
];

/// The part that a head announces, what its names begin with, and the interface.
fn part(line: &str) -> Option<(Part, &'static str, &str)> {
    HEADS.iter().find_map(|(head, part, names)| {
        let name = line.strip_prefix(head)?.trim_ascii_end().strip_suffix(':')?;
        Some((*part, *names, name))
    })
}

/// `ethtool -i` has no head of its own: the driver is its first line.
fn is_driver(line: &str) -> bool {
    line.strip_prefix("driver: ")
        .is_some_and(|name| !name.is_empty() && (!name.contains(' ') || name.starts_with("802.1Q VLAN")))
}

/// The first line of what `ethtool -c` says, where a filter took its head away: no other tool has it.
fn is_adaptive(line: &str) -> bool {
    line.strip_prefix("Adaptive RX: ")
        .is_some_and(|rest| rest.contains("TX: "))
}

/// Settings of coalescing that begin with a capital.
fn is_of_coalescing(key: &str) -> bool {
    matches!(key, "Adaptive RX" | "CQE mode RX")
}

/// What `ethtool -i` says (ethtool(8)).
fn is_of_driver(key: &str) -> bool {
    matches!(
        key,
        "driver" | "version" | "firmware-version" | "expansion-rom-version" | "bus-info"
    ) || key.starts_with("supports-")
}

/// Coalescing has blank lines between its groups, and others where they are copied by a browser: what follows is of the same
/// part as long as its keys are.
fn is_blank_within(block: &Block, line: &str) -> bool {
    line.trim_ascii().is_empty()
        && block.begins_with(2, |line| {
            part(line).is_some_and(|(part, ..)| part != Part::Driver)
        })
        && block.last().is_some_and(|last| !last.trim_ascii().is_empty())
}

/// Whether a blank line ended the list of features: it has none of its own but around a mark that lines were left out.
fn is_behind_end(block: &Block) -> bool {
    block.last().is_some_and(|last| last.trim_ascii().is_empty())
        && block.begins_with(2, |line| {
            part(line).is_some_and(|(part, ..)| part == Part::Features)
        })
        && !block.last_written().is_some_and(is_omission)
}

fn is_command(line: &str) -> bool {
    interface_of(line).is_some()
}

fn interface_of(line: &str) -> Option<&str> {
    const OPTIONS: [&str; 14] = [
        "-k",
        "--show-features",
        "--show-offload",
        "-g",
        "--show-ring",
        "-l",
        "--show-channels",
        "-a",
        "--show-pause",
        "-c",
        "--show-coalesce",
        "-i",
        "--driver",
        "--show-fec",
    ];
    let mut words = option_and_behind(line)?;
    let wanted = OPTIONS.contains(&words.next()?);
    words
        .next()
        .filter(|name| wanted && !name.starts_with('-') && is_interface(name))
}

/// The words from the first option on that says what is asked: `-I` adds statistics to it.
fn option_and_behind(line: &str) -> Option<impl Iterator<Item = &str>> {
    let words = arguments(line, "ethtool")?;
    Some(words.skip_while(|word| matches!(*word, "-I" | "--include-statistics")))
}

/// What a command asked for of which a filter leaves the head out, and what its figures are called. Features, pause frames and coalescing
/// have names of their own; the same figures of rings and channels stand below two headings, and are used where theirs was left.
fn asked(line: &str) -> Option<(Part, &'static str)> {
    if !line.contains('|') || !is_command(line) {
        return None;
    }
    match option_and_behind(line)?.next()? {
        "-k" | "--show-features" | "--show-offload" => Some((Part::Features, "")),
        "-g" | "--show-ring" => Some((Part::Rings, "ring.")),
        "-l" | "--show-channels" => Some((Part::Channels, "channels.")),
        "-a" | "--show-pause" => Some((Part::Pause, "pause.")),
        "-c" | "--show-coalesce" => Some((Part::Coalescing, "coalesce.")),
        "-i" | "--driver" => Some((Part::Driver, "driver.")),
        _ => None,
    }
}

/// `tx-checksumming: on`, `RX:  512`: no blank may stand in a key but in the few that have one.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_ascii().split_once(':')?;
    let key = key.trim_ascii_end();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/');
    let known = key.bytes().all(plain)
        || SECTIONS.iter().any(|(section, _)| *section == key)
        || matches!(
            key,
            "RX Mini"
                | "RX Jumbo"
                | "RX Buf Len"
                | "CQE Size"
                | "TX Push"
                | "RX Push"
                | "TCP data split"
                | "TX push buff len"
                | "Adaptive RX"
                | "CQE mode RX"
                | "RX negotiated"
                | "TX negotiated"
                | "Configured FEC encodings"
                | "Supported/Configured FEC encodings"
                | "Active FEC encoding"
                | "Active FEC encodings"
                | "RX FIFO"
                | "Tx Aggr"
        );
    (known && !key.is_empty()).then(|| (key, value.trim_ascii()))
}

const CURRENT: &str = "Current hardware settings";

/// Headings within rings and channels, and what their figures are called.
const SECTIONS: [(&str, &str); 4] = [
    ("Pre-set maximums", "max."),
    (CURRENT, ""),
    ("Statistics", ""),
    ("RX negotiated", ""),
];

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut given = Given::default();
    let mut name = block.first().and_then(interface_of).unwrap_or("").to_owned();
    let asked = block.first().and_then(asked);
    let (mut what, mut names) = asked.unwrap_or((Part::Driver, "driver."));
    // Below which of the two headings a ring's figure stands; `None` before the first.
    let mut section = None;
    // Where a filter left the second heading alone, what is below it has no maximum.
    let is_current = block.get(1).is_some_and(|line| line.starts_with(CURRENT));
    for (number, line) in block.numbered() {
        if what == Part::Driver && is_adaptive(line) {
            (what, names) = (Part::Coalescing, "coalesce.");
        }
        if let Some((part, begins, interface)) = part(line) {
            (what, names) = (part, begins);
            interface.clone_into(&mut name);
        } else if line.trim_ascii().is_empty() || number == block.first_line && is_command(line) {
        } else if is_omission(line) {
            // The heading may be among what was left out.
            section = None;
            findings.nothing_to_say();
        } else if is_note(line) {
            findings.nothing_to_say();
        } else if let Some((key, value)) = key_and_value(line) {
            if let Some((_, begins)) = SECTIONS
                .iter()
                .find(|(heading, _)| *heading == key && value.is_empty())
            {
                section = Some(*begins);
                continue;
            }
            if what == Part::Features && key.starts_with(|c: char| c.is_ascii_uppercase()) {
                findings.unread(number, line);
                continue;
            }
            let sectioned = matches!(what, Part::Rings | Part::Channels);
            let Some(begins) = section.or((!sectioned).then_some("")) else {
                findings.complain(number, "neither a maximum nor a current setting");
                continue;
            };
            put(&mut given, findings, number, (names, begins), key, value);
        } else {
            findings.unread(number, line);
        }
    }
    let is_whole = what != Part::Driver || !name.is_empty() || given.get("driver.version").is_some();
    if !is_whole {
        return findings.complain(block.first_line, "a driver of nobody knows what");
    }
    if !given.is_empty() {
        if name.is_empty() {
            findings.complain(block.first_line, NAMELESS);
        }
        let mut interface = Interface {
            name,
            ..Interface::default()
        };
        match is_current {
            true => interface.other.extend(given.into_values()),
            false => settle(&mut interface, what, given),
        }
        let facts = HostFacts {
            interface: Some(interface),
            ..facts(block)
        };
        findings.record(block, "ethtool", context.at, Payload::HostFacts(facts));
    }
}

/// Values that say that there is none.
pub(super) fn is_absent(value: &str) -> bool {
    matches!(value, "" | "n/a" | "N/A" | "Not reported" | "Not supported")
}

fn put(
    given: &mut Given<String>,
    findings: &mut Findings,
    number: u64,
    (names, section): (&str, &str),
    key: &str,
    value: &str,
) {
    // Two settings a line: `Adaptive RX: off  TX: on`.
    if let Some((first, second)) = value.split_once("TX:")
        && let Some(way) = key.strip_suffix(" RX")
    {
        let way = way.to_ascii_lowercase().replace(' ', "-");
        put(
            given,
            findings,
            number,
            (names, section),
            &format!("{way}-rx"),
            first.trim_ascii(),
        );
        put(
            given,
            findings,
            number,
            (names, section),
            &format!("{way}-tx"),
            second.trim_ascii(),
        );
        return;
    }
    // Only sizes and numbers have a maximum: other settings stand below the second heading alone.
    let misplaced = section == "max." && value.bytes().any(|byte| !byte.is_ascii_digit());
    if misplaced && !is_absent(value) {
        findings.complain(number, format!("no maximum: {key} {value}"));
    } else if !is_absent(value) {
        let key = key.replace(' ', "-").to_ascii_lowercase();
        given.put(
            findings,
            number,
            format!("{names}{section}{key}"),
            value.to_owned(),
        );
    }
}

/// Puts what was given where it has a place; the rest is kept in the tool's words.
fn settle(interface: &mut Interface, what: Part, mut given: Given<String>) {
    match what {
        Part::Features => {
            // `on`, `off`, `off [fixed]`, `on [requested off]`: what is asked for is not what is.
            for (name, value) in given.into_values() {
                match value.split(' ').next() {
                    Some("on") => interface.offloads.insert(name, true),
                    Some("off") => interface.offloads.insert(name, false),
                    _ => None,
                };
            }
            return;
        }
        Part::Rings => {
            // One of the two alone says neither how large the ring is nor how large it may be.
            let mut ring = |key: &str| {
                let current = given.take(&format!("ring.{key}"))?;
                let most = given.take(&format!("ring.max.{key}"));
                Some((current.parse().ok()?, most?.parse().ok()?))
            };
            interface.rx_ring = ring("rx");
            interface.tx_ring = ring("tx");
            for key in ["ring.max.rx", "ring.max.tx"] {
                given.take(key);
            }
        }
        Part::Driver => interface.driver = given.take("driver.driver"),
        _ => {}
    }
    let irrelevant = |name: &str| name.starts_with("driver.supports") || name.starts_with("driver.expansion");
    let kept = given
        .into_values()
        .into_iter()
        .filter(|(name, _)| !irrelevant(name));
    interface.other.extend(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Vec<Interface> {
        let (records, _) = crate::import(text.as_bytes(), &Context::default());
        let interface = |record: crate::Record| match record.payload {
            Payload::HostFacts(facts) => facts.interface,
            _ => None,
        };
        records.into_iter().filter_map(interface).collect()
    }

    #[test]
    fn a_ring_is_its_current_size_of_its_largest() {
        let text = "Ring parameters for eth0:\nPre-set maximums:\nRX:\t\t4096\nTX:\t\t8192\n\
                    Current hardware settings:\nRX:\t\t512\nTX:\t\t1024\n";
        let read = read_text(text);
        assert_eq!(
            (read[0].rx_ring, read[0].tx_ring),
            (Some((512, 4096)), Some((1024, 8192)))
        );
        // Without its heading nobody knows which of the two a figure is.
        let headless = read_text(&text.replace("Pre-set maximums:\n", ""));
        assert_eq!((headless[0].rx_ring, headless[0].tx_ring), (None, None));
        let torn = read_text(&text.replace("Current hardware settings:\n", ""));
        assert!(
            torn.iter()
                .all(|read| read.rx_ring.is_none() && read.other.is_empty()),
            "{torn:?}"
        );
    }
}

//! `/proc/net/bonding/bond0`: which links a bond has, which of them are up, and how often each was lost.

use super::command::{arguments, is_gap, is_only};
use super::given::Given;
use crate::Context;
use crate::block::Block;
use crate::command::divided;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::asked_of_vyos;
use crate::formats::interface::section::device;
use evidence::{InterfaceCounters, Payload, RateBps};

pub(crate) static FORMAT: Format = Format {
    name: "/proc/net/bonding",
    group: Group::Hosts,
    reads: "mode and state of a Linux bond; speed, duplex, state and lost links of each interface in it",
    first: "E=ch",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "Ethernet Channel Bonding Driver: ",
            "/proc/net/bonding/",
            "show interfaces bonding ",
        ])
    }),
    starts: |line| is_head(line) || named(line).is_some(),
    continues: |block, line| {
        if is_only(block, |first| named(first).is_some()) {
            let is_known = |(key, _): (&str, &str)| key == "Slave Interface" || is_wanted(key);
            return is_gap(block, line, |first| named(first).is_some())
                || is_head(line)
                || key_and_value(line).is_some_and(is_known) && is_filtered(block);
        }
        // The same heading once more is that of another bond.
        line.trim_ascii().is_empty() || line.trim_ascii() == "802.3ad info"
    },
    // A name and a value with a colon between is what many print, and prose ends with one.
    takes_in: Some(|block, line| {
        let is_begun = !is_only(block, |first| named(first).is_some());
        let is_behind_gap = block.last().is_some_and(|last| last.trim_ascii().is_empty());
        is_begun && key_and_value(line).is_some_and(|(_, value)| !(is_behind_gap && value.is_empty()))
    }),
    read,
};

fn is_head(line: &str) -> bool {
    line.starts_with("Ethernet Channel Bonding Driver: ")
}

/// Whether `grep` has left of it what somebody wanted.
fn is_filtered(block: &Block) -> bool {
    let is_grep = |part: &str| matches!(part.split_ascii_whitespace().next(), Some("grep" | "egrep"));
    block.first().is_some_and(|line| {
        let mut behind = divided(line, &["|"]).skip(1);
        match behind.next() {
            Some(first) => is_grep(first) && behind.all(is_grep),
            None => ["grep", "egrep"]
                .iter()
                .any(|program| arguments(line, program).is_some()),
        }
    })
}

/// The bond that a command or a heading of `head` names.
fn named(line: &str) -> Option<&str> {
    const FOLDER: &str = "/proc/net/bonding/";
    if let Some(path) = line.trim_ascii_end().strip_prefix("==> ") {
        return path.strip_suffix(" <==")?.strip_prefix(FOLDER);
    }
    if let Some(bond) = asked_of_vyos(line, "detail").filter(|name| name.starts_with("bond")) {
        return Some(bond);
    }
    let mut files = ["cat", "head", "more", "grep", "egrep"]
        .iter()
        .find_map(|program| arguments(line, program))?
        .filter_map(|word| word.strip_prefix(FOLDER));
    let first = files.next()?;
    // Of several files nobody knows which one comes first.
    Some(if files.next().is_none() && !first.contains('*') {
        first
    } else {
        ""
    })
}

/// `MII Status: up`: words, a colon and a value, or nothing behind the colon.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    if is_head(line) {
        return None;
    }
    let (key, value) = line.split_once(':')?;
    let first = key.trim_ascii_start().bytes().next()?;
    let is_key = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'\t' | b'(' | b')' | b'_' | b'.' | b'/' | b'-')
    };
    (first.is_ascii_alphabetic() && key.bytes().all(is_key) && (value.is_empty() || value.starts_with(' ')))
        .then(|| (key.trim_ascii(), value.trim_ascii()))
}

/// What is said of the bond itself, and what it is called here.
const KEPT: [(&str, &str); 7] = [
    ("Bonding Mode", "bonding mode"),
    ("Transmit Hash Policy", "transmit hash policy"),
    ("Primary Slave", "primary"),
    ("Currently Active Slave", "active"),
    ("LACP rate", "lacp rate"),
    ("Number of ports", "ports"),
    ("Min links", "min links"),
];

/// What is said of an interface in it, and never of the bond.
const OF_LINKS: [&str; 3] = ["Speed", "Duplex", "Link Failure Count"];

fn is_wanted(key: &str) -> bool {
    key == "MII Status" || OF_LINKS.contains(&key) || KEPT.iter().any(|(kept, _)| *kept == key)
}

/// The bond, or an interface in it.
struct Part<'a> {
    name: &'a str,
    lines: (u64, u64),
    /// It is an interface in the bond.
    is_link: bool,
    /// What stands here is of the bond, up to the first interface.
    is_whole: bool,
    given: Given<String>,
    /// Lines of another interface, whose name is lost, stand among these.
    is_mixed: bool,
}

impl<'a> Part<'a> {
    fn of(name: &'a str, number: u64) -> Self {
        Self {
            name,
            lines: (number, number),
            is_link: false,
            is_whole: false,
            given: Given::default(),
            is_mixed: false,
        }
    }

    fn take(&mut self, findings: &mut Findings, number: u64, key: &str, value: &str) {
        self.lines.1 = number;
        if key == "MII Status" && self.given.get(key).is_some() && !self.is_mixed {
            findings.complain(number, "of another interface, of which the first line is missing");
            self.is_mixed = true;
        }
        // A bond has no speed of its own: the line that names the interface was left out.
        if OF_LINKS.contains(&key) && !self.is_link && !self.is_mixed {
            findings.complain(
                number,
                "of an interface in the bond, of which the first line is missing",
            );
            self.is_mixed = true;
        }
        // A filter may have left the state of one of them.
        if key == "MII Status" && !self.is_link && !self.is_whole && !self.is_mixed {
            findings.complain(number, "a state, and nothing tells whose it is");
            self.is_mixed = true;
        }
        if is_wanted(key) && !self.is_mixed {
            self.given.put(findings, number, key, value.to_owned());
        }
    }

    fn into_interface(mut self, block: &Block, context: &Context) -> InterfaceCounters {
        let mut interface = InterfaceCounters {
            device: device(block, context),
            interface: self.name.to_owned(),
            ..InterfaceCounters::default()
        };
        let mut take = |key: &str| self.given.take(key);
        interface.up = take("MII Status").and_then(|status| match status.as_str() {
            "up" => Some(true),
            "down" => Some(false),
            // Going up or down: neither.
            _ => None,
        });
        interface.bandwidth_bps = take("Speed")
            .and_then(|speed| speed.strip_suffix(" Mbps")?.parse::<u32>().ok())
            .filter(|mbps| *mbps > 0 && *mbps < u32::MAX)
            .map(|mbps| RateBps(f64::from(mbps) * 1e6));
        interface.duplex = take("Duplex").filter(|duplex| matches!(duplex.as_str(), "full" | "half"));
        if let Some(Ok(failures)) = take("Link Failure Count").map(|count| count.parse()) {
            interface.other.insert("link_failures".to_owned(), failures);
        }
        for (key, kept) in KEPT {
            if let Some(value) = take(key).filter(|value| !matches!(value.as_str(), "None" | "")) {
                interface.settings.insert(kept.to_owned(), value);
            }
        }
        interface
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let bond = block.first().and_then(named).unwrap_or("");
    let mut part = Part::of(bond, block.first_line);
    let names_links = |line: &str| line.starts_with("Slave Interface: ");
    part.is_whole = block.lines().any(is_head) || block.lines().any(names_links);
    for (number, line) in block.numbered() {
        match key_and_value(line) {
            // What LACP partners told each other, of ports and not of links.
            _ if line.starts_with([' ', '\t']) && !line.contains("Number of ports") => {}
            Some(("Slave Interface", name)) => {
                let link = Part {
                    is_link: true,
                    ..Part::of(name, number)
                };
                let done = std::mem::replace(&mut part, link);
                close(done, block, context, findings);
            }
            Some(("Link Failure Count", value)) if value.parse::<u64>().is_err() => {
                findings.unread(number, line)
            }
            Some((key, value)) => part.take(findings, number, key, value),
            None if line.trim_ascii() == "802.3ad info" || is_head(line) || number == block.first_line => {}
            None => findings.unread(number, line),
        }
    }
    close(part, block, context, findings);
}

fn close(part: Part<'_>, block: &Block, context: &Context, findings: &mut Findings) {
    if part.given.is_empty() {
        return;
    }
    let lines = part.lines;
    let interface = part.into_interface(block, context);
    findings.record_of(
        lines,
        "bonding",
        context.at,
        Payload::InterfaceCounters(interface),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bonds_are_named_by_their_file() {
        assert_eq!(named("$ cat /proc/net/bonding/bond0"), Some("bond0"));
        assert_eq!(named("==> /proc/net/bonding/bond1 <=="), Some("bond1"));
        assert_eq!(named("$ cat /proc/net/bonding/*"), Some(""));
        assert_eq!(
            named("ops@vy1:~$ show interfaces bonding bond5 detail"),
            Some("bond5")
        );
        assert_eq!(named("$ cat /proc/net/dev"), None);
        assert_eq!(key_and_value("Speed: 1000 Mbps"), Some(("Speed", "1000 Mbps")));
        assert_eq!(key_and_value("zorkmids 4711 of 17"), None);
    }
}

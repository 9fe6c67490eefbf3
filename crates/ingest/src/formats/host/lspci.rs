//! `lspci -vv`: the slots that cards sit in. A card for 16 lanes in a slot of 4 limits whatever it is asked for.

use super::command::{arguments, facts, is_only};
use super::given::Given;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use evidence::{HostFacts, Interface, Payload, PcieLink};

pub(crate) static FORMAT: Format = Format {
    name: "lspci -vv",
    group: Group::Hosts,
    reads: "speed and lanes of a network card's PCI Express link, what it is capable of and what is in use",
    first: "0-9a-fl",
    has_command: true,
    marks: Some(|| Marks::of(["lspci"]).or(|line| network_card(line).is_some())),
    starts: |line| network_card(line).is_some() || is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            return slot(line).is_some();
        }
        let blank = line.trim_ascii().is_empty();
        blank && block.last().is_some_and(|last| !last.trim_ascii().is_empty())
            || is_within(line)
            || slot(line).is_some()
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    arguments(line, "lspci").is_some()
}

/// A line of what sits in a slot: behind a tab, of which a terminal makes blanks where it is copied.
fn is_within(line: &str) -> bool {
    line.starts_with('\t') || line.starts_with("    ")
}

/// `41:00.0 Ethernet controller: …`, with the domain in front of it or without: the slot and what sits in it.
fn slot(line: &str) -> Option<(&str, &str)> {
    let (slot, rest) = line.trim_ascii_end().split_once(' ')?;
    let (bus, function) = slot.rsplit_once('.')?;
    let hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (bus.contains(':')
        && bus.split(':').all(hex)
        && function.len() == 1
        && hex(function)
        && rest.contains(':'))
    .then_some((slot, rest))
}

fn network_card(line: &str) -> Option<(&str, &str)> {
    slot(line).filter(|(_, what)| {
        what.starts_with("Ethernet controller")
            || what.starts_with("Infiniband controller")
            || what.starts_with("Network controller")
    })
}

/// `Speed 16GT/s (downgraded), Width x8 (ok)`: transfers per second, 10^9, and lanes.
fn speed_and_width(text: &str) -> Option<(f64, u32)> {
    let (_, rest) = text.split_once("Speed ")?;
    let (speed, _) = rest.split_once("GT/s")?;
    let (_, rest) = rest.split_once("Width x")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let lanes: u32 = rest.get(..digits)?.parse().ok()?;
    let speed: f64 = speed.parse().ok()?;
    ((0.1..1000.0).contains(&speed) && (1..=32).contains(&lanes)).then_some((speed, lanes))
}

/// A card, as its lines come.
struct Card<'a> {
    slot: &'a str,
    what: &'a str,
    lines: (u64, u64),
    links: Given<String>,
    driver: Option<&'a str>,
    /// Lines of another card stand among these.
    mixed: bool,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut card: Option<Card> = None;
    let mut understood = false;
    for (number, line) in block.numbered() {
        if let Some((slot, what)) = slot(line) {
            understood = true;
            close(card.take(), block, context, findings);
            card = network_card(line).map(|_| Card {
                slot,
                what,
                lines: (number, number),
                links: Given::default(),
                driver: None,
                mixed: false,
            });
        } else if line.trim_ascii().is_empty() {
            close(card.take(), block, context, findings);
        } else if let Some(card) = card.as_mut() {
            card.take(findings, number, line.trim_ascii());
        } else if !understood && number != block.first_line {
            findings.unread(number, line);
        }
    }
    let empty = card.is_none();
    close(card, block, context, findings);
    if empty && understood {
        findings.nothing_to_say();
    }
}

impl<'a> Card<'a> {
    fn take(&mut self, findings: &mut Findings, number: u64, line: &'a str) {
        self.lines.1 = number;
        let (key, rest) = line.split_once(':').unwrap_or(("", line));
        match key {
            "LnkCap" | "LnkSta" => match speed_and_width(rest) {
                Some((speed, lanes)) => self.links.put(findings, number, key, format!("{speed} {lanes}")),
                None => findings.unread(number, line),
            },
            "NUMA node" => self
                .links
                .put(findings, number, key, rest.trim_ascii().to_owned()),
            "Kernel driver in use" => {
                self.mixed |= self.driver.is_some_and(|known| known != rest.trim_ascii());
                self.driver = Some(rest.trim_ascii());
            }
            _ => {
                // Registers and their settings: all have signs in them, `MaxPayload 256 bytes`, or a colon.
                if !line.contains([':', '+', '-', '=', '<', ',']) && !line.starts_with("MaxPayload") {
                    findings.unread(number, line);
                }
            }
        }
    }
}

fn close(card: Option<Card<'_>>, block: &Block, context: &Context, findings: &mut Findings) {
    let Some(mut card) = card.filter(|card| !card.mixed) else {
        return;
    };
    let mut link = |key: &str| {
        let text = card.links.take(key)?;
        let (speed, lanes) = text.split_once(' ')?;
        Some((speed.parse().ok()?, lanes.parse().ok()?))
    };
    let capable: Option<(f64, u32)> = link("LnkCap");
    let used: Option<(f64, u32)> = link("LnkSta");
    if capable.is_none() && used.is_none() {
        return findings.nothing_to_say();
    }
    let node = card
        .links
        .take("NUMA node")
        .filter(|node| node.parse::<u32>().is_ok());
    let facts = HostFacts {
        interface: Some(Interface {
            driver: card.driver.map(str::to_owned),
            pcie: Some(PcieLink {
                capable_gtps: capable.map(|(speed, _)| speed),
                capable_lanes: capable.map(|(_, lanes)| lanes),
                gtps: used.map(|(speed, _)| speed),
                lanes: used.map(|(_, lanes)| lanes),
            }),
            other: [
                ("pci.slot".to_owned(), card.slot.to_owned()),
                ("pci.card".to_owned(), card.what.to_owned()),
            ]
            .into_iter()
            .chain(node.map(|node| ("pci.numa-node".to_owned(), node)))
            .collect(),
            ..Interface::default()
        }),
        ..facts(block)
    };
    findings.record_of(card.lines, "lspci", context.at, Payload::HostFacts(facts));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_and_links() {
        assert!(network_card("41:00.0 Ethernet controller: Example (rev 01)").is_some());
        assert!(
            slot("0000:41:00.0 VGA compatible controller: x").is_some()
                && slot("11:20.3 is a time").is_none()
        );
        assert_eq!(
            speed_and_width("\tSpeed 8GT/s (downgraded), Width x4 (downgraded)"),
            Some((8.0, 4))
        );
        assert_eq!(
            speed_and_width(" Port #0, Speed 16GT/s, Width x16, ASPM not supported"),
            Some((16.0, 16))
        );
        assert_eq!(speed_and_width(" Speed unknown, Width x0"), None);
    }
}

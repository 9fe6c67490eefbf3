//! VPP `show interface`: a row for each interface, with its first counter, and one for each further counter, which names none.
//!
//! Counters that are zero are not printed, and those that are keep an order: one out of it is of an interface whose row is missing.

use super::gathered::{About, Gathered, Said};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use evidence::CounterKind;

pub(crate) static FORMAT: Format = Format {
    name: "VPP interfaces",
    group: Group::Interfaces,
    reads: "VPP `show interface`: packets, bytes, drops, errors",
    first: "A-Za-z",
    has_command: false,
    marks: Some(|| Marks::of(["Idx", FOUR_MTUS])),
    starts: |line| is_heading(line) || is_telling(line),
    continues: |_, line| is_heading(line) || row(line).is_some(),
    takes_in: None,
    read,
};

/// Of the four MTUs that VPP has, three are seldom set.
const FOUR_MTUS: &str = "/0/0/0 ";

/// A row that no other tool prints, be the heading above it cut off.
fn is_telling(line: &str) -> bool {
    line.contains(FOUR_MTUS) && row(line).is_some_and(|row| row.of.is_some() && row.counter.is_some())
}

/// What counters mean, sorted. What is dropped may have come or be about to go.
const WORDS: &[(&str, CounterKind)] = &[
    ("rx bytes", CounterKind::InputBytes),
    ("rx packets", CounterKind::InputPackets),
    ("rx-error", CounterKind::InputErrors),
    ("tx bytes", CounterKind::OutputBytes),
    ("tx packets", CounterKind::OutputPackets),
    ("tx-error", CounterKind::OutputErrors),
];

/// Counters as they follow each other.
const ORDER: [&str; 25] = [
    "rx packets",
    "rx bytes",
    "rx-unicast packets",
    "rx-unicast bytes",
    "rx-multicast packets",
    "rx-multicast bytes",
    "rx-broadcast packets",
    "rx-broadcast bytes",
    "tx packets",
    "tx bytes",
    "tx-unicast packets",
    "tx-unicast bytes",
    "tx-multicast packets",
    "tx-multicast bytes",
    "tx-broadcast packets",
    "tx-broadcast bytes",
    "drops",
    "punt",
    "ip4",
    "ip6",
    "rx-no-buf",
    "rx-miss",
    "rx-error",
    "tx-error",
    "mpls",
];

/// `Name   Idx   State   MTU (L3/IP4/IP6/MPLS)   Counter   Count`; old ones have no MTU.
pub(super) fn is_heading(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let begins = ["Name", "Idx", "State"]
        .iter()
        .all(|word| words.next() == Some(word));
    begins && line.trim_ascii_end().ends_with(" Count")
}

/// A row: the name of an interface, whether it is up, and its MTU, where it has them; a counter by its place in the order.
struct Row<'t> {
    of: Option<(&'t str, bool, Option<u64>)>,
    counter: Option<(usize, u64)>,
}

fn row(line: &str) -> Option<Row<'_>> {
    let mut words = line.split_ascii_whitespace();
    let (name, index, state) = (words.next()?, words.next()?, words.next());
    let is_up = match state {
        Some("up") => true,
        Some("down") => false,
        _ if line.starts_with(' ') => {
            let counter = Some(counter(line)?);
            return Some(Row { of: None, counter });
        }
        _ => return None,
    };
    index.parse::<u32>().ok()?;
    let mtu = words.clone().next().filter(|word| word.contains('/'));
    if mtu.is_some() {
        words.next();
    }
    let mtu = mtu.and_then(|mtu| mtu.split('/').next()?.parse().ok());
    let counter = match words.next() {
        Some(word) => Some(counter(line.get(crate::text::begin_of(word, line)..)?)?),
        None => None,
    };
    let of = Some((name, is_up, mtu.filter(|mtu| *mtu > 0)));
    Some(Row { of, counter })
}

fn counter(text: &str) -> Option<(usize, u64)> {
    let (name, count) = text.trim_ascii().rsplit_once(' ')?;
    let place = ORDER.iter().position(|known| *known == name.trim_ascii_end())?;
    Some((place, count.parse().ok()?))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut gathered = Gathered::default();
    let mut group = Counters::default();
    for (number, line) in block.numbered() {
        let Some(Row { of, counter }) = row(line) else {
            std::mem::take(&mut group).tell(&mut gathered, findings);
            gathered.head(line);
            continue;
        };
        if let Some((name, is_up, mtu)) = of {
            std::mem::take(&mut group).tell(&mut gathered, findings);
            group.name = name;
            // That somebody set it up does not say that its link is.
            if !is_up {
                gathered.say(findings, number, name, About::Up, Said::Flag(false));
            }
            if let Some(mtu) = mtu {
                gathered.say(findings, number, name, About::Mtu, Said::Count(mtu));
            }
        }
        if let Some((place, count)) = counter {
            group.is_whole &= !(of.is_none() && group.counters.is_empty());
            group.counters.push((number, place, count));
        }
    }
    group.tell(&mut gathered, findings);
    gathered.record(WORDS, &device(block, context), "VPP interface", context, findings);
}

/// What stands between two rows with a name.
struct Counters<'t> {
    name: &'t str,
    /// The first counter stands in the row of its interface.
    is_whole: bool,
    counters: Vec<(u64, usize, u64)>,
}

impl Default for Counters<'_> {
    fn default() -> Self {
        Self {
            name: "",
            is_whole: true,
            counters: Vec::new(),
        }
    }
}

impl Counters<'_> {
    /// Adds what the interface counted, where it stands in its order: bytes right behind their packets.
    fn tell(self, gathered: &mut Gathered, findings: &mut Findings) {
        let mut before = None;
        let is_ordered = self.counters.iter().all(|(_, place, _)| {
            let is_of_bytes = ORDER[*place].ends_with(" bytes");
            let fits = match before {
                Some(before) => before < *place && (before + 1 == *place || !is_of_bytes),
                None => !is_of_bytes,
            };
            before = Some(*place);
            fits
        });
        if let Some((first, ..)) = self.counters.first().filter(|_| !is_ordered || !self.is_whole) {
            let why = "counters out of their order, as if the row of an interface were missing: none is used";
            return findings.complain(*first, why);
        }
        for (number, place, count) in self.counters {
            let about = About::Counter(ORDER[place].to_owned());
            gathered.say(findings, number, self.name, about, Said::Count(count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found() {
        assert!(WORDS.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(WORDS.iter().all(|(word, _)| ORDER.contains(word)));
    }
}

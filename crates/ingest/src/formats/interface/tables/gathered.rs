//! What the tables of one output say of each interface, put together by its name.
//!
//! An output has several tables with the same interfaces. Where a table is printed once more, with an interface that it had
//! before, another output begins, of a later time or of another device: each interface gets a record of each, and whose the second one is
//! is not known. A figure that stands twice below one heading with
//! different values is of two interfaces: neither is used.

use crate::Context;
use crate::findings::Findings;
use crate::formats::interface::counted::count_as;
use evidence::{CounterKind, InterfaceCounters, Node, Optics, Payload, RateBps};
use std::collections::BTreeMap;

/// What a cell says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    Count(u64),
    Number(f64),
    Text(String),
    Flag(bool),
}

/// What a cell is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// A counter, by its heading.
    Counter(String),
    /// A counter of which the heading tells what it means.
    Kind(CounterKind),
    Up,
    Duplex,
    /// bit/s.
    Speed,
    /// Bytes.
    Mtu,
    Description,
    /// Traffic: which of `load`'s fields.
    Load(Traffic),
    /// Light received in a lane, dBm.
    Received(u32),
    /// Light sent.
    Sent(u32),
    Temperature,
    ReceivedLowWarning,
    /// An alarm that is raised.
    Alarm(String),
    /// What has no field of its own, by its heading.
    Setting(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Traffic {
    OverS,
    InBps,
    InPps,
    OutBps,
    OutPps,
}

#[derive(Debug, Default)]
struct Entry {
    name: String,
    lines: (u64, u64),
    /// `None` where it was contradicted, and below which heading it stands.
    said: BTreeMap<About, (Option<Said>, Below)>,
}

/// A heading, by its place among those that differ, and how many times it was printed before.
#[derive(Debug, Default, Clone, Copy)]
struct Below {
    heading: usize,
    before: usize,
}

/// Every interface, in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// Outputs that are over.
    outputs: Vec<Vec<Entry>>,
    entries: Vec<Entry>,
    places: BTreeMap<String, usize>,
    /// Every heading: its place among those that differ, and how many times it was printed.
    headings: BTreeMap<String, (usize, usize)>,
    below: Below,
}

impl Gathered {
    /// Notes that what comes stands below this heading.
    pub(super) fn head(&mut self, heading: &str) {
        let words: Vec<&str> = heading.split_ascii_whitespace().collect();
        let next = self.headings.len();
        let (place, count) = self.headings.entry(words.join(" ")).or_insert((next, 0));
        self.below = Below {
            heading: *place,
            before: *count,
        };
        *count += 1;
    }

    /// Whether this was said of the interface below the same heading when that was printed before.
    fn is_said_before(&self, name: &str, about: &About) -> bool {
        let entry = self.places.get(name).and_then(|place| self.entries.get(*place));
        let below = entry
            .and_then(|entry| entry.said.get(about))
            .map(|(_, below)| below);
        below.is_some_and(|below| below.heading == self.below.heading && below.before < self.below.before)
    }

    /// Notes what a line says of an interface.
    pub(super) fn say(&mut self, findings: &mut Findings, number: u64, name: &str, about: About, said: Said) {
        if self.is_said_before(name, &about) {
            self.outputs.push(std::mem::take(&mut self.entries));
            self.places.clear();
        }
        let place = *self.places.entry(name.to_owned()).or_insert(self.entries.len());
        if place == self.entries.len() {
            self.entries.push(Entry {
                name: name.to_owned(),
                lines: (number, number),
                said: BTreeMap::new(),
            });
        }
        let Some(entry) = self.entries.get_mut(place) else {
            return;
        };
        entry.lines = (entry.lines.0.min(number), entry.lines.1.max(number));
        match entry.said.get_mut(&about) {
            None => {
                entry.said.insert(about, (Some(said), self.below));
            }
            Some((before, _)) if before.as_ref() == Some(&said) => {}
            Some((before, _)) => {
                *before = None;
                findings.complain(
                    number,
                    format!("{name} has two figures of {}: neither is used", about.called()),
                );
            }
        }
    }

    /// Whether anything was said.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The interface that all was said of, below two headings: of one alone the row of another may be lost.
    pub(super) fn only(&self) -> Option<&str> {
        let [entry] = &self.entries[..] else { return None };
        let mut headings = entry.said.values().map(|(_, below)| below.heading);
        let first = headings.next();
        let is_only = self.outputs.is_empty() && headings.any(|other| Some(other) != first);
        is_only.then_some(&entry.name)
    }

    /// Adds a record for each interface. `words`, sorted, has what counters of this output mean.
    pub(super) fn record(
        self,
        words: &[(&str, CounterKind)],
        device: &Node,
        tool: &str,
        context: &Context,
        findings: &mut Findings,
    ) {
        let mut outputs = self.outputs;
        outputs.push(self.entries);
        let mut device = device.clone();
        for (place, entries) in outputs.into_iter().enumerate() {
            let first = entries
                .iter()
                .map(|entry| entry.lines.0)
                .min()
                .unwrap_or_default();
            if place > 0 && !findings.lose_place(first) {
                return findings.complain(
                    first,
                    "the same table once more, of which device is not known: it is not used",
                );
            }
            if place > 0 {
                device = context.from_or(Node::default());
            }
            for entry in entries {
                let lines = entry.lines;
                let mut interface = entry.read(words);
                interface.device = device.clone();
                findings.record_of(lines, tool, context.at, Payload::InterfaceCounters(interface));
            }
        }
    }
}

impl About {
    fn called(&self) -> String {
        match self {
            Self::Counter(name) => name.clone(),
            other => format!("{other:?}").to_lowercase(),
        }
    }
}

impl Entry {
    fn read(self, words: &[(&str, CounterKind)]) -> InterfaceCounters {
        let mut interface = InterfaceCounters {
            interface: self.name,
            ..InterfaceCounters::default()
        };
        for (about, (said, _)) in self.said {
            if let Some(said) = said {
                put(&mut interface, words, about, said);
            }
        }
        // All packets are those to one, to a group and to all, where each of them is told.
        for (way, kind) in [
            ("In", CounterKind::InputPackets),
            ("Out", CounterKind::OutputPackets),
        ] {
            let part = |cast: &str| interface.other.get(&format!("{way}{cast}Pkts")).copied();
            let sum = || {
                part("Ucast")?
                    .checked_add(part("Mcast")?)?
                    .checked_add(part("Bcast")?)
            };
            if let Some(sum) = sum() {
                count_as(&mut interface, kind, sum);
            }
        }
        interface
    }
}

fn put(interface: &mut InterfaceCounters, words: &[(&str, CounterKind)], about: About, said: Said) {
    match (about, said) {
        (About::Counter(name), Said::Count(value)) => {
            match words.binary_search_by(|(word, _)| (*word).cmp(&name)) {
                Ok(place) => {
                    if let Some((_, kind)) = words.get(place) {
                        count_as(interface, *kind, value);
                    }
                }
                Err(_) => {
                    interface.other.insert(name, value);
                }
            }
        }
        (About::Kind(kind), Said::Count(value)) => count_as(interface, kind, value),
        (About::Up, Said::Flag(up)) => interface.up = Some(up),
        (About::Duplex, Said::Text(duplex)) => interface.duplex = Some(duplex),
        (About::Description, Said::Text(text)) => interface.description = Some(text),
        (About::Speed, Said::Number(bps)) => interface.bandwidth_bps = Some(RateBps(bps)),
        (About::Mtu, Said::Count(mtu)) => interface.mtu_bytes = mtu.try_into().ok().filter(|mtu| *mtu > 0),
        (About::Setting(name), Said::Text(text)) => {
            interface.settings.insert(name, text);
        }
        (About::Load(which), said) => put_load(interface, which, &said),
        (about, said) => put_optics(interface.optics.get_or_insert_default(), about, said),
    }
}

fn put_load(interface: &mut InterfaceCounters, which: Traffic, said: &Said) {
    let load = interface.load.get_or_insert_default();
    match (which, said) {
        (Traffic::OverS, Said::Count(seconds)) => load.over_s = Some(*seconds),
        (Traffic::InBps, Said::Number(bps)) => load.input_bps = Some(RateBps(*bps)),
        (Traffic::InPps, Said::Number(pps)) => load.input_pps = Some(*pps),
        (Traffic::OutBps, Said::Number(bps)) => load.output_bps = Some(RateBps(*bps)),
        (Traffic::OutPps, Said::Number(pps)) => load.output_pps = Some(*pps),
        _ => {}
    }
}

fn put_optics(optics: &mut Optics, about: About, said: Said) {
    match (about, said) {
        // Lanes come in their order, as the keys are sorted.
        (About::Received(_), Said::Number(dbm)) => optics.received_dbm.push(dbm),
        (About::Sent(_), Said::Number(dbm)) => optics.sent_dbm.push(dbm),
        (About::Temperature, Said::Number(celsius)) => optics.temperature_c = Some(celsius),
        (About::ReceivedLowWarning, Said::Number(dbm)) => optics.received_low_warning_dbm = Some(dbm),
        (About::Alarm(name), Said::Flag(true)) => optics.alarms.push(name),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_table_that_is_printed_once_more_the_device_is_not_known() {
        let table =
            |crc| format!("Port   FCS  Align  Symbol\nEt1    {crc}    0      0\nEt2    0    0      0\n");
        let text = format!(
            "sw4#show interfaces counters errors\n{}\n{}",
            table(41),
            table(58)
        );
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, []);
        let read = records.iter().map(|record| match &record.payload {
            Payload::InterfaceCounters(read) => (
                read.device.name.as_deref(),
                record.place.name.as_deref(),
                read.counters.get(&CounterKind::InputCrc).copied(),
            ),
            other => panic!("{other:?}"),
        });
        let named = (Some("sw4"), Some("sw4"));
        assert_eq!(
            read.collect::<Vec<_>>(),
            [
                (named.0, named.1, Some(41)),
                (named.0, named.1, Some(0)),
                (None, None, Some(58)),
                (None, None, Some(0))
            ]
        );
        let told = Context {
            from: Node::named("sw5"),
            ..Context::default()
        };
        let (records, _) = crate::import(table(3).repeat(2).as_bytes(), &told);
        assert_eq!(records.len(), 4);
        assert!(format!("{:?}", records.last()).contains("sw5"));
    }
}

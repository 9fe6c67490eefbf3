//! What the tables of one output say of each interface, put together by its name.
//!
//! An output has several tables with the same interfaces. A figure that stands twice under the same heading with different
//! values is of two interfaces or of two outputs: neither is used.

use crate::Context;
use crate::block::Findings;
use crate::formats::interface::counted::count_as;
use evidence::{CounterKind, InterfaceCounters, InterfaceLoad, Node, Optics, Payload, RateBps};
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
    /// `None` where it was contradicted.
    said: BTreeMap<About, Option<Said>>,
}

/// Every interface, in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    entries: Vec<Entry>,
    places: BTreeMap<String, usize>,
}

impl Gathered {
    /// Notes what a line says of an interface.
    pub(super) fn say(&mut self, findings: &mut Findings, number: u64, name: &str, about: About, said: Said) {
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
                entry.said.insert(about, Some(said));
            }
            Some(before) if before.as_ref() == Some(&said) => {}
            Some(before) => {
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

    /// Adds a record for each interface. `words`, sorted, has what counters of this output mean.
    pub(super) fn record(
        self,
        words: &[(&str, CounterKind)],
        device: &Node,
        tool: &str,
        context: &Context,
        findings: &mut Findings,
    ) {
        for entry in self.entries {
            let lines = entry.lines;
            let mut interface = entry.read(words);
            interface.device = device.clone();
            findings.record_of(lines, tool, context.at, Payload::InterfaceCounters(interface));
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
        for (about, said) in self.said {
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
        (About::Up, Said::Flag(up)) => interface.up = Some(up),
        (About::Duplex, Said::Text(duplex)) => interface.duplex = Some(duplex),
        (About::Description, Said::Text(text)) => interface.description = Some(text),
        (About::Speed, Said::Number(bps)) => interface.bandwidth_bps = Some(RateBps(bps)),
        (About::Mtu, Said::Count(mtu)) => interface.mtu_bytes = mtu.try_into().ok().filter(|mtu| *mtu > 0),
        (About::Load(which), said) => put_load(interface, which, &said),
        (about, said) => put_optics(interface.optics.get_or_insert_default(), about, said),
    }
}

fn put_load(interface: &mut InterfaceCounters, which: Traffic, said: &Said) {
    let load = interface.load.get_or_insert(InterfaceLoad {
        over_s: None,
        input_bps: None,
        input_pps: None,
        output_bps: None,
        output_pps: None,
    });
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

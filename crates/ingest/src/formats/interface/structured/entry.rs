//! One interface of a document: its leaves, one after another, and the record that they give.

use super::schema::Schema;
use super::tree::{Tree, local};
use super::value::{count, duplex, is_absent, is_up, positive, speed_bps};
use super::words::{Means, meaning, plain};
use crate::findings::Findings;
use crate::formats::interface::counted::count_as;
use evidence::{CounterKind, InterfaceCounters, Node, RateBps};
use std::collections::BTreeMap;

/// Elements of one interface stand no deeper.
const DEEPEST: usize = 8;
const PART_NAMES: [&str; 6] = [
    "InUcastPkts",
    "InMulticastPkts",
    "InBroadcastPkts",
    "OutUcastPkts",
    "OutMulticastPkts",
    "OutBroadcastPkts",
];

/// What was read of an interface.
pub(super) struct Entry<'s> {
    schema: &'s Schema,
    pub(super) interface: InterfaceCounters,
    lines: (u64, u64),
    parts: [Option<u64>; 6],
    /// The figures of counters, by their names: one that comes twice with different ones is not used.
    seen: BTreeMap<String, (Option<CounterKind>, Option<u64>)>,
    said: bool,
    /// A leaf of it has a meaning, whether or not it has a value.
    known: bool,
}

/// Whether an element below is an interface of this kind itself. Of those that have a name it must have one.
fn is_another(schema: &Schema, tree: Tree<'_>) -> bool {
    let names = tree.names();
    schema.has.iter().all(|paths| super::has(tree, names, paths))
        && (schema.names.is_empty() || schema.names.iter().any(|name| super::has(tree, names, name)))
}

impl<'s> Entry<'s> {
    pub(super) fn read(
        schema: &'s Schema,
        name: &str,
        tree: Tree<'_>,
        lines: (u64, u64),
        findings: &mut Findings,
    ) -> Option<Self> {
        let mut entry = Self {
            schema,
            interface: InterfaceCounters {
                interface: name.to_owned(),
                ..InterfaceCounters::default()
            },
            lines: tree.lines().unwrap_or(lines),
            parts: [None; 6],
            seen: BTreeMap::new(),
            said: false,
            known: false,
        };
        entry.visit(tree, "", false, 0, findings);
        entry.finish();
        entry.known |= entry.said;
        if !entry.known {
            findings.complain_of(entry.lines, format!("nothing understood of {name}"));
        }
        findings.is_understood |= entry.known;
        entry.said.then_some(entry)
    }

    fn visit(&mut self, tree: Tree<'_>, above: &str, counts: bool, depth: usize, findings: &mut Findings) {
        if depth > DEEPEST {
            return;
        }
        let above = plain(above);
        tree.each(&mut |name, child| {
            let name = local(name);
            if self.schema.skip.contains(&name) {
                return self.apart(name, child, findings);
            }
            match child.leaf() {
                Some(value) => self.leaf(child, &above, name, &value, counts, findings),
                // Another interface of the same kind has its own figures.
                None if is_another(self.schema, child) => {}
                None => {
                    let counts = counts || self.schema.counters.contains(&plain(name).as_str());
                    self.visit(child, name, counts, depth + 1, findings);
                }
            }
        });
    }

    /// What is told of an element that is not looked into.
    fn apart(&mut self, element: &str, tree: Tree<'_>, findings: &mut Findings) {
        let Some(tell) = self.schema.apart else {
            return;
        };
        let lines = tree.lines().unwrap_or(self.lines);
        tell(element, tree, &mut |name, value| {
            if self.count(&name, None, value).is_none() {
                let interface = &self.interface.interface;
                findings.complain_of(lines, format!("not understood: {name} of {interface}: {value}"));
            }
        });
    }

    fn leaf(
        &mut self,
        tree: Tree<'_>,
        above: &str,
        name: &str,
        value: &str,
        counts: bool,
        findings: &mut Findings,
    ) {
        if self.schema.names.contains(&name) {
            return;
        }
        let lines = tree.lines().unwrap_or(self.lines);
        let known = plain(name);
        let means = meaning(self.schema.words, above, &known);
        self.known |= means.is_some();
        if is_absent(value, self.schema.absent) {
            return;
        }
        if value.contains('\n') {
            return findings.complain_of(lines, format!("several lines in {name}: not used"));
        }
        let is_rate = || known.contains("rate") || known.contains("interval");
        let prefixes = self.schema.prefixes;
        let has_prefix = || prefixes.iter().any(|prefix| known.starts_with(prefix));
        let kept = || counts || has_prefix() && !is_rate();
        let understood = match means {
            Some(Means::Count(kind)) => self.count(name, Some(kind), value),
            Some(Means::Part(place)) => self.part(place, value),
            Some(means) => self.state(means, value),
            // A name, a time or a rate stands among counters too.
            None if kept() => {
                if count(value).is_some() && !value.contains('.') {
                    self.count(name, None, value)
                } else {
                    Some(())
                }
            }
            None => Some(()),
        };
        if understood.is_none() {
            let interface = &self.interface.interface;
            findings.complain_of(lines, format!("not understood: {name} of {interface}: {value}"));
        }
    }

    /// `None` for what is no count, or not the one that stands there already.
    fn count(&mut self, name: &str, kind: Option<CounterKind>, value: &str) -> Option<()> {
        let counted = count(value)?;
        self.said = true;
        let Some(before) = self.seen.get_mut(name) else {
            self.seen.insert(name.to_owned(), (kind, Some(counted)));
            return Some(());
        };
        if before.1 != Some(counted) {
            before.1 = None;
            return None;
        }
        Some(())
    }

    fn part(&mut self, place: usize, value: &str) -> Option<()> {
        let counted = count(value)?;
        let part = self.parts.get_mut(place)?;
        self.said = true;
        // Of a narrow counter and a wide one the wide one is larger.
        *part = Some(part.map_or(counted, |before| before.max(counted)));
        Some(())
    }

    fn state(&mut self, means: Means, value: &str) -> Option<()> {
        let interface = &mut self.interface;
        match means {
            Means::Description => interface.description = Some(value.to_owned()),
            Means::Up => interface.up = is_up(value).or(interface.up),
            Means::Mtu => {
                let mtu = count(value.split(' ').next()?);
                // Junos: `Unlimited`.
                self.said = true;
                let before = interface.mtu_bytes.take();
                interface.mtu_bytes = mtu.and_then(|mtu| u32::try_from(mtu).ok()).filter(|mtu| *mtu > 0);
                if before.is_some() && before != interface.mtu_bytes {
                    interface.mtu_bytes = None;
                    return None;
                }
                return Some(())
                    .filter(|()| mtu.is_some() || !value.bytes().any(|byte| byte.is_ascii_digit()));
            }
            Means::Speed(unit) => {
                let speed = positive(value)?;
                if speed > 0.0
                    && interface
                        .bandwidth_bps
                        .is_none_or(|before| before.0 < speed * unit)
                {
                    interface.bandwidth_bps = Some(RateBps(speed * unit));
                }
            }
            Means::SpeedText => {
                if let Some(speed) = speed_bps(value) {
                    interface.bandwidth_bps = Some(RateBps(speed));
                }
            }
            Means::SpeedOrMbit => {
                let bare = || positive(value.strip_prefix("a-").unwrap_or(value)).map(|speed| speed * 1e6);
                let speed = speed_bps(value).or_else(bare).filter(|speed| *speed > 0.0)?;
                interface.bandwidth_bps = Some(RateBps(speed));
            }
            Means::SpeedAndDuplex => {
                let mbit = value.trim_end_matches(['F', 'H']);
                // Without a link it is -1.
                let speed: f64 = mbit.parse().ok()?;
                interface.bandwidth_bps = (speed > 0.0).then_some(RateBps(speed * 1e6));
                interface.duplex = match value.get(mbit.len()..) {
                    Some("F") => Some("full".to_owned()),
                    Some("H") => Some("half".to_owned()),
                    _ => interface.duplex.take(),
                };
            }
            Means::Duplex => interface.duplex = duplex(value).map(str::to_owned),
            Means::Device => interface.device = Node::read(value),
            Means::Nothing => return Some(()),
            Means::InBps(_) | Means::InPps | Means::OutBps(_) | Means::OutPps | Means::OverS => {
                return self.load(means, value);
            }
            _ => return self.light(means, value),
        }
        self.said |= !matches!(means, Means::Device | Means::Description);
        Some(())
    }

    fn load(&mut self, means: Means, value: &str) -> Option<()> {
        // `299851 bits/sec` and other words behind the figure.
        let figure = positive(value.split(' ').next()?)?;
        let load = self.interface.load.get_or_insert_default();
        match means {
            Means::InBps(unit) => load.input_bps = Some(RateBps(figure * unit)),
            Means::OutBps(unit) => load.output_bps = Some(RateBps(figure * unit)),
            Means::InPps => load.input_pps = Some(figure),
            Means::OutPps => load.output_pps = Some(figure),
            _ => load.over_s = count(value).filter(|seconds| *seconds > 0),
        }
        self.said = true;
        Some(())
    }

    /// Light in dBm, no more than modules send or bear; a temperature.
    fn light(&mut self, means: Means, value: &str) -> Option<()> {
        // Junos: `31 degrees C / 88 degrees F`.
        let value = value.split(" degrees C").next().unwrap_or(value);
        let figure: f64 = value.trim_end_matches(" dBm").parse().ok()?;
        let limits = if means == Means::Celsius {
            -60.0..=150.0
        } else {
            -60.0..=30.0
        };
        if !limits.contains(&figure) {
            return None;
        }
        let optics = self.interface.optics.get_or_insert_default();
        match means {
            Means::Received => optics.received_dbm.push(figure),
            Means::Sent => optics.sent_dbm.push(figure),
            Means::Celsius => optics.temperature_c = Some(figure),
            _ => optics.received_low_warning_dbm = Some(figure),
        }
        self.said = true;
        Some(())
    }

    fn finish(&mut self) {
        for (name, (kind, counted)) in &self.seen {
            match (kind, counted) {
                (Some(kind), Some(counted)) => count_as(&mut self.interface, *kind, *counted),
                (None, Some(counted)) => {
                    self.interface.other.insert(name.clone(), *counted);
                }
                _ => {}
            }
        }
        for (place, part) in self.parts.iter().enumerate() {
            if let (Some(name), Some(part)) = (PART_NAMES.get(place), part) {
                self.interface.other.insert((*name).to_owned(), *part);
            }
        }
        let [one_in, group_in, all_in, one_out, group_out, all_out] = self.parts;
        for (kind, parts) in [
            (CounterKind::InputPackets, [one_in, group_in, all_in]),
            (CounterKind::OutputPackets, [one_out, group_out, all_out]),
        ] {
            let sum = parts
                .iter()
                .try_fold(0_u64, |sum, part| sum.checked_add((*part)?));
            if let Some(sum) = sum {
                self.interface.counters.entry(kind).or_insert(sum);
            }
        }
    }

    pub(super) fn lines(&self) -> (u64, u64) {
        self.lines
    }
}

//! What a walk or a table says of each interface of a device, gathered by index, and the records that it gives.

use super::line::{choice, count, described, is_absent, spelled, text, ticks};
use super::objects::{Cast, Means, Object, Way};
use crate::Context;
use crate::findings::Findings;
use evidence::{CounterKind, HostFacts, InterfaceCounters, Node, Payload, RateBps};
use std::collections::{BTreeMap, BTreeSet};

/// Above it RFC 2863 has `ifSpeed` say all ones, and only `ifHighSpeed` tells.
const FITS_IN_SPEED: u64 = 4_294_967_295;

/// From here on names stand in the place of an agent's index, where nobody kept it: a number for each.
pub(super) const FIRST_NAMED: u64 = 1 << 40;

/// One interface: an object is there once.
#[derive(Debug, Default)]
struct Row<'a> {
    lines: (u64, u64),
    /// In the order of their names.
    values: Vec<Value<'a>>,
}

/// The value of an object, and the count that it is, if it is one: several ask for it.
#[derive(Debug)]
struct Value<'a> {
    object: &'static Object,
    text: &'a str,
    count: Option<u64>,
}

/// One answer of one device.
#[derive(Debug, Default)]
pub(super) struct Device<'a> {
    /// Whom the command asked.
    pub(super) asked: Option<&'a str>,
    name: Option<&'a str>,
    up_time: Option<u64>,
    rows: BTreeMap<u64, Row<'a>>,
    protocols: BTreeMap<&'static str, (u64, u64)>,
    /// The first of the protocols' lines, and the last.
    protocol_lines: Option<(u64, u64)>,
    /// Objects that were read before, whatever they mean.
    scalars: BTreeMap<&'static str, &'a str>,
    /// Names of earlier answers of the same device, by index: name, description.
    known: BTreeMap<u64, (Option<&'a str>, Option<&'a str>)>,
    /// The tables of which the text around it has wide counters.
    pub(super) wide: BTreeSet<&'static str>,
}

impl<'a> Device<'a> {
    /// Whether an answer can hold this object: no agent gives one twice, so that a second one is of another answer.
    pub(super) fn has(&self, object: &Object, index: &str) -> bool {
        match index_of(object, index) {
            Some(index) => self
                .rows
                .get(&index)
                .is_some_and(|row| row.place_of(object).is_ok()),
            None => self.scalars.contains_key(object.name),
        }
    }

    /// Takes a value. One that is not understood is complained about.
    pub(super) fn take(
        &mut self,
        findings: &mut Findings,
        number: u64,
        object: &'static Object,
        index: &str,
        value: &'a str,
    ) {
        if is_absent(value) {
            return;
        }
        let is_of_device = matches!(
            object.means,
            Means::SysName | Means::SysDescr | Means::UpTime | Means::Host(_) | Means::Nothing
        );
        if is_of_device && object.means != Means::Nothing && index != "0" {
            return;
        }
        match object.means {
            Means::Nothing | Means::SysDescr if !object.name.starts_with("if") => {
                self.scalars.insert(object.name, value);
            }
            Means::Nothing if object.name == "ifNumber" => {}
            Means::SysName => {
                self.name = text(value);
                self.scalars.insert(object.name, value);
            }
            Means::UpTime => {
                self.up_time = ticks(value);
                self.scalars.insert(object.name, value);
            }
            Means::Host(name) => {
                let Some(counted) = count(value) else {
                    return findings.complain(number, format!("no count: {} = {value}", object.name));
                };
                self.scalars.insert(object.name, value);
                self.protocols.insert(name, (number, counted));
                let lines = self.protocol_lines.get_or_insert((number, number));
                *lines = (lines.0.min(number), lines.1.max(number));
            }
            _ => self.take_row(findings, number, object, index, value),
        }
    }

    fn take_row(
        &mut self,
        findings: &mut Findings,
        number: u64,
        object: &'static Object,
        index: &str,
        value: &'a str,
    ) {
        let Some(index) = index_of(object, index) else {
            return findings.complain(number, format!("{} has no index of an interface", object.name));
        };
        let count = count(value);
        if !is_understood(object, value, count) {
            return findings.complain(
                number,
                format!("not understood: {}.{index} = {value}", object.name),
            );
        }
        let row = self.rows.entry(index).or_insert_with(|| Row {
            lines: (number, number),
            ..Row::default()
        });
        row.lines = (row.lines.0.min(number), row.lines.1.max(number));
        let value = Value {
            object,
            text: value,
            count,
        };
        match row.place_of(object) {
            Ok(known) => row.values[known] = value,
            Err(next) => row.values.insert(next, value),
        }
    }

    /// Gives up the text of an object in hexadecimal digits; whether it was there.
    pub(super) fn forget_text(&mut self, object: &Object, index: &str) -> bool {
        let is_text = matches!(object.means, Means::Name | Means::Descr | Means::Alias);
        let row = index_of(object, index).filter(|_| is_text);
        let value = row.and_then(|index| {
            let row = self.rows.get_mut(&index)?;
            let place = row.place_of(object).ok()?;
            row.values.get_mut(place)
        });
        value.is_some_and(|value| {
            value.text.starts_with("Hex-STRING:") && {
                value.text = "";
                true
            }
        })
    }

    /// The names of its interfaces, for the next answer of the same device.
    pub(super) fn names(&self) -> BTreeMap<u64, (Option<&'a str>, Option<&'a str>)> {
        let mut known = self.known.clone();
        for (index, row) in &self.rows {
            let (name, description) = (row.name(), row.alias());
            if name.is_some() || description.is_some() {
                let before = known.remove(index).unwrap_or_default();
                known.insert(*index, (name.or(before.0), description.or(before.1)));
            }
        }
        known
    }

    /// An answer of the one that a command asked.
    pub(super) fn of(asked: Option<&'a str>) -> Self {
        Self {
            asked,
            ..Self::default()
        }
    }

    /// Whether its own name is known.
    pub(super) fn is_named(&self) -> bool {
        self.name.is_some()
    }

    /// Goes on with the names of an earlier answer of the same device.
    pub(super) fn knowing(
        asked: Option<&'a str>,
        known: BTreeMap<u64, (Option<&'a str>, Option<&'a str>)>,
    ) -> Self {
        Self {
            asked,
            known,
            ..Self::default()
        }
    }

    /// Adds its records; whether there was one.
    pub(super) fn record(self, tool: &str, context: &Context, findings: &mut Findings) -> bool {
        let device = context.from_or(self.node());
        let mut said = false;
        let objects = self.rows.values().flat_map(|row| &row.values);
        let mut wide: BTreeSet<&str> = objects.filter_map(|value| value.object.is_wide()).collect();
        wide.extend(&self.wide);
        let names: BTreeMap<u64, String> = self
            .rows
            .iter()
            .filter_map(|(index, row)| self.named(*index, row))
            .collect();
        let mut bearers: BTreeMap<&str, usize> = BTreeMap::new();
        for name in names.values() {
            *bearers.entry(name).or_default() += 1;
        }
        for (index, row) in &self.rows {
            let unkept = row.unkept();
            for name in &unkept {
                let why = format!(
                    "{name} is 0 beside a narrow counter that is not: the agent does not keep it, and it is not used"
                );
                findings.complain_of(row.lines, why);
            }
            let mut interface = row.read(&wide, &unkept);
            if interface == InterfaceCounters::default() {
                continue;
            }
            let known = self.known.get(index).copied().unwrap_or_default();
            // Agents number the ports of each kind from 1, and give several adapters the name of the product.
            interface.interface = match names.get(index) {
                Some(name) if bearers.get(name.as_str()) == Some(&1) => name.clone(),
                Some(name) => format!("{name} (ifIndex {index})"),
                None => format!("ifIndex {index}"),
            };
            interface.description = row.alias().or(known.1).and_then(described);
            interface.counting_for_s = row.counting_for_s(self.up_time);
            interface.device = device.clone();
            findings.record_of(row.lines, tool, context.at, Payload::InterfaceCounters(interface));
            said = true;
        }
        if let Some(lines) = self.protocol_lines {
            let counters = self.protocols.iter();
            let facts = HostFacts {
                hostname: self.name.or(self.asked).map(str::to_owned),
                counters: counters
                    .map(|(name, (_, count))| ((*name).to_owned(), *count))
                    .collect(),
                ..HostFacts::default()
            };
            findings.record_of(lines, tool, context.at, Payload::HostFacts(facts));
            said = true;
        }
        said
    }

    /// What the interface of an index is called, here or in an answer above.
    fn named(&self, index: u64, row: &Row<'a>) -> Option<(u64, String)> {
        let known = || self.known.get(&index).and_then(|(name, _)| *name);
        Some((index, row.name().or_else(known).and_then(spelled)?))
    }

    /// Its own name, and the address that was asked.
    fn node(&self) -> Node {
        let mut node = self.asked.map(Node::read).unwrap_or_default();
        if let Some(name) = self.name {
            node.name = Some(name.to_owned());
        }
        node
    }
}

/// The index of an interface; `None` for an object of the device.
fn index_of(object: &Object, index: &str) -> Option<u64> {
    let of_interface =
        object.name.starts_with("if") && object.name != "ifNumber" || object.name.starts_with("dot3");
    index.parse().ok().filter(|_| of_interface)
}

const STATES: &[&str] = &[
    "up",
    "down",
    "testing",
    "unknown",
    "dormant",
    "notPresent",
    "lowerLayerDown",
];
const DUPLEX: &[&str] = &["unknown", "halfDuplex", "fullDuplex"];

fn is_understood(object: &Object, value: &str, count: Option<u64>) -> bool {
    match object.means {
        Means::Name | Means::Descr | Means::Alias | Means::Nothing => true,
        Means::Oper => choice(value, STATES).is_some(),
        Means::Duplex => choice(value, DUPLEX).is_some(),
        Means::Discontinuity => ticks(value).is_some(),
        _ => count.is_some(),
    }
}

impl<'a> Row<'a> {
    /// Where an object stands, or would.
    fn place_of(&self, object: &Object) -> Result<usize, usize> {
        self.values
            .binary_search_by_key(&object.place(), |value| value.object.place())
    }

    fn value(&self, name: &str) -> Option<&Value<'a>> {
        let place = self.values.binary_search_by(|value| value.object.name.cmp(name));
        self.values.get(place.ok()?)
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.value(name).map(|value| value.text)
    }

    fn count(&self, name: &str) -> Option<u64> {
        self.value(name)?.count
    }

    /// A text as the agent wrote it, if it is one.
    fn written(&self, name: &str) -> Option<&'a str> {
        self.get(name).filter(|value| spelled(value).is_some())
    }

    /// `ifName` is what the device's own commands take; `ifDescr` is a product's name on some hosts.
    fn name(&self) -> Option<&'a str> {
        self.written("ifName").or_else(|| self.written("ifDescr"))
    }

    fn alias(&self) -> Option<&'a str> {
        self.get("ifAlias").filter(|value| described(value).is_some())
    }

    /// Wide counters that an agent answers with and does not keep: what is 0 did not wrap.
    fn unkept(&self) -> Vec<&'static str> {
        let counting = self.values.iter().filter(|value| value.count > Some(0));
        let wide = counting.filter_map(|value| value.object.wide());
        let unkept = wide.filter(|(_, object)| {
            let kept = self
                .place_of(object)
                .ok()
                .and_then(|place| self.values.get(place));
            kept.is_some_and(|value| value.count == Some(0))
        });
        unkept.map(|(_, object)| object.name).collect()
    }

    /// Everything but who it is, and what is `unkept`. Where the answer has wide counters of a table (`wide`), a narrow one is not used in the
    /// place of its wide one that is missing: nobody could tell how often it wrapped.
    fn read(&self, wide: &BTreeSet<&str>, unkept: &[&str]) -> InterfaceCounters {
        let mut interface = InterfaceCounters::default();
        let mut parts = Parts::default();
        let kept = || {
            self.values
                .iter()
                .filter(|value| !unkept.contains(&value.object.name))
        };
        for Value { object, text, count } in kept() {
            let (Some(counted), means) = (*count, object.means) else {
                self.take_state(&mut interface, object, text);
                continue;
            };
            if !wide.is_empty() && object.wide().is_some_and(|(table, _)| wide.contains(table)) {
                continue;
            }
            match means {
                Means::Count(kind) => {
                    interface.counters.entry(kind).or_insert(counted);
                }
                Means::Part(way, cast) => parts.take(way, cast, counted, false),
                Means::WidePart(way, cast) => parts.take(way, cast, counted, true),
                Means::Own => {
                    interface.other.insert(object.name.to_owned(), counted);
                }
                Means::Mtu => interface.mtu_bytes = u32::try_from(counted).ok().filter(|mtu| *mtu > 0),
                _ => self.take_state(&mut interface, object, text),
            }
        }
        // The wide ones last, so that they stand.
        for value in kept() {
            if let (Means::Wide(kind), Some(counted)) = (value.object.means, value.count) {
                interface.counters.insert(kind, counted);
            }
        }
        parts.put(&mut interface);
        interface.bandwidth_bps = self.speed();
        interface
    }

    fn take_state(&self, interface: &mut InterfaceCounters, object: &Object, value: &str) {
        match object.means {
            Means::Oper => {
                interface.up = match choice(value, STATES) {
                    Some(1) => Some(true),
                    Some(2 | 5 | 6 | 7) => Some(false),
                    _ => None,
                }
            }
            Means::Duplex => {
                interface.duplex = match choice(value, DUPLEX) {
                    Some(2) => Some("half".to_owned()),
                    Some(3) => Some("full".to_owned()),
                    _ => None,
                }
            }
            _ => {}
        }
    }

    /// `ifSpeed` in bit/s; what does not fit in it is in `ifHighSpeed`, Mbit/s. Zero is "not known".
    fn speed(&self) -> Option<RateBps> {
        let high = self.count("ifHighSpeed").filter(|mbps| *mbps > 0);
        let low = self
            .count("ifSpeed")
            .filter(|bps| *bps > 0 && *bps < FITS_IN_SPEED);
        match (low, high) {
            // Some agents leave the lower 32 bits of 10 Gbit/s in `ifSpeed`.
            (_, Some(mbps)) if mbps.saturating_mul(1_000_000) >= FITS_IN_SPEED => {
                Some(RateBps(mbps as f64 * 1e6))
            }
            (Some(bps), _) => Some(RateBps(bps as f64)),
            (None, Some(mbps)) => Some(RateBps(mbps as f64 * 1e6)),
            (None, None) => None,
        }
    }

    /// Since a break in the counters that the agent names. Zero means "since the agent started", and when an agent such
    /// as Net-SNMP is restarted the counters of the system go on: then nothing is known.
    fn counting_for_s(&self, up_time: Option<u64>) -> Option<u64> {
        let value = self.get("ifCounterDiscontinuityTime")?;
        let broke = ticks(value).filter(|ticks| *ticks > 0)?;
        Some(up_time?.checked_sub(broke)? / 100)
    }
}

/// Packets by whom they go to: their sum is all packets only where every part is there.
#[derive(Debug, Default)]
struct Parts {
    /// In, out; to one, a group, all, others: narrow and wide.
    counted: [[(Option<u64>, Option<u64>); 4]; 2],
}

impl Parts {
    fn take(&mut self, way: Way, cast: Cast, counted: u64, wide: bool) {
        if let Some(part) = self
            .counted
            .get_mut(way as usize)
            .and_then(|ways| ways.get_mut(cast as usize))
        {
            if wide {
                part.1 = Some(counted);
            } else {
                part.0 = Some(counted);
            }
        }
    }

    fn put(&self, interface: &mut InterfaceCounters) {
        let ways = [
            ("In", CounterKind::InputPackets),
            ("Out", CounterKind::OutputPackets),
        ];
        for ((way, kind), [one, group, all, others]) in ways.into_iter().zip(self.counted) {
            for (cast, part) in [
                ("Ucast", one),
                ("Multicast", group),
                ("Broadcast", all),
                ("NUcast", others),
            ] {
                if let Some(counted) = part.1.or(part.0) {
                    interface.other.insert(format!("{way}{cast}Pkts"), counted);
                }
            }
            if let Some(sum) = sum(&[one, group, all]).or_else(|| sum(&[one, others])) {
                interface.counters.insert(kind, sum);
            }
        }
    }
}

/// The sum of parts that are all there. One of 32 bits may have wrapped, which shows in no sum that is larger: such a sum
/// is not used.
fn sum(parts: &[(Option<u64>, Option<u64>)]) -> Option<u64> {
    let narrow = parts.iter().any(|(_, wide)| wide.is_none());
    let total = parts
        .iter()
        .try_fold(0_u64, |sum, (narrow, wide)| sum.checked_add((*wide).or(*narrow)?))?;
    (!narrow || total < 1 << 32).then_some(total)
}

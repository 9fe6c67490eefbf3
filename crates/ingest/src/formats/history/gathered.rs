//! Figures that are of the same interface, host or path at the same time, put together. Nothing is overwritten: of what is
//! said twice, and not the same, neither stands.

use super::known::{self, Echo, Field};
use super::pinged::{Lines, Pinged};
use super::sample::Sample;
use crate::Context;
use crate::findings::Findings;
use crate::formats::host::given::Given;
use crate::formats::interface::counted::count_as;
use crate::formats::snmp;
use evidence::{HostFacts, InterfaceCounters, Node, Payload, ProbeProtocol, Probes, RateBps, Timestamp};
use std::collections::BTreeMap;

/// Whom a figure is of, and when: the target that was asked, unknown where nobody says.
type Key = (Option<String>, Option<Timestamp>);

#[derive(Debug, Default)]
struct Port {
    lines: Lines,
    fields: Given<(Field, u64)>,
    /// Words of the metric that is there for its labels.
    words: Given<String>,
}

#[derive(Debug, Default)]
struct Host {
    lines: Lines,
    counters: Given<u64>,
    /// Sums over the processors: by sum and processor.
    parts: BTreeMap<&'static str, Given<u64>>,
    words: Given<String>,
}

/// Values of objects, and the lines of each, by `OBJECT INDEX`.
#[derive(Debug, Default)]
struct Objects {
    values: Given<String>,
    lines: BTreeMap<String, (u64, u64)>,
}

impl Objects {
    fn put(&mut self, findings: &mut Findings, lines: (u64, u64), name: String, value: &str) {
        self.lines.entry(name.clone()).or_insert(lines);
        self.values.put(findings, lines.0, name, value.to_owned());
    }
}

/// What a text holds.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    ports: BTreeMap<(Key, String), Port>,
    hosts: BTreeMap<Key, Host>,
    /// Objects of MIBs.
    objects: BTreeMap<Key, Objects>,
    /// By who pinged, whom, and when.
    pinged: BTreeMap<(Option<String>, Node, Option<Timestamp>), Pinged>,
    /// A line could not be read: sums over the processors may lack a part.
    is_damaged: bool,
    /// The program that keeps interfaces, hosts and pings, as their names tell.
    tool: &'static str,
}

/// What a text holds, by the program that keeps it.
#[derive(Debug, Default)]
pub(super) struct ByTool(Vec<Gathered>);

impl ByTool {
    pub(super) fn of(&mut self, tool: &'static str) -> &mut Gathered {
        let place = self.0.iter().position(|gathered| gathered.tool == tool);
        let place = place.unwrap_or(self.0.len());
        if place == self.0.len() {
            self.0.push(Gathered {
                tool,
                ..Gathered::default()
            });
        }
        &mut self.0[place]
    }

    /// Adds the records. `is_damaged`: a line could not be read.
    pub(super) fn record(self, is_damaged: bool, context: &Context, findings: &mut Findings) {
        for mut gathered in self.0 {
            gathered.is_damaged |= is_damaged;
            gathered.record(context, findings);
        }
    }
}

impl Gathered {
    /// Takes a figure; `false` for one that says nothing of transfers. `is_counter` tells of a name that is not known whether
    /// it counts something.
    pub(super) fn take(
        &mut self,
        findings: &mut Findings,
        lines: (u64, u64),
        sample: &Sample<'_>,
        is_counter: bool,
    ) -> bool {
        let name = sample.name.as_ref();
        // Who asks many devices names each.
        let asked = || {
            sample
                .label(&["target", "routerboard_name", "source"])
                .filter(|_| known::is_of_devices(&sample.name))
        };
        let host = || asked().or_else(|| sample.instance());
        let key = || (host().map(str::to_owned), sample.at);
        let is_counter = || is_counter || name.ends_with("_total");
        if let Some((field, own)) = known::of_interface(name, is_counter) {
            self.take_field(findings, lines, sample, field, own, key());
        } else if name == "node_network_info" {
            self.take_words(findings, lines, sample, key());
        } else if snmp::is_object(name) {
            self.take_object(findings, lines, sample, key());
        } else if let Some(sum) = known::of_processor(name) {
            let host = self.hosts.entry(key()).or_default();
            host.lines.add(lines);
            match (sample.count(), sample.label(&["cpu"])) {
                (Some(count), Some(cpu)) => {
                    let parts = host.parts.entry(sum).or_default();
                    parts.put(findings, lines.0, format!("{sum} of processor {cpu}"), count);
                }
                _ => self.refuse(findings, lines, sample),
            }
        } else if let Some(counter) = known::of_host(name) {
            // Settings among them are negative for "no limit".
            if let Some(count) = sample.count() {
                let host = self.hosts.entry(key()).or_default();
                host.lines.add(lines);
                host.counters.put(findings, lines.0, counter, count);
            }
        } else if name == "node_uname_info" {
            let host = self.hosts.entry(key()).or_default();
            for label in ["nodename", "sysname", "release"] {
                if let Some(word) = sample.label(&[label]) {
                    host.words.put(findings, lines.0, label, word.to_owned());
                }
            }
            host.lines.add(lines);
        } else if let Some((echo, scale)) = known::of_echo(name, sample.label(&["type", "phase"])) {
            self.take_echo(findings, lines, sample, echo, scale);
        } else {
            return false;
        }
        true
    }

    fn refuse(&mut self, findings: &mut Findings, (line, last): (u64, u64), sample: &Sample<'_>) {
        self.is_damaged = true;
        let reason = format!("not understood: {} = {}", sample.name, sample.value);
        findings.complain_of((line, last), reason);
    }

    fn take_field(
        &mut self,
        findings: &mut Findings,
        lines: (u64, u64),
        sample: &Sample<'_>,
        field: Field,
        own: &str,
        key: Key,
    ) {
        let unknown = matches!(field, Field::Speed(_) | Field::Mtu) && sample.value <= 0.0;
        if field == Field::Nothing || unknown {
            return;
        }
        // Elsewhere a name is that of a container or a program.
        let named = || {
            sample
                .label(&["name"])
                .filter(|_| known::is_of_devices(&sample.name))
        };
        let device = sample.label(&["device", "interface", "nic"]).or_else(named);
        let (Some(device), Some(count)) = (device, sample.count()) else {
            return self.refuse(findings, lines, sample);
        };
        let port = self.ports.entry((key, device.to_owned())).or_default();
        port.lines.add(lines);
        port.fields.put(findings, lines.0, own, (field, count));
    }

    fn take_words(&mut self, findings: &mut Findings, lines: (u64, u64), sample: &Sample<'_>, key: Key) {
        let Some(device) = sample.label(&["device"]) else {
            return;
        };
        let port = self.ports.entry((key, device.to_owned())).or_default();
        port.lines.add(lines);
        for label in ["operstate", "duplex", "ifalias"] {
            if let Some(word) = sample.label(&[label]) {
                port.words.put(findings, lines.0, label, word.to_owned());
            }
        }
    }

    /// An object of a MIB: what a label of the same name says is its value where it is a text or one of several states.
    fn take_object(&mut self, findings: &mut Findings, lines: (u64, u64), sample: &Sample<'_>, key: Key) {
        let name = sample.name.as_ref();
        let word = sample.label(&[name]);
        if word.is_some() && sample.value == 0.0 {
            return;
        }
        let value = match (word, sample.count()) {
            (Some(word), _) => word.to_owned(),
            (None, Some(count)) => count.to_string(),
            (None, None) => return self.refuse(findings, lines, sample),
        };
        let index = sample
            .label(&["ifIndex", "dot3StatsIndex", "ifName", "ifDescr", "interface"])
            .unwrap_or("0");
        let objects = self.objects.entry(key).or_default();
        if let Some(word) = sample.label(&["sysName"]).filter(|_| name != "sysName") {
            objects.put(findings, lines, "sysName 0".to_owned(), word);
        }
        objects.put(findings, lines, format!("{name} {index}"), &value);
        // Where the index was not kept a name stands in its place.
        if index.parse::<u64>().is_err() && sample.label(&["ifName", "ifDescr"]).is_none() {
            objects.put(findings, lines, format!("ifName {index}"), index);
        }
        for label in ["ifName", "ifDescr", "ifAlias"] {
            if let Some(word) = sample.label(&[label]).filter(|_| index != "0" && name != label) {
                objects.put(findings, lines, format!("{label} {index}"), word);
            }
        }
    }

    fn take_echo(
        &mut self,
        findings: &mut Findings,
        lines: (u64, u64),
        sample: &Sample<'_>,
        echo: Echo,
        scale: f64,
    ) {
        // What could not be measured is NaN, or -1 as ping_exporter has it.
        if !sample.value.is_finite() || sample.value < 0.0 {
            return;
        }
        // Telegraf's `host` pings `url`; of the exporters it is the host that is pinged.
        let of_telegraf = sample.name.contains('.');
        let targets: &[&str] = if of_telegraf {
            &["url"]
        } else {
            &["target", "host", "ip", "instance"]
        };
        let mut to = sample.label(targets).map(Node::read).unwrap_or_default();
        if let Some(address) = sample.label(&["ip"]).and_then(|ip| ip.parse().ok()) {
            to.address = Some(address);
        }
        let from = sample.label(&["host"]).filter(|_| of_telegraf).map(str::to_owned);
        let pinged = self.pinged.entry((from, to, sample.at)).or_default();
        pinged.take(findings, lines, sample, echo, scale);
    }

    fn record(self, context: &Context, findings: &mut Findings) {
        let mut names: BTreeMap<Key, String> = BTreeMap::new();
        let mut facts = Vec::new();
        for (key, mut host) in self.hosts {
            if let Some(name) = host.words.get("nodename") {
                names.insert(key.clone(), name.clone());
            }
            // Whom the command asked, where the figures do not say whose they are.
            let asked = || {
                let Node { name, address } = &context.from;
                name.clone()
                    .or_else(|| address.map(|address| address.to_string()))
            };
            let whose = key.0.or_else(asked);
            facts.push((key.1, host.lines, host.facts(whose, self.is_damaged)));
        }
        let mut add = |lines: Lines, at: Option<Timestamp>, payload| {
            findings.record_of(lines.0.unwrap_or_default(), self.tool, at.or(context.at), payload);
        };
        for ((key, interface), port) in self.ports {
            let name = names.get(&key).or(key.0.as_ref());
            let device = context.from_or(name.map(|name| Node::read(name)).unwrap_or_default());
            let lines = port.lines;
            let counters = port.counters(device, interface);
            if counters.up.is_some() || !counters.counters.is_empty() || !counters.other.is_empty() {
                add(lines, key.1, Payload::InterfaceCounters(counters));
            }
        }
        for (at, lines, facts) in facts {
            if !facts.counters.is_empty() {
                add(lines, at, Payload::HostFacts(facts));
            }
        }
        for ((from, to, at), pinged) in self.pinged {
            let lines = pinged.lines;
            if let Some(row) = pinged.row(context.to_or(to)) {
                let from = from.map(|from| Node::read(&from)).unwrap_or_default();
                let probes = Probes {
                    from: context.from_or(from),
                    protocol: Some(ProbeProtocol::Icmp),
                    rows: vec![row],
                    ..Probes::default()
                };
                add(lines, at, Payload::Probes(probes));
            }
        }
        for ((agent, at), objects) in self.objects {
            let context = Context {
                at: at.or(context.at),
                ..context.clone()
            };
            let values = objects.values.into_values();
            snmp::record_objects(
                self.tool,
                agent.as_deref(),
                &values,
                &objects.lines,
                &context,
                findings,
            );
        }
    }
}

impl Port {
    fn counters(self, device: Node, interface: String) -> InterfaceCounters {
        let mut seen = InterfaceCounters {
            device,
            interface,
            ..InterfaceCounters::default()
        };
        for (name, (field, value)) in self.fields.into_values() {
            match field {
                Field::Count(kind) => count_as(&mut seen, kind, value),
                Field::Own => {
                    seen.other.insert(name, value);
                }
                Field::Mtu => seen.mtu_bytes = u32::try_from(value).ok(),
                Field::Speed(bits) => seen.bandwidth_bps = Some(RateBps(value as f64 * f64::from(bits))),
                // 0 is also what loopback and tunnels have, whose state is "unknown".
                Field::Up => seen.up = (value == 1).then_some(true),
                Field::Nothing => {}
            }
        }
        let mut words = self.words;
        seen.duplex = words
            .take("duplex")
            .filter(|word| matches!(word.as_str(), "full" | "half"));
        seen.description = words.take("ifalias");
        seen.up = match words.take("operstate").as_deref() {
            Some("up") => Some(true),
            Some("down" | "lowerlayerdown" | "notpresent") => Some(false),
            Some(_) => None,
            None => seen.up,
        };
        seen
    }
}

impl Host {
    fn facts(&mut self, instance: Option<String>, is_damaged: bool) -> HostFacts {
        let words = &mut self.words;
        let kernel = words.take("sysname").zip(words.take("release"));
        let mut counters = std::mem::take(&mut self.counters).into_values();
        for (sum, parts) in std::mem::take(&mut self.parts) {
            // Of a part that is disputed or could not be read the sum would lack the most interesting one.
            if !is_damaged && !parts.has_disputes() {
                let parts = parts.into_values();
                counters.insert(
                    sum.to_owned(),
                    parts.values().fold(0, |sum, part| sum.saturating_add(*part)),
                );
            }
        }
        HostFacts {
            hostname: words.take("nodename").or(instance),
            kernel: kernel.map(|(name, release)| format!("{name} {release}")),
            counters,
            ..HostFacts::default()
        }
    }
}

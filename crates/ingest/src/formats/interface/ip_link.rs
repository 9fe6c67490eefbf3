//! Linux `ip -s link` (and `ip link`, `ip addr`), as text and as JSON. What a column means is said by the kernel's
//! `struct rtnl_link_stats64` in linux/if_link.h.

use super::counted::{Words, count, count_as};
use super::section::{device, record, sections, span};
use crate::Context;
use crate::arrival::is_omission;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::folded::{self, Beginnings};
use crate::formats::host::command::{arguments, is_gap, is_interface};
use crate::formats::host::given::Given;
use crate::json_kind::{JsonKind, text_at, u64_at};
use evidence::{CounterKind, InterfaceCounters, Payload};
use serde_json::Value;
use std::collections::BTreeSet;

pub(crate) static FORMAT: Format = Format {
    name: "ip -s link",
    group: Group::Hosts,
    reads: "counters, MTU, queueing discipline and speed of a Linux host's interfaces, also brief",
    first: "0-9a-z",
    has_command: true,
    marks: Some(|| Marks::of([": <", "ip ", "ip\t", " UNKNOWN  "])),
    starts: |line| is_head(line) || is_command(line) || is_brief_loopback(line),
    continues: |block, line| {
        line.starts_with(' ') && !line.trim_ascii().is_empty()
            // VyOS leaves a line blank above the counters.
            || line.trim_ascii().is_empty()
                && block.has(is_bare_head)
                && block.last().is_some_and(|last| !last.trim_ascii().is_empty())
            || is_gap(block, line, is_command)
            || is_head(line)
            || is_rest_of_head(line) && block.last().is_some_and(is_head)
            || brief(line).is_some()
                && block
                    .first()
                    .is_some_and(|first| is_command(first) || brief(first).is_some())
    },
    takes_in: None,
    read,
};

pub(crate) static JSON: JsonKind = JsonKind {
    name: "ip -s -j link",
    reads: "counters, MTU, whether the link is up",
    group: Group::Hosts,
    is: |value| value.get("ifname").is_some() && value.get("ifindex").is_some(),
    read: read_json,
};

/// Received: the names of the text's columns and of the JSON's keys, sorted. `dropped` is sound packets that the host
/// did not want or had no memory for; `missed` those for which the ring had no room.
const RECEIVED: &Words = &[
    ("bytes", CounterKind::InputBytes),
    ("crc", CounterKind::InputCrc),
    ("crc_errors", CounterKind::InputCrc),
    ("dropped", CounterKind::InputDiscards),
    ("errors", CounterKind::InputErrors),
    ("fifo", CounterKind::InputOverrun),
    ("fifo_errors", CounterKind::InputOverrun),
    ("frame", CounterKind::InputFraming),
    ("frame_errors", CounterKind::InputFraming),
    ("missed", CounterKind::InputNoBuffer),
    ("missed_errors", CounterKind::InputNoBuffer),
    ("over_errors", CounterKind::InputOverrun),
    ("overrun", CounterKind::InputOverrun),
    ("packets", CounterKind::InputPackets),
];

/// Sent, sorted. `carrier` is packets lost for want of a carrier, `transns` how often it came or went; `window` is late
/// collisions.
const SENT: &Words = &[
    ("bytes", CounterKind::OutputBytes),
    ("carrier_changes", CounterKind::CarrierTransitions),
    ("collisions", CounterKind::Collisions),
    ("collsns", CounterKind::Collisions),
    ("dropped", CounterKind::OutputDrops),
    ("errors", CounterKind::OutputErrors),
    ("fifo", CounterKind::OutputUnderruns),
    ("fifo_errors", CounterKind::OutputUnderruns),
    ("packets", CounterKind::OutputPackets),
    ("transns", CounterKind::CarrierTransitions),
    ("window", CounterKind::LateCollisions),
    ("window_errors", CounterKind::LateCollisions),
];

/// `root@dtn1:~# ip -s link`: the command line that names the host.
fn is_command(line: &str) -> bool {
    arguments(line, "ip").is_some_and(|mut words| {
        words
            .find(|word| !word.starts_with('-'))
            .is_some_and(|object| "link".starts_with(object) || "address".starts_with(object))
    })
}

/// `ip -br link`: `eth0@if3   UP   96:b4:3e:f6:7e:c9 <BROADCAST,UP,LOWER_UP>`: the name and its state.
fn brief(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_ascii_whitespace();
    let (name, state) = (words.next()?, words.next()?);
    let known = matches!(state, "UP" | "DOWN" | "UNKNOWN" | "LOWERLAYERDOWN" | "DORMANT");
    // Addresses and flags, if anything: `state UP qlen 1000` is the end of a line that was wrapped.
    let is_brief = words.all(|word| {
        word.contains([':', '.', '<', ','])
            || matches!(word, "metric" | "peer")
            || word.parse::<u32>().is_ok()
    }) && name != "state";
    (known && is_brief && is_interface(name) && !line.starts_with(' '))
        .then_some((name.split('@').next().unwrap_or(name), state))
}

/// `lo               UNKNOWN        127.0.0.1/8 ::1/128`: what every brief listing begins with, in its columns.
fn is_brief_loopback(line: &str) -> bool {
    let is_aligned = line.get(17..).is_some_and(|rest| rest.starts_with("UNKNOWN  "));
    let behind = line.split_ascii_whitespace().nth(2).unwrap_or("");
    let is_address = behind.contains('/') || behind.split(':').count() == 6;
    is_aligned && is_address && brief(line).is_some()
}

/// VyOS: `eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc …`, without a number.
fn is_bare_head(line: &str) -> bool {
    line.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && line.split_once(": <").is_some_and(|(name, rest)| {
            // A prompt has an `@` too.
            !name.contains(' ')
                && is_interface(name.split('@').next().unwrap_or(name))
                && rest.contains("> mtu ")
                && rest.contains(" qdisc ")
        })
}

/// `4: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 …`
fn is_head(line: &str) -> bool {
    is_bare_head(line)
        || line.as_bytes().first().is_some_and(u8::is_ascii_digit)
            && line.split_once(": ").is_some_and(|(number, rest)| {
                number.parse::<u32>().is_ok() && rest.contains(": <") && rest.contains(" mtu ")
            })
}

/// What a mail wrapped of the line above: `state UP mode DEFAULT qlen 1000`.
fn is_rest_of_head(line: &str) -> bool {
    ["qdisc ", "state ", "mode ", "group ", "qlen ", "master "]
        .iter()
        .any(|first| line.starts_with(first))
}

/// How its lines begin.
const FOLDS: Beginnings = &[
    "{_:n}: {_:w}: <{*}",
    " link/{*}",
    " inet {_:w}/{*}",
    " inet6 {_:w}/{*}",
    " valid_lft {*}",
    " RX: bytes {*}",
    " TX: bytes {*}",
    " RX errors: {*}",
    " TX errors: {*}",
    " {first:n} {_:n} {_:n} {_:n} {*}",
];

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    if !folded::read(&FORMAT, FOLDS, (block, context, findings), read_lines) {
        read_lines(block, context, findings);
    }
}

fn read_lines(block: &Block, context: &Context, findings: &mut Findings) {
    for (number, line) in block.numbered() {
        if let Some((name, state)) = brief(line) {
            let up = match state {
                "UP" => true,
                "DOWN" | "LOWERLAYERDOWN" => false,
                // Drivers without a state of their own: the loopback, tunnels. Addresses do not tell it either.
                _ if line.contains("LOWER_UP") => true,
                _ => {
                    findings.complain(
                        number,
                        format!("ip itself says that the state of {name} is {state}"),
                    );
                    continue;
                }
            };
            let interface = InterfaceCounters {
                device: device(block, context),
                interface: name.to_owned(),
                up: Some(up),
                ..InterfaceCounters::default()
            };
            record(findings, context, "ip link", (number, number), interface);
        }
    }
    if let Some(name) = block.first().and_then(only_named)
        && !block.lines().any(is_head)
    {
        read_headless(name, block, context, findings);
    }
    for lines in sections(block, |_, line| is_head(line)) {
        let mut interface = InterfaceCounters {
            device: device(block, context),
            ..InterfaceCounters::default()
        };
        let mut table = Tables::default();
        for (place, (number, line)) in lines.iter().enumerate() {
            if place == 0 && is_bare_head(line) {
                take_head(&mut interface, &format!("0: {line}"));
            } else if place == 0 {
                take_head(&mut interface, line.trim_ascii());
            } else if place == 1 && is_rest_of_head(line) {
                settle(&mut interface, line.split_ascii_whitespace());
            } else {
                table.take(findings, *number, line.trim_ascii());
            }
            let alias = line.trim_ascii().strip_prefix("alias ");
            let alias = alias.or_else(|| line.trim_ascii().strip_prefix("Description: "));
            if let Some(alias) = alias.filter(|_| !table.is_lost) {
                interface.description = Some(alias.to_owned());
            }
        }
        table.close(findings, &mut interface);
        record(findings, context, "ip link", span(&lines), interface);
    }
}

/// The interface that a command names of which a filter takes the head away: `ip -s link show dev eth0 | tail -4`.
fn only_named(line: &str) -> Option<&str> {
    let (_, filter) = line.split_once('|')?;
    // It cuts lines off an end, and changes none of them.
    let is_cut = ["tail", "grep"]
        .iter()
        .any(|program| filter.trim_ascii_start().starts_with(program));
    let mut words = arguments(line, "ip")?.filter(|word| !word.starts_with('-') || *word == "|");
    let is_such = words.next().is_some_and(|object| "link".starts_with(object)) && is_cut;
    let mut names = words.filter(|word| !matches!(*word, "show" | "list" | "ls" | "sh" | "dev"));
    let name = names.next().filter(|name| is_such && is_interface(name))?;
    names.next().is_none().then_some(name)
}

/// Counters below titles of their own, and below nothing that names the interface.
fn read_headless(name: &str, block: &Block, context: &Context, findings: &mut Findings) {
    let mut interface = InterfaceCounters {
        device: device(block, context),
        interface: name.to_owned(),
        ..InterfaceCounters::default()
    };
    let mut table = Tables::default();
    for (number, line) in block.numbered().skip(1) {
        if !line.trim_ascii().is_empty() {
            table.take(findings, number, line.trim_ascii());
        }
    }
    table.close(findings, &mut interface);
    if !interface.counters.is_empty() {
        let lines = (block.first_line, block.last_written_line());
        record(findings, context, "ip link", lines, interface);
    }
}

/// What columns the next line has.
#[derive(Clone, Copy)]
struct Columns<'a> {
    /// The direction, as names begin with it.
    prefix: &'static str,
    names: &'a str,
    /// The virtual function whose they are; `None` for the interface itself.
    function: Option<&'a str>,
    /// Nobody knows whose they are.
    is_lost: bool,
}

/// What an interface has once, right below its first line.
const LINK: &str = "link/";

/// The titles of an interface and the figures below them.
#[derive(Default)]
struct Tables<'a> {
    /// A title that waits for its figures, and its line.
    open: Option<(u64, Columns<'a>)>,
    given: Vec<(Columns<'a>, &'a str, u64)>,
    /// Titles and figures do not alternate: nobody knows which figures are whose.
    mixed: bool,
    /// The virtual function that was named last: its figures stand below it, those of the interface in front of all.
    function: Option<&'a str>,
    /// Titles that were seen below the interface, or below that function.
    seen: Vec<&'a str>,
    /// What comes is of a function or an interface whose line is lost.
    is_lost: bool,
}

impl<'a> Tables<'a> {
    fn take(&mut self, findings: &mut Findings, number: u64, line: &'a str) {
        let is_figures = line
            .split_ascii_whitespace()
            .all(|word| word.parse::<u64>().is_ok());
        if line.starts_with("link/") && self.seen.contains(&LINK) {
            findings.complain(number, "of another interface, of which the first line is missing");
            self.is_lost = true;
        } else if line.starts_with("link/") {
            self.seen.push(LINK);
        } else if let Some(function) = line.strip_prefix("vf ") {
            self.function = function.split([' ', ':']).next();
            self.seen.clear();
            self.is_lost = false;
        } else if let Some(titled) = title(line) {
            let name = line.split(':').next().unwrap_or("");
            if self.seen.contains(&name) && !self.is_lost && self.open.is_none() {
                findings.complain(number, "figures of an interface or function that is not named");
                self.is_lost = true;
            }
            self.seen.push(name);
            let titled = Columns {
                function: self.function.filter(|_| !self.is_lost),
                is_lost: self.is_lost,
                ..titled
            };
            if let Some((number, _)) = self.open.replace((number, titled)) {
                findings.complain(number, "a title without figures");
                self.mixed = true;
            }
        } else if let Some((_, titled)) = self.open.take_if(|_| is_like_figures(line)) {
            if !titled.is_lost {
                self.given.push((titled, line, number));
            }
        } else if is_figures {
            findings.complain(number, "figures without a title");
            self.mixed = true;
        } else if !is_passed_over(line) {
            findings.unread(number, line);
            // What it was may be the figures of the title above, with another title behind them.
            if let Some((number, _)) = self.open.take() {
                findings.complain(number, "a title without figures");
                self.mixed = true;
            }
        }
    }

    fn close(self, findings: &mut Findings, interface: &mut InterfaceCounters) {
        if let Some((number, _)) = self.open {
            findings.complain(number, "a title without figures");
        }
        if self.mixed {
            return;
        }
        let mut given = Given::default();
        let mut damaged = BTreeSet::new();
        for (titled, figures, number) in &self.given {
            let names: Vec<&str> = titled.names.split_ascii_whitespace().collect();
            // `None` for what was rounded: how much a counter grew cannot be told from that.
            let figure = |word: &str| word.parse().ok().map(Some).or(is_rounded(word).then_some(None));
            let values: Vec<Option<u64>> = figures.split_ascii_whitespace().map_while(figure).collect();
            if values.contains(&None) {
                findings.complain(*number, "figures that -h rounded are not used");
            }
            if names.len() != values.len() || values.len() != figures.split_ascii_whitespace().count() {
                findings.complain(*number, "not as many figures as columns");
                damaged.insert(titled.prefix);
                continue;
            }
            for (name, value) in names.into_iter().zip(values) {
                let Some(value) = value else { continue };
                let of = titled
                    .function
                    .map(|function| format!("vf{function}_"))
                    .unwrap_or_default();
                given.put(findings, *number, format!("{of}{}{name}", titled.prefix), value);
            }
        }
        for (name, value) in given.into_values() {
            if name.starts_with("vf") {
                interface.other.insert(name, value);
                continue;
            }
            for (prefix, words) in [("rx_", RECEIVED), ("tx_", SENT)] {
                if let Some(name) = name.strip_prefix(prefix) {
                    // The two stand for each other, and the larger one counts: it may be the one that is lost.
                    if damaged.contains(prefix) && matches!(name, "fifo" | "overrun") {
                        continue;
                    }
                    count(interface, words, prefix, name, value);
                }
            }
        }
    }
}

/// Lines that bear on nothing here: addresses, names, and with `-d` the settings of the kind of interface.
fn is_passed_over(line: &str) -> bool {
    const FIRST: &[&str] = &[
        "inet",
        "inet6",
        "valid_lft",
        "alias",
        "altname",
        "promiscuity",
        "parentbus",
        "parentdev",
        "veth",
        "bridge",
        "bridge_slave",
        "bond",
        "bond_slave",
        "vlan",
        "vxlan",
        "tun",
        "gre",
        "gretap",
        "ip6gre",
        "ip6gretap",
        "ipip",
        "sit",
        "ip6tnl",
        "macvlan",
        "macvtap",
        "ipvlan",
        "geneve",
        "wireguard",
        "dummy",
        "ifb",
        "team",
        "team_slave",
        "vti",
        "vti6",
        "xfrm",
        "vrf",
        "vrf_slave",
        "nlmon",
        "openvswitch",
        "openvswitch_slave",
        "ipoib",
        "can",
        "hsr",
        "macsec",
        "erspan",
        "netdevsim",
        "loopback",
        "permaddr",
        "link-netnsid",
        "addrgenmode",
        "numtxqueues",
        "gso_max_size",
        "any",
        "rmnet",
        "lowpan",
        "nsid",
        "netns",
    ];
    let first = line.split([' ', ':']).next().unwrap_or("");
    first.starts_with("link/") || first.starts_with("prog/") || FIRST.contains(&first) || line == "cache"
}

/// `1.23G`, with `-iec` `1.20Mi`: what `-h` makes of a figure of four digits and more.
fn is_rounded(word: &str) -> bool {
    let word = word.strip_suffix('i').unwrap_or(word);
    let number = word.strip_suffix(['k', 'K', 'M', 'G', 'T', 'P', 'E']);
    number.is_some_and(|number| {
        number.starts_with(|c: char| c.is_ascii_digit()) && number.parse::<f64>().is_ok()
    })
}

/// A row of figures, perhaps a damaged one: no words.
fn is_like_figures(line: &str) -> bool {
    let has_word = |word: &str| word.bytes().filter(u8::is_ascii_alphabetic).count() > 1 && !is_rounded(word);
    !line.split_ascii_whitespace().any(has_word)
}

fn take_head(interface: &mut InterfaceCounters, head: &str) {
    let mut parts = head.splitn(3, ": ");
    let (_, name, rest) = (
        parts.next(),
        parts.next().unwrap_or(""),
        parts.next().unwrap_or(""),
    );
    // `eth0.10@eth0` is the interface `eth0.10` on top of eth0.
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    name.clone_into(&mut interface.interface);
    let (flags, rest) = rest.split_once('>').unwrap_or(("", rest));
    let flags = flags.trim_start_matches('<').split(',');
    interface.up = Some(is_up(flags.clone())).filter(|up| *up || tells_link(flags, rest));
    let mut words = rest.split_ascii_whitespace();
    if words.next() == Some("mtu") {
        interface.mtu_bytes = words.next().and_then(|mtu| mtu.parse().ok());
    }
    settle(interface, words);
}

/// The words behind the flags of an interface.
fn settle<'a>(interface: &mut InterfaceCounters, mut words: impl Iterator<Item = &'a str>) {
    while let Some(word) = words.next() {
        match word {
            "qdisc" | "qlen" | "master" => {
                // Somebody left the rest of the line out.
                if let Some(value) = words.next().filter(|value| !is_omission(value)) {
                    interface.settings.insert(word.to_owned(), value.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// Switched on, and the other end of the link is there.
fn is_up<'a>(flags: impl Iterator<Item = &'a str> + Clone) -> bool {
    flags.clone().any(|flag| flag == "UP") && flags.clone().any(|flag| flag == "LOWER_UP")
}

/// Whether what is not up is down: kernels before 2.6.17 tell neither carrier nor state. Where the state is up a flag is damaged.
fn tells_link<'a>(mut flags: impl Iterator<Item = &'a str> + Clone, rest: &str) -> bool {
    !flags.clone().any(|flag| flag == "UP")
        || flags.any(|flag| flag == "NO-CARRIER")
        || rest.contains(" state ") && !rest.contains(" state UP")
}

/// `RX:  bytes packets errors dropped  missed   mcast`, `RX errors: length crc …`: what columns the next line has.
fn title(line: &str) -> Option<Columns<'_>> {
    let (way, names) = line.split_once(':')?;
    let prefix = match way {
        "RX" | "RX errors" => "rx_",
        "TX" | "TX errors" => "tx_",
        _ => return None,
    };
    Some(Columns {
        prefix,
        names,
        function: None,
        is_lost: false,
    })
}

fn read_json(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let flags = value.get("flags").and_then(Value::as_array);
    let flags = flags.map(|flags| is_up(flags.iter().filter_map(Value::as_str)));
    let mut interface = InterfaceCounters {
        device: context.from.clone(),
        interface: text_at(value, "/ifname").unwrap_or("").to_owned(),
        description: text_at(value, "/ifalias").map(str::to_owned),
        up: flags,
        mtu_bytes: u64_at(value, "/mtu").and_then(|mtu| u32::try_from(mtu).ok()),
        ..InterfaceCounters::default()
    };
    if let Some(qdisc) = text_at(value, "/qdisc") {
        interface.settings.insert("qdisc".to_owned(), qdisc.to_owned());
    }
    if let Some(counted) = value.get("stats64").or_else(|| value.get("stats")) {
        for (way, words, prefix) in [("rx", RECEIVED, "rx_"), ("tx", SENT, "tx_")] {
            for (name, value) in counted.get(way).and_then(Value::as_object).into_iter().flatten() {
                if let Some(value) = value.as_u64() {
                    count(&mut interface, words, prefix, name, value);
                }
            }
        }
    }
    if let Some(changes) = u64_at(value, "/carrier_changes") {
        count_as(&mut interface, CounterKind::CarrierTransitions, changes);
    }
    findings.record_of(
        lines,
        "ip link",
        context.at,
        Payload::InterfaceCounters(interface),
    );
}

#[cfg(test)]
mod tests {
    use super::super::counted::is_sorted;
    use super::*;

    #[test]
    fn words_are_found() {
        assert!(is_sorted(RECEIVED) && is_sorted(SENT));
    }

    #[test]
    fn the_command_names_the_host() {
        assert!(is_command("root@dtn1:~# ip -s -s link show eth0") && is_command("$ ip a"));
        assert!(!is_command("$ ip route") && !is_command("$ ip") && is_command("ip -s link"));
        let text = "root@dtn1:~# ip -s link\n2: eth0: <UP,LOWER_UP> mtu 9000\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, []);
        assert!(format!("{records:?}").contains("dtn1"), "{records:?}");
    }

    #[test]
    fn a_line_of_figures_that_is_cut_is_complained_about() {
        let text = "2: eth0@if3: <NO-CARRIER,BROADCAST,UP> mtu 9000 qdisc mq\n    RX: bytes packets errors\n    1 2\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints.len(), 1);
        let [record] = records.as_slice() else {
            panic!("{records:?}")
        };
        let Payload::InterfaceCounters(read) = &record.payload else {
            panic!("{record:?}")
        };
        assert_eq!(
            (read.interface.as_str(), read.mtu_bytes, read.up),
            ("eth0", Some(9000), Some(false))
        );
        assert_eq!(
            read.counters.get(&CounterKind::InputErrors),
            None,
            "absent, not zero"
        );
    }
}

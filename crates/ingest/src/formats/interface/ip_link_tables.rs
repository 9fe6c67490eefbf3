//! The counters of `ip -s link` in text: titles, and the figures below each. What a column means is said by the kernel's
//! `struct rtnl_link_stats64` in linux/if_link.h.

use super::counted::{Words, count};
use crate::findings::Findings;
use crate::formats::host::given::Given;
use evidence::{CounterKind, InterfaceCounters};
use std::collections::BTreeSet;

/// Received: the names of the text's columns and of the JSON's keys, sorted. `dropped` is sound packets that the host
/// did not want or had no memory for; `missed` those for which the ring had no room.
pub(super) const RECEIVED: &Words = &[
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
pub(super) const SENT: &Words = &[
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

/// What columns the next line has.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    /// The direction, as names begin with it.
    prefix: &'static str,
    pub(super) names: &'a str,
    /// The virtual function whose they are; `None` for the interface itself.
    function: Option<&'a str>,
    /// Nobody knows whose they are.
    is_lost: bool,
}

/// What an interface has once, right below its first line.
const LINK: &str = "link/";

/// The titles of an interface and the figures below them.
#[derive(Default)]
pub(super) struct Tables<'a> {
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
    pub(super) is_lost: bool,
}

impl<'a> Tables<'a> {
    pub(super) fn take(&mut self, findings: &mut Findings, number: u64, line: &'a str) {
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

    pub(super) fn close(self, findings: &mut Findings, interface: &mut InterfaceCounters) {
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
pub(super) fn is_like_figures(line: &str) -> bool {
    let has_word = |word: &str| word.bytes().filter(u8::is_ascii_alphabetic).count() > 1 && !is_rounded(word);
    !line.split_ascii_whitespace().any(has_word)
}

/// `RX:  bytes packets errors dropped  missed   mcast`, `RX errors: length crc …`: what columns the next line has.
pub(super) fn title(line: &str) -> Option<Columns<'_>> {
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

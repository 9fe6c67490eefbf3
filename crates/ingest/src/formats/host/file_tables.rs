//! What the tables in `/proc/net` and `/sys/class/net` count. The kernel's net/ipv4/proc.c and net/core/net-procfs.c write
//! them.

use super::counters::{divided, group, is_setting};
use super::given::Given;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::formats::interface::counted::{Words, count};
use crate::formats::interface::section::device;
use crate::text::parted;
use evidence::{CounterKind, InterfaceCounters, RateBps};
use memchr::{memchr, memchr2};
use std::collections::BTreeMap;

/// `Tcp: ActiveOpens PassiveOpens`, `Tcp: 2 2`: the group and the words.
fn group_line(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = parted(line, ": ")?;
    group(name).map(|_| (name, rest))
}

/// The group of which this line gives the names, each of which begins with a capital.
pub(super) fn group_of_names(line: &str) -> Option<&str> {
    let (name, rest) = group_line(line)?;
    let is_name = |word: &str| {
        word.as_bytes().first().is_some_and(u8::is_ascii_uppercase)
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let mut words = rest.split_ascii_whitespace().peekable();
    (words.peek().is_some() && words.all(is_name)).then_some(name)
}

fn is_values(line: &str) -> bool {
    group_line(line).is_some_and(|(_, rest)| {
        rest.split_ascii_whitespace()
            .all(|word| word.parse::<i128>().is_ok())
    })
}

/// The two lines of headings of `/proc/net/dev`.
fn is_dev_head(line: &str) -> bool {
    line.starts_with("Inter-|") || line.trim_ascii_start().starts_with("face |")
}

/// `  eth0: 8247043987  216631    0 …`, in old kernels without a blank behind the colon. A dump of memory is none:
/// `0080: 00 10 …`.
fn dev_row(line: &str) -> Option<(&str, &str)> {
    let (name, figures) = line.trim_ascii_start().split_once(':')?;
    let few = super::command::is_interface(name);
    let is_count = |word: &str| (word == "0" || !word.starts_with('0')) && word.parse::<u64>().is_ok();
    let numbers = || figures.split_ascii_whitespace().all(is_count);
    (few && numbers() && figures.split_ascii_whitespace().count() > 8).then_some((name, figures))
}

/// `TCP: inuse 5 orphan 0 tw 2 alloc 9 mem 3`: a protocol, and names with their figures.
fn sockstat(line: &str) -> Option<(&str, &str)> {
    const PROTOCOLS: [&str; 11] = [
        "sockets", "TCP", "UDP", "UDPLITE", "RAW", "FRAG", "TCP6", "UDP6", "UDPLITE6", "RAW6", "FRAG6",
    ];
    let (protocol, rest) = parted(line, ": ")?;
    let first = rest.split(' ').next()?;
    (PROTOCOLS.contains(&protocol) && matches!(first, "used" | "inuse")).then_some((protocol, rest))
}

/// `Ip6InReceives                    12`
fn snmp6(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once([' ', '\t'])?;
    let value = value.trim_ascii();
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    (digits && divided(name).is_some() && name.contains('6')).then_some((name, value))
}

/// `ifIndex         2`: the first line of `/proc/net/dev_snmp6/eth0`, which counts what one interface saw.
pub(super) fn is_of_one_interface(line: &str) -> bool {
    line.split_once([' ', '\t'])
        .is_some_and(|(name, number)| name == "ifIndex" && number.trim_ascii().parse::<u32>().is_ok())
}

/// A processor of `/proc/net/softnet_stat`: hexadecimal columns of eight digits. The tables in `/proc/net/stat` have such rows too, with
/// two blanks behind the first column.
pub(super) fn is_of_softnet(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let is_hex = |word: &str| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    words.clone().next().is_some_and(is_hex)
        && (9..=15).contains(&words.clone().count())
        && words.all(is_hex)
        && line.trim_ascii_start().get(8..10) != Some("  ")
}

/// Whether a row of such words is somebody's memory in hexadecimal digits: no processor that is shown first drops more than it takes, or takes
/// nothing.
pub(super) fn is_of_other_memory(line: &str) -> bool {
    let words = line.split_ascii_whitespace();
    let counts: Vec<u64> = words
        .map_while(|word| u64::from_str_radix(word, 16).ok())
        .take(3)
        .collect();
    is_of_softnet(line)
        && !matches!(counts[..], [taken, dropped, squeezed] if taken > 0 && dropped <= taken && squeezed <= taken)
}

/// `entries  searched found new …`: the heading of a table in `/proc/net/stat`.
pub(super) fn is_stat_head(line: &str) -> bool {
    let is_name = |word: &str| {
        word.bytes()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'0'..=b'9'))
    };
    let mut words = line.split_ascii_whitespace();
    words.next() == Some("entries") && words.clone().count() >= 5 && words.all(is_name)
}

/// The number of a row's processor, which kernels since 5.10 print in the thirteenth column.
fn processor(line: &str) -> Option<&str> {
    line.split_ascii_whitespace()
        .nth(12)
        .filter(|_| is_of_softnet(line))
}

/// Whether a line is the first processor's once more: the file is printed again.
pub(super) fn is_processor_again(block: &Block, line: &str) -> bool {
    let first = || block.first_such(is_of_softnet).and_then(processor);
    processor(line).is_some_and(|this| first() == Some(this))
        && block.last_written() != Some(line)
        && block.first_such(is_stat_head).is_none()
}

/// Whether a line has, or stands above, what such a file has but once.
pub(super) fn is_counted_once(line: &str) -> bool {
    is_dev_head(line) || sockstat(line).is_some() || snmp6(line).is_some()
}

/// Hexadecimal words: what a screen broke off a row of `/proc/net/softnet_stat`, or a damaged one.
pub(super) fn is_part_of_softnet(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace().peekable();
    let is_hex = |word: &str| word.len() <= 8 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    words.peek().is_some() && words.all(is_hex)
}

/// Whether the first word of a line allows one of these tables: a counter of IPv6, eight digits, a heading, or a group or an interface
/// in front of a colon, with a count, a name, or `inuse` behind that.
fn may_be_shaped(line: &str) -> bool {
    let text = line.trim_ascii_start();
    let end = memchr2(b' ', b'\t', text.as_bytes()).unwrap_or(text.len());
    let first = text.get(..end).unwrap_or_default();
    let has = |sign: u8| memchr(sign, first.as_bytes());
    let begins = |byte: u8| {
        byte.is_ascii_digit() || byte.is_ascii_uppercase() || matches!(byte, b'-' | b'+' | b'i' | b'u')
    };
    let is_pair = |colon: usize| {
        let behind = text.get(colon + 1..).unwrap_or_default().trim_ascii_start();
        behind.bytes().next().is_none_or(begins)
    };
    first.len() == 8
        || matches!(first, "face" | "entries")
        || has(b'6').or(has(b'|')).or(has(b'@')).is_some()
        || has(b':').is_some_and(is_pair)
}

/// Whether a line has the shape of one of these tables.
pub(super) fn is_shaped(line: &str) -> bool {
    if !may_be_shaped(line) {
        return false;
    }
    is_dev_head(line)
        || group_of_names(line).is_some_and(|_| line.split_ascii_whitespace().count() > 2)
        || is_values(line)
        || sockstat(line).is_some()
        || snmp6(line).is_some()
        || is_of_softnet(line)
        || is_stat_head(line)
        || dev_row(line).is_some()
}

/// Columns of `/proc/net/dev`, sorted. `frame` sums length, overrun, checksum and framing errors, and `drop` includes what
/// the ring had no room for.
const RECEIVED: &Words = &[
    ("bytes", CounterKind::InputBytes),
    ("drop", CounterKind::InputDiscards),
    ("errs", CounterKind::InputErrors),
    ("fifo", CounterKind::InputOverrun),
    ("frame", CounterKind::InputFraming),
    ("packets", CounterKind::InputPackets),
];
const SENT: &Words = &[
    ("bytes", CounterKind::OutputBytes),
    ("colls", CounterKind::Collisions),
    ("drop", CounterKind::OutputDrops),
    ("errs", CounterKind::OutputErrors),
    ("fifo", CounterKind::OutputUnderruns),
    ("packets", CounterKind::OutputPackets),
];

/// All of them, of every kernel since 2.0.
const COLUMNS: [&str; 10] = [
    "bytes",
    "packets",
    "errs",
    "drop",
    "fifo",
    "frame",
    "compressed",
    "multicast",
    "colls",
    "carrier",
];

/// The columns where a filter took their heading away: every kernel since 2.2 has these eight of either direction.
fn usual_columns(figures: &str) -> Option<(Vec<String>, Vec<String>)> {
    const RECEIVED: &str = "bytes packets errs drop fifo frame compressed multicast";
    const SENT: &str = "bytes packets errs drop fifo colls carrier compressed";
    let names = |names: &str| names.split(' ').map(str::to_owned).collect();
    (figures.split_ascii_whitespace().count() == 16).then(|| (names(RECEIVED), names(SENT)))
}

/// Files below `/sys/class/net/IFACE/statistics`, sorted (`struct rtnl_link_stats64`).
const STATISTICS: &Words = &[
    ("collisions", CounterKind::Collisions),
    ("rx_bytes", CounterKind::InputBytes),
    ("rx_crc_errors", CounterKind::InputCrc),
    ("rx_dropped", CounterKind::InputDiscards),
    ("rx_errors", CounterKind::InputErrors),
    ("rx_fifo_errors", CounterKind::InputOverrun),
    ("rx_frame_errors", CounterKind::InputFraming),
    ("rx_missed_errors", CounterKind::InputNoBuffer),
    ("rx_over_errors", CounterKind::InputOverrun),
    ("rx_packets", CounterKind::InputPackets),
    ("tx_bytes", CounterKind::OutputBytes),
    ("tx_dropped", CounterKind::OutputDrops),
    ("tx_errors", CounterKind::OutputErrors),
    ("tx_fifo_errors", CounterKind::OutputUnderruns),
    ("tx_packets", CounterKind::OutputPackets),
    ("tx_window_errors", CounterKind::LateCollisions),
];

/// What was counted, as the lines come.
#[derive(Default)]
pub(super) struct Counted {
    counters: Given<u64>,
    /// By interface: its counters, and what else is said of it.
    interfaces: BTreeMap<String, (Given<u64>, Given<String>)>,
    /// Names that wait for their values: the group, the names and their line.
    names: Option<(String, Vec<String>, u64)>,
    /// The columns of `/proc/net/dev`, of both directions.
    columns: Option<(Vec<String>, Vec<String>)>,
    /// Sums over the processors, and whether all lines were understood.
    softnet: Option<[u64; 2]>,
    /// A processor was there: without sums they were given up.
    has_processors: bool,
    /// The rows are those of a table of `/proc/net/stat`.
    is_of_stat: bool,
}

impl Counted {
    /// Takes a line of one of the tables.
    pub(super) fn take(&mut self, findings: &mut Findings, number: u64, line: &str) {
        if is_stat_head(line) {
            self.is_of_stat = true;
            return findings.complain(number, "a table of /proc/net/stat, which is not used");
        }
        self.is_of_stat &= is_part_of_softnet(line);
        if self.is_of_stat {
            return;
        }
        if let Some(group) = group_of_names(line) {
            let names = line.split_ascii_whitespace().skip(1).map(str::to_owned).collect();
            self.close(findings);
            self.names = Some((group.to_owned(), names, number));
        } else if is_values(line) {
            self.take_values(findings, number, line);
        } else if line.trim_ascii_start().starts_with("face |") {
            let mut parts = line.split('|').skip(1);
            let mut names = || {
                parts
                    .next()
                    .map(|part| part.split_ascii_whitespace().map(str::to_owned).collect())
            };
            self.columns = names().zip(names());
        } else if let Some((name, figures)) = dev_row(line) {
            self.take_row(findings, number, name, figures);
        } else if let Some((protocol, rest)) = sockstat(line) {
            let words: Vec<&str> = rest.split_ascii_whitespace().collect();
            for pair in words.chunks(2) {
                match pair {
                    [name, figure] if figure.parse::<u64>().is_ok() => {
                        let value = figure.parse().unwrap_or_default();
                        self.counters
                            .put(findings, number, format!("Sockstat.{protocol}.{name}"), value);
                    }
                    _ => findings.unread(number, line),
                }
            }
        } else if let Some((name, value)) = snmp6(line) {
            if let (Some((Some(group), name)), Ok(value)) = (divided(name), value.parse()) {
                self.counters
                    .put(findings, number, format!("{group}.{name}"), value);
            }
        } else if is_of_softnet(line) {
            self.take_processor(line);
        } else if self.has_processors && is_part_of_softnet(line) {
            // The columns that are used stand in front, in what looks like a row.
            if line.split_ascii_whitespace().any(|word| word.len() != 8) {
                self.forget_processors();
                findings.complain(number, "a processor's row is cut: nothing is summed");
            }
        } else if !is_dev_head(line) {
            findings.unread(number, line);
        }
    }

    /// Complains about names that have no values.
    pub(super) fn close(&mut self, findings: &mut Findings) {
        if let Some((group, _, number)) = self.names.take() {
            findings.complain(number, format!("the names of {group} have no values"));
        }
    }

    fn take_values(&mut self, findings: &mut Findings, number: u64, line: &str) {
        let Some((group_name, rest)) = group_line(line) else {
            return;
        };
        let Some((_, names, _)) = self.names.take_if(|(of, ..)| of == group_name) else {
            return findings.complain(number, format!("values of {group_name} without their names"));
        };
        let values: Vec<&str> = rest.split_ascii_whitespace().collect();
        // With more names than values nobody knows which value is missing.
        if names.len() != values.len() {
            return findings.complain(number, "not as many figures as names");
        }
        let Some(Some(group)) = group(group_name) else {
            return;
        };
        for (name, value) in names.iter().zip(values) {
            // `Tcp.MaxConn` is -1: "no limit" is no count.
            if let Ok(value) = value.parse()
                && !is_setting(group, name)
            {
                self.counters
                    .put(findings, number, format!("{group}.{name}"), value);
            }
        }
    }

    fn take_row(&mut self, findings: &mut Findings, number: u64, name: &str, figures: &str) {
        let Some((received, sent)) = self.columns.clone().or_else(|| usual_columns(figures)) else {
            return findings.complain(number, "figures of an interface without their headings");
        };
        // A heading that was broken names columns by parts of words.
        if !received
            .iter()
            .chain(&sent)
            .all(|name| COLUMNS.contains(&name.as_str()))
        {
            return findings.complain(number, "figures below headings that the kernel does not write");
        }
        let values: Vec<u64> = figures
            .split_ascii_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        if values.len() != received.len() + sent.len() {
            return findings.complain(number, "not as many figures as columns");
        }
        let (counters, _) = self.interfaces.entry(name.to_owned()).or_default();
        let names = received.iter().map(|name| format!("rx {name}"));
        let names = names.chain(sent.iter().map(|name| format!("tx {name}")));
        for (name, value) in names.zip(values) {
            counters.put(findings, number, name, value);
        }
    }

    /// The second column is packets dropped because the backlog (`net.core.netdev_max_backlog`) was full, the third how
    /// often the budget of a round ran out.
    fn take_processor(&mut self, line: &str) {
        let mut columns = line
            .split_ascii_whitespace()
            .skip(1)
            .map(|word| u64::from_str_radix(word, 16));
        if let (Some(Ok(dropped)), Some(Ok(squeezed))) = (columns.next(), columns.next())
            && (self.softnet.is_some() || !std::mem::replace(&mut self.has_processors, true))
        {
            let [all_dropped, all_squeezed] = self.softnet.get_or_insert_default();
            *all_dropped = all_dropped.saturating_add(dropped);
            *all_squeezed = all_squeezed.saturating_add(squeezed);
        }
    }

    /// Gives up the sums over the processors.
    pub(super) fn forget_processors(&mut self) {
        self.softnet = None;
    }

    /// Takes the value of a file below `/sys/class/net`.
    pub(super) fn take_of_interface(
        &mut self,
        findings: &mut Findings,
        number: u64,
        path: &str,
        value: &str,
    ) {
        let mut parts = path.trim_start_matches("/sys/class/net/").split('/');
        let (Some(name), Some(file)) = (parts.next(), parts.next()) else {
            return;
        };
        let (counters, settings) = self.interfaces.entry(name.to_owned()).or_default();
        match (file, parts.next()) {
            ("statistics", Some(counter)) => match value.parse() {
                Ok(figure) => counters.put(findings, number, counter, figure),
                Err(_) => findings.unread(number, value),
            },
            (
                "mtu" | "speed" | "duplex" | "operstate" | "carrier" | "tx_queue_len" | "carrier_changes",
                None,
            ) => {
                settings.put(findings, number, file, value.to_owned());
            }
            _ => {}
        }
    }

    /// The counters of the protocols, and the interfaces.
    pub(super) fn into_records(
        self,
        block: &Block,
        context: &Context,
    ) -> (BTreeMap<String, u64>, Vec<InterfaceCounters>) {
        let mut counters = self.counters.into_values();
        if let Some([dropped, squeezed]) = self.softnet {
            counters.insert("Softnet.Dropped".to_owned(), dropped);
            counters.insert("Softnet.TimeSqueezed".to_owned(), squeezed);
        }
        let of_one = |(name, (counted, settings)): (String, (Given<u64>, Given<String>))| {
            let mut interface = InterfaceCounters {
                device: device(block, context),
                interface: name,
                ..InterfaceCounters::default()
            };
            for (name, value) in counted.into_values() {
                if let Some(name) = name.strip_prefix("rx ") {
                    count(&mut interface, RECEIVED, "rx_", name, value);
                } else if let Some(name) = name.strip_prefix("tx ") {
                    count(&mut interface, SENT, "tx_", name, value);
                } else {
                    count(&mut interface, STATISTICS, "", &name, value);
                }
            }
            set(&mut interface, settings.into_values());
            interface
        };
        let interfaces = self.interfaces.into_iter().map(of_one);
        let told = interfaces.filter(|interface| {
            *interface
                != InterfaceCounters {
                    device: interface.device.clone(),
                    interface: interface.interface.clone(),
                    ..InterfaceCounters::default()
                }
        });
        (counters, told.collect())
    }
}

fn set(interface: &mut InterfaceCounters, settings: BTreeMap<String, String>) {
    for (name, value) in settings {
        match name.as_str() {
            "mtu" => interface.mtu_bytes = value.parse().ok(),
            // In Mbit/s; -1 for a link that is down, and for a virtual one.
            "speed" => {
                let mbps = value
                    .parse::<i64>()
                    .ok()
                    .filter(|mbps| *mbps > 0 && *mbps < i64::from(u32::MAX));
                interface.bandwidth_bps = mbps.map(|mbps| RateBps(mbps as f64 * 1e6));
            }
            "duplex" if matches!(value.as_str(), "full" | "half") => interface.duplex = Some(value),
            "operstate" if matches!(value.as_str(), "up" | "down") => interface.up = Some(value == "up"),
            "carrier_changes" => {
                if let Ok(changes) = value.parse() {
                    interface
                        .counters
                        .insert(CounterKind::CarrierTransitions, changes);
                }
            }
            "tx_queue_len" => {
                interface.settings.insert("tx_queue_len".to_owned(), value);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::interface::counted::is_sorted;

    #[test]
    fn words_are_found() {
        assert!(is_sorted(RECEIVED) && is_sorted(SENT) && is_sorted(STATISTICS));
    }

    #[test]
    fn shapes() {
        for line in [
            "Ip: Forwarding DefaultTTL InReceives",
            "Tcp: 1 200 120000 -1 2",
            "Inter-|   Receive                                                |  Transmit",
            "  eth0: 8247043987  216631    0    0    0     0          0         0 8247043987",
            "TCP: inuse 0 orphan 0 tw 2 alloc 1 mem 162",
            "Ip6InReceives                   \t12",
        ] {
            assert!(is_shaped(line), "{line}");
        }
        for line in [
            "Tcp: The connection is slow",
            "Ip:",
            "TCP: slow",
            "Udp6 12",
            "a: 1 2 3",
            "deadbeef",
        ] {
            assert!(!is_shaped(line), "{line}");
        }
    }
}

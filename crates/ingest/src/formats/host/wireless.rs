//! `iwconfig`, OpenWrt's `iwinfo`, `iw dev IF link` and `iw dev IF station dump`: the rate that a radio link has, how strong it is, and what had to
//! be sent again.

use super::command::{NAMELESS, arguments, is_gap, is_interface, is_only};
use super::given::Given;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use evidence::{CounterKind, InterfaceCounters, Payload, RateBps};

pub(crate) static FORMAT: Format = Format {
    name: "iw, iwconfig, iwinfo",
    group: Group::Hosts,
    reads: "rate, signal, retries and losses of a Linux host's radio links",
    first: "CSa-z",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "Connected to ",
            "Station ",
            "IEEE 802.11",
            "unassociated",
            "no wireless extensions.",
            "iw ",
            "iw\t",
            "iwconfig",
            "iwinfo",
            "  ESSID: ",
            " dBm",
            "Bit/s",
            "inactive time:",
        ])
    }),
    starts: |line| head(line).is_some() || is_without(line) || is_command(line) || is_nameless(line),
    continues: |block, line| {
        if block.first().is_some_and(is_nameless) {
            return is_setting(line);
        }
        if is_only(block, is_command) {
            return is_gap(block, line, is_command)
                || head(line).is_some()
                || is_without(line)
                || line.trim_ascii_end() == "Not connected.";
        }
        let is_below = line.starts_with([' ', '\t']) && !line.trim_ascii().is_empty();
        is_below && !block.last().is_some_and(is_without)
            || head(line).is_some()
            || is_without(line)
            || line.trim_ascii().is_empty() && block.last().is_some_and(|last| !last.trim_ascii().is_empty())
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    let is_named =
        |program| arguments(line, program).is_some_and(|mut words| words.next().is_none_or(is_interface));
    is_named("iwconfig")
        || is_named("iwinfo")
        || arguments(line, "iw").is_some_and(|mut words| words.any(|word| matches!(word, "link" | "station")))
}

/// `eth0      no wireless extensions.`
fn is_without(line: &str) -> bool {
    line.trim_ascii_end().ends_with("  no wireless extensions.")
        && line.starts_with(|first: char| first.is_ascii_lowercase())
}

/// The interface, or the station on it, that lines below are about, and what else its first line says.
fn head(line: &str) -> Option<(String, &str)> {
    // `Connected to 02:00:5e:00:53:01 (on wlan0)`
    if let Some(rest) = line.strip_prefix("Connected to ") {
        let (_, name) = rest.trim_ascii_end().strip_suffix(')')?.split_once(" (on ")?;
        return is_interface(name).then(|| (name.to_owned(), ""));
    }
    // `Station 02:00:5e:00:53:01 (on wlan0)`: one of several, perhaps.
    if let Some(rest) = line.strip_prefix("Station ") {
        let (station, name) = rest.trim_ascii_end().strip_suffix(')')?.split_once(" (on ")?;
        return is_interface(name).then(|| (format!("{name} {station}"), ""));
    }
    // `wlan0     IEEE 802.11  ESSID:"lab"`
    let (name, rest) = line.split_once("  ")?;
    let rest = rest.trim_ascii_start();
    let is_radio = rest.starts_with("IEEE 802.11")
        || rest.starts_with("ESSID: ")
        || rest.starts_with("unassociated") && rest.contains(['=', ':']);
    (is_radio && is_interface(name) && name.starts_with(|first: char| first.is_ascii_lowercase()))
        .then(|| (name.to_owned(), rest))
}

/// What `iw` says of a link, where the line that names it was left out: `signal: -41 [-49, -42] dBm`, `tx bitrate: 1733.3 MBit/s VHT-MCS 9`.
fn is_nameless(line: &str) -> bool {
    let is_of = |(key, unit): &(&str, &str)| {
        let value = line.trim_ascii_start().strip_prefix(key);
        value.is_some_and(|value| value.contains(unit))
    };
    let begins = [
        ("signal:", " dBm"),
        ("tx bitrate:", " MBit/s"),
        ("inactive time:", " ms"),
    ];
    begins.iter().any(is_of) && is_setting(line)
}

/// A name in small letters with its figure, or with yes or no.
fn is_setting(line: &str) -> bool {
    line.trim_ascii().split_once(':').is_some_and(|(key, value)| {
        let value = value.trim_ascii_start();
        let is_figure = value.starts_with(|sign: char| sign.is_ascii_digit() || sign == '-');
        key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b' ')
            && (is_figure || matches!(value, "yes" | "no" | "long" | "short"))
            || matches!(key, "WMM/WME" | "MFP" | "TDLS peer")
    })
}

/// Figures of `iwconfig` and `iwinfo` by name: kept in their words.
const SAID: [&str; 12] = [
    "Tx-Power",
    "Channel",
    "Signal",
    "Noise",
    "Bit Rate",
    "Link Quality",
    "Signal level",
    "Noise level",
    "Frequency",
    "Retry short limit",
    "Retry  long limit",
    "Power Management",
];

/// Counts of `iwconfig` and of `iw`.
const COUNTED: [(&str, &str); 14] = [
    ("Tx excessive retries", "tx_excessive_retries"),
    ("Invalid misc", "invalid_misc"),
    ("Missed beacon", "missed_beacon"),
    ("Rx invalid nwid", "rx_invalid_nwid"),
    ("Rx invalid crypt", "rx_invalid_crypt"),
    ("Rx invalid frag", "rx_invalid_frag"),
    ("tx retries", "tx_retries"),
    ("tx failed", "tx_failed"),
    ("rx drop misc", "rx_drop_misc"),
    ("beacon loss", "beacon_loss"),
    ("rx bytes", "InputBytes"),
    ("rx packets", "InputPackets"),
    ("tx bytes", "OutputBytes"),
    ("tx packets", "OutputPackets"),
];

/// One link.
struct Link {
    name: String,
    lines: (u64, u64),
    /// Printed by `iw`, not by `iwconfig`.
    is_of_iw: bool,
    counted: Given<u64>,
    said: Given<String>,
}

impl Link {
    fn of(name: String, number: u64, is_of_iw: bool) -> Self {
        Self {
            name,
            lines: (number, number),
            is_of_iw,
            counted: Given::default(),
            said: Given::default(),
        }
    }

    /// `          Bit Rate=866.7 Mb/s   Tx-Power=20 dBm`: several names with their values, parted by two blanks.
    fn take(&mut self, findings: &mut Findings, number: u64, line: &str) {
        self.lines.1 = number;
        // `iw` gives a line one name, and puts the value behind a tab.
        if self.is_of_iw {
            match line.trim_ascii().split_once(':') {
                Some((key, value)) => {
                    self.put(
                        findings,
                        number,
                        &format!("{}:{}", key.trim_ascii(), value.trim_ascii()),
                    );
                }
                None => findings.unread(number, line),
            }
            return;
        }
        let mut attributes = 0;
        for part in line
            .split("  ")
            .map(str::trim_ascii)
            .filter(|part| !part.is_empty())
        {
            attributes += usize::from(part.contains([':', '=']));
            self.put(findings, number, part);
        }
        if attributes == 0 {
            findings.unread(number, line);
        }
    }

    fn put(&mut self, findings: &mut Findings, number: u64, part: &str) -> bool {
        let Some(at) = part.find([':', '=']) else {
            return false;
        };
        let (key, value) = (
            part.get(..at).unwrap_or("").trim_ascii(),
            part.get(at + 1..).unwrap_or("").trim_ascii(),
        );
        if let Some((_, name)) = COUNTED.iter().find(|(known, _)| *known == key) {
            if value.is_empty() {
                return true;
            }
            match value.split(' ').next().map(str::parse) {
                Some(Ok(count)) => self.counted.put(findings, number, *name, count),
                _ => findings.complain(number, format!("no counter: {part}")),
            }
            return true;
        }
        // `RX: 1234 bytes (12 packets)`
        if let "RX" | "TX" = key {
            let words: Vec<&str> = value
                .split([' ', '(', ')'])
                .filter(|word| !word.is_empty())
                .collect();
            let way = if key == "RX" { "Input" } else { "Output" };
            if let [bytes, "bytes", packets, "packets"] = words.as_slice()
                && let (Ok(bytes), Ok(packets)) = (bytes.parse(), packets.parse())
            {
                self.counted.put(findings, number, format!("{way}Bytes"), bytes);
                self.counted
                    .put(findings, number, format!("{way}Packets"), packets);
            } else {
                findings.unread(number, part);
            }
            return true;
        }
        let kept = SAID.contains(&key)
            || matches!(
                key,
                "signal" | "signal avg" | "tx bitrate" | "rx bitrate" | "freq" | "expected throughput"
            );
        if kept && !matches!(value, "" | "unknown") {
            self.said
                .put(findings, number, key.to_ascii_lowercase(), value.to_owned());
        }
        kept
    }

    fn into_interface(self, block: &Block, context: &Context) -> InterfaceCounters {
        let mut interface = InterfaceCounters {
            device: device(block, context),
            interface: self.name,
            ..InterfaceCounters::default()
        };
        for (name, value) in self.counted.into_values() {
            let kind = match name.as_str() {
                "InputBytes" => CounterKind::InputBytes,
                "InputPackets" => CounterKind::InputPackets,
                "OutputBytes" => CounterKind::OutputBytes,
                "OutputPackets" => CounterKind::OutputPackets,
                _ => {
                    interface.other.insert(name, value);
                    continue;
                }
            };
            interface.counters.insert(kind, value);
        }
        interface.settings = self.said.into_values();
        let rate = ["bit rate", "tx bitrate"]
            .iter()
            .find_map(|key| interface.settings.get(*key));
        interface.bandwidth_bps = rate.and_then(|rate| megabits(rate));
        interface.up = interface.bandwidth_bps.map(|_| true);
        interface
    }
}

/// `866.7 Mb/s`, `866.7 MBit/s VHT-MCS 9 80MHz`
fn megabits(text: &str) -> Option<RateBps> {
    let mut words = text.split_ascii_whitespace();
    let number: f64 = words.next()?.parse().ok()?;
    let scale = match words.next()? {
        "Mb/s" | "MBit/s" => 1e6,
        "Gb/s" | "GBit/s" => 1e9,
        "kb/s" => 1e3,
        _ => return None,
    };
    (number > 0.0 && number.is_finite()).then_some(RateBps(number * scale))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut link: Option<Link> = None;
    if block.first().is_some_and(is_nameless) {
        findings.complain(block.first_line, NAMELESS);
        link = Some(Link::of(String::new(), block.first_line, true));
    }
    for (number, line) in block.numbered() {
        if let Some((name, rest)) = head(line) {
            close(link.take(), block, context, findings);
            let mut opened = Link::of(name, number, rest.is_empty());
            if !rest.is_empty() {
                opened.take(findings, number, rest);
            }
            link = Some(opened);
        } else if line.trim_ascii().is_empty() && link.as_ref().is_some_and(|link| link.is_of_iw) {
        } else if line.trim_ascii().is_empty()
            || is_without(line)
            || line.trim_ascii_end() == "Not connected."
        {
            close(link.take(), block, context, findings);
            findings.nothing_to_say();
        } else if let Some(link) = link.as_mut() {
            link.take(findings, number, line);
        } else if number != block.first_line {
            findings.complain(
                number,
                format!("of a link that is not named: {}", line.trim_ascii()),
            );
        }
    }
    close(link, block, context, findings);
}

fn close(link: Option<Link>, block: &Block, context: &Context, findings: &mut Findings) {
    let Some(link) = link else { return };
    let lines = link.lines;
    if link.counted.is_empty() && link.said.is_empty() {
        return findings.nothing_to_say();
    }
    let interface = link.into_interface(block, context);
    let has_figures = interface.bandwidth_bps.is_some()
        || interface.settings.contains_key("channel")
        || !interface.counters.is_empty()
        || !interface.other.is_empty();
    if has_figures {
        findings.record_of(lines, "iw", context.at, Payload::InterfaceCounters(interface));
    } else {
        findings.nothing_to_say();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_rates() {
        assert_eq!(
            head("Connected to 02:00:5e:00:53:01 (on wlan0)").unwrap().0,
            "wlan0"
        );
        assert_eq!(head("wlan0     IEEE 802.11  ESSID:\"lab\"").unwrap().0, "wlan0");
        assert!(head("Connected to the server (on time) at last").is_none());
        assert_eq!(megabits("866.7 MBit/s VHT-MCS 9"), Some(RateBps(866.7e6)));
    }
}

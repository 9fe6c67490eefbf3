//! What the lines of one interface of `ifconfig` say.

use super::given::Given;
use super::ifconfig_light::Light;
use super::ifconfig_words::{PASSED_OVER, in_english};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::formats::interface::counted::{Words, count};
use crate::formats::interface::section::device;
use evidence::{CounterKind, InterfaceCounters, RateBps};

/// What the first line of an interface says.
pub(super) struct Head<'a> {
    pub(super) name: &'a str,
    pub(super) rest: &'a str,
}

/// What the line of flags of Linux' old versions begins with.
pub(super) const FLAGS: [&str; 6] = ["UP", "BROADCAST", "LOOPBACK", "POINTOPOINT", "NOARP", "RUNNING"];

const RECEIVED: &Words = &[
    ("bytes", CounterKind::InputBytes),
    ("dropped", CounterKind::InputDiscards),
    ("errors", CounterKind::InputErrors),
    ("frame", CounterKind::InputFraming),
    ("overruns", CounterKind::InputOverrun),
    ("packets", CounterKind::InputPackets),
];
const SENT: &Words = &[
    ("bytes", CounterKind::OutputBytes),
    ("collisions", CounterKind::Collisions),
    ("dropped", CounterKind::OutputDrops),
    ("errors", CounterKind::OutputErrors),
    ("overruns", CounterKind::OutputUnderruns),
    ("packets", CounterKind::OutputPackets),
];

/// Keys that an interface has once, those that come first in each: one more of them is of another interface whose first line
/// was lost.
const ONCE: [&str; 8] = [
    "options",
    "ether",
    "media",
    "status",
    "nd6",
    "description",
    "lladdr",
    // OpenBSD
    "index",
];

/// An interface, as its lines come.
pub(super) struct Section<'a> {
    pub(super) head: Head<'a>,
    pub(super) lines: (u64, u64),
    counters: Given<u64>,
    settings: Given<String>,
    /// What its transceiver measures.
    light: Light,
    /// What of [`ONCE`] was seen.
    seen: Vec<&'static str>,
    has_address: bool,
    /// Its packets are counted in lines of their own, as Linux alone does.
    is_of_linux: bool,
    /// Lines of another interface stand among these: settings are not to be told apart.
    mixed: bool,
}

impl<'a> Section<'a> {
    pub(super) fn of(head: Head<'a>, number: u64) -> Self {
        Self {
            head,
            lines: (number, number),
            counters: Given::default(),
            settings: Given::default(),
            light: Light::default(),
            seen: Vec::new(),
            has_address: false,
            is_of_linux: false,
            mixed: false,
        }
    }

    /// Whether a line is left of it: of what a command names, there has to be one.
    pub(super) fn is_told(&self) -> bool {
        !self.head.rest.is_empty() || !self.counters.is_empty() || !self.settings.is_empty()
    }

    pub(super) fn take(&mut self, findings: &mut Findings, number: u64, line: &str) {
        self.lines.1 = number;
        let line = in_english(line.trim_ascii());
        let line = &*line;
        let end = line.find([' ', ':', '=', '\t']).unwrap_or(line.len());
        let first = line.get(..end).unwrap_or(line);
        self.look_for_another(findings, number, first);
        match first {
            "RX" | "TX" if line.contains(" dBm)") => self.light.take(findings, number, line),
            "RX" | "TX" | "collisions" => {
                self.is_of_linux = true;
                self.take_counters(findings, number, line);
            }
            flag if FLAGS.contains(&flag) && line.contains("MTU:") => {
                self.take_flags(findings, number, line);
            }
            "options" => {
                // Newer ones of FreeBSD print the words alone.
                let words = match line.split_once('<') {
                    Some((_, words)) => words.split_once('>').map(|(words, _)| words),
                    None => line.strip_prefix("options ").filter(|words| !words.contains('=')),
                };
                match words {
                    Some(words) => {
                        let words = words.replace(',', " ");
                        self.settings.put(findings, number, "options", words);
                    }
                    None => findings.complain(number, "the options are cut"),
                }
            }
            // The state follows the media: without them it is of another interface. OpenBSD tells of some that have none.
            "status" if !self.seen.contains(&"media") && !self.seen.contains(&"index") => {
                findings.complain(number, "a state without its media")
            }
            "media" | "status" | "description" => {
                let value = line.get(end + 1..).unwrap_or("").trim_ascii();
                self.settings.put(findings, number, first, value.to_owned());
            }
            // A link aggregate of the BSDs: `laggport: ix0 flags=1c<ACTIVE,COLLECTING,DISTRIBUTING>`.
            "laggproto" => {
                let protocol = line.split_ascii_whitespace().nth(1).unwrap_or_default();
                self.settings.put(findings, number, first, protocol.to_owned());
            }
            "laggport" => self.take_lagg_port(findings, number, line),
            // AIX: the buffers that connections by this interface begin with.
            "tcp_sendspace" | "tcp_recvspace" | "tcp_nodelay" | "tcp_mssdflt" | "rfc1323" => {
                self.take_network_options(findings, number, line);
            }
            "input" | "output" => self.take_sentence(findings, number, line),
            "module" | "lane" => self.light.take(findings, number, line),
            _ if PASSED_OVER.contains(&first) => {}
            _ => findings.unread(number, line),
        }
    }

    /// `laggport: ix0 flags=1c<ACTIVE,COLLECTING,DISTRIBUTING>`, `laggport: ix1 flags=0<>`
    fn take_lagg_port(&mut self, findings: &mut Findings, number: u64, line: &str) {
        let (_, port) = line.split_once(':').unwrap_or_default();
        let (port, flags) = port.trim_ascii().split_once(' ').unwrap_or_default();
        let flags = flags.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
        match flags {
            Some((flags, _)) if !port.is_empty() => {
                let flags = if flags.is_empty() {
                    "no flags".to_owned()
                } else {
                    flags.replace(',', " ")
                };
                self.settings
                    .put(findings, number, format!("laggport {port}"), flags);
            }
            _ => findings.unread(number, line),
        }
    }

    /// `tcp_sendspace 262144 tcp_recvspace 262144 rfc1323 1`
    fn take_network_options(&mut self, findings: &mut Findings, number: u64, line: &str) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        for pair in words.chunks(2) {
            match pair {
                [name, value] if value.parse::<u64>().is_ok() => {
                    self.settings.put(findings, number, *name, (*value).to_owned());
                }
                _ => findings.unread(number, line),
            }
        }
    }

    /// NetBSD's `-v`: `input: 91823 packets, 88123001 bytes, 918 multicasts, 71 errors, 302 unknown protocol`.
    fn take_sentence(&mut self, findings: &mut Findings, number: u64, line: &str) {
        let way = if line.starts_with("input") { "rx " } else { "tx " };
        let parts = line.split_once(':').map_or("", |(_, parts)| parts);
        for part in parts.split(',') {
            let counted = part
                .trim_ascii()
                .split_once(' ')
                .and_then(|(figure, name)| Some((figure.parse().ok()?, name)));
            let Some((value, name)) = counted else {
                findings.unread(number, line);
                return;
            };
            // "1 packet", "2 packets".
            let name = match name.trim_end_matches('s') {
                "packet" => "packets",
                "byte" => "bytes",
                "error" => "errors",
                "collision" => "collisions",
                "queue drop" => "dropped",
                _ => continue,
            };
            self.counters.put(findings, number, format!("{way}{name}"), value);
        }
    }

    fn look_for_another(&mut self, findings: &mut Findings, number: u64, first: &str) {
        let begins = matches!(first, "options" | "ether" | "lladdr" | "description");
        if let Some(first) = ONCE.into_iter().find(|once| *once == first) {
            // Media and state stand at the end.
            let is_behind = self.has_address && first != "description" || self.seen.contains(&"media");
            let again = self.seen.contains(&first) || begins && is_behind;
            // macOS: an interface that was never set up has no lines of its own.
            // FreeBSD's, which tell of a metric, may have them, and so may OpenBSD's, which begin with their index.
            let is_bare = self.head.rest.starts_with("0<>")
                && !self.head.rest.contains(" metric ")
                && first != "index"
                && !self.seen.contains(&"index");
            if (again && !self.seen.is_empty() || is_bare) && !self.mixed {
                findings.complain(number, "of another interface, of which the first line is missing");
                self.mixed = true;
            }
            self.seen.push(first);
        }
        self.has_address |= first == "inet";
    }

    /// `RX packets:9 errors:0`, `TX errors 0  dropped 0 overruns 0`, `RX bytes:1 (1.0 B)  TX bytes:2 (2.0 B)`.
    fn take_counters(&mut self, findings: &mut Findings, number: u64, line: &str) {
        let (mut way, mut depth, mut name) = ("tx ", 0_usize, None);
        for word in line.split(|c: char| c.is_whitespace() || c == ':') {
            if word.starts_with('(') {
                depth += 1;
            }
            let inside = depth > 0;
            if word.ends_with(')') {
                depth = depth.saturating_sub(1);
            }
            match (word, name) {
                _ if inside => {}
                ("", _) => {}
                ("RX", None) => way = "rx ",
                ("TX", None) => way = "tx ",
                (word, None) => name = Some(word),
                (figure, Some("txqueuelen")) => {
                    self.settings
                        .put(findings, number, "txqueuelen", figure.to_owned());
                    name = None;
                }
                (figure, Some(counter)) => {
                    match figure.parse() {
                        Ok(value) => self
                            .counters
                            .put(findings, number, format!("{way}{counter}"), value),
                        Err(_) => findings.complain(number, format!("no counter: {counter} {figure}")),
                    }
                    name = None;
                }
            }
        }
    }

    /// `UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1`
    fn take_flags(&mut self, findings: &mut Findings, number: u64, line: &str) {
        for word in line.split_ascii_whitespace() {
            if let Some(mtu) = word.strip_prefix("MTU:") {
                self.settings.put(findings, number, "mtu", mtu.to_owned());
            }
        }
        let has = |flag: &str| line.split_ascii_whitespace().any(|word| word == flag);
        self.settings
            .put(findings, number, "up", (has("UP") && has("RUNNING")).to_string());
    }

    pub(super) fn into_interface(
        mut self,
        findings: &mut Findings,
        block: &Block,
        context: &Context,
    ) -> InterfaceCounters {
        let mut interface = InterfaceCounters {
            device: device(block, context),
            interface: self.head.name.to_owned(),
            ..InterfaceCounters::default()
        };
        if let Some((flags, rest)) = self
            .head
            .rest
            .split_once('<')
            .and_then(|(_, rest)| rest.split_once('>'))
        {
            let has = |flag: &str| flags.split(',').any(|word| word == flag);
            // On the BSDs and macOS RUNNING says nothing of the cable: their own line for the state does.
            let is_of_cable = self.head.rest.contains(',')
                && self.head.rest.find(',') < self.head.rest.find('<')
                || rest.starts_with("  mtu")
                || self.is_of_linux
                || rest.contains(" index ")
                || has("LOWER_UP")
                || !has("BROADCAST");
            // The number in front has the same in bits (IFF_UP, IFF_RUNNING), as Linux prints it in decimals: else a word is damaged.
            let is_decimal = rest.starts_with("  mtu") || self.is_of_linux;
            let radix = if is_decimal { 10 } else { 16 };
            let bits = self.head.rest.split_once('<').map_or("", |(bits, _)| bits);
            let bits = u64::from_str_radix(bits, radix).ok();
            let is_damaged =
                bits.is_some_and(|bits| (bits & 1 == 1, bits & 0x40 == 0x40) != (has("UP"), has("RUNNING")));
            interface.up = match has("UP") && has("RUNNING") {
                _ if is_damaged => None,
                false => Some(false),
                true => is_of_cable.then_some(true),
            };
            let mut words = rest.split_ascii_whitespace();
            if words.any(|word| word == "mtu") {
                let mtu: Option<u32> = words.next().and_then(|mtu| mtu.parse().ok());
                if mtu.is_none() {
                    findings.complain(self.lines.0, "no MTU");
                }
                // macOS prints 0 for what was never set up.
                interface.mtu_bytes = mtu.filter(|mtu| *mtu > 0);
            }
        }
        for (name, value) in self.counters.into_values() {
            if let Some(name) = name.strip_prefix("rx ") {
                count(&mut interface, RECEIVED, "rx_", name, value);
            } else if let Some(name) = name.strip_prefix("tx ") {
                count(&mut interface, SENT, "tx_", name, value);
            }
        }
        if !self.mixed {
            settle(&mut interface, &mut self.settings);
            interface.optics = self.light.into_optics();
        }
        interface
    }
}

fn settle(interface: &mut InterfaceCounters, settings: &mut Given<String>) {
    if let Some(mtu) = settings.take("mtu") {
        interface.mtu_bytes = mtu.parse().ok();
    }
    if let Some(up) = settings.take("up") {
        interface.up = Some(up == "true");
    }
    match settings.get("status").map(String::as_str) {
        Some("active") => interface.up = interface.up.or(Some(true)),
        Some("inactive" | "no carrier") => interface.up = Some(false),
        _ => {}
    }
    interface.description = settings
        .take("description")
        .map(|text| text.trim_matches('"').to_owned());
    if let Some(media) = settings.get("media") {
        interface.bandwidth_bps = speed(media);
        interface.duplex = ["full", "half"]
            .iter()
            .find(|duplex| media.contains(&format!("{duplex}-duplex")))
            .map(|duplex| (*duplex).to_owned());
    }
    for name in [
        "media",
        "status",
        "options",
        "txqueuelen",
        "tcp_sendspace",
        "tcp_recvspace",
        "tcp_nodelay",
        "tcp_mssdflt",
        "rfc1323",
    ] {
        if let Some(value) = settings.take(name) {
            interface.settings.insert(name.to_owned(), value);
        }
    }
    let of_aggregate = std::mem::take(settings).into_values();
    let of_aggregate = of_aggregate
        .into_iter()
        .filter(|(name, _)| name.starts_with("lagg"));
    interface.settings.extend(of_aggregate);
}

/// The speed of `Ethernet autoselect (10Gbase-LR <full-duplex>)` or `1000baseT`: what stands in parentheses is in use.
fn speed(media: &str) -> Option<RateBps> {
    let used = media.rsplit_once('(').map_or(media, |(_, used)| used);
    let word = used.split([' ', '<', ')']).next()?;
    let digits = word
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
        .count();
    let (number, rest) = word.split_at_checked(digits)?;
    let scale = match rest.to_ascii_lowercase() {
        rest if rest.starts_with("gbase") => 1e9,
        rest if rest.starts_with("base") => 1e6,
        _ => return None,
    };
    let rate = number.parse::<f64>().ok()? * scale;
    (rate > 0.0).then_some(RateBps(rate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::interface::counted::is_sorted;

    #[test]
    fn words_are_found() {
        assert!(is_sorted(RECEIVED) && is_sorted(SENT));
    }

    #[test]
    fn media() {
        for (media, rate) in [
            (
                "Ethernet autoselect (10Gbase-LR <full-duplex,rxpause>)",
                Some(1e10),
            ),
            ("autoselect (1000baseT <full-duplex>)", Some(1e9)),
            ("Ethernet autoselect (2500Base-T <full-duplex>)", Some(2.5e9)),
            ("Ethernet 100baseTX <full-duplex>", None),
            ("autoselect (none)", None),
            ("autoselect", None),
        ] {
            assert_eq!(speed(media), rate.map(RateBps), "{media}");
        }
    }
}

//! What the head of a column says: of which interface or path its figures are, which way, and in which unit. What the head
//! does not say is not guessed: a figure without a unit is no evidence.

use crate::units::{Kilo, rate_bps, seconds};

/// The way of traffic at an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    In,
    Out,
}

/// What the figures of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    Traffic(Way),
    Packets(Way),
    Rtt,
    Loss,
    Throughput,
    /// Packets per second that went wrong: there is no place for a rate of them.
    Errors,
    /// Known to say nothing.
    Nothing,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub(super) what: What,
    /// The metric's unit (bit/s, seconds, a ratio) in one of the column's; `None` where the head does not tell, so that each
    /// figure must.
    pub(super) scale: Option<f64>,
    /// What else the head says: the name of the interface.
    pub(super) name: String,
}

/// The kinds of unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Rate,
    Packets,
    Time,
    Share,
}

/// A unit, and what one of it is in bit/s, packets per second, seconds, or as a ratio. `Bps` is bytes: a capital B is.
pub(super) fn unit(text: &str) -> Option<(Unit, f64)> {
    let text = text.trim_ascii();
    if matches!(text, "%" | "percent" | "pct") {
        return Some((Unit::Share, 0.01));
    }
    if matches!(
        text,
        "pps" | "p/s" | "packets/s" | "packets/sec" | "pkts/s" | "pkt/s" | "packets per second"
    ) {
        return Some((Unit::Packets, 1.0));
    }
    let spelled = match text.strip_suffix(" per second") {
        Some(what) => format!("{what}/s"),
        None => text.replace("/second", "/s"),
    };
    let spelled = match spelled.strip_suffix("Bps") {
        Some(scale) => format!("{scale}B/s"),
        None => spelled,
    };
    if spelled.contains('/') || spelled.ends_with("bps") {
        return rate_bps(1.0, &spelled, Kilo::Thousand).map(|rate| (Unit::Rate, rate.0));
    }
    let one = matches!(
        text,
        "ms" | "msec" | "s" | "sec" | "seconds" | "us" | "µs" | "usec"
    );
    seconds(1.0, text)
        .filter(|_| one)
        .map(|factor| (Unit::Time, factor))
}

const IN: [&str; 9] = [
    "in", "inbound", "input", "rx", "received", "receive", "recv", "ingress", "incoming",
];
const OUT: [&str; 10] = [
    "out",
    "outbound",
    "output",
    "tx",
    "sent",
    "transmit",
    "transmitted",
    "egress",
    "outgoing",
    "xmit",
];
/// Words that name no interface.
const COMMON: [&str; 28] = [
    "ping",
    "response",
    "time",
    "traffic",
    "network",
    "interface",
    "rate",
    "if",
    "hc",
    "octets",
    "bits",
    "bytes",
    "bit",
    "byte",
    "average",
    "avg",
    "mean",
    "median",
    "rtt",
    "latency",
    "loss",
    "packet",
    "packets",
    "pkts",
    "throughput",
    "bandwidth",
    "-",
    "of",
];
/// Figures beside the one that stands for the measurement.
const BESIDE: [&str; 12] = [
    "max",
    "maximum",
    "min",
    "minimum",
    "peak",
    "jitter",
    "stddev",
    "mdev",
    "uptime",
    "best",
    "worst",
    "percentile",
];

/// The words of a head: `traffic_in`, `ifHCInOctets`, `In (bits/s)`.
fn words(token: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in token.split('_') {
        let mut word = String::new();
        let letters: Vec<char> = part.chars().collect();
        for (place, letter) in letters.iter().enumerate() {
            let before = place.checked_sub(1).and_then(|before| letters.get(before));
            let next = letters.get(place + 1);
            let begins = letter.is_ascii_uppercase()
                && (before.is_some_and(char::is_ascii_lowercase)
                    || before.is_some_and(char::is_ascii_uppercase)
                        && next.is_some_and(char::is_ascii_lowercase));
            if begins && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            word.push(letter.to_ascii_lowercase());
        }
        if !word.is_empty() {
            words.push(word);
        }
    }
    words
}

/// What the words of a head say so far.
#[derive(Debug, Default)]
struct Said {
    inward: bool,
    outward: bool,
    unit: Option<(Unit, f64)>,
    words: Vec<String>,
    /// Parts that are no common words.
    names: Vec<String>,
}

impl Said {
    /// Takes a word; `false` where it is none of the trade's.
    fn take(&mut self, word: &str) -> bool {
        if IN.contains(&word) {
            self.inward = true;
        } else if OUT.contains(&word) {
            self.outward = true;
        } else if COMMON.contains(&word) || BESIDE.contains(&word) || is_error(word) {
            self.words.push(word.to_owned());
        } else {
            return false;
        }
        true
    }

    fn token(&mut self, token: &str) {
        let token = token.trim_matches(['-', ':', '|', '"', ',', ';']);
        if token.is_empty() {
            return;
        }
        // LibreNMS writes the names of its data sources in capitals.
        let known = match token {
            "INOCTETS" => Some("in_octets"),
            "OUTOCTETS" => Some("out_octets"),
            _ => None,
        };
        let token = known.unwrap_or(token);
        if let Some(unit) = unit(token).filter(|(unit, _)| *unit != Unit::Time || token != "s") {
            self.unit = Some(unit);
            return;
        }
        if self.take(&token.to_ascii_lowercase()) {
            return;
        }
        let parts = words(token);
        let mut rest: Vec<&str> = Vec::new();
        for part in &parts {
            match unit(part) {
                Some(unit) if parts.len() > 1 && part != "s" => self.unit = Some(unit),
                _ if self.take(part) => {}
                _ => rest.push(part),
            }
        }
        // Of a name in which no word is the trade's nothing is changed.
        if rest.len() == parts.len() {
            self.names.push(token.to_owned());
        } else if !rest.is_empty() {
            self.names.push(rest.join("_"));
        }
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|said| said == word)
    }
}

fn is_error(word: &str) -> bool {
    matches!(
        word,
        "errors" | "errs" | "discards" | "drops" | "dropped" | "error" | "discard"
    )
}

/// What a head says; `None` where it names no quantity that is known.
pub(super) fn column(head: &str) -> Option<Column> {
    let mut said = Said::default();
    for phrase in ["bits per second", "bytes per second", "packets per second"] {
        if head.to_ascii_lowercase().contains(phrase) {
            said.unit = unit(phrase);
        }
    }
    let spaced = head.replace(['(', ')', '[', ']'], " ");
    for token in spaced.split_whitespace() {
        if !matches!(token.to_ascii_lowercase().as_str(), "per" | "second") {
            said.token(token);
        }
    }
    let way = match (said.inward, said.outward) {
        (true, false) => Some(Way::In),
        (false, true) => Some(Way::Out),
        _ => None,
    };
    let errors = said.words.iter().any(|word| is_error(word));
    let beside = said.words.iter().any(|word| BESIDE.contains(&word.as_str()));
    let is_round_trip = ["rtt", "latency", "ping"].iter().any(|word| said.has(word))
        || said.has("response") && said.has("time");
    let packets = ["packet", "packets", "pkts"].iter().any(|word| said.has(word));
    let what = match (way, said.unit.map(|(unit, _)| unit)) {
        _ if errors => What::Errors,
        _ if beside => What::Nothing,
        (_, Some(Unit::Time) | None) if is_round_trip => What::Rtt,
        (_, Some(Unit::Share) | None) if said.has("loss") => What::Loss,
        (Some(way), Some(Unit::Packets)) => What::Packets(way),
        // A count of packets has no rate of bits.
        (Some(_), None | Some(Unit::Rate)) if packets => return None,
        (Some(way), None | Some(Unit::Rate)) => What::Traffic(way),
        (None, None | Some(Unit::Rate)) if said.has("throughput") => What::Throughput,
        _ => return None,
    };
    Some(Column {
        what,
        scale: said.unit.map(|(_, scale)| scale),
        name: said.names.join(" "),
    })
}

impl What {
    /// The unit that its figures have.
    pub(super) fn unit(self) -> Option<Unit> {
        match self {
            Self::Traffic(_) | Self::Throughput => Some(Unit::Rate),
            Self::Packets(_) => Some(Unit::Packets),
            Self::Rtt => Some(Unit::Time),
            Self::Loss => Some(Unit::Share),
            Self::Errors | Self::Nothing => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        use Way::{In, Out};
        use What::{Errors, Loss, Nothing, Packets, Rtt, Throughput, Traffic};
        for (head, what, scale, name) in [
            ("In (bits/s)", Traffic(In), Some(1.0), ""),
            ("eth0 Out [Mbps]", Traffic(Out), Some(1e6), "eth0"),
            ("Gi0/1 - Inbound MB/s", Traffic(In), Some(8e6), "Gi0/1"),
            ("traffic_in", Traffic(In), None, ""),
            ("traffic_out_bps", Traffic(Out), Some(1.0), ""),
            ("INOCTETS", Traffic(In), None, ""),
            ("ifHCOutOctets", Traffic(Out), None, ""),
            ("Inbound bits per second", Traffic(In), Some(1.0), ""),
            ("rx bytes/s", Traffic(In), Some(8.0), ""),
            ("wan rx kBps", Traffic(In), Some(8e3), "wan"),
            ("tx pps", Packets(Out), Some(1.0), ""),
            ("rtt_ms", Rtt, Some(1e-3), ""),
            ("RTT avg (ms)", Rtt, Some(1e-3), ""),
            ("RTT max (ms)", Nothing, Some(1e-3), ""),
            ("Ping (ms)", Rtt, Some(1e-3), ""),
            ("packet loss %", Loss, Some(0.01), ""),
            ("throughput Gbps", Throughput, Some(1e9), ""),
            ("ifInErrors", Errors, None, ""),
        ] {
            let read = column(head).unwrap_or_else(|| panic!("{head}"));
            assert_eq!((read.what, read.name.as_str()), (what, name), "{head}");
            match (read.scale, scale) {
                (Some(a), Some(b)) => assert!((a - b).abs() < 1e-9 * b, "{head}: {a}"),
                (a, b) => assert_eq!(a, b, "{head}"),
            }
        }
        for head in [
            "users",
            "Packets In",
            "unicast packets out bps",
            "temperature",
            "in and out bps",
            "Value",
            "",
        ] {
            assert_eq!(column(head), None, "{head}");
        }
    }
}

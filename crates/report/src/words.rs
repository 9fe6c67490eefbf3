//! The words for values: one place decides how an end, a direction, a time or an obstacle is called.

use crate::names::Names;
use evidence::{
    Ask, Direction, End, HopRef, JournalEntry, Location, Nanos, NotMeasuredReason, Payload, ProbeProtocol,
    Probes, Provenance, SeriesMetric, StopReason, Timestamp, Transport, VerdictState, Way,
};

/// `2026-11-21 07:58:02 UTC`.
pub(crate) fn when(at: Timestamp) -> String {
    formatted(at, "%Y-%m-%d %H:%M:%S UTC")
}

/// `2026-11-21 07:58`.
pub(crate) fn minute(at: Timestamp) -> String {
    formatted(at, "%Y-%m-%d %H:%M")
}

/// A long time as a person says it: `36 s`, `12 min`, `3.5 h`, `9 d`.
pub(crate) fn long(ns: u64) -> String {
    let seconds = ns as f64 / 1e9;
    let in_units = |of: f64, unit: &str| {
        let text = format!("{:.1}", seconds / of);
        format!("{} {unit}", text.trim_end_matches(".0"))
    };
    match seconds {
        s if s < 90.0 => Nanos(ns).to_string(),
        s if s < 5_400.0 => in_units(60.0, "min"),
        s if s < 2.0 * 86_400.0 => in_units(3_600.0, "h"),
        _ => in_units(86_400.0, "d"),
    }
}

/// The text with a capital first letter.
pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// `07:58:02.125`: for lists that name the day once.
pub(crate) fn clock(at: Timestamp) -> String {
    formatted(at, "%H:%M:%S.%3f")
}

/// A time in `strftime` words.
pub(crate) fn formatted(at: Timestamp, format: &str) -> String {
    match jiff::Timestamp::from_nanosecond(i128::from(at.0)) {
        Ok(time) => time.strftime(format).to_string(),
        Err(_) => format!("{} ns", at.0),
    }
}

/// When an observation was made, as far as its record tells.
pub(crate) fn made(provenance: &Provenance) -> String {
    match provenance.at_is_import_time {
        true => "time not recorded".to_owned(),
        false => when(provenance.at),
    }
}

/// `2026-11-21 07:58:02 UTC, NOC (net.example): interface reset`.
pub(crate) fn journal_line(entry: &JournalEntry) -> String {
    let network = entry
        .network
        .as_deref()
        .map_or(String::new(), |n| format!(" ({n})"));
    format!("{}, {}{network}: {}", when(entry.at), entry.who, entry.what)
}

/// Whether it is the name of a raw record: only such a name may become a link.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `line 12`, `lines 12 to 31`.
pub(crate) fn lines((first, last): (u64, u64)) -> String {
    match first == last {
        true => format!("line {first}"),
        false => format!("lines {first} to {last}"),
    }
}

/// A factor for people: two digits at least, no false precision.
pub(crate) fn times(factor: f64) -> String {
    match factor {
        f if f >= 1e6 => "a million or more".to_owned(),
        f if f >= 9.95 => count(f.round() as u64),
        f => format!("{f:.1}"),
    }
}

/// A share for people: `0.025 %`, `0 %`.
pub(crate) fn share(ratio: f64) -> String {
    if ratio == 0.0 || !ratio.is_finite() {
        return if ratio == 0.0 {
            "0 %".to_owned()
        } else {
            "? %".to_owned()
        };
    }
    // Below one in a million a percentage is a row of zeros.
    if ratio.abs() < 1e-6 {
        return format!("{ratio:.1e}");
    }
    let percent = 100.0 * ratio;
    let decimals = (1.0 - libm::log10(percent.abs()).floor()).clamp(0.0, 6.0) as usize;
    format!("{percent:.decimals$} %")
}

/// What a series holds.
pub(crate) fn metric(metric: SeriesMetric) -> &'static str {
    match metric {
        SeriesMetric::Throughput => "throughput",
        SeriesMetric::LossRatio => "loss",
        SeriesMetric::Rtt => "round-trip time",
        SeriesMetric::Utilisation => "utilisation",
    }
}

/// A whole number with thousands separated: `12,000`.
pub(crate) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 hop`, `12 hops`.
pub(crate) fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// `83.2 kB`; decimal prefixes as for rates.
pub(crate) fn bytes(n: u64) -> String {
    let value = n as f64;
    match n {
        0..1_000 => format!("{n} B"),
        1_000..1_000_000 => format!("{:.1} kB", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", value / 1e6),
        _ => format!("{:.2} GB", value / 1e9),
    }
}

/// A probability for people. Never 0 % nor 100 %: nothing measured is certain.
pub(crate) fn percent(probability: f64) -> String {
    match probability * 100.0 {
        p if !p.is_finite() => "? %".to_owned(),
        p if p > 99.0 => "> 99 %".to_owned(),
        p if p < 1.0 => "< 1 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

/// A ratio of lost packets for people: `0 of 100`, `3 of 12,000 (0.025 %)`.
pub(crate) fn lost_of(lost: u64, sent: u64) -> String {
    if lost == 0 || sent == 0 {
        return format!("{} of {}", count(lost), count(sent));
    }
    format!(
        "{} of {} ({})",
        count(lost),
        count(sent),
        share(lost as f64 / sent as f64)
    )
}

pub(crate) fn state(state: VerdictState) -> &'static str {
    match state {
        VerdictState::Ok => "OK",
        VerdictState::Slow => "SLOW",
        VerdictState::Inconclusive => "INCONCLUSIVE",
        VerdictState::NotMeasured => "NOT MEASURED",
    }
}

pub(crate) fn end(end: End) -> &'static str {
    match end {
        End::From => "sender",
        End::To => "receiver",
    }
}

pub(crate) fn direction(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "with the data (sender to receiver)",
        Direction::Reverse => "against the data (receiver to sender)",
        Direction::Both => "both directions",
    }
}

pub(crate) fn protocol(protocol: ProbeProtocol) -> &'static str {
    match protocol {
        ProbeProtocol::Udp => "UDP",
        ProbeProtocol::Icmp => "ICMP",
        ProbeProtocol::TcpSyn => "TCP SYN",
    }
}

pub(crate) fn stop(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Stable => "ended when the rate was stable",
        StopReason::Stalled => "stalled: nothing was acknowledged any more",
        StopReason::MaxTime => "ended at the time limit",
        StopReason::MaxBytes => "ended at the byte limit",
        StopReason::PeerGone => "partial: the far end went away",
        StopReason::Cancelled => "partial: stopped by the user",
    }
}

pub(crate) fn obstacle(reason: NotMeasuredReason) -> &'static str {
    match reason {
        NotMeasuredReason::Privilege => "a privilege is missing",
        NotMeasuredReason::NoFarEnd => "no far end of slowpath there",
        NotMeasuredReason::Refused => "the far end refused",
        NotMeasuredReason::PeerGone => "the far end went away",
        NotMeasuredReason::Unreachable => "the other end does not answer",
        NotMeasuredReason::Unsupported => "not supported here",
        NotMeasuredReason::Budget => "the budget was used up",
        NotMeasuredReason::Cancelled => "stopped by the user",
        NotMeasuredReason::Failed => "failed",
    }
}

/// What an observation is of, as a noun.
pub(crate) fn kind(payload: &Payload) -> &'static str {
    match payload {
        Payload::Trace(_) => "trace",
        Payload::Probes(probes) => kind_of_probes(probes),
        Payload::Transfer(transfer) => match transfer.protocol {
            Some(Transport::Tcp) => "TCP",
            Some(Transport::Udp) => "UDP",
            None => "transfer",
        },
        Payload::HostFacts(_) => "host",
        Payload::LinkCapacities(_) => "link capacities",
        Payload::Series(_) => "series",
        Payload::RouteHistory(_) => "route history",
        Payload::InterfaceCounters(_) => "interface",
        Payload::CounterChain(_) => "packet counters",
        Payload::Sockets(_) => "connections",
        Payload::Statement(_) => "statement",
        Payload::NotMeasured(_) => "not measured",
    }
}

/// What asks for delays is a ping, whatever sizes it tries; a search for the path MTU asks for nothing but sizes.
fn kind_of_probes(probes: &Probes) -> &'static str {
    let mut rows = probes.rows.iter();
    if !probes.rows.is_empty() && rows.all(|row| row.way == Way::OneWay) {
        return "one way";
    }
    let first = probes.rows.first().and_then(|row| row.size_bytes);
    let sizes = probes.rows.iter().any(|row| row.size_bytes != first);
    match sizes && probes.rows.iter().all(|row| row.delay.is_none()) {
        true => "packet sizes",
        false => "ping",
    }
}

/// What an ask is for, as a noun phrase.
pub(crate) fn ask(ask: &Ask, names: &Names) -> String {
    let at = names.the(ask.vantage());
    match ask {
        Ask::HostFacts { .. } => format!("settings of {at}"),
        Ask::Route { protocol: p, .. } => format!("trace from {at}, {}", protocol(*p)),
        Ask::PathMtu { .. } => format!("packet sizes from {at}"),
        Ask::Echo { .. } => format!("pings per hop from {at}"),
        Ask::HopLoss { .. } => format!("loss per hop from {at}"),
        Ask::TcpThroughput { streams, .. } => format!(
            "TCP transfer sent by {at}, {}",
            plural(u64::from(*streams), "stream", "streams")
        ),
        Ask::UdpStream { rate_bps, .. } => format!("UDP stream sent by {at} at {rate_bps}"),
    }
}

/// A hop without its number: `br01.example (192.0.2.1)`, `192.0.2.1`, `silent`.
pub(crate) fn hop_who(hop: &HopRef) -> String {
    match (&hop.name, hop.address) {
        (Some(name), Some(address)) => format!("{name} ({address})"),
        (None, Some(address)) => address.to_string(),
        (Some(name), None) => name.clone(),
        (None, None) => "silent".to_owned(),
    }
}

/// A location in few words: `hop 8 -> hop 9`.
pub(crate) fn place(location: &Location) -> String {
    match location {
        Location::Host { end: e } => format!("the {}", end(*e)),
        Location::Hop { hop } => format!("hop {}", hop.ttl),
        Location::Link { before, after } => format!("hop {} -> hop {}", before.ttl, after.ttl),
        Location::Segment { before, after } => format!("{before} | {after}"),
        Location::Interface {
            device, interface, ..
        } => format!("{device} {interface}"),
        Location::OtherHost { name } => name.clone(),
        Location::Path => "somewhere on the path".to_owned(),
    }
}

/// Hop numbers with runs joined: `1-8, 10`.
pub(crate) fn ranges(numbers: &[u8]) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut run: Option<(u8, u8)> = None;
    let show = |(first, last): (u8, u8)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    };
    for &n in numbers {
        run = match run {
            Some((first, last)) if last.checked_add(1) == Some(n) => Some((first, n)),
            Some(done) => {
                out.push(show(done));
                Some((n, n))
            }
            None => Some((n, n)),
        };
    }
    out.extend(run.map(show));
    out.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "hop", "hops"), "1 hop");
        assert_eq!(bytes(94_210), "94.2 kB");
        assert_eq!(ranges(&[1, 3, 4, 5, 9]), "1, 3-5, 9");
        assert_eq!(lost_of(3, 12_000), "3 of 12,000 (0.025 %)");
        assert_eq!(lost_of(0, 12_000), "0 of 12,000");
        assert_eq!(lost_of(12, 12), "12 of 12 (100 %)");
    }

    #[test]
    fn no_confidence_reads_as_certainty() {
        for (probability, shown) in [
            (1.0, "> 99 %"),
            (0.995, "> 99 %"),
            (0.97, "97 %"),
            (0.0, "< 1 %"),
            (f64::NAN, "? %"),
        ] {
            assert_eq!(percent(probability), shown);
        }
    }

    #[test]
    fn times_are_utc() {
        assert_eq!(
            when(Timestamp(1_624_000_000_125_000_000)),
            "2021-06-18 07:06:40 UTC"
        );
        assert_eq!(clock(Timestamp(1_624_000_000_125_000_000)), "07:06:40.125");
    }
}

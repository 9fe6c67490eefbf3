//! Cisco `show interface`, of IOS, IOS XE, IOS XR and NX-OS.

use super::counted::{Words, count, count_as, figure_first};
use evidence::{CounterKind, InterfaceCounters, InterfaceLoad, RateBps};

/// The maker's words, sorted. "packets input" of IOS is "input packets" of NX-OS.
const WORDS: &Words = &[
    ("CRC", CounterKind::InputCrc),
    ("Rx pause", CounterKind::InputPauses),
    ("Tx pause", CounterKind::OutputPauses),
    ("carrier transitions", CounterKind::CarrierTransitions),
    ("collision", CounterKind::Collisions),
    ("collisions", CounterKind::Collisions),
    ("frame", CounterKind::InputFraming),
    ("giants", CounterKind::InputGiants),
    ("ignored", CounterKind::InputIgnored),
    ("input discard", CounterKind::InputDiscards),
    ("input error", CounterKind::InputErrors),
    ("input errors", CounterKind::InputErrors),
    ("input packets", CounterKind::InputPackets),
    ("interface resets", CounterKind::InterfaceResets),
    ("late collision", CounterKind::LateCollisions),
    ("no buffer", CounterKind::InputNoBuffer),
    ("output discard", CounterKind::OutputDrops),
    ("output error", CounterKind::OutputErrors),
    ("output errors", CounterKind::OutputErrors),
    ("output packets", CounterKind::OutputPackets),
    ("overrun", CounterKind::InputOverrun),
    ("packets input", CounterKind::InputPackets),
    ("packets output", CounterKind::OutputPackets),
    ("pause input", CounterKind::InputPauses),
    ("pause output", CounterKind::OutputPauses),
    ("runts", CounterKind::InputRunts),
    ("total input drops", CounterKind::InputDiscards),
    ("total output drops", CounterKind::OutputDrops),
    ("underrun", CounterKind::OutputUnderruns),
    ("underruns", CounterKind::OutputUnderruns),
];

/// `ATM5/0 is up, line protocol is up`; NX-OS: `Ethernet1/1 is up`.
pub(super) fn is_head(line: &str) -> bool {
    if !line.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    let Some((name, rest)) = line.split_once(' ') else {
        return false;
    };
    let Some(state) = rest.strip_prefix("is ") else {
        return false;
    };
    let numbered = name.bytes().any(|byte| byte.is_ascii_digit());
    let nx_os = numbered && name.contains('/') && (state.trim_end() == "up" || state.starts_with("down ("));
    state.contains(", line protocol is ") || nx_os
}

/// Reads the lines of one interface.
pub(super) fn read(lines: &[(u64, &str)]) -> InterfaceCounters {
    let mut interface = InterfaceCounters::default();
    if let Some((_, head)) = lines.first() {
        take_head(&mut interface, head);
    }
    let mut way = "";
    for (_, line) in lines.iter().skip(1) {
        match line.trim() {
            // NX-OS has one table for each way, with the same words.
            "RX" => way = "RX ",
            "TX" => way = "TX ",
            line => take(&mut interface, way, line),
        }
    }
    interface
}

fn take_head(interface: &mut InterfaceCounters, head: &str) {
    if let Some((name, state)) = head.split_once(" is ") {
        name.clone_into(&mut interface.interface);
        // "administratively down, line protocol is down"; "up, line protocol is down".
        let protocol = state
            .split_once("line protocol is ")
            .map_or(state, |(_, protocol)| protocol);
        interface.up = Some(protocol.starts_with("up"));
    }
}

fn take(interface: &mut InterfaceCounters, way: &str, line: &str) {
    if let Some(description) = line.strip_prefix("Description:") {
        interface.description = Some(description.trim().to_owned());
    } else if let Some(rest) = line.strip_prefix("Last clearing of \"show interface\" counters ") {
        interface.counting_for_s = age_s(rest.trim());
    } else if line.starts_with("MTU ") {
        take_mtu(interface, line);
    } else if line.contains(" rate ") && line.contains(" bits/sec") {
        take_rate(interface, line);
    } else if starts_without_case(line, "output queue") || starts_without_case(line, "input queue") {
        take_queues(interface, line);
    } else if let Some(duplex) = duplex(line) {
        interface.duplex = Some(duplex.to_owned());
    } else if interface.load.is_some() {
        // Counters stand below the rates; "256 TX buffers" above them is hardware.
        take_counters(interface, way, line);
    }
}

fn starts_without_case(line: &str, start: &str) -> bool {
    line.get(..start.len())
        .is_some_and(|s| s.eq_ignore_ascii_case(start))
}

/// `Full-duplex, 1000Mb/s`; NX-OS: `full-duplex, 10 Gb/s`; XR: `Full-duplex, 10000Mb/s`.
fn duplex(line: &str) -> Option<&'static str> {
    [
        ("full-duplex", "full"),
        ("half-duplex", "half"),
        ("full duplex", "full"),
        ("half duplex", "half"),
    ]
    .into_iter()
    .find(|(words, _)| starts_without_case(line, words))
    .map(|(_, duplex)| duplex)
}

/// `MTU 4470 bytes, sub MTU 4470, BW 156250 Kbit, DLY 80 usec, …`
fn take_mtu(interface: &mut InterfaceCounters, line: &str) {
    for part in line.split(',').map(str::trim) {
        let figure = |start: &str| part.strip_prefix(start)?.split(' ').next()?.parse::<u32>().ok();
        if let Some(bytes) = figure("MTU ") {
            interface.mtu_bytes = Some(bytes);
        } else if let Some(kilobits) = figure("BW ") {
            interface.bandwidth_bps = Some(RateBps(f64::from(kilobits) * 1e3));
        }
    }
}

/// `5 minute input rate 233000 bits/sec, 60 packets/sec`. Where several averages are printed, the first stands: it is
/// the shortest.
fn take_rate(interface: &mut InterfaceCounters, line: &str) {
    let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let [number, unit, way, "rate", bits, "bits/sec", rest @ ..] = words.as_slice() else {
        return;
    };
    let scale = if unit.starts_with("minute") { 60 } else { 1 };
    let Some(over_s) = number.parse::<u64>().ok().and_then(|n| n.checked_mul(scale)) else {
        return;
    };
    let finite = |text: &str| text.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
    let bps = finite(bits).map(RateBps);
    let pps = match rest {
        [packets, "packets/sec", ..] => finite(packets),
        _ => None,
    };
    let load = interface.load.get_or_insert(InterfaceLoad {
        over_s: Some(over_s),
        input_bps: None,
        input_pps: None,
        output_bps: None,
        output_pps: None,
    });
    match *way {
        "input" if load.over_s == Some(over_s) => (load.input_bps, load.input_pps) = (bps, pps),
        "output" if load.over_s == Some(over_s) => (load.output_bps, load.output_pps) = (bps, pps),
        _ => {}
    }
}

/// `Output queue 0/40, 0 drops; input queue 0/75, 572 drops`, and of later versions
/// `Input queue: 0/75/0/0 (size/max/drops/flushes); Total output drops: 0`.
fn take_queues(interface: &mut InterfaceCounters, line: &str) {
    for part in line.split(';').map(str::trim) {
        let drops = |text: &str| text.rsplit_once(", ")?.1.strip_suffix(" drops")?.parse().ok();
        if starts_without_case(part, "total output drops:") {
            let figure = part.rsplit(' ').next().and_then(|f| f.parse().ok());
            set(interface, CounterKind::OutputDrops, figure);
        } else if starts_without_case(part, "input queue") {
            set(
                interface,
                CounterKind::InputQueueDrops,
                drops(part).or_else(|| third(part)),
            );
        } else if starts_without_case(part, "output queue") {
            set(interface, CounterKind::OutputDrops, drops(part));
        }
    }
}

/// The drops of `0/75/572/0 (size/max/drops/flushes)`.
fn third(part: &str) -> Option<u64> {
    let figures = part.split(' ').find(|word| word.contains('/'))?;
    part.contains("max/drops")
        .then(|| figures.split('/').nth(2)?.parse().ok())
        .flatten()
}

fn set(interface: &mut InterfaceCounters, kind: CounterKind, value: Option<u64>) {
    if let Some(value) = value {
        count_as(interface, kind, value);
    }
}

/// `37439574 packets input, 2747274064 bytes, 0 no buffer`: the bytes are those of the packets named before them.
fn take_counters(interface: &mut InterfaceCounters, way: &str, line: &str) {
    let line = line.strip_prefix("Received ").unwrap_or(line);
    let mut bytes_of = None;
    // IOS divides by commas, NX-OS by two blanks.
    for part in line.split([',', ';']).flat_map(|part| part.split("  ")) {
        let part = part.split('(').next().unwrap_or("");
        let Some((value, name)) = figure_first(part) else {
            continue;
        };
        match name {
            "packets input" | "input packets" => bytes_of = Some(CounterKind::InputBytes),
            "packets output" | "output packets" => bytes_of = Some(CounterKind::OutputBytes),
            _ => {}
        }
        match bytes_of {
            Some(kind) if name == "bytes" => count_as(interface, kind, value),
            _ => count(interface, WORDS, way, name, value),
        }
    }
}

/// The age of counters in seconds: `00:12:34`, `1d02h`, `1w2d`, `2y13w`; `None` for `never`, which means since the start
/// of a device that does not say when.
pub(super) fn age_s(text: &str) -> Option<u64> {
    if text.contains(':') {
        let mut parts = text.split(':').map(|part| part.parse::<u64>().ok());
        let seconds = [3600, 60, 1].into_iter().try_fold(0_u64, |sum, unit| {
            sum.checked_add(parts.next()??.checked_mul(unit)?)
        })?;
        return parts.next().is_none().then_some(seconds);
    }
    let (mut seconds, mut number) = (0_u64, None::<u64>);
    for byte in text.bytes() {
        let unit_s = match byte {
            b'0'..=b'9' => {
                let so_far = number.unwrap_or(0).checked_mul(10)?;
                number = Some(so_far.checked_add(u64::from(byte - b'0'))?);
                continue;
            }
            b'y' => 365 * 86_400,
            b'w' => 7 * 86_400,
            b'd' => 86_400,
            b'h' => 3600,
            b'm' => 60,
            b's' => 1,
            _ => return None,
        };
        seconds = seconds.checked_add(number.take()?.checked_mul(unit_s)?)?;
    }
    (number.is_none() && seconds > 0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::super::counted::is_sorted;
    use super::*;

    #[test]
    fn ages() {
        for (text, seconds) in [
            ("1w2d", Some(777_600)),
            ("10w1d", Some(6_134_400)),
            ("00:12:34", Some(754)),
            ("1d02h", Some(93_600)),
            ("never", None),
            ("", None),
            ("1:2", None),
            ("99999999999999999999w", None),
            ("12", None),
        ] {
            assert_eq!(age_s(text), seconds, "{text}");
        }
    }

    #[test]
    fn heads() {
        for yes in [
            "ATM5/0 is up, line protocol is up ",
            "Vlan7 is administratively down, line protocol is down",
            "Ethernet1/1 is up",
            "Ethernet1/2 is down (Link not connected)",
        ] {
            assert!(is_head(yes), "{yes}");
        }
        for no in [
            "The link is up",
            "It is up, line protocol",
            "  Output is up",
            "host1 is up",
            "",
        ] {
            assert!(!is_head(no), "{no}");
        }
    }

    #[test]
    fn words_are_found() {
        assert!(is_sorted(WORDS));
    }

    #[test]
    fn queues_of_both_generations() {
        for (line, input, output) in [
            (
                "Output queue 0/40, 3 drops; input queue 0/75, 572 drops",
                Some(572),
                Some(3),
            ),
            (
                "Input queue: 0/75/572/1 (size/max/drops/flushes); Total output drops: 3",
                Some(572),
                Some(3),
            ),
            ("Output queue: 0/40 (size/max)", None, None),
        ] {
            let mut interface = InterfaceCounters::default();
            take(&mut interface, "", line);
            let get = |kind| interface.counters.get(&kind).copied();
            assert_eq!(
                (get(CounterKind::InputQueueDrops), get(CounterKind::OutputDrops)),
                (input, output),
                "{line}"
            );
        }
    }
}

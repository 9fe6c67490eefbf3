//! Juniper `show interfaces`, from brief to extensive. Physical and logical interfaces are records of their own.

use super::counted::{Words, count, count_as, name_first};
use crate::when;
use evidence::{CounterKind, InterfaceCounters, InterfaceLoad, RateBps};

/// Words within "Input errors", sorted. "Drops" are those of the input queue, "Resource errors" a want of buffers.
const INPUT_WORDS: &Words = &[
    ("Drops", CounterKind::InputQueueDrops),
    ("Errors", CounterKind::InputErrors),
    ("FIFO errors", CounterKind::InputOverrun),
    ("Framing errors", CounterKind::InputFraming),
    ("Giants", CounterKind::InputGiants),
    ("Resource errors", CounterKind::InputNoBuffer),
    ("Runts", CounterKind::InputRunts),
];

/// Words within "Output errors", sorted.
const OUTPUT_WORDS: &Words = &[
    ("Carrier transitions", CounterKind::CarrierTransitions),
    ("Collisions", CounterKind::Collisions),
    ("Drops", CounterKind::OutputDrops),
    ("Errors", CounterKind::OutputErrors),
    ("FIFO errors", CounterKind::OutputUnderruns),
];

/// What the lines below a title are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part<'a> {
    General,
    InputErrors,
    OutputErrors,
    /// "MAC statistics": a column received, a column sent.
    Mac,
    /// "SONET section", "SONET line"…: seconds, count, state.
    Sonet(&'a str),
    /// Any other table: not read.
    Other,
}

pub(super) fn is_head(line: &str) -> bool {
    line.starts_with("Physical interface: ") || line.starts_with("  Logical interface ")
}

/// Reads the lines of one interface.
pub(super) fn read(lines: &[(u64, &str)]) -> InterfaceCounters {
    let mut interface = InterfaceCounters::default();
    let mut part = Part::General;
    for (place, (_, line)) in lines.iter().enumerate() {
        let line = line.trim();
        if place == 0 {
            take_head(&mut interface, line);
            continue;
        }
        if let Some(next) = title(line) {
            part = next;
        }
        match part {
            Part::General => take_general(&mut interface, line),
            Part::InputErrors => take_list(&mut interface, INPUT_WORDS, "Input ", line),
            Part::OutputErrors => take_list(&mut interface, OUTPUT_WORDS, "Output ", line),
            Part::Mac => take_mac(&mut interface, line),
            Part::Sonet(layer) => take_sonet(&mut interface, layer, line),
            Part::Other => {}
        }
    }
    interface
}

/// The part that begins with this line, if one does.
fn title(line: &str) -> Option<Part<'_>> {
    match line.split_once(':')? {
        ("Input errors", _) => Some(Part::InputErrors),
        ("Output errors", _) => Some(Part::OutputErrors),
        ("MAC statistics", _) => Some(Part::Mac),
        // The local figures of IPv6 and of the router itself are part of the traffic counted above them.
        (
            "Filter statistics"
            | "Queue counters"
            | "IPv6 transit statistics"
            | "Local statistics"
            | "Transit statistics",
            _,
        ) => Some(Part::Other),
        (protocol, _) if protocol.starts_with("Protocol ") => Some(Part::General),
        (layer, rest)
            if layer.starts_with("SONET ") && !layer.contains("alarms") && !layer.contains("defects") =>
        {
            let is_title = rest.trim().is_empty() || rest.contains("Seconds");
            Some(if is_title {
                Part::Sonet(layer)
            } else {
                Part::General
            })
        }
        (
            "Traffic statistics" | "Active alarms" | "Active defects" | "Egress queues" | "SONET alarms"
            | "SONET defects",
            _,
        ) => Some(Part::General),
        _ => None,
    }
}

/// `Physical interface: xe-0/0/0, Enabled, Physical link is Up`; `Logical interface xe-0/0/0.0 (Index 66) …`.
fn take_head(interface: &mut InterfaceCounters, head: &str) {
    let name = head
        .trim_start_matches("Physical interface: ")
        .trim_start_matches("Logical interface ");
    let end = name.find([',', ' ']).unwrap_or(name.len());
    name.get(..end)
        .unwrap_or(name)
        .clone_into(&mut interface.interface);
    interface.up = head
        .split_once("Physical link is ")
        .map(|(_, state)| state.trim_end() == "Up");
}

fn take_general(interface: &mut InterfaceCounters, line: &str) {
    let Some((name, value)) = line.split_once(':') else {
        return;
    };
    let value = value.trim();
    let mut name_words = name.split_ascii_whitespace();
    match (name_words.next(), name_words.next(), name_words.next()) {
        (Some("Description"), None, _) => interface.description = Some(value.to_owned()),
        (Some("Statistics"), Some("last"), Some("cleared")) => interface.counting_for_s = cleared_s(value),
        (Some(way @ ("Input" | "Output")), Some(unit), None) => take_traffic(interface, way, unit, value),
        (Some("SONET"), Some(kind @ ("alarms" | "defects")), None) => {
            let active = value
                .split(',')
                .map(str::trim)
                .filter(|a| *a != "None" && !a.is_empty());
            interface
                .other
                .extend(active.map(|name| (format!("SONET {kind} {name}"), 1)));
        }
        _ => line
            .split(',')
            .for_each(|item| take_setting(interface, item.trim())),
    }
}

/// `Link-level type: Ethernet, MTU: 1514, Speed: 10Gbps, Link-mode: Full-duplex`.
fn take_setting(interface: &mut InterfaceCounters, item: &str) {
    match item
        .split_once(':')
        .map(|(name, value)| (name.trim(), value.trim()))
    {
        // The first is the interface's own; protocols of a logical interface follow.
        Some(("MTU", bytes)) if interface.mtu_bytes.is_none() => interface.mtu_bytes = bytes.parse().ok(),
        Some(("Speed", speed)) => interface.bandwidth_bps = speed_bps(speed),
        Some(("Link-mode", mode)) => {
            interface.duplex = ["full", "half"]
                .into_iter()
                .find(|duplex| mode.to_ascii_lowercase().starts_with(duplex))
                .map(str::to_owned);
        }
        _ => {}
    }
}

/// `10Gbps`, `1000mbps`, and of SONET interfaces the name of the container (ITU-T G.707).
fn speed_bps(speed: &str) -> Option<RateBps> {
    let optical = match speed {
        "OC3" => 155.52e6,
        "OC12" => 622.08e6,
        "OC48" => 2_488.32e6,
        "OC192" => 9_953.28e6,
        "OC768" => 39_813.12e6,
        _ => return speed.parse().ok(),
    };
    Some(RateBps(optical))
}

/// `Input  bytes  :   1234   56 bps` and `Input rate     : 1234 bps (2 pps)`.
fn take_traffic(interface: &mut InterfaceCounters, way: &str, unit: &str, value: &str) {
    let words: Vec<&str> = value.split_ascii_whitespace().collect();
    let kind = match (way, unit) {
        ("Input", "bytes") => CounterKind::InputBytes,
        ("Input", "packets") => CounterKind::InputPackets,
        ("Output", "bytes") => CounterKind::OutputBytes,
        ("Output", "packets") => CounterKind::OutputPackets,
        (_, "rate") => {
            if let [bits, "bps", packets, "pps)"] = words.as_slice() {
                set_load(interface, way, Some(bits), packets.strip_prefix('('));
            }
            return;
        }
        _ => return,
    };
    if let Some(value) = words.first().and_then(|figure| figure.parse().ok()) {
        count_as(interface, kind, value);
    }
    match words.as_slice() {
        [_, bits, "bps"] => set_load(interface, way, Some(bits), None),
        [_, packets, "pps"] => set_load(interface, way, None, Some(packets)),
        _ => {}
    }
}

fn set_load(interface: &mut InterfaceCounters, way: &str, bits: Option<&str>, packets: Option<&str>) {
    // The device does not tell what time it averages over.
    let load = interface.load.get_or_insert(InterfaceLoad {
        over_s: None,
        input_bps: None,
        input_pps: None,
        output_bps: None,
        output_pps: None,
    });
    let figure = |text: Option<&str>| text?.parse::<u64>().ok().map(|value| value as f64);
    let (bps, pps) = match way {
        "Input" => (&mut load.input_bps, &mut load.input_pps),
        _ => (&mut load.output_bps, &mut load.output_pps),
    };
    *bps = figure(bits).map(RateBps).or(*bps);
    *pps = figure(packets).or(*pps);
}

/// `Errors: 0, Drops: 0, Framing errors: 0, …`, on one line or several.
fn take_list(interface: &mut InterfaceCounters, words: &Words, way: &str, line: &str) {
    for (name, value) in line.split(',').filter_map(name_first) {
        count(interface, words, way, name, value);
    }
}

/// `CRC/Align errors                         0                0`: received, sent.
fn take_mac(interface: &mut InterfaceCounters, line: &str) {
    let (name, figures) = name_and_figures(line);
    let kinds = match name.as_str() {
        "CRC/Align errors" => [Some(CounterKind::InputCrc), None],
        "FIFO errors" => [
            Some(CounterKind::InputOverrun),
            Some(CounterKind::OutputUnderruns),
        ],
        "MAC pause frames" => [Some(CounterKind::InputPauses), Some(CounterKind::OutputPauses)],
        "Oversized frames" => [Some(CounterKind::InputGiants), None],
        _ => [None, None],
    };
    for ((kind, way), value) in kinds.into_iter().zip(["received", "sent"]).zip(figures) {
        match kind {
            Some(kind) => count_as(interface, kind, value),
            None => {
                interface.other.insert(format!("{name} {way}"), value);
            }
        }
    }
}

/// `BIP-B1                   0            0`: seconds and count; `ES-S    0`: seconds.
fn take_sonet(interface: &mut InterfaceCounters, layer: &str, line: &str) {
    let (name, figures) = name_and_figures(line);
    let unit = if figures.len() == 1 { " seconds" } else { "" };
    if let Some(last) = figures.last() {
        interface.other.insert(format!("{layer} {name}{unit}"), *last);
    }
}

/// A row of a table without lines: words, then whole numbers; what follows them is left.
fn name_and_figures(line: &str) -> (String, Vec<u64>) {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let names = words
        .iter()
        .take_while(|word| word.parse::<u64>().is_err())
        .count();
    let (name, rest) = words.split_at(names);
    let figures = rest.iter().map_while(|word| word.parse().ok()).collect();
    (name.join(" "), figures)
}

/// Seconds since `2010-05-17 07:51:28 PDT (3d 00:04 ago)`: what the brackets say, `00:04:33`, `3d 00:04`, `2w3d 05:12`.
fn cleared_s(value: &str) -> Option<u64> {
    let (_, age) = value.split_once('(')?;
    let age = age.split_once(" ago")?.0;
    age.split_ascii_whitespace().try_fold(0_u64, |sum, word| {
        let part = match word.contains(':') {
            true => {
                let (hours, minutes, seconds) = when::clock(word)?;
                u64::try_from(i64::from(hours) * 3600 + i64::from(minutes) * 60 + i64::from(seconds)).ok()?
            }
            false => super::cisco::age_s(word)?,
        };
        sum.checked_add(part)
    })
}

#[cfg(test)]
mod tests {
    use super::super::counted::is_sorted;
    use super::*;

    #[test]
    fn ages() {
        for (text, seconds) in [
            ("2010-05-17 07:51:28 PDT (00:04:33 ago)", Some(273)),
            ("2012-11-12 08:52:01 UTC (2w3d 05:12 ago)", Some(1_487_520)),
            ("Never", None),
            ("(soon ago)", None),
            ("(-1:00 ago)", None),
        ] {
            assert_eq!(cleared_s(text), seconds, "{text}");
        }
    }

    #[test]
    fn words_are_found() {
        assert!(is_sorted(INPUT_WORDS) && is_sorted(OUTPUT_WORDS));
    }

    #[test]
    fn speeds() {
        assert_eq!(speed_bps("10Gbps"), Some(RateBps(1e10)));
        assert_eq!(speed_bps("1000mbps"), Some(RateBps(1e9)));
        assert_eq!(speed_bps("OC192"), Some(RateBps(9_953.28e6)));
        assert_eq!(speed_bps("Auto"), None);
    }
}

//! Cisco ASA and FTD, `show traffic`: what each name of an interface received and sent since the counters were cleared, and the rates of
//! the last minutes.
//! <https://www.cisco.com/c/en/us/td/docs/security/asa/asa-cli-reference/S/asa-command-ref-S/show-t-to-show-z-commands.html>

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::cut::figure;
use crate::formats::interface::section::device;
use crate::prompt::command_line;
use evidence::{CounterKind, InterfaceCounters, InterfaceLoad, Payload, RateBps};

pub(crate) static FORMAT: Format = Format {
    name: "show traffic",
    group: Group::Interfaces,
    reads: "ASA and FTD: packets, bytes and rates of each name of an interface",
    first: "A-Za-z0-9",
    has_command: true,
    marks: Some(|| Marks::of(["show traffic", "received (in ", "transmitted (in "])),
    starts: |line| is_command(line) || way(line).is_some(),
    continues: |block, line| {
        let text = line.trim_ascii();
        let is_of_block =
            || name(line).is_some() || way(line).is_some() || amounts(text).is_some() || rate(text).is_some();
        command_line(line).is_none()
            && (is_of_block() || text.is_empty() || is_ruler(text) && block.len() > 1)
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| typed.command.starts_with("show traffic"))
}

/// `outside:`, and `Aggregated Traffic on Physical Interface` below them all.
fn name(line: &str) -> Option<&str> {
    let name = line.trim_ascii_end().strip_suffix(':')?;
    let is_one = !name.is_empty() && !name.contains([' ', '\t', ':']);
    is_one.then_some(name)
}

fn is_ruler(line: &str) -> bool {
    line.len() > 8 && line.bytes().all(|byte| byte == b'-') || line.starts_with("Aggregated Traffic on ")
}

/// `received (in 35432.123 secs):`: whether it is, and over how many seconds.
fn way(line: &str) -> Option<(bool, f64)> {
    let (word, rest) = line.trim_ascii().split_once(" (in ")?;
    let seconds = rest.strip_suffix(" secs):")?.parse().ok()?;
    match word {
        "received" => Some((true, seconds)),
        "transmitted" => Some((false, seconds)),
        _ => None,
    }
}

/// `98765432 packets\t87654321098 bytes`, and the same a second.
fn amounts(text: &str) -> Option<(u64, u64, bool)> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [packets, unit, bytes, of] = words.as_slice() else {
        return None;
    };
    let is_rate = match (*unit, *of) {
        ("packets", "bytes") => false,
        ("pkts/sec", "bytes/sec") => true,
        _ => return None,
    };
    Some((figure(packets)?, figure(bytes)?, is_rate))
}

/// `5 minute input rate 2222 pkts/sec,  2222222 bytes/sec`: minutes, which rate, packets, bytes.
fn rate(text: &str) -> Option<(u64, &str, u64, Option<u64>)> {
    let (minutes, rest) = text.split_once(" minute ")?;
    let (which, rest) = rest
        .split_once(" rate")
        .filter(|(which, _)| matches!(*which, "input" | "output" | "drop"))?;
    let (packets, bytes) = rest.trim_start_matches([',', ' ']).split_once(" pkts/sec")?;
    let bytes = bytes.trim_start_matches([',', ' ']).strip_suffix(" bytes/sec");
    Some((figure(minutes)?, which, figure(packets)?, bytes.and_then(figure)))
}

/// What is read of one name.
#[derive(Default)]
struct Open {
    lines: (u64, u64),
    interface: InterfaceCounters,
    way: Option<bool>,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let device = device(block, context);
    let mut open: Option<Open> = None;
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if text.is_empty() || is_command(line) || is_ruler(text) {
            continue;
        }
        if let Some(name) = name(line).filter(|_| way(line).is_none()) {
            finish(open.take(), context, findings);
            let interface = InterfaceCounters {
                device: device.clone(),
                interface: name.to_owned(),
                ..InterfaceCounters::default()
            };
            open = Some(Open {
                lines: (number, number),
                interface,
                way: None,
            });
            continue;
        }
        let taken = open.as_mut().and_then(|open| {
            open.lines.1 = number;
            take(open, text)
        });
        if taken.is_none() {
            findings.complain(
                number,
                format!("not understood, or of no interface that is told: {text}"),
            );
            // A title may be missing: what was read is not surely of its direction, and what stands below not of this interface.
            open = None;
        }
    }
    finish(open, context, findings);
}

/// Takes a line of an interface; `None` for one that is not in its place.
fn take(open: &mut Open, text: &str) -> Option<()> {
    use CounterKind::{InputBytes, InputPackets, OutputBytes, OutputPackets};
    let interface = &mut open.interface;
    if let Some((is_received, seconds)) = way(text) {
        // Received stands first, and both once.
        let is_next = matches!((open.way, is_received), (None, true) | (Some(true), false));
        open.way = Some(is_received).filter(|_| is_next);
        let counting = seconds as u64;
        let is_same = interface.counting_for_s.is_none_or(|known| known == counting);
        interface.counting_for_s = Some(counting).filter(|_| is_same);
        return is_next.then_some(());
    }
    if let Some((packets, bytes, is_rate)) = amounts(text) {
        let kinds = if open.way? {
            [InputPackets, InputBytes]
        } else {
            [OutputPackets, OutputBytes]
        };
        if !is_rate {
            let is_first = kinds.iter().all(|kind| !interface.counters.contains_key(kind));
            interface.counters.extend(kinds.into_iter().zip([packets, bytes]));
            return is_first.then_some(());
        }
        return Some(());
    }
    // The rates stand below both ways.
    let (minutes, which, packets, bytes) = rate(text).filter(|_| open.way == Some(false))?;
    // Of the two times of averaging the longer one is as others have it.
    if minutes == 5 && which != "drop" {
        let load = interface.load.get_or_insert(InterfaceLoad {
            over_s: Some(300),
            ..InterfaceLoad::default()
        });
        let bps = bytes.map(|bytes| RateBps(bytes as f64 * 8.0));
        let (rate, pps) = match which {
            "input" => (&mut load.input_bps, &mut load.input_pps),
            _ => (&mut load.output_bps, &mut load.output_pps),
        };
        if pps.is_some() {
            return None;
        }
        (*rate, *pps) = (bps, Some(packets as f64));
    } else if minutes == 5 {
        let name = "drop rate over 5 minutes".to_owned();
        interface.settings.insert(name, format!("{packets} pkts/sec"));
    }
    Some(())
}

fn finish(open: Option<Open>, context: &Context, findings: &mut Findings) {
    let Some(Open { lines, interface, .. }) = open else {
        return;
    };
    if !interface.counters.is_empty() || interface.load.is_some() {
        let payload = Payload::InterfaceCounters(interface);
        findings.record_of(lines, "show traffic", context.at, payload);
    }
}

//! Linux `ethtool -m`: what a transceiver says of itself, one lane (SFF-8472) or several (SFF-8636, CMIS).

use super::command::{NAMELESS, arguments, hostname, is_gap, is_only};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::given::Given;
use crate::text::parted;
use evidence::{InterfaceCounters, Node, Optics, Payload};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) static FORMAT: Format = Format {
    name: "ethtool -m",
    group: Group::Hosts,
    reads: "light received and sent, temperature, thresholds and alarms of a transceiver, one lane or several",
    first: "Ie",
    has_command: true,
    marks: Some(|| Marks::of(["Identifier  ", "ethtool"])),
    starts: |line| is_head(line) || is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            return is_gap(block, line, is_command) || is_head(line) || figure(line).is_some();
        }
        // What is indented as a whole comes without.
        figure(line).is_some_and(|(key, _)| !is_head(line) && key.len() < 60)
    },
    takes_in: None,
    read,
};

/// ` Identifier                                : 0x03 (SFP)`
fn is_head(line: &str) -> bool {
    let line = line.trim_ascii_start();
    line.starts_with("Identifier  ") && line.contains(" : 0x")
}

fn is_command(line: &str) -> bool {
    interface_of(line).is_some()
}

fn interface_of(line: &str) -> Option<&str> {
    let mut words = arguments(line, "ethtool")?;
    let wanted = matches!(words.next()?, "-m" | "--dump-module-eeprom" | "--module-info");
    words.next().filter(|_| wanted)
}

/// `Laser output power : 0.5012 mW / -3.00 dBm`: the key and the value.
fn figure(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_ascii_start();
    let (key, value) = parted(line, " : ").or_else(|| {
        line.trim_ascii_end()
            .split_once(" :")
            .filter(|(_, value)| value.is_empty())
    })?;
    Some((key.trim_ascii(), value.trim_ascii()))
}

/// Keys of light received and sent, in front of which the lane stands or behind which it does.
const RECEIVED: [&str; 3] = [
    "Receiver signal average optical power",
    "Rcvr signal avg optical power",
    "Receiver signal OMA",
];
const SENT: [&str; 2] = ["Laser output power", "Transmit avg optical power"];

/// The lane of `Rcvr signal avg optical power(Channel 2)` or `… (Lane 2)`; 1 for a key without one.
fn lane<'a>(key: &'a str, names: &[&str]) -> Option<u32> {
    let rest: &'a str = names.iter().find_map(|name| key.strip_prefix(name))?;
    let rest = rest.trim_ascii();
    if rest.is_empty() {
        return Some(1);
    }
    let inner = rest.strip_prefix('(')?.strip_suffix(')')?;
    let (word, number) = inner.split_once(' ')?;
    matches!(word, "Channel" | "Lane").then(|| number.trim_ascii().parse().ok())?
}

/// Whether what a key says of its lane is a number: `Laser rx power low alarm (Chan 2)`, `… (Channel 2)`. One without a lane has nothing
/// to say.
fn has_lane(key: &str) -> bool {
    let lane = key.strip_suffix(')').and_then(|key| key.rsplit_once('('));
    let number = lane.and_then(|(_, lane)| {
        let (word, number) = lane.split_once(' ')?;
        matches!(word, "Chan" | "Channel" | "Lane").then_some(number)
    });
    let is_number = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    !key.contains('(') || number.is_some_and(is_number)
}

/// `0.5012 mW / -3.00 dBm`. No light is an infinity below: it stays unknown how little there is.
fn dbm(value: &str) -> Option<f64> {
    let text = value.rsplit_once('/').map_or(value, |(_, dbm)| dbm).trim_ascii();
    let (figure, behind) = text.split_once("dBm")?;
    // What somebody wrote beside it stands apart: `-2.34 dBm   -- 1`.
    let is_apart = behind.is_empty() || behind.starts_with("  ") || behind.starts_with('\t');
    let dbm: f64 = figure.trim_ascii().parse().ok().filter(|_| is_apart)?;
    (-60.0..=30.0).contains(&dbm).then_some(dbm)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut light: Given<f64> = Given::default();
    let mut dark: Given<()> = Given::default();
    let mut optics = Optics::default();
    let mut understood = false;
    for (number, line) in block.numbered() {
        let Some((key, value)) = figure(line) else {
            if number != block.first_line {
                findings.unread(number, line);
            }
            continue;
        };
        understood = true;
        let of = |way: &str, lane: u32| format!("{way}{lane:03}");
        let names = [("rx", lane(key, &RECEIVED)), ("tx", lane(key, &SENT))];
        let lane = names.iter().find_map(|(way, lane)| Some(of(way, (*lane)?)));
        match (lane, dbm(value)) {
            (Some(name), Some(dbm)) => light.put(findings, number, name, dbm),
            // A lane without light: how little there is it does not say.
            (Some(name), None) if value.ends_with("-inf dBm") => dark.put(findings, number, name, ()),
            (Some(_), None) => findings.complain(number, format!("no light power: {}", line.trim_ascii())),
            (None, _)
                if key.starts_with("Module temperature")
                    && !key.contains("alarm")
                    && !key.contains("warning") =>
            {
                match celsius(value) {
                    Some(degrees) => light.put(findings, number, "temperature", degrees),
                    None => findings.unread(number, line),
                }
            }
            (None, Some(dbm)) if is_low_warning(key) => light.put(findings, number, "threshold", dbm),
            (None, None) if value.contains("dBm") && !key.contains("threshold") => {
                findings.unread(number, line)
            }
            // `Laser rx power low alarm : On`
            (None, _) if value == "On" && !has_lane(key) => {
                findings.complain(number, format!("of which lane? {}", line.trim_ascii()));
            }
            (None, _) if value == "On" => {
                let alarm = key.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                if !optics.alarms.contains(&alarm) {
                    optics.alarms.push(alarm);
                }
            }
            _ => {}
        }
    }
    optics.temperature_c = light.take("temperature");
    optics.received_low_warning_dbm = light.take("threshold");
    let values = light.into_values();
    let dark = dark.into_values();
    // Most modules number their lanes from 1 on, some systems from 0.
    let first = if values
        .keys()
        .chain(dark.keys())
        .any(|name| name.ends_with("x000"))
    {
        0
    } else {
        1
    };
    let mut said = BTreeMap::new();
    // In the order of their lanes; with one missing the others would be taken for it.
    let mut lanes = |way: &str, name: &str| {
        let of_way = |known: &&String| known.starts_with(way);
        let all: BTreeSet<&String> = values.keys().chain(dark.keys()).filter(of_way).collect();
        let in_order = (first..)
            .zip(&all)
            .all(|(lane, name)| **name == format!("{way}{lane:03}"));
        if !in_order {
            findings.complain_of(
                (block.first_line, block.last_line()),
                "light of one lane is missing",
            );
            return Vec::new();
        }
        // No light has no figure: then it is told in words, of each lane.
        if dark.keys().any(|known| known.starts_with(way)) {
            for (lane, known) in (first..).zip(&all) {
                let light = values
                    .get(*known)
                    .map_or("none".to_owned(), |dbm| format!("{dbm} dBm"));
                said.insert(format!("light {name}, lane {lane}"), light);
            }
            return Vec::new();
        }
        all.into_iter()
            .filter_map(|name| values.get(name).copied())
            .collect()
    };
    optics.received_dbm = lanes("rx", "received");
    optics.sent_dbm = lanes("tx", "sent");
    if understood && (optics != Optics::default() || !said.is_empty()) {
        record(block, context, findings, optics, said);
    } else if understood {
        // A cable of copper, or a module that measures nothing.
        findings.nothing_to_say();
    }
}

fn record(
    block: &Block,
    context: &Context,
    findings: &mut Findings,
    optics: Optics,
    settings: BTreeMap<String, String>,
) {
    let named = hostname(block).map(|name| Node::named(&name));
    let counters = InterfaceCounters {
        device: context.from_or(named.unwrap_or_default()),
        interface: block.first().and_then(interface_of).unwrap_or("").to_owned(),
        optics: Some(optics),
        settings,
        ..InterfaceCounters::default()
    };
    if counters.interface.is_empty() {
        findings.complain(block.first_line, NAMELESS);
    }
    findings.record(
        block,
        "ethtool -m",
        context.at,
        Payload::InterfaceCounters(counters),
    );
}

fn is_low_warning(key: &str) -> bool {
    key == "Laser rx power low warning threshold" || key.starts_with("Rx power low warning threshold")
}

/// `38.50 degrees C / 101.30 degrees F`
fn celsius(value: &str) -> Option<f64> {
    let (number, rest) = value.split_once(' ')?;
    let degrees: f64 = number.parse().ok()?;
    (rest.starts_with("degrees C") && degrees.abs() < 200.0).then_some(degrees)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_and_light() {
        assert_eq!(
            lane("Rcvr signal avg optical power(Channel 3)", &RECEIVED),
            Some(3)
        );
        assert_eq!(lane("Laser output power", &SENT), Some(1));
        assert_eq!(lane("Laser output power high alarm", &SENT), None);
        assert_eq!(dbm("0.5012 mW / -3.00 dBm"), Some(-3.0));
        assert_eq!(dbm("0.5012 mW / -3.00 dBm   -- 1"), Some(-3.0));
        assert_eq!((dbm("0.0000 mW / -inf dBm"), dbm("6.0 mA")), (None, None));
        assert_eq!(celsius("38.50 degrees C / 101.30 degrees F"), Some(38.5));
    }
}

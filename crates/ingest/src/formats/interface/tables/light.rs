//! `show interfaces transceiver (detail)` of IOS, IOS XE and EOS: tables with a heading of several lines, the columns of
//! which the rule below it shows.

use super::cell::{celsius, dbm, is_absent, is_port};
use super::gathered::{About, Gathered, Said};
use crate::findings::Findings;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Port,
    Lane,
    Temperature,
    Received,
    Sent,
    /// The threshold below which received light is warned of.
    ReceivedLowWarning,
    /// The time of the last update, of several words.
    Time,
    Other,
}

/// The columns of a table: where each begins and what it holds.
#[derive(Debug, Default)]
pub(super) struct Heading {
    columns: Vec<(usize, Holds)>,
    /// The words do not stand above the rule, as where blanks were lost: whose light is whose is not told.
    is_displaced: bool,
}

/// Words that headings are made of.
const WORDS: &[&str] = &[
    "Optical",
    "Temperature",
    "Temp",
    "Voltage",
    "Current",
    "Bias",
    "Tx",
    "Rx",
    "Power",
    "Transmit",
    "Receive",
    "High",
    "Low",
    "Alarm",
    "Warn",
    "Warning",
    "Threshold",
    "Last",
    "Update",
    "Port",
    "Interface",
    "SFP/SFP+",
    "QSFP/QSFP+",
    "Lane",
    "(Celsius)",
    "(Volts)",
    "(mA)",
    "(dBm)",
    "(milliamperes)",
    "(Date",
    "Time)",
    "Laser",
    "Max",
    "(Watts)",
    "Output",
    "Input",
];

/// Whether a line is of the heading of such a table.
pub(super) fn is_heading(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace().peekable();
    words.peek().is_some() && words.all(|word| WORDS.contains(&word))
}

/// A line that such a heading begins with, telling enough to begin a block: several of its words, set off.
pub(super) fn is_first_heading(line: &str) -> bool {
    // "Output  Input" alone may stand above columns of anything, and units stand below the words that they are of.
    let is_way = |word: &str| matches!(word, "Output" | "Input");
    line.starts_with("   ")
        && line.split_ascii_whitespace().nth(1).is_some()
        && !line.trim_ascii_start().starts_with('(')
        && is_heading(line)
        && !line.split_ascii_whitespace().all(is_way)
}

/// The last line of it: `Port (Celsius) (Volts) (mA) (dBm) (dBm)`.
pub(super) fn is_last_heading(line: &str) -> bool {
    let text = line.trim_ascii_start();
    (text.starts_with("Port ") || text.starts_with("Interface ")) && line.contains('(') && is_heading(line)
}

/// What is printed around the tables.
pub(super) const LEGENDS: [&str; 10] = [
    "If device is externally calibrated",
    "N/A: not applicable",
    "NA or N/A: not applicable",
    "mA: milliamperes",
    "++ : high alarm",
    "A2D readouts (if they differ)",
    "The threshold values are",
    "ITU Channel ",
    "Transceiver is ",
    "Transceiver monitoring is ",
];

pub(super) fn is_legend(line: &str) -> bool {
    let text = line.trim_ascii_start();
    LEGENDS.iter().any(|legend| text.starts_with(legend)) || is_module(line)
}

/// Who made the module that the line above names.
pub(super) fn is_of_module(line: &str) -> bool {
    const OF_MODULE: [&str; 3] = ["Vendor Name", "Part No.", "Serial No."];
    let text = line.trim_ascii_start();
    line.starts_with(' ') && OF_MODULE.iter().any(|begin| text.starts_with(begin))
}

/// FortiGate says above its table which module each port has: `Interface port25 - SFP/SFP+`.
pub(super) fn is_module(line: &str) -> bool {
    let named = line
        .strip_prefix("Interface ")
        .and_then(|rest| rest.split_once(" - "));
    named.is_some_and(|(port, module)| is_port(port) && MODULES.iter().any(|known| module.starts_with(known)))
}

pub(super) const MODULES: [&str; 3] = ["SFP/SFP+", "QSFP", "Transceiver is not detected"];

/// The columns that a rule of dashes shows, with the words above each.
pub(super) fn columns(lines: &[&str], rule: &str) -> Heading {
    let mut columns = Vec::new();
    let mut at = 0;
    for part in rule.split(' ') {
        if part.len() > 1 {
            columns.push((at, at + part.len()));
        }
        at += part.len() + 1;
    }
    let starts: Vec<usize> = columns.iter().map(|(start, _)| *start).collect();
    let mut above = vec![String::new(); columns.len()];
    for line in lines {
        // A word stands above the column that begins last before its end: headings may begin a little before their rule.
        let mut at = 0;
        for word in line.split(' ') {
            let end = at + word.len();
            if !word.is_empty() {
                let place = starts.iter().rposition(|start| *start < end);
                if let Some(words) = place.and_then(|place| above.get_mut(place)) {
                    words.push_str(word);
                    words.push(' ');
                }
            }
            at = end + 1;
        }
    }
    let columns = starts.into_iter().zip(above.iter().map(|words| holds(words)));
    let mut columns: Vec<(usize, Holds)> = columns.collect();
    // In the table of received light the first figure is the light itself, and what follows are its thresholds.
    let received = above.iter().any(|words| is_received(words));
    for ((_, column), words) in columns.iter_mut().zip(&above) {
        if received && words.contains("Low Warn") && words.contains("Threshold") {
            *column = Holds::ReceivedLowWarning;
        }
    }
    if above.iter().all(|words| is_of_one(words)) {
        return Heading {
            columns,
            is_displaced: false,
        };
    }
    match in_order(lines) {
        Some(columns) => Heading {
            columns: columns.into_iter().map(|holds| (0, holds)).collect(),
            is_displaced: false,
        },
        None => Heading {
            columns,
            is_displaced: true,
        },
    }
}

/// What is measured, and in which unit.
const UNITS: [(&str, &str); 7] = [
    ("Temp", "(Celsius)"),
    ("Temperature", "(Celsius)"),
    ("Voltage", "(Volts)"),
    ("Current", "(mA)"),
    ("Current", "(milliamperes)"),
    ("Power", "(dBm)"),
    ("Power", "(Watts)"),
];

/// Whether the words above a column are those of one: one unit at most, and what is measured in it, of one direction. A threshold has
/// its own words. Where blanks were lost words stand above the columns of others.
fn is_of_one(words: &str) -> bool {
    let count = |names: &[&str]| words.split(' ').filter(|word| names.contains(word)).count();
    let units = words.split(' ').filter(|word| is_unit(word));
    let (mut units, is_threshold) = (units, count(&["Threshold"]) == 1);
    let (unit, further) = (units.next(), units.next());
    let fits = |word: &str| {
        let of = UNITS.iter().filter(|(name, _)| *name == word);
        of.clone().next().is_none() || of.into_iter().any(|(_, known)| Some(*known) == unit)
    };
    let is_named = is_threshold
        || count(&["Bias"]) == 1
        || words
            .split(' ')
            .any(|word| UNITS.iter().any(|(name, _)| *name == word));
    // What the laser is given goes one way only.
    let ways = match count(&["Bias"]) {
        0 => count(&["Tx", "Transmit", "Rx", "Receive"]),
        _ => 0,
    };
    let levels = (count(&["High", "Low"]), count(&["Alarm", "Warn", "Warning"]));
    further.is_none()
        && words.split(' ').all(fits)
        && (unit.is_none() || is_named)
        // What a module draws at most goes no way.
        && ways == usize::from(count(&["Power"]) == 1 && count(&["Max"]) == 0)
        && levels == if is_threshold { (1, 1) } else { (0, 0) }
}

fn is_unit(word: &str) -> bool {
    UNITS.iter().any(|(_, unit)| *unit == word)
}

/// The columns by the order of the words alone: as many units in the last line as there are things measured, or one that is and its
/// thresholds. `None` where the words do not tell.
fn in_order(lines: &[&str]) -> Option<Vec<Holds>> {
    let (last, above) = lines.split_last()?;
    let mut behind_units = last.split_ascii_whitespace().skip_while(|word| !is_unit(word));
    let mut columns = Vec::new();
    for word in last.split_ascii_whitespace().take_while(|word| !is_unit(word)) {
        columns.push(match word {
            "Port" | "Interface" => Holds::Port,
            "Lane" => Holds::Lane,
            _ => return None,
        });
    }
    let units: Vec<&str> = behind_units.by_ref().filter(|word| is_unit(word)).collect();
    let words: Vec<&str> = above
        .iter()
        .flat_map(|line| line.split_ascii_whitespace())
        .collect();
    // "Tx Bias (mA)" is a current, also without the word.
    let is_bias = |word: &str| word == "Bias" && !words.contains(&"Current");
    let named: Vec<(usize, &str)> = words
        .iter()
        .enumerate()
        .filter(|(_, word)| UNITS.iter().any(|(name, _)| name == *word) || is_bias(word))
        .map(|(at, word)| (at, if is_bias(word) { "Current" } else { *word }))
        .collect();
    let holds = |(at, name): &(usize, &str)| {
        let way = at.checked_sub(1).and_then(|before| words.get(before)).copied();
        match (*name, way) {
            ("Power", Some("Rx" | "Receive")) => Some(Holds::Received),
            ("Power", Some("Tx" | "Transmit")) => Some(Holds::Sent),
            ("Power", _) => None,
            ("Temp" | "Temperature", _) => Some(Holds::Temperature),
            _ => Some(Holds::Other),
        }
    };
    let measured: Vec<Holds> = named.iter().map(holds).collect::<Option<_>>()?;
    let is_in = |(name, unit): (&str, &&str)| UNITS.contains(&(name, *unit));
    let thresholds = words.iter().filter(|word| **word == "Threshold").count();
    let has_time = last.ends_with("Last Update") || words.contains(&"Update");
    if thresholds == 0 && units.len() == measured.len() {
        let mut pairs = named.iter().map(|(_, name)| *name).zip(&units);
        columns.extend(measured);
        columns.extend(has_time.then_some(Holds::Time));
        return pairs.all(is_in).then_some(columns);
    }
    let [what] = measured[..] else { return None };
    let levels: Vec<&[&str]> = words
        .windows(2)
        .filter(|pair| matches!(pair[0], "High" | "Low"))
        .collect();
    let unit = units.first()?;
    let is_whole = thresholds + 1 == units.len()
        && thresholds == levels.len()
        && units.iter().all(|other| other == unit)
        && named.iter().all(|(_, name)| is_in((name, unit)));
    columns.push(what);
    columns.extend(levels.iter().map(|level| match level {
        ["Low", "Warn" | "Warning"] if what == Holds::Received => Holds::ReceivedLowWarning,
        _ => Holds::Other,
    }));
    is_whole.then_some(columns)
}

fn is_received(words: &str) -> bool {
    words.contains("(dBm)")
        && (words.contains("Rx Power") || words.contains("Receive Power"))
        && !words.contains("Threshold")
}

fn holds(words: &str) -> Holds {
    if words.contains("Update") {
        Holds::Time
    } else if words.contains("Threshold") {
        Holds::Other
    } else if words.contains("Port") || words.contains("Interface") {
        Holds::Port
    } else if words.contains("Lane") {
        Holds::Lane
    } else if is_received(words) {
        Holds::Received
    } else if words.contains("(dBm)") && (words.contains("Tx Power") || words.contains("Transmit Power")) {
        Holds::Sent
    } else if words.contains("Temp") && words.contains("(Celsius)") {
        Holds::Temperature
    } else {
        Holds::Other
    }
}

const ALARMS: [(&str, &str); 4] = [
    ("++", "high alarm"),
    ("+", "high warning"),
    ("-", "low warning"),
    ("--", "low alarm"),
];

/// A figure, and the sign of an alarm behind it. A raw reading in parentheses may follow.
fn cell<'a>(
    words: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
) -> Option<(&'a str, Option<&'static str>)> {
    let figure = words.next()?;
    let mut alarm = None;
    while let Some(next) = words.peek() {
        if let Some((_, name)) = ALARMS.iter().find(|(sign, _)| sign == next) {
            alarm = Some(*name);
        } else if !next.starts_with('(') && *next != "W" {
            break;
        }
        words.next();
    }
    Some((figure, alarm))
}

/// Takes a row: as many figures as columns, or none is used. The time of the last update is of several words.
pub(super) fn take(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    heading: &Heading,
    row: &str,
) {
    let mut words = row.split_ascii_whitespace().peekable();
    let Some(port) = words.next().filter(|port| is_port(port)) else {
        return findings.unread(number, row);
    };
    if heading.is_displaced {
        return findings.complain(
            number,
            "the heading does not stand above its columns, as if blanks were lost: none of the row is used",
        );
    }
    let (mut lane, mut said) = (0, Vec::new());
    let timed = heading.columns.iter().any(|(_, holds)| *holds == Holds::Time);
    for (_, holds) in heading.columns.iter().skip(1) {
        let Some((figure, alarm)) = cell(&mut words) else {
            return findings.complain(number, "fewer figures than columns: none is used");
        };
        let (about, name, value) = match holds {
            Holds::Lane => {
                // A module with one laser names no lane.
                if is_absent(figure) {
                    continue;
                }
                let Ok(read) = figure.parse() else {
                    return findings.complain(number, "no lane: none of the row is used");
                };
                lane = read;
                continue;
            }
            Holds::Received => (About::Received(lane), "rx power", dbm(figure)),
            Holds::Sent => (About::Sent(lane), "tx power", dbm(figure)),
            Holds::Temperature => (About::Temperature, "temperature", celsius(figure)),
            Holds::ReceivedLowWarning => (About::ReceivedLowWarning, "", dbm(figure)),
            Holds::Port | Holds::Time | Holds::Other => continue,
        };
        match value {
            Some(value) => said.push((about, Said::Number(value))),
            None if is_absent(figure) => {}
            None => return findings.complain(number, format!("no figure: {figure}")),
        }
        if let Some(alarm) = alarm {
            said.push((About::Alarm(format!("{name} {alarm}")), Said::Flag(true)));
        }
    }
    if words.next().is_some() && !timed {
        return findings.complain(number, "more figures than columns: none is used");
    }
    for (about, value) in said {
        gathered.say(findings, number, port, about, value);
    }
}

//! `show interfaces transceiver (detail)` of IOS, IOS XE and EOS: tables with a heading of several lines, the columns of
//! which the rule below it shows.

use super::cell::{celsius, dbm, is_absent, is_port};
use super::gathered::{About, Gathered, Said};
use crate::block::Findings;

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
    "Lane",
    "(Celsius)",
    "(Volts)",
    "(mA)",
    "(dBm)",
    "(milliamperes)",
    "(Date",
    "Time)",
    "Laser",
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
    line.starts_with("   ") && line.split_ascii_whitespace().nth(1).is_some() && is_heading(line)
}

/// The last line of it: `Port (Celsius) (Volts) (mA) (dBm) (dBm)`.
pub(super) fn is_last_heading(line: &str) -> bool {
    line.trim_ascii_start().starts_with("Port ") && line.contains('(') && is_heading(line)
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
    let line = line.trim_ascii_start();
    LEGENDS.iter().any(|legend| line.starts_with(legend))
}

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
    Heading {
        columns,
        is_displaced: above.iter().any(|words| is_of_several(words)),
    }
}

/// Whether the words above one column are those of two.
fn is_of_several(words: &str) -> bool {
    let units = words
        .split(' ')
        .filter(|word| word.starts_with('(') && word.ends_with(')'))
        .count();
    let has = |names: [&str; 2]| words.split(' ').any(|word| names.contains(&word));
    units > 1 || has(["Tx", "Transmit"]) && has(["Rx", "Receive"])
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
    } else if words.contains("Port") {
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
        } else if !next.starts_with('(') {
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

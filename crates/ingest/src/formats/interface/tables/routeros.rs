//! MikroTik RouterOS: `/interface print stats`, `print detail`, `/interface ethernet print stats`, `monitor`, `monitor-traffic`.
//!
//! Figures have blanks between thousands and stand flush right: below the last letter of their heading, or of the name of the
//! interface where a line is a counter and a column an interface. What does not end there is not used.

use super::gathered::{About, Gathered, Said, Traffic};
use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::formats::interface::section::device;
use crate::formats::interface::value;
use crate::prompt::command_line;
use evidence::CounterKind;

pub(crate) static FORMAT: Format = Format {
    name: "RouterOS interfaces",
    group: Group::Interfaces,
    reads: "MikroTik `/interface print`, `print detail`, `print stats`, `/interface ethernet print stats`, `monitor`, \
            `monitor-traffic`",
    first: "0-9nFC#",
    has_command: true,
    starts: |line| {
        is_command(line) || is_legend(line) || heading(line).is_some() || is_names(line) || is_entry(line)
    },
    continues,
    takes_in: None,
    read,
};

const TOOL: &str = "RouterOS interface";

/// What counters are called, sorted.
const WORDS: &[(&str, CounterKind)] = &[
    ("rx-align-error", CounterKind::InputFraming),
    ("rx-byte", CounterKind::InputBytes),
    ("rx-bytes", CounterKind::InputBytes),
    ("rx-drop", CounterKind::InputDiscards),
    ("rx-error", CounterKind::InputErrors),
    ("rx-fcs-error", CounterKind::InputCrc),
    ("rx-overflow", CounterKind::InputOverrun),
    ("rx-packet", CounterKind::InputPackets),
    ("rx-pause", CounterKind::InputPauses),
    ("tx-byte", CounterKind::OutputBytes),
    ("tx-bytes", CounterKind::OutputBytes),
    ("tx-collision", CounterKind::Collisions),
    ("tx-drop", CounterKind::OutputDrops),
    ("tx-error", CounterKind::OutputErrors),
    ("tx-late-collision", CounterKind::LateCollisions),
    ("tx-packet", CounterKind::OutputPackets),
    ("tx-pause", CounterKind::OutputPauses),
    ("tx-queue-drop", CounterKind::OutputDrops),
    ("tx-underrun", CounterKind::OutputUnderruns),
];

/// `[admin@router] > /interface ethernet print stats`
fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| {
        let typed = typed.command.trim_start_matches('/');
        typed.starts_with("interface")
            && (typed.contains(" print") || typed.contains("/print") || typed.contains("monitor"))
    })
}

/// An entry whose first line is what somebody wrote about it.
fn is_comment(line: &str) -> bool {
    let text = line.trim_start();
    text.as_bytes().first().is_some_and(u8::is_ascii_digit) && text.contains(" ;;; ") && !text.contains('=')
}

/// `Flags: D - dynamic, X - disabled, R - running, S - slave`, and what columns there are.
fn is_legend(line: &str) -> bool {
    line.starts_with("Flags: ") && (line.contains("R - running") || line.contains("R - RUNNING"))
        || line.starts_with("Columns: NAME, ") && (line.contains("RX-BYTE") || line.contains("MTU"))
}

/// `# NAME RX-BYTE TX-BYTE …`: where each heading begins and ends.
fn heading(line: &str) -> Option<Vec<(usize, usize, &str)>> {
    if !line.trim_start().starts_with("# ") || !(line.contains("RX-BYTE") || line.contains("MTU")) {
        return None;
    }
    let start = line.as_ptr() as usize;
    let words = line.split(' ').filter(|word| !word.is_empty());
    let words: Vec<_> = words
        .map(|word| {
            let at = word.as_ptr() as usize - start;
            (at, at + word.len(), word)
        })
        .collect();
    words.get(1).is_some_and(|word| word.2 == "NAME").then_some(words)
}

/// `      name: ether1 ether2`: what stands below is of these interfaces.
fn is_names(line: &str) -> bool {
    let text = line.trim_start();
    line.len() - text.len() >= 4
        && text
            .strip_prefix("name: ")
            .is_some_and(|names| !names.trim().is_empty())
}

/// ` 0  R  name="ether1" default-name="ether1" mtu=1500 …`
fn is_entry(line: &str) -> bool {
    let text = line.trim_start();
    text.as_bytes().first().is_some_and(u8::is_ascii_digit)
        && text.contains(" name=")
        && ["mtu=", "rx-byte=", "type="].iter().any(|key| text.contains(key))
}

/// `17:20:06 echo: system,error …`: the log speaks in between.
fn is_log(line: &str) -> bool {
    line.split_once(" echo: ")
        .is_some_and(|(time, _)| time.len() < 24 && time.contains(':'))
}

/// `rx-bytes: 1 234`
fn keyed(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim_start();
    let is_key = !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    (is_key && (value.is_empty() || value.starts_with(' '))).then_some((key, value))
}

fn is_row(line: &str) -> bool {
    line.trim_start()
        .as_bytes()
        .first()
        .is_some_and(u8::is_ascii_digit)
        && line.len() > 20
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim();
    text.is_empty()
        || command_line(line).is_none()
            && (is_legend(line)
                || heading(line).is_some()
                || is_names(line)
                || is_entry(line)
                || is_comment(line)
                || text.starts_with(";;; ")
                || text.starts_with("-- [")
                || is_log(text)
                || block.last().is_some_and(|last| !last.trim().is_empty())
                    && (keyed(line).is_some()
                        || is_row(line) && !is_names(block.first().unwrap_or_default())
                        // The rest of an entry, or of what is printed in hexadecimal.
                        || line.starts_with("      ")))
}

/// What the lines in hand belong to.
enum Above<'t> {
    Nothing,
    Heading(Vec<(usize, usize, &'t str)>),
    /// Names of interfaces by where they end.
    Names(Vec<(usize, &'t str)>),
    /// An entry, and the line that it begins with.
    Entry(u64, String),
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let device_of = device(block, context);
    let mut gathered = Gathered::default();
    let mut above = Above::Nothing;
    let mut has_read = false;
    for (number, line) in block.numbered() {
        if let Above::Entry(first, entry) = &mut above {
            if !line.trim().is_empty() && !is_entry(line) && !is_comment(line) && line.contains('=') {
                entry.push(' ');
                entry.push_str(line.trim());
                continue;
            }
            take_entry(&mut gathered, findings, *first, entry);
            above = Above::Nothing;
        }
        if is_command(line)
            || is_legend(line)
            || line.trim().is_empty()
            || line.trim().starts_with(";;; ")
            || line.trim().starts_with("-- [")
            || is_log(line)
        {
            continue;
        }
        has_read = true;
        if let Some(words) = heading(line) {
            above = Above::Heading(words);
        } else if is_names(line) {
            // Each of several reports is one of its own.
            std::mem::take(&mut gathered).record(WORDS, &device_of, TOOL, context, findings);
            above = Above::Names(names(line));
        } else if is_entry(line) || is_comment(line) {
            above = Above::Entry(number, line.to_owned());
        } else {
            match &above {
                Above::Heading(words) => take_row(&mut gathered, findings, number, words, line),
                Above::Names(names) => take_keyed(&mut gathered, findings, number, names, line),
                Above::Nothing | Above::Entry(..) => findings.complain(number, "a row below no heading"),
            }
        }
    }
    if let Above::Entry(first, entry) = &above {
        take_entry(&mut gathered, findings, *first, entry);
    }
    if !has_read
        && !block
            .lines()
            .all(|line| is_command(line) || line.trim().is_empty())
    {
        findings.nothing_to_say();
    }
    gathered.record(WORDS, &device_of, TOOL, context, findings);
}

fn names(line: &str) -> Vec<(usize, &str)> {
    let start = line.as_ptr() as usize;
    let behind = line.split_once(':').map_or("", |(_, names)| names);
    let names = behind.split(' ').filter(|name| !name.is_empty());
    names
        .map(|name| (name.as_ptr() as usize - start + name.len(), name))
        .collect()
}

/// A figure with blanks between thousands; nothing else.
fn spaced(text: &str) -> Option<u64> {
    let mut groups = text.split(' ');
    let first = groups.next()?;
    let digits = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = digits(first) && groups.all(|group| group.len() == 3 && digits(group));
    let is_grouped = text.contains(' ');
    (is_whole && (!is_grouped || first.len() <= 3)).then(|| text.replace(' ', "").parse().ok())?
}

/// What ends at a column, back to where the one before it ends: empty where nothing does, `None` where it reaches further.
fn flush_right(row: &str, before: usize, end: usize) -> Option<&str> {
    let bytes = row.as_bytes();
    if bytes.get(end).is_some_and(|byte| *byte != b' ') {
        return None;
    }
    let cell = row.get(before.min(row.len())..end.min(row.len()))?;
    let cell = if cell.ends_with(' ') { "" } else { cell };
    let from = cell.rfind("  ").map_or(0, |at| at + 2);
    cell.get(from..).map(str::trim)
}

/// Flags of an interface: what stands between its number and its name.
fn is_running(flags: &str) -> bool {
    let flags = flags
        .trim_start()
        .trim_start_matches(|c: char| c.is_ascii_digit());
    flags.contains('R')
}

fn take_row(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    words: &[(usize, usize, &str)],
    row: &str,
) {
    let told = || {
        let (start, _, _) = words.get(1)?;
        let behind = row
            .get(*start..)
            .filter(|_| row.get(..*start).is_some_and(|flags| flags.ends_with(' ')))?;
        let name = behind
            .split("  ")
            .next()
            .filter(|name| !name.is_empty() && !name.starts_with(' '))?;
        let mut told = vec![(About::Up, Said::Flag(is_running(row.get(..*start)?)))];
        let mut before = start + name.len();
        for (at, (_, end, word)) in words.iter().enumerate().skip(2) {
            let what = match *word {
                "ACTUAL-MTU" => Some(About::Mtu),
                "MTU" if words.len() > 3 && at == 2 => Some(About::Mtu),
                word if word.starts_with("RX-") || word.starts_with("TX-") || word.starts_with("FP-") => {
                    Some(About::Counter(word.to_ascii_lowercase()))
                }
                _ => None,
            };
            if let Some(about) = what {
                let cell = flush_right(row, before, *end)?;
                if !cell.is_empty() {
                    told.push((about, Said::Count(spaced(cell)?)));
                }
            }
            before = before.max(*end);
        }
        Some((name, told))
    };
    match told() {
        Some((name, told)) => {
            for (about, said) in told {
                gathered.say(findings, number, name, about, said);
            }
        }
        None => findings.complain(
            number,
            "the figures do not end below their headings: none is used",
        ),
    }
}

fn take_keyed(
    gathered: &mut Gathered,
    findings: &mut Findings,
    number: u64,
    names: &[(usize, &str)],
    line: &str,
) {
    let Some((key, values)) = keyed(line) else {
        findings.unread(number, line);
        return;
    };
    let mut before = line.len() - values.len();
    for (end, name) in names {
        let cell = match names.len() {
            1 => Some(values.trim()),
            _ => flush_right(line, before, *end),
        };
        before = *end;
        match cell.map(|cell| said(key, cell)) {
            Some(Ok(Some((about, said)))) => gathered.say(findings, number, name, about, said),
            Some(Ok(None)) => {}
            None | Some(Err(())) => {
                findings.complain(
                    number,
                    format!("{key} of {name} is not understood: {}", values.trim()),
                );
            }
        }
    }
}

/// What a line says of an interface: nothing of settings; an error for what is no figure where one should be.
fn said(key: &str, cell: &str) -> Result<Option<(About, Said)>, ()> {
    if cell.is_empty() {
        return Ok(None);
    }
    let power = |about: About| {
        let dbm = cell
            .strip_suffix("dBm")
            .and_then(|dbm| dbm.parse().ok())
            .ok_or(())?;
        Ok(Some((about, Said::Number(dbm))))
    };
    let rate = |which: Traffic| {
        let bps = value::rate(cell).ok_or(())?;
        Ok(Some((About::Load(which), Said::Number(bps.0))))
    };
    let packets = |which: Traffic| {
        let pps = spaced(cell).ok_or(())?;
        Ok(Some((About::Load(which), Said::Number(pps as f64))))
    };
    match key {
        "status" => Ok(match cell {
            "link-ok" => Some((About::Up, Said::Flag(true))),
            "no-link" | "disabled" => Some((About::Up, Said::Flag(false))),
            _ => None,
        }),
        "rate" => Ok(value::speed(cell).map(|bps| (About::Speed, Said::Number(bps.0)))),
        "full-duplex" => Ok(match cell {
            "yes" => Some((About::Duplex, Said::Text("full".to_owned()))),
            "no" => Some((About::Duplex, Said::Text("half".to_owned()))),
            _ => None,
        }),
        "sfp-rx-power" => power(About::Received(0)),
        "sfp-tx-power" => power(About::Sent(0)),
        "sfp-temperature" => {
            let celsius = cell
                .strip_suffix('C')
                .and_then(|celsius| celsius.parse().ok())
                .ok_or(())?;
            Ok(Some((About::Temperature, Said::Number(celsius))))
        }
        "rx-bits-per-second" => rate(Traffic::InBps),
        "tx-bits-per-second" => rate(Traffic::OutBps),
        "rx-packets-per-second" => packets(Traffic::InPps),
        "tx-packets-per-second" => packets(Traffic::OutPps),
        key if key.ends_with("-flow-control") || key.ends_with("-per-second") => Ok(None),
        key if key.starts_with("rx-") || key.starts_with("tx-") || key.starts_with("driver-") => {
            let count = spaced(cell).ok_or(())?;
            Ok(Some((About::Counter(key.to_owned()), Said::Count(count))))
        }
        _ => Ok(None),
    }
}

fn take_entry(gathered: &mut Gathered, findings: &mut Findings, number: u64, entry: &str) {
    let Some(at) = entry.find(" name=") else {
        return findings.complain(number, "an interface without its name");
    };
    let (flags, rest) = entry.split_at_checked(at).unwrap_or((entry, ""));
    let flags = flags.split_once("comment=").map_or(flags, |(flags, _)| flags);
    let flags = flags.split_once(";;;").map_or(flags, |(flags, _)| flags);
    let pairs = pairs(rest);
    let named = pairs.iter().find(|(key, _)| *key == "name");
    let Some(name) = named
        .map(|(_, name)| name.trim_matches('"'))
        .filter(|name| !name.is_empty())
    else {
        return findings.complain(number, "figures of an interface without its name");
    };
    gathered.say(findings, number, name, About::Up, Said::Flag(is_running(flags)));
    // The end of a line that was cut may be half a figure.
    let is_followed = |key: &str| {
        let behind = FOLLOWING.iter().find(|(before, _)| *before == key);
        behind.is_none_or(|(_, behind)| pairs.iter().any(|(key, _)| behind.contains(key)))
    };
    let is_whole = pairs.iter().all(|(key, _)| is_followed(key));
    if !is_whole {
        findings.complain(
            number,
            format!("counters of {name} are missing: none of them is used"),
        );
    }
    for (key, value) in &pairs {
        let counted = key.starts_with("rx-") || key.starts_with("tx-") || key.starts_with("fp-");
        if *key != "actual-mtu" && !(counted && is_whole) {
            continue;
        }
        let about = if counted {
            About::Counter((*key).to_owned())
        } else {
            About::Mtu
        };
        match spaced(value) {
            Some(figure) => gathered.say(findings, number, name, about, Said::Count(figure)),
            None => findings.complain(number, format!("{key} is no figure: {value}")),
        }
    }
}

/// What stands behind each counter.
const FOLLOWING: &[(&str, &[&str])] = &[
    ("rx-byte", &["tx-byte"]),
    ("tx-byte", &["rx-packet"]),
    ("rx-packet", &["tx-packet"]),
    ("tx-packet", &["rx-drop", "rx-error", "tx-queue-drop"]),
    ("rx-drop", &["tx-drop"]),
    ("tx-drop", &["tx-queue-drop", "rx-error"]),
    ("tx-queue-drop", &["rx-error"]),
    ("rx-error", &["tx-error"]),
];

/// `key=value` with values of several words: a key is what stands in front of an equals sign.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start();
    while let Some((key, behind)) = rest.split_once('=') {
        let next = behind
            .find('=')
            .and_then(|equals| behind.get(..equals)?.rfind(' '));
        let (value, after) = match behind.strip_prefix('"').and_then(|quoted| quoted.find('"')) {
            Some(end) => behind.split_at_checked(end + 2).unwrap_or((behind, "")),
            None => behind
                .split_at_checked(next.unwrap_or(behind.len()))
                .unwrap_or((behind, "")),
        };
        pairs.push((key.trim(), value.trim()));
        rest = after.trim_start();
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_with_blanks() {
        assert!(WORDS.is_sorted_by(|(a, _), (b, _)| a < b));
        assert_eq!(
            (
                spaced("1 234 567"),
                spaced("12"),
                spaced("1 23"),
                spaced("1234 567")
            ),
            (Some(1_234_567), Some(12), None, None)
        );
        let row = "0 R ether1   1 234   56";
        assert_eq!(flush_right(row, 10, 18), Some("1 234"));
        assert_eq!(flush_right(row, 18, 23), Some("56"));
        assert_eq!(flush_right(row, 10, 17), None);
        assert_eq!(
            pairs("name=\"a b\" mtu=1500 rx-byte=1 234 tx-byte=5"),
            [
                ("name", "\"a b\""),
                ("mtu", "1500"),
                ("rx-byte", "1 234"),
                ("tx-byte", "5")
            ]
        );
    }
}

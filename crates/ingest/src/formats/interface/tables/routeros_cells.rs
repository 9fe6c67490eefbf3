//! RouterOS: figures with blanks between thousands, flush right below what they are of.

use super::gathered::{About, Gathered, Said, Traffic};
use crate::findings::Findings;
use crate::formats::interface::value;
use crate::text::begin_of;

/// `rx-bytes: 1 234`
pub(super) fn keyed(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim_ascii_start();
    let is_key = !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'/'));
    (is_key && (value.is_empty() || value.starts_with(' '))).then_some((key, value))
}

pub(super) fn names(line: &str) -> Vec<(usize, &str)> {
    let behind = line.split_once(':').map_or("", |(_, names)| names);
    let names = behind.split(' ').filter(|name| !name.is_empty());
    names
        .map(|name| (begin_of(name, line) + name.len(), name))
        .collect()
}

/// A figure with blanks between thousands; nothing else.
pub(super) fn spaced(text: &str) -> Option<u64> {
    let mut groups = text.split(' ');
    let first = groups.next()?;
    let digits = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = digits(first) && groups.all(|group| group.len() == 3 && digits(group));
    let is_grouped = text.contains(' ');
    (is_whole && (!is_grouped || first.len() <= 3)).then(|| text.replace(' ', "").parse().ok())?
}

/// What ends at a column, back to where the one before it ends: empty where nothing does, `None` where it reaches further.
pub(super) fn flush_right(row: &str, before: usize, end: usize) -> Option<&str> {
    let bytes = row.as_bytes();
    if bytes.get(end).is_some_and(|byte| *byte != b' ') {
        return None;
    }
    let cell = row.get(before.min(row.len())..end.min(row.len()))?;
    // The row was cut inside of it, and so was its figure.
    if row.len() < end && !cell.trim_ascii().is_empty() {
        return None;
    }
    let cell = if cell.ends_with(' ') { "" } else { cell };
    let from = cell.rfind("  ").map_or(0, |at| at + 2);
    cell.get(from..).map(str::trim_ascii)
}

/// Flags of an interface: what stands between its number and its name.
pub(super) fn is_running(flags: &str) -> bool {
    let flags = flags
        .trim_ascii_start()
        .trim_start_matches(|c: char| c.is_ascii_digit());
    flags.contains('R')
}

pub(super) fn take_row(
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

/// Takes the lines below the names of interfaces: a line is a counter, a column an interface. RouterOS makes columns as wide as their
/// widest cell, so either all lines keep to them or blanks were lost, and a figure may look as if it ended below another's name.
pub(super) fn take_table(
    gathered: &mut Gathered,
    findings: &mut Findings,
    names: &[(usize, &str)],
    rows: &[(u64, &str)],
) {
    let fits = |(_, line): &(u64, &str)| {
        keyed(line).is_none_or(|(_, values)| keeps_to(names, line, line.len() - values.len()))
    };
    if names.len() > 1
        && !rows.iter().all(fits)
        && let Some((first, last)) = rows.first().zip(rows.last())
    {
        let why = "the figures do not end below the names, as if blanks were lost: none is used";
        return findings.complain_of((first.0, last.0), why);
    }
    let mut listed = None;
    for (number, line) in rows {
        let begin = begin_of(line.trim_ascii_start(), line);
        if listed == Some(begin) && !line.trim_ascii().contains(' ') {
            continue;
        }
        listed = setting_at(line);
        take_keyed(gathered, findings, *number, names, line);
    }
}

/// Where the value of a setting begins: below it stand further ones, as of the rates that a port can have, with nothing before them.
fn setting_at(line: &str) -> Option<usize> {
    let (key, value) = keyed(line)?;
    let value = value.trim_ascii();
    (!value.is_empty() && said(key, value) == Ok(None)).then(|| begin_of(value, line))
}

/// Whether every cell of the line ends below its name, or is empty, and none reaches into another.
fn keeps_to(names: &[(usize, &str)], line: &str, begin: usize) -> bool {
    let is_blank = |at: usize| line.as_bytes().get(at).is_none_or(|byte| *byte == b' ');
    let mut before = begin;
    let is_kept = names.iter().all(|(end, _)| {
        let cell = line.get(before.min(line.len())..(*end).min(line.len()));
        before = *end;
        let is_empty = cell.is_some_and(|cell| cell.trim_ascii().is_empty());
        is_empty || cell.is_some() && is_blank(*end) && !is_blank(end.saturating_sub(1))
    });
    is_kept && line.trim_ascii_end().len() <= before
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
            1 => Some(values.trim_ascii()),
            _ => flush_right(line, before, *end),
        };
        before = *end;
        match cell.map(|cell| said(key, cell)) {
            Some(Ok(Some((about, said)))) => gathered.say(findings, number, name, about, said),
            Some(Ok(None)) => {}
            None | Some(Err(())) => {
                findings.complain(
                    number,
                    format!("{key} of {name} is not understood: {}", values.trim_ascii()),
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
        key if key.ends_with("-drops-per-second") || key.ends_with("-errors-per-second") => Ok(Some((
            About::Setting(key.to_owned()),
            Said::Text(cell.to_owned()),
        ))),
        key if key.ends_with("-flow-control") || key.ends_with("-per-second") => Ok(None),
        key if key.starts_with("rx-") || key.starts_with("tx-") || key.starts_with("driver-") => {
            let count = spaced(cell).ok_or(())?;
            Ok(Some((About::Counter(key.to_owned()), Said::Count(count))))
        }
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_with_blanks() {
        for (text, figure) in [
            ("1 234 567", Some(1_234_567)),
            ("12", Some(12)),
            ("1 23", None),
            ("1234 567", None),
        ] {
            assert_eq!(spaced(text), figure, "{text}");
        }
        let row = "0 R ether1   1 234   56";
        assert_eq!(flush_right(row, 10, 18), Some("1 234"));
        assert_eq!(flush_right(row, 18, 23), Some("56"));
        assert_eq!(flush_right(row, 10, 17), None);
    }

    #[test]
    fn lines_keep_to_the_columns_of_their_names_or_do_not() {
        let names = names("     name: ether1   sfp1");
        let keeps = |line: &str| keeps_to(&names, line, 10);
        for line in ["  rx-drop:  1 234     17", "  rx-drop:      0", "  rx-drop:"] {
            assert!(keeps(line), "{line}");
        }
        for line in [
            "  rx-drop: 1 234 17",
            "  rx-drop:  1 234 567",
            "  rx-drop: 12 1 234     17",
            "  rx-drop:  1 234      170",
        ] {
            assert!(!keeps(line), "{line}");
        }
    }
}

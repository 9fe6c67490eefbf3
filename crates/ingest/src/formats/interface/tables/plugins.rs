//! What plugins of monitoring say of interfaces: words for people, and behind a bar figures for machines, `'LABEL'=VALUE;WARN;CRIT;MIN;MAX`
//! (`check_nwc_health`, Centreon's).
//! <https://www.monitoring-plugins.org/doc/guidelines.html>
//!
//! Shares are of an interval that nobody tells: they are kept in the plugin's words. Of rates only those are taken of which the unit is told.

use super::gathered::{About, Gathered, Said, Traffic};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use evidence::Node;

pub(crate) static FORMAT: Format = Format {
    name: "plugins of monitoring",
    group: Group::Interfaces,
    reads: "`check_nwc_health` and Centreon's, of interfaces: rates, shares of errors and discards",
    first: "!-~",
    has_command: false,
    marks: Some(|| {
        Marks::of([
            " in:",
            "_in'=",
            "_out'=",
            "_in_",
            "_out_",
            "#interface.",
            "Percent is ",
        ])
    }),
    starts: tells,
    continues: |_, line| line.trim_ascii() == "checking interfaces" || state(line).is_some() || tells(line),
    takes_in: None,
    read,
};

const TOOL: &str = "plugin of monitoring";

fn tells(line: &str) -> bool {
    !shares(line).is_empty() || !figures(line).is_empty() || !counted(line).is_empty()
}

/// What is said of an interface: its name, of what, which way, and the value as it is written.
type Figure<'l> = (&'l str, &'l str, bool, &'l str);

/// What is said of both ways in words: `interface Te1/1 (alias CORE) usage is in:0.76% (151621.76bit/s) out:0.00% (23.67bit/s)`.
fn shares(line: &str) -> Vec<Figure<'_>> {
    let mut all = Vec::new();
    let words = line.split_once(" | ").map_or(line, |(words, _)| words);
    for part in words.split(", ").filter(|part| part.contains(" in:")) {
        let part = part.trim_ascii();
        let part = part.split_once(" - ").map_or(part, |(_, part)| part);
        let Some((head, (inward, outward))) = part
            .strip_prefix("interface ")
            .and_then(|part| part.split_once(" in:"))
            .and_then(|(head, ways)| Some((head, ways.split_once(" out:")?)))
        else {
            continue;
        };
        let head = head.strip_suffix(" is").unwrap_or(head);
        let Some((name, what)) = head.rsplit_once(' ') else {
            continue;
        };
        if let Some(name) = named(name).filter(|_| inward.starts_with(|sign: char| sign.is_ascii_digit())) {
            all.push((name, what, true, inward));
            all.push((name, what, false, outward));
        }
    }
    all
}

/// What is said of one counter of an interface, whose name tells the way: `interface Te1/1 (alias CORE) locIfInCRCPercent is 0.01%`.
fn counted(line: &str) -> Vec<(&str, &str, &str)> {
    let words = line.split_once(" | ").map_or(line, |(words, _)| words);
    let parts = words.split(", ").filter_map(|part| {
        let (_, part) = part.split_once("interface ")?;
        let (head, value) = part.rsplit_once(" is ")?;
        let (name, what) = head.rsplit_once(' ')?;
        let share = value.trim_ascii().strip_suffix('%')?;
        let is_share = share.parse::<f64>().is_ok() && what.ends_with("Percent");
        Some((named(name).filter(|_| is_share)?, what, value.trim_ascii()))
    });
    parts.collect()
}

/// The name without what somebody called it: `Te1/1 (alias CORE)`. What stands behind a comma in that is no name.
fn named(text: &str) -> Option<&str> {
    let name = text
        .split_once(" (alias ")
        .map_or(text, |(name, _)| name)
        .trim_ascii();
    (!name.is_empty() && !name.contains(')')).then_some(name)
}

/// `Te1/1 (alias CORE) is up/up`: whether it has a link.
fn state(line: &str) -> Option<(&str, bool)> {
    let (name, states) = line.trim_ascii().rsplit_once(" is ")?;
    let (link, set) = states.split_once('/')?;
    let is_state = |word: &str| matches!(word, "up" | "down");
    (is_state(link) && is_state(set)).then_some((named(name)?, link == "up"))
}

/// The figures for machines. Labels hold blanks and quotes.
fn figures(line: &str) -> Vec<Figure<'_>> {
    let mut pieces = line.split("'=");
    let mut label = pieces
        .next()
        .and_then(|piece| piece.split_once('\''))
        .map(|(_, label)| label);
    let mut all = Vec::new();
    for piece in pieces {
        let (value, next) = match piece.split_once(" '") {
            Some((value, next)) => (value, Some(next)),
            None => (piece, None),
        };
        let value = value.split([';', ' ']).next().unwrap_or_default();
        let figure = label.and_then(labelled);
        if let Some((name, what, is_in)) =
            figure.filter(|_| value.starts_with(|sign: char| sign.is_ascii_digit()))
        {
            all.push((name, what, is_in, value));
        }
        label = next;
    }
    all
}

/// The name, what of it, and which way: `Te1/1_traffic_in`, `traffic_in_Te1/1`, `Te1/1#interface.traffic.in.bitspersecond`.
fn labelled(label: &str) -> Option<(&str, &str, bool)> {
    let ways = [("in", true), ("out", false)];
    if let Some((name, what)) = label.split_once("#interface.") {
        let (_, is_in) = ways
            .into_iter()
            .find(|(way, _)| what.split('.').any(|part| part == *way))?;
        return Some((name, what, is_in));
    }
    const WHAT: [&str; 9] = [
        "traffic",
        "usage",
        "errors",
        "discards",
        "packets_error",
        "packets_discard",
        "packets_crc",
        "packets_fcserror",
        "packets",
    ];
    for (way, is_in) in ways {
        let behind = label.strip_suffix(way).and_then(|rest| rest.strip_suffix('_'));
        let known = behind.and_then(|rest| rest.rsplit_once('_'));
        if let Some((name, what)) = known.filter(|(_, what)| WHAT.contains(what)) {
            return Some((name, what, is_in));
        }
        let named = WHAT.iter().find_map(|what| {
            let name = label.strip_prefix(what)?.strip_prefix('_')?.strip_prefix(way)?;
            Some((name.strip_prefix('_')?, *what, is_in))
        });
        if named.is_some() {
            return named;
        }
    }
    None
}

/// Bits a second of a value that tells its unit, or whose label does: `27196b/s`, `0.76% (151621.76bit/s)`.
fn bps(what: &str, value: &str) -> Option<f64> {
    let rate = match value.split_once('(') {
        Some((_, rate)) => rate.split(')').next()?,
        None => value,
    };
    let end = rate
        .find(|sign: char| !sign.is_ascii_digit() && sign != '.')
        .unwrap_or(rate.len());
    let (figure, unit) = rate.split_at(end);
    let scale = match unit.to_ascii_lowercase().as_str() {
        "b" if !unit.starts_with('b') => return None,
        "b" | "b/s" | "bit/s" | "bits/s" => 1.0,
        "kbit/s" => 1e3,
        "mbit/s" => 1e6,
        "gbit/s" => 1e9,
        "" if what.ends_with("bitspersecond") => 1.0,
        _ => return None,
    };
    figure.parse().ok().map(|figure: f64| figure * scale)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut gathered = Gathered::default();
    let is_worded = block.lines().any(|line| !shares(line).is_empty());
    for (number, line) in block.numbered() {
        if let Some((name, up)) = state(line) {
            gathered.say(findings, number, name, About::Up, Said::Flag(up));
        }
        for (name, what, share) in counted(line) {
            let setting = About::Setting(what.to_owned());
            gathered.say(findings, number, name, setting, Said::Text(share.to_owned()));
        }
        // Behind the bar the same stands once more.
        let all = if is_worded { shares(line) } else { figures(line) };
        for (name, what, is_in, value) in all {
            let way = if is_in { "in" } else { "out" };
            let share = value.split([' ', ',']).next().unwrap_or_default();
            let bps = bps(what, value);
            if let Some(bps) = bps {
                let which = if is_in { Traffic::InBps } else { Traffic::OutBps };
                gathered.say(findings, number, name, About::Load(which), Said::Number(bps));
            }
            if bps.is_none() || share.ends_with('%') {
                let setting = About::Setting(format!("{what} {way}"));
                gathered.say(findings, number, name, setting, Said::Text(share.to_owned()));
            }
        }
    }
    gathered.record(&[], &context.from_or(Node::default()), TOOL, context, findings);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_ways() {
        for (label, expected) in [
            ("Te1/1_traffic_in", ("Te1/1", "traffic", true)),
            ("Port 2 - Level_errors_out", ("Port 2 - Level", "errors", false)),
            ("packets_error_in_Gi3/0/46", ("Gi3/0/46", "packets_error", true)),
            (
                "ae1#interface.traffic.out.bitspersecond",
                ("ae1", "interface", false),
            ),
        ] {
            let (name, what, is_in) = labelled(label).unwrap_or_default();
            assert_eq!((name, is_in), (expected.0, expected.2), "{label}");
            assert!(expected.1 == "interface" || what == expected.1, "{label}");
        }
        assert_eq!((labelled("rta"), labelled("sda_read_in")), (None, None));
        assert_eq!(bps("usage", "0.76% (151621.5bit/s)"), Some(151_621.5));
        assert_eq!(bps("traffic", "27.5b"), Some(27.5));
        assert_eq!((bps("traffic", "27B"), bps("traffic", "27")), (None, None));
    }
}

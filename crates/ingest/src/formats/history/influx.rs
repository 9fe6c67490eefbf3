//! What Telegraf keeps: InfluxDB's line protocol, as it is printed by `telegraf --test` and sent over the wire.
//!
//! A line is a measurement with tags, fields and a time. `net` with the interface `all` is counters of the whole host.

use super::cells::epoch;
use super::gathered::ByTool;
use super::known;
use super::sample::Sample;
use super::speedtest::{SpeedTest, is_of_speed_test};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::arguments;
use crate::formats::interface::section::device;
use crate::formats::snmp;
use crate::prompt::command_line;
use evidence::Timestamp;
use std::borrow::Cow;

pub(crate) static FORMAT: Format = Format {
    name: "InfluxDB line protocol",
    group: Group::Histories,
    reads: "Telegraf's net, nstat, ping, ethtool, internet_speed and SNMP interfaces; other measurements are passed over",
    first: "0-9A-Za-z_*",
    has_command: true,
    marks: Some(|| Marks::of(["* Plugin: ", " I!", " D!", " W!", " E!", "telegraf"]).or(is_line)),
    starts: |line| is_line(line) || is_log(line) || is_command(line),
    continues: |_, line| is_line(line) || is_log(line),
    takes_in: Some(|_, line| !line.trim_ascii().is_empty() && command_line(line).is_none()),
    read,
};

pub(super) const TOOL: &str = "telegraf";

/// A line, divided.
#[derive(Debug, PartialEq)]
pub(super) struct Line<'a> {
    pub(super) measurement: Cow<'a, str>,
    pub(super) tags: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// Fields with a number; texts and booleans are passed over.
    pub(super) numbers: Vec<(Cow<'a, str>, f64)>,
    pub(super) at: Option<Timestamp>,
}

/// Whether this is such a line: asked of any line, so that what tells most is looked at first.
fn is_line(line: &str) -> bool {
    let Some(end) = line.find([',', ' ', '=']) else {
        return false;
    };
    line.as_bytes().get(end) == Some(&b',') && parse(line).is_some()
}

/// `# telegraf --config x.conf --test`
fn is_command(line: &str) -> bool {
    line.contains("telegraf")
        && arguments(line, "telegraf")
            .is_some_and(|mut words| words.any(|word| matches!(word, "--test" | "-test")))
}

/// What Telegraf writes beside it: `2025-03-24T17:37:03Z I! …`.
fn is_log(line: &str) -> bool {
    if line.starts_with("* Plugin: ") {
        return true;
    }
    let is_time = || {
        line.get(..20)
            .is_some_and(|time| time.ends_with('Z') && time.as_bytes()[10] == b'T')
    };
    line.split(' ')
        .nth(1)
        .is_some_and(|mark| matches!(mark, "I!" | "D!" | "W!" | "E!"))
        && is_time()
}

/// The place of the first of these letters that is not escaped, nor in quotes where `quotes` is.
fn find(text: &str, letters: &[u8], quotes: bool) -> Option<usize> {
    let (mut escaped, mut quoted) = (false, false);
    text.bytes().position(|byte| {
        if escaped {
            escaped = false;
            return false;
        }
        match byte {
            b'\\' => escaped = true,
            b'"' if quotes => quoted = !quoted,
            _ => return !quoted && letters.contains(&byte),
        }
        false
    })
}

fn plain(text: &str) -> Cow<'_, str> {
    if text.contains('\\') {
        Cow::Owned(text.replace('\\', ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// Names and values up to a blank, and what is behind it.
fn pairs(text: &str, quotes: bool) -> Option<(Vec<(&str, &str)>, &str)> {
    let mut pairs = Vec::new();
    let mut rest = text;
    loop {
        let equals = find(rest, b"=, ", false)?;
        let (name, value) = rest.split_at(equals);
        let value = value.strip_prefix('=')?;
        let end = find(value, b", ", quotes).unwrap_or(value.len());
        let (value, behind) = value.split_at(end);
        if name.is_empty() || value.is_empty() {
            return None;
        }
        pairs.push((name, value));
        match behind.strip_prefix(',') {
            Some(next) => rest = next,
            None => return Some((pairs, behind.trim_ascii())),
        }
    }
}

pub(super) fn parse(line: &str) -> Option<Line<'_>> {
    let end = find(line, b", ", false)?;
    let (measurement, rest) = line.split_at(end);
    let (tags, rest) = match rest.strip_prefix(',') {
        Some(tags) => pairs(tags, false)?,
        None => (Vec::new(), rest.trim_ascii_start()),
    };
    let (fields, time) = pairs(rest, true)?;
    let mut numbers = Vec::new();
    for (name, value) in fields {
        match field(value) {
            Ok(Some(number)) => numbers.push((plain(name), number)),
            Ok(None) => {}
            Err(()) => return None,
        }
    }
    let at = match time {
        "" => None,
        _ => Some(epoch(time)?),
    };
    Some(Line {
        measurement: plain(measurement),
        tags: tags
            .into_iter()
            .map(|(name, value)| (plain(name), plain(value)))
            .collect(),
        numbers,
        at,
    })
}

/// A field's number: `5i`, `5u`, `0.5`; nothing for a text or a boolean.
fn field(value: &str) -> Result<Option<f64>, ()> {
    if value.starts_with('"') {
        return if value.len() > 1 && value.ends_with('"') {
            Ok(None)
        } else {
            Err(())
        };
    }
    if matches!(
        value,
        "t" | "T" | "true" | "True" | "TRUE" | "f" | "F" | "false" | "False" | "FALSE"
    ) {
        return Ok(None);
    }
    let number = value.strip_suffix(['i', 'u']).unwrap_or(value);
    super::prometheus::number(number).map(Some).ok_or(())
}

/// Gives each field of a line as a figure; whether one of them was known.
pub(super) fn take(
    findings: &mut Findings,
    lines: (u64, u64),
    line: &Line<'_>,
    gathered: &mut ByTool,
    tests: &mut Vec<SpeedTest>,
) -> bool {
    if is_of_speed_test(&line.measurement) {
        tests.push(SpeedTest::of(line, lines));
        return true;
    }
    let tag = |name: &str| {
        line.tags
            .iter()
            .find(|(tag, _)| tag == name)
            .map(|(_, value)| value.as_ref())
    };
    let is_of_yang = tag("path").is_some_and(known::is_of_yang);
    let is_whole_host = line.measurement == "net" && line.tags.iter().any(|(_, tag)| tag == "all");
    let mut known = false;
    for (name, value) in &line.numbers {
        let name = if is_of_yang {
            format!("{}{name}", known::OF_YANG)
        } else if snmp::is_object(name) {
            name.to_string()
        } else if is_whole_host {
            format!("net.all.{name}")
        } else {
            format!("{}.{name}", line.measurement)
        };
        let sample = Sample {
            name: name.into(),
            labels: line.tags.clone(),
            value: *value,
            at: line.at,
        };
        known |= gathered.of(TOOL).take(findings, lines, &sample, true);
    }
    known
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let context = &Context {
        from: device(block, context),
        ..context.clone()
    };
    let (mut gathered, mut tests) = (ByTool::default(), Vec::new());
    let (mut said, mut is_damaged) = (false, false);
    for (number, text) in block.numbered() {
        match parse(text).filter(|_| is_line(text)) {
            Some(line) => said |= take(findings, (number, number), &line, &mut gathered, &mut tests),
            None if is_log(text) || is_command(text) => {}
            None => {
                is_damaged = true;
                findings.unread(number, text);
            }
        }
    }
    gathered.record(is_damaged, context, findings);
    for test in tests {
        test.record(context, findings);
    }
    if !said && !block.lines().all(|line| is_log(line) || is_command(line)) {
        let lines = (block.first_line, block.last_written_line());
        findings.complain_of(
            lines,
            "no measurement in it is an interface's, a protocol's or a path's",
        );
    }
    // A command alone may have printed something else.
    if !block.lines().all(is_command) {
        findings.nothing_to_say();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let line = parse(
            r#"net,host=a\ b,interface=eth0 bytes_recv=5i,x=0.5,s="a, b=1 c",up=true 1492834180000000000"#,
        );
        let line = line.unwrap();
        assert_eq!(
            line.tags,
            [("host".into(), "a b".into()), ("interface".into(), "eth0".into())]
        );
        assert_eq!(line.numbers, [("bytes_recv".into(), 5.0), ("x".into(), 0.5)]);
        assert_eq!(line.at, Some(Timestamp(1_492_834_180_000_000_000)));
        for bad in [
            "net,host=a bytes_recv=5x 1492834180000000000",
            "net,host=a bytes_recv=5i x492834180000000000",
            "Dear all, please see a=b",
            "net,host=a",
            "zorkmids 4711 of 17",
            "a, b=5",
        ] {
            assert!(!is_line(bad), "{bad}");
        }
    }
}

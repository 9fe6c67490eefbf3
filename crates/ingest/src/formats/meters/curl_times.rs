//! curl's `-w`: a variable a line with its value, as people write the format, `time_connect:  0.025s`, `speed_download=1234`.
//!
//! curl's clocks begin together, so a handshake is the time from the name to the connection: one round trip.

use super::curl_layout::{head, is_between, is_next, layout};
use super::curl_template::Template;
use crate::Context;
use crate::block::Block;
use crate::command::is_several;
use crate::findings::{Findings, UNKNOWN};
use crate::format::{Format, Group, Marks};
use crate::formats::flows::web::CURL_UPLOADS;
use crate::formats::flows::{Typed, typed};
use crate::json_kind::{JsonKind, f64_at, text_at};
use crate::units::{ns_of_seconds, whole};
use evidence::{Node, RateBps, Transfer};
use serde_json::Value;
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "curl -w",
    group: Group::Transfers,
    reads: "curl's variables (time_*, speed_*, size_*), one or several a line, with the command above, also in a loop: duration, rate, round trip of the handshake",
    first: "tshc-",
    has_command: true,
    marks: Some(|| Marks::of(["time_", "curl"])),
    starts,
    continues: |block, line| {
        let text = line.trim_ascii();
        let rule = text.trim_end_matches("\\n");
        let is_rule = rule.len() > 3 && rule.bytes().all(|byte| matches!(byte, b'-' | b'='));
        // A format may begin with an empty line.
        of_line(line).next().is_some()
            || is_rule
            || text.is_empty() && (block.len() == 1 || block.first().is_some_and(is_repeated))
            || is_next(block, line)
    },
    takes_in: Some(|block, line| is_between(block, line) && !starts(line)),
    read,
};

pub(crate) static KIND: JsonKind = JsonKind {
    name: "curl -w '%{json}'",
    reads: "duration, rate, round trip of the handshake",
    group: Group::Transfers,
    is: |value| value.get("time_total").is_some() && value.get("time_connect").is_some(),
    read: read_json,
};

fn starts(line: &str) -> bool {
    let has_time = || of_line(line).any(|(name, _)| name.starts_with("time_")) || head(line).is_some();
    line.contains("time_") && has_time() || command(line).is_some()
}

/// A command of curl that prints nothing but what `-w` asks for.
pub(super) fn command(line: &str) -> Option<Typed<'_>> {
    let typed = line.contains("curl").then(|| typed(line, &["curl"]))??;
    let short = |letter| {
        typed
            .words
            .iter()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let writes = short('w') || typed.has(&["--write-out"]);
    let is_silent = short('s') || typed.has(&["--silent"]);
    (writes && is_silent).then_some(typed)
}

/// Whether the format is printed more than once: in a loop, or for several URLs.
pub(super) fn is_repeated(line: &str) -> bool {
    command(line).is_some_and(|typed| {
        let urls = typed.words.iter().filter(|word| word.contains("://"));
        is_several(typed.command) || urls.count() > 1
    })
}

/// Versions up to 7.60 print a comma where the language has one.
fn number(text: &str) -> Option<f64> {
    let text = text.trim_end_matches(['s', ',', ';']);
    let number = text.replacen(',', ".", 1).parse::<f64>().ok();
    number.filter(|n| *n >= 0.0 && n.is_finite())
}

/// A figure of a variable. Seconds always have a fraction: without one they are no seconds (7.73 and 7.74 printed microseconds in places).
pub(super) fn figure(name: &str, text: &str) -> Option<f64> {
    let is_time = name.starts_with("time_");
    number(text).filter(|n| !is_time || *n < 1.0 || text.contains(['.', ',']))
}

/// The variables that are read.
pub(super) const NAMES: [&str; 15] = [
    "time_namelookup",
    "time_connect",
    "time_appconnect",
    "time_pretransfer",
    "time_redirect",
    "time_starttransfer",
    "time_total",
    "time_posttransfer",
    "speed_download",
    "speed_upload",
    "size_download",
    "size_upload",
    "size_header",
    "size_request",
    "http_code",
];

/// What blanks, commas and semicolons divide; a comma before a digit is that of a figure.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let bytes = text.as_bytes();
        let is_end = |at: usize, byte: u8| match byte {
            b',' => !bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
            _ => matches!(byte, b' ' | b'\t' | b';'),
        };
        let end = text.bytes().enumerate().position(|(at, byte)| is_end(at, byte));
        rest = end.and_then(|end| text.get(end + 1..));
        text.get(..end.unwrap_or(text.len()))
    })
}

/// The variables of a line, with what stands behind each.
pub(super) fn of_line(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let text = line.trim_ascii_start();
    let may_be = matches!(text.as_bytes().first(), Some(b't' | b's' | b'h'));
    let parts = parts(text).filter(move |part| may_be && !part.is_empty());
    let mut waiting = None;
    parts.filter_map(move |part| {
        let bare = part.trim_start_matches([':', '=']);
        if waiting.is_some() && bare.is_empty() {
            return None;
        }
        // A name where a figure should be: these are the names of columns.
        if let Some(name) = waiting.take().filter(|_| !NAMES.contains(&bare)) {
            return Some((name, bare));
        }
        let (name, value) = part.split_once([':', '=']).unwrap_or((part, ""));
        let name = NAMES.iter().find(|known| **known == name)?;
        if value.is_empty() {
            waiting = Some(*name);
            return None;
        }
        Some((*name, value))
    })
}

/// What curl says, by the names of its variables.
type Values = BTreeMap<String, Option<f64>>;

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let typed = block.first().and_then(command);
    let ends = typed.as_ref().map(|typed| typed.of_url(CURL_UPLOADS));
    let (own, far) = ends.map(|ends| (ends.local, ends.remote)).unwrap_or_default();
    let layout = layout(block);
    let mut lines: Vec<_> = block.numbered().collect();
    let mut first_line = block.first_line;
    let own_line = usize::from(typed.is_some());
    // Figures that are named begin with the first of them.
    let named = lines
        .iter()
        .skip(own_line)
        .position(|(_, line)| of_line(line).next().is_some());
    let words = match &layout {
        Some(layout) => layout.begins,
        None => own_line + named.unwrap_or(0),
    };
    let missing = layout.as_ref().map_or(0, |layout| layout.missing);
    let of_format = missing + usize::from(layout.as_ref().is_some_and(|layout| layout.is_headed));
    complain_about_words(lines.get(1..words).unwrap_or_default(), of_format, findings);
    let above = layout.as_ref().map_or(own_line, |layout| layout.begins);
    let mut below = lines.split_off(above.min(lines.len()));
    if layout.as_ref().is_some_and(|layout| !layout.repeats) {
        below.retain(|(_, line)| !line.trim_ascii().is_empty());
    }
    let again = block.first().filter(|line| is_repeated(line));
    let at_a_time = match &layout {
        Some(layout) => layout.repeats.then(|| layout.template.len()),
        None => again.and_then(|_| until_again(&below)),
    };
    let template = layout.as_ref().map(|layout| &layout.template);
    let (mut rest, mut place) = (below.as_slice(), missing);
    while !rest.is_empty() {
        let count = at_a_time.map_or(rest.len(), |count| count.saturating_sub(place));
        let (lines, others) = rest.split_at(count.clamp(1, rest.len()));
        let values = told(lines, template, place, findings);
        let last_line = lines.last().map_or(first_line, |(number, _)| *number);
        if !values.is_empty() {
            let ends = (own.clone(), far.clone());
            tell(&values, ends, (first_line, last_line), context, findings);
        }
        (first_line, rest, place) = (last_line + 1, others, 0);
    }
}

/// What stands between the command and its output is somebody's words, but for the lines of the format above the first figure.
fn complain_about_words(between: &[(u64, &str)], own: usize, findings: &mut Findings) {
    let words = between
        .get(..between.len().saturating_sub(own))
        .unwrap_or_default();
    let mut said = words.iter().filter(|(_, line)| !line.trim_ascii().is_empty());
    if let Some((first, _)) = said.next() {
        let last = said.next_back().map_or(*first, |(last, _)| *last);
        findings.complain_of((*first, last), UNKNOWN);
    }
}

/// How many lines there are up to the first variable once more.
fn until_again(lines: &[(u64, &str)]) -> Option<usize> {
    let first_of = |(_, line): &(u64, &'_ str)| of_line(line).next().map(|(name, _)| name.to_owned());
    let mut names = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at, first_of(line)?)));
    let (from, first) = names.next()?;
    names.find(|(_, name)| *name == first).map(|(at, _)| at - from)
}

/// What is printed at a time.
fn told(lines: &[(u64, &str)], template: Option<&Template>, from: usize, findings: &mut Findings) -> Values {
    let mut values = Values::new();
    for (place, (line_number, line)) in lines.iter().enumerate() {
        let asked = template.and_then(|template| template.read(from + place, line));
        let asked = asked.into_iter().flatten();
        let named: Vec<(&str, String)> = match of_line(line).next() {
            Some(_) => of_line(line)
                .map(|(name, text)| (name, text.to_owned()))
                .collect(),
            None => asked.filter(|(name, _)| NAMES.contains(name)).collect(),
        };
        for (name, text) in named {
            // The format itself, as `cat` shows its file.
            if text.starts_with("%{") {
                findings.nothing_to_say();
                continue;
            }
            let value = figure(name, &text);
            if value.is_none() {
                findings.complain(*line_number, format!("{name} is no figure as curl prints it"));
            }
            let told = values.entry(name.to_owned()).or_insert(value);
            if *told != value {
                findings.complain(
                    *line_number,
                    format!("{name} is told twice, and not the same: neither is used"),
                );
                *told = None;
            }
        }
    }
    values
}

fn read_json(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let pointers = NAMES
        .iter()
        .map(|name| ((*name).to_owned(), f64_at(value, &format!("/{name}"))));
    let url = text_at(value, "/url_effective").or(text_at(value, "/url"));
    let server = url.and_then(crate::formats::flows::url_host).unwrap_or_default();
    tell(
        &pointers.collect(),
        (Node::default(), server),
        lines,
        context,
        findings,
    );
}

fn tell(
    values: &Values,
    (own, far): (Node, Node),
    lines: (u64, u64),
    context: &Context,
    findings: &mut Findings,
) {
    let get = |name: &str| values.get(name).copied().flatten();
    let order = [
        "time_namelookup",
        "time_connect",
        "time_appconnect",
        "time_starttransfer",
        "time_total",
    ];
    // curl's clocks run on: 0 is what did not happen.
    let clocks: Vec<f64> = order
        .iter()
        .filter_map(|name| get(name))
        .filter(|s| *s > 0.0)
        .collect();
    if !clocks.is_sorted() {
        return findings.complain_of(
            lines,
            "curl's times are not in their order: they contradict each other, none is used",
        );
    }
    let handshake = get("time_connect")
        .zip(get("time_namelookup"))
        .map(|(connected, named)| connected - named);
    let (up, down) = (
        get("size_upload").unwrap_or(0.0),
        get("size_download").unwrap_or(0.0),
    );
    let sends = up > down || get("speed_upload").unwrap_or(0.0) > get("speed_download").unwrap_or(0.0);
    let (bytes, speed) = match sends {
        true => (get("size_upload"), get("speed_upload")),
        false => (get("size_download"), get("speed_download")),
    };
    let duration_ns = get("time_total").and_then(ns_of_seconds).filter(|ns| *ns > 0);
    let bytes = bytes.and_then(whole).filter(|bytes| *bytes > 0);
    let rate = speed
        .filter(|speed| *speed > 0.0)
        .map(|speed| RateBps(8.0 * speed))
        .or_else(|| RateBps::of_bytes(bytes?, duration_ns?));
    let (from, to) = if sends { (own, far) } else { (far, own) };
    let record = Transfer {
        from: context.from_or(from),
        to: context.to_or(to),
        application: Some("curl".to_owned()),
        duration_ns,
        sent_bps: rate.filter(|_| sends),
        received_bps: rate.filter(|_| !sends),
        bytes_received: bytes,
        rtt_ns: handshake
            .filter(|s| *s > 0.0 && get("time_connect") > Some(0.0))
            .and_then(ns_of_seconds),
        ..Transfer::default()
    };
    match record.rtt_ns.is_some() || rate.is_some() || duration_ns.is_some() {
        true => findings.record_of(lines, "curl", context.at, record.into()),
        false => findings.complain_of(lines, "nothing of curl's variables is understood"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_with_their_values() {
        let of = |line| of_line(line).collect::<Vec<_>>();
        assert_eq!(of("   time_connect:  0.025s"), [("time_connect", "0.025s")]);
        assert_eq!(of("time_connect : 0.025"), [("time_connect", "0.025")]);
        assert_eq!(
            of("time_total=0.5 speed_download=12"),
            [("time_total", "0.5"), ("speed_download", "12")]
        );
        assert!(of("time_flies 5").is_empty() && of("time_total:").is_empty());
    }
}

//! JSON documents: where one ends is found by its brackets, and what it holds by a table of kinds.
//!
//! One-line documents, pretty-printed ones and JSON Lines are all the same here: a block is one or several documents
//! that end with the line at which the brackets balance. A document that is cut ends at the first line that cannot be
//! JSON, so that the text behind it is still read. Arrays are taken apart: each element is a record of its own, and only
//! one is in memory at a time. What Python prints of its values is a document too.

use super::host::tc_json;
use super::{cut_json, jq, kept, python};
use crate::Context;
use crate::arrival::is_omission;
use crate::block::Block;
use crate::brackets::Brackets;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::asking_json;
use crate::json_kind::JsonKind;
use evidence::Node;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as _, Deserializer as _};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

pub(crate) static FORMAT: Format = Format {
    name: "JSON",
    group: Group::Any,
    reads: "documents of the tools named below, one-line, pretty-printed or a document a line",
    first: "{[(\"0-9A-Za-z",
    has_command: true,
    marks: Some(|| Marks::of(["=> {", "json", "jq ", "tc "]).or(|line| is_document(line) || is_member(line))),
    starts,
    continues,
    takes_in: None,
    read,
};

/// Every kind of document, in the order in which they are asked: the more telling first.
static KINDS: &[&JsonKind] = &[
    &super::iperf::json::KIND,
    &super::iperf::json::END,
    &super::meters::CURL,
    &super::flows::globus_json::KIND,
    &super::flows::speed_json::OOKLA,
    &super::flows::speed_json::SIVEL,
    &super::flows::speed_json::NDT,
    &super::pscheduler::json::KIND,
    &super::interface::IP_LINK_JSON,
    &super::host::ethtool_json::KIND,
    &super::host::tc_json::KIND,
    &super::nstat::JSON,
    &super::mtr::json::KIND,
    &super::mtr::json::FLAT_KIND,
    &super::mtr::trippy::KIND,
    &super::scamper::TRACE,
    &super::scamper_lb::KIND,
    &super::dublin::KIND,
    &super::globalping::KIND,
    &super::ping::FPING_JSON,
    &super::ping::PINGPARSING,
    &super::ping::NAPALM,
    &super::ping::NAPALM_TRACE,
    &super::ping::PYEZ,
    &super::scamper::PING,
    &super::scamper::CYCLE,
    &super::ripe_atlas::PING,
    &super::ripe_atlas::TRACEROUTE,
    &super::history::prometheus_json::KIND,
    &super::history::xport::JSON,
    &super::history::cloud_metrics::AZURE,
    &super::history::cloud_metrics::CLOUDWATCH,
    &super::history::influx_tables::JSON,
    &super::captures::zeek::JSON,
    &super::history::esmond::METADATA,
    &super::interface::GNMIC,
    &super::interface::STRUCTURED_JSON,
    &super::history::influx_tables::TELEGRAF_JSON,
    &super::within::KIND,
];

/// Those of which what stands is read where a document is cut: each field stands for itself, but for this one, of sums.
static OF_FIELDS: &[(&JsonKind, &str)] = &[
    (&super::iperf::json::KIND, "end"),
    (&super::interface::IP_LINK_JSON, ""),
    (&super::host::ethtool_json::KIND, ""),
    (&super::host::tc_json::KIND, ""),
    (&super::interface::STRUCTURED_JSON, ""),
];

/// The kinds, for the list of known formats.
pub(crate) fn kinds() -> impl Iterator<Item = &'static JsonKind> {
    KINDS.iter().copied()
}

/// `{` before a key or nothing, `[` before a document or nothing. Arrays of plain values are no tool's output, and many
/// a line of text begins with a bracket: `[  5] local …`, `[AS3671 - …`.
fn starts(line: &str) -> bool {
    is_document(line) || is_member(line) || labelled(line).is_some() || is_asking(line)
}

/// `"eth0": {`: one member of an object of which people show no more.
fn is_member(line: &str) -> bool {
    let name = line.trim_ascii().strip_prefix('"');
    let name = name.and_then(|name| name.strip_suffix("\": {"));
    name.is_some_and(|name| !name.is_empty() && !name.contains('"'))
}

/// Whether a line is a command that prints JSON.
fn is_asking(line: &str) -> bool {
    asking_json(line).is_some() || jq::paths(line).is_some() || tc_json::asked(line).is_some()
}

/// What Ansible prints before a document, `ok: [sw1] => {` and `sw1 | SUCCESS => {`: the host, and the document's beginning.
fn labelled(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_ascii_end();
    if !line.ends_with("=> {") {
        return None;
    }
    let label = line.strip_suffix(" => {")?;
    let host = match label.split_once(": [") {
        // What was delegated ran on another host: `[sw1 -> localhost]`.
        Some(("ok" | "changed", host)) => match host.split(']').next()? {
            delegated if delegated.contains(" -> ") => return Some(("", "{")),
            host => host,
        },
        Some(_) => return None,
        None => {
            label
                .split_once(" | ")
                .filter(|(_, state)| matches!(*state, "SUCCESS" | "CHANGED"))?
                .0
        }
    };
    (!host.is_empty()).then_some((host, "{"))
}

/// The line without what stands before its document.
fn unlabelled(line: &str) -> &str {
    labelled(line).map_or(line, |(_, document)| document)
}

fn is_document(line: &str) -> bool {
    let line = line.trim_ascii_start();
    let next = |rest: &str| rest.trim_ascii_start().bytes().next();
    match line.as_bytes().first() {
        Some(b'{') => matches!(next(&line[1..]), None | Some(b'"' | b'}')) || python::is_key(&line[1..]),
        Some(b'[') => matches!(next(&line[1..]), None | Some(b'{' | b'[' | b']')),
        // A tuple of Python.
        Some(b'(') => line[1..].strip_prefix('{').is_some_and(python::is_key),
        _ => false,
    }
}

fn continues(block: &Block, line: &str) -> bool {
    if block.brackets.get().is_none() && block.first().is_some_and(is_asking) {
        // Below a command.
        if is_document(line) {
            block.brackets.set(Some(Brackets::default().after(line)));
            return true;
        }
        return line.trim_ascii().is_empty();
    }
    if goes_on_with_next(block, line) {
        block.brackets.set(Some(Brackets::default().after(line)));
        return true;
    }
    let so_far = block.brackets.get().unwrap_or_else(|| {
        let first = block.first().unwrap_or_default();
        Brackets::default().after(unlabelled(first))
    });
    let after = so_far.after(line);
    block
        .brackets
        .set(Some(if after.broken { so_far } else { after }));
    so_far.is_open() && !after.broken
}

/// Whether a line begins what the next of several filters of `jq` left: each document begins in the first column.
fn goes_on_with_next(block: &Block, line: &str) -> bool {
    let begins = |line: &str| line.starts_with('{') && is_document(line);
    let is_closed = block.brackets.get().is_some_and(|brackets| !brackets.is_open());
    is_closed
        && begins(line)
        && block.first().and_then(jq::paths).is_some_and(|paths| {
            let so_far = block.lines().skip(1).filter(|line| begins(line)).count();
            so_far < paths.len()
        })
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let lines = (block.first_line, block.last_line());
    let command = block.first().filter(|first| is_asking(first));
    let label = block.first().and_then(labelled);
    let before_brace = || block.first().and_then(|first| first.rfind('{')).unwrap_or(0);
    let above = match command {
        Some(first) => first.len() + 1,
        None => label.map_or(0, |_| before_brace()),
    };
    let text = block.text().get(above..).unwrap_or_default();
    // The object that a member is of stands around it, and the comma before the next member is none of it.
    let text: Cow<'_, str> = match block.first().is_some_and(is_member) {
        true => {
            let brackets = block.lines().fold(Brackets::default(), Brackets::after);
            let is_whole = !brackets.is_open();
            let end = if is_whole { "}" } else { "" };
            format!("{{{}{end}", text.trim_ascii_end().trim_end_matches(',')).into()
        }
        false => text.into(),
    };
    let text = match python::as_json(&text) {
        Some(json) => json.into(),
        None => text,
    };
    // An answer without an entry, and the place in the configuration that SR OS prints above its prompt.
    if command.is_none() && text.trim_ascii() == "[]" {
        return findings.nothing_to_say();
    }
    let text = match elided(&text) {
        Some(whole) => {
            findings.complain_of(lines, "parts of the JSON document were left out");
            whole.into()
        }
        None => text,
    };
    let mut context = context.clone();
    let host = label.map(|(host, _)| host).filter(|host| !host.is_empty());
    if let Some(device) = host.or_else(|| command.and_then(|first| asking_json(first)?.device())) {
        context.from = context.from_or(Node::named(device));
    }
    let places = command.and_then(jq::paths).unwrap_or_default();
    if let Some((from, to)) = command
        .filter(|_| places.iter().any(|place| !place.is_empty()))
        .and_then(super::iperf::json::ends_of)
    {
        (context.from, context.to) = (context.from_or(from), context.to_or(to));
    }
    let context = &context;
    let mut documents = serde_json::Deserializer::from_str(&text);
    let mut reader = Reader {
        lines,
        context,
        findings,
        places,
        interface: command.and_then(tc_json::asked),
        chosen: Vec::new(),
        taken: 0,
        unknown: 0,
    };
    let mut read = Ok(());
    while read.is_ok() && documents.end().is_err() {
        read = documents.deserialize_any(Document(&mut reader));
    }
    if read.as_ref().is_err_and(serde_json::Error::is_eof) {
        reader.take_cut(&text);
    }
    reader.take_chosen();
    if reader.unknown > 0 {
        findings.complain_of(lines, "a JSON document of no kind that slowpath knows");
    }
    if let Err(error) = read {
        let line = block
            .first_line
            .saturating_add(u64::from(command.is_some()))
            .saturating_add((error.line() as u64).saturating_sub(1));
        let reason = if error.is_eof() {
            "the JSON document is cut: its brackets never close".to_owned()
        } else {
            format!("no JSON from line {line}, column {} on: {error}", error.column())
        };
        findings.complain_of(lines, reason);
    }
}

/// The document without its marks of what was left out: lines of `...` and values `{...}`, `[...]`. `None` where it has none.
fn elided(text: &str) -> Option<String> {
    let has_mark = ["...", "\u{2026}"].iter().any(|mark| text.contains(mark));
    let is_mark = |line: &str| is_omission(line.trim_ascii_end().trim_end_matches(','));
    let is_marked = |line: &str| ["{...}", "[...]"].iter().any(|value| line.contains(value));
    if !has_mark || !text.lines().any(|line| is_mark(line) || is_marked(line)) {
        return None;
    }
    let mut whole = String::with_capacity(text.len());
    for line in text.lines() {
        // What a comma stood behind may have been the last one.
        if line.trim_ascii_start().starts_with(['}', ']']) && whole.trim_ascii_end().ends_with(',') {
            whole.truncate(whole.trim_ascii_end().len() - 1);
        }
        // As many lines as the document has: an error is told by its line.
        whole += "\n";
        if !is_mark(line) {
            whole += &line.replace("{...}", "{}").replace("[...]", "[]");
        }
    }
    Some(whole.split_off(1))
}

/// Where documents go.
struct Reader<'a, 's> {
    lines: (u64, u64),
    context: &'a Context,
    findings: &'a mut Findings<'s>,
    /// Where each stood in another, one for each filter.
    places: Vec<Vec<&'a str>>,
    /// What the command is about, where documents do not say it.
    interface: Option<&'a str>,
    /// What the filters left.
    chosen: Vec<Value>,
    /// How many documents, or elements of them, were taken.
    taken: usize,
    unknown: u64,
}

impl Reader<'_, '_> {
    fn take(&mut self, value: &Value) {
        self.taken += 1;
        let Some(kind) = KINDS.iter().find(|kind| (kind.is)(value)) else {
            self.unknown += 1;
            return;
        };
        match kept::host(value) {
            Some(host) => {
                let context = Context {
                    from: self.context.from_or(Node::named(host)),
                    ..self.context.clone()
                };
                (kind.read)(value, self.lines, &context, self.findings);
            }
            None => (kind.read)(value, self.lines, self.context, self.findings),
        }
    }

    /// Takes what stands of the last document, whose end is missing.
    fn take_cut(&mut self, text: &str) {
        let Some(text) = cut_json::completed(text) else {
            return;
        };
        let documents = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        let values = documents.flatten().flat_map(|document| match document {
            Value::Array(elements) => elements,
            one => vec![one],
        });
        for mut value in values.skip(self.taken) {
            self.name(&mut value);
            let Some(kind) = KINDS.iter().find(|kind| (kind.is)(&value)) else {
                continue;
            };
            let known = OF_FIELDS
                .iter()
                .find(|(of_fields, _)| std::ptr::eq(*of_fields, *kind));
            let (Some((_, of_sums)), Some(fields)) = (known, value.as_object_mut()) else {
                continue;
            };
            fields.remove(*of_sums);
            let mut found = Findings::default();
            (kind.read)(&value, self.lines, self.context, &mut found);
            // That there is nothing was not said.
            if found.has_record {
                self.findings.take_over(found);
            }
        }
    }

    /// Puts the interface that the command names where the document would have it.
    fn name(&self, value: &mut Value) {
        if let (Some(interface), Some(fields)) = (self.interface, value.as_object_mut()) {
            fields.entry("dev").or_insert_with(|| interface.into());
        }
    }

    /// Puts what the filters left back where it was, if each left something.
    fn take_chosen(&mut self) {
        if self.chosen.is_empty() {
            return;
        }
        if self.chosen.len() != self.places.len() {
            self.unknown += 1;
            return;
        }
        let mut document = Value::Null;
        for (value, place) in std::mem::take(&mut self.chosen).into_iter().zip(&self.places) {
            jq::together(&mut document, jq::whole(value, place));
        }
        self.take(&document);
    }
}

/// A whole document; an array is taken apart while it is parsed.
struct Document<'r, 'a, 's>(&'r mut Reader<'a, 's>);

impl<'de> Visitor<'de> for Document<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let mut value = Value::deserialize(MapAccessDeserializer::new(map))?;
        self.0.name(&mut value);
        if self.0.places.is_empty() {
            self.0.take(&value);
        } else {
            self.0.chosen.push(value);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(mut element) = elements.next_element::<Value>()? {
            self.0.name(&mut element);
            self.0.take(&element);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks that a text is divided into, and the complaints about them.
    fn complaints(text: &str) -> Vec<String> {
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(records, []);
        complaints.iter().map(ToString::to_string).collect()
    }

    const UNKNOWN: &str = "a JSON document of no kind that slowpath knows";

    #[test]
    fn what_was_left_out_is_no_json() {
        let text = "{\n\"a\": {\"b\": [...]},\n...\n\"c\": 1,\n  …\n}\n";
        let whole = elided(text).unwrap_or_default();
        assert_eq!(whole, "{\n\"a\": {\"b\": []},\n\n\"c\": 1\n}");
        assert!(elided("{\"a\": \"and so on...\"}").is_none());
    }

    #[test]
    fn a_block_is_a_document() {
        for (text, ends) in [
            ("{\"a\": 1}\n", "line 1"),
            ("{\n  \"a\": [1,\n 2]\n}\n", "lines 1 to 4"),
            ("[{\"a\": \"]\\\"\"},\n{}]\n", "lines 1 to 2"),
            ("{\n\n\n}", "lines 1 to 4"),
            ("{\"a\": 1} {\"b\": {\n}}", "lines 1 to 2"),
        ] {
            assert_eq!(complaints(text), [format!("{ends}: {UNKNOWN}")], "{text}");
        }
        let lines: Vec<String> = (1..=2).map(|n| format!("line {n}: {UNKNOWN}")).collect();
        assert_eq!(complaints("{\"a\":1}\n{\"a\":2}\n"), lines, "a document a line");
    }

    #[test]
    fn a_cut_document_does_not_swallow_what_follows() {
        let said = complaints("{\n \"a\": [1,\n \"b\nno tool prints this\n");
        let cut = "lines 1 to 2: the JSON document is cut: its brackets never close";
        assert_eq!(said[0], cut);
        assert!(said[1].starts_with("lines 3 to 4: no format"), "{said:?}");
        assert_eq!(
            complaints("{\"a\":"),
            ["line 1: the JSON document is cut: its brackets never close"]
        );
    }

    #[test]
    fn depth_and_garbage_are_complained_about() {
        let deep = "[".repeat(100_000);
        assert!(complaints(&deep)[0].contains("recursion limit"));
        let trailing = complaints("{\"a\":1} and so on\n");
        assert!(trailing[1].contains("line 1, column 9"), "{trailing:?}");
        assert!(!starts("[  5] local 10.0.0.1"), "iperf");
        assert!(!starts("{ braces }"));
        assert!(starts("    \"eth0\": {") && !starts("\"eth0\": 5") && !starts("\"a\" and \"b\": {"));
    }
}

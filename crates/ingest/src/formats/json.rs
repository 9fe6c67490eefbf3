//! JSON documents: where one ends is found by its brackets, and what it holds by a table of kinds.
//!
//! One-line documents, pretty-printed ones and JSON Lines are all the same here: a block is one or several documents
//! that end with the line at which the brackets balance. A document that is cut ends at the first line that cannot be
//! JSON, so that the text behind it is still read. Arrays are taken apart: each element is a record of its own, and only
//! one is in memory at a time.

use crate::Context;
use crate::block::{Block, Findings, Format};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize as _, Deserializer as _};
use serde_json::Value;
use std::fmt;

pub(crate) static FORMAT: Format = Format {
    name: "JSON",
    reads: "documents of the tools named below, one-line, pretty-printed or a document a line",
    first: "{[",
    has_command: false,
    starts,
    continues,
    read,
};

/// A kind of document. `is` is asked of every document (and of every element of a top-level array) in the order of
/// [`KINDS`]; it should look at a key or two.
pub(crate) struct JsonKind {
    /// What people call it: `mtr --json`.
    pub(crate) name: &'static str,
    /// Whether the document is of this kind.
    pub(crate) is: fn(&Value) -> bool,
    /// Reads it. The lines are those of the whole block: an element of an array has none of its own.
    pub(crate) read: fn(&Value, (u64, u64), &Context, &mut Findings),
}

/// Every kind of document, the more telling first.
static KINDS: &[&JsonKind] = &[
    &super::iperf::json::KIND,
    &super::pscheduler::json::KIND,
    &super::interface::IP_LINK_JSON,
    &super::mtr::json::KIND,
    &super::scamper::TRACE,
    &super::scamper::PING,
    &super::scamper::CYCLE,
    &super::ripe_atlas::PING,
    &super::ripe_atlas::TRACEROUTE,
];

/// The kinds, for the list of known formats.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|kind| kind.name)
}

/// How far brackets are balanced after some lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Brackets {
    depth: u32,
    /// The last line ended, or began, with what no JSON document contains.
    broken: bool,
}

impl Brackets {
    /// After one more line. A string never goes on over the end of a line (RFC 8259 section 7: control characters are
    /// escaped), so nothing but the depth is carried on.
    fn after(self, line: &str) -> Self {
        let mut depth = self.depth;
        let mut bytes = line.bytes();
        let mut broken = false;
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => broken |= !skip_string(&mut bytes),
                b'{' | b'[' => depth = depth.saturating_add(1),
                b'}' | b']' => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => broken = true,
                },
                b' ' | b'\t' | b':' | b',' | b'+' | b'-' | b'.' | b'0'..=b'9' => {}
                // What `true`, `false`, `null` and an exponent are made of; NaN and Infinity, which some tools print,
                // are left for the parser to complain about.
                b'a' | b'e' | b'f' | b'l' | b'n' | b'r' | b's' | b't' | b'u' | b'E' | b'N' | b'I' | b'i'
                | b'y' => {}
                _ => broken = true,
            }
            if broken {
                break;
            }
        }
        Self { depth, broken }
    }

    fn is_open(self) -> bool {
        self.depth > 0 && !self.broken
    }
}

/// Goes behind the closing quote; `false` when the line ends before it.
fn skip_string(bytes: &mut std::str::Bytes<'_>) -> bool {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return true,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    false
}

/// `{` before a key or nothing, `[` before a document or nothing. Arrays of plain values are no tool's output, and many
/// a line of text begins with a bracket: `[  5] local …`, `[AS3671 - …`.
fn starts(line: &str) -> bool {
    let line = line.trim_start();
    let next = |rest: &str| rest.trim_start().bytes().next();
    match line.as_bytes().first() {
        Some(b'{') => matches!(next(&line[1..]), None | Some(b'"' | b'}')),
        Some(b'[') => matches!(next(&line[1..]), None | Some(b'{' | b'[' | b']')),
        _ => false,
    }
}

fn continues(block: &Block, line: &str) -> bool {
    let so_far = block.brackets.get().unwrap_or_else(|| {
        let first = block.first().unwrap_or_default();
        Brackets::default().after(first)
    });
    let after = so_far.after(line);
    block
        .brackets
        .set(Some(if after.broken { so_far } else { after }));
    so_far.is_open() && !after.broken
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let lines = (block.first_line, block.last_line());
    let text = block.text();
    let mut documents = serde_json::Deserializer::from_str(text);
    let mut reader = Reader {
        lines,
        context,
        findings,
        unknown: 0,
    };
    let mut read = Ok(());
    while read.is_ok() && documents.end().is_err() {
        read = documents.deserialize_any(Document(&mut reader));
    }
    if reader.unknown > 0 {
        findings.complain_of(lines, "a JSON document of no kind that slowpath knows");
    }
    if let Err(error) = read {
        let line = block
            .first_line
            .saturating_add((error.line() as u64).saturating_sub(1));
        let reason = if error.is_eof() {
            "the JSON document is cut: its brackets never close".to_owned()
        } else {
            format!("no JSON from line {line}, column {} on: {error}", error.column())
        };
        findings.complain_of(lines, reason);
    }
}

/// Where documents go.
struct Reader<'a> {
    lines: (u64, u64),
    context: &'a Context,
    findings: &'a mut Findings,
    unknown: u64,
}

impl Reader<'_> {
    fn take(&mut self, value: &Value) {
        match KINDS.iter().find(|kind| (kind.is)(value)) {
            Some(kind) => (kind.read)(value, self.lines, self.context, self.findings),
            None => self.unknown += 1,
        }
    }
}

/// A whole document; an array is taken apart while it is parsed.
struct Document<'r, 'a>(&'r mut Reader<'a>);

impl<'de> Visitor<'de> for Document<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        self.0.take(&Value::deserialize(MapAccessDeserializer::new(map))?);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element::<Value>()? {
            self.0.take(&element);
        }
        Ok(())
    }
}

/// The value at a JSON pointer (RFC 6901) of keys without `~` and `/`, and of places in arrays. `Value::pointer` makes a text
/// of its own of each key.
pub(crate) fn value_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let mut steps = pointer.split('/').skip(1);
    steps.try_fold(value, |value, step| match value {
        Value::Array(elements) => elements.get(step.parse::<usize>().ok()?),
        _ => value.get(step),
    })
}

/// The text at a JSON pointer; `None` where it is absent or no text.
pub(crate) fn text_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value_at(value, pointer)?.as_str()
}

/// The number at a JSON pointer.
pub(crate) fn f64_at(value: &Value, pointer: &str) -> Option<f64> {
    value_at(value, pointer)?.as_f64()
}

/// The count at a JSON pointer, also where a tool writes it as `5.0`; `None` where it is negative or no whole number.
pub(crate) fn u64_at(value: &Value, pointer: &str) -> Option<u64> {
    let number = value_at(value, pointer)?;
    number.as_u64().or_else(|| {
        let float = number.as_f64()?;
        // 2^53: above it a float is no exact count.
        (float.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&float)).then_some(float as u64)
    })
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
    }
}

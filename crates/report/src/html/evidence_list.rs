//! Every observation, whole: what a claim rests on can be read without another tool.

use crate::observations;
use crate::subject::Subject;
use crate::words;
use evidence::Observation;
use maud::{Markup, html};
use serde_json::Value;

/// Longer lists are cut on the page; `observations.jsonl` has them whole.
const LONGEST_LIST: usize = 24;
/// A value that fits in so many bytes stands on one line.
const LINE: usize = 118;

pub(super) fn section(subject: &Subject) -> Markup {
    html! {
        section {
            h2 id="evidence" { "Evidence" }
            @if subject.case.observations().is_empty() { p.soft { "No observation is in this case." } }
            div id="observations" {
                @for (number, observation) in subject.numbered() { (entry(subject, number, observation)) }
            }
        }
    }
}

fn entry(subject: &Subject, number: usize, observation: &Observation) -> Markup {
    let provenance = &observation.provenance;
    html! {
        details id={ "o" (number) } data-kind=(words::kind(&observation.payload)) data-at=(provenance.at.0)
            data-place=(subject.names.place(&provenance.vantage)) {
            summary {
                b { "o" (number) } " " (words::kind(&observation.payload)) " "
                span.soft { "(" (subject.names.place(&provenance.vantage)) ", round " (provenance.round) ") " }
                (observations::summary(&observation.payload, &subject.names))
            }
            dl {
                dt { "id" } dd.mono { (observation.id.0) }
                dt { "when" } dd {
                    (words::made(provenance))
                    @if provenance.at_is_import_time { "; imported " (words::when(provenance.at)) }
                }
                dt { "measured at" } dd { (subject.names.place(&provenance.vantage)) }
                dt { "with" } dd { (provenance.tool) }
                @if let Some(raw) = &provenance.raw_sha256 { dt { "raw record" } dd { (raw_record(raw, provenance.raw_lines)) } }
            }
            pre { (content(observation)) }
        }
    }
}

/// A link into the case's `raw/` beside this page; where the page came alone, the hash and the lines say which part of
/// which file to ask for.
fn raw_record(sha256: &str, lines: Option<(u64, u64)>) -> Markup {
    let text = format!("raw/{sha256}");
    html! {
        @if words::is_sha256(sha256) { a.mono href=(text) { (text) } } @else { span.mono { (text) } }
        @if let Some(lines) = lines { ", " (words::lines(lines)) }
        span.soft { " (in the case; ask for it where this page came alone)" }
    }
}

fn content(observation: &Observation) -> String {
    let value = serde_json::to_value(&observation.payload).unwrap_or(Value::Null);
    let mut out = String::new();
    write_value(&mut out, &value, 0);
    out
}

/// JSON as people read it: what fits stays on one line, long lists are cut with a count of the rest.
fn write_value(out: &mut String, value: &Value, indent: usize) {
    let mut line = String::new();
    if compact(&mut line, value, LINE.saturating_sub(indent)) {
        out.push_str(&line);
        return;
    }
    let pad = " ".repeat(indent + 2);
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().take(LONGEST_LIST).enumerate() {
                out.push_str(if index == 0 { "\n" } else { ",\n" });
                out.push_str(&pad);
                write_value(out, item, indent + 2);
            }
            let rest = items.len().saturating_sub(LONGEST_LIST);
            if rest > 0 {
                out.push_str(&format!(
                    ",\n{pad}… {} more in observations.jsonl",
                    words::count(rest as u64)
                ));
            }
            out.push_str(&format!("\n{}]", " ".repeat(indent)));
        }
        Value::Object(fields) => {
            out.push('{');
            for (index, (name, item)) in fields.iter().enumerate() {
                out.push_str(if index == 0 { "\n" } else { ",\n" });
                out.push_str(&format!("{pad}{}: ", Value::String(name.clone())));
                write_value(out, item, indent + 2);
            }
            out.push_str(&format!("\n{}}}", " ".repeat(indent)));
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Writes a value on one line, with room to breathe. Gives up, `false`, once it is longer than `limit` bytes.
fn compact(out: &mut String, value: &Value, limit: usize) -> bool {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                if !compact(out, item, limit) {
                    return false;
                }
            }
            out.push(']');
        }
        Value::Object(fields) => {
            out.push('{');
            for (index, (name, item)) in fields.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                out.push_str(&format!("{}: ", Value::String(name.clone())));
                if !compact(out, item, limit) {
                    return false;
                }
            }
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
    out.len() <= limit
}

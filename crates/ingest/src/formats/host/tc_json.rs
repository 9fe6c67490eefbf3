//! `tc -s -j qdisc`: a queueing discipline an element.

use crate::command::Run;
use crate::format::Group;
use crate::json_kind::{JsonKind, text_at, u64_at};
use evidence::{HostFacts, Interface, Payload};
use serde_json::Value;
use std::fmt::Write as _;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "tc -s -j qdisc",
    reads: "what is set, sent and dropped",
    group: Group::Hosts,
    is: |value| {
        ["kind", "handle", "options"]
            .iter()
            .all(|key| value.get(key).is_some())
    },
    read: |value, lines, context, findings| {
        let text = |key: &str| text_at(value, key).unwrap_or("");
        let kind = text("/kind");
        if text("/dev").is_empty() {
            findings.complain_of(
                lines,
                "of which interface it is neither the document nor a command `tc … dev NAME` above it tells",
            );
            return;
        }
        let is_root = value.get("root").and_then(Value::as_bool) == Some(true);
        let mut interface = Interface {
            name: text("/dev").to_owned(),
            qdisc: is_root.then(|| kind.to_owned()),
            ..Interface::default()
        };
        for (key, name) in [
            ("/bytes", "bytes"),
            ("/packets", "packets"),
            ("/drops", "dropped"),
            ("/overlimits", "overlimits"),
            ("/requeues", "requeues"),
            ("/backlog", "backlog_bytes"),
            ("/qlen", "backlog_packets"),
            ("/drop_overlimit", "drop_overlimit"),
            ("/ecn_mark", "ecn_mark"),
            ("/throttled", "throttled"),
        ] {
            if let Some(count) = u64_at(value, key) {
                interface.counters.insert(format!("qdisc.{kind}.{name}"), count);
            }
        }
        let tins = value.get("tins").and_then(Value::as_array);
        for (place, tin) in tins.into_iter().flatten().enumerate() {
            for name in ["drops", "ecn_mark"] {
                if let Some(count) = tin.get(name).and_then(Value::as_u64) {
                    let name = format!("qdisc.{kind}.tin {place}.{name}");
                    interface.counters.insert(name, count);
                }
            }
        }
        let mut options = String::new();
        write_options(&mut options, "", value.get("options").unwrap_or(&Value::Null));
        if !options.is_empty() {
            let handle = Some(text("/handle"))
                .filter(|handle| *handle != "0:")
                .unwrap_or("");
            let name = format!("qdisc.{kind} {handle}").trim_ascii_end().to_owned();
            interface.other.insert(name, options);
        }
        let facts = HostFacts {
            interface: Some(interface),
            ..HostFacts::default()
        };
        findings.record_of(lines, "tc", context.at, Payload::HostFacts(facts));
    },
};

/// The interface that a command names: then the document does not.
pub(crate) fn asked(line: &str) -> Option<&str> {
    let run = Run::of(line, &["tc"])?;
    let is_json = |word: &str| word.starts_with('-') && word.contains('j');
    let named = || run.words().skip_while(|word| *word != "dev").nth(1);
    run.words().any(is_json).then(named)?
}

/// The options as the document has them: rates are in bytes per second there, times in seconds or microseconds.
fn write_options(text: &mut String, path: &str, value: &Value) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                let path = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                write_options(text, &path, field);
            }
        }
        Value::Null | Value::Array(_) => {}
        plain => {
            let blank = if text.is_empty() { "" } else { " " };
            let _ = match plain {
                Value::String(word) => write!(text, "{blank}{path}={word}"),
                plain => write!(text, "{blank}{path}={plain}"),
            };
        }
    }
}

//! Zeek's `conn.log`, with tabs or as JSON: each connection with the bytes of the application that went each way.

use super::flow::{Flow, node};
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::history::epoch;
use crate::formats::host::command::arguments;
use crate::json_kind::JsonKind;
use crate::prompt::command_line;
use crate::{Context, when};
use evidence::Transport;
use serde_json::Value;

pub(crate) static FORMAT: Format = Format {
    name: "Zeek conn.log",
    group: Group::Histories,
    reads: "connections over TCP and UDP: bytes each way, time, ports, service",
    first: "#ch",
    has_command: true,
    marks: Some(|| Marks::of(["#separator", "#fields\t", "conn.log"])),
    starts: |line| line.starts_with("#separator") || line.starts_with("#fields\t") || is_command(line),
    continues: |_, line| line.starts_with('#') || line.contains('\t'),
    takes_in: Some(|_, line| !line.trim_ascii().is_empty() && command_line(line).is_none()),
    read,
};

/// `$ head conn.log`
fn is_command(line: &str) -> bool {
    line.contains("conn")
        && ["cat", "head"].iter().any(|program| {
            arguments(line, program).is_some_and(|mut words| words.any(|word| word.ends_with("conn.log")))
        })
}

pub(crate) static JSON: JsonKind = JsonKind {
    name: "Zeek conn.log as JSON",
    reads: "connections over TCP and UDP: bytes each way, time, ports, service",
    group: Group::Histories,
    is: |value| value.get("id.orig_h").is_some() && value.get("conn_state").is_some(),
    read: |document, lines, context, findings| {
        let get = |name: &str| match document.get(name)? {
            Value::String(text) => Some(text.clone()),
            value @ Value::Number(_) => Some(value.to_string()),
            _ => None,
        };
        record(&get, lines, context, findings);
    },
};

/// Records both ways of a connection; its fields come from `get`, which knows none that is not set.
fn record(
    get: &dyn Fn(&str) -> Option<String>,
    lines: (u64, u64),
    context: &Context,
    findings: &mut Findings,
) {
    findings.nothing_to_say();
    let protocol = match get("proto").as_deref() {
        Some("tcp") => Transport::Tcp,
        Some("udp") => Transport::Udp,
        Some(_) => return,
        None => return findings.complain_of(lines, "a connection without its protocol"),
    };
    // Where nobody says how long it took nothing was transferred: an attempt without an answer.
    let seconds = get("duration");
    let duration_ns = seconds.as_deref().and_then(super::flow::duration_ns);
    if seconds.is_some() && duration_ns.is_none() {
        return findings.complain_of(lines, "a duration that is not understood");
    }
    let at = get("ts").and_then(|ts| epoch(&ts).or_else(|| when::iso8601(&ts, None)));
    let end = |host: &str, port: &str| Some((node(&get(host)?), get(port)?.parse::<u16>().ok()?));
    let (Some((origin, origin_port)), Some((answerer, port))) =
        (end("id.orig_h", "id.orig_p"), end("id.resp_h", "id.resp_p"))
    else {
        return findings.complain_of(lines, "a connection without its hosts and ports");
    };
    let ways = [
        ("orig_bytes", &origin, &answerer, (origin_port, port)),
        ("resp_bytes", &answerer, &origin, (port, origin_port)),
    ];
    for (name, from, to, ports) in ways {
        let Some(text) = get(name) else {
            continue;
        };
        let Ok(bytes) = text.parse() else {
            findings.complain_of(lines, format!("no count: {name} {text}"));
            continue;
        };
        let flow = Flow {
            from: from.clone(),
            to: to.clone(),
            protocol: Some(protocol),
            ports: Some(ports),
            bytes,
            is_exact: true,
            duration_ns,
            application: get("service"),
            ..Flow::default()
        };
        if let Some(transfer) = flow.transfer() {
            findings.record_of(lines, "Zeek", at.or(context.at), transfer.into());
        }
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut names: Option<Vec<&str>> = None;
    let mut path = None;
    for (number, line) in block.numbered().filter(|(_, line)| !line.trim_ascii().is_empty()) {
        if let Some(fields) = line.strip_prefix("#fields\t") {
            names = Some(fields.split('\t').collect());
        } else if let Some(log) = line.strip_prefix("#path\t") {
            path = Some(log.trim_ascii());
        } else if !line.starts_with('#') && !is_command(line) {
            let row: Vec<&str> = line.split('\t').collect();
            let Some(names) = names.as_ref().filter(|names| names.contains(&"id.orig_h")) else {
                findings.unread(number, line);
                continue;
            };
            if row.len() != names.len() {
                findings.complain(
                    number,
                    format!("not as many fields as names: {}", line.trim_ascii()),
                );
                continue;
            }
            let get = |name: &str| {
                let place = names.iter().position(|known| *known == name)?;
                row.get(place)
                    .filter(|value| !matches!(**value, "-" | "(empty)" | ""))
                    .map(|value| (*value).to_owned())
            };
            if path.is_none_or(|path| path == "conn") && names.contains(&"orig_bytes") {
                record(&get, (number, number), context, findings);
            }
        }
    }
    if path.is_some_and(|path| path != "conn") {
        let lines = (block.first_line, block.last_written_line());
        findings.complain_of(lines, "a log of Zeek that holds no connections");
    }
    if names.is_some() {
        findings.nothing_to_say();
    }
}

//! trippy (`trip`): its reports as CSV, as Markdown, as a table with frames, as JSON, and as lines that go on (`-m csv`, `markdown`, `pretty`,
//! `json`, `stream`). Of the last only what stands at the end counts: every round is the sum of all before it.
//! <https://trippy.rs/guides/usage/>

use super::run::{Hop, Run};
use crate::Context;
use crate::block::Block;
use crate::csv_row::fields;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::host::{delay, host, leading_host, rtt_from_ms};
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at, value_at};
use crate::prompt::command_line;
use crate::stray::is_stray;
use serde_json::Value;

const TOOL: &str = "trippy";

pub(crate) static FORMAT: Format = Format {
    name: "trippy",
    group: Group::Paths,
    reads: "reports of `trip`, -m csv, markdown, pretty, stream: loss and times of each hop",
    first: "T|┌│",
    has_command: true,
    marks: Some(|| Marks::of(["TargetIp,Hop,", " Addrs ", "trip ", "┬", "Tracing to "])),
    starts: |line| is_command(line) || is_top(line) || is_stream_title(line) || columns(line).is_some(),
    continues,
    takes_in: Some(|block, line| {
        let is_own = |line: &str| is_frame(line) || columns(line).is_some() || is_row(line);
        !block.last().is_some_and(is_bottom) && is_stray(block, line, is_own)
    }),
    read,
};

/// `$ sudo trip example.com -m csv`
fn is_command(line: &str) -> bool {
    typed(line).is_some()
}

/// What stands behind the program's name.
fn typed(line: &str) -> Option<&str> {
    let command = command_line(line)?.command;
    let command = command.strip_prefix("sudo ").unwrap_or(command);
    command.strip_prefix("trip ")
}

/// `┌─────┬────┐`, and the lines between the rows.
fn is_frame(line: &str) -> bool {
    let line = line.trim_ascii();
    line.starts_with(['┌', '╞', '├', '└']) && line.chars().all(|sign| FRAME.contains(sign))
        || line.starts_with("|--") && line.bytes().all(|byte| matches!(byte, b'|' | b'-'))
}

/// Above the heading.
fn is_top(line: &str) -> bool {
    line.trim_ascii_start().starts_with('┌') && is_frame(line)
}

const FRAME: &str = "┌┬┐╞═╪╡├╌┼┤└┴┘─";

/// `Tracing to example.com (192.0.2.1)`
fn is_stream_title(line: &str) -> bool {
    line.strip_prefix("Tracing to ")
        .is_some_and(|rest| rest.contains(" (") && rest.trim_ascii_end().ends_with(')'))
}

/// `ttl=1 addrs=192.0.2.1 exts= loss_pct=0.0 …`
fn is_stream(line: &str) -> bool {
    line.starts_with("ttl=") && line.contains(" loss_pct=")
}

/// The cells of a row of a table, by whatever divides them.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim_ascii();
    if !line.starts_with(['|', '│']) {
        return fields(line);
    }
    let inner = line.trim_matches(['|', '│']);
    let cells = inner.split(['|', '│', '┆']);
    cells.map(|cell| cell.trim_ascii().to_owned()).collect()
}

/// The columns of a heading.
fn columns(line: &str) -> Option<Vec<String>> {
    let columns = cells(line);
    let has = |name: &str| columns.iter().any(|column| column == name);
    (has("Hop") && has("IPs") && has("Addrs") && has("Loss%") && has("Snt")).then_some(columns)
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    let is_stream_below = is_stream(text) && block.has(is_stream_title);
    is_frame(line)
        || is_stream_below
        || is_stream_title(line) && !block.has(|line| !is_command(line))
        || columns(line).is_some() && !block.has(|line| !is_command(line) && !is_frame(line))
        || block.has(|line| columns(line).is_some()) && is_row(text)
}

/// Below everything.
fn is_bottom(line: &str) -> bool {
    line.trim_ascii_start().starts_with('└')
}

fn is_row(line: &str) -> bool {
    line.starts_with('|') || line.contains('┆') || line.split(',').count() >= 13
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut run = Run {
        tool: Some(TOOL),
        ..Run::default()
    };
    let mut names: Vec<String> = Vec::new();
    let mut rest: Vec<(u64, Vec<String>)> = Vec::new();
    for (number, line) in block.numbered() {
        if let Some(rest) = typed(line) {
            let target = rest.split_ascii_whitespace().find(|word| !word.starts_with('-'));
            run.to = host(target.unwrap_or_default());
            run.from = context.from_or(
                command_line(line)
                    .and_then(|typed| typed.device())
                    .map(evidence::Node::named)
                    .unwrap_or_default(),
            );
        } else if let Some(found) = columns(line) {
            names = found;
        } else if let Some(target) = line.strip_prefix("Tracing to ") {
            run.to = leading_host(target).0;
        } else if is_stream(line) {
            match streamed(line) {
                Some(hop) => {
                    run.hops.retain(|known| known.ttl != hop.ttl);
                    run.hops.push(hop);
                }
                None => findings.unread(number, line),
            }
        } else if !is_frame(line) {
            let cells = cells(line);
            if is_rest(&names, &cells) {
                rest.push((number, cells));
                continue;
            }
            let before = run.hops.len();
            if !take_row(&mut run, &names, &cells) {
                findings.unread(number, line);
            }
            // Of the hop above it, if that is the one before this one: else the row that it belongs to is missing.
            let is_added = run.hops.len() > before;
            let of_last = run
                .hops
                .split_last_mut()
                .and_then(|(hop, above)| Some((hop.ttl, above.last_mut()?)));
            let of_last = of_last.filter(|(ttl, above)| is_added && is_next(*ttl, above));
            add_rest(
                of_last.map(|(_, above)| above),
                &names,
                std::mem::take(&mut rest),
                findings,
            );
        }
    }
    add_rest(None, &names, rest, findings);
    let is_said = !run.hops.is_empty();
    if is_said {
        run.into_findings((block.first_line, block.last_written_line()), context, findings);
    }
}

/// Whether a row names another router of the hop above it, and nothing else.
fn is_rest(names: &[String], cells: &[String]) -> bool {
    names.len() == cells.len() && value(names, cells, "Hop") == Some("")
}

/// Whether a hop is the next one behind one that somebody answered at: a silent one has no further routers.
fn is_next(ttl: u8, above: &Hop) -> bool {
    above.ttl.checked_add(1) == Some(ttl) && !above.nodes.is_empty()
}

/// Adds further routers to the hop that they belong to, if that is known.
fn add_rest(hop: Option<&mut Hop>, names: &[String], rest: Vec<(u64, Vec<String>)>, findings: &mut Findings) {
    let Some(hop) = hop else {
        for (number, _) in rest {
            findings.complain(
                number,
                "a further router of a hop that is not told: it is not used",
            );
        }
        return;
    };
    for (_, cells) in rest {
        if let (Some(ips), Some(hosts)) = (value(names, &cells, "IPs"), value(names, &cells, "Addrs")) {
            add(hop, ips, hosts);
        }
    }
}

/// The cell of a column.
fn value<'c>(names: &[String], cells: &'c [String], name: &str) -> Option<&'c str> {
    let place = names.iter().position(|known| known == name)?;
    cells.get(place).map(String::as_str)
}

/// Takes a row; whether it was understood.
fn take_row(run: &mut Run, names: &[String], cells: &[String]) -> bool {
    let value = |name: &str| value(names, cells, name);
    let (Some(ips), Some(hosts)) = (value("IPs"), value("Addrs")) else {
        return false;
    };
    if names.len() != cells.len() {
        return false;
    }
    if let (Some("1"), Some(to), Some(address)) = (value("Hop"), value("Target"), value("TargetIp")) {
        run.to = leading_host(&format!("{to} ({address})")).0;
    }
    let Some(ttl) = value("Hop")
        .and_then(|ttl| ttl.parse().ok())
        .filter(|ttl| *ttl > 0)
    else {
        return false;
    };
    let mut hop = Hop {
        ttl,
        ..Hop::default()
    };
    add(&mut hop, ips, hosts);
    for name in ["Loss%", "Snt", "Recv", "Avg", "Best", "Wrst", "StdDev"] {
        let column = if name == "StdDev" { "StDev" } else { name };
        let text = value(name).unwrap_or_default();
        if text != "???" && !hop.figure(column, text) {
            return false;
        }
    }
    run.hops.push(hop);
    true
}

/// The routers of a cell: `192.0.2.1`, of CSV several with a colon between them, which addresses of IPv6 have as well.
fn add(hop: &mut Hop, ips: &str, hosts: &str) {
    let are_several = ips.contains('.') && ips.contains(':');
    if are_several {
        let addresses = ips.split(':');
        return addresses.for_each(|address| hop.node(address, None));
    }
    // The name is the address where it has none.
    if hosts.is_empty() || hosts == ips || hosts.contains(' ') || hosts == "???" {
        hop.node(ips, None);
    } else {
        hop.node(&format!("{hosts} ({ips})"), None);
    }
}

/// A hop of the lines that go on.
fn streamed(line: &str) -> Option<Hop> {
    let value = |key: &str| {
        let mut words = line.split_ascii_whitespace();
        words.find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    };
    let mut hop = Hop {
        ttl: value("ttl")?.parse().ok()?,
        ..Hop::default()
    };
    let addresses = line.split_once("addrs=")?.1.split_once(" exts=")?.0;
    addresses.split(", ").for_each(|address| hop.node(address, None));
    let columns = [
        ("Loss%", "loss_pct"),
        ("Snt", "sent"),
        ("Recv", "recv"),
        ("Avg", "avg"),
    ];
    let times = [("Best", "best"), ("Wrst", "worst"), ("StDev", "stddev")];
    let all = columns.into_iter().chain(times);
    all.into_iter()
        .all(|(column, key)| value(key).is_some_and(|text| hop.figure(column, text)))
        .then_some(hop)
}

pub(crate) static KIND: JsonKind = JsonKind {
    name: "trippy as JSON",
    reads: "`trip -m json`: loss and times of each hop",
    group: Group::Paths,
    is: |value| value_at(value, "/info/target/ip").is_some() && value_at(value, "/hops").is_some(),
    read: read_json,
};

fn read_json(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let text = |pointer| text_at(value, pointer).unwrap_or("");
    let hops = value_at(value, "/hops").and_then(Value::as_array);
    let target = format!("{} ({})", text("/info/target/hostname"), text("/info/target/ip"));
    let run = Run {
        tool: Some(TOOL),
        to: leading_host(&target).0,
        at: crate::when::iso8601(text("/info/start_timestamp"), None),
        hops: hops.into_iter().flatten().filter_map(json_hop).collect(),
        ..Run::default()
    };
    run.into_findings(lines, context, findings);
}

fn json_hop(value: &Value) -> Option<Hop> {
    // Figures are texts with two decimals.
    let number = |name: &str| f64_at(value, name).or_else(|| text_at(value, name)?.parse().ok());
    let received = u64_at(value, "/recv");
    let rtt = |name: &str| delay(number(name).and_then(rtt_from_ms).filter(|_| received != Some(0)));
    let mut hop = Hop {
        ttl: u64_at(value, "/ttl")
            .and_then(|ttl| u8::try_from(ttl).ok())
            .filter(|ttl| *ttl > 0)?,
        sent: u64_at(value, "/sent"),
        received,
        ..Hop::default()
    };
    hop.rtt.mean_ns = rtt("/avg");
    hop.rtt.min_ns = rtt("/best");
    hop.rtt.max_ns = rtt("/worst");
    hop.rtt.deviation_ns = rtt("/stddev");
    let hosts = value_at(value, "/hosts").and_then(Value::as_array);
    for router in hosts.into_iter().flatten() {
        let (ip, name) = (
            text_at(router, "/ip")?,
            text_at(router, "/hostname").unwrap_or(""),
        );
        add(&mut hop, ip, name);
    }
    hop.is_silent = hop.nodes.is_empty();
    Some(hop)
}

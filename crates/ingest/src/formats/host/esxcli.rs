//! `esxcli network nic list` and `get` of VMware ESXi: the adapters of a host, and how one is set
//! (<https://developer.broadcom.com/xapis/esxcli-command-reference/latest/namespace/esxcli_network.html>).

use super::command::{arguments, is_only};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use evidence::{InterfaceCounters, Payload, RateBps};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "esxcli network nic",
    group: Group::Hosts,
    reads: "`esxcli network nic list`: state, speed, duplex and MTU of an ESXi host's adapters; `get`: link, auto-negotiation, pause, driver",
    first: "NAe",
    has_command: true,
    marks: Some(|| Marks::of(["Advertised Auto Negotiation:", "PCI Device", "esxcli"])),
    starts: |line| is_head(line) || is_setting_head(line) || is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            return is_head(line) || is_setting_head(line);
        }
        match block.has(is_head) {
            true => is_rule(line) || is_adapter(block, line),
            false => pair(line).is_some() && !is_setting_head(line) && line.starts_with(' '),
        }
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    let Some(words) = arguments(line, "esxcli") else {
        return false;
    };
    let words: Vec<&str> = words.take(4).collect();
    words.starts_with(&["network", "nic", "list"]) || words.starts_with(&["network", "nic", "get"])
}

/// `Name    PCI Device    Driver  Admin Status  Link Status  Speed  Duplex  MAC Address  MTU  Description`
fn is_head(line: &str) -> bool {
    line.starts_with("Name ") && line.contains(" PCI Device ") && line.contains(" Link Status ")
}

/// The first line of what `get` says of an adapter.
fn is_setting_head(line: &str) -> bool {
    line.trim_ascii_start()
        .starts_with("Advertised Auto Negotiation: ")
}

fn is_rule(line: &str) -> bool {
    line.starts_with("---")
        && line
            .trim_ascii_end()
            .bytes()
            .all(|byte| matches!(byte, b'-' | b' '))
}

/// A row: the second cell is an address on the bus, `0000:3b:00.1`.
fn is_adapter(block: &Block, line: &str) -> bool {
    let is_address = |word: &str| word.len() > 8 && word.contains(':') && word.contains('.');
    block.first_such(is_rule).is_some()
        && line.split_ascii_whitespace().nth(1).is_some_and(|word| {
            is_address(word)
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'))
        })
}

/// `   Link Detected: true`
fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim_ascii().split_once(':')?;
    let is_key =
        !key.is_empty() && key.len() < 40 && key.bytes().all(|b| b.is_ascii_alphabetic() || b == b' ');
    (is_key && (value.is_empty() || value.starts_with(' '))).then(|| (key, value.trim_ascii()))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    match block.first_such(is_head) {
        Some(head) => list(head, block, context, findings),
        None => get(block, context, findings),
    }
}

/// The cells of a row, by the heads above them. Both begin where the dashes of the rule do.
fn cells<'l>(head: &'l str, rule: &str, row: &'l str) -> Option<BTreeMap<&'l str, &'l str>> {
    if !row.is_ascii() || !head.is_ascii() {
        return None;
    }
    let is_begin = |at: usize| {
        let bytes = rule.as_bytes();
        bytes.get(at) == Some(&b'-') && (at == 0 || bytes.get(at - 1) == Some(&b' '))
    };
    let begins: Vec<usize> = (0..rule.len()).filter(|at| is_begin(*at)).collect();
    let ends = begins.iter().skip(1).copied().chain([usize::MAX]);
    let mut cells = BTreeMap::new();
    for (begin, end) in begins.iter().zip(ends) {
        let of = |line: &'l str| line.get(*begin..end.min(line.len())).unwrap_or_default();
        // A cell that reaches over the edge belongs to a table that was moved.
        let is_edge = *begin == 0 || row.as_bytes().get(begin - 1).is_none_or(|byte| *byte == b' ');
        if !is_edge {
            return None;
        }
        cells.insert(of(head).trim_ascii(), of(row).trim_ascii());
    }
    Some(cells)
}

fn list(head: &str, block: &Block, context: &Context, findings: &mut Findings) {
    let Some(rule) = block.first_such(is_rule) else {
        return;
    };
    for (number, line) in block.numbered() {
        if line == head || is_rule(line) || number == block.first_line && is_command(line) {
            continue;
        }
        let Some(row) = cells(head, rule, line) else {
            findings.unread(number, line);
            continue;
        };
        let cell = |name: &str| row.get(name).copied().filter(|cell| !cell.is_empty());
        let (Some(name), Some(state)) = (cell("Name"), cell("Link Status")) else {
            findings.unread(number, line);
            continue;
        };
        let is_up = match state {
            "Up" => true,
            "Down" => false,
            _ => {
                findings.unread(number, line);
                continue;
            }
        };
        let megabits = cell("Speed").and_then(|speed| speed.parse::<f64>().ok());
        let duplex = cell("Duplex").filter(|duplex| is_up && matches!(*duplex, "Full" | "Half"));
        let kept = [("driver", cell("Driver")), ("admin status", cell("Admin Status"))];
        let kept = kept
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value?.to_owned())));
        let counters = InterfaceCounters {
            device: device(block, context),
            interface: name.to_owned(),
            description: cell("Description").map(str::to_owned),
            up: Some(is_up),
            mtu_bytes: cell("MTU").and_then(|mtu| mtu.parse().ok()),
            bandwidth_bps: megabits
                .filter(|megabits| *megabits > 0.0)
                .map(|megabits| RateBps(megabits * 1e6)),
            duplex: duplex.map(str::to_ascii_lowercase),
            settings: kept.collect(),
            ..InterfaceCounters::default()
        };
        findings.record_of(
            (number, number),
            "esxcli",
            context.at,
            Payload::InterfaceCounters(counters),
        );
    }
}

/// What is kept of what `get` says.
const KEPT: [&str; 9] = [
    "Advertised Link Modes",
    "Auto Negotiation",
    "Cable Type",
    "Driver",
    "Firmware Version",
    "Link Status",
    "Pause RX",
    "Pause TX",
    "Version",
];

fn get(block: &Block, context: &Context, findings: &mut Findings) {
    let mut said: BTreeMap<&str, &str> = BTreeMap::new();
    for (number, line) in block.numbered() {
        let Some((key, value)) = pair(line).filter(|(_, value)| !value.is_empty()) else {
            continue;
        };
        if said.insert(key, value).is_some_and(|before| before != value) {
            findings.complain(number, format!("said twice, and not the same: {key}"));
            said.insert(key, "");
        }
    }
    if said.is_empty() {
        return;
    }
    let text = |key: &str| said.get(key).copied().filter(|value| !value.is_empty());
    let Some(name) = text("Name") else {
        return findings.complain(block.first_line, "settings of an adapter without its name");
    };
    let up = match text("Link Detected") {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    let kept = KEPT
        .iter()
        .filter_map(|key| Some((key.to_ascii_lowercase(), text(key)?.to_owned())));
    let counters = InterfaceCounters {
        device: device(block, context),
        interface: name.to_owned(),
        up,
        settings: kept.collect(),
        ..InterfaceCounters::default()
    };
    findings.record(block, "esxcli", context.at, Payload::InterfaceCounters(counters));
}

//! What Windows says of its interfaces and of TCP: tables of `netsh` and of PowerShell, and the lists that
//! `Format-List` makes of them.

use super::command::is_only;
use super::given::Given;
use super::windows_chosen::{is_chosen, is_list};
use super::windows_tables::{is_adapter, listed_adapter, offloads_of, row, table};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::counted::{Words, count};
use crate::formats::interface::section::device;
use crate::prompt::{command_line, typed_in_powershell};
use evidence::{CounterKind, HostFacts, Interface, InterfaceCounters, Payload};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "netsh, PowerShell",
    group: Group::Hosts,
    reads: "Windows: `netsh interface ipv4 show subinterfaces` and `interfaces`, `netsh interface tcp show global` and `supplemental`, \
            Get-NetAdapter, Get-NetAdapterStatistics, Get-NetAdapterRss, Get-NetTCPSetting, Get-NetOffloadGlobalSetting",
    first: "MINPQSTnGgRi",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "MediaSenseState",
            "MTU  ",
            "Idx",
            "ReceivedBytes",
            "InterfaceDescription",
            "TCP Global Parameters",
            "TCP Supplemental Parameters",
            "The TCP global default template is ",
            "Querying active state",
            "SettingName",
            "ifAlias",
            "InterfaceAlias",
            "ReceiveSideScaling",
            "netsh",
            "get-net",
        ])
    }),
    starts: |line| table(line).is_some() || is_global(line) || list_key(line) || is_command(line),
    continues,
    // A name and a value with a colon between is what many print; with nothing behind the colon it is somebody's sentence.
    takes_in: Some(|block, line| {
        pair(line).is_some_and(|(_, value)| !value.is_empty() || line.contains(" :")) && !has_table(block)
    }),
    read,
};

fn is_global(line: &str) -> bool {
    matches!(
        line.trim_ascii_end(),
        "TCP Global Parameters" | "TCP Supplemental Parameters"
    ) || line.starts_with("Querying active state")
        || line.starts_with("The TCP global default template is ")
}

/// The first key of a list that `Format-List` makes.
fn list_key(line: &str) -> bool {
    pair(line).is_some_and(|(key, _)| {
        matches!(
            key,
            "SettingName"
                | "ReceivedBytes"
                | "ifAlias"
                | "InterfaceAlias"
                | "ReceiveSideScaling"
                | "InterfaceDescription"
        ) && line.contains(" : ")
    })
}

fn is_command(line: &str) -> bool {
    const CMDLETS: [&str; 5] = [
        "get-netadapter",
        "get-netadapterrss",
        "get-netadapterstatistics",
        "get-nettcpsetting",
        "get-netoffloadglobalsetting",
    ];
    const LISTED: [&str; 3] = ["get-netadapterrsc", "get-netadapterlso", "get-netipinterface"];
    let mut words = typed_words(line);
    match words.next() {
        Some(first) if first.eq_ignore_ascii_case("netsh") => words.any(|word| {
            matches!(
                word,
                "subinterfaces" | "subinterface" | "interfaces" | "interface" | "int" | "global" | "tcp"
            )
        }),
        Some(first) => {
            let is_one = |cmdlets: &[&str]| cmdlets.iter().any(|cmdlet| first.eq_ignore_ascii_case(cmdlet));
            !is_chosen(line) && is_one(&CMDLETS) || is_list(line) && is_one(&LISTED)
        }
        None => false,
    }
}

/// What was typed, behind a prompt or without one: `PS C:\> Get-NetAdapter`.
pub(super) fn typed_words(line: &str) -> impl Iterator<Item = &str> {
    let typed = command_line(line).map_or(line, |typed| typed.command);
    typed_in_powershell(typed)
        .unwrap_or(typed)
        .split_ascii_whitespace()
}

/// `Receive Window Auto-Tuning Level    : normal`
fn pair(line: &str) -> Option<(&str, &str)> {
    // `BaseProcessor: [Group:Number]   : 0:0`
    let (key, value) = match line.split_once(" : ") {
        Some((key, value)) => (key, value),
        None => line
            .split_once(':')
            .filter(|(_, value)| value.is_empty() || value.starts_with(' '))?,
    };
    let key = key.trim_ascii();
    // Windows has them in its own language.
    let is_key = |c: char| c.is_alphanumeric() || " -/()._\"[:]".contains(c);
    (!key.is_empty() && key.len() < 60 && key.chars().all(is_key)).then(|| (key, value.trim_ascii()))
}

/// What does not fit behind a colon goes on below it.
fn is_rest(block: &Block, line: &str) -> bool {
    let indentation = line.len() - line.trim_ascii_start().len();
    let colon = |above: &str| above.find(" : ").is_some_and(|at| at + 3 == indentation);
    indentation > 0
        && block
            .lines()
            .rev()
            .take(8)
            .find(|above| pair(above).is_some())
            .is_some_and(colon)
}

/// Whether a command asks for the settings of TCP: what is above the rule is a title, in any language.
fn asks_global(line: &str) -> bool {
    is_command(line) && typed_words(line).any(|word| word.eq_ignore_ascii_case("global"))
}

/// Whether a line stands above the rule of such a list.
fn is_above_rule(block: &Block, line: &str) -> bool {
    block.len() < 6
        && block.first().is_some_and(asks_global)
        && !block.has(is_ruler)
        && command_line(line).is_none()
        && pair(line).is_none()
}

/// `------  ---------------  ---------`
fn is_ruler(line: &str) -> bool {
    !line.trim_ascii().is_empty() && line.bytes().all(|byte| matches!(byte, b'-' | b' '))
}

fn continues(block: &Block, line: &str) -> bool {
    if line.trim_ascii().is_empty() {
        return block.last().is_some_and(|last| !last.trim_ascii().is_empty()) || block.len() < 4;
    }
    if is_above_rule(block, line) || is_rest(block, line) {
        return true;
    }
    if is_only(block, is_command) {
        return table(line).is_some() || is_global(line);
    }
    let Some(last) = block.last() else { return false };
    let open = block.last_such(|line| table(line).is_some()).and_then(table);
    if let Some(table) = open {
        // A blank line ends a table.
        return is_ruler(line) || !last.trim_ascii().is_empty() && row(table, line).is_some();
    }
    table(line).is_some() || is_ruler(line) || is_global(line) || line.starts_with("**")
}

fn has_table(block: &Block) -> bool {
    block.has(|line| table(line).is_some())
}

/// Properties of `Get-NetAdapterStatistics`, sorted.
const STATISTICS: &Words = &[
    ("OutboundDiscardedPackets", CounterKind::OutputDrops),
    ("OutboundPacketErrors", CounterKind::OutputErrors),
    ("ReceivedBytes", CounterKind::InputBytes),
    ("ReceivedDiscardedPackets", CounterKind::InputDiscards),
    ("ReceivedPacketErrors", CounterKind::InputErrors),
    ("SentBytes", CounterKind::OutputBytes),
];

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut open = None;
    let mut objects: Vec<Given<String>> = vec![Given::default()];
    let mut understood = false;
    let (is_titled, mut is_ruled) = (block.first().is_some_and(asks_global), false);
    for (number, line) in block.numbered() {
        is_ruled |= is_ruler(line);
        if let Some(found) = table(line) {
            (open, understood) = (Some(found), true);
        } else if is_ruler(line) || is_global(line) || number == block.first_line && is_command(line) {
            understood |= is_global(line);
        } else if line.trim_ascii().is_empty() {
            objects.push(Given::default());
        } else if let Some(table) = open {
            match row(table, line) {
                Some(interface) => {
                    let interface = InterfaceCounters {
                        device: device(block, context),
                        ..interface
                    };
                    findings.record_of(
                        (number, number),
                        "netsh",
                        context.at,
                        Payload::InterfaceCounters(interface),
                    );
                }
                None => findings.unread(number, line),
            }
        } else if let Some((key, value)) = pair(line) {
            // The name comes first: what stands in front of it is of an object whose own is lost.
            if key == "SettingName" && objects.last().is_some_and(|given| !given.is_empty()) {
                objects.push(Given::default());
            }
            if let Some(given) = objects.last_mut() {
                given.put(findings, number, key, value.to_owned());
            }
        } else if is_titled && !is_ruled && !line.bytes().any(|byte| byte.is_ascii_digit()) {
        } else if !line.starts_with(' ') || line.bytes().any(|byte| byte.is_ascii_alphabetic()) {
            findings.unread(number, line);
        }
    }
    let mut facts = super::command::facts(block);
    let known = facts.clone();
    let is_global = is_titled && is_ruled || block.lines().any(is_global);
    let is_unnamed = |object: &Given<String>| {
        let is_of_adapter = object.get("ReceivedBytes").or(object.get("SentBytes")).is_some()
            || is_adapter(|key| object.get(key).is_some());
        let is_whole = is_global
            || object
                .get("SettingName")
                .or(object.get("ReceiveSideScaling"))
                .is_some();
        !object.is_empty() && !is_of_adapter && !is_whole
    };
    if objects.iter().any(is_unnamed) {
        findings.complain_of(
            (block.first_line, block.last_line()),
            "settings of nobody knows what",
        );
        objects.retain(|object| !is_unnamed(object));
    }
    for object in objects.into_iter().filter(|object| !object.is_empty()) {
        close(object, block, context, findings, &mut facts);
    }
    if facts != known {
        findings.record(block, "netsh", context.at, Payload::HostFacts(facts));
    } else if understood {
        findings.nothing_to_say();
    }
}

/// Takes what properties count.
fn count_all(interface: &mut InterfaceCounters, values: &BTreeMap<String, String>) {
    for (key, value) in values {
        let is_counter = key.ends_with("Bytes") || key.ends_with("Packets") || key.ends_with("Errors");
        if let (true, Ok(value)) = (is_counter, value.parse()) {
            count(interface, STATISTICS, "", key, value);
        }
    }
}

/// What properties say of an adapter: its state, its settings and what it counted.
pub(super) fn adapter_of(name: &str, values: &BTreeMap<String, String>) -> InterfaceCounters {
    let mut interface = listed_adapter(name, values);
    count_all(&mut interface, values);
    interface
}

/// What an adapter does for the processor is a setting of the host.
pub(super) fn tell_offloads(interface: Interface, block: &Block, context: &Context, findings: &mut Findings) {
    let facts = HostFacts {
        interface: Some(interface),
        ..super::command::facts(block)
    };
    findings.record(block, "Get-NetAdapter", context.at, Payload::HostFacts(facts));
}

/// An object of a list: the counters of an adapter, or settings.
fn close(
    object: Given<String>,
    block: &Block,
    context: &Context,
    findings: &mut Findings,
    facts: &mut HostFacts,
) {
    let values = object.into_values();
    let name = ["Name", "ifAlias", "InterfaceAlias"]
        .iter()
        .find_map(|key| values.get(*key));
    if values.contains_key("ReceivedBytes") || values.contains_key("SentBytes") {
        let Some(name) = name else {
            return findings.complain(block.first_line, "counters of an interface that is not named");
        };
        let mut interface = InterfaceCounters {
            device: device(block, context),
            interface: name.clone(),
            ..InterfaceCounters::default()
        };
        count_all(&mut interface, &values);
        return findings.record(block, "netsh", context.at, Payload::InterfaceCounters(interface));
    }
    if is_adapter(|key| values.contains_key(key)) {
        let Some(name) = name else {
            return findings.complain(block.first_line, "an interface that is not named");
        };
        if let Some(interface) = offloads_of(name, &values) {
            return tell_offloads(interface, block, context, findings);
        }
        let interface = listed_adapter(name, &values);
        let interface = InterfaceCounters {
            device: device(block, context),
            ..interface
        };
        return findings.record(block, "netsh", context.at, Payload::InterfaceCounters(interface));
    }
    // Settings of TCP, those of each of its profiles by themselves.
    let profile = values
        .get("SettingName")
        .map(|name| format!("{name}."))
        .unwrap_or_default();
    for (key, value) in values {
        let is_nothing = value.is_empty() || key == "SettingName";
        if !is_nothing {
            if key == "Add-On Congestion Control Provider" && !matches!(value.as_str(), "none" | "default") {
                facts.congestion_control = Some(value.clone());
            }
            facts.other.insert(format!("tcp.{profile}{key}"), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::windows_tables::Table;
    use super::*;
    use crate::formats::interface::counted::is_sorted;
    use evidence::RateBps;

    #[test]
    fn rows_of_tables() {
        assert!(is_sorted(STATISTICS));
        let read = row(
            Table::Subinterfaces,
            "  1500                1  123456789   98765432  Ethernet 2",
        )
        .unwrap();
        assert_eq!(
            (read.interface.as_str(), read.mtu_bytes, read.up),
            ("Ethernet 2", Some(1500), Some(true))
        );
        let loopback = "4294967295                1          0     123456  Loopback Pseudo-Interface 1";
        assert_eq!(row(Table::Subinterfaces, loopback).unwrap().mtu_bytes, None);
        let line = "Ethernet   Some Adapter 10G   12 Up   02-00-5E-00-53-01   10 Gbps";
        let read = row(Table::Adapters { description: 11 }, line).unwrap();
        assert_eq!(
            (read.interface.as_str(), read.bandwidth_bps),
            ("Ethernet", Some(RateBps(1e10)))
        );
        assert!(row(Table::Interfaces, "zorkmids 4711 of 17").is_none());
        assert!(is_command("PS C:\\Users\\x> Get-NetTCPSetting | fl"));
    }
}

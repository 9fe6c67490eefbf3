//! Linux `ip -s link` (and `ip link`, `ip addr`), as text and as JSON: interfaces, their state and settings. Their counters stand in
//! `ip_link_tables.rs`.

use super::counted::{count, count_as};
use super::ip_link_tables::{RECEIVED, SENT, Tables, is_like_figures, title};
use super::section::{device, record, sections, span};
use crate::Context;
use crate::arrival::is_omission;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::folded::{self, Beginnings};
use crate::formats::host::command::{NAMELESS, arguments, is_gap, is_interface};
use crate::json_kind::{JsonKind, text_at, u64_at};
use evidence::{CounterKind, InterfaceCounters, Payload};
use serde_json::Value;

pub(crate) static FORMAT: Format = Format {
    name: "ip -s link",
    group: Group::Hosts,
    reads: "counters, MTU, queueing discipline and speed of a Linux host's interfaces, also brief",
    first: "0-9a-zRT",
    has_command: true,
    marks: Some(|| Marks::of([": <", "ip ", "ip\t", " UNKNOWN  ", "RX:", "TX:"])),
    starts: |line| is_head(line) || is_command(line) || is_brief_loopback(line) || is_title(line),
    continues: |block, line| {
        if block.first().is_some_and(is_title) {
            let is_of_title = block.last().is_some_and(is_any_title) && is_like_figures(line);
            return !line.trim_ascii().is_empty() && (is_of_title || is_any_title(line));
        }
        line.starts_with(' ') && !line.trim_ascii().is_empty()
            // VyOS leaves a line blank above the counters.
            || line.trim_ascii().is_empty()
                && block.has(is_bare_head)
                && block.last().is_some_and(|last| !last.trim_ascii().is_empty())
            || is_gap(block, line, is_command)
            || is_head(line)
            || is_rest_of_head(line) && block.last().is_some_and(is_head)
            || is_of_member(block, line)
            || brief(line).is_some()
                && block
                    .first()
                    .is_some_and(|first| is_command(first) || brief(first).is_some())
    },
    takes_in: None,
    read,
};

pub(crate) static JSON: JsonKind = JsonKind {
    name: "ip -s -j link",
    reads: "counters, MTU, whether the link is up",
    group: Group::Hosts,
    is: |value| value.get("ifname").is_some() && value.get("ifindex").is_some(),
    read: read_json,
};

/// `root@dtn1:~# ip -s link`: the command line that names the host.
fn is_command(line: &str) -> bool {
    arguments(line, "ip").is_some_and(|mut words| {
        words
            .find(|word| !word.starts_with('-'))
            .is_some_and(|object| "link".starts_with(object) || "address".starts_with(object))
    })
}

/// `ip -br link`: `eth0@if3   UP   96:b4:3e:f6:7e:c9 <BROADCAST,UP,LOWER_UP>`: the name and its state.
fn brief(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_ascii_whitespace();
    let (name, state) = (words.next()?, words.next()?);
    let known = matches!(state, "UP" | "DOWN" | "UNKNOWN" | "LOWERLAYERDOWN" | "DORMANT");
    // Addresses and flags, if anything: `state UP qlen 1000` is the end of a line that was wrapped.
    let is_brief = words.all(|word| {
        word.contains([':', '.', '<', ','])
            || matches!(word, "metric" | "peer")
            || word.parse::<u32>().is_ok()
    }) && name != "state";
    (known && is_brief && is_interface(name) && !line.starts_with(' '))
        .then_some((name.split('@').next().unwrap_or(name), state))
}

/// `lo               UNKNOWN        127.0.0.1/8 ::1/128`: what every brief listing begins with, in its columns.
fn is_brief_loopback(line: &str) -> bool {
    let is_aligned = line.get(17..).is_some_and(|rest| rest.starts_with("UNKNOWN  "));
    let behind = line.split_ascii_whitespace().nth(2).unwrap_or("");
    let is_address = behind.contains('/') || behind.split(':').count() == 6;
    is_aligned && is_address && brief(line).is_some()
}

/// VyOS: `eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc …`, without a number.
fn is_bare_head(line: &str) -> bool {
    line.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && line.split_once(": <").is_some_and(|(name, rest)| {
            // A prompt has an `@` too.
            !name.contains(' ')
                && is_interface(name.split('@').next().unwrap_or(name))
                && rest.contains("> mtu ")
                && rest.contains(" qdisc ")
                // Nor is it a part of a string.
                && !rest.contains("\\n")
        })
}

/// `4: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1400 …`
fn is_head(line: &str) -> bool {
    is_bare_head(line)
        || line.as_bytes().first().is_some_and(u8::is_ascii_digit)
            && line.split_once(": ").is_some_and(|(number, rest)| {
                number.parse::<u32>().is_ok() && rest.contains(": <") && rest.contains(" mtu ")
            })
}

/// What stands above counters, where the lines of the interface were left out.
fn is_title(line: &str) -> bool {
    let line = line.trim_ascii_start();
    let columns = line.strip_prefix("RX:").or_else(|| line.strip_prefix("TX:"));
    columns.is_some_and(|columns| columns.trim_ascii_start().starts_with("bytes "))
        // Those of a virtual function count no errors.
        && line.contains(" packets ")
        && line.contains(" errors ")
        && is_any_title(line)
}

fn is_any_title(line: &str) -> bool {
    let is_column = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    title(line.trim_ascii()).is_some_and(|titled| titled.names.split_ascii_whitespace().all(is_column))
}

/// What a mail wrapped of the line above: `state UP mode DEFAULT qlen 1000`.
fn is_rest_of_head(line: &str) -> bool {
    ["qdisc ", "state ", "mode ", "group ", "qlen ", "master "]
        .iter()
        .any(|first| line.starts_with(first))
}

/// iproute2 ended the line of a bond's member before its last word, and put a blank one behind that.
const OF_PARTNER: &str = "ad_partner_oper_port_state ";

fn is_of_member(block: &Block, line: &str) -> bool {
    let last = block.last().unwrap_or_default();
    line.starts_with(OF_PARTNER) && last.trim_ascii_start().starts_with("bond_slave ")
        || line.trim_ascii().is_empty() && last.starts_with(OF_PARTNER)
}

/// How its lines begin.
const FOLDS: Beginnings = &[
    "{_:n}: {_:w}: <{*}",
    " link/{*}",
    " inet {_:w}/{*}",
    " inet6 {_:w}/{*}",
    " valid_lft {*}",
    " RX: bytes {*}",
    " TX: bytes {*}",
    " RX errors: {*}",
    " TX errors: {*}",
    " {first:n} {_:n} {_:n} {_:n} {*}",
];

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    folded::read(&FORMAT, FOLDS, (block, context, findings), read_lines);
}

fn read_lines(block: &Block, context: &Context, findings: &mut Findings) {
    for (number, line) in block.numbered() {
        if let Some((name, state)) = brief(line) {
            let up = match state {
                "UP" => true,
                "DOWN" | "LOWERLAYERDOWN" => false,
                // Drivers without a state of their own: the loopback, tunnels. Addresses do not tell it either.
                _ if line.contains("LOWER_UP") => true,
                _ => {
                    findings.complain(
                        number,
                        format!("ip itself says that the state of {name} is {state}"),
                    );
                    continue;
                }
            };
            let interface = InterfaceCounters {
                device: device(block, context),
                interface: name.to_owned(),
                up: Some(up),
                ..InterfaceCounters::default()
            };
            record(findings, context, "ip link", (number, number), interface);
        }
    }
    // Of titles right below a command the head was left out.
    let has_titles = || block.has(is_title);
    let named = block
        .first()
        .and_then(|first| only_named(first).or_else(|| named(first).filter(|_| has_titles())));
    if let Some(name) = named
        && !block.lines().any(is_head)
    {
        read_headless(name, block.numbered().skip(1), (block, context, findings));
    } else if block.first().is_some_and(is_title) {
        findings.complain(block.first_line, NAMELESS);
        return read_headless("", block.numbered(), (block, context, findings));
    }
    for lines in sections(block, |_, line| is_head(line)) {
        let mut interface = InterfaceCounters {
            device: device(block, context),
            ..InterfaceCounters::default()
        };
        let mut table = Tables::default();
        for (place, (number, line)) in lines.iter().enumerate() {
            if place == 0 && is_bare_head(line) {
                take_head(&mut interface, &format!("0: {line}"));
            } else if place == 0 {
                take_head(&mut interface, line.trim_ascii());
            } else if place == 1 && is_rest_of_head(line) {
                settle(&mut interface, line.split_ascii_whitespace());
            } else if !line.starts_with(OF_PARTNER) {
                table.take(findings, *number, line.trim_ascii());
            }
            let alias = line.trim_ascii().strip_prefix("alias ");
            let alias = alias.or_else(|| line.trim_ascii().strip_prefix("Description: "));
            if let Some(alias) = alias.filter(|_| !table.is_lost) {
                interface.description = Some(alias.to_owned());
            }
        }
        table.close(findings, &mut interface);
        record(findings, context, "ip link", span(&lines), interface);
    }
}

/// The interface that a command names of which a filter takes the head away: `ip -s link show dev eth0 | tail -4`.
fn only_named(line: &str) -> Option<&str> {
    let (_, filter) = line.split_once('|')?;
    // It cuts lines off an end, and changes none of them.
    let is_cut = ["tail", "grep"]
        .iter()
        .any(|program| filter.trim_ascii_start().starts_with(program));
    named(line).filter(|_| is_cut)
}

/// The only interface that a command asks for: `ip -s link show dev eth0`.
fn named(line: &str) -> Option<&str> {
    let words = arguments(line, "ip")?.take_while(|word| !word.starts_with('|'));
    let mut words = words.filter(|word| !word.starts_with('-'));
    let is_such = words.next().is_some_and(|object| "link".starts_with(object)) && !line.contains(';');
    let mut names = words.filter(|word| !matches!(*word, "show" | "list" | "ls" | "sh" | "dev"));
    let name = names.next().filter(|name| is_such && is_interface(name))?;
    names.next().is_none().then_some(name)
}

/// Counters below titles of their own, and below nothing that names the interface.
fn read_headless<'a>(
    name: &str,
    numbered: impl Iterator<Item = (u64, &'a str)>,
    (block, context, findings): (&Block, &Context, &mut Findings),
) {
    let mut interface = InterfaceCounters {
        device: device(block, context),
        interface: name.to_owned(),
        ..InterfaceCounters::default()
    };
    let mut table = Tables::default();
    for (number, line) in numbered {
        if !line.trim_ascii().is_empty() {
            table.take(findings, number, line.trim_ascii());
        }
    }
    table.close(findings, &mut interface);
    if !interface.counters.is_empty() {
        let lines = (block.first_line, block.last_written_line());
        record(findings, context, "ip link", lines, interface);
    }
}

fn take_head(interface: &mut InterfaceCounters, head: &str) {
    let mut parts = head.splitn(3, ": ");
    let (_, name, rest) = (
        parts.next(),
        parts.next().unwrap_or(""),
        parts.next().unwrap_or(""),
    );
    // `bridge link` had the state between the name and its colon: `2: eth0 state UP : <…>`.
    let name = name.split_once(" state ").map_or(name, |(name, _)| name);
    // `eth0.10@eth0` is the interface `eth0.10` on top of eth0.
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    name.clone_into(&mut interface.interface);
    let (flags, rest) = rest.split_once('>').unwrap_or(("", rest));
    let flags = flags.trim_start_matches('<').split(',');
    interface.up = Some(is_up(flags.clone())).filter(|up| *up || tells_link(flags, rest));
    let mut words = rest.split_ascii_whitespace();
    if words.next() == Some("mtu") {
        interface.mtu_bytes = words.next().and_then(|mtu| mtu.parse().ok());
    }
    settle(interface, words);
}

/// The words behind the flags of an interface.
fn settle<'a>(interface: &mut InterfaceCounters, mut words: impl Iterator<Item = &'a str>) {
    while let Some(word) = words.next() {
        match word {
            "qdisc" | "qlen" | "master" => {
                // Somebody left the rest of the line out. `ip -o` has a backslash where the line ended.
                if let Some(value) = words.next().filter(|value| !is_omission(value)) {
                    let value = value.trim_end_matches('\\');
                    interface.settings.insert(word.to_owned(), value.to_owned());
                }
            }
            _ => {}
        }
    }
}

/// Switched on, and the other end of the link is there.
fn is_up<'a>(flags: impl Iterator<Item = &'a str> + Clone) -> bool {
    flags.clone().any(|flag| flag == "UP") && flags.clone().any(|flag| flag == "LOWER_UP")
}

/// Whether what is not up is down: kernels before 2.6.17 tell neither carrier nor state. Where the state is up a flag is damaged.
fn tells_link<'a>(mut flags: impl Iterator<Item = &'a str> + Clone, rest: &str) -> bool {
    !flags.clone().any(|flag| flag == "UP")
        || flags.any(|flag| flag == "NO-CARRIER")
        || rest.contains(" state ") && !rest.contains(" state UP")
}

fn read_json(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let flags = value.get("flags").and_then(Value::as_array);
    let flags = flags.map(|flags| is_up(flags.iter().filter_map(Value::as_str)));
    let mut interface = InterfaceCounters {
        device: context.from.clone(),
        interface: text_at(value, "/ifname").unwrap_or("").to_owned(),
        description: text_at(value, "/ifalias").map(str::to_owned),
        up: flags,
        mtu_bytes: u64_at(value, "/mtu").and_then(|mtu| u32::try_from(mtu).ok()),
        ..InterfaceCounters::default()
    };
    if let Some(qdisc) = text_at(value, "/qdisc") {
        interface.settings.insert("qdisc".to_owned(), qdisc.to_owned());
    }
    if let Some(counted) = value.get("stats64").or_else(|| value.get("stats")) {
        for (way, words, prefix) in [("rx", RECEIVED, "rx_"), ("tx", SENT, "tx_")] {
            for (name, value) in counted.get(way).and_then(Value::as_object).into_iter().flatten() {
                if let Some(value) = value.as_u64() {
                    count(&mut interface, words, prefix, name, value);
                }
            }
        }
    }
    if let Some(changes) = u64_at(value, "/carrier_changes") {
        count_as(&mut interface, CounterKind::CarrierTransitions, changes);
    }
    findings.record_of(
        lines,
        "ip link",
        context.at,
        Payload::InterfaceCounters(interface),
    );
}

#[cfg(test)]
mod tests {
    use super::super::counted::is_sorted;
    use super::*;

    #[test]
    fn words_are_found() {
        assert!(is_sorted(RECEIVED) && is_sorted(SENT));
    }

    #[test]
    fn the_command_names_the_host() {
        assert!(is_command("root@dtn1:~# ip -s -s link show eth0") && is_command("$ ip a"));
        assert!(!is_command("$ ip route") && !is_command("$ ip") && is_command("ip -s link"));
        let text = "root@dtn1:~# ip -s link\n2: eth0: <UP,LOWER_UP> mtu 9000\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, []);
        assert!(format!("{records:?}").contains("dtn1"), "{records:?}");
    }

    #[test]
    fn a_line_of_figures_that_is_cut_is_complained_about() {
        let text = "2: eth0@if3: <NO-CARRIER,BROADCAST,UP> mtu 9000 qdisc mq\n    RX: bytes packets errors\n    1 2\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints.len(), 1);
        let [record] = records.as_slice() else {
            panic!("{records:?}")
        };
        let Payload::InterfaceCounters(read) = &record.payload else {
            panic!("{record:?}")
        };
        assert_eq!(
            (read.interface.as_str(), read.mtu_bytes, read.up),
            ("eth0", Some(9000), Some(false))
        );
        assert_eq!(
            read.counters.get(&CounterKind::InputErrors),
            None,
            "absent, not zero"
        );
    }
}

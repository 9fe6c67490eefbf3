//! `netsh wlan show interfaces` of Windows: the rates that a radio link has each way, how strong it is, and on which channel.
//!
//! Windows prints it in its own language; the English words alone are read
//! (<https://learn.microsoft.com/windows-server/administration/windows-commands/netsh-wlan>).

use super::command::is_only;
use super::given::Given;
use super::windows::typed_words;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use evidence::{InterfaceCounters, Payload, RateBps};

pub(crate) static FORMAT: Format = Format {
    name: "netsh wlan show interfaces",
    group: Group::Hosts,
    reads: "rates, signal and channel of a Windows host's radio links",
    first: "NTn",
    has_command: true,
    marks: Some(|| Marks::of(["netsh", "on the system:"])),
    starts: |line| is_title(line) || is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            return line.trim_ascii().is_empty() || is_title(line) || is_pair(line);
        }
        line.trim_ascii().is_empty() && block.last().is_some_and(|last| !last.trim_ascii().is_empty())
            || is_title(line)
            || is_pair(line)
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    let mut words = typed_words(line);
    let mut is_next = |known: &[&str]| {
        let word = words.next().unwrap_or_default();
        known.iter().any(|known| word.eq_ignore_ascii_case(known))
    };
    is_next(&["netsh", "netsh.exe"])
        && is_next(&["wlan"])
        && is_next(&["show", "sh"])
        && is_next(&["interfaces", "interface", "int"])
}

/// `There is 1 interface on the system:`
fn is_title(line: &str) -> bool {
    let text = line.trim_ascii();
    text.starts_with("There ")
        && (text.ends_with("interface on the system:") || text.ends_with("interfaces on the system:"))
}

fn is_pair(line: &str) -> bool {
    line.starts_with(' ') && pair(line).is_some()
}

/// `    Receive rate (Mbps)    : 780`
fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line
        .split_once(" : ")
        .or_else(|| line.trim_ascii_end().strip_suffix(" :").map(|key| (key, "")))?;
    let key = key.trim_ascii();
    (!key.is_empty() && key.len() < 40).then(|| (key, value.trim_ascii()))
}

/// What is kept, and under which name.
const KEPT: [(&str, &str); 9] = [
    ("Band", "band"),
    ("Channel", "channel"),
    ("Radio type", "radio type"),
    ("Receive rate (Mbps)", "receive rate (Mbps)"),
    ("Rssi", "rssi"),
    ("Signal", "signal"),
    ("State", "state"),
    ("Transmit rate (Mbps)", "transmit rate (Mbps)"),
    ("Description", "description"),
];

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut link: Option<(String, (u64, u64), Given<String>)> = None;
    for (number, line) in block.numbered() {
        let Some((key, value)) = pair(line).filter(|_| line.starts_with(' ')) else {
            continue;
        };
        if key == "Name" {
            tell(link.take(), block, context, findings);
            link = Some((value.to_owned(), (number, number), Given::default()));
        } else if let Some((_, lines, given)) = &mut link {
            lines.1 = number;
            if let Some((_, name)) = KEPT.iter().find(|(known, _)| *known == key) {
                given.put(findings, number, *name, value.to_owned());
            }
        } else {
            findings.complain(
                number,
                format!("of a link that is not named: {}", line.trim_ascii()),
            );
        }
    }
    if block.lines().any(is_title) {
        findings.nothing_to_say();
    }
    tell(link, block, context, findings);
}

fn tell(
    link: Option<(String, (u64, u64), Given<String>)>,
    block: &Block,
    context: &Context,
    findings: &mut Findings,
) {
    let Some((name, lines, given)) = link.filter(|(_, _, given)| !given.is_empty()) else {
        return;
    };
    let settings = given.into_values();
    let sent = settings
        .get("transmit rate (Mbps)")
        .and_then(|rate| rate.parse::<f64>().ok());
    let interface = InterfaceCounters {
        device: device(block, context),
        interface: name,
        up: settings.get("state").map(|state| state == "connected"),
        bandwidth_bps: sent
            .filter(|rate| *rate > 0.0 && rate.is_finite())
            .map(|rate| RateBps(rate * 1e6)),
        settings,
        ..InterfaceCounters::default()
    };
    findings.record_of(lines, "netsh", context.at, Payload::InterfaceCounters(interface));
}

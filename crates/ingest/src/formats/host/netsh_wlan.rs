//! `netsh wlan show interfaces` of Windows: the rates that a radio link has each way, how strong it is, and on which channel.
//!
//! Windows prints it in its own language (<https://learn.microsoft.com/windows-server/administration/windows-commands/netsh-wlan>):
//! below the command a table of words tells what is meant.

use super::command::is_only;
use super::given::Given;
use super::windows::typed_words;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::prompt::command_line;
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
            // In other languages the title is any line that ends as it does.
            let may_be_title = line.trim_ascii_end().ends_with(':') && command_line(line).is_none();
            return line.trim_ascii().is_empty() || may_be_title || is_pair(line);
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

/// What is kept, under which name, and what it is called in German, Spanish, French and Chinese.
const KEPT: [(&str, &[&str]); 9] = [
    ("band", &["Band", "Banda", "Bande"]),
    (
        "channel",
        &[
            "Channel",
            "Kanal",
            "Canal",
            "\u{4fe1}\u{9053}",
            "\u{901a}\u{9053}",
        ],
    ),
    (
        "radio type",
        &[
            "Radio type",
            "Funktyp",
            "Tipo de radio",
            "Type de radio",
            "\u{65e0}\u{7ebf}\u{7535}\u{7c7b}\u{578b}",
        ],
    ),
    (
        "receive rate (Mbps)",
        &[
            "Receive rate (Mbps)",
            "Empfangsrate (MBit/s)",
            "Velocidad de recepci\u{f3}n (Mbps)",
            "R\u{e9}ception (Mbits/s)",
            "\u{63a5}\u{6536}\u{901f}\u{7387}(Mbps)",
        ],
    ),
    ("rssi", &["Rssi"]),
    ("signal", &["Signal", "Se\u{f1}al", "\u{4fe1}\u{53f7}"]),
    (
        "state",
        &["State", "Status", "Estado", "\u{c9}tat", "\u{72b6}\u{6001}"],
    ),
    (
        "transmit rate (Mbps)",
        &[
            "Transmit rate (Mbps)",
            "\u{dc}bertragungsrate (MBit/s)",
            "Velocidad de transmisi\u{f3}n (Mbps)",
            "Transmission (Mbits/s)",
            "\u{4f20}\u{8f93}\u{901f}\u{7387} (Mbps)",
        ],
    ),
    (
        "description",
        &[
            "Description",
            "Beschreibung",
            "Descripci\u{f3}n",
            "\u{63cf}\u{8ff0}",
            "\u{8bf4}\u{660e}",
        ],
    ),
];

/// What a link is called by, in the same languages.
const NAMES: [&str; 4] = ["Name", "Nombre", "Nom", "\u{540d}\u{79f0}"];

/// Whether a link is up, where its language is known.
fn is_up(state: &str) -> Option<bool> {
    match state {
        "connected"
        | "Verbunden"
        | "verbunden"
        | "conectado"
        | "connect\u{e9}"
        | "\u{5df2}\u{8fde}\u{63a5}" => Some(true),
        state if state.is_ascii() && state.starts_with(|first: char| first.is_ascii_lowercase()) => {
            (state == "disconnected" || state.ends_with("ing")).then_some(false)
        }
        _ => None,
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut link: Option<(String, (u64, u64), Given<String>)> = None;
    for (number, line) in block.numbered() {
        let Some((key, value)) = pair(line).filter(|_| line.starts_with(' ')) else {
            continue;
        };
        if NAMES.contains(&key) {
            tell(link.take(), block, context, findings);
            link = Some((value.to_owned(), (number, number), Given::default()));
        } else if let Some((_, lines, given)) = &mut link {
            lines.1 = number;
            if let Some((name, _)) = KEPT.iter().find(|(_, known)| known.contains(&key)) {
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
        up: settings.get("state").and_then(|state| is_up(state)),
        bandwidth_bps: sent
            .filter(|rate| *rate > 0.0 && rate.is_finite())
            .map(|rate| RateBps(rate * 1e6)),
        settings,
        ..InterfaceCounters::default()
    };
    findings.record_of(lines, "netsh", context.at, Payload::InterfaceCounters(interface));
}

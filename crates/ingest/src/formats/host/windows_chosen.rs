//! Tables that PowerShell makes of adapters with the columns that somebody chose (`Get-NetAdapter | select Name, LinkSpeed`), and of TCP
//! connections (`Get-NetTCPConnection`).
//!
//! The rule below the heads tells where the columns are: what is text begins with its head, a number ends with it
//! (<https://learn.microsoft.com/powershell/module/microsoft.powershell.utility/format-table>).

use super::command::{facts, is_only};
use super::windows::{adapter_of, tell_offloads, typed_words};
use super::windows_tables::{offloads_of, table};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use evidence::{HostFacts, InterfaceCounters, Payload, SocketState, Sockets};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "PowerShell, chosen columns",
    group: Group::Hosts,
    reads: "Get-NetAdapter and Get-NetAdapterStatistics with the columns that somebody chose, Get-NetAdapterRsc, Get-NetAdapterLso, Get-NetIPInterface, Get-NetTCPSetting, Get-NetTCPConnection",
    first: "A-Zgi",
    has_command: true,
    marks: Some(|| {
        Marks::of(["LinkSpeed", "Bytes", "Packets", "MtuSize", "RemotePort"]).and([
            "IPv4Enabled",
            "NlMtu",
            "SettingName",
            "get-netipinterface",
            "get-nettcpsetting",
            "get-netadapter",
            "get-nettcpconnection",
        ])
    }),
    starts: |line| kind(line).is_some() || is_command(line),
    continues: |block, line| {
        if is_only(block, is_command) {
            return line.trim_ascii().is_empty() && block.len() == 1 || kind(line).is_some();
        }
        let Some(rule) = block.first_such(is_rule) else {
            let is_headed = || block.last_written().is_some_and(|last| kind(last).is_some());
            let is_below = block.has(|line| kind(line).is_some());
            return is_rule(line) && is_below || is_rest_of_head(line) && is_headed();
        };
        let is_gap = block.last().is_some_and(|last| last.trim_ascii().is_empty());
        !is_gap && cells(rule, line).is_some_and(|cells| cells.iter().any(|cell| !cell.is_empty()))
    },
    takes_in: None,
    read,
};

/// What rows are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Adapters,
    Connections,
    /// Of TCP, for each of its templates.
    Settings,
}

fn is_command(line: &str) -> bool {
    const CMDLETS: [&str; 4] = [
        "get-nettcpconnection",
        "get-netadapterrsc",
        "get-netadapterlso",
        "get-netipinterface",
    ];
    let mut words = typed_words(line);
    let Some(first) = words.next() else { return false };
    is_chosen(line) || !is_list(line) && CMDLETS.iter().any(|cmdlet| first.eq_ignore_ascii_case(cmdlet))
}

/// Whether a command makes a list of what it finds, a line each property: another format's.
pub(super) fn is_list(line: &str) -> bool {
    line.split('|').skip(1).any(|part| {
        let first = part.split_ascii_whitespace().next().unwrap_or("");
        ["fl", "format-list"]
            .iter()
            .any(|name| first.eq_ignore_ascii_case(name))
    })
}

/// Whether a command for adapters names the columns: without a choice it is another format's.
pub(super) fn is_chosen(line: &str) -> bool {
    let is_of_adapters = typed_words(line).next().is_some_and(|first| {
        first
            .get(..14)
            .is_some_and(|name| name.eq_ignore_ascii_case("get-netadapter"))
            || first.eq_ignore_ascii_case("get-nettcpsetting")
    });
    let mut choices = line.split('|').skip(1);
    is_of_adapters && choices.any(|part| part.contains(',')) && !is_list(line)
}

/// What a head of columns is of: names of properties and nothing else, of which some tell it.
fn kind(line: &str) -> Option<Kind> {
    const FIGURES: [&str; 12] = [
        "IPv4Enabled",
        "LinkSpeed",
        "MtuSize",
        "NlMtu",
        "NlMtu(Bytes)",
        "OutboundDiscardedPackets",
        "OutboundPacketErrors",
        "ReceivedBytes",
        "ReceivedDiscardedPackets",
        "ReceivedPacketErrors",
        "SentBytes",
        "Status",
    ];
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    // `NlMtu(Bytes)`
    let is_property = |word: &&str| {
        let name = word.strip_suffix("(Bytes)").unwrap_or(word);
        name.bytes().all(|byte| byte.is_ascii_alphanumeric()) && word.len() < 40
    };
    if words.len() < 2 || !words.iter().all(is_property) || table(line).is_some() {
        return None;
    }
    let has = |name: &str| words.contains(&name);
    let is_adapter = (has("Name") || has("InterfaceAlias")) && FIGURES.iter().any(|name| has(name));
    // A state alone is of services as well.
    let is_sure = !has("Status")
        || words
            .iter()
            .any(|word| *word != "Status" && FIGURES.contains(word))
        || has("InterfaceDescription");
    let ends = ["LocalAddress", "LocalPort", "RemoteAddress", "RemotePort"];
    match () {
        () if has("SettingName") => Some(Kind::Settings),
        () if ends.iter().all(|name| has(name)) => Some(Kind::Connections),
        () if is_adapter && is_sure => Some(Kind::Adapters),
        () => None,
    }
}

/// `----       --------- -------`
fn is_rule(line: &str) -> bool {
    line.starts_with('-')
        && line
            .trim_ascii_end()
            .bytes()
            .all(|byte| matches!(byte, b'-' | b' '))
}

/// `                    State           State`: heads that are too long go on in the next line.
fn is_rest_of_head(line: &str) -> bool {
    line.starts_with(' ') && line.split_ascii_whitespace().all(|word| word == "State")
}

/// Where the words of a line begin and end, in letters.
fn words_of(letters: &[char]) -> Vec<(usize, usize)> {
    let is_blank = |place: usize| letters.get(place).is_none_or(|letter| letter.is_whitespace());
    let begins = (0..letters.len()).filter(|place| !is_blank(*place) && (*place == 0 || is_blank(place - 1)));
    let ended = begins.map(|begin| {
        let end = (begin..=letters.len()).find(|place| is_blank(*place));
        (begin, end.unwrap_or(letters.len()))
    });
    ended.collect()
}

/// The cells of a row below a rule; `None` where one of them is neither where its column begins nor where it ends.
fn cells(rule: &str, row: &str) -> Option<Vec<String>> {
    let letters: Vec<char> = row.trim_end().chars().collect();
    let columns = words_of(&rule.chars().collect::<Vec<_>>());
    let words = words_of(&letters);
    let mut begins = Vec::new();
    for (start, end) in columns {
        let at_start = words.iter().find(|(begin, _)| *begin == start);
        let at_end = words.iter().find(|(_, behind)| *behind == end);
        let is_empty = !words
            .iter()
            .any(|(begin, behind)| *begin < end && start < *behind);
        let begin = match at_start.or(at_end) {
            Some((begin, _)) => *begin,
            None if is_empty => start,
            None => return None,
        };
        if begins.last().is_some_and(|last| *last >= begin) {
            return None;
        }
        begins.push(begin);
    }
    let behind = begins.iter().skip(1).copied().chain([letters.len()]);
    let cells = begins.iter().zip(behind).map(|(begin, end)| {
        let (begin, end) = (*begin, end.min(letters.len()));
        let cell: String = letters.get(begin..end).unwrap_or_default().iter().collect();
        cell.trim().to_owned()
    });
    // What stands before the first column is nobody's.
    let is_whole = words
        .first()
        .is_some_and(|(begin, _)| begins.first().is_some_and(|first| first <= begin));
    is_whole.then(|| cells.collect())
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut head: Option<(Kind, Vec<&str>)> = None;
    let mut rule = None;
    let mut connections = Vec::new();
    let mut settings = BTreeMap::new();
    for (number, line) in block.numbered() {
        if let Some(kind) = kind(line) {
            head = Some((kind, line.split_ascii_whitespace().collect()));
        } else if is_rule(line) {
            rule = Some(line);
        } else if let (Some((kind, names)), Some(rule)) = (&head, rule) {
            let row = cells(rule, line).filter(|cells| cells.len() == names.len());
            let values = row.map(|cells| names.iter().map(|name| (*name).to_owned()).zip(cells).collect());
            let is_read = match (values, kind) {
                (Some(values), Kind::Adapters) => adapter(number, &values, block, context, findings),
                (Some(values), Kind::Connections) => {
                    connection(&values).map(|socket| connections.push(socket))
                }
                (Some(values), Kind::Settings) => template(values, &mut settings),
                (None, _) => None,
            };
            if is_read.is_none() && !line.trim_ascii().is_empty() {
                findings.unread(number, line);
            }
        }
    }
    if !settings.is_empty() {
        let facts = HostFacts {
            other: settings,
            ..facts(block)
        };
        findings.record(block, "netsh", context.at, Payload::HostFacts(facts));
    }
    if !connections.is_empty() {
        let payload = Payload::Sockets(Sockets { connections });
        findings.record(block, "Get-NetTCPConnection", context.at, payload);
    }
}

type Values = BTreeMap<String, String>;

fn adapter(
    number: u64,
    values: &Values,
    block: &Block,
    context: &Context,
    findings: &mut Findings,
) -> Option<()> {
    let name = values.get("Name").or(values.get("InterfaceAlias"))?;
    // One that was shortened to fit is another's perhaps.
    if name.is_empty() || name.ends_with("...") || name.ends_with('…') {
        return None;
    }
    // A name alone may be anybody's words.
    if values.values().filter(|value| !value.is_empty()).count() < 2 {
        return None;
    }
    if let Some(interface) = offloads_of(name, values) {
        tell_offloads(interface, block, context, findings);
        return Some(());
    }
    let interface = InterfaceCounters {
        device: device(block, context),
        ..adapter_of(name, values)
    };
    let payload = Payload::InterfaceCounters(interface);
    findings.record_of((number, number), "netsh", context.at, payload);
    Some(())
}

/// The settings of one of TCP's templates.
fn template(mut values: Values, settings: &mut BTreeMap<String, String>) -> Option<()> {
    let name = values
        .remove("SettingName")
        .filter(|name| !name.is_empty() && !name.contains(' '))?;
    let given = values.into_iter().filter(|(_, value)| !value.is_empty());
    settings.extend(given.map(|(key, value)| (format!("tcp.{name}.{key}"), value)));
    Some(())
}

fn connection(values: &Values) -> Option<SocketState> {
    const STATES: [(&str, &str); 13] = [
        ("Bound", "CLOSED"),
        ("CloseWait", "CLOSE-WAIT"),
        ("Closed", "CLOSED"),
        ("Closing", "CLOSING"),
        ("DeleteTCB", "CLOSED"),
        ("Established", "ESTAB"),
        ("FinWait1", "FIN-WAIT-1"),
        ("FinWait2", "FIN-WAIT-2"),
        ("LastAck", "LAST-ACK"),
        ("Listen", "LISTEN"),
        ("SynReceived", "SYN-RECV"),
        ("SynSent", "SYN-SENT"),
        ("TimeWait", "TIME-WAIT"),
    ];
    let end = |address: &str, port: &str| {
        let (address, port) = (values.get(address)?, values.get(port)?);
        port.parse::<u16>().ok()?;
        let bare = address.split('%').next().unwrap_or(address);
        let is_six = bare.parse::<std::net::Ipv6Addr>().is_ok();
        let is_four = bare.parse::<std::net::Ipv4Addr>().is_ok();
        match (is_six, is_four) {
            (true, _) => Some(format!("[{address}]:{port}")),
            (false, true) => Some(format!("{address}:{port}")),
            // An address that was shortened to fit is none.
            (false, false) => None,
        }
    };
    let state = values.get("State").and_then(|state| {
        let known = STATES.iter().find(|(name, _)| name == state);
        known.map(|(_, state)| (*state).to_owned())
    });
    Some(SocketState {
        local: end("LocalAddress", "LocalPort")?,
        peer: end("RemoteAddress", "RemotePort")?,
        state,
        ..SocketState::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_where_the_rule_is() {
        let rule = "----       --------- ------- ------";
        let of = |row| cells(rule, row);
        let whole = ["Ethernet 2", "10 Gbps", "9000", "Up"].map(str::to_owned);
        assert_eq!(of("Ethernet 2 10 Gbps      9000 Up"), Some(whole.to_vec()));
        assert_eq!(of("Ethernet 2   10 Gbps      9000 Up"), None);
        assert_eq!(
            of("Büro       100 Mbps     1500 Up").map(|cells| cells[0].clone()),
            Some("Büro".to_owned())
        );
        assert_eq!(
            of("Ethernet 2              9000 Up").map(|cells| cells[1].clone()),
            Some(String::new())
        );
    }

    #[test]
    fn heads_of_adapters_and_of_connections() {
        assert_eq!(kind("Name LinkSpeed MtuSize Status"), Some(Kind::Adapters));
        assert_eq!(kind("Status   Name               DisplayName"), None);
        assert_eq!(
            kind("LocalAddress LocalPort RemoteAddress RemotePort State"),
            Some(Kind::Connections)
        );
        assert_eq!(kind("Name and LinkSpeed of it."), None);
    }
}

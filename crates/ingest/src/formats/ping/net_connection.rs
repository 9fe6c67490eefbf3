//! PowerShell's `Test-NetConnection`: a list of what one ping and a connection to a port said, and with `-TraceRoute` the hops, one
//! below the other.

use super::tally::Tally;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::given::Given;
use crate::formats::traceroute::reached;
use crate::host::{host, rtt_ms};
use crate::prompt::typed_in_powershell;
use evidence::{Node, Payload, ProbeRow, Probes, Trace, TraceAnswer, TraceFlow, TraceHop};
use std::net::IpAddr;

pub(crate) static FORMAT: Format = Format {
    name: "Test-NetConnection",
    group: Group::Paths,
    reads: "PowerShell, plain, `-InformationLevel Detailed` and `-TraceRoute`: round trip, hops, that a port refused",
    first: "CPTt",
    has_command: true,
    marks: Some(|| Marks::of(["ComputerName", "Test-NetConnection", ALIAS])),
    starts: |line| is_first(line) || is_command(line),
    continues,
    takes_in: None,
    read,
};

const TOOL: &str = "Test-NetConnection";
const ALIAS: &str = "tnc";

/// What the list may say, as it is said.
const KEYS: &[&str] = &[
    "ComputerName",
    "RemoteAddress",
    "RemotePort",
    "NameResolutionResults",
    "MatchingIPsecRules",
    "NetworkIsolationContext",
    "IsAdmin",
    "InterfaceAlias",
    "InterfaceDescription",
    "SourceAddress",
    "NetRoute (NextHop)",
    "NameResolutionSucceeded",
    "PingSucceeded",
    "PingReplyDetails (RTT)",
    "TcpTestSucceeded",
    TRACE_ROUTE,
];
const TRACE_ROUTE: &str = "TraceRoute";

fn pair(line: &str) -> Option<(&'static str, &str)> {
    let (key, value) = line.split_once(" :")?;
    let key = KEYS.iter().find(|known| **known == key.trim_ascii_end())?;
    (value.is_empty() || value.starts_with(' ')).then_some((*key, value.trim_ascii()))
}

fn is_first(line: &str) -> bool {
    pair(line).is_some_and(|(key, value)| key == "ComputerName" && !value.is_empty())
}

/// `PS C:\> Test-NetConnection a.example -TraceRoute`; without a prompt an option or a host alone tells it from prose.
fn is_command(line: &str) -> bool {
    let prompted = typed_in_powershell(line);
    let mut words = prompted.unwrap_or(line).split_ascii_whitespace();
    let is_named = |first: &str| [TOOL, ALIAS].iter().any(|name| first.eq_ignore_ascii_case(name));
    let is_run = words.next().is_some_and(is_named);
    let is_host = |word: &str| word.contains(['.', ':']) && !word.ends_with(['.', ':']);
    is_run
        && match (words.next(), words.next()) {
            (Some(_), _) if prompted.is_some() => true,
            (Some(host), None) => is_host(host),
            (Some(first), Some(second)) => {
                first.starts_with('-') || is_host(first) && second.starts_with('-')
            }
            (None, _) => false,
        }
}

/// What stands alone below a key of which the value is a list.
fn of_list(line: &str) -> Option<&str> {
    let text = line.trim_ascii();
    (line.starts_with("    ") && !text.is_empty() && !text.contains(' ')).then_some(text)
}

fn continues(block: &Block, line: &str) -> bool {
    let has_begun = block.has(|line| pair(line).is_some());
    if line.trim_ascii().is_empty() {
        return !has_begun;
    }
    if let Some((key, _)) = pair(line) {
        // A list says each thing once: what begins anew is another's.
        return key != "ComputerName" || !has_begun;
    }
    if !has_begun {
        return line.starts_with("WARNING: ");
    }
    let is_open =
        |line: &str| pair(line).is_none_or(|(key, _)| matches!(key, TRACE_ROUTE | "NameResolutionResults"));
    of_list(line).is_some() && block.last().is_some_and(is_open)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut given = Given::default();
    let mut hops: Vec<TraceHop> = Vec::new();
    let mut is_trace = false;
    for (number, line) in block.numbered() {
        let hop = match pair(line) {
            Some((key, value)) => {
                is_trace = key == TRACE_ROUTE;
                if !is_trace && !value.is_empty() {
                    given.put(findings, number, key, value.to_owned());
                }
                value
            }
            None => of_list(line).unwrap_or_default(),
        };
        if is_trace {
            match hop_at(hops.len() + 1, hop) {
                Some(hop) => hops.push(hop),
                None => {
                    // Whose place the hops behind it have is not known.
                    is_trace = false;
                    findings.complain(number, format!("not understood: {}", line.trim_ascii()));
                }
            }
        }
    }
    let mut to = given
        .take("ComputerName")
        .map(|name| host(&name))
        .unwrap_or_default();
    let address = |text: Option<String>| text.and_then(|text| text.parse::<IpAddr>().ok());
    to.address = address(given.take("RemoteAddress")).or(to.address);
    let from = context.from_or(
        address(given.take("SourceAddress"))
            .map(Node::from)
            .unwrap_or_default(),
    );
    let to = context.to_or(to);
    let lines = (block.first_line, block.last_written_line());
    if given.take("TcpTestSucceeded").as_deref() == Some("False") {
        let port = given.take("RemotePort").unwrap_or_default();
        findings.complain_of(lines, format!("{TOOL} itself says: no connection to port {port}"));
    }
    let pinged = given.take("PingSucceeded");
    let rtt = given.take("PingReplyDetails (RTT)");
    if let Some(row) = pinged.and_then(|pinged| ping(&pinged, rtt.as_deref())) {
        let probes = Probes {
            from: from.clone(),
            rows: vec![ProbeRow {
                to: to.clone(),
                ..row
            }],
            ..Probes::default()
        };
        findings.record_of(lines, TOOL, context.at, Payload::Probes(probes));
    }
    if !hops.is_empty() {
        let trace = Trace {
            reached: reached(&hops, &to, None),
            from,
            to,
            flows: vec![TraceFlow::of(hops)],
            ..Trace::default()
        };
        findings.record_of(lines, TOOL, context.at, Payload::Trace(trace));
    }
    if block.has(|line| pair(line).is_some()) {
        findings.nothing_to_say();
    }
}

/// A hop of the list, which has its number from its place; where nothing answered there is an address that is none, or a word.
fn hop_at(ttl: usize, text: &str) -> Option<TraceHop> {
    let mut hop = TraceHop {
        ttl: u8::try_from(ttl).ok()?,
        ..TraceHop::default()
    };
    match text.parse::<IpAddr>() {
        Ok(address) if !address.is_unspecified() => hop.answers.push(TraceAnswer {
            node: address.into(),
            ..TraceAnswer::default()
        }),
        Err(_) if !matches!(text, "TimedOut" | "...") => return None,
        _ => hop.unanswered = 1,
    }
    Some(hop)
}

/// What the ping said: nobody prints how many requests there were, only whether one was answered.
fn ping(succeeded: &str, rtt: Option<&str>) -> Option<ProbeRow> {
    let mut tally = Tally::default();
    match succeeded {
        "True" => {
            let ms = rtt.and_then(|rtt| rtt.strip_suffix(" ms"));
            // 0 ms stands for "less than one", which is no figure.
            tally.reply(ms.and_then(rtt_ms).filter(|ns| *ns > 0));
        }
        "False" => {
            tally.has_header = true;
            tally.silent = 1;
        }
        _ => return None,
    }
    tally.row(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_other_commands_are_none() {
        for yes in [
            "ComputerName           : a.example",
            "PS C:\\Users\\x> Test-NetConnection a.example -Port 443",
            "[srv1]: PS C:\\> Test-NetConnection a.example -Port 443",
            "test-netconnection 192.0.2.1",
        ] {
            assert!((FORMAT.starts)(yes), "{yes}");
        }
        for no in [
            "ComputerName",
            "ComputerName: a",
            "RemoteAddress          : 192.0.2.1",
            "Test-NetConnection says that the port is closed",
            "Test-NetConnection",
            "PS C:\\> Get-NetAdapter",
        ] {
            assert!(!(FORMAT.starts)(no), "{no}");
        }
        assert_eq!(
            pair("NetRoute (NextHop)      : 192.0.2.1"),
            Some(("NetRoute (NextHop)", "192.0.2.1"))
        );
        assert_eq!(
            pair("MatchingIPsecRules      :"),
            Some(("MatchingIPsecRules", ""))
        );
        assert_eq!(pair("PingSucceeded:True"), None);
    }
}

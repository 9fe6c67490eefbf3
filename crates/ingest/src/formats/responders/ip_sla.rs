//! IP SLA of Cisco and Eltex: `show ip sla statistics`, with details or without, and `show ip sla summary`.
//!
//! An operation of one probe tells the last round trip, and how many operations went well or not since it was started. One of many
//! packets (udp-jitter) tells of the last operation what came back, what was lost on either way, and delays of each where both clocks
//! are set. To whom it measures only the summary says.

use super::ip_sla_names::{
    ANSWERED, BACK, BACK_APART, BADLY, CODE, HOUR, LATE, LATEST, LOST_BACK, LOST_SOMEWHERE, LOST_THERE,
    NAMES, ONE_WAY, OTHERS, OUT_OF_ORDER, RTT, RTT_APART, SHAKEN, SKIPPED, STARTED, THERE, THERE_APART, TYPE,
    WELL, is_of_server_name,
};
use super::ip_sla_summary::{SUMMARY, is_answered, is_heading, is_of_server, is_summary, summarised};
use super::{Said, length_ns, lengths, pairs};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::prompt::command_line;
use crate::when;
use evidence::{DelayStatistics, Node, Payload, ProbeProtocol, ProbeRow, Probes, Timestamp, Way};

pub(crate) static FORMAT: Format = Format {
    name: "Cisco IP SLA",
    group: Group::Paths,
    reads: "`show ip sla statistics`, `details`, `aggregated`, `summary`, `show ipsla statistics` of IOS XR, Eltex: round trips, what was lost on either way, one-way delays",
    first: "IRE*",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "ip sla ",
            "ipsla ",
            "IPSLA",
            "(RTT) for",
            "Entry number:",
            "ReturnCode",
        ])
    }),
    starts: |line| {
        is_title(line)
            || operation(line).is_some()
            || is_command(line)
            || line.contains("ReturnCode") && is_heading(line.trim_ascii())
    },
    continues: |block, line| {
        let text = line.trim_ascii();
        // What a block is of shows in its first lines.
        let begins = |is_such: fn(&str) -> bool| block.lines().take(8).any(is_such);
        text.is_empty()
            || command_line(line).is_none()
                && (is_title(line)
                    || operation(line).is_some()
                    || is_beside(text)
                    || begins(|line| operation(line).is_some()) && pairs(line, NAMES).is_some()
                    || begins(|line| is_summary(line) || is_heading(line.trim_ascii()))
                        && (is_rule(text) || summarised(text).is_some()))
    },
    // Operations of other kinds have names that are not known.
    takes_in: Some(|block, line| {
        let is_of_operation = |line: &str| operation(line).is_some();
        line.contains(": ") && block.lines().take(8).any(is_of_operation)
    }),
    read,
};

fn is_title(line: &str) -> bool {
    matches!(
        line.trim_ascii(),
        "IPSLAs Latest Operation Statistics" | "IPSLAs aggregated statistics" | SUMMARY
    )
}

fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| {
        let asks = |what: &str| typed.command.contains(what);
        typed.command.starts_with("sh") && (asks("ip sla stat") || asks("ip sla sum") || asks("ipsla stat"))
    })
}

fn is_rule(text: &str) -> bool {
    text.len() > 20 && text.bytes().all(|byte| matches!(byte, b'-' | b' '))
}

/// The number of an operation, which begins what is said of it.
fn operation(line: &str) -> Option<&str> {
    let text = line.trim_ascii();
    let headed = [
        "IPSLA operation id:",
        "Entry number:",
        "IP SLA Statistics for Index",
    ];
    let number = headed.iter().find_map(|head| text.strip_prefix(head));
    let number = number.or_else(|| {
        let rest = text.strip_prefix("Round Trip Time (RTT) for")?;
        rest.trim_ascii_start().strip_prefix("Index")
    })?;
    let number = number.trim_ascii();
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
}

/// Titles of parts, and what stands around the table.
fn is_beside(text: &str) -> bool {
    const TITLES: [&str; 12] = [
        "Latency values",
        "RTT Values",
        "Latency one-way time",
        "Latency one-way time milliseconds",
        "Jitter Time",
        "Jitter time milliseconds",
        "Jitter Values",
        "One Way Values",
        "Packet Loss Values",
        "Voice Score Values",
        "Over Threshold",
        "Codes: * active, ^ inactive, ~ pending",
    ];
    TITLES.contains(&text.trim_end_matches([':', ' ']))
        || text.starts_with("All Stats are in milliseconds")
        || text.starts_with("All Statistics are in milliseconds")
        || is_heading(text)
}

fn protocol(kind: Option<&str>) -> Option<ProbeProtocol> {
    match kind?.trim_ascii() {
        "icmp-echo" | "icmp-jitter" => Some(ProbeProtocol::Icmp),
        "udp-jitter" | "udp-echo" => Some(ProbeProtocol::Udp),
        "tcp-connect" => Some(ProbeProtocol::TcpSyn),
        _ => None,
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let from = device(block, context);
    let mut open: Option<((u64, u64), Said<'_>)> = None;
    // Whoever imports may know to whom: of one operation, not of several.
    let is_only = block.lines().filter(|line| operation(line).is_some()).count() == 1;
    let to = if is_only {
        context.to_or(Node::default())
    } else {
        Node::default()
    };
    for (number, line) in block.numbered() {
        if operation(line).is_some() {
            if let Some((lines, said)) = open.replace(((number, number), Said::default())) {
                tell(&said, lines, &from, &to, context, findings);
            }
        } else if let Some((kind, to, rtt)) = summarised(line.trim_ascii()) {
            if rtt.is_some() && is_of_server(kind) {
                findings.complain(number, format!("a server's time, no round trip: {kind}"));
            } else if let Some(ns) = rtt {
                let probes = of_rows(&from, protocol(Some(kind)), vec![took(ns, &to)]);
                findings.record_of((number, number), TOOL, context.at, probes);
            }
            findings.nothing_to_say();
        } else if let Some(((begun, last), said)) = &mut open {
            let named = pairs(line, NAMES);
            if named.is_none() && line.contains(": ") && !is_beside(line.trim_ascii()) {
                findings.complain(number, format!("not understood: {}", line.trim_ascii()));
            }
            let named = named.unwrap_or_default();
            if said.get(HOUR).is_some() && named.iter().any(|(name, _)| *name == HOUR) {
                let lines = (*begun, *last);
                tell(&std::mem::take(said), lines, &from, &to, context, findings);
                *begun = number;
            }
            for (name, value) in named {
                let alike = OTHERS.iter().find(|(other, _)| *other == name);
                said.say(alike.map_or(name, |(_, known)| known), value);
                *last = number;
            }
        }
    }
    if let Some((lines, said)) = open {
        tell(&said, lines, &from, &to, context, findings);
    } else if block.lines().all(|line| {
        is_command(line) || is_title(line) || is_beside(line.trim_ascii()) || line.trim_ascii().is_empty()
    }) {
        findings.nothing_to_say();
    }
}

const TOOL: &str = "ip sla";

fn of_rows(from: &Node, protocol: Option<ProbeProtocol>, rows: Vec<ProbeRow>) -> Payload {
    Payload::Probes(Probes {
        from: from.clone(),
        protocol,
        rows,
        ..Probes::default()
    })
}

fn took(ns: i64, to: &Node) -> ProbeRow {
    ProbeRow {
        way: Way::RoundTrip,
        to: to.clone(),
        // The mean of its packets, where it has several.
        delay: Some(DelayStatistics {
            mean_ns: Some(ns),
            ..DelayStatistics::default()
        }),
        ..ProbeRow::default()
    }
}

/// Records one operation: the probes of the last one, or how many of all went well.
fn tell(
    said: &Said<'_>,
    lines: (u64, u64),
    from: &Node,
    to: &Node,
    context: &Context,
    findings: &mut Findings,
) {
    if let Some(name) = said.contradicted {
        let why = format!(
            "{name} is given twice, as if the head of an operation were missing: nothing of it is used"
        );
        return findings.complain_of(lines, why);
    }
    let protocol = protocol(said.get(TYPE));
    let at = started(said, context);
    let row = |way, to: &Node| ProbeRow {
        way,
        to: to.clone(),
        ..ProbeRow::default()
    };
    for name in [RTT, THERE, BACK] {
        if let Some(printed) = said.get(name).filter(|printed| lengths(printed).is_none()) {
            findings.complain_of(lines, format!("{name} is not understood: {printed}"));
        }
    }
    let mut told = false;
    let mut record = |from: &Node, row: ProbeRow, at| {
        told = true;
        findings.record_of(lines, TOOL, at, of_rows(from, protocol, vec![row]));
    };
    if let Some(answered) = said.count(ANSWERED) {
        let (there, back) = (said.count(LOST_THERE), said.count(LOST_BACK));
        let lost = there.zip(back).zip(said.count(LOST_SOMEWHERE));
        let lost =
            lost.map(|((there, back), somewhere)| there.saturating_add(back).saturating_add(somewhere));
        // What came late or was not sent is neither.
        let is_all = [OUT_OF_ORDER, LATE, SKIPPED]
            .iter()
            .all(|name| said.count(name).unwrap_or(0) == 0);
        let sent = lost
            .filter(|_| is_all)
            .map(|lost| answered.saturating_add(lost))
            .filter(|sent| *sent > 0);
        // Of what was lost nobody knows where it may have been either way. Where it is known, the ways tell of the same packets.
        let is_known = sent.is_some() && said.count(LOST_SOMEWHERE) == Some(0);
        let of_both = sent.filter(|_| !is_known);
        let round = ProbeRow {
            sent: of_both,
            received: of_both.map(|_| answered),
            lost: lost.filter(|_| sent.is_none() && answered > 0),
            delay: range(said, RTT, RTT_APART).filter(|_| answered > 0),
            ..row(Way::RoundTrip, to)
        };
        if round.sent.is_some() || round.delay.is_some() {
            record(from, round, at);
        }
        let is_timed = said.count(ONE_WAY).is_some_and(|samples| samples > 0);
        let delay = |name, apart| range(said, name, apart).filter(|_| is_timed);
        let arrived = sent.zip(there).and_then(|(sent, lost)| sent.checked_sub(lost));
        let ways = [
            (from, to, sent, there, delay(THERE, THERE_APART)),
            (to, from, arrived, back, delay(BACK, BACK_APART)),
        ];
        for (from, to, sent, lost, delay) in ways {
            let counts = sent.zip(lost).filter(|_| is_known);
            let received = counts.and_then(|(sent, lost)| sent.checked_sub(lost));
            // Above the line that is missing these stand by themselves.
            let lost = lost.filter(|_| said.count(LOST_SOMEWHERE).is_none());
            if received.is_some() || delay.is_some() || lost.is_some() {
                let one_way = ProbeRow {
                    sent: received.and(sent),
                    received,
                    lost,
                    delay,
                    ..row(Way::OneWay, to)
                };
                record(from, one_way, at);
            }
        }
    } else if said.names().any(is_of_server_name) || said.get(TYPE).is_some_and(is_of_server) {
        // How long the handshake took is told whether an answer came or not: 0 where there was none.
        let shaken = said.get(SHAKEN).and_then(length_ns).filter(|ns| *ns > 0);
        if let Some(ns) = shaken {
            let handshake = of_rows(from, Some(ProbeProtocol::TcpSyn), vec![took(ns, to)]);
            findings.record_of(lines, TOOL, at, handshake);
        }
        return findings.complain_of(lines, "an operation of a server, whose time is no round trip");
    } else if let (Some(well), Some(badly)) = (said.count(WELL), said.count(BADLY))
        && well.saturating_add(badly) > 0
    {
        // Since it was started, whenever that was.
        let counts = ProbeRow {
            sent: well.checked_add(badly),
            received: Some(well),
            delay: range(said, RTT, RTT_APART).filter(|_| well > 0),
            ..row(Way::RoundTrip, to)
        };
        record(from, counts, None);
        let is_answered = said.get(CODE).is_none_or(is_answered);
        let latest = said.get(LATEST).and_then(length_ns);
        if let Some(ns) = latest.filter(|_| is_answered) {
            record(from, took(ns, to), at);
        }
    }
    if !told {
        findings.nothing_to_say();
    }
}

/// Smallest, mean and largest, in one value or in three of milliseconds.
fn range(said: &Said<'_>, name: &str, apart: [&str; 3]) -> Option<DelayStatistics> {
    if let Some(together) = said.get(name) {
        return lengths(together);
    }
    let [min, mean, max] = apart.map(|name| said.count(name));
    lengths(&format!("{}/{}/{} ms", min?, mean?, max?))
}

/// When the last operation began; a star in front says that the clock was never set.
fn started(said: &Said<'_>, context: &Context) -> Option<Timestamp> {
    let printed = said.get(STARTED)?;
    when::shell_date(printed, context.utc_offset_s).flatten()
}

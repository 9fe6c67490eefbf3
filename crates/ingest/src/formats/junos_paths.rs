//! `ping … | display xml` and `traceroute … | display xml` of Junos. Times are microseconds.

use crate::Context;
use crate::command::Run;
use crate::findings::Findings;
use crate::format::Group;
use crate::formats::responders::rpm_protocol;
use crate::formats::traceroute::reached;
use crate::host::{LONGEST_RTT_NS, delay, host};
use crate::prompt::CommandLine;
use crate::xml_kind::{Element, XmlKind};
use evidence::{
    DelayStatistics, Node, Payload, ProbeError, ProbeRow, Probes, Trace, TraceAnswer, TraceFlow, TraceHop,
};

pub(crate) static PING: XmlKind = XmlKind {
    name: "Junos ping",
    reads: "ping-results of `| display xml`",
    group: Group::Paths,
    roots: &["ping-results"],
    asked_by: |command| asks(command, "ping"),
    is: |element| element.name == "ping-results",
    read: read_ping,
};

pub(crate) static TRACEROUTE: XmlKind = XmlKind {
    name: "Junos traceroute",
    reads: "traceroute-results of `| display xml`",
    group: Group::Paths,
    roots: &["traceroute-results"],
    asked_by: |command| asks(command, "traceroute"),
    is: |element| element.name == "traceroute-results",
    read: read_traceroute,
};

pub(crate) static RPM: XmlKind = XmlKind {
    name: "Junos RPM as XML",
    reads: "probe-results of `show services rpm probe-results | display xml`: the last test and all",
    group: Group::Paths,
    roots: &["probe-results"],
    asked_by: |command| {
        ["rpm probe-results", "display xml"]
            .iter()
            .all(|words| command.command.contains(words))
    },
    is: |element| element.name == "probe-test-results",
    read: read_rpm,
};

fn asks(command: &CommandLine<'_>, program: &str) -> bool {
    command.command.contains("display xml") && Run::of(command.command, &[program]).is_some()
}

fn number(element: &Element<'_>, name: &str) -> Option<u64> {
    element.text_at(name)?.trim_ascii().parse().ok()
}

fn rtt(element: &Element<'_>, name: &str) -> Option<u64> {
    let ns = number(element, name)?.checked_mul(1000)?;
    (ns <= LONGEST_RTT_NS).then_some(ns)
}

/// A host by name and address.
fn named(element: &Element<'_>, name: &str, address: &str) -> Node {
    let mut node = host(element.text_at(name).unwrap_or("").trim_ascii());
    if let Some(address) = element
        .text_at(address)
        .and_then(|text| text.trim_ascii().parse().ok())
    {
        node.address = Some(address);
    }
    node
}

fn from(command: Option<CommandLine<'_>>, context: &Context) -> Node {
    let device = command.and_then(|command| command.device());
    context.from_or(device.map(Node::named).unwrap_or_default())
}

fn read_ping(
    root: &Element<'_>,
    command: Option<CommandLine<'_>>,
    context: &Context,
    findings: &mut Findings,
) {
    let mut row = ProbeRow {
        to: context.to_or(named(root, "target-host", "target-ip")),
        ..ProbeRow::default()
    };
    let headers = match row.to.address {
        Some(std::net::IpAddr::V6(_)) => 48,
        _ => 28,
    };
    let carried = number(root, "packet-size").and_then(|size| u32::try_from(size).ok());
    row.size_bytes = carried.and_then(|size| size.checked_add(headers));
    if let Some(summary) = root.at("probe-results-summary") {
        row.sent = number(summary, "probes-sent");
        row.received = number(summary, "responses-received");
        let times = DelayStatistics {
            min_ns: delay(rtt(summary, "rtt-minimum")),
            mean_ns: delay(rtt(summary, "rtt-average")),
            max_ns: delay(rtt(summary, "rtt-maximum")),
            deviation_ns: delay(rtt(summary, "rtt-stddev")),
            ..DelayStatistics::default()
        };
        row.delay =
            Some(times).filter(|times| *times != DelayStatistics::default() && row.received != Some(0));
    } else {
        findings.complain_of(root.lines, "a ping without the summary of its results");
    }
    if let Some(said) = root.text_at("ping-failure") {
        row.errors.push(ProbeError {
            text: said.trim_ascii().to_owned(),
            count: 1,
            ..ProbeError::default()
        });
    }
    let probes = Probes {
        from: from(command, context),
        rows: vec![row],
        ..Probes::default()
    };
    findings.record_of(root.lines, "ping", context.at, Payload::Probes(probes));
}

fn read_rpm(
    test: &Element<'_>,
    command: Option<CommandLine<'_>>,
    context: &Context,
    findings: &mut Findings,
) {
    let mut from = from(command, context);
    if let Some(address) = test.text_at("source-address").and_then(|text| text.parse().ok()) {
        from.address.get_or_insert(address);
    }
    let row = |results: &str| {
        let results = test.at(results)?.at("probe-test-generic-results")?;
        let (sent, received) = (
            number(results, "probes-sent")?,
            number(results, "probe-responses")?,
        );
        let times = results.at("probe-test-rtt/probe-summary-results");
        let time = |name| times.and_then(|times| delay(rtt(times, name)));
        let times = DelayStatistics {
            min_ns: time("min-delay"),
            mean_ns: time("avg-delay"),
            max_ns: time("max-delay"),
            deviation_ns: time("stddev-delay"),
            ..DelayStatistics::default()
        };
        (sent > 0).then(|| ProbeRow {
            to: context.to_or(test.text_at("target-address").map(host).unwrap_or_default()),
            sent: Some(sent),
            received: Some(received),
            delay: Some(times).filter(|times| received > 0 && *times != DelayStatistics::default()),
            ..ProbeRow::default()
        })
    };
    let last = row("probe-last-test-results");
    // After the first test all of them are the last one.
    let all = row("probe-test-global-results").filter(|all| Some(all) != last.as_ref());
    let rows: Vec<ProbeRow> = last.into_iter().chain(all).collect();
    if rows.is_empty() {
        findings.complain_of(test.lines, "a test of RPM without results: nothing of it is used");
    }
    for row in rows {
        let probes = Probes {
            from: from.clone(),
            protocol: test.text_at("probe-type").and_then(rpm_protocol),
            rows: vec![row],
            ..Probes::default()
        };
        findings.record_of(test.lines, "rpm", context.at, Payload::Probes(probes));
    }
}

fn read_traceroute(
    root: &Element<'_>,
    command: Option<CommandLine<'_>>,
    context: &Context,
    findings: &mut Findings,
) {
    let to = context.to_or(named(root, "target-host", "target-ip"));
    let mut hops: Vec<TraceHop> = Vec::new();
    for element in root.all("hop") {
        match hop(element) {
            Some(hop) => match hops.last_mut() {
                // Another router that answers at the same TTL has an element of its own.
                Some(last) if last.ttl == hop.ttl => {
                    last.answers.extend(hop.answers);
                    last.unanswered = last.unanswered.saturating_add(hop.unanswered);
                }
                Some(last) if last.ttl > hop.ttl => {
                    findings.complain_of(element.lines, format!("hop {} behind hop {}", hop.ttl, last.ttl));
                }
                _ => hops.push(hop),
            },
            None => findings.complain_of(element.lines, "a hop without its number or its probes"),
        }
    }
    if hops.is_empty() {
        return findings.complain_of(root.lines, "a traceroute without hops");
    }
    let most = number(root, "max-hop-index").and_then(|most| u8::try_from(most).ok());
    let trace = Trace {
        from: from(command, context),
        reached: reached(&hops, &to, most),
        to,
        size_bytes: number(root, "packet-size").and_then(|size| u32::try_from(size).ok()),
        flows: vec![TraceFlow::of(hops)],
        ..Trace::default()
    };
    findings.record_of(root.lines, "traceroute", context.at, Payload::Trace(trace));
}

fn hop(element: &Element<'_>) -> Option<TraceHop> {
    let mut hop = TraceHop {
        ttl: number(element, "ttl-value")
            .and_then(|ttl| u8::try_from(ttl).ok())
            .filter(|ttl| *ttl > 0)?,
        ..TraceHop::default()
    };
    for probe in element.all("probe-result") {
        let node = named(probe, "host-name", "ip-address");
        if node.is_unknown() {
            hop.unanswered = hop.unanswered.saturating_add(1);
            continue;
        }
        // An address stands in the place of a name that was not found.
        let node = match node.name.as_deref() {
            Some(name) if node.address.is_some_and(|address| name == address.to_string()) => {
                Node { name: None, ..node }
            }
            _ => node,
        };
        hop.answers.push(TraceAnswer {
            node,
            rtt_ns: rtt(probe, "rtt"),
            ..TraceAnswer::default()
        });
    }
    (hop.sent() > 0).then_some(hop)
}

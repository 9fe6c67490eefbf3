//! Results of RIPE Atlas: pings and traceroutes, as the API gives them (<https://atlas.ripe.net/docs/apis/result-format/>).
//!
//! `size` is what the packets carry, without headers; sizes of records are those of whole packets.

use crate::Context;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::{arguments, is_gap};
use crate::formats::traceroute::reached;
use crate::host::{delay, host, rtt_of_ms};
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at, value_at};
use crate::mpls::entry;
use evidence::{
    DelayStatistics, MplsLabel, Node, Payload, ProbeError, ProbeProtocol, ProbeRow, Probes, Timestamp, Trace,
    TraceAnswer, TraceFlow, TraceHop,
};
use serde_json::Value;
use std::net::IpAddr;

/// A ping of RIPE Atlas.
pub(crate) static PING: JsonKind = JsonKind {
    name: "RIPE Atlas ping",
    reads: "JSON as downloaded",
    group: Group::Paths,
    is: |value| value.get("prb_id").is_some() && text_at(value, "/type") == Some("ping"),
    read: read_ping,
};

/// A traceroute of RIPE Atlas.
pub(crate) static TRACEROUTE: JsonKind = JsonKind {
    name: "RIPE Atlas traceroute",
    reads: "JSON as downloaded",
    group: Group::Paths,
    is: |value| value.get("prb_id").is_some() && text_at(value, "/type") == Some("traceroute"),
    read: read_traceroute,
};

/// What the command-line client prints of pings, a line for each probe and all its requests in it:
/// `64 bytes from probe #6001  192.0.2.10  to a.example (198.51.100.7): ttl=54 times:31.221 ms,  31.102 ms,`.
pub(crate) static REPORT: Format = Format {
    name: "ripe-atlas report",
    group: Group::Paths,
    reads: "pings as `ripe-atlas report` prints them, a line for each probe",
    first: "0-9r",
    has_command: true,
    marks: Some(|| Marks::of([PROBE, "ripe-atlas"])),
    starts: |line| line.contains(PROBE) || is_report(line),
    continues: |block, line| line.contains(PROBE) || is_gap(block, line, is_report),
    takes_in: None,
    read: |block, context, findings| {
        let below = block.numbered();
        for (number, line) in below.filter(|(_, line)| line.contains(PROBE)) {
            match reported(line, context) {
                Some(pings) => {
                    let at = (number, number);
                    findings.record_of(at, "RIPE Atlas", context.at, Payload::Probes(pings));
                }
                None => findings.complain(number, format!("not understood: {}", line.trim_ascii())),
            }
        }
    },
};

const PROBE: &str = " bytes from probe #";

fn is_report(line: &str) -> bool {
    arguments(line, "ripe-atlas").is_some_and(|mut words| words.next() == Some("report"))
}

/// What a probe says of its requests; one that was not answered has no time.
fn reported(line: &str, context: &Context) -> Option<Probes> {
    let (_, behind) = line.split_once(PROBE)?;
    let (who, said) = behind.split_once("): ")?;
    let (from, to) = who.split_once(" to ")?;
    let (name, address) = to.split_once(" (")?;
    let times = said.split_once("times:").map(|(_, times)| times);
    // A line that was broken has lost its times.
    if times.is_none() && said.contains('=') {
        return None;
    }
    let error = times.is_none().then(|| ProbeError {
        text: said.trim_ascii().to_owned(),
        count: 1,
        ..ProbeError::default()
    });
    let times = times.unwrap_or_default().split(',').map(str::trim_ascii);
    let times = times.filter(|time| !time.is_empty());
    let times: Vec<&str> = times.collect();
    let answered = times.iter().filter(|time| **time != "None ms");
    let rtt = |time: &&str| rtt_of_ms(time.strip_suffix(" ms")?.parse().ok()?);
    let delays: Vec<i64> = answered.map(|time| delay(rtt(time))).collect::<Option<_>>()?;
    let mut to = host(address);
    to.name = Some(name.trim_ascii().to_owned()).filter(|name| name.parse::<IpAddr>().is_err());
    let count = i64::try_from(delays.len()).ok()?;
    let row = ProbeRow {
        to: context.to_or(to),
        sent: error.is_none().then_some(times.len() as u64),
        received: error.is_none().then_some(delays.len() as u64),
        errors: error.into_iter().collect(),
        delay: (count > 0).then(|| DelayStatistics {
            min_ns: delays.iter().min().copied(),
            mean_ns: delays.iter().sum::<i64>().checked_div(count),
            max_ns: delays.iter().max().copied(),
            ..DelayStatistics::default()
        }),
        ..ProbeRow::default()
    };
    Some(Probes {
        from: context.from_or(host(from.split_ascii_whitespace().nth(1)?)),
        rows: vec![row],
        ..Probes::default()
    })
}

fn started(value: &Value, context: &Context) -> Option<Timestamp> {
    let seconds = u64_at(value, "/timestamp").and_then(|s| i64::try_from(s).ok());
    seconds
        .and_then(|s| s.checked_mul(1_000_000_000))
        .map(Timestamp)
        .or(context.at)
}

fn from(value: &Value, context: &Context) -> Node {
    // `from` is the address as the Internet sees it; `src_addr` may be one behind a translator.
    let address = text_at(value, "/from").or_else(|| text_at(value, "/src_addr"));
    context.from_or(host(address.filter(|address| !address.is_empty()).unwrap_or("")))
}

fn to(value: &Value, context: &Context) -> Node {
    let mut node = host(text_at(value, "/dst_addr").unwrap_or(""));
    let name = text_at(value, "/dst_name").filter(|name| name.parse::<IpAddr>().is_err());
    node.name = name.map(str::to_owned);
    context.to_or(node)
}

fn protocol(value: &Value) -> Option<ProbeProtocol> {
    match text_at(value, "/proto") {
        Some("UDP") => Some(ProbeProtocol::Udp),
        Some("ICMP") => Some(ProbeProtocol::Icmp),
        Some("TCP") => Some(ProbeProtocol::TcpSyn),
        _ => None,
    }
}

/// The whole packet: headers of IP and of what it carries on top of the size that the result names.
fn size(value: &Value) -> Option<u32> {
    let ip = match u64_at(value, "/af")? {
        4 => 20,
        6 => 40,
        _ => return None,
    };
    let carried = if protocol(value) == Some(ProbeProtocol::TcpSyn) {
        20
    } else {
        8
    };
    u32::try_from(u64_at(value, "/size")?)
        .ok()?
        .checked_add(ip + carried)
}

fn results(value: &Value) -> impl Iterator<Item = &Value> {
    value
        .get("result")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn read_ping(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let rtt = |pointer: &str| delay(f64_at(value, pointer).and_then(rtt_of_ms));
    let received = u64_at(value, "/rcvd");
    let errors = results(value).filter_map(|result| text_at(result, "/error"));
    let mut row = ProbeRow {
        to: to(value, context),
        size_bytes: size(value),
        sent: u64_at(value, "/sent"),
        received,
        delay: (received != Some(0)).then(|| DelayStatistics {
            min_ns: rtt("/min"),
            mean_ns: rtt("/avg"),
            max_ns: rtt("/max"),
            ..DelayStatistics::default()
        }),
        ..ProbeRow::default()
    };
    for error in errors.take(64) {
        row.errors.push(ProbeError {
            text: error.to_owned(),
            count: 1,
            ..ProbeError::default()
        });
    }
    let pings = Probes {
        from: from(value, context),
        rows: vec![row],
        ..Probes::default()
    };
    findings.record_of(
        lines,
        "RIPE Atlas",
        started(value, context),
        Payload::Probes(pings),
    );
}

fn read_traceroute(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let hops: Vec<TraceHop> = results(value).filter_map(hop).collect();
    if hops.is_empty() {
        let said = results(value).find_map(|hop| text_at(hop, "/error"));
        return findings.complain_of(
            lines,
            format!("the probe could not trace: {}", said.unwrap_or("no hops")),
        );
    }
    let to = to(value, context);
    let trace = Trace {
        from: from(value, context),
        reached: reached(&hops, &to, None),
        to,
        protocol: protocol(value),
        size_bytes: size(value),
        flows: vec![TraceFlow::of(hops)],
        ..Trace::default()
    };
    findings.record_of(
        lines,
        "RIPE Atlas",
        started(value, context),
        Payload::Trace(trace),
    );
}

fn hop(value: &Value) -> Option<TraceHop> {
    let ttl = u64_at(value, "/hop").and_then(|ttl| u8::try_from(ttl).ok())?;
    let mut hop = TraceHop {
        ttl,
        ..TraceHop::default()
    };
    for result in results(value) {
        // "late" answers came to an earlier probe that was counted as unanswered.
        if result.get("late").is_some() {
            continue;
        }
        match text_at(result, "/from") {
            Some(address) => {
                hop.answers.push(answer(address, result));
            }
            None => {
                hop.unanswered = hop
                    .unanswered
                    .saturating_add(u16::from(result.get("x").is_some()))
            }
        }
    }
    (hop.unanswered > 0 || !hop.answers.is_empty()).then_some(hop)
}

fn answer(address: &str, result: &Value) -> TraceAnswer {
    let error = result.get("err").map(|err| match err {
        Value::String(letter) => format!("!{letter}"),
        other => format!("!{other}"),
    });
    TraceAnswer {
        node: host(address),
        rtt_ns: f64_at(result, "/rtt").and_then(rtt_of_ms),
        reply_ttl: u64_at(result, "/ttl").and_then(|ttl| u8::try_from(ttl).ok()),
        mtu_bytes: u64_at(result, "/mtu")
            .and_then(|mtu| u32::try_from(mtu).ok())
            .filter(|mtu| *mtu > 0),
        mpls: labels(result).collect(),
        mark: error.map(|mark| mark.chars().take(16).collect()),
        ..TraceAnswer::default()
    }
}

fn labels(result: &Value) -> impl Iterator<Item = MplsLabel> {
    let objects = value_at(result, "/icmpext/obj").and_then(Value::as_array);
    let entries = objects
        .into_iter()
        .flatten()
        .filter_map(|object| object.get("mpls")?.as_array());
    entries.flatten().filter_map(|object| {
        let number = |name| u64_at(object, name);
        entry(number("/label"), number("/exp"), number("/s"), number("/ttl"))
    })
}

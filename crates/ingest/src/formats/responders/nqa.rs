//! Huawei NQA: `display nqa results`. A test instance has the results of its last tests, each with counts and times of its own. Those
//! that measure jitter tell as well what was lost on either way. Those that ask for names or follow a path have others, and are not used.

use super::{Said, pairs};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::host::{delay, host, rtt_ms};
use crate::prompt::command_line;
use evidence::{DelayStatistics, Node, Payload, ProbeProtocol, ProbeRow, Probes, Way};

pub(crate) static FORMAT: Format = Format {
    name: "Huawei NQA",
    group: Group::Paths,
    reads: "`display nqa results` of tests over ICMP, TCP and UDP, of jitter too: probes, losses and round trips of each test",
    first: "N",
    has_command: true,
    marks: Some(|| Marks::of(["NQA entry", "nqa results"])),
    starts: |line| kind(line).is_some() || is_command(line),
    continues: |block, line| {
        line.trim_ascii().is_empty()
            || command_line(line).is_none()
                && (kind(line).is_some()
                    || block.has(|line| kind(line).is_some())
                        && (is_test(line) || pairs(line, NAMES).is_some()))
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    command_line(line)
        .is_some_and(|typed| typed.command.starts_with("dis") && typed.command.contains(" nqa result"))
}

/// `NQA entry(admin, icmp) :testflag is active ,testtype is icmp`: the type of the tests.
fn kind(line: &str) -> Option<&str> {
    let text = line.trim_ascii().strip_prefix("NQA entry(")?;
    Some(text.split_once("testtype is ")?.1.trim_ascii())
}

/// `1 . Test 6645 result   The test is finished`
fn is_test(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let (place, rest) = (words.next().unwrap_or_default(), words.next());
    let name = match rest {
        Some(".") => words.next(),
        Some(word) => word.strip_prefix('.'),
        None => None,
    };
    is_number(place)
        && name == Some("Test")
        && words.next().is_some_and(is_number)
        && words.next() == Some("result")
}

const SENT: &str = "Send operation times";
const RECEIVED: &str = "Receive response times";
const TARGET: &str = "Destination ip address";
const TIMES: &str = "Min/Max/Average Completion Time";

/// Tests of jitter have names of their own for the same.
const OF_JITTER: &[(&str, &str)] = &[
    ("SendProbe", SENT),
    ("ResponseProbe", RECEIVED),
    ("Min/Max/Avg/Sum RTT", TIMES),
];
const LOST_THERE: &str = "Packet Loss SD";
const LOST_BACK: &str = "Packet Loss DS";
const LOST_SOMEWHERE: &str = "Packet Loss Unknown";

const NAMES: &[&str] = &[
    SENT,
    RECEIVED,
    TARGET,
    TIMES,
    LOST_THERE,
    LOST_BACK,
    LOST_SOMEWHERE,
    "SendProbe",
    "ResponseProbe",
    "Min/Max/Avg/Sum RTT",
    "RTT Square Sum",
    "NumOfRTT",
    "NumberOfOWD",
    "OWD OverThresholds SD number",
    "OWD OverThresholds DS number",
    "Min Positive SD",
    "Min Positive DS",
    "Max Positive SD",
    "Max Positive DS",
    "Positive SD Number",
    "Positive DS Number",
    "Positive SD Sum",
    "Positive DS Sum",
    "Positive SD Square Sum",
    "Positive DS Square Sum",
    "Min Negative SD",
    "Min Negative DS",
    "Max Negative SD",
    "Max Negative DS",
    "Negative SD Number",
    "Negative DS Number",
    "Negative SD Sum",
    "Negative DS Sum",
    "Negative SD Square Sum",
    "Negative DS Square Sum",
    "Min Delay SD",
    "Min Delay DS",
    "Avg Delay SD",
    "Avg Delay DS",
    "Max Delay SD",
    "Max Delay DS",
    "Delay SD Square Sum",
    "Delay DS Square Sum",
    "Average of Jitter SD",
    "Average of Jitter DS",
    "Average of Jitter",
    "Jitter out value",
    "Jitter in value",
    "Jitter Out value",
    "Jitter In value",
    "OWD SD Sum",
    "OWD DS Sum",
    "Packet Loss Ratio",
    "Packet Rewrite Number",
    "Packet Rewrite Ratio",
    "Packet Disorder Number",
    "Packet Disorder Ratio",
    "Fragment-disorder Number",
    "Fragment-disorder Ratio",
    "ICPIF value",
    "MOS-CQ value",
    "TimeStamp unit",
    "Completion",
    "RTD OverThresholds number",
    "Attempts number",
    "Drop operation number",
    "Disconnect operation number",
    "Operation timeout number",
    "System busy operation number",
    "Connection fail number",
    "Operation sequence errors number",
    "RTT Stats errors number",
    "RTT Status errors number",
    "Sum/Square-Sum  Completion Time",
    "Sum/Square-Sum Completion Time",
    "Last Good Probe Time",
    "Lost packet ratio",
];

fn protocol(kind: &str) -> Option<ProbeProtocol> {
    match kind {
        "icmp" | "icmpjitter" => Some(ProbeProtocol::Icmp),
        "udp" | "jitter" | "udpjitter" => Some(ProbeProtocol::Udp),
        "tcp" => Some(ProbeProtocol::TcpSyn),
        _ => None,
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let from = device(block, context);
    let (mut of_kind, mut open) = (None, None);
    let mut tell = |test: Option<((u64, u64), Said<'_>)>, of_kind: Option<ProbeProtocol>| {
        if let Some((lines, said)) = test {
            record(&said, lines, of_kind, &from, context, findings);
        }
    };
    for (number, line) in block.numbered() {
        if let Some(kind) = kind(line) {
            tell(open.take(), of_kind);
            of_kind = protocol(kind);
        } else if is_test(line) {
            tell(open.replace(((number, number), Said::default())), of_kind);
        } else if let Some(((_, last), said)) = &mut open {
            for (name, value) in pairs(line, NAMES).unwrap_or_default() {
                let alike = OF_JITTER.iter().find(|(of_jitter, _)| *of_jitter == name);
                said.say(alike.map_or(name, |(_, known)| known), value);
                *last = number;
            }
        }
    }
    tell(open, of_kind);
    if findings.is_empty() {
        findings.nothing_to_say();
    }
}

fn record(
    said: &Said<'_>,
    lines: (u64, u64),
    protocol: Option<ProbeProtocol>,
    from: &Node,
    context: &Context,
    findings: &mut Findings,
) {
    if said.contradicted.is_some() {
        let why = "results that stand twice, as if the head of a test were missing: nothing of it is used";
        return findings.complain_of(lines, why);
    }
    let (Some(sent), Some(received)) = (said.count(SENT), said.count(RECEIVED)) else {
        return;
    };
    if protocol.is_none() || sent == 0 {
        return;
    }
    // Milliseconds; 0 is less than one.
    let mut times = said
        .get(TIMES)
        .into_iter()
        .flat_map(|times| times.trim_ascii().split('/'));
    let mut next = || delay(times.next().and_then(rtt_ms)).filter(|ns| *ns > 0);
    let (min_ns, max_ns, mean_ns) = (next(), next(), next());
    let delay = DelayStatistics {
        min_ns,
        mean_ns,
        max_ns,
        ..DelayStatistics::default()
    };
    let to = said.word(TARGET).map(host).unwrap_or_default();
    let row = ProbeRow {
        to: context.to_or(to),
        sent: Some(sent),
        received: Some(received),
        delay: (received > 0 && delay != DelayStatistics::default()).then_some(delay),
        ..ProbeRow::default()
    };
    let mut told = |from: &Node, row: ProbeRow| {
        let payload = Payload::Probes(Probes {
            from: from.clone(),
            protocol,
            rows: vec![row],
            ..Probes::default()
        });
        findings.record_of(lines, "nqa", context.at, payload);
    };
    let Some((there, back)) = ways(said, sent, received) else {
        return told(from, row);
    };
    // The ways tell of the same packets: of the round trip the times are left.
    let to = row.to.clone();
    let one_way = |sent: u64, lost: u64, to: &Node| ProbeRow {
        way: Way::OneWay,
        to: to.clone(),
        sent: Some(sent),
        received: Some(sent - lost),
        ..ProbeRow::default()
    };
    if row.delay.is_some() {
        told(
            from,
            ProbeRow {
                sent: None,
                received: None,
                ..row
            },
        );
    }
    told(from, one_way(sent, there, &to));
    told(&to, one_way(sent - there, back, from));
}

/// What was lost there and back, where it is known of all that was lost.
fn ways(said: &Said<'_>, sent: u64, received: u64) -> Option<(u64, u64)> {
    let (there, back) = (said.count(LOST_THERE)?, said.count(LOST_BACK)?);
    let is_all = there.checked_add(back)?.checked_add(received)? == sent;
    (is_all && said.count(LOST_SOMEWHERE) == Some(0)).then_some((there, back))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        assert_eq!(
            kind("NQA entry(a, b) :testflag is active ,testtype is icmp"),
            Some("icmp")
        );
        assert!(is_test("  1 . Test 6645 result   The test is finished"));
        assert!(is_test("  1 .Test 1 result   The test is finished"));
        assert!(!is_test("1 . Hop 1"));
    }
}

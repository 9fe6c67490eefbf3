//! Juniper RPM: `show services rpm probe-results`. Of each test there are the results of the one that runs, of the last one and of all:
//! the last one says how it was when it ended, all of them how it is in the long run. What runs is used where there is nothing else.

use super::{Said, length_ns, pairs};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::host::host;
use crate::prompt::command_line;
use crate::when;
use evidence::{DelayStatistics, Node, Payload, ProbeProtocol, ProbeRow, Probes, Timestamp};

pub(crate) static FORMAT: Format = Format {
    name: "Juniper RPM",
    group: Group::Paths,
    reads: "`show services rpm probe-results`: probes, losses and round trips of the last test and of all",
    first: "O",
    has_command: true,
    marks: Some(|| Marks::of(["Owner:", "rpm probe-results"])),
    starts: |line| is_head(line) || is_command(line),
    continues: |block, line| {
        let text = line.trim_ascii();
        text.is_empty()
            || command_line(line).is_none()
                && (is_head(line) || block.has(is_head) && (is_beside(text) || pairs(line, NAMES).is_some()))
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| typed.command.contains("show services rpm probe-results"))
}

/// `Owner: isp-a, Test: to-core`
fn is_head(line: &str) -> bool {
    let text = line.trim_ascii();
    text.starts_with("Owner: ") && text.contains(", Test: ")
}

const OWNER: &str = "Owner";
const TARGET: &str = "Target address";
const SOURCE: &str = "Source address";
const TYPE: &str = "Probe type";
const SENT: &str = "Probes sent";
const RECEIVED: &str = "Probes received";
const MEASUREMENT: &str = "Measurement";
const MIN: &str = "Minimum";
const MAX: &str = "Maximum";
const MEAN: &str = "Average";
const DEVIATION: &str = "Stddev";

const NAMES: &[&str] = &[
    OWNER,
    TARGET,
    SOURCE,
    TYPE,
    SENT,
    RECEIVED,
    MEASUREMENT,
    MIN,
    MAX,
    MEAN,
    DEVIATION,
    "Test",
    "Icmp-id",
    "Test size",
    "Routing Instance Name",
    "Destination interface name",
    "Destination port",
    "Source port",
    "Hardware timestamp",
    "DSCP",
    "Probe sent time",
    "Probe rcvd/timeout time",
    "Rtt",
    "Round trip jitter",
    "Round trip interarrival jitter",
    "Egress jitter",
    "Ingress jitter",
    "Egress interarrival jitter",
    "Ingress interarrival jitter",
    "Egress delay",
    "Ingress delay",
    "Loss percentage",
    "Samples",
    "Peak to peak",
    "Sum",
];

const ENDED: &str = "Test completed on ";

fn is_beside(text: &str) -> bool {
    section(text).is_some()
        || text.starts_with(ENDED)
        || text.starts_with("Response received, ")
        || text.starts_with("Request timed out, ")
        || matches!(
            text,
            "Probe results:" | "Response received" | "Request timed out" | "No hardware timestamps"
        )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Current,
    Last,
    All,
    /// Over the last so many probes.
    Moving,
}

fn section(text: &str) -> Option<Section> {
    Some(match text.strip_prefix("Results over ")?.strip_suffix(':')? {
        "current test" => Section::Current,
        "last test" => Section::Last,
        "all tests" => Section::All,
        moving if moving.starts_with("moving average") || moving.ends_with(" probes") => Section::Moving,
        _ => return None,
    })
}

/// A test: what its head says, and its results.
#[derive(Default)]
struct Test<'l> {
    lines: (u64, u64),
    head: Said<'l>,
    results: Vec<(Section, Said<'l>, Option<Timestamp>)>,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let from = device(block, context);
    let mut test: Option<Test<'_>> = None;
    let mut is_of_round_trips = true;
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if is_head(line)
            && let Some(before) = test.replace(Test {
                lines: (number, number),
                ..Test::default()
            })
        {
            before.tell(&from, context, findings);
        }
        let Some(test) = &mut test else {
            continue;
        };
        if !text.is_empty() {
            test.lines.1 = number;
        }
        if let Some(section) = section(text) {
            is_of_round_trips = true;
            test.results.push((section, Said::default(), None));
        } else if let Some(ended) = text.strip_prefix(ENDED) {
            if let Some((.., at)) = test.results.last_mut() {
                *at = when::shell_date(ended, context.utc_offset_s).flatten();
            }
        } else {
            for (name, value) in pairs(line, NAMES).unwrap_or_default() {
                if name == MEASUREMENT {
                    is_of_round_trips = value.trim_ascii() == "Round trip time";
                }
                let of = test
                    .results
                    .last_mut()
                    .map_or(&mut test.head, |(_, said, _)| said);
                // Jitter and one-way delays have the same names for their figures.
                if is_of_round_trips && name != MEASUREMENT {
                    of.say(name, value);
                }
            }
        }
    }
    match test {
        Some(test) => test.tell(&from, context, findings),
        None if block.last_written_line() == block.first_line => findings.nothing_to_say(),
        None => {}
    }
}

impl Test<'_> {
    fn tell(self, from: &Node, context: &Context, findings: &mut Findings) {
        let all = || self.results.iter();
        let is_doubled = |section| all().filter(|(other, ..)| *other == section).count() > 1;
        let contradicted = all()
            .find_map(|(_, said, _)| said.contradicted)
            .or(self.head.contradicted);
        if contradicted.is_some()
            || [Section::Current, Section::Last, Section::All]
                .into_iter()
                .any(is_doubled)
        {
            let why =
                "results that stand twice, as if the head of a test were missing: nothing of it is used";
            return findings.complain_of(self.lines, why);
        }
        let of = |wanted| {
            let such = all().find(|(section, ..)| *section == wanted);
            such.and_then(|(_, said, _)| counts(said))
        };
        let is_finished = of(Section::Last).or(of(Section::All)).is_some();
        // After the first test all of them are the last one: the same probes are told once.
        let is_first = of(Section::Last).is_some_and(|last| of(Section::All) == Some(last));
        let mut told = false;
        for (section, said, at) in all() {
            let is_wanted = match section {
                Section::Last => true,
                Section::All => !is_first,
                Section::Current => !is_finished,
                Section::Moving => false,
            };
            let Some(row) = counts(said).filter(|_| is_wanted) else {
                continue;
            };
            told = true;
            let mut from = from.clone();
            if let Some(address) = self.head.word(SOURCE).and_then(|source| source.parse().ok()) {
                from.address.get_or_insert(address);
            }
            let target = self.head.word(TARGET).map(host);
            let to = context.to_or(target.unwrap_or_default());
            let protocol = self.head.get(TYPE).and_then(protocol);
            let rows = vec![ProbeRow { to, ..row }];
            let payload = Payload::Probes(Probes {
                from,
                protocol,
                rows,
                ..Probes::default()
            });
            findings.record_of(self.lines, "rpm", *at, payload);
        }
        if !told {
            findings.nothing_to_say();
        }
    }
}

/// What the type of a test says of its probes.
pub(crate) fn protocol(kind: &str) -> Option<ProbeProtocol> {
    match kind.trim_ascii() {
        "icmp-ping" | "icmp-ping-timestamp" | "icmp6-ping" => Some(ProbeProtocol::Icmp),
        "udp-ping" | "udp-ping-timestamp" => Some(ProbeProtocol::Udp),
        "tcp-ping" => Some(ProbeProtocol::TcpSyn),
        _ => None,
    }
}

/// What was sent and came back; `None` where no probe was sent.
fn counts(said: &Said<'_>) -> Option<ProbeRow> {
    let (sent, received) = (said.count(SENT)?, said.count(RECEIVED)?);
    let length = |name| said.get(name).and_then(length_ns);
    let delay = DelayStatistics {
        min_ns: length(MIN),
        mean_ns: length(MEAN),
        max_ns: length(MAX),
        deviation_ns: length(DEVIATION),
        ..DelayStatistics::default()
    };
    (sent > 0).then(|| ProbeRow {
        sent: Some(sent),
        received: Some(received),
        delay: (received > 0 && delay != DelayStatistics::default()).then_some(delay),
        ..ProbeRow::default()
    })
}

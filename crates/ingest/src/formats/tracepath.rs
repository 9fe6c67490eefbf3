//! tracepath: large packets that must not be fragmented, and the path MTU that they meet.
//!
//! ` 1?: [LOCALHOST]  pmtu 9000`, ` 8:  192.122.175.14  8.522ms asymm  7`, `     Resume: pmtu 1500 hops 12 back 9`

use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::traceroute::reached;
use crate::host::{host, leading_host, rtt_ms};
use crate::invoked::invoked;
use crate::stray::{Strays, is_stray};
use evidence::{Node, Payload, ProbeProtocol, Trace, TraceAnswer, TraceFlow, TraceHop};

pub(crate) static FORMAT: Format = Format {
    name: "tracepath",
    group: Group::Paths,
    reads: "iputils, old and new, with the command line or a heading `Tracepath: A to B, 1509 bytes` above it",
    first: "Tt0-9",
    has_command: true,
    marks: Some(|| Marks::of(["tracepath"]).or(|line| hop(line.trim_ascii_start()).is_some())),
    starts,
    continues,
    takes_in: Some(takes_in),
    read,
};

fn starts(line: &str) -> bool {
    let text = line.trim_ascii_start();
    match text.as_bytes().first() {
        Some(b'0'..=b'9') => hop(text).is_some_and(|(_, rest)| is_answer(rest)),
        Some(b'T') if text.starts_with("Tracepath: ") => text.contains(" to ") && text.len() < 200,
        Some(_) => arguments(line).is_some(),
        None => false,
    }
}

fn arguments(line: &str) -> Option<Vec<&str>> {
    invoked(line, PROGRAMS).map(|run| run.words)
}

static PROGRAMS: &[&str] = &["tracepath", "tracepath6"];

/// The number in front of `:` or `?:`, and the rest.
fn hop(text: &str) -> Option<(u8, &str)> {
    let (number, rest) = text.get(..text.len().min(6))?.split_once(':')?;
    let ttl = number
        .strip_suffix('?')
        .unwrap_or(number)
        .parse()
        .ok()
        .filter(|ttl| *ttl > 0)?;
    let rest = text
        .get(number.len() + 1..)
        .filter(|behind| behind.len() >= rest.len())?;
    rest.starts_with(' ').then_some((ttl, rest.trim_ascii()))
}

/// What stands behind the number: `no reply`, `[LOCALHOST]`, or a host, its address perhaps, and a time or a remark of tracepath's.
fn is_answer(rest: &str) -> bool {
    let is_told = |word: &&str| {
        let time = word
            .strip_suffix("ms")
            .is_some_and(|number| number.parse::<f64>().is_ok());
        time || matches!(*word, "asymm" | "pmtu" | "reached")
    };
    let mut behind = rest.split_ascii_whitespace().skip(1);
    let next = behind.find(|word| !word.starts_with('('));
    rest == "no reply" || rest.starts_with("[LOCALHOST]") || next.as_ref().is_some_and(is_told)
}

fn continues(block: &Block, line: &str) -> bool {
    let text = line.trim_ascii();
    if text.is_empty() {
        return !is_over(block);
    }
    if text.starts_with("Resume: ") || text.starts_with("Too many hops") {
        return true;
    }
    let Some((ttl, rest)) = hop(text).filter(|(_, rest)| is_answer(rest)) else {
        return false;
    };
    let last = block.last_such(|line| hop(line.trim_ascii_start()).is_some());
    let last = last.and_then(|line| hop(line.trim_ascii_start()));
    let Some((last, last_rest)) = last.filter(|_| !is_over(block)) else {
        return !is_over(block);
    };
    // A trace begins at the own host; a lower number is else an answer that came late.
    let is_first = rest.starts_with("[LOCALHOST]") && !last_rest.starts_with("[LOCALHOST]");
    let is_second = ttl == 1 && last > 2;
    !is_first && !is_second
}

fn takes_in(block: &Block, line: &str) -> bool {
    let is_own = |line: &str| hop(line.trim_ascii()).is_some_and(|(_, rest)| is_answer(rest));
    !starts(line) && !is_over(block) && is_stray(block, line, is_own)
}

fn is_over(block: &Block) -> bool {
    block
        .last()
        .is_some_and(|line| line.trim_ascii_start().starts_with("Resume: "))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut trace = Trace {
        protocol: Some(ProbeProtocol::Udp),
        dont_fragment: Some(true),
        ..Trace::default()
    };
    let mut hops: Vec<TraceHop> = Vec::new();
    let mut verdict = None;
    let mut strays = Strays::default();
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if let Some((ttl, rest)) = hop(text).filter(|(_, rest)| is_answer(rest)) {
            if rest == "no reply" && hops.iter().any(|hop| hop.ttl == ttl && hop.unanswered > 0) {
                findings.complain(number, format!("hop {ttl} stands twice"));
                continue;
            }
            verdict = take_hop(ttl, rest, &mut trace, &mut hops).or(verdict);
        } else if let Some(heading) = text.strip_prefix("Tracepath: ") {
            take_heading(heading, &mut trace);
        } else if let Some(sums) = text.strip_prefix("Resume: ") {
            trace.path_mtu_bytes = number_after(sums, "pmtu").or(trace.path_mtu_bytes);
        } else if text.starts_with("Too many hops") {
            verdict = Some(false);
        } else if arguments(line).is_some() {
            take_command(line, &mut trace);
        } else {
            strays.push(number, line);
        }
    }
    strays.tell(block, findings);
    if hops.is_empty() {
        return;
    }
    trace.from = context.from_or(trace.from);
    trace.to = context.to_or(trace.to);
    trace.reached = verdict.or_else(|| reached(&hops, &trace.to, None));
    trace.flows = vec![TraceFlow::of(hops)];
    let lines = (block.first_line, block.last_written_line());
    findings.record_of(lines, "tracepath", context.at, Payload::Trace(trace));
}

/// `ESnet to NRAO, 1509 bytes`: what `-l` was given, the whole packet.
fn take_heading(heading: &str, trace: &mut Trace) {
    let (hosts, size) = heading.split_once(", ").unwrap_or((heading, ""));
    let (from, to) = hosts.split_once(" to ").unwrap_or((hosts, ""));
    trace.from = host(from);
    trace.to = host(to);
    trace.size_bytes = size
        .strip_suffix(" bytes")
        .and_then(|bytes| bytes.trim_ascii().parse().ok());
}

fn take_command(line: &str, trace: &mut Trace) {
    let Some(run) = invoked(line, PROGRAMS) else {
        return;
    };
    if let Some(device) = run.device {
        trace.from = Node::named(device);
    }
    let mut words = run.words.into_iter();
    while let Some(word) = words.next() {
        match word {
            "-l" => trace.size_bytes = words.next().and_then(|bytes| bytes.parse().ok()),
            // The other options that take a value.
            "-m" | "-p" => drop(words.next()),
            _ if word.starts_with('-') => {}
            _ => trace.to = host(word.split('/').next().unwrap_or("")),
        }
    }
}

/// Takes what stands behind a number. `Some(true)` when it says that the destination was reached.
fn take_hop(ttl: u8, rest: &str, trace: &mut Trace, hops: &mut Vec<TraceHop>) -> Option<bool> {
    if rest.starts_with("[LOCALHOST]") {
        // Without -l the packets are as large as the own interface lets them be.
        let mtu = number_after(rest, "pmtu");
        trace.size_bytes = trace.size_bytes.or(mtu);
        return None;
    }
    let at = hops.iter().position(|hop| hop.ttl >= ttl).unwrap_or(hops.len());
    if hops.get(at).is_none_or(|hop| hop.ttl != ttl) {
        hops.insert(
            at,
            TraceHop {
                ttl,
                ..TraceHop::default()
            },
        );
    }
    let place = hops.get_mut(at)?;
    if rest == "no reply" {
        place.unanswered = place.unanswered.saturating_add(1);
        return None;
    }
    let (answer, reached) = answer(rest);
    trace.path_mtu_bytes = answer.mtu_bytes.or(trace.path_mtu_bytes);
    place.answers.push(answer);
    reached.then_some(true)
}

/// `host (address)  8.522ms asymm  7`, `host  10.253ms pmtu 1500`, `host  10.154ms !H`, `host  0.018ms reached`.
fn answer(rest: &str) -> (TraceAnswer, bool) {
    let (node, rest) = leading_host(rest);
    let mut answer = TraceAnswer {
        node,
        ..TraceAnswer::default()
    };
    let mut reached = false;
    for word in rest.split_ascii_whitespace() {
        if let Some(ms) = word.strip_suffix("ms") {
            answer.rtt_ns = rtt_ms(ms);
        } else if word.starts_with('!') {
            answer.mark = Some(word.chars().take(16).collect());
        }
        reached |= word == "reached";
    }
    answer.return_hops = number_after(rest, "asymm").and_then(|hops| u8::try_from(hops).ok());
    answer.mtu_bytes = number_after(rest, "pmtu");
    (answer, reached)
}

fn number_after(text: &str, name: &str) -> Option<u32> {
    let mut words = text.split_ascii_whitespace().skip_while(|word| *word != name);
    words.nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_hops() {
        for yes in [
            "1?: [LOCALHOST]                                         pmtu 9000",
            " 1:  240.0.0.1                                         0.728ms ",
            "10:  no reply",
            "9?: br01.example               asymm  7 ",
            " 3:  ??? (240.0.0.1)                                      0.012ms pmtu 1500",
        ] {
            assert!(starts(yes), "{yes}");
        }
        for no in [
            "",
            "1: the first",
            "16:44 GMT",
            "300: a 1ms",
            "1:a 1ms",
            "1: i32 waitMicroseconds = 20000; // 20ms",
            "  5 minute input rate",
            "1: a b\u{e9}",
        ] {
            assert!(!starts(no), "{no}");
        }
    }

    #[test]
    fn nobody_is_named_by_question_marks() {
        assert_eq!(answer("???   0.046ms ").0.node, Node::default());
        let both = answer("??? (240.0.0.1)  0.046ms ").0.node;
        assert_eq!(both.to_string(), "240.0.0.1");
    }
}

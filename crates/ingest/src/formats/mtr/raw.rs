//! `mtr --raw`: events. `x HOP SEQ` a probe sent, `h HOP ADDRESS` who answers, `d HOP NAME` its name, `p HOP MICROSECONDS
//! SEQ` an answer, `m HOP LABEL TC S TTL` a label. Hops count from 0.

use super::run::{Hop, MOST_AT_ONE_HOP, Run};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group};
use crate::host::{LONGEST_RTT_NS, delay, host};
use crate::mpls::entry;
use crate::stray::is_stray;
use evidence::DelayStatistics;
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "mtr raw",
    group: Group::Paths,
    reads: "mtr --raw: every probe",
    first: "xh",
    has_command: false,
    marks: None,
    starts,
    continues: |_, line| event(line).is_some(),
    takes_in: Some(|block, line| !starts(line) && is_stray(block, line, |line| event(line).is_some())),
    read,
};

fn starts(line: &str) -> bool {
    match event(line) {
        Some(('x', _, rest)) => rest.parse::<u64>().is_ok(),
        Some(('h', _, rest)) => rest.parse::<std::net::IpAddr>().is_ok(),
        _ => false,
    }
}

/// The kind, the hop, and the rest of a line.
fn event(line: &str) -> Option<(char, u8, &str)> {
    let kind = *line.as_bytes().first()?;
    if !matches!(kind, b'x' | b'h' | b'd' | b'p' | b'm') {
        return None;
    }
    let (hop, rest) = line.get(1..)?.strip_prefix(' ')?.split_once(' ')?;
    let hop: u8 = hop.parse().ok()?;
    Some((char::from(kind), hop, rest.trim_ascii()))
}

/// What is counted of a hop.
#[derive(Default)]
struct Count {
    hop: Hop,
    sent: u64,
    answers: u64,
    sum_ns: u64,
    /// The number of the last probe: a line that stands twice is one probe.
    last_sent: Option<u64>,
    last_answered: Option<u64>,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut counts: BTreeMap<u8, Count> = BTreeMap::new();
    for (number, line) in block.numbered() {
        let Some((kind, hop, rest)) = event(line) else {
            findings.unread(number, line);
            continue;
        };
        let count = counts.entry(hop).or_default();
        let mut numbers = rest.split(' ').map(str::parse::<u64>);
        match kind {
            'x' => {
                let probe = numbers.next().and_then(Result::ok);
                count.sent += u64::from(probe.is_none() || probe != count.last_sent);
                count.last_sent = probe;
            }
            'h' => count.hop.node(rest, None),
            'd' => name(&mut count.hop, rest),
            'p' => {
                let rtt = numbers.next().and_then(Result::ok);
                let probe = numbers.next().and_then(Result::ok);
                if probe.is_none() || probe != count.last_answered {
                    answer(count, rtt);
                }
                count.last_answered = probe;
            }
            _ => {
                let mut next = || numbers.next()?.ok();
                let label = entry(next(), next(), next(), next());
                let room = count.hop.mpls.len() < MOST_AT_ONE_HOP;
                count.hop.mpls.extend(label.filter(|_| room));
            }
        }
    }
    let mut run = Run::default();
    for (place, count) in counts {
        let Some(ttl) = place.checked_add(1) else { continue };
        run.hops.push(Hop {
            ttl,
            sent: (count.sent > 0).then_some(count.sent),
            received: Some(count.answers),
            is_silent: count.answers == 0,
            ..count.hop
        });
    }
    // mtr goes on behind the destination until it knows that it is one.
    while let [.., before, last] = run.hops.as_slice()
        && !last.nodes.is_empty()
        && before.nodes == last.nodes
    {
        run.hops.pop();
    }
    let lines = (block.first_line, block.last_line());
    run.into_findings(lines, context, findings);
}

/// A name goes to the address that was printed last.
fn name(hop: &mut Hop, text: &str) {
    if let Some((node, _)) = hop.nodes.last_mut() {
        node.name = host(text).name;
    }
}

fn answer(count: &mut Count, microseconds: Option<u64>) {
    count.answers += 1;
    let Some(ns) = microseconds
        .and_then(|us| us.checked_mul(1000))
        .filter(|ns| *ns <= LONGEST_RTT_NS)
    else {
        return;
    };
    let DelayStatistics { min_ns, max_ns, .. } = count.hop.rtt;
    count.sum_ns = count.sum_ns.saturating_add(ns);
    count.hop.rtt = DelayStatistics {
        min_ns: delay(Some(ns)).map(|ns| min_ns.map_or(ns, |min| min.min(ns))),
        mean_ns: delay(count.sum_ns.checked_div(count.answers)),
        max_ns: delay(Some(ns)).map(|ns| max_ns.map_or(ns, |max| max.max(ns))),
        ..DelayStatistics::default()
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_from_prose() {
        assert!(starts("x 0 33000") && starts("h 0 240.0.0.1"));
        for no in [
            "",
            "x",
            "x 0",
            "h 0 name",
            "x 300 1",
            "p 0 1 2",
            "hardly 1 2",
            "d 0 a",
        ] {
            assert!(!starts(no), "{no}");
        }
    }
}

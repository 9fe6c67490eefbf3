//! From what stands above the hops, and the hops, to a trace.

use super::header::Header;
use super::hops::{Found, Hops};
use crate::Context;
use crate::block::Findings;
use evidence::{Node, ReplyKind, Trace, TraceFlow, TraceHop};

/// Puts header and hops together; `None` without hops.
pub(super) fn trace(header: Header, hops: Hops, context: &Context, findings: &mut Findings) -> Option<Trace> {
    let Found { hops, mtus, unread } = hops.finish();
    for (line, reason) in unread {
        findings.complain(line, reason);
    }
    if hops.is_empty() {
        return None;
    }
    let drew_mtu = hops
        .iter()
        .flat_map(|hop| &hop.answers)
        .any(|answer| answer.mtu_bytes.is_some());
    let or = |seen: Node, other: Node| if seen.is_unknown() { other } else { seen };
    let to = context.to_or(or(header.to, header.asked));
    Some(Trace {
        from: context.from_or(or(header.from, header.prompt)),
        reached: reached(&hops, &to, header.max_hops),
        to,
        protocol: header.protocol,
        // A search for the path MTU begins with the largest packet that the own interface lets out.
        size_bytes: mtus.map_or(header.size_bytes, |(first, _)| Some(first)),
        // Only a packet that must not be fragmented draws "fragmentation needed".
        dont_fragment: header
            .dont_fragment
            .or((drew_mtu || mtus.is_some()).then_some(true)),
        flows: vec![TraceFlow::of(hops)],
        path_mtu_bytes: mtus.map(|(_, last)| last),
        ..Trace::default()
    })
}

/// Whether the destination answered. A trace that ends with a router's answer may be one that a document cut.
pub(crate) fn reached(hops: &[TraceHop], to: &Node, max_hops: Option<u8>) -> Option<bool> {
    let last = hops.last()?;
    let answered = last.answers.iter().any(|answer| {
        answer.node.same_as(to) == Some(true) || answer.kind.is_some_and(ReplyKind::is_from_destination)
    });
    if answered {
        return Some(true);
    }
    let refused = last.answers.iter().any(|answer| answer.mark.is_some());
    let silent = last.answers.is_empty() && last.unanswered > 0;
    let exhausted = max_hops.is_some_and(|max| last.ttl >= max);
    // "ESnet", "NRAO": a network's name in a heading is no host's, and tells from nobody.
    let is_host = to.address.is_some() || to.name.as_deref().is_some_and(|name| name.contains('.'));
    let comparable = is_host
        && last
            .answers
            .iter()
            .all(|answer| answer.node.same_as(to).is_some());
    (silent || (comparable && (refused || exhausted))).then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::Payload;

    fn trace_of(text: &str) -> Trace {
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!(complaints, [], "{text}");
        match records.as_slice() {
            [record] => match &record.payload {
                Payload::Trace(trace) => trace.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn whether_the_destination_answered() {
        let header = "traceroute to 240.0.0.9 (240.0.0.9), 3 hops max, 60 byte packets\n";
        for (hops, reached) in [
            (" 1  240.0.0.9 (240.0.0.9)  1 ms\n", Some(true)),
            (" 1  240.0.0.1 (240.0.0.1)  1 ms\n", None),
            (" 1  240.0.0.1 (240.0.0.1)  1 ms !H\n", Some(false)),
            (" 1  * * *\n", Some(false)),
            (" 1  a (240.0.0.1)  1 ms\n 3  b (240.0.0.3) 2 ms\n", Some(false)),
            (" 1  a (w.x.y.z)  1 ms\n 3  b (w.x.y.z) 2 ms\n", None),
        ] {
            assert_eq!(trace_of(&format!("{header}{hops}")).reached, reached, "{hops}");
        }
    }
}

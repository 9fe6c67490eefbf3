//! From what stands above the hops, and the hops, to a trace.

use super::header::Header;
use super::hops::{Found, Hops};
use crate::Context;
use crate::findings::Findings;
use evidence::{Node, ReplyKind, Trace, TraceFlow, TraceHop};

/// What the header of Linux' `--mtu` says: the size that its search comes down from. No such packet leaves the host.
const SEARCHED_FROM: u32 = 65_000;

/// Puts header and hops together; `None` without hops.
pub(super) fn trace(header: Header, hops: Hops, context: &Context, findings: &mut Findings) -> Option<Trace> {
    let found = hops.finish();
    let Found { hops, unread, .. } = &found;
    for (line, reason) in unread {
        findings.complain(*line, reason.clone());
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
    let reached = reached(hops, &to, header.max_hops);
    let is_search = !found.mtus.is_empty();
    let (first, last) = searched(&found, reached);
    Some(Trace {
        from: context.from_or(or(header.from, header.prompt)),
        reached,
        to,
        protocol: header.protocol,
        // A search for the path MTU begins with the largest packet that the own interface lets out.
        size_bytes: if is_search {
            first
        } else {
            header.size_bytes.filter(|size| *size != SEARCHED_FROM)
        },
        // Only a packet that must not be fragmented draws "fragmentation needed".
        dont_fragment: header.dont_fragment.or((drew_mtu || is_search).then_some(true)),
        path_mtu_bytes: last,
        flows: vec![TraceFlow::of(found.hops)],
        ..Trace::default()
    })
}

/// What a search for the path MTU began with and what it concluded: the first is that of the first hop, and the last one is the
/// path's where nothing is missing up to the destination.
fn searched(found: &Found, reached: Option<bool>) -> (Option<u32>, Option<u32>) {
    let ttl = |place: Option<&TraceHop>| place.map(|hop| hop.ttl);
    let first = found
        .mtus
        .first()
        .filter(|(at, _)| *at == 1 && ttl(found.hops.first()) == Some(1));
    let is_gapless = found
        .hops
        .windows(2)
        .all(|pair| pair[1].ttl == pair[0].ttl.saturating_add(1));
    let is_of_last = |at: u8| !found.has_mtu_of_each || ttl(found.hops.last()) == Some(at);
    let is_told = reached == Some(true) && first.is_some() && is_gapless && found.is_whole;
    let last = found.mtus.last().filter(|(at, _)| is_told && is_of_last(*at));
    (first.map(|(_, mtu)| *mtu), last.map(|(_, mtu)| *mtu))
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

//! What misleads where large packets vanish: small ones that all pass, and a smaller MTU further on that is announced
//! as it should be.

use crate::adapters::interfaces::hop_of;
use crate::facts::Facts;
use crate::faults::words;
use crate::records::end_of;
use crate::records::hop_ref;
use evidence::{
    End, Explains, Finding, Location, Node, ObservationId, Probes, RedHerring, Trace, TraceAnswer,
};
use std::collections::BTreeSet;

/// The least MTU that a link may have (RFC 791).
const LEAST_IP_MTU_BYTES: u32 = 68;

pub(super) fn find(facts: &Facts, findings: &[Finding]) -> Vec<RedHerring> {
    let blamed = |finding: &&Finding| finding.code.starts_with("MTU-00") && finding.explains != Explains::No;
    let mut found: Vec<RedHerring> = Vec::new();
    if findings.iter().any(|finding| blamed(&finding)) {
        let clean = [End::To, End::From].map(|towards| clean_traceroute(facts, towards));
        found.extend(clean.into_iter().flatten().next());
    }
    found.extend(Announced::all(facts).iter().map(|said| said.herring(facts)));
    found
}

/// Traces with small packets reach the destination and show nothing; one with larger packets does not get there.
fn clean_traceroute(facts: &Facts, towards: End) -> Option<RedHerring> {
    let is_there = |answer: &TraceAnswer| facts.complaint.end_of(&answer.node) == Some(towards);
    let arrives = |trace: &Trace| {
        let seen = || trace.hops().flat_map(|hop| &hop.answers).any(is_there);
        trace.reached.unwrap_or_else(seen)
    };
    let traces = facts.records.traces.iter();
    let traces = traces.filter(|t| end_of(&t.what.to, &facts.complaint) == Some(towards));
    let sized = traces.filter_map(|t| Some((t.what.size_bytes?, &t.id, arrives(&t.what))));
    let (clean, lost): (BTreeSet<_>, BTreeSet<_>) = sized.partition(|(_, _, arrives)| *arrives);
    let ((size, ..), (passes, ..)) = (clean.first()?, clean.last()?);
    let (vanishes, ..) = lost.iter().find(|(size, ..)| size > passes)?;
    Some(RedHerring {
        code: "clean-traceroute".into(),
        seen: format!("a trace with packets of {size} bytes reaches the destination and shows nothing wrong"),
        why_not: format!(
            "small packets do not show what happens to large ones: those of {vanishes} bytes vanish on the way"
        ),
        location: Location::Path,
        cites: clean.iter().map(|(_, id, _)| (*id).clone()).collect(),
    })
}

/// A router that says how large packets may be.
struct Announced {
    router: Node,
    mtu_bytes: u32,
    cites: BTreeSet<ObservationId>,
}

impl Announced {
    fn all(facts: &Facts) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let mut take = |router: &Node, size: Option<u32>, mtu: Option<u32>, id: &ObservationId| {
            let believable = |mtu: &u32| *mtu >= LEAST_IP_MTU_BYTES && size.is_none_or(|size| *mtu < size);
            let Some(mtu_bytes) = mtu.filter(believable).filter(|_| !is_localhost(router)) else {
                return;
            };
            match all
                .iter_mut()
                .find(|known| known.router.same_as(router) == Some(true))
            {
                Some(known) => {
                    known.mtu_bytes = known.mtu_bytes.min(mtu_bytes);
                    known.cites.insert(id.clone());
                }
                None => all.push(Self {
                    router: router.clone(),
                    mtu_bytes,
                    cites: BTreeSet::from([id.clone()]),
                }),
            }
        };
        let to_an_end = |node: &Node| end_of(node, &facts.complaint).is_some();
        for trace in facts
            .records
            .traces
            .iter()
            .filter(|trace| to_an_end(&trace.what.to))
        {
            for answer in trace.what.hops().flat_map(|hop| &hop.answers) {
                take(&answer.node, trace.what.size_bytes, answer.mtu_bytes, &trace.id);
            }
        }
        for probes in facts
            .records
            .probes
            .iter()
            .filter(|probes| !tries_sizes(&probes.what))
        {
            for row in probes.what.rows.iter().filter(|row| to_an_end(&row.to)) {
                for error in &row.errors {
                    let router = error.from.iter();
                    router.for_each(|router| take(router, row.size_bytes, error.mtu_bytes, &probes.id));
                }
            }
        }
        all
    }

    fn herring(&self, facts: &Facts) -> RedHerring {
        let hop = hop_of(&self.router, &facts.records, &facts.complaint);
        let hop = hop.unwrap_or_else(|| hop_ref(0, &self.router));
        RedHerring {
            code: "mtu-step-announced".into(),
            seen: format!("{} leads into an MTU of {} bytes", words::hop(&hop), self.mtu_bytes),
            why_not: "it says so (\"fragmentation needed\" arrives), so that senders adapt: path MTU discovery works there"
                .into(),
            location: if hop.ttl == 0 { Location::Path } else { Location::Hop { hop } },
            cites: self.cites.iter().cloned().collect(),
        }
    }
}

/// A search for the sizes that pass shows by itself what they do, and misleads nobody.
fn tries_sizes(probes: &Probes) -> bool {
    let sizes: BTreeSet<u32> = probes.rows.iter().filter_map(|row| row.size_bytes).collect();
    sizes.len() > 2
}

/// tracepath names its own host where it prints the MTU of the interface.
fn is_localhost(node: &Node) -> bool {
    let name = node.name.as_deref().unwrap_or_default();
    name.trim_matches(['[', ']']).eq_ignore_ascii_case("localhost")
}

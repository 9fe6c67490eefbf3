//! What misleads where large packets vanish: small ones that all pass, and a smaller MTU further on that is announced
//! as it should be.

use crate::facts::Facts;
use crate::facts::black_hole::BlackHole;
use crate::facts::path::PathFacts;
use crate::facts::records::ends::end_of;
use crate::facts::sizes::Router;
use crate::faults::words;
use evidence::v1::{Explains, Finding, Location, ObservationId, RedHerring, Trace};

pub(super) fn find(facts: &Facts, findings: &[Finding]) -> Vec<RedHerring> {
    let path = facts.sized_path();
    // Our own measurements try all sizes at once and mislead nobody.
    if facts.data_path().sizes.was_probed() || !path.sizes.was_probed() {
        return Vec::new();
    }
    let mut found: Vec<RedHerring> = clean_traceroute(facts, path, findings).into_iter().collect();
    found.extend(
        path.sizes
            .honest_routers()
            .iter()
            .map(|(router, mtu)| announced(path, router, *mtu)),
    );
    found
}

/// A trace with packets under the threshold reaches the destination and shows nothing.
fn clean_traceroute(facts: &Facts, path: &PathFacts, findings: &[Finding]) -> Option<RedHerring> {
    let blamed = |finding: &&Finding| finding.code.starts_with("MTU-00") && finding.explains != Explains::No;
    findings.iter().find(blamed)?;
    let hole = BlackHole::find(path)?;
    let towards = path.vantage.other();
    let mut clean: Vec<(u32, &ObservationId)> = facts
        .records
        .traces
        .iter()
        .filter(|trace| end_of(&trace.what.to, &facts.complaint) == Some(towards))
        .filter(|trace| arrives(&trace.what))
        .filter_map(|trace| {
            Some((
                trace.what.size_bytes.filter(|size| *size <= hole.passes_bytes)?,
                &trace.id,
            ))
        })
        .collect();
    clean.sort();
    let (size, _) = *clean.first()?;
    Some(RedHerring {
        code: "clean-traceroute".into(),
        seen: format!("a trace with packets of {size} bytes reaches the destination and shows nothing wrong"),
        why_not: format!(
            "it says nothing of larger packets: those of {} bytes vanish on the way",
            hole.vanishes_bytes
        ),
        location: Location::Path,
        cites: clean.into_iter().map(|(_, id)| id.clone()).collect(),
    })
}

fn arrives(trace: &Trace) -> bool {
    let answered = |trace: &Trace| {
        let last = trace.hops.last()?;
        Some(
            last.answers
                .iter()
                .any(|answer| answer.node.same_as(&trace.to) == Some(true)),
        )
    };
    trace.reached.or_else(|| answered(trace)).unwrap_or(false)
}

fn announced(path: &PathFacts, router: &Router, mtu: Option<u32>) -> RedHerring {
    let hop = path.router_ref(router);
    let name = words::hop(&hop);
    let limit = mtu.map_or_else(
        || "a smaller MTU".to_owned(),
        |mtu| format!("an MTU of {mtu} bytes"),
    );
    RedHerring {
        code: "mtu-step-announced".into(),
        seen: format!("{name} leads into {limit}"),
        why_not: "it says so (\"fragmentation needed\" arrives), so that senders adapt: path MTU discovery works there".into(),
        location: if hop.ttl == 0 { Location::Path } else { Location::Hop { hop } },
        cites: path.sizes.cites.clone(),
    }
}

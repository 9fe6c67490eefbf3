//! Anomalies that look like causes and are not: said so, with why, before somebody spends a week on them.

pub(crate) mod composition;
mod counters;
mod cross_traffic;
mod fast_retries;
mod fragmented_pings;
mod hops;
mod ignores_large;
mod long_rtt;
mod mpls;
mod packet_sizes;
mod routes;
mod utilisation;

use crate::adapters::Gathered;
use crate::facts::Facts;
use evidence::{Finding, RedHerring};

/// All red herrings of the round, in the order of the path.
pub(crate) fn find(facts: &Facts, gathered: Option<&Gathered>, findings: &[Finding]) -> Vec<RedHerring> {
    let mut seen = Vec::new();
    seen.extend(
        gathered
            .into_iter()
            .flat_map(|gathered| hops::find(facts, gathered)),
    );
    seen.extend(ignores_large::find(facts));
    seen.extend(mpls::find(facts));
    seen.extend(utilisation::find(facts));
    seen.extend(counters::find(facts));
    seen.extend(composition::find(facts));
    seen.extend(long_rtt::find(facts, findings));
    seen.extend(packet_sizes::find(facts, findings));
    seen.extend(fragmented_pings::find(facts, findings));
    seen.extend(fast_retries::find(facts, findings));
    seen.extend(cross_traffic::find(facts, findings));
    seen.extend(routes::find(facts));
    seen
}

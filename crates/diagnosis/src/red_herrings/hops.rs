//! Hops that look ill and are not: some never answer though traffic passes them, others answer only some probes because
//! they limit their answers (RFC 1812 section 4.3.2.8), not their traffic.

use crate::adapters::Gathered;
use crate::facts::Facts;
use crate::records::hop_ref;
use evidence::{HopRef, Location, Node, ObservationId, RedHerring};
use model::{Element, Loss, Measurement, Path, Seen};
use stats::Ratio;
use std::collections::BTreeSet;

/// Missing this much more than the best hop behind it: far over what chance and small loss make.
const EXCESS: f64 = 0.1;
/// With fewer probes a few missing answers mean nothing.
const LEAST_PROBES: u64 = 10;
/// What answers nothing large is another matter: probes up to this size, or of unknown size, count.
const LARGEST_SMALL_BYTES: f64 = 600.0;

pub(super) fn find(facts: &Facts, gathered: &Gathered) -> Vec<RedHerring> {
    let mut pairs = BTreeSet::new();
    let first = |path: &&Path| pairs.insert((path.from, path.to));
    let paths = gathered.map.paths().iter().filter(first);
    paths
        .flat_map(|path| {
            silent(facts, gathered, path)
                .into_iter()
                .chain(limited(gathered, path))
        })
        .collect()
}

/// One herring for all silent hops between two hosts.
fn silent(facts: &Facts, gathered: &Gathered, path: &Path) -> Option<RedHerring> {
    let (mut ttls, mut behind) = (Vec::new(), None);
    for (hop, link) in path.hops.iter().zip(&path.ways) {
        if let Element::Link {
            silent: silent @ 1.., ..
        } = gathered.map.element(*link)
        {
            ttls.extend(hop.ttl.saturating_sub(*silent)..hop.ttl);
            behind = Some(hop_ref(hop.ttl, &gathered.map.node(hop.node)));
        }
    }
    let is = |node: &Node, id| node.is_unknown() || gathered.map.find(node) == Some(id);
    let of_path = facts
        .records
        .traces
        .iter()
        .filter(|t| is(&t.what.from, path.from) && is(&t.what.to, path.to));
    let listed = match ttls.as_slice() {
        [one] => format!("hop {one} never"),
        many => format!(
            "none of the hops {}",
            many.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
        ),
    };
    let [from, to] = [path.from, path.to].map(|id| gathered.map.node(id));
    Some(RedHerring {
        code: "silent-hop".into(),
        seen: format!("from {from} to {to}, {listed} answers"),
        why_not: format!(
            "{} behind answers, so what lies before it forwards",
            spoken(&behind?)
        ),
        location: Location::Hop {
            hop: hop_ref(*ttls.first()?, &Node::default()),
        },
        cites: of_path.map(|trace| trace.id.clone()).collect(),
    })
}

/// Hops that leave more of the probes to them unanswered than one behind them does.
fn limited(gathered: &Gathered, path: &Path) -> Vec<RedHerring> {
    // Of probes while nothing of ours loaded the path.
    let counts = |loss: &Loss| {
        let small = loss.size_bytes.is_none_or(|size| size <= LARGEST_SMALL_BYTES);
        loss.round_trip && !loss.under_load && small
    };
    let asked = |hop: &model::Hop| {
        let (mut unanswered, mut cites) = (Ratio::default(), BTreeSet::new());
        let ways = |m: &&Measurement| (m.from, m.to) == (path.from, hop.node);
        for measurement in gathered.measurements.iter().filter(ways) {
            if let Seen::Loss(loss) = &measurement.seen
                && counts(loss)
            {
                unanswered = unanswered.plus(Ratio::new(loss.lost as u64, loss.sent as u64));
                cites.extend(&measurement.cites);
            }
        }
        let at = hop_ref(hop.ttl, &gathered.map.node(hop.node));
        (unanswered.trials >= LEAST_PROBES).then_some((at, unanswered, cites))
    };
    let hops: Vec<(HopRef, Ratio, BTreeSet<&ObservationId>)> = path.hops.iter().filter_map(asked).collect();
    let missing = |ratio: &Ratio| ratio.estimate().unwrap_or(1.0);
    let herring = |(place, (hop, ill, cites)): (usize, &(HopRef, Ratio, BTreeSet<&ObservationId>))| {
        let behind = hops[place + 1..].iter();
        let (best_hop, best, _) = behind.min_by(|a, b| missing(&a.1).total_cmp(&missing(&b.1)))?;
        let proved = ill.interval().0 > best.interval().1 && missing(ill) - missing(best) > EXCESS;
        // A hop that answers none at all is another matter.
        (proved && missing(ill) < 1.0).then(|| RedHerring {
            code: "rate-limited-hop".into(),
            seen: format!(
                "hop {} leaves {} of {} probes unanswered",
                hop.ttl,
                percent(missing(ill)),
                ill.trials
            ),
            why_not: format!(
                "{} behind it misses {}: the hop limits its answers, not what it forwards",
                spoken(best_hop),
                percent(missing(best))
            ),
            location: Location::Hop { hop: hop.clone() },
            cites: cites.iter().copied().cloned().collect(),
        })
    };
    hops.iter().enumerate().filter_map(herring).collect()
}

/// A hop whose address the document lost still has its name.
pub(super) fn spoken(hop: &HopRef) -> String {
    match (&hop.name, hop.address) {
        (Some(name), None) => format!("hop {} ({name})", hop.ttl),
        _ => hop.to_string(),
    }
}

fn percent(ratio: f64) -> String {
    format!("{:.0} %", ratio * 100.0)
}

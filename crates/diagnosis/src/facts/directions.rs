//! How fast data go each way between two hosts. A path is two paths: what is slow one way and fast the other is no
//! matter of the hosts' processors, of the distance, nor of a window that is the same at both ends.

use super::Facts;
use crate::records::{Recorded, direction, settings};
use evidence::{End, ObservationId, RateBps, Transfer, Transport};

/// Slower by this factor is slower: transfers over one path, one after the other, easily differ by a half.
const CLEARLY: f64 = 2.0;

/// What goes with the data is slow, and fast against them.
pub(crate) struct FasterBack {
    pub(crate) slow: RateBps,
    pub(crate) fast: RateBps,
    pub(crate) cites: Vec<ObservationId>,
}

/// Of transfers with the same settings each is clearly faster against the data than with them: the slowest of both.
pub(crate) fn faster_back(facts: &Facts) -> Option<FasterBack> {
    let [there, back] = [End::From, End::To].map(|end| transfers(facts, end));
    let mut slowest = None;
    for (slow, t) in &there {
        for (fast, b) in back
            .iter()
            .filter(|(_, b)| settings(&b.what) == settings(&t.what))
        {
            if fast.0 < CLEARLY * slow.0 {
                return None;
            }
            slowest.get_or_insert((*slow, *fast, vec![t.id.clone(), b.id.clone()]));
        }
    }
    let (slow, fast, cites) = slowest?;
    let cites = crate::judgement::join_cites([&cites]);
    Some(FasterBack { slow, fast, cites })
}

/// The rates of TCP transfers from one end to the other, the slowest first.
fn transfers(facts: &Facts, from: End) -> Vec<(RateBps, &Recorded<Transfer>)> {
    let way = Some(from.outbound());
    let tcp = |t: &&Recorded<Transfer>| t.what.protocol != Some(Transport::Udp);
    let along = |t: &&Recorded<Transfer>| direction(&t.what.from, &t.what.to, &facts.complaint) == way;
    let all = facts.records.transfers.iter().filter(tcp).filter(along);
    let mut all: Vec<_> = all.filter_map(|t| Some((t.rate()?, t))).collect();
    all.sort_by(|(a, t), (b, u)| a.0.total_cmp(&b.0).then_with(|| t.id.cmp(&u.id)));
    all
}

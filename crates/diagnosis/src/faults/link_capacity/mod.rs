//! CAP-001: a link on the path carries no more.

use super::words;
use crate::declaration::{Fault, Parameter, Rule};
use crate::facts::Facts;
use crate::facts::records::load::Headroom;
use crate::judgement::{Outcome, join_cites};
use model::Kind;

const PRIOR: f64 = -1.5;

pub(crate) static FAULT: Fault = Fault {
    code: "CAP-001",
    name: "link_capacity",
    title: "link capacity reached",
    page: include_str!("page.md"),
    rule: Some(Rule { prior: PRIOR, judge }),
    parameters: &[Parameter {
        kind: Kind::Capacity,
        prior: 0.09,
        claim: |bps| format!("no more than about {} pass", words::about(bps)),
        remedy: "nothing is broken if the link is as fast as it was bought: take a faster link or another route; if it should \
                 be faster, check its negotiated speed and its shaping",
    }],
};

/// With less than this share of what is free, a transfer is not what fills the path.
const SMALL_SHARE: f64 = 0.1;

/// Excluded where interfaces' own averages and stated capacities show room for many such transfers.
fn judge(facts: &Facts) -> Vec<Outcome> {
    let recorded = facts
        .records
        .complained(&facts.complaint)
        .zip(Headroom::of(facts));
    let Some(((record, rate), room)) =
        recorded.filter(|((_, rate), room)| rate.0 < SMALL_SHARE * room.free.0)
    else {
        return Vec::new();
    };
    vec![Outcome::Contradicts {
        weight: -4.0,
        why: format!("{rate} measured, and {}", room.figures.join("; ")),
        cites: join_cites([&vec![record.id.clone()], &room.cites]),
    }]
}

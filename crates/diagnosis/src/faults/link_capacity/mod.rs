//! CAP-001: a link on the path carries no more.

use super::words;
mod headroom;

use crate::declaration::{Fault, Parameter};
use crate::facts::Facts;
use crate::judgement::join_cites;
use evidence::Excluded;
use model::Kind;

use headroom::Headroom;

pub(crate) static FAULT: Fault = Fault {
    code: "CAP-001",
    page: include_str!("page.md"),
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
pub(super) fn room(facts: &Facts) -> Option<Excluded> {
    let (record, rate) = facts.records.complained(&facts.complaint)?;
    let room = Headroom::of(facts).filter(|room| rate.0 < SMALL_SHARE * room.free.0)?;
    Some(Excluded {
        code: FAULT.code.to_owned(),
        why: format!("{rate} measured, and {}", room.figures.join("; ")),
        cites: join_cites([&vec![record.id.clone()], &room.cites]),
    })
}

//! LOSS-007: a queue that cannot hold what TCP sends at once.

use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-007",
    page: include_str!("page.md"),
    parameters: &[Parameter {
        kind: Kind::ShortQueue,
        prior: 0.04,
        // The grid has four values: a share has one digit below a tenth, and two above.
        claim: |share| {
            format!(
                "TCP gets about {:.0} % of its normal rate, for want of room in the queue",
                share * 100.0
            )
        },
        remedy: "give the queue before that link room for about the rate times the round-trip time; until then \
                 pace the sender (fq, BBR) or use several connections",
    }],
};

//! LOSS-005: at times nothing passes.

use crate::declaration::{Fault, Parameter};
use model::Kind;

pub(crate) static FAULT: Fault = Fault {
    code: "LOSS-005",
    page: include_str!("page.md"),
    parameters: &[of(Kind::Interruption), of(Kind::RareInterruption)],
};

const fn of(kind: Kind) -> Parameter {
    Parameter {
        kind,
        prior: 0.03,
        claim: |share| format!("nothing passes for about {:.0} % of the time", share * 100.0),
        remedy: "look for the moments of the gaps in the logs of the routers on that stretch: interfaces, adjacencies, \
                 spanning tree, radio",
    }
}

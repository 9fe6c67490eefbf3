//! Wrong answers that are known. Each is to go: the test fails when one of them becomes right, so that this list gets
//! shorter.

use crate::judged::Outcome;
use crate::records::Whose;

/// A set whose text leads to another answer than it should.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) set: &'static str,
    pub(crate) whose: Whose,
    pub(crate) outcome: Outcome,
    pub(crate) why: &'static str,
}

/// All of them.
pub(crate) const KNOWN: &[Known] = &[
    Known {
        set: "capacity-100m",
        whose: Whose::UsersAndOperators,
        outcome: Outcome::Wider,
        why: "the routers' interfaces count fewer packets behind the link than before it, but only their errors and drops \
              are weighed, not the difference between neighbours",
    },
    Known {
        set: "loss-long-rtt",
        whose: Whose::Users,
        outcome: Outcome::Silent,
        why: LOSS_OF_THE_RECORDING,
    },
    Known {
        set: "loss-long-rtt",
        whose: Whose::UsersAndOperators,
        outcome: Outcome::Silent,
        why: LOSS_OF_THE_RECORDING,
    },
];

const LOSS_OF_THE_RECORDING: &str = "TCP sent 4 of 254,478 segments again, while UDP lost 136 of 151,060 and 1690 of 272,651 \
    datagrams, most of them in the hosts, of which no record of the set tells (it was made before nstat belonged to one); and \
    a capacity at the highest rate seen explains the rates as well as the loss does";

/// The known wrong answer of a set.
pub(crate) fn known(set: &str, whose: Whose) -> Option<&'static Known> {
    KNOWN
        .iter()
        .find(|known| known.set == set && known.whose == whose)
}

//! Own traces in both directions over routers without names, of which each direction shows the other side.

use super::super::START;
use super::build::{case, finding, node, provenance, trace, verdict};
use evidence::*;

pub const THERE: [&str; 4] = ["10.0.0.2 0.4", "10.1.0.2 2.1", "10.2.0.2 3.3", "10.9.0.1 4.2"];
pub const BACK: [&str; 4] = ["10.9.0.2 0.3", "10.2.0.1 1.2", "10.1.0.1 3.9", "10.0.0.1 4.4"];

const ENDS: [&str; 2] = ["a.example (10.0.0.1)", "b.example (10.9.0.1)"];

fn hop(ttl: u8, address: &str) -> HopRef {
    HopRef {
        ttl,
        address: address.parse().ok(),
        name: None,
    }
}

/// A fault in `direction` on the link between the second and the third router. A trace whose last hop is silent did not reach
/// its end.
pub fn ways(there: &[&str], back: &[&str], direction: Direction) -> (Case, VerdictFile) {
    let mut case = case("a.example", "b.example", Some(1e9));
    let [a, b] = ENDS;
    for (from, to, hops) in [(a, b, there), (b, a, back)] {
        let seen = Trace {
            reached: Some(hops.last() != Some(&"*")),
            ..trace(from, to, hops)
        };
        let provenance = Provenance {
            vantage: node(from),
            ..provenance(START, 1, "")
        };
        if !hops.is_empty() {
            case.add(Observation::new(provenance, Payload::Trace(seen)));
        }
    }
    let (before, after) = match direction {
        Direction::Reverse => (hop(1, "10.9.0.2"), hop(2, "10.2.0.1")),
        Direction::Forward | Direction::Both | Direction::Either => (hop(2, "10.1.0.2"), hop(3, "10.2.0.2")),
    };
    let mut lossy = finding(
        "LOSS-001",
        "the link loses packets",
        Location::Link { before, after },
    );
    lossy.direction = direction;
    let mut slow = verdict(1, VerdictState::Slow, "slow");
    slow.findings = vec![lossy];
    (case, super::super::verdicts::file(vec![slow]))
}

//! A path of links that is being read, and the words that pathchar and pchar have in common.

use crate::Context;
use crate::command::Run;
use crate::units;
use evidence::{LinkCapacities, LinkCapacity, Node, Payload};

/// What is known of a path so far: both tools print a router, then the link behind it, then the next router.
#[derive(Default)]
pub(super) struct Path {
    pub(super) from: Node,
    pub(super) to: Node,
    links: Vec<LinkCapacity>,
    /// The link whose far router is still to come.
    pub(super) pending: Option<LinkCapacity>,
}

impl Path {
    pub(super) fn take_router(&mut self, ttl: u8, node: Node) {
        match self.pending.take() {
            Some(link) => self.links.push(LinkCapacity { ttl, node, ..link }),
            // The first router is the own host.
            None if ttl == 0 => self.from = node,
            None => self.links.push(LinkCapacity {
                ttl,
                node,
                ..LinkCapacity::default()
            }),
        }
    }

    pub(super) fn payload(self, context: &Context) -> Option<Payload> {
        (!self.links.is_empty()).then(|| {
            Payload::LinkCapacities(LinkCapacities {
                from: context.from_or(self.from),
                to: context.to_or(self.to),
                links: self.links,
            })
        })
    }
}

/// `204 us`, `-34 us`, `1.42 ms` in nanoseconds; noise makes differences negative.
pub(super) fn signed_ns(text: &str) -> Option<i64> {
    // Without its unit a figure was cut.
    let (number, unit) = units::split(text).filter(|(_, unit)| !unit.is_empty())?;
    let ns = units::seconds(number.abs(), unit)? * 1e9;
    let ns = i64::try_from(units::whole(ns)?).ok()?;
    Some(if number < 0.0 { -ns } else { ns })
}

/// Whether the line is a prompt with this program.
pub(super) fn is_command(line: &str, program: &str) -> bool {
    Run::of(line, &[program]).is_some_and(|run| run.is_prompted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_may_be_negative() {
        assert_eq!(signed_ns("204 us"), Some(204_000));
        assert_eq!(signed_ns("-34 us"), Some(-34_000));
        assert_eq!(signed_ns("1.42 ms"), Some(1_420_000));
        for bad in ["", "us", "5", "5 kB", "1e400 ms", "--.--- ms"] {
            assert_eq!(signed_ns(bad), None, "{bad}");
        }
    }
}

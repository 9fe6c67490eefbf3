//! Capacities of links that tools infer from delay over packet size: pathchar and pchar.

mod pathchar;
mod pchar;

pub(crate) use pathchar::FORMAT as PATHCHAR;
pub(crate) use pchar::FORMAT as PCHAR;

use crate::Context;
use crate::prompt::command_line;
use crate::units;
use evidence::{LinkCapacities, LinkCapacity, Node, Payload};

/// What is known of a path so far: both tools print a router, then the link behind it, then the next router.
#[derive(Default)]
struct Path {
    from: Node,
    to: Node,
    links: Vec<LinkCapacity>,
    /// The link whose far router is still to come.
    pending: Option<LinkCapacity>,
}

impl Path {
    fn take_router(&mut self, ttl: u8, node: Node) {
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

    fn payload(self, context: &Context) -> Option<Payload> {
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
fn signed_ns(text: &str) -> Option<i64> {
    let (number, unit) = units::split(text)?;
    let ns = units::seconds(number.abs(), unit)? * 1e9;
    let ns = i64::try_from(units::whole(ns)?).ok()?;
    Some(if number < 0.0 { -ns } else { ns })
}

/// Whether the line is a prompt with this program.
fn is_command(line: &str, program: &str) -> bool {
    command_line(line).is_some_and(|typed| typed.arguments_of(program).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_may_be_negative() {
        assert_eq!(signed_ns("204 us"), Some(204_000));
        assert_eq!(signed_ns("-34 us"), Some(-34_000));
        assert_eq!(signed_ns("1.42 ms"), Some(1_420_000));
        for bad in ["", "us", "5 kB", "1e400 ms", "--.--- ms"] {
            assert_eq!(signed_ns(bad), None, "{bad}");
        }
    }
}

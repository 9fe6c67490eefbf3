//! Packets that go round among the same routers until their TTL runs out.

use crate::{Node, ReplyKind, Trace, TraceFlow};
use std::fmt;

/// The same routers in the same order, at least twice over, up to the last TTL that was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutingLoop<'a> {
    /// One round, as it was first met; `None` where nothing tells who is there.
    pub round: Vec<Option<&'a Node>>,
    /// The TTL at which it was first entered.
    pub first_ttl: u8,
    /// The last TTL that was answered.
    pub last_ttl: u8,
}

impl fmt::Display for RoutingLoop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a routing loop: hops {} to {} are ",
            self.first_ttl, self.last_ttl
        )?;
        for (place, node) in self.round.iter().enumerate() {
            let before = match place {
                0 => "",
                _ if place + 1 == self.round.len() => " and ",
                _ => ", ",
            };
            match node {
                Some(node) => write!(f, "{before}{node}")?,
                None => write!(f, "{before}a silent one")?,
            }
        }
        f.write_str(" in turn")
    }
}

impl Trace {
    /// The loop that a flow of this trace was caught in, if the destination never answered.
    ///
    /// One router that answers for several TTLs in a row is none: it forwards what it should drop, or is a firewall that answers
    /// for all behind it. Nor are routers that come again once: packets take turns on ways of different lengths. A loop lasts
    /// to the end of the trace.
    #[must_use]
    pub fn routing_loop(&self) -> Option<RoutingLoop<'_>> {
        let unreached = self.flows.iter().filter(|flow| flow.reached_ttl.is_none());
        let mut loops = unreached.filter_map(|flow| in_rounds(&by_ttl(flow)));
        let is_to = |node: &&Node| node.same_as(&self.to) == Some(true);
        let caught = loops.find(|found| !found.round.iter().flatten().any(is_to));
        caught.filter(|_| self.reached != Some(true))
    }
}

/// Who answered at a TTL.
#[derive(Clone, Copy)]
enum Met<'a> {
    /// Nobody, or nothing tells who.
    Silent,
    /// One router, which dropped the packet because its time was up.
    Router(&'a Node),
    /// Several, or with another word: no part of a loop.
    Other,
}

/// Who answered at each TTL, from 0 to the last that was answered.
fn by_ttl(flow: &TraceFlow) -> Vec<Met<'_>> {
    let mut met = vec![Met::Silent; 1 + usize::from(u8::MAX)];
    let mut end = 0;
    for hop in flow.hops.iter().filter(|hop| !hop.answers.is_empty()) {
        let place = usize::from(hop.ttl);
        end = end.max(place + 1);
        for answer in &hop.answers {
            let expired =
                matches!(answer.kind, None | Some(ReplyKind::TimeExceeded)) && answer.mark.is_none();
            if let Some(here) = met.get_mut(place) {
                *here = match *here {
                    _ if !expired => Met::Other,
                    known if answer.node.is_unknown() => known,
                    Met::Silent => Met::Router(&answer.node),
                    Met::Router(known) if known.same_as(&answer.node) == Some(true) => *here,
                    _ => Met::Other,
                };
            }
        }
    }
    met.truncate(end);
    met
}

/// The shortest round that the last TTLs repeat at least twice.
fn in_rounds<'a>(met: &[Met<'a>]) -> Option<RoutingLoop<'a>> {
    (2..=met.len() / 2).find_map(|length| {
        let (round, start) = round_of(met, length)?;
        Some(RoutingLoop {
            round,
            first_ttl: u8::try_from(start).ok()?,
            last_ttl: u8::try_from(met.len() - 1).ok()?,
        })
    })
}

/// Goes back from the end for as long as every router is the one of `length` TTLs later: one round, and where the first began.
fn round_of<'a>(met: &[Met<'a>], length: usize) -> Option<(Vec<Option<&'a Node>>, usize)> {
    let mut places: Vec<(Option<&Node>, usize)> = vec![(None, 0); length];
    let mut start = met.len();
    for (ttl, here) in met.iter().enumerate().rev() {
        let place = places.get_mut(ttl % length)?;
        match (*here, place.0) {
            (Met::Silent, _) => continue,
            (Met::Router(node), Some(known)) if node.same_as(known) != Some(true) => break,
            (Met::Router(node), _) => *place = (Some(node), place.1 + 1),
            (Met::Other, _) => break,
        }
        start = ttl;
    }
    let twice =
        met.len() - start >= 2 * length && places.iter().all(|(node, times)| node.is_none() || *times > 1);
    places.rotate_left(start % length);
    let round: Vec<Option<&Node>> = places.into_iter().map(|(node, _)| node).collect();
    let mut routers = round.iter().flatten();
    let first = routers.next()?;
    let several = routers.any(|other| first.same_as(other) == Some(false));
    (twice && several).then_some((round, start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TraceAnswer, TraceHop};

    fn node(letter: char) -> Node {
        match letter {
            'd' => Node::named("destination"),
            letter => std::net::IpAddr::from([192, 0, 2, letter as u8]).into(),
        }
    }

    /// A hop a word: `-` is silent, a letter a router that answers, several letters several routers.
    fn trace(hops: &str) -> Trace {
        let answers = |word: &str| {
            let letters = word.chars().filter(|letter| *letter != '-');
            let answer = |letter| TraceAnswer {
                node: node(letter),
                ..TraceAnswer::default()
            };
            letters.map(answer).collect()
        };
        let hops = (1..).zip(hops.split_whitespace()).map(|(ttl, word)| TraceHop {
            ttl,
            answers: answers(word),
            unanswered: 0,
        });
        Trace {
            to: node('d'),
            flows: vec![TraceFlow::of(hops.collect())],
            ..Trace::default()
        }
    }

    fn told(hops: &str) -> Option<String> {
        trace(hops).routing_loop().map(|found| found.to_string())
    }

    #[test]
    fn the_same_routers_over_and_over_are_a_loop() {
        for (hops, first, last, round) in [
            ("x y a b a b a b a b a b", 3, 12, "ab"),
            ("a b a b", 1, 4, "ab"),
            ("x a b c a b c a", 2, 8, "abc"),
            // Routers that answer so seldom are silent now and then, at the end as well.
            ("x a b a - a b - b a b - - -", 2, 11, "ab"),
            ("x a - b a - b a - b - -", 2, 10, "a-b"),
            // One of them answers for two TTLs each time.
            ("x a a b a a b a a b", 2, 10, "aab"),
            ("xy z a b a b a b", 3, 8, "ab"),
        ] {
            let trace = trace(hops);
            let found = trace
                .routing_loop()
                .unwrap_or_else(|| panic!("no loop in {hops}"));
            assert_eq!((found.first_ttl, found.last_ttl), (first, last), "{hops}");
            let expected: Vec<Node> = round.chars().filter(|c| *c != '-').map(node).collect();
            let routers: Vec<Node> = found.round.iter().flatten().map(|node| (*node).clone()).collect();
            assert_eq!((routers, found.round.len()), (expected, round.len()), "{hops}");
        }
        assert_eq!(
            told("x a - b a - b").unwrap(),
            "a routing loop: hops 2 to 7 are 192.0.2.97, a silent one and 192.0.2.98 in turn"
        );
    }

    #[test]
    fn what_comes_again_by_chance_is_none() {
        for hops in [
            "",
            "x",
            "- - - -",
            "x y z d",
            // A router that forwards what it should drop; a firewall that answers for all behind it.
            "x a a y z",
            "x a a a a a a a a a",
            "x a - a - a - a",
            // The destination answers early, or by turns with a silence.
            "x y d d d d",
            "a d a d a d",
            // Ways of different lengths.
            "x a b a y z",
            "x a b a",
            "a b a b y z",
            // Several routers at a hop: load balancing.
            "x ab ab ab ab",
            "x ac b ac b",
            // Round once and a half.
            "x a b c a b",
            "x a b a - -",
        ] {
            assert_eq!(told(hops), None, "{hops}");
        }
    }

    #[test]
    fn who_reached_the_destination_went_in_no_loop() {
        let looping = trace("x a b a b a b");
        let mut reached = looping.clone();
        reached.reached = Some(true);
        let mut by_ttl = looping.clone();
        by_ttl.flows[0].reached_ttl = Some(9);
        let mut prohibited = looping.clone();
        prohibited.flows[0].hops[6].answers[0].kind = Some(ReplyKind::Unreachable { code: 13 });
        let mut marked = looping.clone();
        marked.flows[0].hops[6].answers[0].mark = Some("!X".to_owned());
        for other in [reached, by_ttl, prohibited, marked] {
            assert_eq!(other.routing_loop(), None);
        }
        // Other flows were not caught.
        let mut one_of_two = looping.clone();
        one_of_two.flows.insert(0, trace("x y z").flows.remove(0));
        assert!(one_of_two.routing_loop().is_some());
    }

    #[test]
    fn hops_in_any_order_and_number_are_borne() {
        let mut hostile = trace("a b a b a b");
        hostile.flows[0].hops.reverse();
        assert!(hostile.routing_loop().is_some());
        let more: Vec<TraceHop> = hostile.flows[0]
            .hops
            .iter()
            .cycle()
            .take(100_000)
            .cloned()
            .collect();
        hostile.flows[0].hops = more;
        for (ttl, hop) in (0..=u8::MAX).cycle().zip(&mut hostile.flows[0].hops) {
            hop.ttl = ttl;
        }
        let _ = hostile.routing_loop();
    }
}

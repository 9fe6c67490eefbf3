//! Cases about all pairs of hosts: random trees of routers with one link at fault, and nothing but the loss of each pair.
//!
//! Deterministic: losses are expectations rounded, and the trees are seeded.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use evidence::{
    Case, Complaint, Location, Node, NotMeasured, NotMeasuredReason, Observation, Payload, ProbeRow, Probes,
    Provenance, Timestamp, Trace, TraceAnswer, TraceFlow, TraceHop, Verdict, VerdictState, Way,
};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

/// A tree of routers with hosts at it. Nodes are numbered, hosts behind the routers.
struct Tree {
    parents: Vec<Option<usize>>,
    routers: usize,
}

/// A direction of a cable.
type Link = (usize, usize);

impl Tree {
    fn random(rng: &mut StdRng, routers: usize, hosts: usize) -> Self {
        let of_router = |router: usize, rng: &mut StdRng| (router > 0).then(|| rng.random_range(0..router));
        let mut parents: Vec<Option<usize>> = (0..routers).map(|router| of_router(router, rng)).collect();
        parents.extend((0..hosts).map(|_| Some(rng.random_range(0..routers))));
        Self { parents, routers }
    }

    fn hosts(&self) -> std::ops::Range<usize> {
        self.routers..self.parents.len()
    }

    fn up(&self, node: usize) -> Vec<usize> {
        std::iter::successors(Some(node), |node| self.parents[*node]).collect()
    }

    /// The nodes from one to another, both included.
    fn path(&self, from: usize, to: usize) -> Vec<usize> {
        let (up, mut down) = (self.up(from), self.up(to));
        let meet = *up.iter().find(|node| down.contains(node)).unwrap();
        let mut path: Vec<usize> = up.into_iter().take_while(|node| *node != meet).collect();
        path.push(meet);
        down.truncate(down.iter().position(|node| *node == meet).unwrap());
        path.extend(down.into_iter().rev());
        path
    }

    fn pairs(&self) -> Vec<(usize, usize)> {
        let all = self
            .hosts()
            .flat_map(|from| self.hosts().map(move |to| (from, to)));
        all.filter(|(from, to)| from != to).collect()
    }

    /// The pairs whose packets cross a link.
    fn across(&self, link: Link) -> BTreeSet<(usize, usize)> {
        let crosses = |(from, to): &(usize, usize)| {
            self.path(*from, *to)
                .windows(2)
                .any(|two| two == [link.0, link.1])
        };
        self.pairs().into_iter().filter(crosses).collect()
    }

    fn address(&self, node: usize) -> IpAddr {
        Ipv4Addr::new(10, 0, node as u8, 1).into()
    }

    fn node(&self, node: usize) -> Node {
        Node {
            name: (node >= self.routers).then(|| format!("h{node}")),
            address: Some(self.address(node)),
        }
    }

    fn trace(&self, from: usize, to: usize) -> Payload {
        let hop = |(ttl, node): (u8, &usize)| TraceHop {
            ttl,
            answers: vec![TraceAnswer {
                node: self.node(*node),
                rtt_ns: Some(1_000_000 * u64::from(ttl)),
                ..TraceAnswer::default()
            }],
            unanswered: 0,
        };
        let path = self.path(from, to);
        Payload::Trace(Trace {
            from: self.node(from),
            to: self.node(to),
            flows: vec![TraceFlow {
                reached_ttl: Some(path.len() as u8 - 1),
                ..TraceFlow::of((1..).zip(&path[1..]).map(hop).collect())
            }],
            reached: Some(true),
            ..Trace::default()
        })
    }

    fn probes(&self, from: usize, to: usize, sent: u64, lost: u64) -> Payload {
        Payload::Probes(Probes {
            from: self.node(from),
            destination: Some(self.node(to)),
            rows: vec![ProbeRow {
                way: Way::OneWay,
                to: self.node(to),
                size_bytes: Some(64),
                sent: Some(sent),
                received: Some(sent - lost),
                rate_pps: Some(40.0),
                ..ProbeRow::default()
            }],
            ..Probes::default()
        })
    }

    /// What the tools see where these links lose this share of packets.
    fn seen(&self, faults: &[(Link, f64)]) -> Vec<Observation> {
        let mut seen = Vec::new();
        for (from, to) in self.pairs() {
            let survive: f64 = faults
                .iter()
                .filter(|(link, _)| self.across(*link).contains(&(from, to)))
                .map(|(_, loss)| 1.0 - loss)
                .product();
            let lost = (800.0 * (1.0 - survive)).round() as u64;
            for payload in [self.trace(from, to), self.probes(from, to, 800, lost)] {
                let provenance = Provenance::measured(self.node(from), Timestamp(1), 1, "test");
                seen.push(Observation::new(provenance, payload));
            }
        }
        seen
    }

    /// Whether a stretch is on some way, with this link in it; and all links of it.
    fn stretch(&self, location: &Location) -> Option<Vec<Link>> {
        let Location::Link { before, after } = location else {
            return None;
        };
        self.pairs().into_iter().find_map(|(from, to)| {
            let path = self.path(from, to);
            let at =
                |address: Option<IpAddr>| path.iter().position(|node| Some(self.address(*node)) == address);
            let (before, after) = (at(before.address)?, at(after.address)?);
            (before < after).then(|| {
                path[before..=after]
                    .windows(2)
                    .map(|two| (two[0], two[1]))
                    .collect()
            })
        })
    }
}

fn judged(seen: impl IntoIterator<Item = Observation>) -> Verdict {
    let mut case = Case::new(Complaint::of_all("trees", Timestamp(0)));
    case.add_all(seen);
    diagnosis::judge(&case).rounds.remove(0)
}

#[test]
fn the_link_that_bad_pairs_share_is_found_in_random_trees() {
    let (mut exact, mut all) = (0, 0);
    for seed in 0..12 {
        let mut rng = StdRng::seed_from_u64(seed);
        let tree = Tree::random(&mut rng, 6, 8);
        let pairs = tree.pairs();
        let (from, to) = pairs[rng.random_range(0..pairs.len())];
        let path = tree.path(from, to);
        let at = rng.random_range(1..path.len());
        let link = (path[at - 1], path[at]);
        let loss = [0.01, 0.03, 0.2][rng.random_range(0..3)];
        let verdict = judged(tree.seen(&[(link, loss)]));
        let told = || format!("tree {seed}, {link:?} loses {loss}: {verdict:#?}");
        assert_eq!(verdict.state, VerdictState::Slow, "{}", told());
        assert_eq!(verdict.findings.len(), 1, "{}", told());
        let stretch = tree
            .stretch(&verdict.findings[0].location)
            .unwrap_or_else(|| panic!("{}", told()));
        assert!(stretch.contains(&link), "{stretch:?}; {}", told());
        let alike = |other: &Link| tree.across(*other) == tree.across(link);
        exact += usize::from(stretch.iter().all(alike));
        all += 1;
    }
    // Where it is wider than need be, it is right all the same.
    assert!(
        exact * 10 >= all * 9,
        "as narrow as the pairs allow in {exact} of {all}"
    );
}

#[test]
fn two_links_far_apart_are_both_found() {
    let mut rng = StdRng::seed_from_u64(5);
    let tree = Tree::random(&mut rng, 6, 8);
    let host = tree.hosts().start;
    let first = (host, tree.parents[host].unwrap());
    let other = tree
        .hosts()
        .find(|other| tree.parents[*other] != tree.parents[host])
        .unwrap();
    let second = (other, tree.parents[other].unwrap());
    let verdict = judged(tree.seen(&[(first, 0.05), (second, 0.02)]));
    for link in [first, second] {
        let named = |location: &Location| {
            tree.stretch(location)
                .is_some_and(|stretch| stretch.contains(&link))
        };
        assert!(
            verdict.findings.iter().any(|finding| named(&finding.location)),
            "{link:?}: {verdict:#?}"
        );
    }
}

#[test]
fn sound_links_are_not_named_and_what_is_missing_is_told() {
    let mut rng = StdRng::seed_from_u64(3);
    let tree = Tree::random(&mut rng, 5, 6);
    let mut seen = tree.seen(&[]);
    let sound = judged(seen.clone());
    assert_eq!(sound.state, VerdictState::Ok, "{sound:#?}");
    assert!(sound.findings.is_empty());
    // A packet or two are chance.
    let provenance = Provenance::measured(tree.node(tree.hosts().start), Timestamp(1), 1, "test");
    let (from, to) = tree.pairs()[0];
    seen.retain(|o| o.payload != tree.probes(from, to, 800, 0));
    seen.push(Observation::new(
        provenance.clone(),
        tree.probes(from, to, 800, 1),
    ));
    let chance = judged(seen.clone());
    assert!(chance.findings.is_empty(), "{chance:#?}");
    seen.retain(|o| o.payload != tree.probes(from, to, 800, 1));
    let ask = evidence::Ask::HopLoss {
        from: tree.node(from),
        to: tree.node(to),
        ttls: vec![64],
        count: 800,
        rate_pps: 40,
    };
    let not = NotMeasured {
        ask,
        reason: NotMeasuredReason::NoFarEnd,
        detail: "nobody answers".to_owned(),
    };
    seen.push(Observation::new(provenance, Payload::NotMeasured(not)));
    let missing = judged(seen);
    assert_eq!(missing.state, VerdictState::Inconclusive, "{missing:#?}");
    assert_eq!(missing.not_tested.len(), 1);
    assert!(missing.not_tested[0].why.contains("nobody answers"));
}

#[test]
fn without_a_measurement_nothing_is_said() {
    let tree = Tree::random(&mut StdRng::seed_from_u64(1), 3, 3);
    let traces = tree
        .seen(&[])
        .into_iter()
        .filter(|o| matches!(o.payload, Payload::Trace(_)));
    let verdict = judged(traces);
    assert_eq!(verdict.state, VerdictState::NotMeasured);
    assert!(verdict.findings.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn the_order_of_observations_does_not_matter(seed in 0u64..1_000, shuffle: u64) {
        let mut rng = StdRng::seed_from_u64(seed);
        let tree = Tree::random(&mut rng, 4, 5);
        let host = tree.hosts().start;
        let mut seen = tree.seen(&[((host, tree.parents[host].unwrap()), 0.03)]);
        let first = judged(seen.clone());
        let mut rng = StdRng::seed_from_u64(shuffle);
        for at in (1..seen.len()).rev() {
            seen.swap(at, rng.random_range(0..=at));
        }
        prop_assert_eq!(judged(seen), first);
    }
}

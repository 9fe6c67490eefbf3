//! Cases about all pairs of hosts: random trees of routers with one link at fault, and nothing but the loss of each pair.
//!
//! Deterministic: losses are expectations rounded, and the trees are seeded.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "common/trees.rs"]
mod trees;

use evidence::{
    Case, Complaint, Location, NotMeasured, NotMeasuredReason, Observation, Payload, Provenance, Timestamp,
    Verdict, VerdictState,
};
use proptest::prelude::*;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use trees::{Link, Tree};

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

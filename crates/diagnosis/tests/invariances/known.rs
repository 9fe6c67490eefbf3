//! Where an invariance does not hold yet: counted, and printed with what happens. Each is to go.

use crate::subjects::Subject;

const COPIES: &str = "the rules over counters along a path count each copy as a measurement of its own";
const HIDDEN: &str =
    "a fast transfer hides a black hole that it does not feel; without its record the sizes speak";
const SNAPSHOTS: &str =
    "copies of a snapshot of counters, added on later days, pass for later readings in which nothing grew";
const OTHERS: &str = "worlds in which the strangers have a fault of their own as well are counted apart, and take from the \
    share of the same cause alone: an answer near the least that is told falls under it";
const ALONE: &str = "one wrong record of a path that few others tell of outweighs them";

/// (invariance, subject, why).
const KNOWN: &[(&str, &str, &str)] = &[
    ("dropped", "scenario receiver-has-mtu-1500", HIDDEN),
    ("copies", "scenario counted-loss-on-the-way-back", COPIES),
    ("copies", "scenario one-test-lost-one-packet", COPIES),
    ("copies", "scenario receiver-drops-in-one-test", COPIES),
    ("later copies", "scenario counted-loss-on-the-way-back", COPIES),
    ("later copies", "scenario one-test-lost-one-packet", COPIES),
    ("later copies", "scenario receiver-drops-in-one-test", COPIES),
    (
        "later copies",
        "scenario interface-counts-checksum-errors",
        SNAPSHOTS,
    ),
    ("strangers", "scenario healthy-without-expectation", OTHERS),
    ("strangers", "scenario loss-too-small-to-matter", OTHERS),
    ("strangers", "scenario loss-on-the-way-back", OTHERS),
    ("strangers", "scenario drops-in-the-receiving-socket", OTHERS),
    (
        "strangers",
        "scenario loss-beside-drops-in-the-receiving-socket",
        OTHERS,
    ),
    ("strangers", "scenario link-100m", OTHERS),
    ("strangers", "scenario link-100m-without-idle-echo", OTHERS),
    ("strangers", "scenario link-100m-nobody-expects-more", OTHERS),
    ("strangers", "world 9 mtu-silent", OTHERS),
    ("contradicted", "scenario healthy-without-expectation", ALONE),
    (
        "contradicted",
        "scenario processor-limits-without-expectation",
        ALONE,
    ),
    ("contradicted", "scenario no-far-end", ALONE),
    ("contradicted", "scenario icmp-filtered-single-ended", ALONE),
    ("contradicted", "scenario ipv6-cannot-tell", ALONE),
    ("contradicted", "scenario one-probe-per-size", ALONE),
    ("contradicted", "scenario nrao-2021-170ms", ALONE),
    ("contradicted", "scenario nrao-2021-single-ended", ALONE),
    ("contradicted", "scenario nrao-2021-falls-back", ALONE),
    ("contradicted", "scenario ipv6-unusual-threshold", ALONE),
    ("contradicted", "scenario link-100m-nobody-expects-more", ALONE),
    ("contradicted", "world 1 red-herrings", ALONE),
    (
        "contradicted",
        "twin pmtud-icmp-filtered, users and operators",
        ALONE,
    ),
    ("contradicted", "world 16 receiver-drops", ALONE),
];

/// Compares what fails with what is known to.
#[track_caller]
pub(crate) fn hold(invariance: &str, subjects: &[Subject], failures: &[(String, String)]) {
    let known: Vec<_> = KNOWN.iter().filter(|known| known.0 == invariance).collect();
    let mut wrong = String::new();
    for (subject, what) in failures {
        match known.iter().find(|known| known.1 == subject) {
            Some((_, _, why)) => println!("{invariance}, {subject}: KNOWN not to hold ({why}): {what}"),
            None => wrong += &format!("{invariance}, {subject}:\n      {what}\n"),
        }
    }
    for (_, subject, _) in &known {
        assert!(
            subjects.iter().any(|one| one.name == *subject),
            "known.rs: no case is named {subject}"
        );
        if !failures.iter().any(|failure| failure.0 == *subject) {
            println!("{invariance}, {subject}: HOLDS NOW: take it off the list in known.rs");
        }
    }
    println!(
        "{invariance}: {} of {} cases are known not to hold",
        known.len(),
        subjects.len()
    );
    assert!(wrong.is_empty(), "\n{wrong}");
}

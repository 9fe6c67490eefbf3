//! Where an invariance does not hold yet: counted, and printed with what happens. Each is to go.

use crate::subjects::Subject;

const COPIES: &str = "the rules count each copy as a measurement of its own; the model takes copies for one";
const SNAPSHOTS: &str =
    "copies of a snapshot of counters, added on later days, pass for later readings in which nothing grew";
const OTHERS: &str = "worlds in which the strangers have a fault of their own as well are counted apart, and take from the \
    share of the same cause alone";
const ALONE: &str = "one table of probes with loss outweighs others of the same tool without";

/// (invariance, subject, why).
const KNOWN: &[(&str, &str, &str)] = &[
    ("copies", "scenario one-probe-per-size", COPIES),
    ("copies", "scenario mismatch-and-loss", COPIES),
    ("copies", "scenario counted-loss-on-the-way-back", COPIES),
    ("copies", "scenario one-test-lost-one-packet", COPIES),
    ("copies", "scenario receiver-drops-counted-by-its-kernel", COPIES),
    ("copies", "scenario receiver-drops-in-one-test", COPIES),
    ("later copies", "scenario one-probe-per-size", COPIES),
    ("later copies", "scenario mismatch-and-loss", COPIES),
    ("later copies", "scenario counted-loss-on-the-way-back", COPIES),
    ("later copies", "scenario one-test-lost-one-packet", COPIES),
    (
        "later copies",
        "scenario receiver-drops-counted-by-its-kernel",
        COPIES,
    ),
    ("later copies", "scenario receiver-drops-in-one-test", COPIES),
    (
        "later copies",
        "scenario interface-counts-checksum-errors",
        SNAPSHOTS,
    ),
    ("strangers", "scenario slow-reader", OTHERS),
    ("strangers", "scenario loss-without-udp", OTHERS),
    ("strangers", "scenario link-100m-plain-transfer-only", OTHERS),
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

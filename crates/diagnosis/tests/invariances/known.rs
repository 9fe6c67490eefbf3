//! Where an invariance does not hold yet: counted, and printed with what happens. Each is to go.

use crate::subjects::Subject;

const HIDDEN: &str =
    "a fast transfer hides a black hole that it does not feel; without its record the sizes speak";
const OTHERS: &str = "the places of strangers take a share of what is probable beforehand, and their transfers tell what is \
    usual: an answer near the least that is told falls under it, or rises above it";
const ALONE: &str = "one wrong record of a path that few others tell of outweighs them";

/// (invariance, why, subjects).
const KNOWN: &[(&str, &str, &[&str])] = &[
    ("dropped", HIDDEN, &["scenario receiver-has-mtu-1500"]),
    (
        "strangers",
        OTHERS,
        &[
            "scenario loss-too-small-to-matter",
            "scenario loss-on-the-way-back",
            "scenario link-100m",
            "world 9 mtu-silent",
            "scenario processor-limits",
            "scenario healthy-without-expectation",
        ],
    ),
    (
        "contradicted",
        ALONE,
        &[
            "scenario healthy-without-expectation",
            "scenario processor-limits-without-expectation",
            "scenario no-far-end",
            "scenario icmp-filtered-single-ended",
            "scenario ipv6-cannot-tell",
            "scenario sizes-not-probed",
            "scenario nrao-2021-single-ended",
            "scenario ipv6-unusual-threshold",
            "scenario link-100m-nobody-expects-more",
            "world 1 red-herrings",
            "twin pmtud-icmp-filtered, users and operators",
            "world 16 receiver-drops",
            "scenario receiver-drops-alone",
            "scenario loss-1e-3-at-20ms",
        ],
    ),
];

/// Compares what fails with what is known to.
#[track_caller]
pub(crate) fn hold(invariance: &str, subjects: &[Subject], failures: &[(String, String)]) {
    let of_it = KNOWN.iter().filter(|known| known.0 == invariance);
    let known: Vec<(&str, &str)> = of_it
        .flat_map(|(_, why, names)| names.iter().map(|name| (*name, *why)))
        .collect();
    let mut wrong = String::new();
    for (subject, what) in failures {
        match known.iter().find(|known| known.0 == subject) {
            Some((_, why)) => println!("{invariance}, {subject}: KNOWN not to hold ({why}): {what}"),
            None => wrong += &format!("{invariance}, {subject}:\n      {what}\n"),
        }
    }
    for (subject, _) in &known {
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

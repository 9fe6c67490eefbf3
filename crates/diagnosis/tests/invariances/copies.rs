//! The same record, handed in again and again.

use evidence::{Case, Observation, Provenance};

/// Each is there so many times.
const COPIES: u64 = 5;
const A_DAY_NS: i64 = 86_400_000_000_000;

/// Each record stands in five files.
pub(crate) fn out_of_other_files(case: &Case) -> Case {
    with_copies(case, |provenance, copy| {
        provenance.raw_sha256 = Some(format!("{copy:064x}"));
        provenance.raw_lines = Some((copy * 100, copy * 100 + 9));
        true
    })
}

/// Other people add the records again on later days, and nobody says when they were made. What we measured ourselves
/// always has its time.
pub(crate) fn at_other_import_times(case: &Case) -> Case {
    with_copies(case, |provenance, copy| {
        let is_own = provenance.raw_sha256.is_none() && provenance.tool.starts_with("slowpath");
        provenance.raw_sha256 = Some(format!("{copy:064x}"));
        provenance.at_is_import_time = true;
        provenance.at.0 += A_DAY_NS * copy as i64;
        !is_own
    })
}

fn with_copies(case: &Case, make: impl Fn(&mut Provenance, u64) -> bool) -> Case {
    let mut copied = case.clone();
    for observation in case.observations() {
        for copy in 1..COPIES {
            let mut provenance = observation.provenance.clone();
            provenance.was = None;
            if make(&mut provenance, copy) {
                copied.add(Observation::new(provenance, observation.payload.clone()));
            }
        }
    }
    copied
}

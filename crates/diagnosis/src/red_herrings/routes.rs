//! Differences between routes that catch the eye and do not matter: how many hops there are, and hops that come and go
//! on fast routes and on slow ones alike.

use crate::facts::Facts;
use crate::faults::words;
use evidence::{Location, RedHerring};
use std::collections::BTreeSet;

/// Hops named in a herring.
const SHOWN: usize = 4;

pub(super) fn find(facts: &Facts) -> Vec<RedHerring> {
    let routing = &facts.routing;
    let Some(contrast) = &routing.contrast else {
        return Vec::new();
    };
    let herring = |code: &str, seen: String, why_not: String| RedHerring {
        code: code.into(),
        seen,
        why_not,
        location: Location::Path,
        cites: routing.routes.cites.clone(),
    };
    let mut found = Vec::new();
    let (fast, slow) = (contrast.fast_length, contrast.slow_length);
    // All fast routes being shorter would fit the belief: then length misleads nobody.
    if fast != slow && fast.1 >= slow.0 {
        let span = |(least, most): (usize, usize)| match least == most {
            true => least.to_string(),
            false => format!("{least} to {most}"),
        };
        let seen = format!("fast routes have {} hops, slow ones {}", span(fast), span(slow));
        let (fast, slow) = (fast.1, slow.0);
        let why = format!(
            "a fast route has {fast} hops and a slow one {slow}: the number of hops tells nothing of their capacity"
        );
        found.push(herring("route-length", seen, why));
    }
    let hops = &contrast.shared_changing;
    if !hops.is_empty() {
        let met: BTreeSet<_> = routing.coincidences().map(|(_, change)| change).collect();
        let quiet = match routing.routes.changes.len() - met.len() {
            0 => String::new(),
            quiet => format!("; {quiet} changes of the route come without a step of the rate"),
        };
        let seen = format!("the route changes at {}", words::first_few(hops, SHOWN));
        let why = format!("fast routes and slow ones both cross them{quiet}");
        found.push(herring("route-change-common", seen, why));
    }
    found
}

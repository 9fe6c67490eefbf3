//! Differences between routes that catch the eye and do not matter: how many hops there are, and hops that come and go
//! on fast routes and on slow ones alike.

use crate::facts::Facts;
use crate::facts::records::routes_contrast::Contrast;
use crate::facts::records::routing::Routing;
use crate::faults::words;
use evidence::{Location, RedHerring};
use stats::Span;
use std::collections::BTreeSet;

/// Hops named in a herring.
const SHOWN: usize = 4;

pub(super) fn find(facts: &Facts) -> Vec<RedHerring> {
    let routing = &facts.routing;
    let Some(contrast) = &routing.contrast else {
        return Vec::new();
    };
    [length(routing, contrast), common(routing, contrast)]
        .into_iter()
        .flatten()
        .collect()
}

/// Fast routes are as long as slow ones, or longer.
fn length(routing: &Routing, contrast: &Contrast) -> Option<RedHerring> {
    let (fast, slow) = (contrast.fast_length, contrast.slow_length);
    // All fast routes being shorter would fit the belief: then length misleads nobody.
    (fast != slow && fast.1 >= slow.0).then(|| RedHerring {
        code: "route-length".into(),
        seen: format!("fast routes have {} hops, slow ones {}", span(fast), span(slow)),
        why_not: format!(
            "a fast route has {} hops and a slow one {}: the number of hops tells nothing of their capacity",
            fast.1, slow.0
        ),
        location: Location::Path,
        cites: routing.routes.cites.clone(),
    })
}

fn span((least, most): (usize, usize)) -> String {
    if least == most {
        least.to_string()
    } else {
        format!("{least} to {most}")
    }
}

/// Hops that are on some routes and not on others, with both kinds among the former; and changes without a step.
fn common(routing: &Routing, contrast: &Contrast) -> Option<RedHerring> {
    let hops = &contrast.shared_changing;
    let met: BTreeSet<Span> = routing.coincidences().map(|(_, change)| change.between).collect();
    let quiet = routing.routes.changes.len() - met.len();
    if hops.is_empty() {
        return None;
    }
    let steps = if quiet > 0 {
        format!("; {quiet} changes of the route come without a step of the rate")
    } else {
        String::new()
    };
    Some(RedHerring {
        code: "route-change-common".into(),
        seen: format!("the route changes at {}", words::first_few(hops, SHOWN)),
        why_not: format!("fast routes and slow ones both cross them{steps}"),
        location: Location::Path,
        cites: routing.routes.cites.clone(),
    })
}

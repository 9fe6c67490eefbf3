//! Links of which somebody states that they are lightly used: whatever is wrong there, a full queue it is not.

use crate::facts::Facts;
use evidence::{Location, Quantity, RedHerring};

/// On a link used less than this on average, queues are short even when traffic comes in bursts.
const LIGHT: f64 = 0.4;

pub(super) fn find(facts: &Facts) -> Vec<RedHerring> {
    let mut found: Vec<RedHerring> = facts
        .records
        .statements
        .iter()
        .filter(|statement| statement.what.quantity == Quantity::Utilisation)
        .filter_map(|statement| {
            let what = &statement.what;
            let most = what.range.map_or(what.value, |(_, high)| high.max(what.value));
            if !(0.0..LIGHT).contains(&most) {
                return None;
            }
            let subject = what.subject.as_deref().unwrap_or("a link on the path");
            Some(RedHerring {
                code: "lightly-used-link".into(),
                seen: format!("{subject}: used to {:.0} % (“{}”)", most * 100.0, what.text.trim()),
                why_not: "a link with so much room drops nothing for want of it: utilisation is not the cause, and does not \
                          speak against errors on that link"
                    .into(),
                location: Location::Path,
                cites: vec![statement.id.clone()],
            })
        })
        .collect();
    found.sort_by(|a, b| a.seen.cmp(&b.seen));
    found
}

//! The weighing of one round as a table, for people who want to see why.

use super::groups::groups;
use super::{Level, Posterior, answers, infer};
use crate::adapters::{Gathered, gather};
use evidence::Case;
use model::{Element, ElementId, Kind, Map, NodeId};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The measurements of a round, the most probable worlds, and the answers that follow, as text.
#[must_use]
pub fn worlds_table(case: &Case, round: u32) -> String {
    let Some(mut gathered) = gather(&case.complaint, &case.round(round).collect::<Vec<_>>()) else {
        return "no place is known by name or address\n".to_owned();
    };
    let mut text = String::new();
    for measurement in &gathered.measurements {
        let (from, to) = (
            name(&gathered.map, measurement.from),
            name(&gathered.map, measurement.to),
        );
        let _ = writeln!(
            text,
            "{from} -> {to}, {} elements: {:?}",
            measurement.out.len(),
            measurement.seen
        );
    }
    let posterior = infer(&mut gathered);
    let _ = writeln!(text, "ln gain {:.1}", posterior.ln_gain);
    for (faults, probability) in posterior.worlds.iter().take(14) {
        let faults: Vec<String> = faults
            .iter()
            .map(|fault| {
                format!(
                    "{:?} {:.4e} {} at {}",
                    fault.kind,
                    fault.value,
                    fault.kind.unit(),
                    place(&gathered.map, fault.element)
                )
            })
            .collect();
        let said = if faults.is_empty() {
            "nothing".to_owned()
        } else {
            faults.join(" and ")
        };
        let _ = writeln!(text, "{:6.2} %  {said}", probability * 100.0);
    }
    text += &by_group(&gathered, &posterior);
    for answer in answers(&mut gathered, &posterior) {
        let level = match answer.level {
            Level::Kind(kind) => format!("{kind:?}"),
            Level::Family(family) => format!("family {family:?}"),
            Level::Detour => "detour".to_owned(),
        };
        let places: Vec<String> = answer.place.iter().map(|id| place(&gathered.map, *id)).collect();
        let _ = writeln!(
            text,
            "ANSWER {level} {:.1} % on way {}: {} (value {:.3e})",
            answer.probability * 100.0,
            answer.on_way,
            places.join(" | "),
            answer.likeliest.value
        );
    }
    text
}

/// What each group of measurements gains in the best world of each kind of fault over a world without any.
fn by_group(gathered: &Gathered, posterior: &Posterior) -> String {
    let mut text = String::new();
    let groups = groups(gathered);
    let mut told = BTreeSet::new();
    for (faults, _) in &posterior.worlds {
        let kinds: Vec<Kind> = faults.iter().map(|fault| fault.kind).collect();
        if kinds.is_empty() || told.len() == TOLD || !told.insert(kinds.clone()) {
            continue;
        }
        let _ = write!(text, "{kinds:?} at {}:", place(&gathered.map, faults[0].element));
        for group in &groups {
            let gain = group.ln_likelihood(faults) - group.ln_likelihood(&[]);
            if gain.abs() >= 0.1
                && let Some(first) = group.members.first()
            {
                let ends = (name(&gathered.map, first.from), name(&gathered.map, first.to));
                let _ = write!(
                    text,
                    " [{} of {} to {}: {gain:+.1}]",
                    group.members.len(),
                    ends.0,
                    ends.1
                );
            }
        }
        text.push('\n');
    }
    text
}

/// Kinds of worlds whose gains are told.
const TOLD: usize = 6;

fn name(map: &Map, node: NodeId) -> String {
    map.node(node).to_string()
}

fn place(map: &Map, element: ElementId) -> String {
    match map.element(element) {
        Element::Link { from, to, silent: 0 } => format!("[{} -> {}]", name(map, *from), name(map, *to)),
        Element::Link { from, to, silent } => {
            format!(
                "[{} -> {}, {silent} silent between]",
                name(map, *from),
                name(map, *to)
            )
        }
        Element::Stretch { from, to } => {
            format!("[somewhere from {} to {}]", name(map, *from), name(map, *to))
        }
        Element::Access { host, outbound: true } => format!("[out of {}]", name(map, *host)),
        Element::Access {
            host,
            outbound: false,
        } => format!("[into {}]", name(map, *host)),
        Element::Host(node) => name(map, *node),
        Element::Interface {
            device,
            name: interface,
            neighbour,
            input,
        } => {
            let side = if *input { "from" } else { "to" };
            format!(
                "{interface} of {} {side} {}",
                name(map, *device),
                name(map, *neighbour)
            )
        }
        Element::Segment { before, after } => format!("[counters {before} -> {after}]"),
    }
}

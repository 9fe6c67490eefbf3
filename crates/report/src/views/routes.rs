//! Which ways stand beside each other: the two directions of the complaint, traces that share hops, and the ways that one
//! route went over time with the rates under each.

use super::bands::{Bands, route_name};
use super::diagram::{Column, Diagram};
use super::measured::paths;
use super::path::{PathView, known_way};
use super::series::throughput_of;
use crate::names::Names;
use crate::subject::Subject;
use crate::table::Table;
use crate::words::{self, plural};
use evidence::{End, Observation, Payload, RateBps, RouteHistory, Verdict};
use std::collections::BTreeSet;

/// More columns than this cannot be compared by eye.
const MOST_COLUMNS: usize = 6;
/// Of more different ways than this in one round only the first are set side by side: each is held against each.
const MOST_WAYS: usize = 24;

/// Every diagram of a round as a table; `drawn` says that those of the two directions of the complaint are seen elsewhere.
pub(crate) fn tables(subject: &Subject, round: u32, verdict: Option<&Verdict>, drawn: bool) -> Vec<Table> {
    let (seen, names) = (subject.of_round(round), &subject.names);
    let histories = seen.iter().filter_map(|(number, o)| match &o.payload {
        Payload::RouteHistory(history) if !history.routes.is_empty() => Some((*number, *o, history)),
        _ => None,
    });
    let mut tables: Vec<Table> = histories
        .map(|(number, o, history)| history_table(number, o, history, &seen, names, verdict))
        .collect();
    let ways = paths(&seen, names);
    let groups = groups(&ways, names).into_iter();
    let groups = groups.filter(|group| !(drawn && is_complaint_alone(group)));
    tables.extend(groups.map(|group| group_table(group, names, verdict)));
    tables
}

/// The routes most in force, the one with the highest rates first; without rates the one longest in force.
fn history_table(
    number: usize,
    o: &Observation,
    history: &RouteHistory,
    seen: &[(usize, &Observation)],
    names: &Names,
    verdict: Option<&Verdict>,
) -> Table {
    let bands = Bands::new(history);
    let by_route = bands.medians(&throughput_of(seen, &history.from, &history.to, names));
    let times = bands.times_seen();
    let mut order: Vec<usize> = (0..history.routes.len()).collect();
    let often = |index: &usize| times.get(index).copied().unwrap_or(0);
    order.sort_by_key(|index| std::cmp::Reverse(often(index)));
    let left = order.split_off(order.len().min(MOST_COLUMNS));
    let rate = |index: &usize| by_route.get(index).map_or(0.0, |(median, _)| *median);
    order.sort_by(|a, b| {
        rate(b)
            .total_cmp(&rate(a))
            .then_with(|| often(b).cmp(&often(a)))
            .then(a.cmp(b))
    });
    let head = |index: usize| {
        let rate = by_route.get(&index);
        let rate =
            rate.map(|(median, n)| format!(", {} (median of {})", RateBps(*median), words::count(*n as u64)));
        let name = history.routes.get(index).map(|route| route_name(route, index));
        format!("{}{}", name.unwrap_or_default(), rate.unwrap_or_default())
    };
    let way = |index: &usize| Some((head(*index), known_way(number, history, *index, o, names)?));
    let ways: Vec<(String, PathView)> = order.iter().filter_map(way).collect();
    let columns = ways.iter().map(|(head, way)| Column::of_hops(way, head.clone()));
    let others = plural(
        left.len() as u64,
        "other route that was",
        "other routes that were",
    );
    let note = (!left.is_empty()).then(|| format!("{others} seen less often: in the observation."));
    let title = format!(
        "Ways that the route went, {}",
        names.pair(&history.from, &history.to)
    );
    Diagram::new(columns.collect(), names).table(title, note.into_iter().collect(), verdict)
}

/// Ways that belong together: those between the two ends of the complaint, and those that have hops in common.
fn groups<'a>(ways: &'a [PathView], names: &Names) -> Vec<Vec<&'a PathView>> {
    let mut groups: Vec<Vec<(&PathView, BTreeSet<u32>)>> = Vec::new();
    for way in ways.iter().filter(|way| way.note.is_none()).take(MOST_WAYS) {
        let routers = || way.hops.iter().flat_map(|hop| &hop.routers);
        let ids: BTreeSet<u32> = routers().filter_map(|node| Some(names.id(node)?.0)).collect();
        // One shared router is no shared path: every traced destination of a network shares its border.
        let together = |(other, theirs): &(&PathView, BTreeSet<u32>)| {
            (other.between_ends && way.between_ends) || theirs.intersection(&ids).count() >= 2
        };
        let (with, without): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group| group.iter().any(together));
        groups = without;
        groups.push(with.into_iter().flatten().chain([(way, ids)]).collect());
    }
    let ways = |group: Vec<(&'a PathView, _)>| -> Vec<&'a PathView> {
        let mut ways: Vec<&PathView> = group.into_iter().map(|(way, _)| way).collect();
        // The two directions of the complaint first; then in the order of the observations, whatever joined the groups.
        ways.sort_by_key(|way| {
            (
                !way.between_ends,
                way.starts_at.filter(|_| way.between_ends),
                way.shown_by.first(),
            )
        });
        ways
    };
    let groups = groups.into_iter().map(ways);
    groups
        .filter(|group| group.len() > 1 || group.iter().any(|way| way.between_ends))
        .collect()
}

/// Whether a group holds one way there, one back, or both, and nothing else.
fn is_complaint_alone(group: &[&PathView]) -> bool {
    let starts: BTreeSet<Option<End>> = group.iter().map(|way| way.starts_at).collect();
    group.iter().all(|way| way.between_ends) && starts.len() == group.len()
}

fn group_table(mut group: Vec<&PathView>, names: &Names, verdict: Option<&Verdict>) -> Table {
    let left = group.split_off(group.len().min(MOST_COLUMNS)).len() as u64;
    let title = match group.as_slice() {
        [one] => format!("The route, {}", one.pair),
        _ => "Routes side by side".to_owned(),
    };
    // The way back is laid beside the way there, so both read in one direction.
    let columns = group
        .into_iter()
        .map(|way| Column::new(way, way.starts_at == Some(End::To)));
    let diagram = Diagram::new(columns.collect(), names);
    let untraced = diagram.untraced().map(untraced_words);
    let more = plural(left, "more trace", "more traces");
    let more = (left > 0).then(|| format!("{more} that share hops with these: in the observations."));
    let notes = untraced.chain(more).collect();
    diagram.table(title, notes, verdict)
}

/// What is to be said of a way between the two ends that nothing shows.
pub(crate) fn untraced_words(end: End) -> String {
    let (from, to) = (words::end(end), words::end(end.other()));
    format!("No trace shows the way from the {from} to the {to}.")
}

/// The diagrams to draw: the ways between the two ends in both directions, and those on which a located place is; with none
/// of them the first way known, which is better than none. Each way is drawn with one back where one is known.
pub(crate) fn drawn<'a>(
    ways: &'a [PathView],
    names: &Names,
    verdict: &Verdict,
    most: usize,
) -> Vec<Diagram<'a>> {
    let is_on = |way: &'a PathView| {
        let alone = Diagram::new(vec![Column::new(way, false)], names);
        !alone.faults(verdict).is_empty()
    };
    let mut order: Vec<(bool, &PathView)> = ways.iter().map(|way| (is_on(way), way)).collect();
    order.sort_by_key(|(is_on, way)| (!is_on, !way.between_ends, way.starts_at, way.shown_by.first()));
    let worth = order
        .iter()
        .filter(|(is_on, way)| *is_on || way.between_ends)
        .count();
    let (mut done, mut diagrams) = (BTreeSet::new(), Vec::new());
    for (index, (_, way)) in order.iter().enumerate().take(worth.max(1)) {
        if done.contains(&index) || diagrams.len() >= most {
            continue;
        }
        let back = names.pair(&way.destination, &way.source);
        let others =
            || (0..order.len()).filter(|n| order.get(*n).is_some_and(|(_, other)| other.pair == back));
        // One that is not drawn yet rather than the same again.
        let other = others().find(|n| !done.contains(n)).or_else(|| others().next());
        done.extend([Some(index), other].into_iter().flatten());
        let other = other.and_then(|n| order.get(n)).map(|(_, way)| *way);
        let (down, up) = match way.between_ends && way.starts_at == Some(End::To) {
            true => (other, Some(*way)),
            false => (Some(*way), other),
        };
        let down = down.map(|way| Column::new(way, false));
        let columns = down.into_iter().chain(up.map(|way| Column::new(way, true)));
        diagrams.push(Diagram::new(columns.collect(), names));
    }
    diagrams
}

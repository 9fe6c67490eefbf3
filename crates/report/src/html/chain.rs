//! Counter chains as pictures: a row of numbered points per test, red where packets went missing between two of them.

use super::chart::px;
use super::links::links;
use super::table;
use crate::subject::Subject;
use crate::views::chain::{ChainGroup, ChainTest, groups};
use crate::views::steps::{Since, Step, fewer};
use crate::words;
use evidence::Verdict;
use maud::{Markup, html};

/// Drawing units between two points.
const STEP: f64 = 56.0;
const ROW: f64 = 48.0;
/// Room on the left for the test's name.
const LEFT: f64 = 64.0;

pub(super) fn section(subject: &Subject, verdict: &Verdict) -> Markup {
    html! {
        @for group in groups(subject, verdict.round) {
            @let table = group.table(Some(verdict));
            h3 { (table.title) " " (links(&table.cites)) }
            (strip(&group, verdict))
            (table::untitled(&table, "counts"))
        }
    }
}

fn strip(group: &ChainGroup, verdict: &Verdict) -> Markup {
    let shown: Vec<usize> = (0..group.points.len()).filter(|n| group.is_shown(*n)).collect();
    let width = LEFT + STEP * shown.len() as f64;
    let height = 22.0 + ROW * group.tests.len() as f64;
    let x = |place: usize| LEFT + STEP * (place as f64 + 0.5);
    let suspect = |index: usize| group.finding_before(Some(verdict), index).is_some();
    html! {
        figure {
            p.legend {
                span { i.swatch.lost {} "packets missing since the point before" }
                span { i.swatch.more {} "counters that contradict each other: one of them is wrong" }
                span { i.swatch.gap {} "not counted, or counts nothing" }
            }
            div.scroll tabindex="0" role="group" aria-label="counter chain" {
                svg.strip viewBox={ "0 0 " (px(width)) " " (px(height)) } width=(px(width)) role="img"
                    aria-label={ "packets counted at " (shown.len()) " points, " (group.pair) } {
                    @for (place, index) in shown.iter().enumerate() {
                        @if place > 0 && suspect(*index) {
                            rect.suspect x=(px(x(place - 1))) width=(px(STEP)) y="0" height=(px(height)) {}
                        }
                    }
                    @for (place, index) in shown.iter().enumerate() {
                        text x=(px(x(place))) y="12" text-anchor="middle" { (index + 1) }
                    }
                    @for (n, test) in group.tests.iter().enumerate() {
                        (row(group, test, &shown, 22.0 + ROW * (n as f64 + 0.62), x))
                    }
                }
            }
            p.soft.small { "The numbers above the points are those of the table below." }
        }
    }
}

fn row(group: &ChainGroup, test: &ChainTest, shown: &[usize], y: f64, x: impl Fn(usize) -> f64) -> Markup {
    let steps: Vec<(usize, Step)> = shown
        .iter()
        .enumerate()
        .filter_map(|(place, index)| Some((place, *test.steps.get(*index)?)))
        .collect();
    // "Test 1: 16:44 GMT, TCP": what stands before the colon names it, and the table has the rest.
    let name = test.chain.label.split(": ").next().unwrap_or_default();
    let label: String = name.chars().take(9).collect();
    html! {
        text.strong x="0" y=(px(y + 4.0)) { (label) }
        @for (place, step) in steps.iter().filter(|(place, _)| *place > 0) {
            @let (left, right) = (x(place - 1), x(*place));
            @let [_, line, words] = classes(&step.since);
            line.(line) x1=(px(left)) x2=(px(right)) y1=(px(y)) y2=(px(y)) {}
            @if let Some(text) = drop_words(&step.since) {
                text.halo.(words) x=(px((left + right) / 2.0)) y=(px(y - 10.0)) text-anchor="middle" { (text) }
            }
        }
        @for (place, step) in &steps {
            @let [point, ..] = classes(&step.since);
            circle.(point) cx=(px(x(*place))) cy=(px(y)) r="5" { title { (says(group, shown, *place, step)) } }
        }
    }
}

/// The classes of a point, of the line before it, and of the words on that line.
fn classes(since: &Since) -> [&'static str; 3] {
    match since {
        Since::Same => ["point", "seg", ""],
        Since::First => ["point", "seg gap", ""],
        Since::Fewer { .. } => ["point", "seg lost", "tone-bad"],
        Since::More { .. } | Since::Doubtful { .. } => ["point more", "seg more", "tone-warn"],
        Since::Missing | Since::Zero => ["point gap", "seg gap", ""],
    }
}

fn drop_words(since: &Since) -> Option<String> {
    match since {
        Since::Fewer { lost, .. } => Some(format!("-{}", words::count(*lost))),
        Since::Doubtful { lost } => Some(format!("-{}?", words::count(*lost))),
        Since::More { more, .. } => Some(format!("+{}", words::count(*more))),
        _ => None,
    }
}

/// What the pointer shows.
fn says(group: &ChainGroup, shown: &[usize], place: usize, step: &Step) -> String {
    let point = shown.get(place).and_then(|index| group.points.get(*index));
    let name = point.map_or(String::new(), |point| {
        format!("{}: {}", point.network, point.description)
    });
    let count = step.packets.map_or("not counted".to_owned(), |n| {
        format!("{} packets", words::count(n))
    });
    match step.since {
        Since::Fewer { lost, of } => format!("{name}: {count} ({})", fewer(lost, of)),
        _ => format!("{name}: {count}"),
    }
}

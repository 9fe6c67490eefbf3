//! A quantity over time on bands of colour that say which route was in force, with what people did.

use super::chart::px;
use super::links::links;
use super::series_axis::{Scale, time_ticks};
use super::table;
use super::values::{self, Values};
use crate::subject::Subject;
use crate::views::bands::{Band, Bands, Point, route_name};
use crate::views::series::{drawn, history_of, tables, value_words};
use crate::words;
use evidence::{JournalEntry, Payload, Series, Timestamp};
use maud::{Markup, html};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Drawing units: CSS pixels at the width of a desk's screen; narrower pages scroll inside the figure.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 220.0;
/// Room on the left for the values' labels.
const LEFT: f64 = 76.0;
/// Room above for the numbers of interventions.
const HEAD: f64 = 16.0;
/// So many routes get a colour of their own; the rest share grey.
const COLOURS: usize = 6;

/// The figures of a round's series.
pub(super) fn figures(subject: &Subject, round: u32) -> Markup {
    let seen = subject.of_round(round);
    let names = &subject.names;
    let all = seen.iter().filter_map(|(number, o)| match &o.payload {
        Payload::Series(series) => Some((*number, series)),
        _ => None,
    });
    html! {
        @for (number, series) in all {
            @let history = history_of(&seen, series, names);
            h3 {
                (words::capital(words::metric(series.metric))) ", " (names.pair(&series.from, &series.to)) " "
                (links(&[Some(number), history.map(|(n, _)| n)].into_iter().flatten().collect::<Vec<_>>()))
            }
            (figure(subject, series, history.map(|(_, history)| Bands::new(history)).as_ref()))
        }
        @for bands in tables(subject, round) { (table::titled(&bands, "")) }
    }
}

fn figure(subject: &Subject, series: &Series, bands: Option<&Bands>) -> Markup {
    let shown = drawn(&series.points);
    let points = || shown.runs.iter().flatten();
    let (Some(first), Some(last)) = (points().next(), points().next_back()) else {
        return html! { p.soft { "No value in it can be drawn." } };
    };
    let frame = Frame {
        from: first.0,
        until: last.0,
        values: Scale::over(points().map(|(_, value)| *value)),
    };
    let colours = bands.map(colours).unwrap_or_default();
    let journal = interventions(subject, &frame);
    let about = format!(
        "{}, {}",
        words::metric(series.metric),
        subject.names.pair(&series.from, &series.to)
    );
    html! {
        div.charted {
        figure data-table="0" data-column="1" data-height=(HEIGHT) {
            @if let Some(bands) = bands { (legend(bands, series, &colours)) }
            div.scroll tabindex="0" role="group" aria-label={ "chart of " (about) } {
                svg.wide viewBox={ "0 0 " (WIDTH) " " (HEIGHT + 36.0) } role="img"
                    aria-label={ (words::metric(series.metric)) " from " (words::minute(frame.from)) " to " (words::minute(frame.until)) " UTC" } {
                    @if let Some(bands) = bands { (draw_bands(bands, &colours, &frame)) }
                    (frame.gridlines(series))
                    @for run in &shown.runs { (draw_run(run, &frame)) }
                    @for (index, entry) in journal.iter().enumerate() { (draw_entry(index + 1, entry, &frame)) }
                    (frame.time_axis())
                }
            }
            @if frame.values.logarithmic { p.soft.small { "The scale is logarithmic." } }
            @if let Some(thinned) = &shown.thinned { p.soft.small { (thinned) "." } }
            @if !journal.is_empty() {
                ol.marks { @for (index, entry) in journal.iter().enumerate() { li { b { (index + 1) } " " (words::journal_line(entry)) } } }
            }
        }
        (values::behind(&about, &[behind(series, points().copied().collect(), &frame)]))
        }
    }
}

/// The values that are drawn, or each so-manieth.
fn behind<'a>(series: &Series, points: Vec<Point>, frame: &Frame) -> Values<'a> {
    let every = points.len().div_ceil(values::MOST_ROWS).max(1);
    let told = || points.iter().step_by(every);
    let value = |(_, value): &Point| Some(value_words(series.metric, *value));
    Values {
        time: "UTC",
        rows: told().map(|(at, _)| (frame.x(*at), words::when(*at))).collect(),
        columns: vec![("value", told().map(value).collect())],
    }
}

/// Where values and times lie on the drawing.
struct Frame {
    from: Timestamp,
    until: Timestamp,
    values: Scale,
}

impl Frame {
    fn x(&self, at: Timestamp) -> f64 {
        let span = (self.until.0 as f64 - self.from.0 as f64).max(1.0);
        let share = (at.0 as f64 - self.from.0 as f64) / span;
        LEFT + share.clamp(0.0, 1.0) * (WIDTH - LEFT - 4.0)
    }

    fn y(&self, value: f64) -> f64 {
        HEAD + (1.0 - self.values.share(value)) * (HEIGHT - HEAD)
    }

    fn gridlines(&self, series: &Series) -> Markup {
        html! {
            @for level in self.values.levels() {
                @let y = px(self.y(level));
                line.gridline x1=(px(LEFT)) x2=(px(WIDTH)) y1=(y) y2=(y) {}
                text x=(px(LEFT - 6.0)) y=(px(self.y(level) + 4.0)) text-anchor="end" { (value_words(series.metric, level)) }
            }
            line.base x1=(px(LEFT)) x2=(px(WIDTH)) y1=(HEIGHT) y2=(HEIGHT) {}
        }
    }

    fn time_axis(&self) -> Markup {
        html! {
            @for (at, label) in time_ticks(self.from, self.until) {
                @let x = px(self.x(at));
                line.base x1=(x) x2=(x) y1=(HEIGHT) y2=(HEIGHT + 4.0) {}
                @let anchor = if self.x(at) > WIDTH - 40.0 { "end" } else { "middle" };
                text x=(x) y=(HEIGHT + 17.0) text-anchor=(anchor) { (label) }
            }
            text x=(px(WIDTH)) y=(HEIGHT + 33.0) text-anchor="end" { "UTC" }
        }
    }
}

/// The colour of each route: the ones most in force have their own.
fn colours(bands: &Bands) -> BTreeMap<usize, usize> {
    let times = bands.times_seen();
    let mut order: Vec<(usize, usize)> = times.into_iter().map(|(route, n)| (n, route)).collect();
    order.sort_by_key(|(n, route)| (std::cmp::Reverse(*n), *route));
    let coloured = order.into_iter().take(COLOURS).enumerate();
    coloured.map(|(colour, (_, route))| (route, colour)).collect()
}

fn colour_class(colours: &BTreeMap<usize, usize>, route: usize) -> String {
    colours
        .get(&route)
        .map_or_else(|| "band other".to_owned(), |n| format!("band b{n}"))
}

fn legend(bands: &Bands, series: &Series, colours: &BTreeMap<usize, usize>) -> Markup {
    let medians = bands.medians(&series.points);
    let mut routes: Vec<(usize, usize)> = colours.iter().map(|(route, colour)| (*colour, *route)).collect();
    routes.sort_unstable();
    let others = bands.times_seen().len().saturating_sub(routes.len());
    html! {
        p.legend {
            @for (colour, route) in routes {
                span {
                    i.swatch.(format!("b{colour}")) {}
                    @if let Some(known) = bands.history.routes.get(route) { (route_name(known, route)) }
                    @if let Some((median, n)) = medians.get(&route) {
                        ", median of " (words::count(*n as u64)) ": " (value_words(series.metric, *median))
                    }
                }
            }
            @if others > 0 { span { i.swatch.other {} (words::plural(others as u64, "other route", "other routes")) } }
        }
    }
}

fn draw_bands(bands: &Bands, colours: &BTreeMap<usize, usize>, frame: &Frame) -> Markup {
    let (shown, _) = bands.drawn();
    let inside = |band: &&Band| band.until >= frame.from && band.from <= frame.until;
    html! {
        @for band in shown.iter().filter(inside) {
            @let (left, right) = (frame.x(band.from), frame.x(band.until));
            rect class=(colour_class(colours, band.route)) x=(px(left)) width=(px((right - left).max(0.5))) y=(HEAD) height=(px(HEIGHT - HEAD)) {
                title {
                    @if let Some(route) = bands.history.routes.get(band.route) { (route_name(route, band.route)) }
                    ", " (words::minute(band.from)) " to " (words::minute(band.until)) " UTC"
                }
            }
        }
    }
}

fn draw_run(run: &[Point], frame: &Frame) -> Markup {
    let (mut line, mut dots) = (String::new(), String::new());
    for (index, (at, value)) in run.iter().enumerate() {
        let (x, y) = (px(frame.x(*at)), px(frame.y(*value)));
        let _ = write!(line, "{}{x} {y}", if index == 0 { 'M' } else { 'L' });
        let _ = write!(dots, "M{x} {y}h0");
    }
    html! {
        @if run.len() > 1 { path.thread d=(line) {} }
        path.speck.dark d=(dots) {}
    }
}

fn interventions<'a>(subject: &Subject<'a>, frame: &Frame) -> Vec<&'a JournalEntry> {
    let inside = |entry: &&JournalEntry| frame.from <= entry.at && entry.at <= frame.until;
    let mut entries: Vec<&JournalEntry> = subject.case.journal.iter().filter(inside).collect();
    entries.sort_by_key(|entry| entry.at);
    entries.truncate(20);
    entries
}

fn draw_entry(number: usize, entry: &JournalEntry, frame: &Frame) -> Markup {
    let x = px(frame.x(entry.at));
    html! {
        line.done x1=(x) x2=(x) y1=(HEAD) y2=(HEIGHT) { title { (words::journal_line(entry)) } }
        text.strong x=(x) y="11" text-anchor="middle" { (number) }
    }
}

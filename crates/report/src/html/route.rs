//! The map of the path, drawn: both directions between the same two hosts with the located faults on it, and each hop's
//! round-trip times on the scale of its direction.

use super::links::{cites, links};
use super::rtt::{self, Scale};
use crate::subject::{self, Part, Subject};
use crate::views::diagram::{Diagram, Fault, Stop};
use crate::views::hop::HopView;
use crate::words;
use evidence::{End, Location, Node, ObservationId, Verdict};
use maud::{Markup, html};

/// The two directions on the page.
const ARROWS: [&str; 2] = ["↓", "↑"];

/// The map of one diagram.
pub(super) fn map(subject: &Subject, verdict: &Verdict, diagram: &Diagram) -> Markup {
    Map::new(subject, verdict, diagram).draw()
}

/// A diagram to draw, with at most one column in each direction.
struct Map<'a> {
    subject: &'a Subject<'a>,
    verdict: &'a Verdict,
    diagram: &'a Diagram<'a>,
    faults: Vec<Fault>,
    /// Down and up: the index of the column, where there is one.
    columns: [Option<usize>; 2],
    scales: [Option<Scale>; 2],
}

impl<'a> Map<'a> {
    fn new(subject: &'a Subject<'a>, verdict: &'a Verdict, diagram: &'a Diagram<'a>) -> Self {
        let columns = [false, true].map(|back| diagram.columns.iter().position(|column| column.back == back));
        let scale = |column: Option<usize>| Scale::over(diagram.columns.get(column?)?.way);
        Self {
            subject,
            verdict,
            faults: diagram.faults(verdict),
            columns,
            scales: columns.map(scale),
            diagram,
        }
    }

    fn draw(&self) -> Markup {
        let ways = self.diagram.columns.iter().map(|column| column.way);
        let mut numbers: Vec<usize> = ways.clone().flat_map(|way| way.numbers.iter().copied()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let class = ["bare", "single", "both"].get(self.scales.iter().flatten().count());
        html! {
            h3 { (self.title()) " " (links(&numbers)) }
            p.legend {
                span { "↓ ways down the page, ↑ ways up; a hop on both is one router, by its name, its address, or those of its links" }
                (rtt::legend(ways))
            }
            ol.route.(class.copied().unwrap_or_default()) {
                (self.heads())
                @for row in 0..self.diagram.rows.len() {
                    @for fault in self.boxes_before(row) { (self.fault_row(fault, row)) }
                    (self.row(row))
                }
            }
            @for way in self.diagram.columns.iter().map(|column| column.way).filter(|way| way.reached_ttl.is_none()) {
                p.soft { (way.destination) " does not appear: it never answered, or the record does not say." }
            }
        }
    }

    fn title(&self) -> String {
        let Some(way) = self.diagram.columns.first().map(|column| column.way) else {
            return String::new();
        };
        let mut title = match way.between_ends {
            true => {
                let names = [End::From, End::To].map(|end| self.subject.names.end(end));
                format!("Between the sender and the receiver, {}", names.join(" ↔ "))
            }
            false if self.diagram.columns.len() > 1 => way.pair.replace('→', "↔"),
            false => way.pair.clone(),
        };
        let notes = self
            .diagram
            .columns
            .iter()
            .filter_map(|column| column.way.note.as_ref());
        notes.for_each(|note| title += &format!(", {note}"));
        title
    }

    /// What the rails are, and the scales of the times.
    fn heads(&self) -> Markup {
        let from = |side: usize| {
            let way = self
                .columns
                .get(side)
                .and_then(|c| self.diagram.columns.get((*c)?))
                .map(|c| c.way);
            way.map(|way| match way.starts_at.filter(|_| way.between_ends) {
                Some(end) => format!("from the {}", words::end(end)),
                None => format!("from {}", self.subject.names.of(&way.source)),
            })
        };
        html! {
            li.heads {
                span.ttl { "↓" } span.rail {}
                span.who {
                    @for side in [0, 1] {
                        span { (arrow(side)) " " @match from(side) { Some(from) => (from), None => "not traced" } }
                    }
                }
                span.rail {} span.ttl { "↑" }
                @for (side, scale) in self.scales.iter().enumerate() {
                    @if let Some(scale) = scale { span.times { span.way { (arrow(side)) " RTT" } (scale.axis()) } }
                }
            }
        }
    }

    fn stops(&self, row: usize) -> [Option<Stop<'a>>; 2] {
        self.columns.map(|column| self.diagram.stop(row, column?))
    }

    fn row(&self, row: usize) -> Markup {
        let stops = self.stops(row);
        let suspect = self.faults.iter().any(|fault| fault.rows == (row, row));
        let end = self.is_end(row);
        let ttl = |side: usize| stops.get(side).copied().flatten().and_then(Stop::ttl);
        html! {
            li.endpoint[end].suspect[suspect].slow[suspect] {
                span.ttl { @if let Some(ttl) = ttl(0) { (ttl) } }
                (self.rail(0, row))
                span.who { (self.who(row)) (self.notes(row)) }
                (self.rail(1, row))
                span.ttl { @if let Some(ttl) = ttl(1) { (ttl) } }
                @for (side, scale) in self.scales.iter().enumerate() {
                    @if let Some(scale) = scale {
                        span.times {
                            @if let Some(Some(Stop::Hop(hop))) = stops.get(side) { span.way { (arrow(side)) } (scale.track(hop)) }
                        }
                    }
                }
            }
        }
    }

    /// Whether one of the two hosts stands on a row.
    fn is_end(&self, row: usize) -> bool {
        let is = |(column, stop): (Option<usize>, Option<Stop>)| match stop {
            Some(Stop::Hop(hop)) => {
                let way = column
                    .and_then(|column| self.diagram.columns.get(column))
                    .map(|c| c.way);
                way.is_some_and(|way| way.reached_ttl == Some(hop.ttl))
            }
            stop => stop.is_some(),
        };
        self.columns.into_iter().zip(self.stops(row)).any(is)
    }

    /// The line of a direction beside a row: with the hop, past hops of the other direction, or unknown.
    fn rail(&self, side: usize, row: usize) -> Markup {
        let stop = self.stops(row).get(side).copied().flatten();
        let last = self.diagram.rows.len().saturating_sub(1);
        let torn = self
            .faults
            .iter()
            .any(|fault| fault.hurts.get(side) == Some(&true) && fault.rows.0 < row && row < fault.rows.1);
        let silent = stop.is_some_and(|stop| stop.routers().is_empty());
        let unseen = matches!(stop, Some(Stop::Unseen(_)));
        html! {
            span.rail.first[row == 0].last[row == last].torn[torn].unknown[!self.is_known(side, row)].silent[silent || unseen] {
                @if stop.is_some() { b {} }
            }
        }
    }

    /// Whether records show the way beside a row: it does not end before.
    fn is_known(&self, side: usize, row: usize) -> bool {
        let column = self.columns.get(side).copied().flatten();
        let here = |row: usize| {
            matches!(self.diagram.stop(row, column?), Some(stop) if !matches!(stop, Stop::Unseen(_)))
                .then_some(())
        };
        (0..=row).any(|row| here(row).is_some())
            && (row..self.diagram.rows.len()).any(|row| here(row).is_some())
    }

    fn who(&self, row: usize) -> Markup {
        let stops = self.stops(row);
        let [down, up] = stops.map(|stop| stop.map(Stop::routers));
        // A host at an end is one, by whatever name or address a trace has it.
        let is_host = |stop: &Stop| matches!(stop, Stop::Start(_) | Stop::Unseen(_));
        let host = stops
            .into_iter()
            .position(|stop| stop.is_some_and(|stop| is_host(&stop)));
        let unseen = |side: usize| matches!(stops.get(side), Some(Some(Stop::Unseen(_))));
        let same = host.is_some() || (down.is_some() && down == up);
        let shown = stops.into_iter().enumerate();
        html! {
            @for (side, stop) in shown.filter(|(side, _)| !same || *side == host.unwrap_or(0)) {
                @if let Some(stop) = stop {
                    span.host.silent[stop.routers().is_empty()] {
                        @if !same && self.diagram.columns.len() > 1 { span.arrow { (arrow(side)) } " " }
                        (self.name(stop))
                        @for side in [0, 1] { @if unseen(side) { " " span.soft { (arrow(side)) " not seen" } } }
                    }
                }
            }
        }
    }

    fn name(&self, stop: Stop) -> Markup {
        html! {
            @match stop {
                Stop::Hop(hop) if hop.routers.is_empty() => {
                    "no answer" @if hop.sent > 0 { " to " (words::plural(u64::from(hop.sent), "probe", "probes")) }
                }
                Stop::Start(node) | Stop::Unseen(node) => (host(&self.subject.names.of(node), node)),
                Stop::Hop(hop) => @for (index, router) in hop.routers.iter().enumerate() {
                    @if index > 0 { br; "or " }
                    @let address = router.address.map(|address| address.to_string());
                    (host(&router.name.clone().or(address).unwrap_or_default(), router))
                }
            }
        }
    }

    /// What is remarkable about the hops of a row and not the cause; what holds in both directions is said once.
    fn notes(&self, row: usize) -> Markup {
        let stops = self.stops(row);
        let both = stops.iter().flatten().count() > 1;
        let notes = [0, 1].map(|side| match (stops.get(side), self.columns.get(side)) {
            (Some(Some(Stop::Hop(hop))), Some(Some(column))) => self.notes_of(*column, row, hop),
            _ => Vec::new(),
        });
        let [down, up] = &notes;
        html! {
            @for note in down {
                span.note { @if both && !up.contains(note) { (arrow(0)) " " } (note) }
            }
            @for note in up.iter().filter(|note| !down.contains(note)) {
                span.note { @if both { (arrow(1)) " " } (note) }
            }
        }
    }

    fn notes_of(&self, column: usize, row: usize, hop: &HopView) -> Vec<String> {
        let Some(column_of) = self.diagram.columns.get(column) else {
            return Vec::new();
        };
        let mut notes = hop.notes(column_of.way.largest_before(hop.ttl));
        let here = |location: &Location| match location {
            Location::Hop { hop } => {
                column_of
                    .position(hop)
                    .and_then(|stop| self.diagram.row_of(column, stop))
                    == Some(row)
            }
            _ => false,
        };
        let herrings = self
            .verdict
            .red_herrings
            .iter()
            .filter(|herring| here(&herring.location));
        notes.extend(herrings.map(|herring| format!("not the cause: {}", herring.why_not)));
        notes
    }

    /// The faults whose box stands before a row: those on the link or stretch that ends there, or begins before; and those
    /// at an interface of the row's router, which data reach from above.
    fn boxes_before(&self, row: usize) -> impl Iterator<Item = &Fault> {
        self.faults.iter().filter(move |fault| match fault.rows {
            (first, last) if first < last => first + 1 == row,
            (at, _) => {
                let finding = self.verdict.findings.get(fault.finding);
                at == row && finding.is_some_and(|f| matches!(f.location, Location::Interface { .. }))
            }
        })
    }

    fn fault_row(&self, fault: &Fault, row: usize) -> Markup {
        let Some(finding) = self.verdict.findings.get(fault.finding) else {
            return html! {};
        };
        let main = subject::part(self.verdict, fault.finding) == Part::Cause;
        let all: Vec<ObservationId> = finding
            .supports
            .iter()
            .flat_map(|a| a.cites.iter().cloned())
            .collect();
        let rail = |side: usize| {
            let hurt = fault.hurts.get(side) == Some(&true);
            let known = row
                .checked_sub(1)
                .is_some_and(|before| self.is_known(side, before))
                && self.is_known(side, row);
            html! { span.rail.hurt[hurt].unknown[!known].first[row == 0] {} }
        };
        html! {
            li.fault.minor[!main] {
                span.ttl {}
                (rail(0))
                span.where {
                    b { (finding.code) " " (words::percent(finding.confidence)) } ": " (finding.claim)
                    @if let Some((first, last)) = self.stretch(fault) { " (on one of the links from hop " (first) " to hop " (last) ")" }
                    (cites(self.subject, &all))
                }
                (rail(1))
            }
        }
    }

    /// The hop numbers at the ends of a fault's stretch, where that is more than one link.
    fn stretch(&self, fault: &Fault) -> Option<(u8, u8)> {
        let side = fault.hurts.iter().position(|hurts| *hurts)?;
        let ttl = |row: usize| (*self.stops(row).get(side)?)?.ttl();
        let (a, b) = (ttl(fault.rows.0)?, ttl(fault.rows.1)?);
        (a.abs_diff(b) > 1).then_some((a.min(b), a.max(b)))
    }
}

fn arrow(side: usize) -> &'static str {
    ARROWS.get(side).copied().unwrap_or_default()
}

/// A host as the report calls it, and its address beside a name.
fn host(name: &str, node: &Node) -> Markup {
    let address = node.address.map(|address| address.to_string());
    html! { (name) @if let Some(address) = address.filter(|address| address != name) { " " span.soft { (address) } } }
}

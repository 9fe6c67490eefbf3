//! A static picture for reports: the whole transfer, drawn from the boxes of the pyramid and, where those are too wide, from
//! the packets. Every mark is in it; those that would paint the same half of a unit are painted once.

mod axis;
mod panel;

use super::mark::{Mark, MarkKind};
use super::page::label_words;
use super::row::{AckedBounds, Row, SentBounds};
use super::series::{Series, TileCache};
use super::{Picture, units};
use crate::causes::Label;
use axis::Axis;
use maud::{Markup, PreEscaped, html};
use panel::{Frame, Line, Panel};
use std::collections::BTreeSet;

/// Boxes of each series in a picture.
const MOST_BOXES: usize = 4096;

/// Own colours: an SVG in a report has no style sheet to rely on. Those of the page by day.
const STYLE: &str = "text{font:11px system-ui,sans-serif;fill:#5b6470}.strong{font-weight:600;fill:#191d23}\
    path{fill:none;stroke-width:1}.data{stroke:#22303f}.ack{stroke:#0a7d5c}.window{stroke:#b07a00}.sack{stroke:#8a5cc7}\
    .bad{stroke:#d3301f;stroke-width:1.5}.rto{stroke:#b5007c;stroke-width:2}.odd{stroke:#1f78c8;stroke-width:1.5}\
    .pale{stroke:none;fill:#22303f;fill-opacity:.15}.hair{stroke:#eceff2}.base{stroke:#b9c1cb}\
    .application{fill:#1f78c8}.send-buffer{fill:#5b4bb5}.receiver-window{fill:#b07a00}.bottleneck{fill:#8fa0b3}\
    .loss-recovery{fill:#d3301f}.slow-start{fill:#0a7d5c}.path-mtu-stall{fill:#b5007c}.idle{fill:#dfe3e8}.unknown{fill:#7d8793}";

pub(super) fn draw(picture: &Picture, width: u32, height: u32) -> String {
    let (width, height) = (
        f64::from(width.clamp(200, 20_000)),
        f64::from(height.clamp(200, 20_000)),
    );
    let frame = Frame::new(picture.span_ns(), width);
    let boxes = Boxes::of(picture, &frame);
    let parts = [0.56, 0.16, 0.16];
    let room = height - 168.0;
    let mut top = 58.0;
    let mut place = |share: f64| {
        let here = top;
        top += room * share + 22.0;
        (here, room * share)
    };
    let (sequence, flight, rtt) = (place(parts[0]), place(parts[1]), place(parts[2]));
    let strip = top;
    let summary = &picture.summary;
    let markup = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) } role="img" {
            title { (summary.who()) ": " (summary.how()) }
            style { (PreEscaped(STYLE)) }
            rect width="100%" height="100%" fill="#ffffff" {}
            text.strong x="8" y="16" style="font-size:14px" { (summary.who()) }
            text x="8" y="33" { (summary.how()) " · " (units::utc(picture.origin_ns)) }
            (time_axis(&frame, 46.0, strip + 18.0))
            (boxes.sequence(picture, &frame, sequence))
            (boxes.flight(&frame, flight))
            (boxes.rtt(&frame, rtt))
            (causes(picture, &frame, strip))
            (legend(picture, &frame, height - 8.0))
        }
    };
    markup.into_string()
}

/// What the picture shows of both series; `true` where a box is wider than a unit and its packets are not kept.
struct Boxes {
    sent: Vec<(SentBounds, bool)>,
    acked: Vec<(AckedBounds, bool)>,
}

impl Boxes {
    fn of(picture: &Picture, frame: &Frame) -> Self {
        Self {
            sent: resolved(&picture.sent, frame),
            acked: resolved(&picture.acked, frame),
        }
    }

    fn sequence(&self, picture: &Picture, frame: &Frame, place: (f64, f64)) -> Markup {
        let data = self.sent.iter().filter_map(|(sent, _)| sent.new);
        let acks = self.acked.iter().map(|(acked, _)| acked.ack);
        let panel = Panel::new("Sequence", "B", 1.0, place, data.chain(acks), self.highest_edge());
        let mut segments = Line::default();
        let mut pale = Line::default();
        for (sent, is_open) in &self.sent {
            let Some((start, end)) = sent.new else { continue };
            let span = (frame.x(sent.first_ns), frame.x(sent.last_ns));
            let line = if *is_open { &mut pale } else { &mut segments };
            line.bar(span, (panel.y(start), panel.y(end)), *is_open);
        }
        let ack = self.steps(frame, &panel, |acked| Some((acked.ack, acked.ack.1)));
        let edge = self.steps(frame, &panel, |acked| Some((acked.edge?, acked.last_edge?)));
        let marks = marks(frame, &panel, picture.marks.as_slice());
        let sacks = marks_of(frame, &panel, picture.sacks.as_slice(), |_| true);
        html! {
            (panel.axes(frame))
            (edge.path("window")) (sacks.path("sack"))
            (pale.path("pale")) (segments.path("data")) (ack.path("ack")) (marks)
        }
    }

    fn highest_edge(&self) -> Option<u64> {
        let edges = self.acked.iter().filter_map(|(acked, _)| acked.edge);
        edges.map(|(_, high)| high).max()
    }

    fn flight(&self, frame: &Frame, place: (f64, f64)) -> Markup {
        let flights = self.sent.iter().map(|(sent, _)| sent.flight_bytes);
        let panel = Panel::new("In flight", "B", 1.0, place, flights.chain([(0, 1)]), None);
        let mut line = Line::default();
        for (sent, is_open) in &self.sent {
            let (low, high) = sent.flight_bytes;
            let span = (frame.x(sent.first_ns), frame.x(sent.last_ns));
            line.bar(span, (panel.y(low), panel.y(high)), *is_open);
        }
        html! { (panel.axes(frame)) (line.path("data")) }
    }

    fn rtt(&self, frame: &Frame, place: (f64, f64)) -> Markup {
        let known = self.acked.iter().filter_map(|(acked, _)| acked.rtt_ns);
        let panel = Panel::new("Round trip", "s", 1e-9, place, known, None);
        let mut line = Line::default();
        for (acked, is_open) in &self.acked {
            let Some((low, high)) = acked.rtt_ns else { continue };
            let span = (frame.x(acked.first_ns), frame.x(acked.last_ns));
            line.bar(span, (panel.y(low), panel.y(high)), *is_open);
        }
        html! { (panel.axes(frame)) (line.path("ack")) }
    }

    /// A level that holds until the next acknowledgement tells another; broken where none is known.
    fn steps(
        &self,
        frame: &Frame,
        panel: &Panel,
        value: impl Fn(&AckedBounds) -> Option<((u64, u64), u64)>,
    ) -> Line {
        let mut line = Line::default();
        for (acked, _) in &self.acked {
            match value(acked) {
                Some(((low, high), last)) => {
                    let x = frame.x(acked.first_ns);
                    line.step(x, panel.y(low), panel.y(high), panel.y(last));
                }
                None => line.break_off(),
            }
        }
        line
    }
}

/// Boxes no wider than a unit, and packets instead of those that would be.
fn resolved<R: Row>(series: &Series<R>, frame: &Frame) -> Vec<(R::Bounds, bool)> {
    let (from, to) = frame.span_ns;
    let mut tiles = TileCache::new();
    let mut found = Vec::new();
    for place in series.pyramid.view(from, to, frame.columns(), MOST_BOXES) {
        let packets = if place.is_wide {
            series.packets_of(place, &mut tiles)
        } else {
            None
        };
        match packets {
            Some(packets) => found.extend(packets.iter().map(|row| (row.bounds(), false))),
            None => found.extend(series.pyramid.get(place).map(|bounds| (*bounds, place.is_wide))),
        }
    }
    found
}

/// Losses as crosses, retransmissions as thick lines, the rest as ticks.
fn marks(frame: &Frame, panel: &Panel, all: &[Mark]) -> Markup {
    let is_timeout = |kind| matches!(kind, MarkKind::Timeout | MarkKind::TimeoutUpstream);
    let is_lost = |kind| kind == MarkKind::Lost;
    let is_resent = |kind| (MarkKind::Fast..=MarkKind::UnexplainedUpstream).contains(&kind);
    let is_other = |kind| !is_resent(kind) && !is_lost(kind) && kind != MarkKind::Gap;
    let resent = marks_of(frame, panel, all, |kind| is_resent(kind) && !is_timeout(kind));
    let timeouts = marks_of(frame, panel, all, is_timeout);
    let others = marks_of(frame, panel, all, is_other);
    let mut crosses = Line::default();
    let lost = places(frame, panel, all, is_lost);
    let radius = if lost.len() < 60 { 3.0 } else { 1.5 };
    for (x, y0, y1) in lost {
        crosses.cross(x, (y0 + y1) / 2.0, radius);
    }
    html! { (others.path("odd")) (resent.path("bad")) (timeouts.path("rto")) (crosses.path("bad")) }
}

fn marks_of(frame: &Frame, panel: &Panel, all: &[Mark], wanted: impl Fn(MarkKind) -> bool) -> Line {
    let mut line = Line::default();
    for (x, y0, y1) in places(frame, panel, all, wanted) {
        line.bar((x, x), (y0, y1), false);
    }
    line
}

/// Where marks stand, each half unit once.
fn places(
    frame: &Frame,
    panel: &Panel,
    all: &[Mark],
    wanted: impl Fn(MarkKind) -> bool,
) -> Vec<(f64, f64, f64)> {
    let mut painted = BTreeSet::new();
    let mut found = Vec::new();
    for mark in all.iter().filter(|mark| wanted(mark.kind)) {
        let place = (frame.x(mark.time_ns), panel.y(mark.start), panel.y(mark.end));
        let half = |value: f64| (value * 2.0).round() as i64;
        if painted.insert((half(place.0), half(place.1), half(place.2))) {
            found.push(place);
        }
    }
    found
}

fn time_axis(frame: &Frame, top: f64, bottom: f64) -> Markup {
    let (first, last) = frame.span_ns;
    let axis = Axis::new(first as f64, last as f64, frame.plot() / 90.0, "s", 1e-9);
    html! {
        @for (at, text) in &axis.ticks {
            @let x = format!("{:.1}", frame.x(*at as i64));
            path.hair d={ "M" (x) " " (top) "V" (bottom) } {}
            text x=(x) y=(bottom + 14.0) text-anchor="middle" { (text) }
        }
        text x=(frame.right()) y=(bottom + 28.0) text-anchor="end" { (axis.unit) " since the beginning" }
    }
}

fn causes(picture: &Picture, frame: &Frame, top: f64) -> Markup {
    let intervals = picture
        .summary
        .half
        .causes
        .iter()
        .flat_map(|causes| &causes.intervals);
    let since = |ns: i64| {
        let x = frame.x(ns.saturating_sub(picture.origin_ns));
        x.clamp(frame.left(), frame.right())
    };
    html! {
        text.strong x=(frame.left()) y=(top - 5.0) { "Why no faster" }
        @for one in intervals {
            @let (from, to) = (since(one.from_ns), since(one.to_ns));
            rect.(class(one.label)) x=(format!("{from:.1}")) y=(top) height="16" width=(format!("{:.1}", (to - from).max(0.1)))
                fill-opacity=".7" { title { (label_words(one.label)) } }
            @if to - from > 7.0 * label_words(one.label).len() as f64 {
                text.strong x=(format!("{:.1}", (from + to) / 2.0)) y=(top + 12.0) text-anchor="middle" { (label_words(one.label)) }
            }
        }
    }
}

/// Each cause with its share, and what was lost.
fn legend(picture: &Picture, frame: &Frame, y: f64) -> Markup {
    let shares = picture
        .summary
        .half
        .causes
        .iter()
        .flat_map(|causes| &causes.shares);
    let whole: i64 = shares
        .clone()
        .map(|share| share.time_ns)
        .fold(0, i64::saturating_add);
    let mut x = frame.left();
    html! {
        @for share in shares.filter(|share| share.time_ns > 0) {
            @let words = format!("{} {}", label_words(share.label), units::percent(share.time_ns as f64 / whole.max(1) as f64));
            @let here = x;
            rect.(class(share.label)) x=(here) y=(y - 9.0) width="11" height="10" fill-opacity=".7" {}
            text x=(here + 15.0) y=(y) { (words) }
            // About the width of the letters of this size.
            ({ x += 30.0 + 6.2 * words.len() as f64; "" })
        }
    }
}

fn class(label: Label) -> &'static str {
    match label {
        Label::Application => "application",
        Label::SendBuffer => "send-buffer",
        Label::ReceiverWindow => "receiver-window",
        Label::Bottleneck => "bottleneck",
        Label::LossRecovery => "loss-recovery",
        Label::SlowStart => "slow-start",
        Label::PathMtuStall => "path-mtu-stall",
        Label::Idle => "idle",
        Label::Unknown => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use crate::picture::testing::{conversation, small};

    #[test]
    fn a_small_conversation_as_svg() {
        insta::assert_snapshot!(small().svg(800, 500).replace("><", ">\n<"));
    }

    #[test]
    fn many_packets_do_not_make_a_large_picture() {
        let picture = conversation(50_000, |n| n * 1448);
        let svg = picture.svg(800, 500);
        assert!(svg.len() < 400_000, "{}", svg.len());
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn an_empty_picture_can_be_drawn() {
        let picture = conversation(0, |n| n);
        assert!(picture.svg(0, 0).starts_with("<svg"));
        assert!(picture.html().ends_with("</html>\n"));
        assert!(picture.xplot().ends_with("go\n"));
    }
}

//! A static picture for reports: the whole transfer, drawn from the boxes of the pyramid and, where those are too wide, from
//! the packets. Every mark is in it; those that would paint the same half of a unit are painted once.

mod axis;
mod panel;
mod strip;

use super::mark::{Mark, MarkKind};
use super::row::{AckedBounds, Row, SentBounds};
use super::scene::{Anchor, Class, Item, Path, Scene, Text};
use super::series::{Series, TileCache};
use super::{Picture, units};
use axis::Axis;
use panel::{Frame, Line, Panel};
use std::collections::BTreeSet;

/// Boxes of each series in a picture.
const MOST_BOXES: usize = 4096;
/// How wide and how high a picture may be, units.
const SIDES: (u32, u32) = (200, 20_000);

pub(super) fn draw(picture: &Picture, width: u32, height: u32) -> Scene {
    let side = |units: u32| f64::from(units.clamp(SIDES.0, SIDES.1));
    let (width, height) = (side(width), side(height));
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
    let (who, how) = (summary.who(), summary.how());
    let title = format!("{who}: {how}");
    let how = format!("{how} · {}", units::utc(picture.origin_ns));
    let mut items = vec![
        Item::Text(Text::new(8.0, 16.0, who).strong().sized(14.0)),
        Item::Text(Text::new(8.0, 33.0, how)),
    ];
    items.extend(time_axis(&frame, 46.0, strip + 18.0));
    items.extend(boxes.sequence(picture, &frame, sequence));
    items.extend(boxes.flight(&frame, flight));
    items.extend(boxes.rtt(&frame, rtt));
    items.extend(strip::causes(picture, &frame, strip));
    items.extend(strip::legend(picture, &frame, height - 8.0));
    Scene {
        width,
        height,
        title,
        items,
    }
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

    fn sequence(&self, picture: &Picture, frame: &Frame, place: (f64, f64)) -> Vec<Item> {
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
        let lines = [
            edge.of(Class::Window),
            sacks.of(Class::Sack),
            pale.of(Class::Pale),
            segments.of(Class::Data),
            ack.of(Class::Ack),
        ];
        panel.with(frame, lines.into_iter().flatten().chain(marks).collect())
    }

    fn highest_edge(&self) -> Option<u64> {
        let edges = self.acked.iter().filter_map(|(acked, _)| acked.edge);
        edges.map(|(_, high)| high).max()
    }

    fn flight(&self, frame: &Frame, place: (f64, f64)) -> Vec<Item> {
        let flights = self.sent.iter().map(|(sent, _)| sent.flight_bytes);
        let panel = Panel::new("In flight", "B", 1.0, place, flights.chain([(0, 1)]), None);
        let mut line = Line::default();
        for (sent, is_open) in &self.sent {
            let (low, high) = sent.flight_bytes;
            let span = (frame.x(sent.first_ns), frame.x(sent.last_ns));
            line.bar(span, (panel.y(low), panel.y(high)), *is_open);
        }
        panel.with(frame, line.of(Class::Data).into_iter().collect())
    }

    fn rtt(&self, frame: &Frame, place: (f64, f64)) -> Vec<Item> {
        let known = self.acked.iter().filter_map(|(acked, _)| acked.rtt_ns);
        let panel = Panel::new("Round trip", "s", 1e-9, place, known, None);
        let mut line = Line::default();
        for (acked, is_open) in &self.acked {
            let Some((low, high)) = acked.rtt_ns else { continue };
            let span = (frame.x(acked.first_ns), frame.x(acked.last_ns));
            line.bar(span, (panel.y(low), panel.y(high)), *is_open);
        }
        panel.with(frame, line.of(Class::Ack).into_iter().collect())
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
fn marks(frame: &Frame, panel: &Panel, all: &[Mark]) -> Vec<Item> {
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
    let lines = [
        others.of(Class::Odd),
        resent.of(Class::Bad),
        timeouts.of(Class::Timeout),
        crosses.of(Class::Bad),
    ];
    lines.into_iter().flatten().collect()
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

fn time_axis(frame: &Frame, top: f64, bottom: f64) -> Vec<Item> {
    let (first, last) = frame.span_ns;
    let axis = Axis::new(first as f64, last as f64, frame.plot() / 90.0, "s", 1e-9);
    let ticks = axis.ticks.iter().flat_map(|(at, text)| {
        let x = frame.x(*at as i64);
        let label = Text::new(x, bottom + 14.0, text.as_str()).anchored(Anchor::Middle);
        [
            Item::Path(Class::Hair, Path::from_to((x, top), (x, bottom))),
            Item::Text(label),
        ]
    });
    let unit = format!("{} since the beginning", axis.unit);
    let unit = Text::new(frame.right(), bottom + 28.0, unit).anchored(Anchor::End);
    ticks.chain([Item::Text(unit)]).collect()
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

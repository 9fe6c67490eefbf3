//! The comparison of several captures in words.

use capture::Way;
use capture::measured;
use capture::points::{
    Change, ChangeKind, ClockReport, ComparisonReport, Complaint, DirectionReport, StretchReport,
};
use evidence::Nanos;
use std::fmt::Write as _;

fn time(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    format!("{sign}{}", Nanos(ns.unsigned_abs()))
}

pub(super) fn text(report: &ComparisonReport) -> String {
    let mut text = String::new();
    let name = |place: usize| report.points.get(place).map_or("?", |point| point.name.as_str());
    for point in &report.points {
        let whom = point.key.map_or_else(
            || "no such connection".to_owned(),
            |key| measured::title(&key, Way::Up),
        );
        let _ = write!(
            text,
            "{}: {whom}, {}",
            point.name,
            words::plural(point.packets, "packet", "packets")
        );
        if point.missed_packets > 0 {
            let _ = write!(
                text,
                "; its capture missed {}",
                words::count(point.missed_packets)
            );
        }
        text.push('\n');
    }
    for stretch in &report.stretches {
        for direction in &stretch.directions {
            let _ = writeln!(text, "\n{} to {}", name(direction.from), name(direction.to));
            text += &told(direction);
        }
        let clock = report
            .clocks
            .iter()
            .find(|clock| (clock.from, clock.to) == (stretch.from, stretch.to));
        text += &clock
            .map(|clock| clocks(clock, name(stretch.from), name(stretch.to)))
            .unwrap_or_default();
        text += &changes(report, stretch);
    }
    for complaint in &report.complaints {
        let _ = writeln!(text, "{}", complained(complaint, &name));
    }
    text
}

fn complained<'a>(complaint: &Complaint, name: &impl Fn(usize) -> &'a str) -> String {
    let packets = |count: u64| words::plural(count, "packet", "packets");
    match complaint {
        Complaint::TooManyPoints { left_out } => {
            format!(
                "{} left out: so many captures are not compared at once",
                words::plural(*left_out as u64, "point", "points")
            )
        }
        Complaint::WindowTooSmall { packets: count } => {
            format!("{} judged early: the captures are too far apart", packets(*count))
        }
        Complaint::BeforeCommon {
            point,
            packets: count,
        } => {
            format!(
                "{} of {} are from before the other captures began",
                packets(*count),
                name(*point)
            )
        }
        Complaint::OrderUnknown => "nothing tells which capture is nearer to which end".to_owned(),
        Complaint::OrderContradicted => "the packets contradict the order that was given".to_owned(),
        Complaint::LossesNotListed { losses, .. } => {
            format!("{} more losses are counted and not listed", words::count(*losses))
        }
        Complaint::AnsweredBetween { packets: count, .. } => {
            format!(
                "{} were acknowledged by something between the captures: a proxy answers for the receiver",
                packets(*count)
            )
        }
    }
}

fn told(direction: &DirectionReport) -> String {
    let mut text = String::new();
    for (what, counts) in [
        ("data packets", direction.data),
        ("acknowledgements", direction.bare),
    ] {
        if counts.sent == 0 {
            continue;
        }
        let _ = write!(
            text,
            "  {what:<17} {} lost",
            words::lost_of(counts.lost, counts.sent)
        );
        for (count, how) in [
            (counts.duplicated, "duplicated"),
            (counts.missed_by_to + counts.missed_by_from, "missed by a capture"),
            (counts.outside, "outside of a capture"),
        ] {
            if count > 0 {
                let _ = write!(text, ", {} {how}", words::count(count));
            }
        }
        text.push('\n');
    }
    if direction.bursts.runs > 0 {
        let _ = writeln!(
            text,
            "  losses            in {}, the longest of {}",
            words::plural(direction.bursts.runs, "run", "runs"),
            words::plural(direction.bursts.longest_packets, "packet", "packets")
        );
    }
    if let Some(least) = direction.smallest_lost_bytes {
        let _ = writeln!(
            text,
            "  sizes             up to {} bytes passed; the smallest that was lost had {least}",
            direction.largest_passed_bytes
        );
    }
    if direction.reordering.reordered > 0 {
        let _ = writeln!(
            text,
            "  overtaken         {}, by up to {}",
            words::plural(direction.reordering.reordered, "packet", "packets"),
            words::count(direction.reordering.extent_packets)
        );
    }
    if let Some(delay) = &direction.delay {
        let least = delay.min_ns.map_or_else(|| "not known (clocks)".to_owned(), time);
        let _ = writeln!(
            text,
            "  one-way delay     {least} at least; above that {} in the middle, {} for 95 %, {} at most",
            time(delay.above_min_median_ns),
            time(delay.above_min_p95_ns),
            time(delay.above_min_max_ns)
        );
    }
    text
}

fn clocks(clock: &ClockReport, near: &str, far: &str) -> String {
    let mut text = String::new();
    for piece in &clock.pieces {
        let Some(offset_ns) = piece.offset_ns else {
            let _ = writeln!(text, "the clocks of {near} and {far} cannot be compared");
            continue;
        };
        let bound = piece
            .bound_ns
            .map_or_else(String::new, |ns| format!(" ± {}", time(ns)));
        let drift = piece
            .drift_ppm
            .map_or_else(String::new, |ppm| format!(", gains {ppm:.1} µs a second"));
        let _ = writeln!(
            text,
            "clock of {far}: {}{bound} ahead of that of {near}{drift}",
            time(offset_ns)
        );
    }
    for step in &clock.steps {
        let _ = writeln!(text, "one of the clocks was set by {}", time(step.by_ns));
    }
    text
}

fn changes(report: &ComparisonReport, stretch: &StretchReport) -> String {
    let on = |change: &&Change| {
        let ends = (change.from, change.to);
        ends == (stretch.from, stretch.to) || ends == (stretch.to, stretch.from)
    };
    let mut text = String::new();
    for change in report.changes.iter().filter(on) {
        let name = |place: usize| report.points.get(place).map_or("?", |point| point.name.as_str());
        let _ = writeln!(
            text,
            "changed from {} to {}: {} (in {} of {})",
            name(change.from),
            name(change.to),
            change_words(&change.what),
            words::count(change.packets),
            words::plural(change.of_packets, "packet", "packets")
        );
    }
    text
}

/// A change as `field: from -> to`, by the names that JSON has.
fn change_words(what: &ChangeKind) -> String {
    let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(what) else {
        return String::new();
    };
    let field = fields
        .get("field")
        .and_then(|name| name.as_str())
        .unwrap_or_default();
    let value = |name: &str| {
        fields.get(name).map(|value| {
            if value.is_null() {
                "none".to_owned()
            } else {
                value.to_string()
            }
        })
    };
    let name = field.replace('-', " ");
    match (value("from"), value("to")) {
        (Some(from), Some(to)) => format!("{name} {from} -> {to}"),
        _ => {
            let other = fields.iter().find(|(key, _)| *key != "field");
            other.map_or(name.clone(), |(key, value)| format!("{name} ({key} {value})"))
        }
    }
}

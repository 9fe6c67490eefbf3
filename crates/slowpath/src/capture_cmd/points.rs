//! Several captures of one transfer: what was lost, delayed and changed between two places.

use super::engine::Job;
use super::one::{Packets, Seen};
use super::{CaptureArgs, json_line, read};
use crate::{exit, intake, output};
use capture::flow::FlowReport;
use capture::measured;
use capture::points::{
    Change, ChangeKind, ClockReport, Comparison, ComparisonReport, Complaint, DirectionReport, FlowSignature,
    Settings, StretchReport, pair_flows,
};
use capture::{FlowKey, Way};
use evidence::Nanos;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

/// One capture point: its name and its file.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
}

impl FromStr for Point {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok(Self {
                name: name.to_owned(),
                file: file.into(),
            }),
            _ => Err(format!(
                "`{text}`: write a name and a file, such as `sender=a.pcap`"
            )),
        }
    }
}

/// Which captures are compared, and which connection in them.
struct Task<'a> {
    points: &'a [Point],
    /// The number of the connection among those of the first point, the largest first.
    number: u32,
    /// How each capture is read; its connections are those of the first point that come into question, its files stand above.
    job: Job<'a>,
}

/// Compares what the points saw of one connection, and tells.
pub(super) fn run(args: &CaptureArgs) -> Result<ExitCode, ExitCode> {
    let stop = AtomicBool::new(false);
    let wanted = |key: &FlowKey| args.wants(key);
    let report = compared(&Task {
        points: &args.points,
        number: args.flow.unwrap_or(1),
        job: args.job(&[], &wanted, &stop),
    })?;
    if args.json {
        output::print_json(&json_line(&report));
    } else {
        output::print(&text(&report));
    }
    Ok(ExitCode::SUCCESS)
}

/// What captures of one transfer, the largest connection of the first, say of the places between them.
///
/// # Errors
/// Said already, when they cannot be read or compared.
pub(crate) fn of_largest(points: &[Point]) -> Result<ComparisonReport, ExitCode> {
    compared(&Task {
        points,
        number: 1,
        job: super::records::job(&[], &AtomicBool::new(false)),
    })
}

fn compared(task: &Task<'_>) -> Result<ComparisonReport, ExitCode> {
    if task.points.len() < 2 {
        return Err(exit::usage(
            "one capture cannot be compared: give --point twice at least",
        ));
    }
    if task.points.iter().any(|point| point.file.as_os_str() == "-") {
        return Err(exit::usage(
            "captures that are compared are read twice: give files, not standard input",
        ));
    }
    let keys = keys(task)?;
    compare(task, &keys).map_err(|why| exit::could_not_measure(&why))
}

/// Which connection of each capture it is: that of the first point which is largest, or --flow, and at the others the one
/// with the same key or, behind address translation, the one that is alike.
fn keys(task: &Task<'_>) -> Result<Vec<FlowKey>, ExitCode> {
    let mut keys: Vec<FlowKey> = Vec::new();
    let mut ours = None;
    for (place, point) in task.points.iter().enumerate() {
        let paths = [point.file.clone()];
        let wanted = |key: &FlowKey| place > 0 || task.job.wants(key);
        let job = Job {
            paths: &paths,
            wanted: Some(&wanted),
            ..task.job
        };
        let (_, flows, _) = read(&job, super::MOST_KEPT, None)?;
        let Some(first) = keys.first().copied() else {
            let flow = flows.get(task.number.saturating_sub(1) as usize);
            let flow = flow.ok_or_else(|| missing(point, task.number))?;
            keys.push(flow.key);
            continue;
        };
        if flows.iter().any(|flow| flow.key == first) {
            keys.push(first);
            continue;
        }
        let ours = match &ours {
            Some(known) => known,
            None => ours.insert(signature(task, 0, &first)?),
        };
        keys.push(translated(task, place, &flows, ours)?);
    }
    Ok(keys)
}

fn missing(point: &Point, number: u32) -> ExitCode {
    let file = intake::shown(&point.file);
    exit::could_not_measure(&format!("{file}: there is no connection {number} in it"))
}

fn signature(task: &Task<'_>, place: usize, key: &FlowKey) -> Result<FlowSignature, ExitCode> {
    let mut signature = FlowSignature::default();
    let wanted = |other: &FlowKey| other == key;
    let paths: Vec<PathBuf> = task
        .points
        .get(place)
        .map(|point| point.file.clone())
        .into_iter()
        .collect();
    let mut packets = Packets::new(&paths, task.job.seed, &wanted, task.job.stop);
    while let Some(seen) = packets.next().map_err(|why| exit::could_not_measure(&why))? {
        if let Seen::Segment(segment) = seen {
            signature.add(&segment);
        }
    }
    Ok(signature)
}

/// The connection of a later point that is alike: addresses were translated on the way.
fn translated(
    task: &Task<'_>,
    place: usize,
    flows: &[FlowReport],
    ours: &FlowSignature,
) -> Result<FlowKey, ExitCode> {
    /// More candidates would be read one by one for too long.
    const MOST: usize = 50;
    let mut theirs = Vec::new();
    for flow in flows.iter().take(MOST) {
        theirs.push(signature(task, place, &flow.key)?);
    }
    let pairs = pair_flows(std::slice::from_ref(ours), &theirs);
    let found = pairs.first().and_then(|(_, place, _)| flows.get(*place));
    found.map(|flow| flow.key).ok_or_else(|| {
        let name = task.points.get(place).map_or("", |point| point.name.as_str());
        exit::could_not_measure(&format!("the connection is not in the capture of {name}"))
    })
}

fn compare(task: &Task<'_>, keys: &[FlowKey]) -> Result<ComparisonReport, String> {
    let names: Vec<&str> = task.points.iter().map(|point| point.name.as_str()).collect();
    let settings = Settings {
        is_order_told: true,
        ..Settings::default()
    };
    let mut comparison = Comparison::new(&names, settings);
    let wanted: Vec<_> = keys
        .iter()
        .map(|key| move |other: &FlowKey| other == key)
        .collect();
    let paths: Vec<[PathBuf; 1]> = task.points.iter().map(|point| [point.file.clone()]).collect();
    let mut points: Vec<Packets<'_>> = paths
        .iter()
        .zip(&wanted)
        .map(|(paths, wanted)| Packets::new(paths, task.job.seed, wanted, task.job.stop))
        .collect();
    let mut began = vec![false; points.len()];
    while let Some(place) = comparison.wants() {
        let Some(packets) = points.get_mut(place) else {
            break;
        };
        let next = packets.next()?;
        if let Some((first_ns, _)) = packets.span_ns
            && let Some(began) = began.get_mut(place).filter(|began| !**began)
        {
            *began = true;
            comparison.began(place, first_ns);
        }
        match next {
            Some(Seen::Segment(segment)) => comparison.feed(place, &segment),
            Some(Seen::TooBig(_)) => {}
            None => comparison.end(place, packets.span_ns.map(|(_, last_ns)| last_ns)),
        }
    }
    Ok(comparison.finish())
}

fn time(ns: i64) -> String {
    let sign = if ns < 0 { "-" } else { "" };
    format!("{sign}{}", Nanos(ns.unsigned_abs()))
}

fn text(report: &ComparisonReport) -> String {
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

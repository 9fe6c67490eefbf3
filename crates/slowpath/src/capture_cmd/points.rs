//! Several captures of one transfer: what was lost, delayed and changed between two places.

mod text;

use super::engine::Job;
use super::one::{Packets, Seen};
use super::{CaptureArgs, json_line, read};
use crate::{exit, intake, output};
use capture::FlowKey;
use capture::flow::FlowReport;
use capture::points::{Comparison, ComparisonReport, FlowSignature, Settings, pair_flows};
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
        output::print(&text::text(&report));
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

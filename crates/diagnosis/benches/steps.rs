//! How long the alignment of a long series with a long route archive takes: 200,000 rates and 20,000 different routes of
//! 16 hops, with a daily swing, noise, outliers and a step each 10,000 points. Prints seconds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use evidence::v1::{
    CASE_SCHEMA_VERSION, Case, Complaint, End, KnownRoute, Node, Observation, Party, Payload, Provenance,
    RouteHistory, Series, SeriesMetric, Timestamp,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Instant;

const POINTS: usize = 200_000;
const ROUTES: usize = 20_000;
const POINTS_A_LEVEL: usize = 10_000;
const QUARTER_HOUR_NS: i64 = 900_000_000_000;

fn at(point: usize) -> Timestamp {
    Timestamp(point as i64 * QUARTER_HOUR_NS)
}

fn is_slow(point: usize) -> bool {
    (point / POINTS_A_LEVEL) % 2 == 1
}

fn rate(point: usize, random: &mut StdRng) -> f64 {
    let level = if is_slow(point) { 90e6 } else { 400e6 };
    let swing = 1.0 + 0.1 * (point as f64 / 96.0 * std::f64::consts::TAU).sin();
    let noise = 1.0 + 0.2 * (random.random::<f64>() - 0.5);
    let outlier = if random.random_bool(0.01) { 0.1 } else { 1.0 };
    level * swing * noise * outlier
}

/// Routes that differ at two hops in the middle; slow ones all cross one network, fast ones another.
fn route(index: usize, slow: bool) -> KnownRoute {
    let [high, low] = [(index / 250) as u8, (index % 250) as u8];
    let hop = |place: u8| match place {
        7 => Ipv4Addr::new(10, 1, high, low),
        8 => Ipv4Addr::new(10, 2, high, low),
        9 => Ipv4Addr::new(10, 3, u8::from(slow), 1),
        place => Ipv4Addr::new(10, 0, 0, place),
    };
    let hops = (1..=16).map(|place| Node {
        name: None,
        address: Some(IpAddr::V4(hop(place))),
    });
    KnownRoute {
        number: Some(index as u32),
        hops: hops.collect(),
    }
}

fn case() -> Case {
    let mut random = StdRng::seed_from_u64(2003);
    let party = |name: &str| Party {
        name: name.into(),
        address: None,
    };
    let mut case = Case::new(Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: party("sender.example"),
        to: party("receiver.example"),
        local_end: End::From,
        expected_bps: None,
        since: None,
        said_by: None,
        opened_at: Timestamp(0),
        utc_offset_s: None,
    });
    let (from, to) = (Node::named("sender.example"), Node::named("receiver.example"));
    let each = POINTS / ROUTES;
    let payloads = [
        Payload::Series(Series {
            from: from.clone(),
            to: to.clone(),
            metric: SeriesMetric::Throughput,
            points: (0..POINTS)
                .map(|point| (at(point), rate(point, &mut random)))
                .collect(),
        }),
        Payload::RouteHistory(RouteHistory {
            from,
            to,
            routes: (0..ROUTES)
                .map(|index| route(index, is_slow(index * each)))
                .collect(),
            seen: (0..POINTS)
                .map(|point| (at(point), (point / each) as u32))
                .collect(),
        }),
    ];
    for payload in payloads {
        case.add(Observation::new(
            Provenance::measured(End::From, at(0), 1, "bench"),
            payload,
        ));
    }
    case
}

fn main() {
    let case = case();
    let started = Instant::now();
    let verdict = diagnosis::judge_round(&evidence::migrate::case(case), 1);
    let seconds = started.elapsed().as_secs_f64();
    println!("{POINTS} points, {ROUTES} routes: {seconds:.2} s");
    println!("{}", verdict.summary);
    for finding in &verdict.findings {
        println!("{} {:.2} {}", finding.code, finding.confidence, finding.location);
        finding
            .supports
            .iter()
            .chain(&finding.contradicts)
            .for_each(|a| println!("  {:+.1} {}", a.weight, a.text));
    }
}

//! What observations of one case say differently of the same thing. Shown when copies are joined, never resolved: who
//! is right is for the rules and for people.
//!
//! Each observation is taken apart into claims: a key that names what is told (which counter of which test, the same
//! ping at the same time) and the value told. Two values under one key contradict each other, except within one raw
//! record: what one document says twice is the document's matter. Of records without a time only those are compared
//! that name their test.

use evidence::{CounterChain, Node, Observation, ObservationId, Payload, ProbeRow, Probes, Series, Way};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A thousand copies of one value would make a million pairs, and none of them would say more.
const MOST_OF_A_VALUE: usize = 8;

/// Two observations that tell the same thing differently.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Contradiction {
    /// The thing.
    pub about: String,
    /// The first observation, by id.
    pub one: Said,
    /// The other.
    pub other: Said,
    /// So many further things are told differently by these two.
    pub further: usize,
}

/// What an observation says of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Said {
    /// Which.
    pub id: ObservationId,
    /// What it says.
    pub value: String,
}

/// All contradictions, in an order of their own; one for each pair of observations.
pub(crate) fn find(observations: &[Observation]) -> Vec<Contradiction> {
    let mut told: BTreeMap<String, BTreeMap<String, Vec<&Observation>>> = BTreeMap::new();
    for observation in observations {
        for (key, value) in claims(observation) {
            told.entry(key)
                .or_default()
                .entry(value)
                .or_default()
                .push(observation);
        }
    }
    let mut pairs: BTreeMap<(&ObservationId, &ObservationId), Contradiction> = BTreeMap::new();
    for (about, values) in &told {
        for ((value, some), (other_value, others)) in values.iter().zip(values.iter().skip(1)) {
            for one in some.iter().take(MOST_OF_A_VALUE) {
                for other in others.iter().take(MOST_OF_A_VALUE) {
                    note(&mut pairs, about, (one, value), (other, other_value));
                }
            }
        }
    }
    pairs.into_values().collect()
}

fn note<'a>(
    pairs: &mut BTreeMap<(&'a ObservationId, &'a ObservationId), Contradiction>,
    about: &str,
    a: (&'a Observation, &str),
    b: (&'a Observation, &str),
) {
    let raw = |o: &Observation| o.provenance.raw_sha256.clone();
    if a.0.id == b.0.id {
        return;
    }
    if raw(a.0).is_some() && raw(a.0) == raw(b.0) {
        return;
    }
    let (a, b) = if a.0.id <= b.0.id { (a, b) } else { (b, a) };
    let said = |(observation, value): (&Observation, &str)| Said {
        id: observation.id.clone(),
        value: value.to_owned(),
    };
    pairs
        .entry((&a.0.id, &b.0.id))
        .and_modify(|known| known.further += 1)
        .or_insert_with(|| Contradiction {
            about: about.to_owned(),
            one: said(a),
            other: said(b),
            further: 0,
        });
}

/// Groups of observations that are the same lines of the same raw record, added to several copies at different times.
pub(crate) fn same_records(observations: &[Observation]) -> Vec<Vec<ObservationId>> {
    let mut records: BTreeMap<String, BTreeSet<ObservationId>> = BTreeMap::new();
    for observation in observations {
        let provenance = &observation.provenance;
        if let (Some(raw), Some(lines)) = (&provenance.raw_sha256, provenance.raw_lines) {
            let key = json!([raw, lines, observation.payload]).to_string();
            records.entry(key).or_default().insert(observation.id.clone());
        }
    }
    let twice = records.into_values().filter(|ids| ids.len() > 1);
    twice.map(|ids| ids.into_iter().collect()).collect()
}

/// What an observation tells: (of what, which value).
fn claims(observation: &Observation) -> Vec<(String, String)> {
    let provenance = &observation.provenance;
    let round = provenance.round;
    match &observation.payload {
        Payload::CounterChain(chain) => chain_claims(round, chain),
        Payload::Series(series) => series_claims(round, series),
        _ if provenance.at_is_import_time => Vec::new(),
        Payload::Probes(table) => probe_claims(observation, table),
        payload => match identity(payload) {
            Some(of) => {
                let key = format!("{of} at {} in round {round}", words::when(provenance.at));
                vec![(exactly(&key, provenance.at.0), result(payload))]
            }
            None => Vec::new(),
        },
    }
}

/// The key with the time to the nanosecond: what is shown is rounded.
fn exactly(key: &str, at_ns: i64) -> String {
    if at_ns % 1_000_000_000 == 0 {
        key.to_owned()
    } else {
        format!("{key} ({at_ns} ns)")
    }
}

fn chain_claims(round: u32, chain: &CounterChain) -> Vec<(String, String)> {
    if chain.label.trim().is_empty() {
        return Vec::new();
    }
    let test = format!(
        "round {round}, packets of \"{}\" from {} to {}",
        chain.label, chain.from, chain.to
    );
    let points = chain.points.iter().filter_map(|point| {
        let key = format!("{test}, counted at {}: {}", point.network, point.description);
        Some((key, point.packets?.to_string()))
    });
    let hosts = [
        ("sent", chain.packets_sent),
        ("reported lost", chain.reported_lost),
    ];
    let hosts = hosts
        .into_iter()
        .filter_map(|(what, count)| Some((format!("{test}, {what}"), count?.to_string())));
    points.chain(hosts).collect()
}

fn series_claims(round: u32, series: &Series) -> Vec<(String, String)> {
    let pair = format!("{} from {} to {}", word(&series.metric), series.from, series.to);
    let point = |(at, value): &(evidence::Timestamp, f64)| {
        let key = format!("round {round}, {pair} at {}", words::when(*at));
        (exactly(&key, at.0), value.to_string())
    };
    series.points.iter().map(point).collect()
}

fn probe_claims(observation: &Observation, table: &Probes) -> Vec<(String, String)> {
    let provenance = &observation.provenance;
    let row = |row: &ProbeRow| {
        let kind = match row.way {
            Way::RoundTrip => "ping",
            Way::OneWay => "packets one way",
        };
        let size = row
            .size_bytes
            .map_or_else(|| "any size".to_owned(), |size| format!("{size} bytes"));
        let key = format!(
            "round {}, {kind} from {} to {} (hop {:?}, {}) with {size}, {:?} packets, don't fragment {:?}, at {}",
            provenance.round,
            table.from,
            row.to,
            row.ttl,
            word(&row.mode),
            row.sent,
            row.dont_fragment,
            words::when(provenance.at)
        );
        let value = json!({
            "received": row.received,
            "lost": row.lost,
            "loss_ratio": row.loss_ratio,
            "delay": row.delay,
        });
        (exactly(&key, provenance.at.0), value.to_string())
    };
    table.rows.iter().map(row).collect()
}

/// What was tested, without what came out. `None` for what can well be there twice.
fn identity(payload: &Payload) -> Option<String> {
    let kind = serde_json::to_value(payload)
        .ok()?
        .get("type")?
        .as_str()?
        .to_owned();
    let pair = |from: &Node, to: &Node| format!("{kind} from {from} to {to}");
    Some(match payload {
        Payload::Trace(t) => format!(
            "{} ({}, {:?} bytes, don't fragment {:?})",
            pair(&t.from, &t.to),
            word(&t.protocol),
            t.size_bytes,
            t.dont_fragment
        ),
        Payload::Transfer(t) => format!(
            "{} ({}, {:?} streams, window {:?}, MSS {:?}, {:?} ns, {})",
            pair(&t.from, &t.to),
            word(&t.protocol),
            t.streams,
            t.window_bytes,
            t.mss_bytes,
            t.duration_ns,
            t.application.as_deref().unwrap_or_default()
        ),
        Payload::LinkCapacities(path) => pair(&path.from, &path.to),
        // Two without a name need not be one.
        Payload::InterfaceCounters(i) if i.interface.is_empty() => return None,
        Payload::InterfaceCounters(i) => format!("counters of interface {} of {}", i.interface, i.device),
        Payload::Statement(s) => format!(
            "stated {} of {} from {} to {}",
            word(&s.quantity),
            s.subject.as_deref().unwrap_or("the transfer"),
            s.from,
            s.to
        ),
        _ => return None,
    })
}

/// What came out, as the payload says it.
fn result(payload: &Payload) -> String {
    match payload {
        Payload::Transfer(t) => t
            .rate()
            .map_or_else(|| "no rate".to_owned(), |rate| rate.to_string()),
        Payload::Statement(s) => s.value.to_string(),
        payload => {
            let mut value = serde_json::to_value(payload).unwrap_or(Value::Null);
            value.sort_all_objects();
            value.to_string()
        }
    }
}

fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        Ok(Value::Null) | Err(_) => "not told".to_owned(),
        Ok(other) => other.to_string(),
    }
}

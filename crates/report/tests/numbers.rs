//! A case from a stranger holds any number anywhere: counts, TTLs, sizes, times. Reports neither fail nor take long.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cases;

use evidence::{Case, Observation, Payload, TraceAnswer, TraceFlow, TraceHop, VerdictFile};
use report::{
    Detail, Style, TextOptions, case_text, comparison_text, html, markdown, operator_message, path_table,
};
use serde_json::{Number, Value};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

fn all() -> Vec<(Case, VerdictFile)> {
    use cases::records::ways::{BACK, THERE, ways};
    vec![
        cases::nrao_repaired(),
        cases::healthy(),
        cases::records::stanford(),
        cases::records::caltech(),
        cases::records::desy(),
        cases::records::oak_ridge(),
        ways(&THERE, &BACK, evidence::Direction::Reverse),
    ]
}

/// Everything that can be shown of a case.
fn show(case: &Case, verdicts: &VerdictFile) -> usize {
    let plain = TextOptions {
        width: 100,
        style: Style::Plain,
    };
    [
        case_text(case, verdicts, Detail::Records, plain),
        comparison_text(case, 1, 2, verdicts, plain),
        operator_message(case, verdicts).unwrap_or_default(),
        markdown(case, verdicts),
        html(case, verdicts),
        path_table(case.observations(), &case.complaint),
    ]
    .iter()
    .map(String::len)
    .sum()
}

/// The places of all numbers in a value.
fn numbers(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(at.to_owned()),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                numbers(item, &format!("{at}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                numbers(
                    field,
                    &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")),
                    found,
                );
            }
        }
        _ => {}
    }
}

/// The field that a place is of: the same for every item of a list of records. All of these can hold a number, or none.
fn field(place: &str) -> String {
    let is_number = |part: &str| part.parse::<usize>().is_ok();
    let mut parts: Vec<&str> = place.split('/').collect();
    let last = parts.len() - 1;
    // `[time, index]`: the last place tells which of the two.
    parts[..last]
        .iter_mut()
        .filter(|part| is_number(part))
        .for_each(|part| *part = "*");
    parts.join("/")
}

/// The payload with every number that can be `extreme` set to it, but for one in `spared`.
fn with_extremes(payload: &Payload, extreme: &Number, spared: usize) -> Payload {
    let mut value = serde_json::to_value(payload).unwrap();
    let mut places = Vec::new();
    numbers(&value, "", &mut places);
    let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, place) in (1..).zip(places).filter(|(n, _)| n % spared > 0) {
        fields.entry(field(&place)).or_default().push(place);
    }
    for places in fields.values() {
        let mut set = value.clone();
        for place in places {
            *set.pointer_mut(place).unwrap() = Value::Number(extreme.clone());
        }
        if serde_json::from_value::<Payload>(set.clone()).is_ok() {
            value = set;
        }
    }
    serde_json::from_value(value).unwrap()
}

#[test]
fn any_number_anywhere_is_shown() {
    let extremes: Vec<Number> = vec![
        0.into(),
        1.into(),
        255.into(),
        u32::MAX.into(),
        u64::MAX.into(),
        i64::MIN.into(),
        i64::MAX.into(),
        Number::from_f64(1e300).unwrap(),
        Number::from_f64(1e-300).unwrap(),
    ];
    for (case, verdicts) in all() {
        for extreme in &extremes {
            for spared in [usize::MAX, 2] {
                let mut hostile = Case::new(case.complaint.clone());
                for o in case.observations() {
                    let payload = with_extremes(&o.payload, extreme, spared);
                    hostile.add(Observation { payload, ..o.clone() });
                }
                let start = Instant::now();
                let length = show(&hostile, &verdicts);
                assert!(
                    start.elapsed() < Duration::from_secs(20),
                    "{extreme}: {:?}",
                    start.elapsed()
                );
                assert!(length < 20_000_000, "{extreme}: {length} bytes");
            }
        }
    }
}

#[test]
fn a_trace_of_tens_of_thousands_of_flows_is_shown() {
    let (case, verdicts) = cases::nrao();
    let mut hostile = Case::new(case.complaint.clone());
    for o in case.observations() {
        let mut o = o.clone();
        if let Payload::Trace(trace) = &mut o.payload {
            let answer = |n: u32| TraceAnswer {
                node: IpAddr::from(Ipv4Addr::from(n)).into(),
                ..TraceAnswer::default()
            };
            let hop = |n| TraceHop {
                ttl: 1,
                answers: vec![answer(n)],
                unanswered: u16::MAX,
            };
            trace.flows = (1..70_000).map(|n| TraceFlow::of(vec![hop(n)])).collect();
        }
        hostile.add(o);
    }
    let start = Instant::now();
    show(&hostile, &verdicts);
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

//! `mtr -j`.

use super::run::{Hop, Run, asn};
use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::host::{delay, host, rtt_of_ms};
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at, value_at};
use serde_json::Value;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "mtr --json",
    reads: "the report",
    group: Group::Paths,
    is: |value| value_at(value, "/report/mtr").is_some(),
    read,
};

fn read(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let text = |pointer| text_at(value, pointer).unwrap_or("");
    let size = u64_at(value, "/report/mtr/psize").and_then(|size| size.try_into().ok());
    let hubs = value_at(value, "/report/hubs").and_then(Value::as_array);
    let run = Run {
        from: host(text("/report/mtr/src")),
        to: host(text("/report/mtr/dst")),
        size_bytes: size.or_else(|| u32::try_from(u64_at(value, "/report/mtr/psize")?).ok()),
        hops: hubs.into_iter().flatten().filter_map(hop).collect(),
        ..Run::default()
    };
    run.into_findings(lines, context, findings);
}

/// What a fork of mtr writes: `{"src": …, "dst": …, "hops": [{"hop": 1, "ipaddr": …, "losspercent": 0, …}]}`.
pub(crate) static FLAT_KIND: JsonKind = JsonKind {
    name: "mtr --json, flat",
    reads: "the report",
    group: Group::Paths,
    is: |value| value_at(value, "/hops/0/losspercent").is_some() && text_at(value, "/dst").is_some(),
    read: read_flat,
};

fn read_flat(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    let hops = value.get("hops").and_then(Value::as_array);
    let run = Run {
        from: host(text_at(value, "/src").unwrap_or("")),
        to: host(text_at(value, "/dst").unwrap_or("")),
        size_bytes: u64_at(value, "/packetsize").and_then(|size| u32::try_from(size).ok()),
        hops: hops.into_iter().flatten().filter_map(flat_hop).collect(),
        ..Run::default()
    };
    run.into_findings(lines, context, findings);
}

fn flat_hop(value: &Value) -> Option<Hop> {
    let rtt = |name: &str| delay(f64_at(value, name).and_then(rtt_of_ms));
    let mut hop = Hop {
        ttl: u64_at(value, "/hop")
            .and_then(|ttl| u8::try_from(ttl).ok())
            .filter(|ttl| *ttl > 0)?,
        sent: u64_at(value, "/sent"),
        received: u64_at(value, "/received"),
        ..Hop::default()
    };
    hop.rtt.mean_ns = rtt("/avg");
    hop.rtt.min_ns = rtt("/best");
    hop.rtt.max_ns = rtt("/worst");
    hop.rtt.deviation_ns = rtt("/stddev");
    let system = text_at(value, "/asn").and_then(asn);
    match (text_at(value, "/host"), text_at(value, "/ipaddr")) {
        (Some(name), Some(address)) if name != address => hop.node(&format!("{name} ({address})"), system),
        (Some(one), _) | (None, Some(one)) => hop.node(one, system),
        (None, None) => {}
    }
    Some(hop)
}

fn hop(hub: &Value) -> Option<Hop> {
    let number = |name: &str| f64_at(hub, name);
    let rtt = |name: &str| delay(number(name).and_then(rtt_of_ms));
    let count = number("/count").filter(|ttl| (1.0..=255.0).contains(ttl))?;
    let mut hop = Hop {
        ttl: count as u8,
        sent: u64_at(hub, "/Snt"),
        loss_ratio: number("/Loss%")
            .map(|percent| percent / 100.0)
            .filter(|ratio| (0.0..=1.0).contains(ratio)),
        ..Hop::default()
    };
    hop.rtt.mean_ns = rtt("/Avg");
    hop.rtt.min_ns = rtt("/Best");
    hop.rtt.max_ns = rtt("/Wrst");
    hop.rtt.deviation_ns = rtt("/StDev");
    if let Some(host) = text_at(hub, "/host") {
        hop.node(host, text_at(hub, "/ASN").and_then(asn));
    }
    Some(hop)
}

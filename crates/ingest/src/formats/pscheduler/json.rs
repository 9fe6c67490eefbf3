//! pScheduler's results in JSON: bare, in a run (`result-merged`), or as archivers receive them (`test`, `result`).

use super::delays::{hops_of_ttl, signed_ns};
use super::hops::{reached, smallest_mtu};
use crate::findings::Findings;
use crate::format::Group;
use crate::host::delay;
use crate::json_kind::{JsonKind, f64_at, text_at, u64_at, value_at};
use crate::one_way::OneWay;
use crate::units::ns_of_seconds;
use crate::{Context, when};
use evidence::{
    DelayStatistics, Node, Payload, ProbeRow, Probes, RateBps, Timestamp, Trace, TraceAnswer, TraceFlow,
    TraceHop, Transfer, TransferInterval, Transport,
};
use serde_json::Value;

pub(crate) static KIND: JsonKind = JsonKind {
    name: "pScheduler results",
    reads: "a bare result, a run, or what archivers get",
    group: Group::Transfers,
    is: |value| result(value).get("succeeded").is_some(),
    read,
};

fn result(value: &Value) -> &Value {
    ["/result-merged", "/result"]
        .iter()
        .filter_map(|place| value_at(value, place))
        .find(|result| result.is_object())
        .unwrap_or(value)
}

/// The test: what it measured between whom, and when.
struct Test<'v> {
    result: &'v Value,
    spec: Option<&'v Value>,
    from: Node,
    to: Node,
    at: Option<Timestamp>,
    lines: (u64, u64),
}

fn read(value: &Value, lines: (u64, u64), context: &Context, findings: &mut Findings) {
    // What a formatter of results is given has the whole test under that name.
    let spec = value_at(value, "/test/spec")
        .or_else(|| value_at(value, "/spec/spec"))
        .or_else(|| value.get("spec"));
    let node = |name: &str, participant: &str| {
        let told = spec
            .and_then(|spec| spec.get(name))
            .and_then(Value::as_str)
            .or_else(|| text_at(value, participant));
        told.map(Node::read).unwrap_or_default()
    };
    let started = ["/schedule/start", "/start-time", "/run/start-time"]
        .iter()
        .find_map(|place| when::iso8601(text_at(value, place)?, context.utc_offset_s));
    let (mut from, mut to) = (node("source", "/participants/0"), node("dest", "/participants/1"));
    // The data go from the destination to the source.
    if spec.and_then(|spec| spec.get("reverse")).and_then(Value::as_bool) == Some(true) {
        std::mem::swap(&mut from, &mut to);
    }
    let test = Test {
        result: result(value),
        spec,
        from: context.from_or(from),
        to: context.to_or(to),
        at: started.or(context.at),
        lines,
    };
    if test.result.get("succeeded").and_then(Value::as_bool) == Some(false) {
        let reason = text_at(test.result, "/error").unwrap_or("no reason is given");
        findings.complain_of(lines, format!("pScheduler says that the test failed: {reason}"));
        return;
    }
    let has = |name: &str| test.result.get(name).is_some();
    let payload = if has("summary") {
        throughput(&test)
    } else if has("packets-sent") {
        Some(latency(&test))
    } else if has("roundtrips") {
        Some(round_trips(&test))
    } else if has("paths") {
        return paths(&test, findings);
    } else {
        mtu(&test)
    };
    match payload {
        Some(payload) => findings.record_of(lines, "pScheduler", test.at, payload),
        None => findings.complain_of(lines, "a pScheduler result of a test that slowpath does not read"),
    }
}

fn rate(value: &Value, pointer: &str) -> Option<RateBps> {
    let bps = f64_at(value, pointer)?;
    (bps.is_finite() && bps >= 0.0).then_some(RateBps(bps))
}

fn throughput(test: &Test<'_>) -> Option<Payload> {
    let total = value_at(test.result, "/summary/summary")?;
    let of_spec = |name: &str| test.spec.and_then(|spec| spec.get(name));
    let asked_udp = of_spec("udp").and_then(Value::as_bool);
    let counts = |name: &str| total.get(name).is_some_and(Value::is_number);
    let told = match (counts("lost"), counts("retransmits")) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    };
    let protocol = asked_udp.or(told);
    let udp = protocol == Some(true);
    let streams = value_at(test.result, "/summary/streams")
        .and_then(Value::as_array)
        .map(Vec::len);
    let slices = test.result.get("intervals").and_then(Value::as_array);
    let milliseconds = |pointer| f64_at(total, pointer).and_then(|ms| ns_of_seconds(ms / 1e3));
    let transfer = Transfer {
        from: test.from.clone(),
        to: test.to.clone(),
        protocol: protocol.map(|udp| if udp { Transport::Udp } else { Transport::Tcp }),
        streams: streams.and_then(|count| u16::try_from(count).ok()),
        window_bytes: u64_at(test.result, "/requested-tcp-window-size"),
        mss_bytes: u64_at(test.result, "/mss-size").and_then(|n| u32::try_from(n).ok()),
        congestion_control: of_spec("congestion").and_then(Value::as_str).map(str::to_owned),
        duration_ns: length_ns(total),
        target_bps: of_spec("bandwidth").and_then(|spec| rate(spec, "")),
        sent_bps: rate(total, "/throughput-bits"),
        received_bps: rate(total, "/receiver-throughput-bits"),
        retransmits: u64_at(total, "/retransmits"),
        packets_sent: u64_at(total, "/sent").filter(|_| udp),
        packets_lost: u64_at(total, "/lost").filter(|_| udp),
        jitter_ns: milliseconds("/jitter"),
        intervals: slices.into_iter().flatten().filter_map(interval).collect(),
        ..Transfer::default()
    };
    Some(transfer.into())
}

fn length_ns(slice: &Value) -> Option<u64> {
    ns_of_seconds(f64_at(slice, "/end")? - f64_at(slice, "/start")?)
}

fn interval(slice: &Value) -> Option<TransferInterval> {
    let sum = slice.get("summary")?;
    if sum.get("omitted").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let windows = slice
        .get("streams")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|stream| u64_at(stream, "/tcp-window-size"));
    let window = windows.reduce(|sum, window| Some(sum?.saturating_add(window?)));
    Some(TransferInterval {
        start_ns: ns_of_seconds(f64_at(sum, "/start")?)?,
        length_ns: length_ns(sum)?,
        rate_bps: Some(rate(sum, "/throughput-bits")?),
        retransmits: u64_at(sum, "/retransmits"),
        cwnd_bytes: window.flatten(),
        packets_lost: u64_at(sum, "/lost").and_then(|lost| lost.try_into().ok()),
        ..TransferInterval::default()
    })
}

fn latency(test: &Test<'_>) -> Payload {
    let delays = histogram(test.result, "/histogram-latency");
    let ttls = histogram(test.result, "/histogram-ttl");
    let ns = |bucket: Option<&(f64, u64)>| bucket.and_then(|(ms, _)| signed_ns(*ms));
    let ttl = |bucket: Option<&(f64, u64)>| bucket.and_then(|(ttl, _)| crate::units::whole(*ttl));
    let one_way = OneWay {
        from: test.from.clone(),
        to: test.to.clone(),
        sent: u64_at(test.result, "/packets-sent"),
        lost: u64_at(test.result, "/packets-lost"),
        loss_ratio: None,
        duplicates: u64_at(test.result, "/packets-duplicated"),
        reordered: u64_at(test.result, "/packets-reordered"),
        min_ns: ns(delays.first()),
        median_ns: ns(median(&delays)),
        max_ns: ns(delays.last()),
        clock_error_ns: f64_at(test.result, "/max-clock-error").and_then(|ms| ns_of_seconds(ms / 1e3)),
        hops: hops_of_ttl(ttl(ttls.first()), ttl(ttls.last())),
    };
    one_way.into_payload()
}

/// Buckets and how many packets fell into them, ascending.
fn histogram(result: &Value, pointer: &str) -> Vec<(f64, u64)> {
    let buckets = value_at(result, pointer).and_then(Value::as_object);
    let mut buckets: Vec<(f64, u64)> = buckets
        .into_iter()
        .flatten()
        .filter_map(|(bucket, count)| Some((bucket.parse().ok()?, count.as_u64()?)))
        .filter(|(bucket, count): &(f64, u64)| bucket.is_finite() && *count > 0)
        .collect();
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    buckets
}

/// The bucket that holds the middle packet.
fn median(buckets: &[(f64, u64)]) -> Option<&(f64, u64)> {
    let total: u64 = buckets
        .iter()
        .map(|(_, count)| *count)
        .fold(0, u64::saturating_add);
    let mut below = 0_u64;
    buckets.iter().find(|(_, count)| {
        below = below.saturating_add(*count);
        below >= total.div_ceil(2)
    })
}

/// ISO 8601: `PT0.0123S`.
fn duration_ns(value: &Value, name: &str) -> Option<u64> {
    let duration: jiff::SignedDuration = value.get(name)?.as_str()?.parse().ok()?;
    u64::try_from(duration.as_nanos()).ok()
}

fn round_trips(test: &Test<'_>) -> Payload {
    let packets: Vec<&Value> = test
        .result
        .get("roundtrips")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    let answered = packets.iter().filter(|packet| packet.get("rtt").is_some());
    let length = packets.iter().find_map(|packet| u64_at(packet, "/length"));
    let mut to = test.to.clone();
    if to.address.is_none() {
        to.address = packets.iter().find_map(|p| text_at(p, "/ip")?.parse().ok());
    }
    let header = if to.address.is_some_and(|address| address.is_ipv6()) {
        40
    } else {
        20
    };
    let part = |name| delay(duration_ns(test.result, name));
    let sent = packets.len() as u64;
    Payload::Probes(Probes {
        from: test.from.clone(),
        rows: vec![ProbeRow {
            to,
            // ping's length has the 8 bytes of ICMP in it.
            size_bytes: length.and_then(|length| u32::try_from(length.checked_add(header)?).ok()),
            sent: (sent > 0).then_some(sent),
            received: (sent > 0).then(|| answered.count() as u64),
            loss_ratio: f64_at(test.result, "/loss").filter(|loss| (0.0..=1.0).contains(loss)),
            delay: part("min").map(|min| DelayStatistics {
                min_ns: Some(min),
                mean_ns: part("mean"),
                max_ns: part("max"),
                deviation_ns: part("stddev"),
                ..DelayStatistics::default()
            }),
            ..ProbeRow::default()
        }],
        ..Probes::default()
    })
}

fn paths(test: &Test<'_>, findings: &mut Findings) {
    let paths = test.result.get("paths").and_then(Value::as_array);
    for path in paths.into_iter().flatten().filter_map(Value::as_array) {
        let hops: Vec<TraceHop> = (1..=u8::MAX)
            .zip(path)
            .map(|(ttl, hop)| self::hop(ttl, hop))
            .collect();
        let trace = Trace {
            from: test.from.clone(),
            to: test.to.clone(),
            reached: reached(&hops, &test.to),
            path_mtu_bytes: smallest_mtu(&hops),
            flows: vec![TraceFlow::of(hops)],
            ..Trace::default()
        };
        findings.record_of(test.lines, "pScheduler", test.at, Payload::Trace(trace));
    }
}

fn hop(ttl: u8, hop: &Value) -> TraceHop {
    let node = Node {
        name: text_at(hop, "/hostname").map(str::to_owned),
        address: text_at(hop, "/ip").and_then(|ip| ip.parse().ok()),
    };
    if node.is_unknown() {
        return TraceHop {
            ttl,
            unanswered: 1,
            ..TraceHop::default()
        };
    }
    let narrow = |pointer| u64_at(hop, pointer).and_then(|n| u32::try_from(n).ok());
    TraceHop {
        ttl,
        answers: vec![TraceAnswer {
            node,
            rtt_ns: duration_ns(hop, "rtt"),
            asn: narrow("/as/number"),
            mtu_bytes: narrow("/mtu"),
            mark: text_at(hop, "/error").map(str::to_owned),
            ..TraceAnswer::default()
        }],
        ..TraceHop::default()
    }
}

fn mtu(test: &Test<'_>) -> Option<Payload> {
    let mtu = u64_at(test.result, "/mtu").and_then(|mtu| u32::try_from(mtu).ok())?;
    Some(Payload::Trace(Trace {
        from: test.from.clone(),
        to: test.to.clone(),
        path_mtu_bytes: Some(mtu),
        ..Trace::default()
    }))
}

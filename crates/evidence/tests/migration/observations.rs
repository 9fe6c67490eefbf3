//! Whole observations of format 1, at random.

use super::basics::{end, number, protocol, text};
use super::paths::{echo, one_way, path_mtu, pings, route, trace};
use super::transfers::{record, tcp, udp};
use evidence::v1::{
    Ask, NotMeasured, NotMeasuredReason, Observation, Payload, Provenance, RateBps, Timestamp, Vantage,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

pub(super) fn not_measured() -> impl Strategy<Value = Payload> {
    let probes = (
        end(),
        protocol(),
        any::<u8>(),
        vec(any::<u32>(), 0..3),
        any::<[u32; 2]>(),
        any::<u64>(),
    );
    let ask = (
        0..7,
        probes,
        option::of(any::<u32>()),
        option::of(text()),
        number(),
    )
        .prop_map(
            |(kind, (from, protocol, flows, sizes_bytes, [count, pace], many), size, name, rate)| match kind {
                0 => Ask::HostFacts { at: from },
                1 => Ask::Route {
                    from,
                    protocol,
                    flows,
                },
                2 => Ask::PathMtu { from },
                3 => Ask::Echo {
                    from,
                    sizes_bytes,
                    count,
                    interval_ms: pace,
                },
                4 => Ask::HopLoss {
                    from,
                    ttls: vec![flows],
                    count: many,
                    rate_pps: pace,
                },
                5 => Ask::TcpThroughput {
                    sender: from,
                    streams: flows.into(),
                    mss_bytes: size,
                    socket_buffer_bytes: size,
                    congestion_control: name,
                    max_time_ms: pace,
                    max_bytes: size.map(u64::from),
                    watch_hops: flows > 9,
                },
                _ => Ask::UdpStream {
                    sender: from,
                    size_bytes: count,
                    rate_bps: RateBps(rate),
                    duration_ms: pace,
                },
            },
        );
    (ask, text()).prop_map(|(ask, detail)| {
        Payload::NotMeasured(NotMeasured {
            ask,
            reason: NotMeasuredReason::Budget,
            detail,
        })
    })
}

pub(super) fn payload() -> impl Strategy<Value = Payload> {
    prop_oneof![
        route(),
        trace(),
        path_mtu(),
        echo(),
        pings(),
        one_way(),
        tcp(),
        udp(),
        record(),
        not_measured()
    ]
}

pub(super) fn vantage() -> impl Strategy<Value = Vantage> {
    let elsewhere = text().prop_map(|place| Vantage::Elsewhere { place });
    prop_oneof![
        end().prop_map(Vantage::End),
        elsewhere,
        Just(Vantage::Elsewhere { place: String::new() })
    ]
}

pub(super) fn observation() -> impl Strategy<Value = Observation> {
    let provenance = (
        vantage(),
        any::<i64>(),
        any::<bool>(),
        any::<u32>(),
        text(),
        option::of(text()),
    )
        .prop_map(|(vantage, at, at_is_import_time, round, tool, raw)| Provenance {
            vantage,
            at: Timestamp(at),
            at_is_import_time,
            round,
            tool,
            raw_lines: raw.as_ref().map(|name| (1, name.len() as u64)),
            raw_sha256: raw,
        });
    (provenance, payload()).prop_map(|(provenance, payload)| Observation::new(provenance, payload))
}

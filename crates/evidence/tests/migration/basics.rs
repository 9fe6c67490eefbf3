//! What payloads of format 1 are made of, at random.

use evidence::v1::{
    CASE_SCHEMA_VERSION, Complaint, End, MplsLabel, Node, Party, ProbeProtocol, RateBps, RttSummary,
    StopReason, Timestamp,
};
use proptest::option;
use proptest::prelude::*;
use std::net::IpAddr;

/// Delays and counts that a clock or a counter of this century can reach.
pub(super) const LARGEST: u64 = i64::MAX as u64;

pub(super) fn complaint() -> Complaint {
    let party = |name: &str, address: &str| Party {
        name: name.to_owned(),
        address: address.parse().ok(),
    };
    Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: party("a.example", "240.0.0.1"),
        to: party("240.0.0.2", ""),
        local_end: End::From,
        expected_bps: None,
        since: None,
        said_by: None,
        opened_at: Timestamp(0),
        utc_offset_s: None,
    }
}

pub(super) fn end() -> impl Strategy<Value = End> {
    prop_oneof![Just(End::From), Just(End::To)]
}

pub(super) fn text() -> impl Strategy<Value = String> {
    "[a-z.]{1,9}"
}

pub(super) fn node() -> impl Strategy<Value = Node> {
    (option::of(text()), option::of(any::<IpAddr>())).prop_map(|(name, address)| Node { name, address })
}

pub(super) fn protocol() -> impl Strategy<Value = ProbeProtocol> {
    prop_oneof![
        Just(ProbeProtocol::Udp),
        Just(ProbeProtocol::Icmp),
        Just(ProbeProtocol::TcpSyn)
    ]
}

pub(super) fn stop() -> impl Strategy<Value = StopReason> {
    prop_oneof![
        Just(StopReason::Stable),
        Just(StopReason::MaxTime),
        Just(StopReason::PeerGone)
    ]
}

pub(super) fn number() -> impl Strategy<Value = f64> {
    (any::<u32>(), 1u32..).prop_map(|(a, b)| f64::from(a) / f64::from(b))
}

pub(super) fn rate() -> impl Strategy<Value = Option<RateBps>> {
    option::of(number().prop_map(RateBps))
}

pub(super) fn count() -> impl Strategy<Value = u64> {
    0..=LARGEST
}

pub(super) fn maybe() -> impl Strategy<Value = Option<u64>> {
    option::of(count())
}

pub(super) fn label() -> impl Strategy<Value = MplsLabel> {
    (any::<u32>(), any::<u8>(), any::<bool>(), option::of(any::<u8>())).prop_map(
        |(label, traffic_class, bottom, ttl)| MplsLabel {
            label,
            traffic_class,
            bottom,
            ttl,
        },
    )
}

pub(super) fn summary() -> impl Strategy<Value = RttSummary> {
    [count(), count(), count(), count(), count()].prop_map(|[min_ns, p50_ns, p90_ns, p99_ns, max_ns]| {
        RttSummary {
            min_ns,
            p50_ns,
            p90_ns,
            p99_ns,
            max_ns,
        }
    })
}

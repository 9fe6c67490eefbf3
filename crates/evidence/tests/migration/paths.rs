//! What was seen of paths in format 1, at random: routes, traces, tables of sizes, pings.

use super::basics::{label, maybe, node, number, protocol, summary, text};
use evidence::v1::{
    Echo, EchoContext, EchoMode, EchoSeries, FragmentationNeeded, HopReply, OneWay, PathMtu, Payload,
    PingError, PingRow, Pings, ReplyKind, Route, RouteFlow, RouteHop, RttStatistics, SizeCell, SizeProbeMode,
    Trace, TraceAnswer, TraceHop,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::net::IpAddr;

pub(super) fn route() -> impl Strategy<Value = Payload> {
    let reply = (
        any::<IpAddr>(),
        any::<u64>(),
        option::of(any::<u8>()),
        any::<u8>(),
        vec(label(), 0..3),
    )
        .prop_map(|(from, rtt_ns, reply_ttl, code, mpls)| HopReply {
            from,
            rtt_ns,
            reply_ttl,
            kind: ReplyKind::Unreachable { code },
            mpls,
        });
    // Each probe is answered once at most.
    let hop = (any::<u8>(), 0u16..9, vec(reply, 0..3)).prop_map(|(ttl, silent, replies)| RouteHop {
        ttl,
        sent: silent + replies.len() as u16,
        replies,
    });
    let flow = (any::<[u16; 2]>(), vec(hop, 0..3), option::of(any::<u8>())).prop_map(
        |([source_port, destination_port], hops, reached_ttl)| RouteFlow {
            source_port,
            destination_port,
            hops,
            reached_ttl,
        },
    );
    let rest = (any::<[IpAddr; 2]>(), protocol(), any::<u32>(), any::<u64>());
    (rest, vec(flow, 0..3), vec(option::of(text()), 30)).prop_map(
        |(([source, destination], protocol, packets_sent, elapsed_ns), flows, some_names)| {
            let seen = flows
                .iter()
                .flat_map(|flow| &flow.hops)
                .flat_map(|hop| &hop.replies);
            // Names are asked of the addresses that answered, and not all have one.
            let named: BTreeMap<IpAddr, String> = seen
                .zip(some_names)
                .filter_map(|(reply, name)| Some((reply.from, name?)))
                .collect();
            Payload::Route(Route {
                source,
                destination,
                protocol,
                flows,
                names: named,
                packets_sent,
                elapsed_ns,
            })
        },
    )
}

pub(super) fn trace() -> impl Strategy<Value = Payload> {
    let answer = (
        node(),
        option::of(any::<u64>()),
        option::of(any::<[u8; 2]>()),
        option::of(any::<[u32; 2]>()),
        option::of(text()),
    )
        // Something is told of every answer.
        .prop_filter("an answer", |(node, ..)| !node.is_unknown())
        .prop_map(|(node, rtt_ns, ttls, numbers, mark)| TraceAnswer {
            node,
            rtt_ns,
            reply_ttl: ttls.map(|[ttl, _]| ttl),
            asn: numbers.map(|[asn, _]| asn),
            return_hops: ttls.map(|[_, hops]| hops),
            mtu_bytes: numbers.map(|[_, mtu]| mtu),
            mark,
        });
    let hop = (any::<u8>(), vec(answer, 0..3), any::<u16>(), vec(label(), 0..3)).prop_map(
        |(ttl, answers, unanswered, mpls)| TraceHop {
            ttl,
            answers,
            unanswered,
            mpls,
        },
    );
    let settings = (
        option::of(protocol()),
        option::of(any::<[u32; 2]>()),
        option::of(any::<[bool; 2]>()),
    );
    (node(), node(), settings, vec(hop, 0..4)).prop_map(|(from, to, (protocol, sizes, flags), hops)| {
        Payload::Trace(Trace {
            from,
            to,
            protocol,
            size_bytes: sizes.map(|[size, _]| size),
            dont_fragment: flags.map(|[set, _]| set),
            hops,
            reached: flags.map(|[_, reached]| reached),
            path_mtu_bytes: sizes.map(|[_, mtu]| mtu),
        })
    })
}

pub(super) fn path_mtu() -> impl Strategy<Value = Payload> {
    let word = (any::<IpAddr>(), option::of(any::<u32>()))
        .prop_map(|(from, mtu_bytes)| FragmentationNeeded { from, mtu_bytes });
    let cell = (
        any::<bool>(),
        option::of(any::<u8>()),
        any::<u32>(),
        any::<[u16; 2]>(),
        vec(any::<IpAddr>(), 0..3),
        vec(word, 0..3),
        option::of(any::<u32>()),
    )
        .prop_map(
            |(df, ttl, size_bytes, [sent, answered], answered_by, fragmentation_needed, refused)| SizeCell {
                mode: match df {
                    true => SizeProbeMode::DontFragment,
                    false => SizeProbeMode::MayFragment,
                },
                ttl,
                size_bytes,
                sent,
                answered,
                answered_by,
                fragmentation_needed,
                refused_locally_mtu_bytes: refused,
            },
        );
    let rest = (any::<[IpAddr; 2]>(), protocol(), any::<[u32; 2]>(), any::<u64>());
    (rest, option::of(any::<u8>()), vec(cell, 0..4)).prop_map(
        |(
            ([source, destination], protocol, [interface_mtu_bytes, packets_sent], elapsed_ns),
            destination_ttl,
            cells,
        )| {
            Payload::PathMtu(PathMtu {
                source,
                destination,
                protocol,
                interface_mtu_bytes,
                destination_ttl,
                cells,
                packets_sent,
                elapsed_ns,
            })
        },
    )
}

pub(super) fn echo() -> impl Strategy<Value = Payload> {
    let modes = prop_oneof![
        Just(EchoMode::Expiring),
        Just(EchoMode::Direct),
        Just(EchoMode::ToDestination)
    ];
    let series = (
        modes,
        any::<u8>(),
        option::of(any::<IpAddr>()),
        any::<u32>(),
        any::<[u64; 2]>(),
        option::of(summary()),
        number(),
    )
        .prop_map(
            |(mode, ttl, address, size_bytes, [sent, answered], rtt, rate_pps)| EchoSeries {
                mode,
                ttl,
                address,
                size_bytes,
                sent,
                answered,
                rtt,
                rate_pps,
            },
        );
    let rest = (
        any::<[IpAddr; 2]>(),
        any::<bool>(),
        option::of(any::<u64>()),
        any::<u64>(),
    );
    (rest, vec(series, 0..4)).prop_map(
        |(([source, destination], load, own_socket_drops, elapsed_ns), series)| {
            Payload::Echo(Echo {
                source,
                destination,
                context: if load {
                    EchoContext::UnderLoad
                } else {
                    EchoContext::Idle
                },
                series,
                own_socket_drops,
                elapsed_ns,
            })
        },
    )
}

pub(super) fn pings() -> impl Strategy<Value = Payload> {
    let rtt = [maybe(), maybe(), maybe(), maybe()].prop_map(|[min_ns, mean_ns, max_ns, deviation_ns]| {
        RttStatistics {
            min_ns,
            mean_ns,
            max_ns,
            deviation_ns,
        }
    });
    let error = (option::of(node()), text(), option::of(any::<u32>()), any::<u64>()).prop_map(
        |(from, text, mtu_bytes, count)| PingError {
            from,
            text,
            mtu_bytes,
            count,
        },
    );
    let row = (
        (
            option::of(any::<u8>()),
            node(),
            option::of(any::<u32>()),
            option::of(any::<bool>()),
        ),
        [maybe(), maybe()],
        option::of(number()),
        option::of(rtt),
        vec(error, 0..3),
    )
        .prop_map(
            |((ttl, to, size_bytes, dont_fragment), [sent, received], loss_ratio, rtt, errors)| PingRow {
                ttl,
                to,
                size_bytes,
                dont_fragment,
                sent,
                received,
                loss_ratio,
                rtt,
                errors,
            },
        );
    (node(), option::of(node()), vec(row, 0..4)).prop_map(|(from, destination, rows)| {
        Payload::Pings(Pings {
            from,
            destination,
            rows,
        })
    })
}

pub(super) fn one_way() -> impl Strategy<Value = Payload> {
    let delays = [
        option::of(any::<i64>()),
        option::of(any::<i64>()),
        option::of(any::<i64>()),
    ];
    // More lost than sent is nonsense that a damaged record can hold.
    let counts = [maybe(), maybe(), maybe(), maybe(), maybe()];
    (
        node(),
        node(),
        counts,
        option::of(number()),
        delays,
        option::of(any::<u8>()),
    )
        .prop_map(
            |(
                from,
                to,
                [sent, lost, duplicates, reordered, clock_error_ns],
                loss_ratio,
                [min, median, max],
                hops,
            )| {
                Payload::OneWay(OneWay {
                    from,
                    to,
                    sent,
                    lost,
                    loss_ratio,
                    duplicates,
                    reordered,
                    min_ns: min,
                    median_ns: median,
                    max_ns: max,
                    clock_error_ns,
                    hops,
                })
            },
        )
}

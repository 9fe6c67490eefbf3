//! Transfers and streams of format 1, at random.

use super::basics::{end, maybe, node, number, rate, stop, summary, text};
use evidence::v1::{
    DelaySample, HostDrops, OneWayDelay, Payload, RateBps, TcpAccount, TcpInterval, TcpThroughput,
    ThroughputInterval, ThroughputRecord, Transport, UdpInterval, UdpStream,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::net::IpAddr;

pub(super) fn account() -> impl Strategy<Value = TcpAccount> {
    (
        maybe(),
        maybe(),
        option::of(any::<u32>()),
        option::of(any::<bool>()),
    )
        .prop_map(|(bytes_acked, timeouts, min_rtt_us, sack)| TcpAccount {
            bytes_acked,
            timeouts,
            min_rtt_us,
            sack,
            ..TcpAccount::default()
        })
}

pub(super) fn tcp() -> impl Strategy<Value = Payload> {
    let interval = (any::<[u64; 4]>(), maybe(), any::<[u32; 2]>(), rate()).prop_map(
        |(
            [start_ns, length_ns, bytes_acked, cwnd_bytes],
            bytes_received,
            [retransmits, rtt_us],
            delivery,
        )| {
            TcpInterval {
                start_ns,
                length_ns,
                bytes_acked,
                bytes_received,
                retransmits,
                cwnd_bytes,
                rtt_us,
                delivery_rate_bps: delivery,
            }
        },
    );
    let asked = (
        any::<u16>(),
        option::of(any::<u32>()),
        option::of(any::<u32>()),
        text(),
    );
    let outcome = (
        any::<[u64; 2]>(),
        rate(),
        rate(),
        stop(),
        vec(any::<(u16, u16)>(), 0..3),
    );
    let sides = (
        vec(account(), 0..3),
        vec(account(), 0..3),
        option::of(number()),
        option::of(number()),
    );
    (
        end(),
        any::<[IpAddr; 2]>(),
        asked,
        outcome,
        sides,
        vec(interval, 0..4),
    )
        .prop_map(
            |(sender, [source, destination], asked, outcome, sides, intervals)| {
                let (streams, requested_mss_bytes, requested_socket_buffer_bytes, congestion_control) = asked;
                let ([bytes_received, duration_ns], mean_bps, steady_bps, stop, ports) = outcome;
                let (sender_accounts, receiver_accounts, sender_cpu, receiver_cpu) = sides;
                Payload::TcpThroughput(TcpThroughput {
                    sender,
                    source,
                    destination,
                    streams,
                    requested_mss_bytes,
                    requested_socket_buffer_bytes,
                    congestion_control,
                    bytes_received,
                    duration_ns,
                    mean_bps,
                    steady_bps,
                    intervals,
                    sender_accounts,
                    receiver_accounts,
                    stop,
                    sender_cpu,
                    receiver_cpu,
                    ports,
                })
            },
        )
}

pub(super) fn udp() -> impl Strategy<Value = Payload> {
    let interval =
        (any::<[u64; 3]>(), any::<i64>()).prop_map(|([start_ns, length_ns, packets], lost)| UdpInterval {
            start_ns,
            length_ns,
            packets,
            lost,
        });
    let sample =
        (any::<u64>(), any::<i64>()).prop_map(|(sequence, delay_ns)| DelaySample { sequence, delay_ns });
    let delay = (any::<bool>(), any::<i64>(), summary(), vec(sample, 0..3)).prop_map(
        |(same_clock, min_ns, above_min, samples)| OneWayDelay {
            same_clock,
            min_ns,
            above_min,
            samples,
        },
    );
    let drops =
        [maybe(), maybe(), maybe(), maybe()].prop_map(|[refused, sender, socket, receiver]| HostDrops {
            sender_refused: refused,
            sender_interface: sender,
            receiver_socket: socket,
            receiver_interface: receiver,
        });
    let seen = (
        drops,
        vec(any::<(u64, u64)>(), 0..3),
        vec(interval, 0..3),
        option::of(delay),
        stop(),
    );
    let rates = (
        any::<u32>(),
        number(),
        rate(),
        rate(),
        option::of(number()),
        option::of(number()),
    );
    (end(), any::<[IpAddr; 2]>(), any::<[u64; 5]>(), rates, seen).prop_map(
        |(sender, [source, destination], counts, rates, seen)| {
            let [packets_sent, packets_received, duplicates, reordered, duration_ns] = counts;
            let (size_bytes, target, sent_bps, received_bps, sender_cpu, receiver_cpu) = rates;
            let (host_drops, loss_runs, intervals, one_way_delay, stop) = seen;
            Payload::UdpStream(UdpStream {
                sender,
                source,
                destination,
                size_bytes,
                target_bps: RateBps(target),
                packets_sent,
                packets_received,
                duplicates,
                reordered,
                sent_bps,
                received_bps,
                host_drops,
                loss_runs,
                intervals,
                one_way_delay,
                duration_ns,
                stop,
                sender_cpu,
                receiver_cpu,
            })
        },
    )
}

pub(super) fn record() -> impl Strategy<Value = Payload> {
    let interval = (any::<[u64; 2]>(), number(), [maybe(), maybe(), maybe()]).prop_map(
        |([start_ns, length_ns], rate, [retransmits, cwnd_bytes, packets_lost])| ThroughputInterval {
            start_ns,
            length_ns,
            rate_bps: RateBps(rate),
            retransmits,
            cwnd_bytes,
            packets_lost,
        },
    );
    let protocol = option::of(prop_oneof![Just(Transport::Tcp), Just(Transport::Udp)]);
    let words = (option::of(text()), option::of(text()), option::of(text()));
    let asked = (
        option::of(any::<u16>()),
        maybe(),
        option::of(any::<u32>()),
        maybe(),
    );
    let counts = [maybe(), maybe(), maybe(), maybe(), maybe(), maybe()];
    (
        node(),
        node(),
        protocol,
        words,
        asked,
        (rate(), rate(), rate()),
        counts,
        vec(interval, 0..3),
    )
        .prop_map(
            |(
                from,
                to,
                protocol,
                (application, congestion_control, note),
                asked,
                rates,
                counts,
                intervals,
            )| {
                let (streams, window_bytes, mss_bytes, duration_ns) = asked;
                let (target_bps, sent_bps, received_bps) = rates;
                let [
                    retransmits,
                    packets_sent,
                    packets_lost,
                    packets_reordered,
                    jitter_ns,
                    rtt_ns,
                ] = counts;
                Payload::Throughput(ThroughputRecord {
                    from,
                    to,
                    protocol,
                    application,
                    streams,
                    window_bytes,
                    mss_bytes,
                    congestion_control,
                    duration_ns,
                    target_bps,
                    sent_bps,
                    received_bps,
                    retransmits,
                    packets_sent,
                    packets_lost,
                    packets_reordered,
                    jitter_ns,
                    rtt_ns,
                    note,
                    intervals,
                })
            },
        )
}

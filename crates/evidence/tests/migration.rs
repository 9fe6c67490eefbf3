//! Format 1 becomes format 2 without loss: whatever is made of an old payload, the old payload can be made of it again.

use evidence::migrate::{self, back};
use evidence::v1::{
    Ask, CASE_SCHEMA_VERSION, Complaint, DelaySample, Echo, EchoContext, EchoMode, EchoSeries, End,
    FragmentationNeeded, HopReply, HostDrops, MplsLabel, Node, NotMeasured, NotMeasuredReason, Observation,
    OneWay, OneWayDelay, Party, PathMtu, Payload, PingError, PingRow, Pings, ProbeProtocol, Provenance,
    RateBps, ReplyKind, Route, RouteFlow, RouteHop, RttStatistics, RttSummary, SizeCell, SizeProbeMode,
    StopReason, TcpAccount, TcpInterval, TcpThroughput, ThroughputInterval, ThroughputRecord, Timestamp,
    Trace, TraceAnswer, TraceHop, Transport, UdpInterval, UdpStream, Vantage, to_json_line,
};
use evidence::{Payload as New, observations_from_jsonl};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Delays and counts that a clock or a counter of this century can reach.
const LARGEST: u64 = i64::MAX as u64;

fn complaint() -> Complaint {
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

fn end() -> impl Strategy<Value = End> {
    prop_oneof![Just(End::From), Just(End::To)]
}

fn text() -> impl Strategy<Value = String> {
    "[a-z.]{1,9}"
}

fn node() -> impl Strategy<Value = Node> {
    (option::of(text()), option::of(any::<IpAddr>())).prop_map(|(name, address)| Node { name, address })
}

fn protocol() -> impl Strategy<Value = ProbeProtocol> {
    prop_oneof![
        Just(ProbeProtocol::Udp),
        Just(ProbeProtocol::Icmp),
        Just(ProbeProtocol::TcpSyn)
    ]
}

fn stop() -> impl Strategy<Value = StopReason> {
    prop_oneof![
        Just(StopReason::Stable),
        Just(StopReason::MaxTime),
        Just(StopReason::PeerGone)
    ]
}

fn number() -> impl Strategy<Value = f64> {
    (any::<u32>(), 1u32..).prop_map(|(a, b)| f64::from(a) / f64::from(b))
}

fn rate() -> impl Strategy<Value = Option<RateBps>> {
    option::of(number().prop_map(RateBps))
}

fn count() -> impl Strategy<Value = u64> {
    0..=LARGEST
}

fn maybe() -> impl Strategy<Value = Option<u64>> {
    option::of(count())
}

fn label() -> impl Strategy<Value = MplsLabel> {
    (any::<u32>(), any::<u8>(), any::<bool>(), option::of(any::<u8>())).prop_map(
        |(label, traffic_class, bottom, ttl)| MplsLabel {
            label,
            traffic_class,
            bottom,
            ttl,
        },
    )
}

fn summary() -> impl Strategy<Value = RttSummary> {
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

fn route() -> impl Strategy<Value = Payload> {
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

fn trace() -> impl Strategy<Value = Payload> {
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

fn path_mtu() -> impl Strategy<Value = Payload> {
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

fn echo() -> impl Strategy<Value = Payload> {
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

fn pings() -> impl Strategy<Value = Payload> {
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

fn one_way() -> impl Strategy<Value = Payload> {
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

fn account() -> impl Strategy<Value = TcpAccount> {
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

fn tcp() -> impl Strategy<Value = Payload> {
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

fn udp() -> impl Strategy<Value = Payload> {
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

fn record() -> impl Strategy<Value = Payload> {
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

fn not_measured() -> impl Strategy<Value = Payload> {
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

fn payload() -> impl Strategy<Value = Payload> {
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

fn vantage() -> impl Strategy<Value = Vantage> {
    let elsewhere = text().prop_map(|place| Vantage::Elsewhere { place });
    prop_oneof![
        end().prop_map(Vantage::End),
        elsewhere,
        Just(Vantage::Elsewhere { place: String::new() })
    ]
}

fn observation() -> impl Strategy<Value = Observation> {
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn every_field_of_every_kind_arrives(old in observation()) {
        let complaint = complaint();
        let new = migrate::observation(old.clone(), &complaint);
        let [back] = back::observation(&new, &complaint).try_into().map_err(|_| TestCaseError::fail("one for one"))?;
        prop_assert_eq!(&back.payload, &old.payload);
        prop_assert_eq!(back.provenance, old.provenance);
        prop_assert_eq!((new.id, new.provenance.was), (old.id.clone(), Some(old.id)));
    }

    #[test]
    fn what_is_written_in_format_2_is_read_back(old in observation()) {
        let new = migrate::observation(old.clone(), &complaint());
        let (read, complaints) = observations_from_jsonl(&new.to_line(), &complaint());
        prop_assert_eq!(complaints, vec![]);
        prop_assert_eq!((&read[0].payload, &read[0].provenance), (&new.payload, &new.provenance));
        prop_assert_ne!(&read[0].id, &old.id, "what is written now has a name of its own");
    }

    #[test]
    fn a_line_of_format_1_is_read_under_its_own_name(old in observation(), place in any::<prop::sample::Index>()) {
        let line = to_json_line(&old);
        let (read, complaints) = observations_from_jsonl(&line, &complaint());
        prop_assert_eq!(complaints, vec![]);
        prop_assert_eq!(&read, &[migrate::observation(old.clone(), &complaint())]);
        // Beside a line of the present format, and still checked by its name.
        let both = format!("{line}{}", read[0].to_line());
        prop_assert_eq!(observations_from_jsonl(&both, &complaint()).0.len(), 2);
        let digits: Vec<usize> = line.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
        let at = *place.get(&digits);
        let digit = if line[at..].starts_with('1') { "2" } else { "1" };
        let altered = format!("{}{digit}{}", &line[..at], &line[at + 1..]);
        let value = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok();
        prop_assume!(value(&altered) != value(&line));
        prop_assert!(observations_from_jsonl(&altered, &complaint()).0.is_empty());
    }
}

#[test]
fn kinds_that_did_not_change_pass_as_they_are() {
    let statement = evidence::Statement {
        quantity: evidence::Quantity::Rtt,
        from: Node::named("a.example"),
        to: Node::default(),
        subject: None,
        value: 0.1,
        range: Some((0.05, 0.2)),
        text: "about 100 ms".to_owned(),
    };
    let vantage = Vantage::Elsewhere { place: String::new() };
    let new = migrate::payload(Payload::Statement(statement.clone()), &vantage, &complaint());
    assert_eq!(new, New::Statement(statement));
}

#[test]
fn an_end_is_known_by_its_name_or_address_and_by_its_name_first() {
    let complaint = complaint();
    let node = |name: &str, address: &str| Node {
        name: (!name.is_empty()).then(|| name.to_owned()),
        address: address.parse().ok(),
    };
    for (node, end) in [
        (complaint.node(End::From), Some(End::From)),
        (complaint.node(End::To), Some(End::To)),
        (node("A.example.", ""), Some(End::From)),
        (node("", "240.0.0.2"), Some(End::To)),
        // Behind a translator: the name is what stays.
        (node("a.example", "10.0.0.1"), Some(End::From)),
        (complaint.to.node_at("10.0.0.2".parse().unwrap()), Some(End::To)),
        // The name of one at the address of the other.
        (node("a.example", "240.0.0.2"), Some(End::From)),
        (node("c.example", "240.0.0.3"), None),
        (Node::default(), None),
    ] {
        assert_eq!(complaint.end_of(&node), end, "{node}");
    }
    // One host at both ends, by its name and by its address.
    let mut loopback = complaint.clone();
    loopback.from.address = loopback.node(End::To).address;
    for end in [End::From, End::To] {
        assert_eq!(loopback.end_of(&loopback.node(end)), Some(end));
    }
    // One host at both ends, by one name: it is both, and told as the sender.
    let mut alone = complaint;
    alone.to = alone.from.clone();
    assert_eq!(alone.end_of(&alone.node(End::To)), Some(End::From));
}

#[test]
fn a_label_stack_without_an_answer_came_in_an_answer() {
    let label = MplsLabel {
        label: 16,
        traffic_class: 0,
        bottom: true,
        ttl: None,
    };
    let hop = TraceHop {
        ttl: 3,
        unanswered: 2,
        mpls: vec![label],
        ..TraceHop::default()
    };
    let old = Trace {
        hops: vec![hop],
        ..Trace::default()
    };
    let vantage = Vantage::End(End::From);
    let New::Trace(new) = migrate::payload(Payload::Trace(old.clone()), &vantage, &complaint()) else {
        panic!("a trace is a trace");
    };
    assert_eq!(new.flows[0].hops[0].answers[0].mpls, [label]);
    assert_eq!(
        back::payloads(&New::Trace(new), &complaint()),
        [Payload::Trace(old)]
    );
}

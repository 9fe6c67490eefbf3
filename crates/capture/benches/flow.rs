//! What following connections costs: `cargo bench -p capture --bench flow`.
//!
//! Segments made here: one bulk transfer, with and without losses, and many small connections at once. Times are those of the
//! thread on its processor: the wall clock of a busy machine measures its neighbours. What making the segments costs is
//! measured apart and taken off.
#![allow(clippy::unwrap_used, clippy::disallowed_types, unreachable_pub, missing_docs)]

use capture::flow::{Limits, Table};
use capture::{Endpoint, Flags, FlowKey, Options, Segment};
use std::time::Duration;

const MSS: u32 = 1448;

/// Time that this thread spent on a processor, from the kernel.
fn on_cpu() -> Duration {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(
        status
            .split(' ')
            .next()
            .and_then(|ns| ns.parse().ok())
            .unwrap_or(0),
    )
}

fn segment(flow: u32, is_up: bool, time_ns: i64, seq: u32, ack: u32, payload_bytes: u32) -> Segment {
    let client = Endpoint {
        address: (0x0a00_0000 + flow / 16_384).to_be_bytes().into(),
        port: 1024 + (flow % 16_384) as u16,
    };
    let server = Endpoint {
        address: [192, 168, 0, 1].into(),
        port: 80,
    };
    let (key, way) = if is_up {
        FlowKey::of(client, server)
    } else {
        FlowKey::of(server, client)
    };
    let stamp = (time_ns / 1_000_000) as u32;
    Segment {
        time_ns,
        key,
        hash: key.hash(7),
        way,
        seq,
        ack,
        payload_bytes,
        window: 65_535,
        flags: Flags::ACK,
        ip_bytes: 52 + payload_bytes,
        ip_id: Some(seq as u16),
        ttl: 64,
        traffic_class: 0,
        dont_fragment: true,
        fragments: 1,
        options: Options {
            timestamps: Some((stamp, stamp)),
            ..Options::default()
        },
        ..Segment::BLANK
    }
}

fn syn(mut segment: Segment, is_answer: bool) -> Segment {
    segment.flags = if is_answer {
        Flags(Flags::SYN.0 | Flags::ACK.0)
    } else {
        Flags::SYN
    };
    segment.options.mss_bytes = Some(1460);
    segment.options.window_scale = Some(7);
    segment.options.sack_permitted = true;
    segment
}

fn handshake(flow: u32, at_ns: i64, each: &mut dyn FnMut(&Segment)) {
    each(&syn(segment(flow, true, at_ns, 0, 0, 0), false));
    each(&syn(segment(flow, false, at_ns + 1_000_000, 0, 1, 0), true));
    each(&segment(flow, true, at_ns + 1_010_000, 1, 1, 0));
}

/// Two segments, one acknowledgement, 100 segments in flight; one in `lost` is lost behind the capture point and comes again.
fn bulk(packets: u32, lost: u32, each: &mut dyn FnMut(&Segment)) {
    handshake(0, 0, each);
    let place = |n: u32| 1u32.wrapping_add(n.wrapping_mul(MSS));
    let mut now_ns = 2_000_000;
    for n in 0..packets * 2 / 3 {
        now_ns += 10_000;
        each(&segment(0, true, now_ns, place(n), 1, MSS));
        if n % 2 == 0 || n < 101 {
            continue;
        }
        let arrived = n - 100;
        let since = if lost > 0 { arrived % lost } else { 200 };
        let mut answer = segment(0, false, now_ns + 1, 1, place(arrived), 0);
        if since < 100 && arrived > lost {
            answer.ack = place(arrived - since);
            answer.add_sack((place(arrived - since + 1), place(arrived + 1)));
            if since <= 1 {
                each(&answer);
                each(&segment(0, true, now_ns + 2, place(arrived - since), 1, MSS));
                continue;
            }
        }
        each(&answer);
    }
}

/// So many connections at once, of 25 packets each: request, answer of 12 segments, end.
fn small(flows: u32, each: &mut dyn FnMut(&Segment)) {
    for flow in 0..flows {
        handshake(flow, i64::from(flow) * 1000, each);
    }
    let began = i64::from(flows) * 1000 + 2_000_000;
    for flow in 0..flows {
        each(&segment(flow, true, began + i64::from(flow) * 1000, 1, 1, 300));
        each(&segment(
            flow,
            false,
            began + i64::from(flow) * 1000 + 900,
            1,
            301,
            0,
        ));
    }
    for n in 0..12u32 {
        for flow in 0..flows {
            let now_ns = 2 * began + (i64::from(n) * i64::from(flows) + i64::from(flow)) * 1000;
            each(&segment(flow, false, now_ns, 1 + n * MSS, 301, MSS));
            if n % 2 == 1 {
                each(&segment(flow, true, now_ns + 300, 301, 1 + (n + 1) * MSS, 0));
            }
        }
    }
}

/// Makes segments, each for the function that it is given.
type Maker<'a> = dyn Fn(&mut dyn FnMut(&Segment)) + 'a;

fn measure(name: &str, limits: Limits, make: &Maker<'_>) {
    let mut packets = 0u64;
    let mut sum = 0u64;
    let began = on_cpu();
    make(&mut |segment| {
        packets += 1;
        sum = sum.wrapping_add(segment.hash ^ u64::from(segment.seq));
    });
    let making = on_cpu() - began;
    std::hint::black_box(sum);
    let mut table = Table::new(limits);
    let mut reports = 0u64;
    let began = on_cpu();
    make(&mut |segment| table.take(segment, &mut |_| reports += 1));
    let following = (on_cpu() - began).saturating_sub(making);
    let (counts, bytes) = (table.counts(), table.memory_bytes());
    let began = on_cpu();
    table.finish(&mut |_| reports += 1);
    let finishing = on_cpu() - began;
    println!(
        "{name}: {packets} packets, {:.1} ns a packet; {} connections, {:.0} ns each at the end, {:.0} bytes each ({} evicted)",
        following.as_nanos() as f64 / packets as f64,
        counts.seen,
        finishing.as_nanos() as f64 / counts.live.max(1) as f64,
        bytes as f64 / counts.live.max(1) as f64,
        counts.evicted,
    );
}

fn main() {
    let limits = Limits {
        memory_bytes: 8 << 30,
        ..Limits::default()
    };
    for _ in 0..2 {
        measure("bulk", limits, &|each| bulk(3_000_000, 0, each));
        measure("bulk, one of 1000 lost", limits, &|each| {
            bulk(3_000_000, 1000, each)
        });
        measure("100 connections at once", limits, &|each| {
            (0..100).for_each(|_| small(100, each))
        });
        measure("100,000 connections at once", limits, &|each| {
            small(100_000, each)
        });
    }
    if std::env::args().any(|argument| argument == "--large") {
        let limits = Limits {
            memory_bytes: 2 << 30,
            ..Limits::default()
        };
        measure("10 million connections in 2 GiB", limits, &|each| {
            for flow in 0..10_000_000 {
                handshake(flow, i64::from(flow) * 1000, each);
            }
        });
    }
}

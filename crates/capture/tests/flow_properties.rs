//! What must hold of any conversation, and of any nonsense.

mod script;

use capture::flow::{Brief, Extent, FlowReport, HalfEvent, HalfReport, Limits, SentKind, Sink, Table};
use capture::{Endpoint, Flags, FlowKey, Options, Segment, Way};
use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use script::{World, run};
use serde_json::Value;
use std::collections::BTreeMap;

const MSS: u32 = 1000;

/// Wants connections of up to so many bytes whole.
#[derive(Debug, Default)]
struct Sums {
    most: u64,
    wholes: Vec<FlowReport>,
    briefs: u64,
    all: Brief,
}

impl Sink for Sums {
    fn wants(&self, extent: &Extent) -> bool {
        extent.unique_bytes < self.most
    }

    fn whole(&mut self, flow: FlowReport) {
        self.all.add(&Brief::of(&flow));
        self.wholes.push(flow);
    }

    fn brief(&mut self, flow: &Brief) {
        self.briefs += flow.connections;
        self.all.add(flow);
    }
}

/// From the capture point to the receiver, and from the sender to the capture point, one way.
const BEHIND_NS: i64 = 15_000_000;
const BEFORE_NS: i64 = 5_000_000;

/// What the network of [`transfer`] did.
#[derive(Debug, Default, PartialEq, Eq)]
struct Truth {
    lost_behind: u64,
    lost_before: u64,
    overtaken: u64,
    retransmissions_seen: u64,
}

/// A sender with SACK and a fixed window over a lossy path, captured in the middle: a small model of what RFC 6675 and 6298
/// ask for. Each segment is sent again once a round trip after something above it was SACKed, or by the timer.
struct Model {
    random: SmallRng,
    loss: f64,
    reorder: f64,
    has_stamps: bool,
    truth: Truth,
    seen: Vec<Segment>,
    /// (time at the receiver, number of the segment, stamp)
    arrivals: BTreeMap<(i64, u64), (u32, u32)>,
    serial: u64,
}

impl Model {
    fn stamp(now_ns: i64) -> u32 {
        (now_ns / 1_000_000) as u32
    }

    fn send(&mut self, world: &World, now_ns: i64, number: u32, is_again: bool) {
        self.serial += 1;
        let mut segment = world.read("0 > 0:1000").remove(0).segment;
        segment.seq = world
            .client_isn
            .wrapping_add(1)
            .wrapping_add(number.wrapping_mul(MSS));
        segment.options.timestamps = self.has_stamps.then(|| (Self::stamp(now_ns), 1));
        segment.time_ns = now_ns + BEFORE_NS;
        if self.random.random_bool(self.loss) {
            self.truth.lost_before += 1;
            return;
        }
        if !is_again && self.random.random_bool(self.reorder) {
            segment.time_ns += self.random.random_range(150_000..2_000_000);
        }
        self.seen.push(segment);
        self.truth.retransmissions_seen += u64::from(is_again);
        if self.random.random_bool(self.loss) {
            self.truth.lost_behind += 1;
            return;
        }
        self.arrivals.insert(
            (segment.time_ns + BEHIND_NS, self.serial),
            (number, Self::stamp(now_ns)),
        );
    }
}

/// Runs the model: what a capture point sees, in its order of time, and the truth.
fn transfer(
    world: &World,
    seed: u64,
    count: u32,
    loss: f64,
    reorder: f64,
    has_stamps: bool,
) -> (Vec<Segment>, Truth) {
    let mut model = Model {
        random: SmallRng::seed_from_u64(seed),
        loss,
        reorder,
        has_stamps,
        truth: Truth::default(),
        seen: Vec::new(),
        arrivals: BTreeMap::new(),
        serial: 0,
    };
    const WINDOW: u32 = 40;
    const RTT_NS: i64 = 2 * (BEHIND_NS + BEFORE_NS);
    let mut arrived = vec![false; count as usize];
    let mut sent_ns: BTreeMap<u32, i64> = BTreeMap::new();
    let (mut next, mut una, mut now_ns) = (0u32, 0u32, world.start_ns + 50_000_000);
    // What the sender knows: (when it learns, una, highest SACKed + 1, when what was delivered last was sent).
    let mut known: BTreeMap<(i64, u64), (u32, u32, i64)> = BTreeMap::new();
    let (mut highest, mut delivered_ns, mut heard_ns) = (0u32, i64::MIN, now_ns);
    let mut sends_at: BTreeMap<u64, i64> = BTreeMap::new();
    while una < count {
        while let Some(((at_ns, serial), (number, stamp))) = model.arrivals.pop_first_if(|at| at.0 <= now_ns)
        {
            arrived[number as usize] = true;
            let ack = arrived
                .iter()
                .position(|arrived| !arrived)
                .unwrap_or(count as usize) as u32;
            let top = arrived
                .iter()
                .rposition(|arrived| *arrived)
                .map_or(0, |top| top as u32 + 1);
            let mut answer = world.read("0 < A").remove(0).segment;
            let base = world.client_isn.wrapping_add(1);
            answer.ack = base.wrapping_add(ack * MSS);
            answer.time_ns = at_ns + BEHIND_NS;
            answer.options.timestamps = has_stamps.then_some((1, stamp));
            if top > ack {
                // The stretch that this segment is in.
                let from = (0..=number)
                    .rev()
                    .take_while(|at| arrived[*at as usize])
                    .last()
                    .unwrap_or(number);
                let to = (number..count)
                    .take_while(|at| arrived[*at as usize])
                    .last()
                    .unwrap_or(number)
                    + 1;
                if from > ack {
                    answer.add_sack((base.wrapping_add(from * MSS), base.wrapping_add(to * MSS)));
                }
            }
            model.seen.push(answer);
            let sent = sends_at.get(&serial).copied().unwrap_or(i64::MIN);
            known.insert((at_ns + BEHIND_NS + BEFORE_NS, serial), (ack, top, sent));
        }
        while let Some((_, (ack, top, sent))) = known.pop_first_if(|at| at.0 <= now_ns) {
            (una, highest, delivered_ns) = (una.max(ack), highest.max(top), delivered_ns.max(sent));
            heard_ns = now_ns;
        }
        // RACK: lost if something sent a quarter round trip later was delivered.
        let lost = sent_ns.range(una..).find(|(number, at_ns)| {
            **number < highest && !arrived_known(&arrived, **number) && **at_ns + RTT_NS / 4 < delivered_ns
        });
        if let Some((number, _)) = lost {
            let number = *number;
            model.send(world, now_ns, number, true);
            sends_at.insert(model.serial, now_ns);
            sent_ns.insert(number, now_ns);
        } else if next < count && next < una + WINDOW {
            model.send(world, now_ns, next, false);
            sends_at.insert(model.serial, now_ns);
            sent_ns.insert(next, now_ns);
            next += 1;
        } else {
            let oldest_ns = sent_ns.range(una..).next().map_or(now_ns, |sent| *sent.1);
            if una < count && now_ns - heard_ns.max(oldest_ns) > RTT_NS + 210_000_000 {
                model.send(world, now_ns, una, true);
                sends_at.insert(model.serial, now_ns);
                sent_ns.insert(una, now_ns);
            }
        }
        now_ns += 100_000;
    }
    let Model { mut seen, truth, .. } = model;
    seen.sort_by_key(|segment| segment.time_ns);
    (seen, truth)
}

/// The model's sender knows what has arrived as soon as it is SACKed; that it learns half a round trip early changes nothing
/// for the order of what it sends.
fn arrived_known(arrived: &[bool], number: u32) -> bool {
    arrived.get(number as usize).copied().unwrap_or(false)
}

trait PopIf<K, V> {
    fn pop_first_if(&mut self, is_due: impl FnOnce(&K) -> bool) -> Option<(K, V)>;
}

impl<K: Ord, V> PopIf<K, V> for BTreeMap<K, V> {
    fn pop_first_if(&mut self, is_due: impl FnOnce(&K) -> bool) -> Option<(K, V)> {
        if self.first_key_value().is_some_and(|(key, _)| is_due(key)) {
            self.pop_first()
        } else {
            None
        }
    }
}

fn opening(world: &World) -> Vec<Segment> {
    world
        .read("0 > S\n 30 < SA\n 40 > A ack=0")
        .iter()
        .map(|line| line.segment)
        .collect()
}

fn data_half(report: &FlowReport, world: &World) -> HalfReport {
    report.halves[world.key().1.index()].clone()
}

/// All points in time counted from this one. What is shorter than an hour is a length of time: the model's transfers last seconds.
fn since(start_ns: i64, value: Value) -> Value {
    const HOUR_NS: i64 = 3_600_000_000_000;
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(time_ns) if start_ns > HOUR_NS && (time_ns - start_ns).abs() < HOUR_NS => {
                (time_ns - start_ns).into()
            }
            _ => Value::Number(number),
        },
        Value::Array(all) => all.into_iter().map(|one| since(start_ns, one)).collect(),
        Value::Object(all) => {
            let shifted = all.into_iter().map(|(name, one)| (name, since(start_ns, one)));
            Value::Object(shifted.collect())
        }
        other => other,
    }
}

/// Packets behind the end of a connection: copies of some of it, most of them altered.
fn late(random: &mut SmallRng, all: &[Segment]) -> Vec<Segment> {
    let last_ns = all.last().map_or(0, |segment| segment.time_ns);
    let count = random.random_range(0..12);
    let one = |n: i64| {
        let place = random.random_range(0..all.len());
        let mut segment = Segment {
            time_ns: last_ns + n * random.random_range(0..40),
            ..all[place]
        };
        let by = random.random_range(0..3) * random.random_range(0..MSS);
        match random.random_range(0..10) {
            0 => segment.seq = segment.seq.wrapping_add(by),
            1 => segment.seq = segment.seq.wrapping_sub(by),
            2 => segment.ack = segment.ack.wrapping_add(by),
            3 => segment.payload_bytes = by,
            4 => segment.payload_bytes = 1,
            5 => segment.window = by as u16,
            6 => segment.flags = Flags(random.random_range(0..64)),
            7 => segment.add_sack((segment.ack.wrapping_add(by), segment.ack.wrapping_add(2 * by))),
            8 => segment.ip_id = [None, Some(0), Some(7)][random.random_range(0..3)],
            _ => {}
        }
        segment
    };
    (0..count).map(one).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Every loss is found, on its side of the capture point, and none is invented.
    #[test]
    fn losses_are_found_and_none_is_invented(seed in any::<u64>(), isn in any::<u32>(), loss in 0.0..0.05, stamps in any::<bool>()) {
        let world = World { client_isn: isn, ..World::default() };
        let (seen, truth) = transfer(&world, seed, 300, loss, 0.0, stamps);
        let packets: Vec<Segment> = opening(&world).into_iter().chain(seen).collect();
        let half = data_half(&run(&packets).1[0], &world);
        prop_assert_eq!(half.unique_bytes, u64::from(300 * MSS));
        prop_assert_eq!(half.unseen_bytes, 0);
        prop_assert_eq!((half.duplicated, half.misplaced_packets), (0, 0));
        // A segment lost twice before this point leaves one gap: what never passed cannot be counted.
        prop_assert!(half.lost_before <= truth.lost_before);
        let all = half.lost_before + half.lost_behind;
        prop_assert!(all <= truth.lost_before + truth.lost_behind, "{:?} {:?}", half, truth);
        prop_assert!(all + 3 + truth.lost_before / 10 >= truth.lost_before + truth.lost_behind, "{:?} {:?}", half, truth);
    }

    /// Reordering is no loss.
    #[test]
    fn reordering_is_no_loss(seed in any::<u64>(), isn in any::<u32>(), stamps in any::<bool>()) {
        let world = World { client_isn: isn, ..World::default() };
        let (seen, truth) = transfer(&world, seed, 300, 0.0, 0.05, stamps);
        prop_assert_eq!(truth.lost_before + truth.lost_behind, 0);
        let packets: Vec<Segment> = opening(&world).into_iter().chain(seen).collect();
        let half = data_half(&run(&packets).1[0], &world);
        prop_assert_eq!(half.lost_before, 0);
        // The model's sender retransmits when it takes reordering for loss: those copies are all that may count behind.
        prop_assert!(half.lost_behind <= truth.retransmissions_seen);
    }

    /// Neither when it was, nor where the numbers began, nor which end sorts first changes what is found.
    #[test]
    fn shifts_change_nothing(seed in any::<u64>(), isn in any::<u32>(), other in any::<u32>(), shift_s in 10_000i64..100_000, swap in any::<bool>()) {
        let world = World { client_isn: isn, server_isn: other, is_client_low: !swap, start_ns: shift_s * 1_000_000_000, ..World::default() };
        let plain = World::default();
        let reports = [world, plain].map(|world| {
            let (seen, _) = transfer(&world, seed, 120, 0.02, 0.02, true);
            // Stamps are of the shifted clock: made the same, as the receiver's are.
            let packets: Vec<Segment> = opening(&world).into_iter().chain(seen).collect();
            since(world.start_ns, serde_json::to_value(data_half(&run(&packets).1[0], &world)).unwrap())
        });
        prop_assert_eq!(&reports[0], &reports[1]);
    }

    /// Three tables with a part of the connections each find what one with all of them does.
    #[test]
    fn shards_find_what_one_table_finds(seed in any::<u64>()) {
        let mut random = SmallRng::seed_from_u64(seed);
        let packets: Vec<Segment> = (0..600).map(|n| Segment { time_ns: n, ..nonsense(&mut random, n) }).collect();
        // A shard hands out what has ended when its own next packet comes: without that, nothing depends on the others.
        let limits = Limits { linger_ns: i64::MAX, ..Limits::default() };
        let all = |tables: usize| {
            let mut shards: Vec<Table> = (0..tables).map(|_| Table::new(limits)).collect();
            let mut reports = Vec::new();
            for packet in &packets {
                shards[packet.hash as usize % tables].take(packet, &mut |report| reports.push(report));
            }
            for shard in &mut shards {
                shard.finish(&mut |report| reports.push(report));
            }
            reports.sort_by_key(|report| format!("{report:?}"));
            reports
        };
        prop_assert_eq!(all(1), all(3));
    }

    /// Who looks at the events of large connections, and when, does not matter.
    #[test]
    fn others_may_look_at_events(
        seed in any::<u64>(),
        count in 300u32..4_000,
        loss in 0.0..0.05,
        is_alone: bool,
        parts in prop::collection::vec((1usize..2_000, any::<bool>(), any::<bool>()), 1..20),
    ) {
        let world = World::default();
        let (seen, _) = transfer(&world, seed, count, loss, 0.02, true);
        let one: Vec<Segment> = opening(&world).into_iter().chain(seen).collect();
        // Another one, stretch by stretch.
        let mut key = world.key().0;
        key.low.port += 1;
        let both: Vec<Segment> = one
            .chunks(300)
            .flat_map(|few| [few.to_vec(), few.iter().map(|segment| Segment { key, hash: key.hash(7), ..*segment }).collect()])
            .flatten()
            .collect();
        let mut rest = if is_alone { &one[..] } else { &both[..] };
        let (mut plain, mut shared) = (Table::new(Limits::default()), Table::new(Limits::default()));
        let (mut expected, mut found) = (Sums { most: u64::MAX, ..Sums::default() }, Sums { most: u64::MAX, ..Sums::default() });
        plain.take_all(&rest.iter().copied().collect(), &mut expected);
        let mut handed_over = Vec::new();
        for (length, is_wanted, is_looked_at) in parts.iter().cycle() {
            let (next, behind) = rest.split_at((*length).min(rest.len()));
            shared.share(*is_wanted);
            shared.take_all(&next.iter().copied().collect(), &mut found);
            handed_over.extend(shared.backlogs().cloned());
            if *is_looked_at {
                handed_over.drain(..).for_each(|backlog| backlog.work());
            }
            rest = behind;
            if rest.is_empty() {
                break;
            }
        }
        plain.finish_into(&mut expected);
        shared.finish_into(&mut found);
        // What was taken back before has nothing left.
        prop_assert!(handed_over.iter().all(|backlog| !backlog.is_waiting()));
        prop_assert_eq!(expected.wholes, found.wholes);
    }

    /// What sums need of a connection is the same, whether anybody wants it whole or not.
    #[test]
    fn a_brief_says_what_a_report_says(seed in any::<u64>(), count in 1u32..150, loss in 0.0..0.1, has_end: bool, nonsensical: bool) {
        let mut random = SmallRng::seed_from_u64(seed);
        let world = World::default();
        let packets: Vec<Segment> = if nonsensical {
            (0..600).map(|n| nonsense(&mut random, n)).collect()
        } else {
            let (seen, _) = transfer(&world, seed, count, loss, 0.02, true);
            let mut all: Vec<Segment> = opening(&world).into_iter().chain(seen).collect();
            if let (true, Some(&last)) = (has_end, all.last()) {
                let end = all.iter().filter(|segment| segment.payload_bytes > 0).map(|segment| segment.seq).max();
                let end = end.unwrap_or(last.seq).wrapping_add(MSS);
                let sent = all.iter().find(|segment| segment.payload_bytes > 0).copied().unwrap_or(last);
                let fin = Segment { seq: end, payload_bytes: 0, flags: Flags(Flags::FIN.0 | Flags::ACK.0), time_ns: last.time_ns + 1, ..sent };
                let answer = Segment { ack: end.wrapping_add(1), seq: sent.ack, way: sent.way.reversed(), time_ns: last.time_ns + 2, ..fin };
                let done = Segment { seq: end.wrapping_add(1), ack: sent.ack.wrapping_add(1), flags: Flags::ACK, time_ns: last.time_ns + 3, ..fin };
                all.extend([fin, answer, done, fin]);
                all.extend(late(&mut random, &all));
            }
            all
        };
        let told = |most: u64, together: usize| {
            let mut table = Table::new(Limits { linger_ns: 1_000, ..Limits::default() });
            let mut sums = Sums { most, ..Sums::default() };
            for packets in packets.chunks(together) {
                table.take_all(&packets.iter().copied().collect(), &mut sums);
            }
            table.finish_into(&mut sums);
            sums
        };
        let (whole, brief, some) = (told(u64::MAX, 1), told(0, 1), told(20_000, 7));
        prop_assert_eq!(whole.briefs, 0);
        prop_assert_eq!(brief.wholes.len(), 0);
        prop_assert_eq!(whole.wholes.len() as u64, brief.briefs);
        prop_assert_eq!(whole.all, brief.all);
        prop_assert_eq!(whole.all, some.all);
        // And whether segments come one by one or together.
        prop_assert_eq!(whole.wholes, told(u64::MAX, 1000).wholes);
    }

    /// Whatever comes, nothing panics, bounds hold, and packets and bytes add up.
    #[test]
    fn nonsense_keeps_the_bounds(seed in any::<u64>(), memory_bytes in 50_000usize..500_000) {
        let mut random = SmallRng::seed_from_u64(seed);
        let limits = Limits { memory_bytes, ..Limits::default() };
        let mut table = Table::new(limits);
        table.watch_all();
        let mut reports = Vec::new();
        let (mut packets, mut payload, mut events) = (0u64, 0u64, 0u64);
        for n in 0..2000 {
            let segment = nonsense(&mut random, n);
            packets += 1;
            payload += u64::from(segment.payload_bytes);
            table.take_observed(&segment, &mut |report| reports.push(report), &mut |_, _, event, _| {
                events += 1;
                if let HalfEvent::Sent(sent) = event {
                    assert!(sent.start <= sent.end);
                    assert!(sent.kind != SentKind::New || sent.end > sent.start);
                }
            });
            // One connection alone may be larger than a small bound.
            assert!(table.memory_bytes() <= memory_bytes.max(600_000));
        }
        table.finish(&mut |report| reports.push(report));
        let halves = || reports.iter().flat_map(|report| &report.halves);
        prop_assert_eq!(halves().map(|half| half.packets).sum::<u64>(), packets);
        prop_assert_eq!(halves().map(|half| half.payload_bytes).sum::<u64>(), payload);
        prop_assert!(halves().all(|half| half.unique_bytes <= half.payload_bytes));
        prop_assert!(events > 0);
        prop_assert_eq!(table.counts().live, 0);
        prop_assert_eq!(table.counts().seen, reports.len() as u64);
    }
}

/// A packet that nobody would send, of few connections, so that they hit each other.
fn nonsense(random: &mut SmallRng, n: i64) -> Segment {
    let (key, way) = {
        let low = Endpoint {
            address: [10, 0, 0, 1].into(),
            port: random.random_range(1..6),
        };
        FlowKey::of(
            low,
            Endpoint {
                address: [10, 0, 0, 2].into(),
                port: 80,
            },
        )
    };
    let near = |random: &mut SmallRng| match random.random_range(0..10) {
        0 => random.random::<u32>(),
        1 => [0, 1, u32::MAX, 1 << 31, (1 << 31) - 1, 1 << 30][random.random_range(0..6)],
        _ => random.random_range(0..30u32).wrapping_mul(700).wrapping_sub(2000),
    };
    let options = Options {
        mss_bytes: random.random_bool(0.2).then(|| random.random()),
        window_scale: random.random_bool(0.2).then(|| random.random()),
        timestamps: random.random_bool(0.5).then(|| (near(random), near(random))),
        is_cut: random.random_bool(0.1),
        ..Options::default()
    };
    let blocks: Vec<(u32, u32)> = (0..random.random_range(0..5))
        .map(|_| (near(random), near(random)))
        .collect();
    let flags = match random.random_range(0..12) {
        0 => Flags(random.random::<u16>() & 0x1ff),
        1 => Flags::SYN,
        2 => Flags(Flags::SYN.0 | Flags::ACK.0),
        3 => Flags(Flags::FIN.0 | Flags::ACK.0),
        _ => Flags::ACK,
    };
    let mut segment = Segment {
        time_ns: match random.random_range(0..50) {
            0 => random.random(),
            1 => i64::MAX,
            2 => i64::MIN,
            _ => n * 3_000_000,
        },
        key,
        hash: key.hash(1),
        way: if random.random() { way } else { way.reversed() },
        seq: near(random),
        ack: near(random),
        payload_bytes: match random.random_range(0..12) {
            0 => random.random(),
            1 => 1,
            2..5 => 0,
            _ => random.random_range(1..3000),
        },
        window: if random.random_bool(0.2) {
            0
        } else {
            random.random()
        },
        flags,
        ip_bytes: random.random(),
        ip_id: random.random_bool(0.8).then(|| random.random_range(0..50)),
        ttl: random.random(),
        traffic_class: random.random(),
        dont_fragment: random.random(),
        fragments: if random.random_bool(0.05) {
            random.random()
        } else {
            1
        },
        options,
        ..Segment::BLANK
    };
    blocks.into_iter().for_each(|block| segment.add_sack(block));
    segment
}

/// Four gigabytes and more with the largest scale: nothing is lost, nothing is twice, windows are what they are.
#[test]
fn numbers_wrap() {
    let world = World {
        client_isn: u32::MAX - 500,
        scale: Some(14),
        ..World::default()
    };
    let mut packets = opening(&world);
    const BYTES: u32 = 60_000_000;
    for n in 0..200u32 {
        let mut data = world.read("0 > 0:0").remove(0).segment;
        data.payload_bytes = BYTES;
        data.seq = world
            .client_isn
            .wrapping_add(1)
            .wrapping_add(n.wrapping_mul(BYTES));
        data.time_ns += 50_000_000 + i64::from(n) * 10_000_000;
        let mut answer = world.read("0 < A").remove(0).segment;
        answer.ack = data.seq.wrapping_add(BYTES);
        answer.time_ns = data.time_ns + 30_000_000;
        packets.extend([data, answer]);
    }
    packets.sort_by_key(|packet| packet.time_ns);
    let (events, reports) = run(&packets);
    let half = &reports[0].halves[Way::Up.index()];
    assert_eq!(
        (half.unique_bytes, half.retransmitted_bytes, half.unseen_bytes),
        (12_000_000_000, 0, 0)
    );
    assert_eq!(half.window_bytes, Some((65_535 << 14, 65_535 << 14)));
    let last_ack = events.iter().flatten().filter_map(|(_, event)| match event {
        HalfEvent::Acked(acked) => Some(acked.ack),
        HalfEvent::Sent(_) => None,
    });
    assert_eq!(last_ack.max(), Some(12_000_000_000));
}

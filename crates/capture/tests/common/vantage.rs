//! One bulk transfer over a line of capture points, seeded, with all that happened written down.
//!
//! Data go up, acknowledgements down. What is lost is sent again a round trip later, until it arrives.
#![allow(dead_code, unreachable_pub)]

use capture::{Endpoint, Flags, FlowKey, Options, Segment, Way};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

pub const SECOND: i64 = 1_000_000_000;
pub const MSS: u32 = 1448;

/// Between two points (or, the first and last, between an end and its point).
#[derive(Debug, Clone)]
pub struct Leg {
    pub delay_ns: [i64; 2],
    pub jitter_ns: i64,
    pub loss: [f64; 2],
    /// Packets larger than this (IP) never pass.
    pub mtu_bytes: u32,
    pub reorder: f64,
    pub duplicate: f64,
    pub hops: u8,
    /// The sender's address is another behind this leg, and sorts on the other side of the receiver's.
    pub translates: bool,
    pub isn_shift: [u32; 2],
    pub fragments: bool,
    pub clears_df: bool,
    pub dscp_to_zero: bool,
    pub mss_to: Option<u16>,
}

impl Default for Leg {
    fn default() -> Self {
        Self {
            delay_ns: [5_000_000, 5_000_000],
            jitter_ns: 300_000,
            loss: [0.0; 2],
            mtu_bytes: u32::MAX,
            reorder: 0.0,
            duplicate: 0.0,
            hops: 3,
            translates: false,
            isn_shift: [0; 2],
            fragments: false,
            clears_df: false,
            dscp_to_zero: false,
            mss_to: None,
        }
    }
}

/// A capture.
#[derive(Debug, Clone)]
pub struct Tap {
    pub offset_ns: i64,
    pub drift_ppm: f64,
    /// (true time, by so much)
    pub step: Option<(i64, i64)>,
    pub drops: f64,
    pub from_ns: i64,
    pub to_ns: i64,
}

impl Default for Tap {
    fn default() -> Self {
        Self {
            offset_ns: 0,
            drift_ppm: 0.0,
            step: None,
            drops: 0.0,
            from_ns: i64::MIN,
            to_ns: i64::MAX,
        }
    }
}

impl Tap {
    pub fn local_ns(&self, true_ns: i64) -> i64 {
        let stepped = self.step.map_or(0, |(at, by)| if true_ns >= at { by } else { 0 });
        true_ns + self.offset_ns + (true_ns as f64 * self.drift_ppm * 1e-6) as i64 + stepped
    }
}

#[derive(Debug, Clone)]
pub struct Plan {
    pub seed: u64,
    /// Taps less one: between tap and tap.
    pub legs: Vec<Leg>,
    pub taps: Vec<Tap>,
    pub packets: u32,
    pub gap_ns: i64,
    pub stamps: bool,
    pub ids: bool,
    /// Packets in a segment at the first tap.
    pub train: u32,
    /// Packets joined at the last tap, at most.
    pub joins: u32,
    pub isn: [u32; 2],
}

impl Plan {
    pub fn new(seed: u64, taps: usize) -> Self {
        Self {
            seed,
            legs: vec![Leg::default(); taps - 1],
            taps: vec![Tap::default(); taps],
            packets: 20_000,
            gap_ns: 200_000,
            stamps: true,
            ids: true,
            train: 1,
            joins: 1,
            isn: [0xffff_0000, 77],
        }
    }

    /// Least time from the first tap to the last and back.
    pub fn rtt_ns(&self) -> i64 {
        self.legs
            .iter()
            .map(|leg| leg.delay_ns[0] + leg.delay_ns[1])
            .sum()
    }
}

/// What was lost, where: stretch, way (0 up), sequence number at the first tap, whether bare.
pub type Lost = (usize, usize, u32, bool);

#[derive(Debug, Default)]
pub struct World {
    pub captures: Vec<Vec<Segment>>,
    pub lost: Vec<Lost>,
    /// By tap: the packets that its capture dropped. Bare ones at the ends leave no trace and are not counted.
    pub dropped: Vec<u64>,
    /// By stretch and way.
    pub duplicated: Vec<[u64; 2]>,
    pub reordered: Vec<[u64; 2]>,
    pub end_ns: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Send,
    Resend(u32, u32),
    At { packet: usize, tap: usize, serial: u64 },
}

#[derive(Debug, Clone)]
struct Packet {
    up: bool,
    segment: Segment,
    /// First of a train at the first tap: so many bytes there; 0: in the train of another.
    train_bytes: u32,
}

struct Sim<'a> {
    plan: &'a Plan,
    rng: StdRng,
    events: BinaryHeap<Reverse<(i64, u64, Event)>>,
    serial: u64,
    packets: Vec<Packet>,
    /// Last departure by leg and way, so that jitter does not reorder.
    last: Vec<[i64; 2]>,
    entered: Vec<[u64; 2]>,
    newest: Vec<[u64; 2]>,
    order: Vec<[BTreeMap<usize, u64>; 2]>,
    sent: u32,
    received: BTreeSet<u32>,
    expected: u32,
    unacked: u32,
    ids: [u16; 2],
    world: World,
}

fn endpoint(last: u8, port: u16) -> Endpoint {
    Endpoint {
        address: std::net::IpAddr::from([10, 0, 0, last]),
        port,
    }
}

pub fn run(plan: &Plan) -> World {
    let taps = plan.taps.len();
    let mut sim = Sim {
        plan,
        rng: StdRng::seed_from_u64(plan.seed),
        events: BinaryHeap::new(),
        serial: 0,
        packets: Vec::new(),
        last: vec![[0; 2]; taps],
        entered: vec![[0; 2]; taps],
        newest: vec![[0; 2]; taps],
        order: vec![Default::default(); taps],
        sent: 0,
        received: BTreeSet::new(),
        expected: 0,
        unacked: 0,
        ids: [1000, 60000],
        world: World {
            captures: vec![Vec::new(); taps],
            dropped: vec![0; taps],
            duplicated: vec![[0; 2]; taps - 1],
            reordered: vec![[0; 2]; taps - 1],
            ..World::default()
        },
    };
    sim.handshake();
    while let Some(Reverse((time_ns, _, event))) = sim.events.pop() {
        sim.world.end_ns = sim.world.end_ns.max(time_ns);
        match event {
            Event::Send => sim.send(time_ns),
            Event::Resend(first, count) => sim.transmit(time_ns, first, count, true),
            Event::At { packet, tap, serial } => sim.at(time_ns, packet, tap, serial),
        }
    }
    if plan.joins > 1
        && let Some(last) = sim.world.captures.last_mut()
    {
        *last = joined(last, plan.joins);
    }
    sim.world
}

/// As a receiver's offload would: packets in sequence with one time stamp become one segment.
fn joined(records: &[Segment], most: u32) -> Vec<Segment> {
    let mut out: Vec<Segment> = Vec::new();
    for record in records {
        if let Some(last) = out.last_mut()
            && last.way == record.way
            && last.payload_bytes > 0
            && record.payload_bytes > 0
            && last.seq.wrapping_add(last.payload_bytes) == record.seq
            && last.options.timestamps == record.options.timestamps
            && last.payload_bytes / MSS < most
            && last.payload_bytes % MSS == 0
        {
            last.payload_bytes += record.payload_bytes;
            last.ip_bytes += record.payload_bytes;
            last.time_ns = record.time_ns;
        } else {
            out.push(*record);
        }
    }
    out
}

impl Sim<'_> {
    fn push(&mut self, time_ns: i64, event: Event) {
        self.serial += 1;
        self.events.push(Reverse((time_ns, self.serial, event)));
    }

    fn segment(
        &mut self,
        up: bool,
        time_ns: i64,
        seq: u32,
        ack: u32,
        payload_bytes: u32,
        flags: u16,
    ) -> Segment {
        let way = usize::from(!up);
        self.ids[way] = self.ids[way].wrapping_add(1).max(1);
        let ms = |base: u32| base.wrapping_add((time_ns / 1_000_000) as u32);
        let timestamps = self.plan.stamps.then(|| {
            if up {
                (ms(500), ms(u32::MAX - 40))
            } else {
                (ms(u32::MAX - 40), ms(500))
            }
        });
        let headers = 40 + if self.plan.stamps { 12 } else { 0 };
        Segment {
            time_ns,
            key: FlowKey {
                low: endpoint(1, 40000),
                high: endpoint(9, 443),
            },
            hash: 0,
            way: if up { Way::Up } else { Way::Down },
            seq,
            ack,
            payload_bytes,
            window: 500,
            flags: Flags(flags),
            ip_bytes: headers + payload_bytes,
            ip_id: Some(if self.plan.ids { self.ids[way] } else { 0 }),
            ttl: 64,
            traffic_class: 0x28,
            dont_fragment: true,
            fragments: 1,
            options: Options {
                timestamps,
                ..Options::default()
            },
            ..Segment::BLANK
        }
    }

    fn launch(&mut self, time_ns: i64, segment: Segment, train_bytes: u32) {
        let up = segment.way == Way::Up;
        self.packets.push(Packet {
            up,
            segment,
            train_bytes,
        });
        let tap = if up { 0 } else { self.plan.taps.len() - 1 };
        let serial = self.serial;
        self.push(
            time_ns,
            Event::At {
                packet: self.packets.len() - 1,
                tap,
                serial,
            },
        );
    }

    fn handshake(&mut self) {
        let rtt_ns = self.plan.rtt_ns();
        let [up, down] = self.plan.isn;
        let syn = Options {
            mss_bytes: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            ..Options::default()
        };
        for (time_ns, is_up, seq, ack, flags) in [
            (0, true, up, 0, 2),
            (rtt_ns / 2 + 1, false, down, up.wrapping_add(1), 18),
        ] {
            let mut segment = self.segment(is_up, time_ns, seq, ack, 0, flags);
            segment.options = Options {
                timestamps: segment.options.timestamps,
                ..syn
            };
            self.launch(time_ns, segment, 0);
        }
        self.push(rtt_ns * 2, Event::Send);
    }

    fn send(&mut self, time_ns: i64) {
        let count = self.plan.train.min(self.plan.packets - self.sent);
        self.transmit(time_ns, self.sent, count, false);
        self.sent += count;
        if self.sent < self.plan.packets {
            self.push(time_ns + self.plan.gap_ns * i64::from(count), Event::Send);
        }
    }

    fn transmit(&mut self, time_ns: i64, first: u32, count: u32, again: bool) {
        let [up, down] = self.plan.isn;
        for number in first..first + count {
            if again && self.received.contains(&number) {
                continue;
            }
            let seq = up.wrapping_add(1).wrapping_add(number.wrapping_mul(MSS));
            let segment = self.segment(true, time_ns, seq, down.wrapping_add(1), MSS, 16);
            let train_bytes = if number == first { count * MSS } else { 0 };
            self.launch(time_ns + i64::from(number - first) * 1_000, segment, train_bytes);
        }
    }

    fn at(&mut self, time_ns: i64, packet: usize, tap: usize, serial: u64) {
        let up = self.packets[packet].up;
        let way = usize::from(!up);
        self.capture(time_ns, packet, tap);
        self.note_order(packet, tap, way, serial);
        let end = if up { self.plan.taps.len() - 1 } else { 0 };
        if tap == end {
            return self.deliver(time_ns, packet);
        }
        let gap = if up { tap } else { tap - 1 };
        let leg = self.plan.legs[gap].clone();
        let segment = self.packets[packet].segment;
        let next = if up { tap + 1 } else { tap - 1 };
        let is_lost = self.rng.random_bool(leg.loss[way]) || segment.ip_bytes > leg.mtu_bytes;
        if is_lost && !segment.flags.has(Flags::SYN) {
            let is_bare = segment.payload_bytes == 0;
            self.world.lost.push((gap, way, segment.seq, is_bare));
            if !is_bare {
                let number = segment.seq.wrapping_sub(self.plan.isn[0]).wrapping_sub(1) / MSS;
                self.push(time_ns + self.plan.rtt_ns() * 3 / 2, Event::Resend(number, 1));
            }
            return;
        }
        let jitter = if self.rng.random_bool(0.3) {
            0
        } else {
            self.rng.random_range(0..=leg.jitter_ns)
        };
        let mut arrives = (time_ns + leg.delay_ns[way] + jitter).max(self.last[gap][way] + 1_000);
        if self.rng.random_bool(leg.reorder) {
            arrives += self.plan.gap_ns * 5;
        } else {
            self.last[gap][way] = arrives;
        }
        let order = self.serial;
        self.push(
            arrives,
            Event::At {
                packet,
                tap: next,
                serial: order,
            },
        );
        if self.rng.random_bool(leg.duplicate) {
            self.world.duplicated[gap][way] += 1;
            self.packets.push(self.packets[packet].clone());
            let copy = self.packets.len() - 1;
            self.last[gap][way] = self.last[gap][way].max(arrives + 2_000);
            self.push(
                arrives + 2_000,
                Event::At {
                    packet: copy,
                    tap: next,
                    serial: order,
                },
            );
        }
    }

    /// RFC 4737: overtaken on the stretch before this tap.
    fn note_order(&mut self, packet: usize, tap: usize, way: usize, _: u64) {
        let entered = self.entered[tap][way];
        self.entered[tap][way] += 1;
        self.order[tap][way].insert(packet, entered);
        let before = if way == 0 {
            tap.checked_sub(1)
        } else {
            Some(tap + 1).filter(|&tap| tap < self.plan.taps.len())
        };
        let Some(before) = before else { return };
        let Some(&place) = self.order[before][way].get(&packet) else {
            return;
        };
        let newest = &mut self.newest[tap][way];
        if place < *newest {
            self.world.reordered[tap.min(before)][way] += 1;
        }
        *newest = place.max(*newest);
    }

    fn capture(&mut self, time_ns: i64, packet: usize, tap: usize) {
        let train_bytes = self.packets[packet].train_bytes;
        let mut segment = self.seen(packet, tap);
        let clock = &self.plan.taps[tap];
        if time_ns < clock.from_ns || time_ns > clock.to_ns {
            return;
        }
        if tap == 0 && self.plan.train > 1 && segment.payload_bytes > 0 {
            if train_bytes == 0 {
                return;
            }
            segment.ip_bytes += train_bytes - segment.payload_bytes;
            segment.payload_bytes = train_bytes;
        }
        segment.time_ns = clock.local_ns(time_ns);
        if clock.drops > 0.0 && self.rng.random_bool(clock.drops) {
            let is_end = tap == 0 || tap + 1 == self.plan.taps.len();
            self.world.dropped[tap] += u64::from(!is_end || segment.payload_bytes > 0);
            return;
        }
        self.world.captures[tap].push(segment);
    }

    /// The packet with all that the legs before this tap did to it.
    fn seen(&self, packet: usize, tap: usize) -> Segment {
        let Packet { up, mut segment, .. } = self.packets[packet].clone();
        let passed = if up {
            &self.plan.legs[..tap]
        } else {
            &self.plan.legs[tap..]
        };
        for leg in passed {
            segment.ttl -= leg.hops;
            if leg.fragments && segment.ip_bytes > 1400 {
                segment.fragments = 2;
                segment.ip_bytes += 20;
            }
            segment.dont_fragment &= !leg.clears_df;
            if leg.dscp_to_zero {
                segment.traffic_class &= 3;
            }
            if let (Some(mss), Some(most)) = (&mut segment.options.mss_bytes, leg.mss_to) {
                *mss = (*mss).min(most);
            }
        }
        let numbered = &self.plan.legs[..tap];
        for leg in numbered {
            let (own, other) = if up { (0, 1) } else { (1, 0) };
            segment.seq = segment.seq.wrapping_add(leg.isn_shift[own]);
            if segment.flags.has(Flags::ACK) {
                segment.ack = segment.ack.wrapping_add(leg.isn_shift[other]);
            }
            if leg.translates {
                segment.key = FlowKey {
                    low: endpoint(9, 443),
                    high: endpoint(200, 61000),
                };
                segment.way = if up { Way::Down } else { Way::Up };
            }
        }
        segment
    }

    fn deliver(&mut self, time_ns: i64, packet: usize) {
        let Packet { up, segment, .. } = self.packets[packet].clone();
        if !up || segment.flags.has(Flags::SYN) {
            return;
        }
        let [isn, down] = self.plan.isn;
        let number = segment.seq.wrapping_sub(isn).wrapping_sub(1) / MSS;
        let in_order = number == self.expected;
        self.received.insert(number);
        while self.received.contains(&self.expected) {
            self.expected += 1;
        }
        self.unacked += 1;
        if self.unacked >= 2 || !in_order {
            self.unacked = 0;
            let ack = isn.wrapping_add(1).wrapping_add(self.expected.wrapping_mul(MSS));
            let answer = self.segment(false, time_ns, down.wrapping_add(1), ack, 0, 16);
            self.launch(time_ns + 10_000, answer, 0);
        }
    }
}

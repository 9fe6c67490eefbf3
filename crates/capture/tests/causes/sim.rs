//! A small discrete simulation of one transfer, with the truth of what its sender waited for.
//!
//! It knows nothing of the analysis: a TCP sender with SACK, a program that writes, a receiver that reads, one queue. What
//! passes the capture point becomes events (`watch.rs`).

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

pub(crate) const MS: i64 = 1_000_000;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Control {
    Reno,
    Cubic,
    /// Paced at the rate of the bottleneck, with gains; deaf to loss.
    Bbr,
}

#[derive(Debug, Clone)]
pub(crate) enum Program {
    Bulk,
    /// Writes so many bytes, then pauses so long, at several scales: (block bytes, pause ns), the smallest first.
    Blocks(Vec<(u64, i64)>),
}

#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) rtt: i64,
    /// Part of the one-way path that lies before the capture point.
    pub(crate) point: f64,
    /// The bottleneck lies before the capture point.
    pub(crate) queue_before: bool,
    pub(crate) rate_bps: f64,
    pub(crate) line_bps: f64,
    pub(crate) buffer: u64,
    pub(crate) mss: u64,
    /// Segments taken together by segmentation offload, as the capture at the sender sees them.
    pub(crate) offload: u64,
    pub(crate) control: Control,
    pub(crate) hystart: bool,
    pub(crate) paced: bool,
    pub(crate) program: Program,
    pub(crate) send_buffer: u64,
    pub(crate) window: u64,
    /// The receiving program reads so fast.
    pub(crate) reads_bps: Option<f64>,
    pub(crate) loss: f64,
    /// Token bucket that drops: rate, depth in bytes.
    pub(crate) policer: Option<(f64, f64)>,
    /// Packets with more payload vanish, from then on.
    pub(crate) hole: Option<u64>,
    /// Relative to the round trip.
    pub(crate) jitter: f64,
    /// Segments per acknowledgement.
    pub(crate) ack_every: u64,
    pub(crate) total: u64,
    pub(crate) most_ns: i64,
}

impl Default for World {
    fn default() -> Self {
        Self {
            seed: 1,
            rtt: 20 * MS,
            point: 0.0,
            queue_before: false,
            rate_bps: 1e8,
            line_bps: 1e9,
            buffer: 250_000,
            mss: 1448,
            offload: 1,
            control: Control::Cubic,
            hystart: true,
            paced: false,
            program: Program::Bulk,
            send_buffer: 64 << 20,
            window: 64 << 20,
            reads_bps: None,
            loss: 0.0,
            policer: None,
            hole: None,
            jitter: 0.01,
            ack_every: 2,
            total: 20_000_000,
            most_ns: 60_000 * MS,
        }
    }
}

/// Why the sender did not send, moment by moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wait {
    Program,
    SendBuffer,
    Window,
    Opening,
    Repair,
    Regrow,
    Pace,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Packet {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) copy: u32,
    pub(crate) push: bool,
    pub(crate) timer: bool,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Ack {
    pub(crate) ack: u64,
    pub(crate) edge: u64,
    /// The segments that it answers.
    pub(crate) got: [Option<(u64, u64)>; 2],
    /// Bytes behind a gap.
    pub(crate) sacked: u64,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Passed(Packet),
    AtQueue(Packet),
    AtReceiver(Packet),
    AckPassed(Ack),
    AckHome(Ack),
    DelayedAck(u64),
    Reads,
    Writes,
    Paced,
    Timer(u64),
}

#[derive(Debug, Clone, Copy)]
struct Segment {
    end: u64,
    sent: i64,
    copies: u32,
    sacked: bool,
    lost: bool,
    push: bool,
}

pub(crate) enum Seen {
    Data(Packet),
    Ack(Ack),
}

pub(crate) struct Run {
    pub(crate) world: World,
    pub(crate) seen: Vec<(i64, Seen)>,
    /// From when on the sender waited for what.
    pub(crate) waits: Vec<(i64, Wait)>,
    /// When the link was busy.
    pub(crate) busy: Vec<(i64, i64)>,
    pub(crate) end: i64,
    pub(crate) lost: u64,
}

struct Sim {
    run: Run,
    rng: SmallRng,
    now: i64,
    order: u64,
    events: BinaryHeap<Reverse<(i64, u64, usize)>>,
    store: Vec<What>,
    free: Vec<usize>,
    // sender
    segments: BTreeMap<u64, Segment>,
    lost: std::collections::BTreeSet<u64>,
    looked: u64,
    looks: u32,
    una: u64,
    next: u64,
    edge: u64,
    written: u64,
    boundaries: BTreeMap<u64, ()>,
    blocked: bool,
    pausing: bool,
    done_blocks: Vec<u64>,
    cwnd: f64,
    ssthresh: f64,
    recovery: Option<u64>,
    had_loss: bool,
    w_max: f64,
    epoch: Option<i64>,
    srtt: i64,
    base: i64,
    highest_sacked: u64,
    timer_id: u64,
    backoff: u32,
    pace_next: i64,
    pace_armed: bool,
    pipe: u64,
    mss: u64,
    gain_at: i64,
    gain_index: usize,
    bw: f64,
    full: u32,
    round_end: u64,
    round_acked: u64,
    round_start: i64,
    line_free: i64,
    // queue
    busy_until: i64,
    tokens: f64,
    tokens_at: i64,
    // receiver
    got: BTreeMap<u64, u64>,
    expected: u64,
    unread: f64,
    read_at: i64,
    owed: u64,
    owed_seg: Option<(u64, u64)>,
    owed_id: u64,
    last_edge: u64,
    last_data: [i64; 3],
    last_ack: i64,
}

pub(crate) fn run(world: &World) -> Run {
    let mut sim = Sim::new(world.clone());
    sim.drive();
    sim.run
}

impl Sim {
    fn new(world: World) -> Self {
        let mss = world.mss;
        let start = 1_700_000_000_000_000_000;
        Self {
            rng: SmallRng::seed_from_u64(world.seed),
            now: start,
            order: 0,
            events: BinaryHeap::new(),
            store: Vec::new(),
            free: Vec::new(),
            segments: BTreeMap::new(),
            lost: std::collections::BTreeSet::new(),
            looked: 0,
            looks: 0,
            una: 0,
            next: 0,
            edge: world.window,
            written: 0,
            boundaries: BTreeMap::new(),
            blocked: false,
            pausing: false,
            done_blocks: match &world.program {
                Program::Blocks(levels) => vec![0; levels.len()],
                Program::Bulk => Vec::new(),
            },
            cwnd: 10.0 * mss as f64,
            ssthresh: f64::MAX,
            recovery: None,
            had_loss: false,
            w_max: 0.0,
            epoch: None,
            srtt: world.rtt,
            base: i64::MAX,
            highest_sacked: 0,
            timer_id: 0,
            backoff: 0,
            pace_next: 0,
            pace_armed: false,
            pipe: 0,
            mss,
            gain_at: 0,
            gain_index: 0,
            bw: 0.0,
            full: 0,
            round_end: 0,
            round_acked: 0,
            round_start: start,
            line_free: 0,
            busy_until: 0,
            tokens: world.policer.map_or(0.0, |(_, depth)| depth),
            tokens_at: start,
            got: BTreeMap::new(),
            expected: 0,
            unread: 0.0,
            read_at: start,
            owed: 0,
            owed_seg: None,
            owed_id: 0,
            last_edge: world.window,
            last_data: [0; 3],
            last_ack: 0,
            run: Run {
                world,
                seen: Vec::new(),
                waits: Vec::new(),
                busy: Vec::new(),
                end: start,
                lost: 0,
            },
        }
    }

    fn at(&mut self, time: i64, what: What) {
        let place = match self.free.pop() {
            Some(place) => {
                self.store[place] = what;
                place
            }
            None => {
                self.store.push(what);
                self.store.len() - 1
            }
        };
        self.order += 1;
        self.events.push(Reverse((time, self.order, place)));
    }

    fn drive(&mut self) {
        let start = self.now;
        self.writes();
        self.send();
        while let Some(Reverse((time, _, place))) = self.events.pop() {
            self.now = time;
            if time - start > self.run.world.most_ns || self.una >= self.run.world.total {
                break;
            }
            let what = self.store[place];
            self.free.push(place);
            match what {
                What::Passed(packet) => self.run.seen.push((time, Seen::Data(packet))),
                What::AtQueue(packet) => self.queue(packet),
                What::AtReceiver(packet) => self.receive(packet),
                What::AckPassed(ack) => self.run.seen.push((time, Seen::Ack(ack))),
                What::AckHome(ack) => self.acked(ack),
                What::DelayedAck(id) => {
                    if id == self.owed_id && self.owed > 0 {
                        self.acknowledge();
                    }
                }
                What::Reads => self.reads(),
                What::Writes => {
                    self.pausing = false;
                    self.writes();
                    self.send();
                }
                What::Paced => {
                    self.pace_armed = false;
                    self.send();
                }
                What::Timer(id) => {
                    if id == self.timer_id && self.una < self.next {
                        self.timeout();
                    }
                }
            }
        }
        self.run.end = self.now;
    }

    fn jitter(&mut self, part: f64) -> i64 {
        let scale = self.run.world.jitter * self.run.world.rtt as f64 * part;
        // Mostly small, at times large: exponential.
        let draw: f64 = self.rng.random_range(0.000_1..1.0);
        (-draw.ln() * scale) as i64 + self.rng.random_range(0..10_000)
    }

    // -- program

    fn writes(&mut self) {
        let world = self.run.world.clone();
        loop {
            let held = self.written - self.una;
            if self.pausing || self.written >= world.total {
                return;
            }
            if held >= world.send_buffer || (self.blocked && held > world.send_buffer * 2 / 3) {
                self.blocked = true;
                self.boundaries.insert(self.written, ());
                return;
            }
            self.blocked = false;
            match &world.program {
                Program::Bulk => {
                    // Linux fills segments before it looks at the room.
                    let room = (world.send_buffer - held).div_ceil(world.mss) * world.mss;
                    self.written += (128 << 10).min(room);
                    self.boundaries.insert(self.written, ());
                }
                Program::Blocks(levels) => {
                    self.written += levels[0].0;
                    self.boundaries.insert(self.written, ());
                    let mut pause = levels[0].1;
                    for (place, level) in levels.iter().enumerate() {
                        self.done_blocks[place] += levels[0].0;
                        if self.done_blocks[place] >= level.0 {
                            self.done_blocks[place] = 0;
                            pause = level.1;
                        }
                    }
                    let spread: f64 = self.rng.random_range(0.9..1.1);
                    self.pausing = true;
                    // It begins when the block is on the line.
                    let line = (levels[0].0 as f64 * 8e9 / world.line_bps) as i64;
                    self.at(self.now + line + (pause as f64 * spread) as i64, What::Writes);
                }
            }
        }
    }

    // -- sender

    fn wait(&mut self, wait: Wait) {
        if self.run.waits.last().is_none_or(|last| last.1 != wait) {
            self.run.waits.push((self.now, wait));
        }
    }

    fn limit(&self) -> u64 {
        (self.cwnd as u64).max(self.mss)
    }

    fn send(&mut self) {
        self.writes();
        let repairing = |sim: &Self| {
            if sim.recovery.is_some() {
                Wait::Repair
            } else {
                sim.opening()
            }
        };
        loop {
            if self.now < self.pace_next {
                if !self.pace_armed {
                    self.pace_armed = true;
                    let late = self.rng.random_range(0..100_000);
                    self.at(self.pace_next + late, What::Paced);
                }
                let full = self.pipe + self.mss > self.limit();
                return self.wait(if full { repairing(self) } else { Wait::Pace });
            }
            let lost = self
                .lost
                .first()
                .and_then(|&start| Some((start, *self.segments.get(&start)?)));
            if self.pipe + self.mss > self.limit() {
                return self.wait(repairing(self));
            }
            if let Some((start, segment)) = lost {
                self.transmit(start, segment.end, segment.push, false);
                continue;
            }
            let left = self.written - self.next;
            let bytes = left.min(self.mss);
            if bytes == 0 {
                let wait = if self.blocked {
                    Wait::SendBuffer
                } else {
                    Wait::Program
                };
                return self.wait(wait);
            }
            let room = self.edge.saturating_sub(self.next);
            if room < bytes {
                return self.wait(Wait::Window);
            }
            // Segmentation offload: wait for a third of the window or a burst, as Linux does.
            let chunk = (self.run.world.offload * self.mss).min(left);
            let space = (self.limit() - self.pipe).min(room);
            let third = self.limit().min(self.edge - self.una) / 3;
            if self.run.world.offload > 1 && self.pipe > 0 && space < chunk.min(third).max(self.mss) {
                let wait = if room <= self.limit() - self.pipe {
                    Wait::Window
                } else {
                    repairing(self)
                };
                return self.wait(wait);
            }
            let end = self.next + bytes;
            let push = self.boundaries.range(self.next + 1..=end).next().is_some() || end == self.written;
            let start = self.next;
            self.next = end;
            self.boundaries = self.boundaries.split_off(&(end + 1));
            self.segments.insert(
                start,
                Segment {
                    end,
                    sent: self.now,
                    copies: 0,
                    sacked: false,
                    lost: false,
                    push,
                },
            );
            self.transmit(start, end, push, false);
        }
    }

    fn opening(&self) -> Wait {
        if self.had_loss {
            Wait::Regrow
        } else {
            Wait::Opening
        }
    }

    fn transmit(&mut self, start: u64, end: u64, push: bool, timer: bool) {
        let now = self.now;
        let Some(segment) = self.segments.get_mut(&start) else {
            return;
        };
        segment.sent = now;
        segment.copies += 1;
        segment.lost = false;
        self.lost.remove(&start);
        let copy = segment.copies - 1;
        self.pipe += end - start;
        let packet = Packet {
            start,
            end,
            copy,
            push,
            timer,
        };
        let size = (end - start + 66) as f64;
        let leaves = self.line_free.max(now) + (size * 8e9 / self.run.world.line_bps) as i64;
        self.line_free = leaves;
        self.pace(size);
        let one_way = self.run.world.rtt / 2;
        let before = (one_way as f64 * self.run.world.point) as i64;
        if self.run.world.queue_before {
            let delay = self.jitter(0.5);
            let time = (leaves + before / 2 + delay).max(self.last_data[0]);
            self.last_data[0] = time;
            self.at(time, What::AtQueue(packet));
        } else {
            let delay = if before > 0 { self.jitter(0.5) } else { 0 };
            // With offload the capture sees the burst before the line does.
            let out = if before == 0 && self.run.world.offload > 1 {
                now
            } else {
                leaves
            };
            let time = (out + before + delay).max(self.last_data[1]);
            self.last_data[1] = time;
            self.at(time, What::Passed(packet));
            let time = (time.max(leaves) + (one_way - before) / 2).max(self.last_data[0]);
            self.last_data[0] = time;
            self.at(time, What::AtQueue(packet));
        }
        if self.timer_id == 0 || self.pipe == end - start {
            self.arm();
        }
    }

    fn pace(&mut self, size: f64) {
        let world = &self.run.world;
        if !world.paced && world.control != Control::Bbr {
            return;
        }
        let rate = if world.control == Control::Bbr {
            let gain = if self.full < 3 {
                2.89
            } else {
                [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0][self.gain_index]
            };
            (self.bw * gain).max(10.0 * self.mss as f64 * 1e9 / self.srtt as f64)
        } else {
            let gain = if self.cwnd < self.ssthresh / 2.0 { 2.0 } else { 1.2 };
            gain * self.cwnd * 1e9 / self.srtt as f64
        };
        // A millisecond's worth at once.
        let burst = (rate * 1e-3).max(2.0 * size);
        let from = self.pace_next.max(self.now - (burst * 1e9 / rate) as i64);
        let next = from + (size * 1e9 / rate) as i64;
        self.pace_next = next;
        if next - self.now < (burst * 1e9 / rate) as i64 {
            self.pace_next = next.min(self.now);
        }
        if next > self.now {
            // Owed until the burst is paid.
            self.pace_next = next;
        }
    }

    fn arm(&mut self) {
        self.timer_id += 1;
        let rto = (self.srtt * 2).max(200 * MS + self.srtt) << self.backoff.min(6);
        let id = self.timer_id;
        self.at(self.now + rto, What::Timer(id));
    }

    fn timeout(&mut self) {
        self.backoff += 1;
        let flight = (self.next - self.una) as f64;
        self.had_loss = true;
        if self.recovery.is_none() || self.backoff == 1 {
            self.w_max = self.cwnd;
            self.ssthresh = (flight * 0.7).max(2.0 * self.mss as f64);
        }
        self.cwnd = self.mss as f64;
        self.epoch = None;
        self.recovery = Some(self.next);
        if let Some(hole) = self.run.world.hole
            && self.backoff >= 3
        {
            self.mss = self.mss.min(hole);
            self.resegment();
        }
        self.pipe = 0;
        for segment in self.segments.values_mut() {
            segment.lost = !segment.sacked;
        }
        self.lost = self
            .segments
            .iter()
            .filter(|(_, segment)| segment.lost)
            .map(|(&start, _)| start)
            .collect();
        self.wait(Wait::Repair);
        if let Some((&start, &segment)) = self.segments.iter().find(|(_, segment)| !segment.sacked) {
            self.transmit(start, segment.end, segment.push, true);
        }
        self.arm();
        self.send();
    }

    fn resegment(&mut self) {
        let old = std::mem::take(&mut self.segments);
        for (start, segment) in old {
            let mut from = start;
            while from < segment.end {
                let end = segment.end.min(from + self.mss);
                self.segments.insert(from, Segment { end, ..segment });
                from = end;
            }
        }
    }

    fn acked(&mut self, ack: Ack) {
        self.edge = self.edge.max(ack.edge);
        let mut fresh = 0;
        let mut sample = None;
        for (start, end) in ack.got.into_iter().flatten() {
            if let Some(segment) = self.segments.get_mut(&start)
                && segment.end == end
                && !segment.sacked
            {
                segment.sacked = true;
                if !segment.lost {
                    self.pipe = self.pipe.saturating_sub(end - start);
                }
                segment.lost = false;
                self.lost.remove(&start);
                if segment.copies == 1 {
                    sample = Some(self.now - segment.sent);
                }
                fresh += end - start;
                self.highest_sacked = self.highest_sacked.max(end);
            }
        }
        if ack.ack > self.una {
            let rest = self.segments.split_off(&ack.ack);
            self.lost = self.lost.split_off(&ack.ack);
            for (start, segment) in std::mem::replace(&mut self.segments, rest) {
                if !segment.sacked {
                    fresh += segment.end - start;
                    if !segment.lost {
                        self.pipe = self.pipe.saturating_sub(segment.end - start);
                    }
                    if segment.copies == 1 {
                        sample = Some(self.now - segment.sent);
                    }
                }
            }
            self.una = ack.ack;
            self.backoff = 0;
            self.arm();
        }
        if let Some(sample) = sample {
            self.srtt = (self.srtt * 7 + sample) / 8;
            self.base = self.base.min(sample);
        }
        self.detect();
        if self.recovery.is_some_and(|end| self.una >= end) {
            self.recovery = None;
        }
        self.grow(fresh, sample);
        self.send();
    }

    fn detect(&mut self) {
        let limit = self.highest_sacked.saturating_sub(3 * self.mss);
        let srtt = self.srtt;
        let now = self.now;
        let mut lost = false;
        self.looks += 1;
        let from = if self.looks.is_multiple_of(32) {
            self.una
        } else {
            self.looked.max(self.una)
        };
        if limit <= from {
            return;
        }
        self.looked = limit;
        for (&start, segment) in self.segments.range_mut(from..limit) {
            // A copy is lost when it should long have been answered.
            let late = segment.copies > 1 && now - segment.sent < srtt * 5 / 4;
            if !segment.sacked && !segment.lost && !late {
                segment.lost = true;
                self.lost.insert(start);
                self.pipe = self.pipe.saturating_sub(segment.end - start);
                lost = true;
            }
        }
        if lost && self.recovery.is_none() {
            self.recovery = Some(self.next);
            if self.run.world.control != Control::Bbr {
                self.had_loss = true;
                self.w_max = self.cwnd;
                let beta = if self.run.world.control == Control::Reno {
                    0.5
                } else {
                    0.7
                };
                self.ssthresh = (self.cwnd * beta).max(2.0 * self.mss as f64);
                self.cwnd = self.ssthresh;
                self.epoch = None;
            }
        }
    }

    fn grow(&mut self, fresh: u64, sample: Option<i64>) {
        let mss = self.mss as f64;
        if self.run.world.control == Control::Bbr {
            return self.grow_bbr(fresh);
        }
        if self.recovery.is_some() && self.backoff == 0 && self.cwnd >= self.ssthresh {
            return;
        }
        let limited = self.pipe + fresh + 3 * self.mss + self.run.world.offload * self.mss >= self.limit()
            || (self.cwnd < self.ssthresh && 2 * (self.pipe + fresh) >= self.limit());
        if !limited {
            return;
        }
        if self.cwnd < self.ssthresh {
            self.cwnd += fresh as f64;
            let slow = self.base.saturating_add((self.base / 8).max(4 * MS));
            if self.run.world.hystart && sample.is_some_and(|rtt| rtt > slow) && self.ssthresh == f64::MAX {
                self.ssthresh = self.cwnd;
            }
            return;
        }
        let reno = mss * fresh as f64 / self.cwnd;
        if self.run.world.control == Control::Reno {
            self.cwnd += reno;
            return;
        }
        let epoch = *self.epoch.get_or_insert(self.now);
        let w_max = self.w_max.max(self.cwnd.min(self.w_max + 1.0)) / mss;
        let k = (w_max * 0.3 / 0.4).cbrt();
        let t = (self.now - epoch + self.srtt) as f64 / 1e9;
        let target = (0.4 * (t - k).powi(3) + w_max) * mss;
        let by_cubic = if target > self.cwnd {
            (target - self.cwnd) * fresh as f64 / self.cwnd
        } else {
            0.0
        };
        self.cwnd += by_cubic.min(fresh as f64 / 2.0).max(0.53 * reno);
    }

    fn grow_bbr(&mut self, fresh: u64) {
        self.round_acked += fresh;
        if self.una < self.round_end {
            return;
        }
        let time = (self.now - self.round_start).max(1);
        let rate = self.round_acked as f64 * 1e9 / time as f64;
        if rate > self.bw * 1.25 {
            self.full = 0;
        } else {
            self.full += 1;
        }
        self.bw = self.bw.max(rate);
        if self.full >= 3 {
            self.gain_index = (self.gain_index + 1) % 8;
        }
        self.round_acked = 0;
        self.round_start = self.now;
        self.round_end = self.next;
        let gain = if self.full < 3 { 2.89 } else { 2.0 };
        self.cwnd = (gain * self.bw * self.base.min(self.srtt) as f64 / 1e9).max(10.0 * self.mss as f64);
        self.gain_at = self.now;
    }

    // -- path

    fn queue(&mut self, packet: Packet) {
        let size = (packet.end - packet.start + 66) as f64;
        let world = &self.run.world;
        if let Some((rate, depth)) = world.policer {
            let gained = (self.now - self.tokens_at) as f64 * rate / 8e9;
            self.tokens = (self.tokens + gained).min(depth);
            self.tokens_at = self.now;
            if self.tokens < size {
                self.run.lost += 1;
                return self.dropped(packet);
            }
            self.tokens -= size;
        }
        let waiting = (self.busy_until - self.now).max(0) as f64 * world.rate_bps / 8e9;
        let gone = world.hole.is_some_and(|hole| packet.end - packet.start > hole);
        let (loss, buffer, rate) = (world.loss, world.buffer, world.rate_bps);
        if waiting + size > buffer as f64 || gone || self.rng.random_bool(loss) {
            self.run.lost += 1;
            return self.dropped(packet);
        }
        let from = self.busy_until.max(self.now);
        self.busy_until = from + (size * 8e9 / rate) as i64;
        match self.run.busy.last_mut() {
            Some(last) if from <= last.1 => last.1 = self.busy_until,
            _ => self.run.busy.push((from, self.busy_until)),
        }
        let one_way = self.run.world.rtt / 2;
        let before = (one_way as f64 * self.run.world.point) as i64;
        let out = self.busy_until;
        if self.run.world.queue_before {
            let passes = (out + before - before / 2).max(self.last_data[1]);
            self.last_data[1] = passes;
            self.at(passes, What::Passed(packet));
            let delay = if one_way > before { self.jitter(0.5) } else { 0 };
            let time = (passes + (one_way - before) + delay).max(self.last_data[2]);
            self.last_data[2] = time;
            self.at(time, What::AtReceiver(packet));
        } else {
            let rest = (one_way - before) - (one_way - before) / 2;
            let delay = self.jitter(0.5);
            let time = (out + rest + delay).max(self.last_data[2]);
            self.last_data[2] = time;
            self.at(time, What::AtReceiver(packet));
        }
    }

    fn dropped(&mut self, _packet: Packet) {}

    // -- receiver

    fn receive(&mut self, packet: Packet) {
        self.drain();
        if packet.start > self.expected {
            self.got.insert(packet.start, packet.end);
        } else if packet.end > self.expected {
            self.advance(packet.end);
        }
        self.owed += 1;
        let is_gap = !self.got.is_empty() || packet.copy > 0;
        if self.owed >= self.run.world.ack_every || is_gap {
            let first = self.owed_seg.replace((packet.start, packet.end));
            let other = first.filter(|_| self.owed > 1);
            self.emit_ack([other, self.owed_seg]);
        } else {
            self.owed_seg = Some((packet.start, packet.end));
            self.owed_id += 1;
            let id = self.owed_id;
            self.at(self.now + 40 * MS, What::DelayedAck(id));
        }
    }

    fn advance(&mut self, end: u64) {
        let from = self.expected;
        self.expected = end;
        while let Some((&start, &stop)) = self.got.range(..=self.expected).next() {
            self.got.remove(&start);
            self.expected = self.expected.max(stop);
        }
        if self.run.world.reads_bps.is_some() {
            self.unread += (self.expected - from) as f64;
        }
    }

    fn drain(&mut self) {
        if let Some(rate) = self.run.world.reads_bps {
            let read = (self.now - self.read_at) as f64 * rate / 8e9;
            self.unread = (self.unread - read).max(0.0);
            self.read_at = self.now;
        }
    }

    fn acknowledge(&mut self) {
        let seg = self.owed_seg;
        self.emit_ack([seg, None]);
    }

    fn emit_ack(&mut self, got: [Option<(u64, u64)>; 2]) {
        self.owed = 0;
        self.owed_seg = None;
        self.owed_id += 1;
        let window = self.run.world.window.saturating_sub(self.unread as u64);
        let edge = (self.expected + window).max(self.last_edge);
        self.last_edge = edge;
        let sacked = self.got.iter().map(|(start, end)| end - start).sum();
        let ack = Ack {
            ack: self.expected,
            edge,
            got,
            sacked,
        };
        if self.run.world.reads_bps.is_some() && edge < self.expected + 4 * self.mss {
            self.at(self.now + 2 * MS, What::Reads);
        }
        self.carry(ack);
    }

    fn carry(&mut self, ack: Ack) {
        let one_way = self.run.world.rtt / 2;
        let before = (one_way as f64 * self.run.world.point) as i64;
        let delay = if one_way > before { self.jitter(0.3) } else { 0 };
        let passes = (self.now + one_way - before + delay).max(self.last_ack);
        self.last_ack = passes;
        self.at(passes, What::AckPassed(ack));
        let delay = if before > 0 { self.jitter(0.3) } else { 0 };
        let home = passes + before + delay + self.rng.random_range(2_000..20_000);
        self.at(home, What::AckHome(ack));
    }

    fn reads(&mut self) {
        self.drain();
        let window = self.run.world.window.saturating_sub(self.unread as u64);
        let edge = self.expected + window;
        if edge >= self.last_edge + 2 * self.mss {
            self.emit_ack([None, None]);
        } else {
            self.at(self.now + 2 * MS, What::Reads);
        }
    }
}

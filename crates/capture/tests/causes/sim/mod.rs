//! A small discrete simulation of one transfer, with the truth of what its sender waited for.
//!
//! It knows nothing of the analysis: a TCP sender with SACK, a program that writes, a receiver that reads, one queue. What
//! passes the capture point becomes events (`watch.rs`).

mod control;
mod path;
mod program;
mod receiver;
mod sender;
mod world;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
pub(crate) use world::{Control, MS, Program, World};

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
    pub(crate) sent: i64,
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
    lost: BTreeSet<u64>,
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
            lost: BTreeSet::new(),
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
}

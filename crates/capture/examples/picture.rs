//! Pictures of synthetic transfers: `cargo run -p capture --release --example picture -- PACKETS OUT.html [OUT.svg [OUT.xpl [OUT.png]]]`.
//!
//! The transfer is a window-based sender over a link of 1 Gbit/s with 20 ms and a drop-tail queue, some random loss, a program
//! that pauses, and a receiver whose window closes once: enough of everything to look at.

use capture::Endpoint;
use capture::causes::{Causes, Interval, Label, Share};
use capture::flow::{Acked, HalfEvent, HalfReport, RetransmissionCause, RttStatistics, Sent, SentKind};
use capture::picture::{Limits, MarkKind, Recorder, Summary};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::io::{BufWriter, Write};

const BEGIN_NS: i64 = 1_700_000_000_123_456_789;
const MSS: u64 = 1448;
const RTT_NS: i64 = 20_000_000;
/// One segment at 1 Gbit/s.
const SLOT_NS: i64 = 12_000;

struct World {
    rng: SmallRng,
    now: i64,
    link_free: i64,
    next: u64,
    acked: u64,
    cwnd: f64,
    threshold: f64,
    /// When the ack of a segment that arrives comes back, and which.
    coming: VecDeque<(i64, u64, bool)>,
    holes: BTreeMap<u64, bool>,
    received: BTreeMap<u64, u64>,
    receiver_next: u64,
    recover_until: u64,
    recorder: Recorder,
    half: HalfReport,
    intervals: Vec<Interval>,
    budget: u64,
    window: u64,
}

impl World {
    fn flight(&self) -> u64 {
        self.next.saturating_sub(self.acked)
    }

    fn send(&mut self, start: u64, kind: SentKind) {
        let flight = self.flight();
        self.recorder.take(
            &HalfEvent::Sent(Sent {
                time_ns: BEGIN_NS + self.now,
                start,
                end: start + MSS,
                kind,
                is_pushed: start.is_multiple_of(MSS * 45),
                waited_ms: 0,
                flight_bytes: flight,
                window_edge: Some(self.acked + self.window),
                lost_ns: None,
            }),
            &[],
        );
        self.half.data_packets += 1;
        self.half.payload_bytes += MSS;
        self.half.largest_flight_bytes = self.half.largest_flight_bytes.max(flight);
        let queue = self.link_free.max(self.now) - self.now;
        let is_lost = queue > 8_000_000 || self.rng.random_bool(0.000_03);
        if !is_lost {
            self.link_free = self.link_free.max(self.now) + SLOT_NS;
            let jitter = self.rng.random_range(0..30_000);
            let at = (self.link_free + RTT_NS + jitter).max(self.coming.back().map_or(0, |c| c.0 + 1));
            self.coming.push_back((at, start, kind == SentKind::New));
        } else if kind == SentKind::New {
            self.holes.insert(start, false);
            self.half.lost_behind += 1;
        }
        self.budget = self.budget.saturating_sub(1);
    }

    fn arrive(&mut self, at: i64, start: u64, first: bool) {
        self.now = at;
        self.budget = self.budget.saturating_sub(1);
        self.received.insert(start, start + MSS);
        while let Some(end) = self.received.remove(&self.receiver_next) {
            self.receiver_next = end;
        }
        let newly = self.receiver_next - self.acked;
        let is_duplicate = newly == 0;
        let mut blocks: Vec<(u64, u64)> = Vec::new();
        if !self.received.is_empty() {
            // The block around what came now, then the lowest.
            let (mut from, mut to) = (start, start + MSS);
            if start < self.receiver_next {
                (from, to) = self
                    .received
                    .iter()
                    .next()
                    .map(|(a, b)| (*a, *b))
                    .unwrap_or((start, start));
            }
            for (a, b) in self.received.range(..from).rev() {
                if *b == from { from = *a } else { break }
            }
            while let Some(b) = self.received.get(&to) {
                to = *b
            }
            blocks.push((from, to));
        }
        let pending = self.received.len() as u64 * MSS;
        let window = self.window.saturating_sub(pending);
        self.acked = self.receiver_next;
        let event = Acked {
            time_ns: BEGIN_NS + at,
            ack: self.acked,
            newly_acked_bytes: newly,
            newly_sacked_bytes: 0,
            newly_arrived_bytes: newly,
            is_duplicate,
            is_dsack: false,
            is_eifel: false,
            window_bytes: Some(window),
            rtt_ns: (first && newly > 0).then(|| {
                (self.link_free - self.now).max(0) / 4
                    + RTT_NS
                    + (self.flight() as i64 / 1448 * SLOT_NS - RTT_NS).max(0)
            }),
            unseen_bytes: 0,
        };
        self.recorder.take(&HalfEvent::Acked(event), &blocks);
        self.half.acks += 1;
        if newly > 0 && self.holes.is_empty() {
            self.cwnd += if self.cwnd < self.threshold {
                newly as f64
            } else {
                30.0 * MSS as f64 * newly as f64 / self.cwnd
            };
        }
        if self.received.len() >= 3 {
            self.recover();
        }
        if self.acked >= self.recover_until && !self.holes.is_empty() {
            self.holes = self.holes.split_off(&self.acked);
        }
    }

    fn recover(&mut self) {
        if self.acked >= self.recover_until {
            self.recover_until = self.next;
            self.threshold = self.cwnd * 0.7;
            self.cwnd = self.threshold;
            self.label(Label::LossRecovery);
        }
        let hole = self
            .holes
            .iter()
            .find(|(start, done)| **start >= self.acked && !**done)
            .map(|(start, _)| *start);
        let top = self.received.keys().next_back().copied().unwrap_or(0);
        if let Some(start) = hole.filter(|start| *start < top) {
            self.holes.insert(start, true);
            self.half.fast_retransmissions += 1;
            self.half.retransmitted_packets += 1;
            self.send(start, SentKind::Retransmitted(RetransmissionCause::Fast));
        }
    }

    fn label(&mut self, label: Label) {
        let now = BEGIN_NS + self.now;
        if let Some(last) = self.intervals.last_mut() {
            if last.label == label {
                return;
            }
            last.to_ns = now;
        }
        self.intervals.push(Interval {
            from_ns: now,
            to_ns: now,
            label,
            bytes: 0,
        });
    }

    fn timeout(&mut self) {
        self.now += 200_000_000;
        self.threshold = self.cwnd / 2.0;
        self.cwnd = 10.0 * MSS as f64;
        self.recover_until = self.next;
        let start = self.acked;
        self.holes.insert(start, true);
        self.half.timeouts += 1;
        self.half.retransmitted_packets += 1;
        self.send(start, SentKind::Retransmitted(RetransmissionCause::Timeout));
        for done in self.holes.values_mut() {
            *done = false;
        }
        self.holes.insert(start, true);
    }

    fn run(&mut self) {
        self.label(Label::SlowStart);
        let pause_each = (self.budget / 9).max(30);
        let mut pause_at = self.budget.saturating_sub(pause_each * 2);
        while self.budget > 0 {
            let room = (self.cwnd as u64).min(self.window.saturating_sub(self.received.len() as u64 * MSS));
            let due = self.coming.front().map(|c| c.0);
            if self.flight() + MSS <= room && due.is_none_or(|at| at > self.now + 3_000) {
                if self.budget < pause_at {
                    pause_at = self.budget.saturating_sub(pause_each);
                    self.label(Label::Application);
                    while let Some((at, start, first)) = self.coming.pop_front() {
                        self.arrive(at, start, first);
                    }
                    self.now += 150_000_000;
                    self.label(Label::Bottleneck);
                }
                self.now += 3_000 + self.rng.random_range(0..500);
                let start = self.next;
                self.next += MSS;
                self.send(start, SentKind::New);
                if self.acked > self.recover_until && self.cwnd >= self.threshold {
                    self.label(Label::Bottleneck)
                }
            } else if let Some((at, start, first)) = self.coming.pop_front() {
                self.arrive(at.max(self.now), start, first);
            } else {
                self.timeout();
            }
        }
    }
}

#[allow(
    clippy::needless_update,
    reason = "more is measured of causes as the crate grows"
)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [packets, html, others @ ..] = arguments.as_slice() else {
        return Err("PACKETS OUT.html [OUT.svg [OUT.xpl]]".into());
    };
    let mut recorder = Recorder::new(Limits::default());
    recorder.mark(BEGIN_NS - RTT_NS, MarkKind::Syn, 0, 0);
    let mut world = World {
        rng: SmallRng::seed_from_u64(7),
        now: 0,
        link_free: 0,
        next: 0,
        acked: 0,
        cwnd: 10.0 * MSS as f64,
        threshold: 1e18,
        coming: VecDeque::new(),
        holes: BTreeMap::new(),
        received: BTreeMap::new(),
        receiver_next: 0,
        recover_until: 0,
        recorder,
        half: HalfReport::default(),
        intervals: Vec::new(),
        budget: packets.parse()?,
        window: 6 << 20,
    };
    world.run();
    let World {
        recorder,
        mut half,
        mut intervals,
        now,
        acked,
        ..
    } = world;
    if let Some(last) = intervals.last_mut() {
        last.to_ns = BEGIN_NS + now
    }
    let mut shares: BTreeMap<Label, i64> = BTreeMap::new();
    for one in &intervals {
        *shares.entry(one.label).or_default() += one.to_ns - one.from_ns
    }
    intervals.truncate(1000);
    half.unique_bytes = acked;
    half.data_ns = Some((BEGIN_NS, BEGIN_NS + now));
    half.rtt = Some(RttStatistics {
        count: 9,
        min_ns: RTT_NS,
        max_ns: 2 * RTT_NS,
        mean_ns: 2.5e7,
        median_ns: 25_000_000,
        p95_ns: 28_000_000,
    });
    half.causes = Some(Causes {
        intervals,
        shares: shares
            .into_iter()
            .map(|(label, time_ns)| Share {
                label,
                time_ns,
                bytes: acked / 3,
            })
            .collect(),
        ..Causes::default()
    });
    let end = |last: u8, port| Endpoint {
        address: [192, 0, 2, last].into(),
        port,
    };
    let summary = Summary {
        capture: "synthetic <&> \"names\".pcapng".to_owned(),
        sender: end(10, 40_123),
        receiver: end(20, 5201),
        half,
    };
    let picture = recorder.finish(summary);
    let mut out = BufWriter::new(fs::File::create(html)?);
    picture.write_html(&mut out)?;
    out.flush()?;
    if let [svg, xplot @ ..] = others {
        fs::write(svg, picture.svg(1000, 620))?;
        if let [xplot, png @ ..] = xplot {
            picture.write_xplot(&mut BufWriter::new(fs::File::create(xplot)?))?;
            if let [png, ..] = png {
                picture.write_png(1000, 620, &mut fs::File::create(png)?)?;
            }
        }
    }
    Ok(())
}

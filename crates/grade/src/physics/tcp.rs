//! A TCP transfer, played in steps of ten milliseconds.
//!
//! Each connection has a congestion window that grows as its congestion control says; what all send together meets the
//! tightest link and the queue before it; what is lost comes back as halved windows and timeouts.

use super::idle::{passes, too_big_said_by};
use super::link::{FRAMING, left_bps, loss_at};
use crate::chance::Chance;
use crate::map::{Control, Network};

/// A step of the play, seconds.
const STEP_S: f64 = 0.01;
/// Steps in a slice of what is reported.
const SLICE_STEPS: usize = 10;
/// Least retransmission timeout of Linux, seconds.
const LEAST_TIMEOUT_S: f64 = 0.2;
/// IP and TCP headers with timestamps, bytes.
const HEADERS: u32 = 52;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct TcpSetup {
    /// Sending host.
    pub sender: usize,
    /// Receiving host.
    pub receiver: usize,
    /// Parallel connections.
    pub streams: u16,
    /// Largest segment that was asked for, bytes of payload.
    pub mss: Option<u32>,
    /// Window that was asked for, bytes.
    pub window: Option<f64>,
    /// Length, seconds.
    pub seconds: f64,
    /// The user's own program, with its rhythm, its disk and its start; not a test from memory to memory.
    pub is_application: bool,
}

/// A slice of 100 ms.
#[derive(Debug, Clone, Copy, Default)]
pub struct TcpSlice {
    /// Payload delivered, bytes.
    pub bytes: f64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Congestion windows together, bytes.
    pub cwnd_bytes: f64,
    /// Round-trip time at the end, seconds.
    pub rtt_s: f64,
}

/// What happened.
#[derive(Debug, Clone, Default)]
pub struct TcpRun {
    /// Every 100 ms.
    pub slices: Vec<TcpSlice>,
    /// Segments sent.
    pub segments: f64,
    /// Segments sent again.
    pub retransmits: u64,
    /// Of them, those that a full queue dropped.
    pub overflowed: u64,
    /// Timeouts.
    pub timeouts: u64,
    /// Time limited by the receiver's window, seconds.
    pub window_limited_s: f64,
    /// Time limited by the send buffer, seconds.
    pub send_limited_s: f64,
    /// Round-trip time at rest, seconds.
    pub min_rtt_s: f64,
    /// Payload of a segment, bytes.
    pub mss: u32,
    /// The largest window that the receiver offered, bytes.
    pub offered_window: f64,
    /// Nothing arrived any more.
    pub stalled: bool,
    /// Mean over the whole time, bit/s.
    pub mean_bps: f64,
    /// Mean over the second half, bit/s.
    pub steady_bps: f64,
    /// Busy share of the sender's processor.
    pub sender_cpu: f64,
    /// Busy share of the receiver's.
    pub receiver_cpu: f64,
}

struct Stream {
    cwnd: f64,
    threshold: f64,
    /// Cubic: the window before the last loss, and the time since.
    best: f64,
    since_s: f64,
    /// No second reduction before this time.
    recovers_until: f64,
    /// Stands still until.
    waits_until: f64,
}

struct Play<'a> {
    network: &'a Network,
    setup: &'a TcpSetup,
    way: Vec<usize>,
    rtt_s: f64,
    mss: f64,
    window: f64,
    buffer: f64,
    queue_bytes: f64,
    tokens: Vec<f64>,
    streams: Vec<Stream>,
    run: TcpRun,
}

/// Plays a transfer.
#[must_use]
pub fn tcp(network: &Network, setup: &TcpSetup, chance: &mut Chance) -> TcpRun {
    let way = network.way(setup.sender, setup.receiver);
    let (sender, receiver) = (
        &network.hosts[setup.sender].machine,
        &network.hosts[setup.receiver].machine,
    );
    let agreed = sender.mtu.min(receiver.mtu) - HEADERS;
    let mut mss = setup
        .mss
        .map_or(agreed, |asked| agreed.min(asked.saturating_sub(12)));
    let mut falls_back_s = 0.0;
    // A router that says so teaches the sender; where nobody does and the segment does not pass, it vanishes.
    while !passes(network, &way, mss + HEADERS, false) {
        match too_big_said_by(network, &way, mss + HEADERS) {
            Some((_, mtu)) => mss = mtu - HEADERS,
            None if sender.probes_mtu && falls_back_s == 0.0 => {
                falls_back_s = chance.between(3.0, 7.0);
                mss = mss.min(1_024 - HEADERS);
            }
            None => return swallowed(network, setup, mss, chance),
        }
    }
    let window = setup
        .window
        .unwrap_or(receiver.window_bytes)
        .min(receiver.window_bytes);
    let buffer = setup
        .window
        .unwrap_or(sender.send_buffer_bytes)
        .min(sender.send_buffer_bytes);
    let first = Stream {
        cwnd: 10.0,
        threshold: f64::INFINITY,
        best: 0.0,
        since_s: 0.0,
        recovers_until: 0.0,
        waits_until: falls_back_s,
    };
    let rtt_s = network.rtt_s(setup.sender, setup.receiver);
    let mut play = Play {
        network,
        setup,
        rtt_s,
        mss: f64::from(mss),
        window,
        buffer,
        queue_bytes: 0.0,
        tokens: way
            .iter()
            .map(|l| network.links[*l].policer.map_or(0.0, |p| p.1))
            .collect(),
        streams: (0..setup.streams).map(|_| Stream { ..first }).collect(),
        way,
        run: TcpRun {
            min_rtt_s: rtt_s * (1.0 + 0.01 * chance.unit()),
            mss,
            offered_window: window,
            ..TcpRun::default()
        },
    };
    play.play(chance);
    play.run.summed(network, setup)
}

/// A handshake, a window of segments, and then nothing but timeouts.
fn swallowed(network: &Network, setup: &TcpSetup, mss: u32, chance: &mut Chance) -> TcpRun {
    let slices = (setup.seconds * 10.0) as usize;
    let again = 4 + chance.whole(0, 4) as u64 * u64::from(setup.streams);
    let rtt_s = network.rtt_s(setup.sender, setup.receiver);
    let mut run = TcpRun {
        slices: vec![
            TcpSlice {
                cwnd_bytes: f64::from(mss),
                rtt_s,
                ..TcpSlice::default()
            };
            slices
        ],
        segments: 14.0 * f64::from(setup.streams),
        retransmits: again,
        timeouts: again,
        min_rtt_s: rtt_s,
        mss,
        offered_window: network.hosts[setup.receiver].machine.window_bytes.min(65_535.0),
        stalled: true,
        ..TcpRun::default()
    };
    if let Some(first) = run.slices.first_mut() {
        first.retransmits = again;
    }
    run.summed(network, setup)
}

impl Play<'_> {
    fn play(&mut self, chance: &mut Chance) {
        let steps = (self.setup.seconds / STEP_S) as usize;
        let mut slice = TcpSlice::default();
        let mut left = vec![0.0; self.way.len()];
        // Everything here counts payload; headers and what Ethernet adds take their share of every link.
        let efficiency = self.mss / (self.mss + f64::from(HEADERS + FRAMING));
        for step in 0..steps {
            if step % SLICE_STEPS == 0 {
                for (left, link) in left.iter_mut().zip(&self.way) {
                    *left = left_bps(&self.network.links[*link], chance) * efficiency;
                }
            }
            self.step(step as f64 * STEP_S, &left, &mut slice, chance);
            if step % SLICE_STEPS == SLICE_STEPS - 1 {
                self.run.slices.push(std::mem::take(&mut slice));
            }
        }
    }

    fn step(&mut self, now: f64, left: &[f64], slice: &mut TcpSlice, chance: &mut Chance) {
        // The sender's own interface pushes back; a queue stands before the links of others only.
        let tightest = left.iter().skip(1).copied().fold(f64::INFINITY, f64::min);
        let rtt = self.rtt_s + self.queue_bytes * 8.0 / tightest + self.shaper_wait_s();
        let flow_bps = self.flow_bps();
        let mut wanted: Vec<f64> = Vec::with_capacity(self.streams.len());
        for stream in &self.streams {
            let allowed = (stream.cwnd * self.mss).min(self.window).min(self.buffer);
            let moving = now >= stream.waits_until;
            let rate = if moving {
                (allowed * 8.0 / rtt).min(flow_bps)
            } else {
                0.0
            };
            wanted.push(rate);
        }
        let machine = self.machine_bps().min(left[0]);
        let sum: f64 = wanted.iter().sum();
        let scale = if sum > machine { machine / sum } else { 1.0 };
        let offered = sum * scale;
        self.count_limits(&wanted, offered, tightest, machine, chance);
        let (delivered, overflow) = self.through_queue(offered, tightest);
        let share_lost = self.lost_share(offered, chance);
        for (index, rate) in wanted.into_iter().enumerate() {
            let rate = rate * scale;
            let segments = rate * STEP_S / 8.0 / self.mss;
            if segments <= 0.0 {
                continue;
            }
            let random = chance.poisson(segments * share_lost);
            let dropped = if overflow > 0.0 {
                chance.poisson(segments * overflow / offered)
            } else {
                0
            };
            let limited = scale < 1.0
                || rate >= 0.99 * flow_bps
                || (self.streams[index].cwnd * self.mss) > self.window.min(self.buffer);
            self.react(
                index,
                now,
                rtt,
                segments,
                random + dropped,
                limited,
                tightest,
                chance,
            );
            self.run.overflowed += dropped;
            slice.retransmits += random + dropped;
            self.run.retransmits += random + dropped;
            self.run.segments += segments;
        }
        slice.bytes += delivered * (1.0 - share_lost) * STEP_S / 8.0;
        slice.cwnd_bytes = self.streams.iter().map(|s| s.cwnd * self.mss).sum();
        slice.rtt_s = rtt + 0.000_05 * chance.unit();
    }

    /// What the two machines move at most, for all connections together, bit/s.
    fn machine_bps(&self) -> f64 {
        let host = |index: usize| &self.network.hosts[index].machine;
        let (sender, receiver) = (host(self.setup.sender), host(self.setup.receiver));
        let moves = sender.cpu_bps.min(receiver.cpu_bps).min(receiver.reads_bps);
        if !self.setup.is_application {
            return moves;
        }
        let rhythm = sender.rhythm.map_or(f64::INFINITY, |(bytes, pause_s)| {
            let writing_s = bytes * 8.0 / moves.min(self.tightest_capacity());
            bytes * 8.0 / (writing_s + pause_s)
        });
        moves.min(rhythm).min(sender.disk_bps)
    }

    fn tightest_capacity(&self) -> f64 {
        let capacity = |link: &usize| self.network.links[*link].capacity_bps;
        self.way.iter().map(capacity).fold(f64::INFINITY, f64::min)
    }

    fn flow_bps(&self) -> f64 {
        let flow = |link: &usize| {
            let link = &self.network.links[*link];
            link.flow_bps.unwrap_or(f64::INFINITY)
        };
        self.way.iter().map(flow).fold(f64::INFINITY, f64::min)
    }

    /// What a flow waits in its own queue of a shaper: half of the room there is, once it has more to send.
    fn shaper_wait_s(&self) -> f64 {
        let shapers = self.way.iter().map(|link| &self.network.links[*link]);
        let Some(shaper) = shapers.rev().find(|link| link.flow_bps.is_some()) else {
            return 0.0;
        };
        let flow_bps = shaper.flow_bps.unwrap_or(f64::INFINITY);
        let standing = self
            .streams
            .iter()
            .map(|s| (s.cwnd * self.mss).min(self.window).min(self.buffer));
        let longest = standing.fold(0.0, f64::max) * 8.0 / flow_bps - self.rtt_s;
        longest.clamp(0.0, shaper.queue_s)
    }

    fn count_limits(
        &mut self,
        wanted: &[f64],
        offered: f64,
        tightest: f64,
        machine: f64,
        chance: &mut Chance,
    ) {
        let reads = self.network.hosts[self.setup.receiver].machine.reads_bps;
        let reader_limits = reads <= machine && offered >= 0.98 * reads;
        let free = offered < 0.95 * tightest;
        let by_window =
            self.streams.iter().any(|s| s.cwnd * self.mss > self.window) && self.window <= self.buffer;
        let by_buffer =
            self.streams.iter().any(|s| s.cwnd * self.mss > self.buffer) && self.buffer < self.window;
        let any = wanted.iter().any(|rate| *rate > 0.0);
        if any && (reader_limits || by_window && (free || chance.happens(0.6))) {
            self.run.window_limited_s += STEP_S * chance.between(0.8, 1.0);
        } else if any && by_buffer {
            self.run.send_limited_s += STEP_S * chance.between(0.5, 1.0);
        }
    }

    /// What gets through the queue before the tightest link, and what falls off it, bit/s.
    fn through_queue(&mut self, offered: f64, tightest: f64) -> (f64, f64) {
        let room = self.queue_room();
        let standing = self.queue_bytes + (offered - tightest) * STEP_S / 8.0;
        let overflow = (standing - room).max(0.0) * 8.0 / STEP_S;
        let delivered = (self.queue_bytes * 8.0 / STEP_S + offered - overflow).min(tightest);
        self.queue_bytes = standing.clamp(0.0, room);
        (delivered.max(0.0), overflow)
    }

    /// Room before the link with the least capacity left, bytes.
    fn queue_room(&self) -> f64 {
        let left = |link: &usize| {
            let link = &self.network.links[*link];
            (
                link.capacity_bps * (1.0 - link.busy),
                link.queue_s * link.capacity_bps / 8.0,
            )
        };
        let tightest = self
            .way
            .iter()
            .skip(1)
            .map(left)
            .min_by(|a, b| a.0.total_cmp(&b.0));
        tightest.map_or(0.0, |(_, room)| room)
    }

    /// Loss that is not an overflow of the tightest queue.
    fn lost_share(&mut self, offered: f64, chance: &mut Chance) -> f64 {
        let mut passed = 1.0;
        for (index, number) in self.way.iter().enumerate() {
            let link = &self.network.links[*number];
            passed *= 1.0 - loss_at(link, offered * passed);
            passed *= 1.0 - self.burst_loss(*number, offered * passed);
            // What comes late looks lost to the sender, and is sent again for nothing.
            passed *= 1.0 - link.reorders * 0.3;
            if let Some((rate, burst)) = link.policer {
                let tokens = (self.tokens[index] + rate * STEP_S / 8.0).min(burst);
                let arriving = offered * passed * STEP_S / 8.0;
                let dropped = (arriving - tokens).max(0.0);
                self.tokens[index] = (tokens - arriving).max(0.0);
                if arriving > 0.0 {
                    passed *= 1.0 - dropped / arriving;
                }
            }
        }
        let drops = self.network.hosts[self.setup.receiver].machine.drops;
        if let Some((from, ratio)) = drops
            && offered * passed > from
        {
            passed *= 1.0 - ratio * chance.between(0.5, 1.5).min(1.0 / ratio);
        }
        1.0 - passed
    }

    /// Segments leave in bursts of tens of kilobytes at the speed of the link before; a queue shorter than that drops some
    /// of them long before the link is full.
    fn burst_loss(&self, number: usize, rate: f64) -> f64 {
        const BURST_BYTES: f64 = 45_000.0;
        if self.network.hosts[self.setup.sender].machine.control == Control::Bbr {
            return 0.0;
        }
        let link = &self.network.links[number];
        let position = self.way.iter().position(|other| *other == number).unwrap_or(0);
        let before = self.way[..position]
            .iter()
            .map(|l| self.network.links[*l].capacity_bps)
            .fold(f64::INFINITY, f64::min);
        if before < 2.0 * link.capacity_bps || !before.is_finite() {
            return 0.0;
        }
        let room = link.queue_s * link.capacity_bps / 8.0;
        let used = (rate / link.capacity_bps + link.busy).min(1.0);
        0.006 * used * used * libm::exp(-room / BURST_BYTES)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the state of one moment, for one connection"
    )]
    fn react(
        &mut self,
        index: usize,
        now: f64,
        rtt: f64,
        segments: f64,
        lost: u64,
        limited: bool,
        tightest: f64,
        chance: &mut Chance,
    ) {
        let control = self.network.hosts[self.setup.sender].machine.control;
        let fair = tightest / self.streams.len() as f64;
        let base = self.rtt_s;
        let mss = self.mss;
        let stream = &mut self.streams[index];
        stream.since_s += STEP_S;
        let share = lost as f64 / segments.max(1.0);
        if control == Control::Bbr {
            let target = 1.6 * fair * base / 8.0 / mss;
            let growth = 1.0 + (STEP_S / rtt).min(1.0);
            stream.cwnd = (stream.cwnd * growth).min(target.max(4.0));
            if share > 0.25 {
                stream.cwnd = (stream.cwnd * (1.0 - 0.5 * share.min(1.0))).max(4.0);
            }
            return;
        }
        if lost > 0 && now >= stream.recovers_until {
            let timeout = stream.cwnd < 4.0 || share > 0.6 || (share > 0.3 && chance.happens(0.5));
            stream.best = stream.cwnd;
            stream.since_s = 0.0;
            let kept = if control == Control::Cubic { 0.7 } else { 0.5 };
            stream.threshold = (stream.cwnd * kept).max(2.0);
            stream.cwnd = stream.threshold;
            stream.recovers_until = now + rtt;
            if timeout {
                let wait = (rtt * 1.5).max(LEAST_TIMEOUT_S) * chance.between(1.0, 1.6);
                stream.cwnd = 1.0;
                stream.waits_until = now + wait;
                stream.recovers_until = now + wait;
                self.run.timeouts += 1;
            }
            return;
        }
        if limited || now < stream.recovers_until {
            return;
        }
        let rounds = STEP_S / rtt;
        if stream.cwnd < stream.threshold {
            stream.cwnd *= libm::exp2(rounds.min(3.0));
            // HyStart: a queue that builds up ends slow start.
            if rtt - base > (base / 8.0).clamp(0.004, 0.016) && stream.cwnd > 16.0 {
                stream.threshold = stream.cwnd;
            }
        } else if control == Control::Reno {
            stream.cwnd += rounds;
        } else {
            let k = (stream.best * 0.3 / 0.4).cbrt();
            let cubic = 0.4 * (stream.since_s - k).powi(3) + stream.best;
            let reno = stream.best * 0.7 + 0.53 * stream.since_s / rtt;
            // Like the original: towards the curve, at most half as much again in a round.
            let goal = cubic.max(reno).min(stream.cwnd * (1.0 + 0.5 * rounds.min(1.0)));
            stream.cwnd = stream.cwnd.max(goal);
        }
    }
}

impl TcpRun {
    fn summed(mut self, network: &Network, setup: &TcpSetup) -> Self {
        let (sender, receiver) = (
            &network.hosts[setup.sender].machine,
            &network.hosts[setup.receiver].machine,
        );
        let count = self.slices.len().max(1);
        let rate = |slices: &[TcpSlice]| {
            let bytes: f64 = slices.iter().map(|slice| slice.bytes).sum();
            bytes * 80.0 / slices.len().max(1) as f64
        };
        self.steady_bps = rate(&self.slices[count / 2..]);
        self.mean_bps = rate(&self.slices);
        if setup.is_application {
            // The program's own account begins with the wait before the first byte.
            let seconds = count as f64 / 10.0;
            self.mean_bps *= seconds / (seconds + sender.start_s);
        }
        self.sender_cpu = (self.steady_bps / sender.cpu_bps).clamp(0.01, 0.995);
        self.receiver_cpu = (self.steady_bps / receiver.cpu_bps).clamp(0.01, 0.995);
        self
    }
}

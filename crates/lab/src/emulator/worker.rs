//! The loop of one direction: read a TUN device, ask the shaper, write the other when it is time.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Release};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::time::TimeSpec;
use rand::{Rng, SeedableRng, rngs::SmallRng};
use scenario::Direction;

use super::counters::{DropReason, Live, add};
use super::delay_line::DelayLine;
use super::shaper::{Fate, Shaper};
use crate::error::LabError;
use crate::sys;

/// Packets read before those that are due are looked after: bounds the lateness that reading causes.
const READ_BATCH: usize = 32;
/// The largest packet a TUN device gives.
const MAX_PACKET_BYTES: usize = 65_536;
/// Room for packets under way: 10 Gbit/s × 200 ms.
const MAX_HELD_BYTES: usize = 256 << 20;
/// Buffers kept for reuse; beyond it they go back to the allocator.
const MAX_SPARE_BUFFERS: usize = 4096;

/// The outside's hold on a running direction.
#[derive(Debug)]
pub(crate) struct DirectionControl {
    direction: Mutex<Direction>,
    /// Raised with every change, so that the loop looks into the mutex only when there is something new.
    generation: AtomicU64,
    wake: EventFd,
    pub(crate) counters: Live,
}

const STOP: u64 = u64::MAX;

impl DirectionControl {
    pub(crate) fn new(direction: Direction) -> std::io::Result<Self> {
        let wake = EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)?;
        Ok(Self {
            direction: Mutex::new(direction),
            generation: AtomicU64::new(0),
            wake,
            counters: Live::default(),
        })
    }

    pub(crate) fn direction(&self) -> Direction {
        self.direction
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn change(&self, apply: impl FnOnce(&mut Direction)) {
        apply(&mut self.direction.lock().unwrap_or_else(PoisonError::into_inner));
        self.generation.fetch_add(1, Release);
        self.poke();
    }

    pub(crate) fn stop(&self) {
        self.generation.store(STOP, Release);
        self.poke();
    }

    fn poke(&self) {
        // The only possible error is a counter at its limit, and then the loop is being woken already.
        let _ = self.wake.write(1);
    }
}

/// What a direction is made of.
pub(crate) struct Wiring {
    pub(crate) name: String,
    pub(crate) from: Arc<OwnedFd>,
    pub(crate) to: Arc<OwnedFd>,
    pub(crate) control: Arc<DirectionControl>,
    pub(crate) seed: u64,
}

/// Starts the thread of one direction.
pub(crate) fn spawn(wiring: Wiring) -> Result<std::thread::JoinHandle<()>, LabError> {
    std::thread::Builder::new()
        .name(wiring.name.clone())
        .spawn(move || Worker::new(wiring).run())
        .map_err(|source| LabError::Io {
            doing: "starting an emulator thread".to_owned(),
            source,
        })
}

struct Worker {
    wiring: Wiring,
    shaper: Shaper,
    line: DelayLine<Vec<u8>>,
    rng: SmallRng,
    epoch: Instant,
    generation: u64,
    held_bytes: usize,
    spare: Vec<Vec<u8>>,
}

impl Worker {
    fn new(wiring: Wiring) -> Self {
        Self {
            shaper: Shaper::new(wiring.control.direction(), 0),
            line: DelayLine::new(),
            rng: SmallRng::seed_from_u64(wiring.seed),
            epoch: Instant::now(),
            generation: 0,
            held_bytes: 0,
            spare: Vec::new(),
            wiring,
        }
    }

    fn now_ns(&self) -> u64 {
        self.epoch.elapsed().as_nanos() as u64
    }

    fn run(mut self) {
        sys::become_punctual();
        let mut packet = vec![0u8; MAX_PACKET_BYTES];
        loop {
            let generation = self.wiring.control.generation.load(Acquire);
            if generation == STOP {
                return;
            }
            if generation != self.generation {
                self.generation = generation;
                let _ = self.wiring.control.wake.read();
                self.shaper.change(self.wiring.control.direction(), self.now_ns());
            }
            let more_waiting = self.take_in(&mut packet);
            self.hand_out();
            if !more_waiting && self.wait().is_err() {
                return;
            }
        }
    }

    /// Reads up to a batch of packets. Whether there may be more.
    fn take_in(&mut self, packet: &mut [u8]) -> bool {
        for _ in 0..READ_BATCH {
            match nix::unistd::read(self.wiring.from.as_fd(), packet) {
                Ok(length) => {
                    if let Some(packet) = packet.get_mut(..length) {
                        self.accept(packet);
                    }
                }
                Err(Errno::EINTR) => {}
                Err(_) => return false,
            }
        }
        true
    }

    fn accept(&mut self, packet: &mut [u8]) {
        let now_ns = self.now_ns();
        let counters = &self.wiring.control.counters;
        add(&counters.packets_in, 1);
        add(&counters.bytes_in, packet.len() as u64);
        match self.shaper.offer(now_ns, packet.len() as u32, &mut self.rng) {
            Fate::Dropped(reason) => counters.drop(reason),
            Fate::Carried {
                due_ns,
                overtaken,
                twice,
                corrupted,
            } => {
                if corrupted {
                    add(&counters.corrupted, 1);
                    flip_a_bit(packet, &mut self.rng);
                }
                if overtaken {
                    add(&counters.reordered, 1);
                }
                if twice {
                    add(&counters.duplicated, 1);
                    self.hold(due_ns, overtaken, packet);
                }
                if due_ns <= now_ns && self.line.is_empty() {
                    self.deliver(due_ns, now_ns, packet);
                } else {
                    self.hold(due_ns, overtaken, packet);
                }
            }
        }
    }

    fn hold(&mut self, due_ns: u64, overtaken: bool, packet: &[u8]) {
        if self.held_bytes + packet.len() > MAX_HELD_BYTES {
            self.wiring.control.counters.drop(DropReason::Emulator);
            return;
        }
        self.held_bytes += packet.len();
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer.extend_from_slice(packet);
        if overtaken {
            self.line.push_held_back(due_ns, buffer);
        } else {
            self.line.push_in_order(due_ns, buffer);
        }
    }

    fn hand_out(&mut self) {
        let mut now_ns = self.now_ns();
        while let Some((due_ns, buffer)) = self.line.pop_due(now_ns) {
            self.deliver(due_ns, now_ns, &buffer);
            self.held_bytes -= buffer.len();
            if self.spare.len() < MAX_SPARE_BUFFERS {
                self.spare.push(buffer);
            }
            now_ns = self.now_ns();
        }
    }

    fn deliver(&self, due_ns: u64, now_ns: u64, packet: &[u8]) {
        let counters = &self.wiring.control.counters;
        counters.late(now_ns.saturating_sub(due_ns));
        match nix::unistd::write(self.wiring.to.as_fd(), packet) {
            Ok(_) => add(&counters.packets_out, 1),
            Err(_) => counters.drop(DropReason::Emulator),
        }
    }

    /// Sleeps until a packet comes, one is due, or somebody changes something.
    fn wait(&self) -> Result<(), Errno> {
        let until_due = self
            .line
            .next_due_ns()
            .map(|due_ns| due_ns.saturating_sub(self.now_ns()));
        if until_due == Some(0) {
            return Ok(());
        }
        let mut fds = [
            PollFd::new(self.wiring.from.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.wiring.control.wake.as_fd(), PollFlags::POLLIN),
        ];
        let timeout = until_due.map(|ns| TimeSpec::from_duration(Duration::from_nanos(ns)));
        match ppoll(&mut fds, timeout, None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Flips one bit behind the IP header: a corrupted header would be dropped by the next router at once, while a
/// corrupted payload travels on to the receiver's checksum, as after bad memory in a router.
fn flip_a_bit(packet: &mut [u8], rng: &mut impl Rng) {
    let header_bytes = match packet.first() {
        Some(first) if first >> 4 == 4 => usize::from(first & 0x0f) * 4,
        _ => 40,
    };
    if header_bytes < packet.len() {
        let at = rng.random_range(header_bytes..packet.len());
        if let Some(byte) = packet.get_mut(at) {
            *byte ^= 1 << rng.random_range(0..8);
        }
    }
}

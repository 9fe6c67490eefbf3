//! A machine that somebody can stop for a while.

use probe::{Machine, Probe, Refusal, Reply};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often a machine that pauses is looked at, nanoseconds.
const LOOK_NS: u64 = 20_000_000;

/// A switch; clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Pause(Arc<AtomicBool>);

impl Pause {
    /// Nothing is sent from now on, or it is again.
    pub fn set(&self, is_paused: bool) {
        self.0.store(is_paused, Ordering::Relaxed);
    }

    /// Whether nothing is sent.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The machine within sends nothing while the switch is set; it still takes answers.
pub(super) struct Pausable<M> {
    machine: M,
    pause: Pause,
    now_ns: u64,
}

impl<M> Pausable<M> {
    pub(super) fn new(machine: M, pause: Pause) -> Self {
        Self {
            machine,
            pause,
            now_ns: 0,
        }
    }

    pub(super) fn into_inner(self) -> M {
        self.machine
    }
}

impl<M: Machine> Machine for Pausable<M> {
    fn poll_transmit(&mut self, now_ns: u64) -> Option<Probe> {
        self.now_ns = now_ns;
        if self.pause.is_set() {
            return None;
        }
        self.machine.poll_transmit(now_ns)
    }

    fn handle_sent(&mut self, sequence: u32, at_ns: u64) {
        self.machine.handle_sent(sequence, at_ns);
    }

    fn handle_refused(&mut self, sequence: u32, why: Refusal, now_ns: u64) {
        self.machine.handle_refused(sequence, why, now_ns);
    }

    fn handle_reply(&mut self, at_ns: u64, reply: &Reply) {
        self.machine.handle_reply(at_ns, reply);
    }

    fn handle_timeout(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
        self.machine.handle_timeout(now_ns);
    }

    fn poll_timeout(&self) -> Option<u64> {
        if self.pause.is_set() {
            // What is due stays due: without this the caller would turn in circles.
            return Some(self.now_ns + LOOK_NS);
        }
        self.machine.poll_timeout()
    }

    fn is_finished(&self) -> bool {
        self.machine.is_finished()
    }

    fn fraction_done(&self) -> f32 {
        self.machine.fraction_done()
    }
}

//! One round of questions to one target: the sizes wanted, then a control that is known to pass.
//!
//! A router at its ICMP limit drops its answer to a large probe as it does any other. The control, sent right behind,
//! tells the two apart: when it is answered, the target had a token left, so it did not get the large one.

use super::goals::Wanted;
use evidence::SizeProbeMode;
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct Round {
    to_send: VecDeque<(SizeProbeMode, u32)>,
    /// Waiting for an answer: number, mode, size, is it the control.
    out: Vec<(u32, SizeProbeMode, u32, bool)>,
    last_sent_ns: u64,
    pub(super) control_answered: bool,
    /// Whether the target answered anything.
    pub(super) any_answered: bool,
    /// (mode, size) of the wanted that got no answer of any kind yet.
    pub(super) unanswered: Wanted,
}

impl Round {
    pub(super) fn new(wanted: Wanted, control_bytes: u32, now_ns: u64) -> Self {
        let mut to_send: VecDeque<_> = wanted.iter().copied().collect();
        to_send.push_back((SizeProbeMode::DontFragment, control_bytes));
        Self {
            unanswered: wanted,
            to_send,
            out: Vec::new(),
            last_sent_ns: now_ns,
            control_answered: false,
            any_answered: false,
        }
    }

    pub(super) fn next(&self) -> Option<(SizeProbeMode, u32)> {
        self.to_send.front().copied()
    }

    pub(super) fn sent(&mut self, sequence: u32, now_ns: u64) {
        if let Some((mode, size)) = self.to_send.pop_front() {
            self.out.push((sequence, mode, size, self.to_send.is_empty()));
            self.last_sent_ns = now_ns;
        }
    }

    /// The probe was answered, refused, or called too big: no longer waited for.
    pub(super) fn settled(&mut self, sequence: u32, by_target: bool) {
        if let Some(at) = self.out.iter().position(|(number, ..)| *number == sequence) {
            let (_, mode, size, is_control) = self.out.swap_remove(at);
            self.any_answered |= by_target;
            if is_control {
                self.control_answered |= by_target;
            } else {
                self.unanswered.retain(|wanted| *wanted != (mode, size));
            }
        }
    }

    /// When nothing more is expected; `None` while there is something to send.
    pub(super) fn closes_at(&self, patience_ns: u64) -> Option<u64> {
        match (self.to_send.is_empty(), self.out.is_empty()) {
            (false, _) => None,
            (true, true) => Some(self.last_sent_ns),
            (true, false) => Some(self.last_sent_ns + patience_ns),
        }
    }
}

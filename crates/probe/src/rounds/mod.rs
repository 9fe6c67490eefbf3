//! Rounds without an end: one probe to each hop and to the destination, every interval, in one flow.
//!
//! Unlike an echo run it tells each outcome as it is known and keeps none, so that a view can stay open for days. The length
//! of the path is not taken for granted: each round shows it anew. A destination that answers at a smaller TTL makes the
//! path shorter; a router that answers where the destination was, or a destination that fell silent, has further TTLs tried.

mod length;
mod outstanding;

use crate::{Answer, Machine, Probe, Refusal, Reply};
use evidence::SizeProbeMode;
use length::Length;
use outstanding::{Outstanding, Sent};
use std::collections::VecDeque;
use std::net::IpAddr;

/// What to send, and how fast.
#[derive(Debug, Clone, Copy)]
pub struct RoundsConfig {
    /// The TTL at which the destination was last seen; `None`: unknown.
    pub destination_ttl: Option<u8>,
    /// The last hop before the destination that was seen.
    pub last_ttl: u8,
    /// IP packet size in bytes.
    pub size_bytes: u32,
    /// From one round to the next, nanoseconds.
    pub interval_ns: u64,
    /// How many rounds; `None`: until somebody ends it.
    pub rounds: Option<u64>,
    /// A probe counts as unanswered after this time, nanoseconds.
    pub answer_wait_ns: u64,
    /// Number of the first probe: random, so that it cannot be guessed off the path.
    pub first_sequence: u32,
}

/// Who was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// Whoever is at this TTL on the way.
    Hop(u8),
    /// The destination.
    Destination,
}

/// What became of a probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundEvent {
    /// It was answered, or nobody will wait any longer.
    Outcome {
        /// Who was asked.
        asked: Asked,
        /// The round, from 0.
        round: u64,
        /// The answer; `None`: none came in time.
        answer: Option<Answered>,
    },
    /// It did not leave this host.
    Refused,
    /// The destination is at another TTL than before; `None`: no longer known.
    DestinationAt(Option<u8>),
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered {
    /// Who gave it.
    pub from: IpAddr,
    /// Round-trip time, nanoseconds.
    pub rtt_ns: u64,
}

/// Sends rounds and tells `tell` what became of each probe. Drive it as a [`Machine`].
pub struct RoundsMachine<F> {
    config: RoundsConfig,
    tell: F,
    length: Length,
    /// What is left of the present round: when, and to whom.
    due: VecDeque<(u64, Asked, Option<u8>)>,
    /// The next round: its number and its time.
    next: Option<(u64, u64)>,
    round: u64,
    outstanding: Outstanding,
    now_ns: u64,
    sent: u64,
}

impl<F: FnMut(RoundEvent)> RoundsMachine<F> {
    /// A run that has not started.
    pub fn new(config: RoundsConfig, tell: F) -> Self {
        Self {
            tell,
            length: Length::new(config.destination_ttl, config.last_ttl),
            due: VecDeque::new(),
            next: Some((0, 0)),
            round: 0,
            outstanding: Outstanding::new(config.first_sequence),
            config,
            now_ns: 0,
            sent: 0,
        }
    }

    /// Probes that left.
    #[must_use]
    pub fn packets_sent(&self) -> u64 {
        self.sent
    }

    /// Begins the next round when its time has come. A sender that was held up, or paused, makes nothing good.
    fn begin_round(&mut self, now_ns: u64) {
        let Some((round, at_ns)) = self.next.filter(|(_, at)| *at <= now_ns && self.due.is_empty()) else {
            return;
        };
        let at_ns = if now_ns.saturating_sub(at_ns) > self.config.interval_ns {
            now_ns
        } else {
            at_ns.max(1)
        };
        self.round = round;
        let asked = self.length.asks(round);
        let spacing = self.config.interval_ns / (asked.len() as u64).max(1);
        let times = (0u64..).map(|place| at_ns + place * spacing);
        self.due = times
            .zip(asked)
            .map(|(at, (asked, ttl))| (at, asked, ttl))
            .collect();
        let more = self.config.rounds.is_none_or(|rounds| round + 1 < rounds);
        self.next = more.then_some((round + 1, at_ns + self.config.interval_ns));
    }

    fn expire(&mut self) {
        let oldest_ns = self.now_ns.saturating_sub(self.config.answer_wait_ns);
        while let Some(sent) = self.outstanding.take_older(oldest_ns) {
            if sent.asked == Asked::Destination {
                let moved = self.length.destination_was_silent();
                self.tell_length(moved);
            }
            // A TTL that was only tried is no hop of the path.
            if !self.length.is_tried_only(sent.asked) {
                (self.tell)(RoundEvent::Outcome {
                    asked: sent.asked,
                    round: sent.round,
                    answer: None,
                });
            }
        }
    }

    fn tell_length(&mut self, moved: bool) {
        if moved {
            (self.tell)(RoundEvent::DestinationAt(self.length.destination_ttl()));
        }
    }
}

impl<F: FnMut(RoundEvent)> Machine for RoundsMachine<F> {
    fn poll_transmit(&mut self, now_ns: u64) -> Option<Probe> {
        self.now_ns = self.now_ns.max(now_ns);
        self.begin_round(now_ns);
        let (_, asked, ttl) = *self.due.front().filter(|(at, ..)| *at <= now_ns)?;
        self.due.pop_front();
        let sequence = self.outstanding.add(Sent {
            asked,
            ttl,
            round: self.round,
            at_ns: now_ns,
        });
        self.sent += 1;
        Some(Probe {
            sequence,
            flow: 0,
            ttl,
            size_bytes: self.config.size_bytes,
            mode: SizeProbeMode::DontFragment,
        })
    }

    fn handle_sent(&mut self, sequence: u32, at_ns: u64) {
        self.outstanding.was_sent(sequence, at_ns);
    }

    fn handle_refused(&mut self, sequence: u32, _why: Refusal, _now_ns: u64) {
        if self.outstanding.take(sequence).is_some() {
            self.sent -= 1;
            (self.tell)(RoundEvent::Refused);
        }
    }

    fn handle_reply(&mut self, at_ns: u64, reply: &Reply) {
        self.now_ns = self.now_ns.max(at_ns);
        let Answer::Reached(kind) = reply.answer else {
            return;
        };
        let Some((sequence, sent)) = self.outstanding.find(reply, at_ns) else {
            return;
        };
        let Some(told) = self.length.answered(sent.asked, sent.ttl, kind) else {
            return;
        };
        self.outstanding.take(sequence);
        self.outstanding.note_address(sent.ttl, reply.from);
        self.tell_length(told.moved);
        let answer = Some(Answered {
            from: reply.from,
            rtt_ns: at_ns.saturating_sub(sent.at_ns),
        });
        let round = sent.round;
        if let Some(asked) = told.counts_for {
            (self.tell)(RoundEvent::Outcome { asked, round, answer });
        }
    }

    fn handle_timeout(&mut self, now_ns: u64) {
        self.now_ns = self.now_ns.max(now_ns);
        self.expire();
    }

    fn poll_timeout(&self) -> Option<u64> {
        let due = self.due.front().map(|(at, ..)| *at);
        let next = self.next.map(|(_, at)| at);
        let wait_ns = self.config.answer_wait_ns;
        let expires = self.outstanding.oldest_ns().map(|at| at + wait_ns + 1);
        [due.or(next), expires].into_iter().flatten().min()
    }

    fn is_finished(&self) -> bool {
        self.next.is_none() && self.due.is_empty() && self.outstanding.is_empty()
    }

    fn fraction_done(&self) -> f32 {
        let begun = self.next.map_or(self.round + 1, |(next, _)| next) as f32;
        self.config
            .rounds
            .map_or(0.0, |rounds| begun / rounds.max(1) as f32)
    }
}

#[cfg(test)]
mod tests;

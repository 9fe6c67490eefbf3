//! Which packet sizes reach which hops: finds the path MTU to the byte and, where no router says it, the link that
//! drops larger packets.
//!
//! Everything runs in parallel: a table of sizes to the end of the path, refined until two neighbouring sizes differ;
//! the largest size to every hop; then the two neighbouring sizes at both ends of the link found, whole and in
//! fragments. "Fragmentation needed" (RFC 1191, RFC 8201) only adds sizes to try: what passes is always tested, since
//! the message may be missing, forged or wrong (RFC 4821 and RFC 8899 do without it for the same reason).

mod cell;
mod config;
mod goals;
mod round;

pub use config::PathMtuConfig;

use crate::ledger::{Ledger, Resolved, Sent};
use crate::{Answer, Machine, Probe, Refusal, Reply};
use cell::{Table, Target};
use evidence::{Node, ProbeError, ProbeProtocol, Probes, ReplyKind};
use goals::{End, Goals};
use round::Round;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

#[derive(Debug, Default)]
struct TargetState {
    round: Option<Round>,
    rounds: u16,
    /// Rounds in a row whose control stayed unanswered.
    failures: u16,
    not_before_ns: u64,
    has_answered: bool,
}

/// Finds the path MTU. Drive it as a [`Machine`], then take [`Self::into_observation`].
#[derive(Debug)]
pub struct PathMtuMachine {
    config: PathMtuConfig,
    ledger: Ledger,
    table: Table,
    end: End,
    targets: BTreeMap<Target, TargetState>,
    given_up: BTreeSet<u8>,
    largest_rtt_ns: u64,
    next_send_ns: u64,
    started_ns: Option<u64>,
    now_ns: u64,
    one_at_a_time: bool,
    finished: bool,
}

const MS: u64 = 1_000_000;
/// Answers are waited for this long at least: routers answer errors on a busy control processor.
const SHORTEST_WAIT_NS: u64 = 90 * MS;
const FIRST_WAIT_NS: u64 = 400 * MS;
const LONGEST_WAIT_NS: u64 = 2_000 * MS;
/// Pace of the probes: a burst of jumbo packets must not overflow a queue and look like a black hole.
const PACE_BPS: u64 = 80_000_000;
/// Linux gives a drained limiter one token a second.
const LIMITER_REFILL_NS: u64 = 1_020 * MS;
/// Rounds in a row without an answer to the control after which a target is left alone.
const MOST_FAILURES: u16 = 4;
/// Bounds the search against a path that never answers twice alike.
const MOST_ROUNDS: u16 = 40;

impl PathMtuMachine {
    /// A search that has not started.
    #[must_use]
    pub fn new(config: PathMtuConfig) -> Self {
        Self {
            ledger: Ledger::new(config.first_sequence),
            table: Table::default(),
            end: End {
                target: None,
                is_limited: config.is_destination_limited,
            },
            targets: BTreeMap::new(),
            given_up: BTreeSet::new(),
            largest_rtt_ns: config.rtt_ns,
            next_send_ns: 0,
            started_ns: None,
            now_ns: 0,
            one_at_a_time: false,
            finished: false,
            config,
        }
    }

    /// What was found, as far as known: a row for each size, target and mode.
    #[must_use]
    pub fn into_observation(self, source: IpAddr, protocol: ProbeProtocol) -> Probes {
        let destination = Node::from(self.config.destination);
        let elapsed_ns = self
            .started_ns
            .map_or(0, |start| self.now_ns.saturating_sub(start));
        Probes {
            from: source.into(),
            protocol: Some(protocol),
            interface_mtu_bytes: Some(self.config.interface_mtu_bytes),
            destination_ttl: self.config.destination_ttl,
            packets_sent: Some(self.ledger.packets_sent()),
            elapsed_ns: Some(elapsed_ns),
            rows: self.table.into_rows(&destination),
            destination: Some(destination),
            ..Probes::default()
        }
    }

    fn patience_ns(&self) -> u64 {
        match self.largest_rtt_ns {
            0 => FIRST_WAIT_NS,
            rtt => (rtt + rtt / 2 + 50 * MS).clamp(SHORTEST_WAIT_NS, LONGEST_WAIT_NS),
        }
    }

    fn goals(&self) -> Goals<'_> {
        Goals {
            config: &self.config,
            table: &self.table,
            end: self.end,
            given_up: &self.given_up,
        }
    }

    /// Closes rounds that are over, opens those that are due, and sees whether anything is left to do.
    fn tick(&mut self, now_ns: u64) {
        self.now_ns = self.now_ns.max(now_ns);
        let started = *self.started_ns.get_or_insert(self.now_ns);
        if self.finished {
            return;
        }
        self.close_rounds();
        let goals = self.goals().all();
        let control_bytes = self.goals().control_bytes();
        let busy = self.targets.values().any(|state| state.round.is_some());
        if (goals.is_empty() && !busy) || self.now_ns.saturating_sub(started) > self.config.longest_ns {
            self.finished = true;
            return;
        }
        for (target, mut wanted) in goals {
            let is_limited = target.is_some() || self.end.is_limited;
            let state = self.targets.entry(target).or_default();
            if state.round.is_none() && state.not_before_ns <= self.now_ns {
                if is_limited && state.failures > 0 && target == self.end.target {
                    wanted.truncate(1);
                }
                // Scarce answers: the control of a mute hop is all that its first retry needs.
                let control = if is_limited || state.has_answered {
                    control_bytes
                } else {
                    self.config.small_bytes
                };
                state.round = Some(Round::new(wanted, control, self.now_ns));
                state.rounds += 1;
            }
        }
    }

    fn close_rounds(&mut self) {
        let patience = self.patience_ns();
        let mut exhausted = Vec::new();
        for (target, state) in &mut self.targets {
            let over = |round: &mut Round| round.closes_at(patience).is_some_and(|at| at <= self.now_ns);
            let Some(round) = state.round.take_if(over) else {
                continue;
            };
            if round.control_answered {
                state.failures = 0;
                for (mode, size) in round.unanswered {
                    self.table.at(mode, *target, size).vanished += 1;
                }
            } else if !round.unanswered.is_empty() {
                // An answer that took the last token is progress.
                state.failures = if round.any_answered { 1 } else { state.failures + 1 };
                let is_limited = target.is_some() || self.end.is_limited;
                // The first failure may be a lost packet; from the second on it looks like a drained limiter, which
                // must have a token for the size and one for the control.
                if is_limited && (state.failures > 1 || round.any_answered) {
                    let tokens = if self.end.target == *target { 2 } else { 1 };
                    state.not_before_ns = self.now_ns + tokens * LIMITER_REFILL_NS;
                }
            }
            let known_mute = target.is_some_and(|ttl| self.config.mute_ttls.contains(&ttl));
            let most = if known_mute && !state.has_answered {
                1
            } else {
                MOST_FAILURES
            };
            if state.failures >= most || state.rounds >= MOST_ROUNDS {
                exhausted.push(*target);
            }
        }
        for target in exhausted {
            self.give_up(target);
        }
    }

    /// A hop is left alone. A destination that never answered hands its part to the last hop that does.
    fn give_up(&mut self, target: Target) {
        let last_hop = || {
            let answers = |ttl: &u8| {
                self.targets
                    .get(&Some(*ttl))
                    .is_some_and(|state| state.has_answered)
            };
            (1..=self.config.last_ttl).rev().find(answers)
        };
        match target {
            Some(ttl) if self.end.target != target => {
                self.given_up.insert(ttl);
            }
            None if self.end.target.is_none() && !self.end_has_answered() => match last_hop() {
                Some(ttl) => {
                    self.end = End {
                        target: Some(ttl),
                        is_limited: true,
                    }
                }
                None => self.finished = true,
            },
            _ => self.finished = true,
        }
    }

    fn end_has_answered(&self) -> bool {
        self.targets
            .get(&self.end.target)
            .is_some_and(|state| state.has_answered)
    }

    fn note_answer(&mut self, sequence: u32, sent: Sent, at_ns: u64, reply: &Reply) {
        let cell = self.table.at(sent.mode, sent.ttl, sent.size_bytes);
        let by_target = match reply.answer {
            Answer::Reached(kind) if is_from_target(sent.ttl, kind, reply, &self.config) => {
                cell.answered += 1;
                cell.answered_by.insert(reply.from);
                self.largest_rtt_ns = self.largest_rtt_ns.max(at_ns.saturating_sub(sent.at_ns));
                true
            }
            // A router that refuses or a firewall: neither passed nor too big.
            Answer::Reached(_) => false,
            Answer::TooBig { mtu_bytes } => {
                cell.too_big.push(ProbeError {
                    from: Some(reply.from.into()),
                    text: ProbeError::FRAGMENTATION_NEEDED.to_owned(),
                    mtu_bytes,
                    count: 1,
                });
                false
            }
        };
        if let Some(state) = self.targets.get_mut(&sent.ttl) {
            state.has_answered |= by_target;
            if let Some(round) = &mut state.round {
                round.settled(sequence, by_target);
            }
        }
    }
}

/// Whether the answer shows that the probe got to where its TTL says.
fn is_from_target(ttl: Target, kind: ReplyKind, reply: &Reply, config: &PathMtuConfig) -> bool {
    match ttl {
        None => kind.is_from_destination() || reply.from == config.destination,
        Some(_) => kind == ReplyKind::TimeExceeded || kind.is_from_destination(),
    }
}

impl Machine for PathMtuMachine {
    fn poll_transmit(&mut self, now_ns: u64) -> Option<Probe> {
        self.tick(now_ns);
        let patience = self.patience_ns();
        let held = self.one_at_a_time && self.ledger.is_waiting_for_any(now_ns, patience);
        if self.finished || now_ns < self.next_send_ns || held {
            return None;
        }
        // Rounds begun first are finished first: the control must follow its large packets at once.
        let sending =
            |state: &&mut TargetState| state.round.as_ref().is_some_and(|round| round.next().is_some());
        let mut states = self.targets.iter_mut().map(|(target, state)| (*target, state));
        let (target, state) = states.find(|(_, state)| sending(state))?;
        let round = state.round.as_mut()?;
        let (mode, size) = round.next()?;
        let probe = self.ledger.issue(0, target, size, mode, now_ns);
        round.sent(probe.sequence, now_ns);
        self.table.at(mode, target, size).sent += 1;
        let gap_ns = u64::from(size) * 8 * 1_000_000_000 / PACE_BPS;
        self.next_send_ns = self.next_send_ns.max(now_ns.saturating_sub(2 * MS)) + gap_ns;
        Some(probe)
    }

    fn handle_sent(&mut self, sequence: u32, at_ns: u64) {
        self.ledger.set_sent_at(sequence, at_ns);
    }

    fn handle_refused(&mut self, sequence: u32, why: Refusal, now_ns: u64) {
        if let Some(sent) = self.ledger.withdraw(sequence) {
            let cell = self.table.at(sent.mode, sent.ttl, sent.size_bytes);
            cell.sent -= 1;
            if let Refusal::TooBig { mtu_bytes } = why {
                cell.refused = Some(mtu_bytes.unwrap_or(self.config.interface_mtu_bytes));
            }
            let round = self
                .targets
                .get_mut(&sent.ttl)
                .and_then(|state| state.round.as_mut());
            if let (Some(round), Refusal::TooBig { .. }) = (round, why) {
                round.settled(sequence, false);
            }
        }
        self.tick(now_ns);
    }

    fn handle_reply(&mut self, at_ns: u64, reply: &Reply) {
        let patience = self.patience_ns();
        match self.ledger.resolve(reply, at_ns, patience) {
            Resolved::First(sequence, sent) => self.note_answer(sequence, sent, at_ns, reply),
            Resolved::Ambiguous if !self.one_at_a_time => self.start_over_one_at_a_time(),
            Resolved::Ambiguous | Resolved::Foreign => {}
        }
        self.tick(at_ns);
    }

    fn handle_timeout(&mut self, now_ns: u64) {
        self.tick(now_ns);
    }

    fn poll_timeout(&self) -> Option<u64> {
        if self.finished {
            return None;
        }
        let patience = self.patience_ns();
        let sending = self
            .targets
            .values()
            .flat_map(|state| &state.round)
            .any(|round| round.next().is_some());
        let send = sending.then_some(match self.one_at_a_time {
            true => self.next_send_ns.max(self.now_ns + 5 * MS),
            false => self.next_send_ns.max(self.now_ns),
        });
        let closes = self
            .targets
            .values()
            .flat_map(|state| &state.round)
            .filter_map(|r| r.closes_at(patience));
        let opens = self
            .targets
            .values()
            .filter(|state| state.round.is_none())
            .map(|state| state.not_before_ns);
        let end = self.started_ns.map(|start| start + self.config.longest_ns + 1);
        let future = closes.chain(opens.filter(|at| *at > self.now_ns)).chain(end);
        future.chain(send).min()
    }

    fn is_finished(&self) -> bool {
        self.finished
    }

    fn fraction_done(&self) -> f32 {
        // Sizes are halved many times over in a few rounds; time is the honest measure.
        let elapsed = self
            .started_ns
            .map_or(0, |start| self.now_ns.saturating_sub(start));
        (elapsed as f32 / (20.0 * self.patience_ns() as f32)).min(0.95)
    }
}

impl PathMtuMachine {
    /// Some router quotes too little to say which probe it answers: what was out is not believed, and from now on one
    /// probe is out at a time, with few sizes.
    fn start_over_one_at_a_time(&mut self) {
        self.one_at_a_time = true;
        self.end.is_limited = true;
        for state in self.targets.values_mut() {
            state.round = None;
        }
    }
}

#[cfg(test)]
mod tests;

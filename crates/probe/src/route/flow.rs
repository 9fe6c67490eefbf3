//! One flow's trace: which TTL to probe next, and when to stop looking.

use evidence::{ReplyKind, TraceAnswer, TraceHop};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// TTLs of the first burst. Seven links, three samples each, stay within the packets that traceroute sends.
const FIRST_WINDOW: u8 = 10;
/// How far beyond the farthest answer one probe is sent: sets the round trips that a long path takes.
const LOOK_AHEAD: u8 = 5;
/// How far beyond the farthest answer all samples are sent: such hops most likely exist, and their samples need not
/// wait a round trip for the first answer.
const CERTAIN_AHEAD: u8 = 4;
/// When nobody has answered after this time, the first link is a long one: the samples of the nearest hops then do not
/// wait for the first answer, which would cost a second round trip.
const BLIND_AFTER_NS: u64 = 3_000_000;
/// How many hops are sampled blindly: with the first burst, within the packets of traceroute on a path of that length.
const BLIND_TTLS: u8 = 7;
const MAX_TTL: u8 = 30;
/// Linux gives a drained limiter one token a second (`icmp_ratelimit` 1000 ms).
const LIMITER_REFILL_NS: u64 = 1_020_000_000;

#[derive(Debug, Default)]
struct Hop {
    tries: u16,
    refused: u16,
    first_sent_ns: u64,
    last_sent_ns: u64,
    answers: Vec<TraceAnswer>,
}

#[derive(Debug)]
pub(super) struct FlowTrace {
    samples: u16,
    /// Index is TTL − 1.
    hops: Vec<Hop>,
    reached: Option<u8>,
    /// The TTL at which a router said that it goes no further.
    refused_at: Option<u8>,
    farthest_answer: u8,
    searched_to_the_end: bool,
    /// Answers do not say which probe they belong to: only one may be out.
    pub(super) one_at_a_time: bool,
}

impl FlowTrace {
    pub(super) fn new(samples: u16) -> Self {
        Self {
            samples: samples.max(1),
            hops: (0..MAX_TTL).map(|_| Hop::default()).collect(),
            reached: None,
            refused_at: None,
            farthest_answer: 0,
            searched_to_the_end: false,
            one_at_a_time: false,
        }
    }

    pub(super) fn reached(&self) -> Option<u8> {
        self.reached
    }

    /// The last TTL worth probing, as far as known.
    fn end(&self) -> u8 {
        let window = if self.searched_to_the_end {
            MAX_TTL
        } else {
            (self.farthest_answer + LOOK_AHEAD).clamp(FIRST_WINDOW, MAX_TTL)
        };
        self.reached.or(self.refused_at).unwrap_or(window)
    }

    fn wanted(&self, ttl: u8) -> u16 {
        let certain = self
            .reached
            .or(self.refused_at)
            .unwrap_or(self.farthest_answer + CERTAIN_AHEAD);
        // Before anything answers, nothing is certain; a path whose first hops are mute is found by the window.
        let any_answer = self.farthest_answer > 0 || self.reached.is_some();
        if any_answer && ttl <= certain {
            self.samples
        } else {
            1
        }
    }

    /// When the next probe of `ttl` is due; `None` when it has had all of them. A hop that answered none of its
    /// samples gets one more, when a drained limiter has a token again.
    fn due(&self, ttl: u8, hop: &Hop) -> Option<u64> {
        let wanted = self.wanted(ttl);
        if hop.tries < wanted {
            return Some(hop.last_sent_ns);
        }
        let is_silent = self.farthest_answer == 0 && self.reached.is_none();
        if is_silent && ttl <= BLIND_TTLS && hop.tries < self.samples {
            return Some(hop.first_sent_ns + BLIND_AFTER_NS);
        }
        let is_last_chance = hop.tries == self.samples && wanted == self.samples && hop.answers.is_empty();
        is_last_chance.then_some(hop.first_sent_ns + LIMITER_REFILL_NS)
    }

    fn active(&self) -> impl Iterator<Item = (u8, &Hop)> {
        (1..=self.end()).zip(&self.hops)
    }

    pub(super) fn next_due(&self, now_ns: u64) -> Option<u8> {
        let due = self
            .active()
            .filter(|(ttl, hop)| self.due(*ttl, hop).is_some_and(|at| at <= now_ns));
        // First samples first: they decide how long everything takes.
        due.min_by_key(|(ttl, hop)| (hop.tries, *ttl)).map(|(ttl, _)| ttl)
    }

    /// When something is due or given up; `None` when the trace is complete.
    pub(super) fn next_event(&self, now_ns: u64, patience_ns: u64) -> Option<u64> {
        let events = self.active().filter_map(|(ttl, hop)| {
            self.due(ttl, hop).or_else(|| {
                let given_up = hop.last_sent_ns + patience_ns;
                let waiting = hop.answers.len() < usize::from(hop.tries - hop.refused.min(hop.tries));
                (waiting && given_up > now_ns).then_some(given_up)
            })
        });
        events.min()
    }

    /// When all of the window stayed silent, looks at everything beyond it once.
    pub(super) fn look_further(&mut self, now_ns: u64, patience_ns: u64) {
        let open = self.reached.is_none() && self.refused_at.is_none() && !self.searched_to_the_end;
        let started = self.hops.first().is_some_and(|hop| hop.tries > 0);
        if open && started && self.next_event(now_ns, patience_ns).is_none() {
            self.searched_to_the_end = true;
        }
    }

    pub(super) fn sent(&mut self, ttl: u8, now_ns: u64) {
        if let Some(hop) = self.hop(ttl) {
            if hop.tries == 0 {
                hop.first_sent_ns = now_ns;
            }
            hop.tries += 1;
            hop.last_sent_ns = now_ns;
        }
    }

    pub(super) fn refused(&mut self, ttl: u8) {
        if let Some(hop) = self.hop(ttl) {
            hop.refused += 1;
        }
    }

    pub(super) fn answered(&mut self, ttl: u8, answer: TraceAnswer, is_end: bool) {
        let lower = |known: Option<u8>| Some(known.map_or(ttl, |at| at.min(ttl)));
        if is_end {
            self.reached = lower(self.reached);
        } else if matches!(answer.kind, Some(ReplyKind::Unreachable { .. })) {
            self.refused_at = lower(self.refused_at);
        } else {
            self.farthest_answer = self.farthest_answer.max(ttl);
        }
        if let Some(hop) = self.hop(ttl) {
            hop.answers.push(answer);
        }
    }

    fn hop(&mut self, ttl: u8) -> Option<&mut Hop> {
        self.hops.get_mut(usize::from(ttl).checked_sub(1)?)
    }

    pub(super) fn addresses(&self) -> impl Iterator<Item = IpAddr> + '_ {
        self.hops
            .iter()
            .flat_map(|hop| hop.answers.iter().filter_map(|answer| answer.node.address))
    }

    pub(super) fn progress(&self) -> (usize, usize) {
        let done = self.active().filter(|(_, hop)| !hop.answers.is_empty()).count();
        (done, usize::from(self.end()))
    }

    /// The hops up to the end; silent ones after the last that answered are kept only as far as they were tried.
    /// Who answered gets its name of `names`.
    pub(super) fn into_hops(self, names: &BTreeMap<IpAddr, String>) -> Vec<TraceHop> {
        let end = usize::from(self.end());
        let tried = self
            .hops
            .iter()
            .take(end)
            .rposition(|hop| hop.tries > hop.refused)
            .map_or(0, |last| last + 1);
        let hops = (1u8..).zip(self.hops).take(tried);
        hops.map(|(ttl, mut hop)| {
            for answer in &mut hop.answers {
                answer.node.name = answer.node.address.and_then(|from| names.get(&from).cloned());
            }
            let sent = hop.tries.saturating_sub(hop.refused);
            let answered = u16::try_from(hop.answers.len()).unwrap_or(u16::MAX);
            TraceHop {
                ttl,
                unanswered: sent.saturating_sub(answered),
                answers: hop.answers,
            }
        })
        .collect()
    }
}

//! A path in memory for the machines' tests: hops that answer, stay mute, limit themselves or quote little, links
//! that drop large packets with and without a word, random loss. Virtual time, seeded chance.

use crate::{Answer, Identity, Machine, Probe, Reply};
use evidence::{ReplyKind, SizeProbeMode};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

pub(crate) const MS: u64 = 1_000_000;

/// A router and the link behind it.
#[derive(Debug, Clone)]
pub(crate) struct SimHop {
    /// One-way delay of the link in front of it.
    pub(crate) delay_ns: u64,
    /// The largest packet that it takes in, in silence.
    pub(crate) accept_bytes: u32,
    /// MTU of the link behind it.
    pub(crate) next_mtu_bytes: u32,
    /// Whether it says so when a packet does not fit the link behind it.
    pub(crate) says_too_big: bool,
    pub(crate) mute: bool,
    /// Tokens: (burst, nanoseconds per token).
    pub(crate) limit: Option<(u32, u64)>,
    /// Quotes only eight bytes of what follows the IP header, to a socket that needs more.
    pub(crate) quotes_little: bool,
    /// Other addresses at the same TTL, chosen by flow.
    pub(crate) balanced: bool,
}

impl Default for SimHop {
    fn default() -> Self {
        Self {
            delay_ns: MS / 2,
            accept_bytes: 9000,
            next_mtu_bytes: 9000,
            says_too_big: true,
            mute: false,
            limit: None,
            quotes_little: false,
            balanced: false,
        }
    }
}

#[derive(Debug)]
pub(crate) struct SimPath {
    /// Routers, then the destination.
    pub(crate) hops: Vec<SimHop>,
    pub(crate) loss: f64,
    pub(crate) destination_answer: Option<ReplyKind>,
    pub(crate) sent: Vec<(u64, Probe)>,
    tokens: BTreeMap<usize, (u32, u64)>,
    chance: SmallRng,
}

pub(crate) fn destination() -> IpAddr {
    Ipv4Addr::new(198, 51, 100, 1).into()
}

pub(crate) fn address(ttl: usize, branch: u16) -> IpAddr {
    Ipv4Addr::new(10, branch as u8, ttl as u8, 1).into()
}

impl SimPath {
    /// `links` links: one router fewer, and the destination.
    pub(crate) fn new(links: usize, seed: u64) -> Self {
        Self {
            hops: vec![SimHop::default(); links],
            loss: 0.0,
            destination_answer: Some(ReplyKind::Reflected),
            sent: Vec::new(),
            tokens: BTreeMap::new(),
            chance: SmallRng::seed_from_u64(seed),
        }
    }

    /// The answer to `probe` and when it arrives.
    fn carry(&mut self, now_ns: u64, probe: &Probe) -> Option<(u64, Reply)> {
        let last = self.hops.len();
        let mut one_way_ns = 0;
        for ttl in 1..=last {
            let hop = self.hops[ttl - 1].clone();
            one_way_ns += hop.delay_ns;
            let at_ns = now_ns + 2 * one_way_ns;
            if probe.size_bytes > hop.accept_bytes || self.lost() {
                return None;
            }
            if ttl == last {
                let kind = self
                    .destination_answer
                    .filter(|_| !self.lost() && self.has_token(ttl, at_ns))?;
                return Some((at_ns, self.reply(ttl, probe, Answer::Reached(kind))));
            }
            if probe.ttl == Some(ttl as u8) {
                let answers = !hop.mute && !self.lost() && self.has_token(ttl, at_ns);
                let answer = Answer::Reached(ReplyKind::TimeExceeded);
                return answers.then(|| (at_ns, self.reply(ttl, probe, answer)));
            }
            let fragmented = probe.mode == SizeProbeMode::MayFragment;
            if probe.size_bytes > hop.next_mtu_bytes && !fragmented {
                let answer = Answer::TooBig {
                    mtu_bytes: Some(hop.next_mtu_bytes),
                };
                let speaks = hop.says_too_big && !self.lost();
                return speaks.then(|| (at_ns, self.reply(ttl, probe, answer)));
            }
        }
        None
    }

    fn reply(&self, ttl: usize, probe: &Probe, answer: Answer) -> Reply {
        let hop = &self.hops[ttl - 1];
        let is_destination = ttl == self.hops.len();
        let branch = if hop.balanced { probe.flow } else { 0 };
        Reply {
            identity: if hop.quotes_little && !is_destination {
                Identity::Unknown
            } else {
                Identity::Sequence(probe.sequence)
            },
            flow: probe.flow,
            from: if is_destination {
                destination()
            } else {
                address(ttl, branch)
            },
            answer,
            reply_ttl: Some(64 - ttl as u8),
            mpls: Vec::new(),
        }
    }

    fn lost(&mut self) -> bool {
        self.loss > 0.0 && self.chance.random_bool(self.loss / self.hops.len() as f64)
    }

    fn has_token(&mut self, ttl: usize, at_ns: u64) -> bool {
        let Some((burst, every_ns)) = self.hops[ttl - 1].limit else {
            return true;
        };
        let (tokens, since) = self.tokens.entry(ttl).or_insert((burst, at_ns));
        let gained = at_ns.saturating_sub(*since) / every_ns;
        *since += gained * every_ns;
        *tokens = burst.min(tokens.saturating_add(gained as u32));
        let granted = *tokens > 0;
        *tokens -= u32::from(granted);
        granted
    }

    /// Somebody else used up all tokens at `at_ns`.
    pub(crate) fn drain_limiters(&mut self, at_ns: u64) {
        self.tokens = (1..=self.hops.len()).map(|ttl| (ttl, (0, at_ns))).collect();
    }

    /// Somebody took `count` tokens of every limiter at `at_ns`.
    pub(crate) fn take_tokens(&mut self, count: u32, at_ns: u64) {
        let hops = (1..).zip(&self.hops);
        self.tokens = hops
            .filter_map(|(ttl, hop)| Some((ttl, (hop.limit?.0 - count, at_ns))))
            .collect();
    }

    /// Runs `machine` to its end; gives the virtual time that took. Panics when it hangs.
    pub(crate) fn run(&mut self, machine: &mut impl Machine) -> u64 {
        let mut now_ns = 1;
        let mut arrivals: BTreeMap<(u64, u32), Reply> = BTreeMap::new();
        let mut numbers = BTreeSet::new();
        for _ in 0..2_000_000 {
            while let Some(probe) = machine.poll_transmit(now_ns) {
                assert!(numbers.insert(probe.sequence), "number used twice: {probe:?}");
                assert_ne!(probe.sequence as u16, 0);
                self.sent.push((now_ns, probe));
                if let Some((at_ns, reply)) = self.carry(now_ns, &probe) {
                    arrivals.insert((at_ns, probe.sequence), reply);
                }
            }
            if machine.is_finished() {
                return now_ns;
            }
            let timeout = machine.poll_timeout().expect("unfinished machines name a time");
            let arrival = arrivals.first_key_value().map(|(key, _)| key.0);
            if arrival.is_some_and(|at| at <= timeout) {
                let ((at, _), reply) = arrivals.pop_first().unwrap();
                now_ns = now_ns.max(at);
                machine.handle_reply(now_ns, &reply);
            } else {
                now_ns = now_ns.max(timeout);
                machine.handle_timeout(now_ns);
            }
        }
        panic!(
            "the machine does not end: now {now_ns}, timeout {:?}",
            machine.poll_timeout()
        );
    }
}

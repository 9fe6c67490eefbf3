//! The hops towards a destination: all TTLs at once, a constant flow identifier per flow.
//!
//! The first burst covers a usual path; answers move the window on, so that a short path costs few packets and a long
//! one few round trips. A hop that stays silent is asked once more a second later: Linux routers limit themselves to
//! one error a second for each peer (`icmp_ratelimit`), and a drained limiter must not look like a mute hop.

mod flow;

use crate::ledger::{Ledger, Resolved};
use crate::{Answer, Machine, Probe, Refusal, Reply};
use evidence::{Node, ProbeProtocol, SizeProbeMode, Trace, TraceAnswer, TraceFlow};
use flow::FlowTrace;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// What to trace.
#[derive(Debug, Clone)]
pub struct RouteConfig {
    /// The destination, to tell its answers from a router's.
    pub destination: IpAddr,
    /// How many flows: probes of flow `0..flows` are sent. At least 1.
    pub flows: u16,
    /// Number of the first probe: random, so that it cannot be guessed off the path.
    pub first_sequence: u32,
    /// IP packet size of the probes.
    pub size_bytes: u32,
    /// Probes per hop.
    pub samples: u16,
}

/// Traces the route. Drive it as a [`Machine`], then take [`Self::into_observation`].
#[derive(Debug)]
pub struct RouteMachine {
    config: RouteConfig,
    ledger: Ledger,
    flows: Vec<FlowTrace>,
    largest_rtt_ns: u64,
    started_ns: Option<u64>,
    now_ns: u64,
}

const MS: u64 = 1_000_000;
/// Answers are waited for this long while nobody has answered yet, and at most.
const LONGEST_WAIT_NS: u64 = 1_000 * MS;
/// Busy routers answer tens of milliseconds late (they do it on their control processor).
const SHORTEST_WAIT_NS: u64 = 250 * MS;

impl RouteMachine {
    /// A trace that has not started.
    #[must_use]
    pub fn new(config: RouteConfig) -> Self {
        let flows = (0..config.flows.max(1))
            .map(|_| FlowTrace::new(config.samples))
            .collect();
        Self {
            ledger: Ledger::new(config.first_sequence),
            flows,
            config,
            largest_rtt_ns: 0,
            started_ns: None,
            now_ns: 0,
        }
    }

    /// The route as far as known. `ports` are the (source, destination) ports of each flow, `names` those of the hops in
    /// the reverse DNS.
    #[must_use]
    pub fn into_observation(
        self,
        source: IpAddr,
        protocol: ProbeProtocol,
        ports: &[(u16, u16)],
        names: &BTreeMap<IpAddr, String>,
    ) -> Trace {
        let elapsed_ns = self
            .started_ns
            .map_or(0, |start| self.now_ns.saturating_sub(start));
        let flows = self.flows.into_iter().enumerate().map(|(index, trace)| {
            let (source_port, destination_port) = ports.get(index).copied().unwrap_or_default();
            TraceFlow {
                source_port: Some(source_port),
                destination_port: Some(destination_port),
                reached_ttl: trace.reached(),
                hops: trace.into_hops(names),
            }
        });
        let flows: Vec<TraceFlow> = flows.collect();
        Trace {
            from: source.into(),
            to: self.config.destination.into(),
            protocol: Some(protocol),
            reached: Some(flows.iter().any(|flow| flow.reached_ttl.is_some())),
            flows,
            packets_sent: Some(self.ledger.packets_sent()),
            elapsed_ns: Some(elapsed_ns),
            ..Trace::default()
        }
    }

    /// The addresses that have answered so far.
    pub fn addresses(&self) -> impl Iterator<Item = IpAddr> + '_ {
        self.flows.iter().flat_map(FlowTrace::addresses)
    }

    /// How long an answer is waited for. Three times the longest round trip seen, since the far hops' is not known yet.
    fn patience_ns(&self) -> u64 {
        match self.largest_rtt_ns {
            0 => LONGEST_WAIT_NS,
            rtt => (3 * rtt).clamp(SHORTEST_WAIT_NS, LONGEST_WAIT_NS.max(2 * rtt)),
        }
    }

    fn tick(&mut self, now_ns: u64) {
        self.now_ns = self.now_ns.max(now_ns);
        let patience = self.patience_ns();
        for flow in &mut self.flows {
            flow.look_further(self.now_ns, patience);
        }
    }
}

impl Machine for RouteMachine {
    fn poll_transmit(&mut self, now_ns: u64) -> Option<Probe> {
        self.tick(now_ns);
        self.started_ns.get_or_insert(now_ns);
        let patience = self.patience_ns();
        for (index, flow) in (0u16..).zip(self.flows.iter_mut()) {
            if flow.one_at_a_time && self.ledger.is_waiting(index, now_ns, patience) {
                continue;
            }
            if let Some(ttl) = flow.next_due(now_ns) {
                flow.sent(ttl, now_ns);
                let (size, mode) = (self.config.size_bytes, SizeProbeMode::DontFragment);
                return Some(self.ledger.issue(index, Some(ttl), size, mode, now_ns));
            }
        }
        None
    }

    fn handle_sent(&mut self, sequence: u32, at_ns: u64) {
        self.ledger.set_sent_at(sequence, at_ns);
    }

    fn handle_refused(&mut self, sequence: u32, _why: Refusal, now_ns: u64) {
        self.tick(now_ns);
        // It counts as a try, or a host without a route would be asked for ever; it is not reported as sent.
        if let Some(sent) = self.ledger.withdraw(sequence)
            && let (Some(flow), Some(ttl)) = (self.flows.get_mut(usize::from(sent.flow)), sent.ttl)
        {
            flow.refused(ttl);
        }
    }

    fn handle_reply(&mut self, at_ns: u64, reply: &Reply) {
        let patience = self.patience_ns();
        let resolved = self.ledger.resolve(reply, at_ns, patience);
        let Some(flow) = self.flows.get_mut(usize::from(reply.flow)) else {
            return;
        };
        match resolved {
            Resolved::Ambiguous => flow.one_at_a_time = true,
            Resolved::First(_, sent) => {
                let rtt_ns = at_ns.saturating_sub(sent.at_ns);
                self.largest_rtt_ns = self.largest_rtt_ns.max(rtt_ns);
                if let (Some(ttl), Answer::Reached(kind)) = (sent.ttl, reply.answer) {
                    let is_end = kind.is_from_destination() || reply.from == self.config.destination;
                    let answer = TraceAnswer {
                        node: Node::from(reply.from),
                        rtt_ns: Some(rtt_ns),
                        reply_ttl: reply.reply_ttl,
                        kind: Some(kind),
                        mpls: reply.mpls.clone(),
                        ..TraceAnswer::default()
                    };
                    flow.answered(ttl, answer, is_end);
                }
            }
            Resolved::Foreign => {}
        }
        self.tick(at_ns);
    }

    fn handle_timeout(&mut self, now_ns: u64) {
        self.tick(now_ns);
    }

    fn poll_timeout(&self) -> Option<u64> {
        let patience = self.patience_ns();
        let next = self
            .flows
            .iter()
            .filter_map(|flow| flow.next_event(self.now_ns, patience))
            .min()?;
        // A flow that must go one at a time waits for its outstanding probe: look again soon.
        let held = self.flows.iter().any(|flow| flow.one_at_a_time);
        Some(if held {
            next.max(self.now_ns + 5 * MS)
        } else {
            next
        })
    }

    fn is_finished(&self) -> bool {
        let patience = self.patience_ns();
        self.flows
            .iter()
            .all(|flow| flow.next_event(self.now_ns, patience).is_none())
    }

    fn fraction_done(&self) -> f32 {
        let (done, all) = self
            .flows
            .iter()
            .map(FlowTrace::progress)
            .fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        done as f32 / (all as f32).max(1.0)
    }
}

#[cfg(test)]
mod tests;

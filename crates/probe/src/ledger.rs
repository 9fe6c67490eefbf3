//! Which probes are out, and which of them an answer belongs to.

use crate::{Answer, Identity, Probe, Reply};
use evidence::{ReplyKind, SizeProbeMode};
use std::collections::BTreeMap;

/// A probe that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) flow: u16,
    pub(crate) ttl: Option<u8>,
    pub(crate) size_bytes: u32,
    pub(crate) mode: SizeProbeMode,
    pub(crate) at_ns: u64,
    answered: bool,
}

/// What an answer turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resolved {
    /// The first answer to this probe.
    First(u32, Sent),
    /// It answers one of several probes and does not say which.
    Ambiguous,
    /// Answered before, or never sent: a duplicate, a stale packet or a forgery.
    Foreign,
}

/// All probes of a run.
#[derive(Debug)]
pub(crate) struct Ledger {
    next: u32,
    sent: BTreeMap<u32, Sent>,
    packets_sent: u32,
}

impl Ledger {
    /// Numbers start at `first`, which should be hard to guess: it is what a forger off the path does not know.
    pub(crate) fn new(first: u32) -> Self {
        Self {
            next: first,
            sent: BTreeMap::new(),
            packets_sent: 0,
        }
    }

    /// A probe with a fresh number, noted as sent now.
    pub(crate) fn issue(
        &mut self,
        flow: u16,
        ttl: Option<u8>,
        size_bytes: u32,
        mode: SizeProbeMode,
        at_ns: u64,
    ) -> Probe {
        if self.next as u16 == 0 {
            self.next = self.next.wrapping_add(1);
        }
        let sequence = self.next;
        self.next = self.next.wrapping_add(1);
        self.packets_sent += 1;
        self.sent.insert(
            sequence,
            Sent {
                flow,
                ttl,
                size_bytes,
                mode,
                at_ns,
                answered: false,
            },
        );
        Probe {
            sequence,
            flow,
            ttl,
            size_bytes,
            mode,
        }
    }

    pub(crate) fn set_sent_at(&mut self, sequence: u32, at_ns: u64) {
        if let Some(sent) = self.sent.get_mut(&sequence) {
            sent.at_ns = at_ns;
        }
    }

    /// The probe never left: it cannot be answered and does not count.
    pub(crate) fn withdraw(&mut self, sequence: u32) -> Option<Sent> {
        let sent = self.sent.remove(&sequence)?;
        self.packets_sent -= 1;
        Some(sent)
    }

    pub(crate) fn packets_sent(&self) -> u32 {
        self.packets_sent
    }

    /// The probe that `reply` answers. Answers without a number count when one probe alone of the flow, sent at most
    /// `patience_ns` ago, is unanswered.
    pub(crate) fn resolve(&mut self, reply: &Reply, at_ns: u64, patience_ns: u64) -> Resolved {
        let sequence = match reply.identity {
            Identity::Sequence(sequence) => Some(sequence),
            Identity::Low16(low) => self.latest_with(low, reply.flow),
            Identity::Unknown => match self.outstanding(at_ns, patience_ns, |sent| may_be_about(sent, reply))
            {
                Outstanding::One(sequence) => Some(sequence),
                Outstanding::Several => return Resolved::Ambiguous,
                Outstanding::None => None,
            },
        };
        let Some(sequence) = sequence else {
            return Resolved::Foreign;
        };
        match self.sent.get_mut(&sequence) {
            Some(sent) if sent.flow == reply.flow && !sent.answered && is_possible(sent, reply) => {
                sent.answered = true;
                Resolved::First(sequence, *sent)
            }
            _ => Resolved::Foreign,
        }
    }

    /// Whether a probe of `flow` is still waited for.
    pub(crate) fn is_waiting(&self, flow: u16, now_ns: u64, patience_ns: u64) -> bool {
        self.outstanding(now_ns, patience_ns, |sent| sent.flow == flow) != Outstanding::None
    }

    /// Whether any probe is still waited for.
    pub(crate) fn is_waiting_for_any(&self, now_ns: u64, patience_ns: u64) -> bool {
        self.outstanding(now_ns, patience_ns, |_| true) != Outstanding::None
    }

    fn latest_with(&self, low: u16, flow: u16) -> Option<u32> {
        let mut candidates = self.sent.iter().rev();
        let found = candidates.find(|(sequence, sent)| **sequence as u16 == low && sent.flow == flow);
        found.map(|(sequence, _)| *sequence)
    }

    fn outstanding(&self, now_ns: u64, patience_ns: u64, is_meant: impl Fn(&Sent) -> bool) -> Outstanding {
        let mut waiting = self.sent.iter().filter(|(_, sent)| {
            !sent.answered && now_ns.saturating_sub(sent.at_ns) < patience_ns && is_meant(sent)
        });
        match (waiting.next(), waiting.next()) {
            (None, _) => Outstanding::None,
            (Some((sequence, _)), None) => Outstanding::One(*sequence),
            _ => Outstanding::Several,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Outstanding {
    None,
    One(u32),
    Several,
}

/// A router that names an MTU at least as large as the packet contradicts itself.
fn is_possible(sent: &Sent, reply: &Reply) -> bool {
    match reply.answer {
        Answer::Reached(_) => true,
        Answer::TooBig { mtu_bytes: Some(mtu) } => {
            let least = if reply.from.is_ipv4() { 68 } else { 1280 };
            (least..sent.size_bytes).contains(&mtu)
        }
        Answer::TooBig { mtu_bytes: None } => sent.mode == SizeProbeMode::DontFragment,
    }
}

/// Whether an answer without a number can be about this probe: time exceeds only for a limited TTL.
fn may_be_about(sent: &Sent, reply: &Reply) -> bool {
    let expired = reply.answer == Answer::Reached(ReplyKind::TimeExceeded);
    sent.flow == reply.flow && (sent.ttl.is_some() || !expired)
}

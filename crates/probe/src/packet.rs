//! What machines and sockets say to each other: probes to send, and answers that were recognised as ours.
//!
//! A [`Probe`] names what to send, not the bytes: `wire` builds those. A [`Reply`] has passed the checks of
//! `wire::Recogniser`; the machine still checks that the probe it answers is outstanding.

use evidence::{MplsLabel, ReplyKind, SizeProbeMode};
use std::net::IpAddr;

/// One packet to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    /// Identifies the probe within the run; the low 16 bits are never 0, because a zero IP identification would be
    /// replaced by the kernel.
    pub sequence: u32,
    /// Index of the flow (addresses, ports, protocol) to send it in.
    pub flow: u16,
    /// Time to live; `None` for the full one.
    pub ttl: Option<u8>,
    /// IP packet size in bytes.
    pub size_bytes: u32,
    /// Whether routers may fragment it.
    pub mode: SizeProbeMode,
}

/// Which probe an answer names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// The whole sequence number came back.
    Sequence(u32),
    /// Only its low 16 bits did (IP identification, or ICMP sequence).
    Low16(u16),
    /// The router quoted too little: it answers one of the outstanding probes of the flow.
    Unknown,
}

/// What came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// An answer of a hop or of the destination.
    Reached(ReplyKind),
    /// "Fragmentation needed" (RFC 792) or "packet too big" (RFC 4443).
    TooBig {
        /// The next-hop MTU in bytes; `None` when the router named none (before RFC 1191).
        mtu_bytes: Option<u32>,
    },
}

/// One recognised answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Which probe it answers.
    pub identity: Identity,
    /// The flow of that probe.
    pub flow: u16,
    /// Who answered.
    pub from: IpAddr,
    /// What was said.
    pub answer: Answer,
    /// The TTL that the answer arrived with.
    pub reply_ttl: Option<u8>,
    /// MPLS label stack (RFC 4950), outermost first.
    pub mpls: Vec<MplsLabel>,
}

/// Why a probe did not leave this host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is larger than the local interface, or the kernel's cached path MTU, allows.
    TooBig {
        /// The limit that the kernel named, bytes.
        mtu_bytes: Option<u32>,
    },
    /// No route, no buffer, a local firewall…: the probe was never on the wire.
    NotSent,
}

/// A measurement without a socket or a clock. All times are nanoseconds of one monotonic clock.
pub trait Machine {
    /// The next probe that is due at `now`, which the caller then sends at once; `None` when none is.
    fn poll_transmit(&mut self, now_ns: u64) -> Option<Probe>;
    /// The probe left at `at_ns` rather than at the time of [`Self::poll_transmit`].
    fn handle_sent(&mut self, sequence: u32, at_ns: u64);
    /// The probe did not leave.
    fn handle_refused(&mut self, sequence: u32, why: Refusal, now_ns: u64);
    /// An answer arrived at `at_ns`.
    fn handle_reply(&mut self, at_ns: u64, reply: &Reply);
    /// Time has passed: the moment that [`Self::poll_timeout`] named, or any other.
    fn handle_timeout(&mut self, now_ns: u64);
    /// When to call again at the latest; `None` when finished.
    fn poll_timeout(&self) -> Option<u64>;
    /// Nothing is left to send or to wait for.
    fn is_finished(&self) -> bool;
    /// Share done, 0 to 1.
    fn fraction_done(&self) -> f32;
}

//! One connection: its handshake, the probes behind a gap, and its end.

use super::MOST_PROBES;
use super::scoreboard::Scoreboard;
use super::segment::{ACK, Ends, FIN, Incoming, Offer, Outgoing, PSH, RST, SYN};
use crate::session::{Pace, Pacer};
use std::net::SocketAddr;
use std::ops::Range;

/// SYNs are sent after these pauses, as kernels send them (RFC 6298), and the last is waited for as long again.
const SYN_WAITS_NS: [u64; 3] = [1_000_000_000, 2_000_000_000, 4_000_000_000];
/// One keep-alive before each so many probes. Linux gives up joining acknowledgements for 16 of them each time (`TCP_MAX_QUICKACKS`),
/// so one that is lost does no harm.
const KEEP_ALIVE_EVERY: u32 = 8;
/// After so many that no D-SACK names, the receiver has none (RFC 2883): its answers would look like those to probes.
const KEEP_ALIVES_TO_TRY: u64 = 4;
/// How long acknowledgements are waited for after the last probe, at least; three times the largest round trip where that is longer.
const LAST_WAIT_NS: u64 = 1_000_000_000;
/// Keep-alives at the end, whose answers name what arrived last.
const LAST_ASKED: u32 = 3;
/// A server that sends more by itself is none to measure in this way.
const MOST_UNASKED_BYTES: u32 = 65_536;
/// Each of its segments draws one acknowledgement of ours at most, and so many in all.
const MOST_ACKNOWLEDGEMENTS: u32 = 300;
/// A reset is not repeated when it is lost, and whoever got the first does not answer the second.
const RESETS: u8 = 2;

/// What to send.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Our end. Nothing of this host may answer segments that come to its port.
    pub local: SocketAddr,
    /// The server.
    pub peer: SocketAddr,
    /// The first sequence number: one that nobody off the path can guess.
    pub initial_sequence: u32,
    /// The largest segment that this end says it takes, bytes.
    pub mss_bytes: u16,
    /// Probes; a smaller window of the server allows fewer.
    pub count: u32,
    /// From one segment to the next, nanoseconds.
    pub interval_ns: u64,
}

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Send what [`Connection::segment`] gives.
    Send,
    /// Nothing before this time of the caller's monotonic clock, unless a segment comes.
    Wait(u64),
    /// It is over.
    Done,
}

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// We closed it when all was done.
    Done,
    /// Nothing answered the SYN.
    Silent,
    /// A reset answered the SYN.
    Refused,
    /// A reset came later; whether with another TTL than the answer to the SYN had, so that somebody else may have sent it.
    Reset {
        /// `None` where TTLs were not told.
        other_ttl: Option<bool>,
    },
    /// The server closed it.
    Closed,
    /// The server sends more than it was asked for.
    Talks,
    /// The user stopped it.
    Stopped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Opening { syns: usize, due_ns: u64 },
    Probing { slot: u32 },
    Ending { asked: u32, due_ns: u64 },
    Closing { left: u8 },
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Syn,
    Acknowledgement,
    KeepAlive,
    Probe,
    Reset,
}

/// A connection's state.
#[derive(Debug)]
pub struct Connection {
    plan: Plan,
    ends: Ends,
    stage: Stage,
    next: Next,
    pacer: Pacer,
    /// Segments that may leave before the pacer is asked again.
    due: u32,
    /// What is expected of the server next.
    receive_next: u32,
    owes_acknowledgement: bool,
    acknowledgements: u32,
    unasked_bytes: u32,
    opened_ttl: Option<u8>,
    syn_sent_ns: i64,
    largest_rtt_ns: i64,
    /// The last probes' fate was told by the answer to a keep-alive.
    is_settled: bool,
    /// A D-SACK was seen.
    has_dsack: bool,
    pub(super) offer: Option<Offer>,
    pub(super) board: Scoreboard,
    pub(super) end: Option<End>,
}

impl Connection {
    /// A connection whose SYN leaves at `now_ns` of the caller's monotonic clock.
    #[must_use]
    pub fn new(plan: Plan, now_ns: u64) -> Self {
        Self {
            ends: Ends {
                source: plan.local.ip(),
                destination: plan.peer.ip(),
                source_port: plan.local.port(),
                destination_port: plan.peer.port(),
            },
            stage: Stage::Opening {
                syns: 0,
                due_ns: now_ns,
            },
            next: Next::Syn,
            pacer: Pacer::new(plan.interval_ns as f64, now_ns),
            due: 0,
            receive_next: 0,
            owes_acknowledgement: false,
            acknowledgements: 0,
            unasked_bytes: 0,
            opened_ttl: None,
            syn_sent_ns: 0,
            largest_rtt_ns: 0,
            is_settled: false,
            has_dsack: false,
            offer: None,
            board: Scoreboard::default(),
            end: None,
            plan,
        }
    }

    /// How it ended; `None` as long as it goes on.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        self.end.filter(|_| self.stage == Stage::Over)
    }

    /// Probes sent, and how many of them were answered.
    #[must_use]
    pub fn progress(&self) -> (u32, u64) {
        (
            self.board.count(),
            self.board.answered() + self.board.unnamed_answers,
        )
    }

    /// No more probes: what is open is reset.
    pub fn stop(&mut self) {
        match self.stage {
            Stage::Opening { .. } => self.over(End::Stopped),
            Stage::Probing { .. } | Stage::Ending { .. } => self.close(End::Stopped),
            Stage::Closing { .. } | Stage::Over => {}
        }
    }

    /// What to do at `now_ns` of the monotonic clock.
    pub fn poll(&mut self, now_ns: u64) -> Turn {
        if std::mem::take(&mut self.owes_acknowledgement) {
            return self.send(Next::Acknowledgement);
        }
        match self.stage {
            Stage::Opening { due_ns, .. } if now_ns < due_ns => Turn::Wait(due_ns),
            Stage::Opening { syns, .. } => match SYN_WAITS_NS.get(syns) {
                Some(wait_ns) => {
                    self.stage = Stage::Opening {
                        syns: syns + 1,
                        due_ns: now_ns + wait_ns,
                    };
                    self.send(Next::Syn)
                }
                None => {
                    self.over(End::Silent);
                    Turn::Done
                }
            },
            Stage::Probing { slot } => self.probe(slot, now_ns),
            Stage::Ending { asked, due_ns } => self.ask(asked, due_ns, now_ns),
            Stage::Closing { left: 0 } => {
                self.stage = Stage::Over;
                Turn::Done
            }
            Stage::Closing { left } => {
                self.stage = Stage::Closing { left: left - 1 };
                self.send(Next::Reset)
            }
            Stage::Over => Turn::Done,
        }
    }

    fn probe(&mut self, slot: u32, now_ns: u64) -> Turn {
        if self.board.count() >= self.wanted() {
            let due_ns = now_ns + self.patience_ns();
            self.stage = Stage::Ending { asked: 0, due_ns };
            return Turn::Wait(due_ns);
        }
        if self.due == 0 {
            match self.pacer.poll(now_ns) {
                Pace::Send(count) => self.due = count,
                Pace::Wait(until) => return Turn::Wait(until),
            }
        }
        self.due -= 1;
        self.stage = Stage::Probing {
            slot: slot.wrapping_add(1),
        };
        let may_ask = self.offer.is_some_and(|offer| offer.sack)
            && (self.has_dsack || self.board.keep_alives < KEEP_ALIVES_TO_TRY);
        if may_ask && slot.is_multiple_of(KEEP_ALIVE_EVERY + 1) {
            self.board.keep_alives += 1;
            return self.send(Next::KeepAlive);
        }
        self.send(Next::Probe)
    }

    fn ask(&mut self, asked: u32, due_ns: u64, now_ns: u64) -> Turn {
        let all_are_here = self.board.answered() >= u64::from(self.board.count());
        if self.is_settled || all_are_here || (asked >= LAST_ASKED && now_ns >= due_ns) {
            self.close(End::Done);
            return self.poll(now_ns);
        }
        if now_ns < due_ns {
            return Turn::Wait(due_ns);
        }
        self.stage = Stage::Ending {
            asked: asked + 1,
            due_ns: now_ns + self.patience_ns() / 2,
        };
        self.send(Next::KeepAlive)
    }

    fn send(&mut self, next: Next) -> Turn {
        self.next = next;
        Turn::Send
    }

    fn wanted(&self) -> u32 {
        let window = self.offer.map_or(0, |offer| u32::from(offer.window_bytes));
        self.plan.count.min(MOST_PROBES).min(window.saturating_sub(1))
    }

    fn patience_ns(&self) -> u64 {
        LAST_WAIT_NS.max(3 * self.largest_rtt_ns.unsigned_abs())
    }

    /// The segment that is due, without an IP header, to be sent at `at_ns` since 1970.
    pub fn segment(&mut self, at_ns: i64, bytes: &mut Vec<u8>) {
        let first = self.plan.initial_sequence;
        let open = Outgoing {
            sequence: first.wrapping_add(1),
            acknowledgement: self.receive_next,
            flags: ACK,
            mss_bytes: None,
            has_byte: false,
        };
        let segment = match self.next {
            Next::Syn => {
                self.syn_sent_ns = at_ns;
                Outgoing {
                    sequence: first,
                    acknowledgement: 0,
                    flags: SYN,
                    mss_bytes: Some(self.plan.mss_bytes),
                    ..open
                }
            }
            Next::Acknowledgement => open,
            Next::KeepAlive => Outgoing {
                sequence: first,
                has_byte: true,
                ..open
            },
            Next::Probe => {
                let sequence = first.wrapping_add(2).wrapping_add(self.board.count());
                self.board.sent(at_ns);
                Outgoing {
                    sequence,
                    flags: ACK | PSH,
                    has_byte: true,
                    ..open
                }
            }
            Next::Reset => Outgoing {
                flags: RST | ACK,
                ..open
            },
        };
        segment.write(&self.ends, bytes);
    }

    /// A TCP segment came from the server's address at `at_ns` since 1970, without its IP header. What is not of this connection is
    /// passed over.
    pub fn receive(&mut self, bytes: &[u8], (at_ns, now_ns): (i64, u64), ttl: Option<u8>) {
        let Some(segment) = Incoming::read(bytes, &self.ends) else {
            return;
        };
        match self.stage {
            Stage::Opening { syns, .. } => self.opening(&segment, syns, (at_ns, now_ns), ttl),
            Stage::Probing { .. } | Stage::Ending { .. } => self.opened(&segment, at_ns, ttl),
            Stage::Closing { .. } | Stage::Over => {}
        }
    }

    fn opening(&mut self, segment: &Incoming, syns: usize, (at_ns, now_ns): (i64, u64), ttl: Option<u8>) {
        // Before the SYN nothing can answer it.
        if syns == 0 || segment.acknowledgement != self.plan.initial_sequence.wrapping_add(1) {
            return;
        }
        if segment.flags & RST != 0 {
            return self.over(End::Refused);
        }
        if segment.flags & (SYN | ACK) != SYN | ACK {
            return;
        }
        self.receive_next = segment.sequence.wrapping_add(1);
        self.owes_acknowledgement = true;
        self.offer = Some(segment.offer);
        self.opened_ttl = ttl;
        if syns == 1 {
            self.largest_rtt_ns = at_ns.saturating_sub(self.syn_sent_ns);
        }
        // Not together with the handshake's acknowledgement, which the first probe must not overtake.
        self.pacer = Pacer::new(self.plan.interval_ns as f64, now_ns + self.plan.interval_ns);
        self.stage = Stage::Probing { slot: 0 };
    }

    fn opened(&mut self, segment: &Incoming, at_ns: i64, ttl: Option<u8>) {
        let ahead = segment.sequence.wrapping_sub(self.receive_next);
        if segment.flags & RST != 0 {
            // Any other number is a forger's (RFC 5961, 3.2), or of an earlier connection.
            if ahead <= u32::from(u16::MAX) {
                let other_ttl = ttl.zip(self.opened_ttl).map(|(now, then)| now != then);
                self.over(End::Reset { other_ttl });
            }
            return;
        }
        if segment.flags & SYN != 0 {
            // Our acknowledgement of the handshake was lost.
            return self.acknowledge();
        }
        if segment.flags & ACK == 0 || segment.acknowledgement != self.plan.initial_sequence.wrapping_add(1) {
            return;
        }
        self.account(segment, at_ns);
        if segment.payload_bytes > 0 || segment.flags & FIN != 0 {
            self.take_data(segment, ahead);
        }
    }

    fn account(&mut self, segment: &Incoming, at_ns: i64) {
        let is_asked = matches!(self.stage, Stage::Ending { asked: 1.., .. });
        // What carries data of the server's was sent for these, whatever it acknowledges beside.
        let is_pure = segment.payload_bytes == 0 && segment.flags & FIN == 0;
        if segment.sack.is_empty() {
            let counts = is_pure && !is_asked && !self.offer.is_some_and(|offer| offer.sack);
            self.board.unnamed_answers += u64::from(counts);
            return;
        }
        let is_old = segment.sack.first().is_some_and(|(_, right)| {
            // The byte of a keep-alive lies just before what is acknowledged.
            segment.acknowledgement.wrapping_sub(*right) < 1 << 16
        });
        let named = segment.sack.iter().skip(usize::from(is_old));
        let blocks: Option<Vec<Range<u32>>> = named.map(|block| self.indices(*block)).collect();
        let Some(mut blocks) = blocks else { return };
        let is_copy = matches!(blocks.as_slice(), [first, second, ..] if second.start <= first.start && first.end <= second.end);
        if is_old {
            self.has_dsack = true;
            match is_asked {
                true => self.is_settled = true,
                false => self.board.keep_alives_answered += 1,
            }
        } else if is_copy {
            self.board.duplicates_there += 1;
            blocks.remove(0);
        }
        let is_answer = is_pure && !is_asked && !is_old && !is_copy;
        self.board.acknowledged(&blocks, at_ns, is_answer);
        if let Some((_, rtt_ns)) = self.board.rtts.last() {
            self.largest_rtt_ns = self.largest_rtt_ns.max(*rtt_ns);
        }
        self.is_settled |= is_asked && !is_old;
    }

    /// The probes that a block names; `None`: it names what was never sent.
    fn indices(&self, (left, right): (u32, u32)) -> Option<Range<u32>> {
        let base = self.plan.initial_sequence.wrapping_add(2);
        let range = left.wrapping_sub(base)..right.wrapping_sub(base);
        (range.start < range.end && range.end <= self.board.count()).then_some(range)
    }

    fn take_data(&mut self, segment: &Incoming, ahead: u32) {
        self.acknowledge();
        if ahead != 0 {
            return;
        }
        self.receive_next = self.receive_next.wrapping_add(segment.payload_bytes);
        self.unasked_bytes = self.unasked_bytes.saturating_add(segment.payload_bytes);
        if segment.flags & FIN != 0 {
            self.receive_next = self.receive_next.wrapping_add(1);
            self.close(End::Closed);
        } else if self.unasked_bytes > MOST_UNASKED_BYTES {
            self.close(End::Talks);
        }
    }

    fn acknowledge(&mut self) {
        self.acknowledgements += 1;
        match self.acknowledgements > MOST_ACKNOWLEDGEMENTS {
            true => self.close(End::Talks),
            false => self.owes_acknowledgement = true,
        }
    }

    fn close(&mut self, end: End) {
        self.end = Some(end);
        self.owes_acknowledgement = false;
        self.stage = Stage::Closing { left: RESETS };
    }

    fn over(&mut self, end: End) {
        self.end = Some(end);
        self.owes_acknowledgement = false;
        self.stage = Stage::Over;
    }

    /// Probes whose fate is known, and those sent after them of which nothing tells in which direction they were lost. Where the
    /// connection ended early, the latter were perhaps not lost at all.
    pub(super) fn counted(&self) -> (u32, u32) {
        let (sent, known) = (self.board.count(), self.board.known());
        match self.end {
            Some(End::Done) if self.is_settled => (sent, 0),
            Some(End::Done) => (known, sent - known),
            _ => (known, 0),
        }
    }

    pub(super) fn has_dsack(&self) -> bool {
        self.has_dsack
    }
}

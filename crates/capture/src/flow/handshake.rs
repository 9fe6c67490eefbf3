//! How a connection begins: SYNs, their options, and the first round trip.

use super::half::Half;
use super::report::{Handshake, OptionsSeen};
use crate::causes::Setting;
use crate::{Flags, Options, Segment, Way};

/// Options of a SYN, as small as they can be kept.
#[derive(Debug, Clone, Copy, Default)]
struct SynSeen {
    mss_bytes: Option<u16>,
    window_scale: Option<u8>,
    sack_permitted: bool,
    timestamps: bool,
    ecn: bool,
    fast_open: bool,
    is_cut: bool,
    /// It was a SYN-ACK.
    is_answer: bool,
}

/// What of a handshake passed.
#[derive(Debug, Default)]
pub(super) struct Opening {
    seen: [Option<SynSeen>; 2],
    /// Newest SYN without, and with ACK.
    syn_ns: Option<i64>,
    synack_ns: Option<i64>,
    /// u32::MAX where unknown.
    syn_to_synack_ns: Option<u32>,
    synack_to_ack_ns: Option<u32>,
    pub repeated: u32,
    /// The SYN or the SYN-ACK was repeated before it was answered: which of them the answer is to, nobody knows.
    is_ambiguous: bool,
    pub opened: Option<Way>,
}

impl Opening {
    /// What it told of the data that go this way.
    #[cold]
    pub(super) fn setting(&self, way: Way) -> Setting {
        let told = self
            .report()
            .map(|handshake| Setting::of(&handshake, self.opened, way));
        told.unwrap_or_default()
    }

    /// That of a connection of which nobody wants to know more: SYNs of these sides are not the first.
    pub(super) fn passed(had_syn: [bool; 2]) -> Self {
        Self {
            seen: had_syn.map(|had| had.then(SynSeen::default)),
            ..Self::default()
        }
    }

    /// Whether there was a SYN of one side.
    pub(super) fn has_syn(&self, way: Way) -> bool {
        self.seen.get(way.index()).is_some_and(Option::is_some)
    }

    /// Whether both sides have agreed, as far as their SYNs tell.
    pub(super) fn is_answered(&self) -> bool {
        self.seen.iter().all(Option::is_some)
    }

    /// Waiting for the acknowledgement of a SYN-ACK.
    #[inline]
    pub(super) fn awaits_ack(&self) -> bool {
        self.synack_ns.is_some() && self.synack_to_ack_ns.is_none()
    }

    /// Takes a segment with SYN. `own` is the half of its sender's data.
    pub(super) fn take_syn(&mut self, segment: &Segment, own: &mut Half, other: &mut Half) {
        let is_answer = segment.flags.has(Flags::ACK);
        let first_seq = segment.seq.wrapping_add(1);
        if self.has_syn(segment.way) {
            self.repeated = self.repeated.saturating_add(1);
            own.count_repeated_syn();
            self.is_ambiguous |= self.synack_to_ack_ns.is_none();
        } else if !own.is_based {
            own.set_base(first_seq, true);
        } else if own.initial().is_none() && own.is_start(first_seq) {
            // Captured behind what follows it.
            own.has_beginning = true;
        }
        self.opened = self.opened.or(Some(if is_answer {
            segment.way.reversed()
        } else {
            segment.way
        }));
        if let Some(place) = self.seen.get_mut(segment.way.index()) {
            *place = Some(SynSeen::of(&segment.options, segment.flags));
        }
        if is_answer {
            if let Some(syn_ns) = self.syn_ns
                && self.syn_to_synack_ns.is_none()
                && !self.is_ambiguous
            {
                let passed = since(syn_ns, segment.time_ns);
                self.syn_to_synack_ns = Some(passed);
                other.rtt.smooth(i64::from(passed));
                own.shorten_before(passed);
            }
            self.synack_ns = Some(segment.time_ns);
        } else {
            self.syn_ns = Some(segment.time_ns);
        }
        self.agree(segment.way, own, other);
    }

    /// Takes the acknowledgement of a SYN-ACK; `own` is the half of who sends it.
    #[cold]
    pub(super) fn take_ack(&mut self, segment: &Segment, own: &mut Half, other: &mut Half) {
        let Some(synack_ns) = self.synack_ns else { return };
        if self.opened != Some(segment.way) {
            return;
        }
        let passed = since(synack_ns, segment.time_ns);
        self.synack_to_ack_ns = Some(if self.is_ambiguous { u32::MAX } else { passed });
        if !self.is_ambiguous {
            other.rtt.smooth(i64::from(passed));
            own.shorten_before(passed);
        }
    }

    /// Window scales and segment sizes, as far as the SYNs settle them. A scale holds only if both offer one (RFC 7323
    /// section 2.2); an answer offers one only to an offer.
    fn agree(&mut self, way: Way, own: &mut Half, other: &mut Half) {
        let seen = |way: Way| self.seen.get(way.index()).copied().flatten();
        let (mine, its) = (seen(way), seen(way.reversed()));
        // The window that this side tells limits the data of the other.
        if let Some(mine) = mine {
            other.mss_bytes = mine.mss_bytes.unwrap_or(0);
        }
        let is_cut = mine.is_some_and(|seen| seen.is_cut) || its.is_some_and(|seen| seen.is_cut);
        let lacks_sack = [mine, its]
            .into_iter()
            .flatten()
            .any(|seen| !seen.sack_permitted && !seen.is_cut);
        (own.lacks_sack, other.lacks_sack) = (lacks_sack, lacks_sack);
        match (mine, its) {
            _ if is_cut => {}
            (Some(mine), Some(its)) => match (mine.window_scale, its.window_scale) {
                (Some(mine), Some(its)) => (other.scale, own.scale) = (mine.min(14), its.min(14)),
                _ => (other.scale, own.scale) = (0, 0),
            },
            (Some(mine), None) => match mine.window_scale {
                None => (other.scale, own.scale) = (0, 0),
                Some(scale) if mine.is_answer => other.scale = scale.min(14),
                Some(_) => {}
            },
            _ => {}
        }
    }

    /// What is reported; `None` where nothing of it passed.
    #[inline]
    pub(super) fn report(&self) -> Option<Handshake> {
        if self.seen.iter().all(Option::is_none) {
            return None;
        }
        let known = |passed: Option<u32>| passed.filter(|passed| *passed != u32::MAX).map(i64::from);
        Some(Handshake {
            syn_to_synack_ns: known(self.syn_to_synack_ns),
            synack_to_ack_ns: known(self.synack_to_ack_ns),
            syn_retransmissions: self.repeated,
            options: self.seen.map(|seen| seen.map(SynSeen::report)),
        })
    }
}

impl SynSeen {
    fn of(options: &Options, flags: Flags) -> Self {
        Self {
            mss_bytes: options.mss_bytes,
            window_scale: options.window_scale,
            sack_permitted: options.sack_permitted,
            timestamps: options.timestamps.is_some(),
            // A SYN asks with both, an answer grants with ECE alone (RFC 3168 section 6.1.1).
            ecn: flags.has(Flags::ECE),
            fast_open: options.fast_open,
            is_cut: options.is_cut,
            is_answer: flags.has(Flags::ACK),
        }
    }

    #[inline]
    fn report(self) -> OptionsSeen {
        OptionsSeen {
            mss_bytes: self.mss_bytes,
            window_scale: self.window_scale,
            sack_permitted: self.sack_permitted,
            timestamps: self.timestamps,
            ecn: self.ecn,
            fast_open: self.fast_open,
        }
    }
}

fn since(then_ns: i64, now_ns: i64) -> u32 {
    u32::try_from(now_ns.saturating_sub(then_ns).max(0)).unwrap_or(u32::MAX)
}

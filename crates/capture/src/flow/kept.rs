//! Events as they wait to be looked at: less than half as large as [`HalfEvent`].
//!
//! Most connections end before anybody looks at their events, and what is kept for them is what following them costs: lengths and
//! round trips are of 32 bits, and what only losses bring is left out. What does not fit is not kept.

use super::event::{Acked, HalfEvent, Hears, Sent, SentKind};

/// An event. Fields and no variants: a variant is put together in memory and read from there again at once, in other pieces than it
/// was written in, which processors are slow at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    time_ns: i64,
    /// First byte of a segment; the byte behind the last that is acknowledged.
    place: u64,
    /// Of a segment; that are newly acknowledged, and all that newly arrived.
    bytes: u32,
    /// Flight before a segment, bytes; round trip of an acknowledgement, nanoseconds or [`NONE`].
    behind: u32,
    /// Window, bytes from `place` of a segment, and as it is of an acknowledgement; [`NONE`] while it is not known.
    window_bytes: u32,
    /// Of a segment.
    kind: SentKind,
    /// Of a segment.
    waited_ms: u8,
    /// The constants below.
    marks: u8,
}

const ACKED: u8 = 1;
const PUSHED: u8 = 2;
const DUPLICATE: u8 = 4;
const DSACK: u8 = 8;
const EIFEL: u8 = 16;

const NONE: u32 = u32::MAX;

/// A number that is no absence.
#[inline]
fn small(value: u64) -> Option<u32> {
    u32::try_from(value).ok().filter(|value| *value != NONE)
}

/// A number or its absence.
#[inline]
fn perhaps(value: Option<u64>) -> Option<u32> {
    value.map_or(Some(NONE), small)
}

#[inline]
fn known(value: u32) -> Option<u64> {
    (value != NONE).then_some(u64::from(value))
}

fn mark(mark: u8, is_set: bool) -> u8 {
    mark * u8::from(is_set)
}

impl Kept {
    /// `None` of what does not fit.
    #[inline(always)]
    pub(super) fn of(event: &HalfEvent) -> Option<Self> {
        match event {
            HalfEvent::Sent(sent) => Self::of_sent(sent),
            HalfEvent::Acked(acked) => Self::of_acked(acked),
        }
    }

    #[inline(always)]
    pub(super) fn of_sent(sent: &Sent) -> Option<Self> {
        if sent.lost_ns.is_some() {
            return None;
        }
        let edge = sent.window_edge.map(|edge| edge.wrapping_sub(sent.start));
        Some(Self {
            time_ns: sent.time_ns,
            place: sent.start,
            bytes: small(sent.end.checked_sub(sent.start)?)?,
            behind: small(sent.flight_bytes)?,
            window_bytes: perhaps(edge)?,
            kind: sent.kind,
            waited_ms: sent.waited_ms,
            marks: mark(PUSHED, sent.is_pushed),
        })
    }

    #[inline(always)]
    pub(super) fn of_acked(acked: &Acked) -> Option<Self> {
        let arrived_otherwise = acked.newly_arrived_bytes != acked.newly_acked_bytes;
        if acked.unseen_bytes > 0 || acked.newly_sacked_bytes > 0 || arrived_otherwise {
            return None;
        }
        Some(Self {
            time_ns: acked.time_ns,
            place: acked.ack,
            bytes: small(acked.newly_acked_bytes)?,
            // Below zero it does not fit, either.
            behind: perhaps(acked.rtt_ns.map(|ns| ns as u64))?,
            window_bytes: perhaps(acked.window_bytes)?,
            kind: SentKind::New,
            waited_ms: 0,
            marks: ACKED
                | mark(DUPLICATE, acked.is_duplicate)
                | mark(DSACK, acked.is_dsack)
                | mark(EIFEL, acked.is_eifel),
        })
    }

    fn has(&self, mark: u8) -> bool {
        self.marks & mark != 0
    }

    /// Tells the event that it was.
    #[inline(always)]
    pub(super) fn tell(&self, to: &mut (impl Hears + ?Sized)) {
        if self.has(ACKED) {
            to.acked(&self.acked());
        } else {
            to.sent(&self.sent());
        }
    }

    #[inline(always)]
    fn sent(&self) -> Sent {
        Sent {
            time_ns: self.time_ns,
            start: self.place,
            end: self.place.wrapping_add(u64::from(self.bytes)),
            kind: self.kind,
            is_pushed: self.has(PUSHED),
            waited_ms: self.waited_ms,
            flight_bytes: u64::from(self.behind),
            window_edge: known(self.window_bytes).map(|edge| self.place.wrapping_add(edge)),
            lost_ns: None,
        }
    }

    #[inline(always)]
    fn acked(&self) -> Acked {
        Acked {
            time_ns: self.time_ns,
            ack: self.place,
            newly_acked_bytes: u64::from(self.bytes),
            newly_sacked_bytes: 0,
            newly_arrived_bytes: u64::from(self.bytes),
            is_duplicate: self.has(DUPLICATE),
            is_dsack: self.has(DSACK),
            is_eifel: self.has(EIFEL),
            window_bytes: known(self.window_bytes),
            rtt_ns: known(self.behind).map(|ns| ns as i64),
            unseen_bytes: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::RetransmissionCause;
    use super::*;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = u64> {
        prop_oneof![
            0..5_u64,
            0..3_000_000_000_u64,
            Just(u64::from(u32::MAX)),
            Just(u64::MAX),
            any::<u64>()
        ]
    }

    fn moment() -> impl Strategy<Value = i64> {
        prop_oneof![
            0..5_i64,
            0..5_000_000_000_i64,
            Just(i64::MAX),
            Just(i64::MIN),
            any::<i64>()
        ]
    }

    fn event() -> impl Strategy<Value = HalfEvent> {
        let sent = (
            moment(),
            number(),
            number(),
            number(),
            proptest::option::of(number()),
            proptest::option::of(moment()),
            any::<bool>(),
        );
        let sent = sent.prop_map(
            |(time_ns, start, end, flight_bytes, window_edge, lost_ns, is_pushed)| {
                HalfEvent::Sent(Sent {
                    time_ns,
                    start,
                    end,
                    kind: SentKind::Retransmitted(RetransmissionCause::TailProbe),
                    is_pushed,
                    waited_ms: start as u8,
                    flight_bytes,
                    window_edge,
                    lost_ns,
                })
            },
        );
        let acked = (
            moment(),
            [number(), number(), number(), number()],
            proptest::option::of(number()),
            proptest::option::of(moment()),
            any::<bool>(),
            0..2_u64,
        );
        let acked = acked.prop_map(
            |(time_ns, [ack, acked, sacked, arrived], window_bytes, rtt_ns, is_duplicate, unseen_bytes)| {
                HalfEvent::Acked(Acked {
                    time_ns,
                    ack,
                    newly_acked_bytes: acked,
                    newly_sacked_bytes: sacked,
                    newly_arrived_bytes: arrived,
                    is_duplicate,
                    is_dsack: !is_duplicate,
                    is_eifel: is_duplicate,
                    window_bytes,
                    rtt_ns,
                    unseen_bytes,
                })
            },
        );
        prop_oneof![sent, acked]
    }

    #[derive(Default)]
    struct Heard(Vec<HalfEvent>);

    impl Hears for Heard {
        fn sent(&mut self, sent: &Sent) {
            self.0.push(HalfEvent::Sent(*sent));
        }

        fn acked(&mut self, acked: &Acked) {
            self.0.push(HalfEvent::Acked(*acked));
        }
    }

    proptest! {
        #[test]
        fn what_is_kept_comes_back_as_it_was(event in event()) {
            let mut heard = Heard::default();
            if let Some(kept) = Kept::of(&event) {
                kept.tell(&mut heard);
                prop_assert_eq!(heard.0, [event]);
            }
        }
    }

    #[test]
    fn what_most_events_are_is_kept_and_small() {
        assert!(size_of::<Kept>() <= 32, "{}", size_of::<Kept>());
        let base = 7_000_000_000;
        let event = HalfEvent::Sent(Sent {
            time_ns: 1_700_000_000_000_000_000,
            start: base + 2_896,
            end: base + 4_344,
            kind: SentKind::New,
            is_pushed: true,
            waited_ms: 3,
            flight_bytes: 2_896,
            window_edge: Some(base + 65_536),
            lost_ns: None,
        });
        assert!(Kept::of(&event).is_some());
    }
}

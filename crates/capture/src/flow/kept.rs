//! Events as they wait to be looked at: less than half as large as [`HalfEvent`].
//!
//! Most connections end before anybody looks at their events, and what is kept for them is what following them costs: lengths and
//! round trips are of 32 bits, and what only losses bring is left out. What does not fit is not kept.

use super::event::{Acked, HalfEvent, Sent, SentKind};

/// An event.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kept {
    Sent {
        time_ns: i64,
        start: u64,
        length: u32,
        flight_bytes: u32,
        /// From the first byte; [`NONE`] while it is not known.
        window_edge: u32,
        kind: SentKind,
        is_pushed: bool,
    },
    /// All that arrived is acknowledged.
    Acked {
        time_ns: i64,
        ack: u64,
        newly_acked_bytes: u32,
        window_bytes: u32,
        rtt_ns: u32,
        is_duplicate: bool,
        is_dsack: bool,
        is_eifel: bool,
    },
}

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
    fn of_sent(sent: &Sent) -> Option<Self> {
        if sent.lost_ns.is_some() {
            return None;
        }
        let edge = sent.window_edge.map(|edge| edge.wrapping_sub(sent.start));
        Some(Self::Sent {
            time_ns: sent.time_ns,
            start: sent.start,
            length: small(sent.end.checked_sub(sent.start)?)?,
            flight_bytes: small(sent.flight_bytes)?,
            window_edge: perhaps(edge)?,
            kind: sent.kind,
            is_pushed: sent.is_pushed,
        })
    }

    #[inline(always)]
    fn of_acked(acked: &Acked) -> Option<Self> {
        let arrived_otherwise = acked.newly_arrived_bytes != acked.newly_acked_bytes;
        if acked.unseen_bytes > 0 || acked.newly_sacked_bytes > 0 || arrived_otherwise {
            return None;
        }
        Some(Self::Acked {
            time_ns: acked.time_ns,
            ack: acked.ack,
            newly_acked_bytes: small(acked.newly_acked_bytes)?,
            window_bytes: perhaps(acked.window_bytes)?,
            // Below zero it does not fit, either.
            rtt_ns: perhaps(acked.rtt_ns.map(|ns| ns as u64))?,
            is_duplicate: acked.is_duplicate,
            is_dsack: acked.is_dsack,
            is_eifel: acked.is_eifel,
        })
    }

    /// The event that it was.
    #[inline(always)]
    pub(super) fn event(&self) -> HalfEvent {
        match *self {
            Self::Sent {
                time_ns,
                start,
                length,
                flight_bytes,
                window_edge,
                kind,
                is_pushed,
            } => HalfEvent::Sent(Sent {
                time_ns,
                start,
                end: start.wrapping_add(u64::from(length)),
                kind,
                is_pushed,
                flight_bytes: u64::from(flight_bytes),
                window_edge: known(window_edge).map(|edge| start.wrapping_add(edge)),
                lost_ns: None,
            }),
            Self::Acked {
                time_ns,
                ack,
                newly_acked_bytes,
                window_bytes,
                rtt_ns,
                is_duplicate,
                is_dsack,
                is_eifel,
            } => HalfEvent::Acked(Acked {
                time_ns,
                ack,
                newly_acked_bytes: u64::from(newly_acked_bytes),
                newly_sacked_bytes: 0,
                newly_arrived_bytes: u64::from(newly_acked_bytes),
                is_duplicate,
                is_dsack,
                is_eifel,
                window_bytes: known(window_bytes),
                rtt_ns: known(rtt_ns).map(|ns| ns as i64),
                unseen_bytes: 0,
            }),
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

    proptest! {
        #[test]
        fn what_is_kept_comes_back_as_it_was(event in event()) {
            if let Some(kept) = Kept::of(&event) {
                prop_assert_eq!(kept.event(), event);
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
            flight_bytes: 2_896,
            window_edge: Some(base + 65_536),
            lost_ns: None,
        });
        assert!(Kept::of(&event).is_some());
    }
}

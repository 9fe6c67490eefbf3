//! The short way for what most segments are: the next data of a sender whose peer has nothing new to be told, or an
//! acknowledgement alone of more of the data.
//!
//! What may be unusual about such a segment is asked first, all of it, so that nothing has to be asked while it is taken
//! (header prediction, Jacobson 1990). Whatever is unusual goes the long way, [`Connection::take_any`], and a test holds that
//! both come to the same.

use super::connection::Connection;
use super::event::{Acked, HalfEvent, Sent};
use super::half::{Half, UNKNOWN_SCALE};
use crate::{Flags, Segment};

/// Of all flags that matter here only that of an acknowledgement.
const MATTER: u16 = Flags::SYN.0 | Flags::FIN.0 | Flags::RST.0 | Flags::ACK.0;

impl Connection {
    /// Takes a segment if it is usual; says whether it was.
    #[inline(always)]
    pub(super) fn take_usual<const WHEN: u8>(&mut self, segment: &Segment) -> bool {
        let is_bare = segment.flags.0 & MATTER == Flags::ACK.0
            && segment.traffic_class & 3 != 3
            && segment.fragments <= 1
            && segment.sack_count == 0;
        if !self.is_usual || !is_bare {
            return false;
        }
        let way = segment.way;
        let Ok([own, other]) = self.halves.get_disjoint_mut(way.both()) else {
            return false;
        };
        let opening = &self.opening;
        if segment.payload_bytes > 0 {
            if !own.is_continued_by(segment) || !other.is_repeated_by(segment) {
                return false;
            }
            let sent = own.send_usual(segment);
            own.follow::<WHEN>(HalfEvent::Sent(sent), move || opening.setting(way));
            other.await_echo(segment);
        } else {
            if !own.is_silent_in(segment) || !other.is_advanced_by(segment) {
                return false;
            }
            own.packets += 1;
            own.echo.hear(segment);
            other.await_echo(segment);
            let acked = other.answer_usual(segment);
            other.follow::<WHEN>(HalfEvent::Acked(acked), move || opening.setting(way.reversed()));
        }
        self.note_time(segment.time_ns);
        true
    }
}

impl Half {
    /// The segment has the next bytes, after others and with none above them, and they fit into a packet.
    #[inline(always)]
    fn is_continued_by(&self, segment: &Segment) -> bool {
        self.data_packets > 0
            && self.next == self.top
            && segment.seq == self.top_seq()
            && segment.payload_bytes <= self.segment_limit()
            && !self.is_closed()
    }

    /// The segment acknowledges what was acknowledged before, with the same window.
    #[inline(always)]
    fn is_repeated_by(&self, segment: &Segment) -> bool {
        self.is_based
            && self.acks_pass
            && segment.window == self.raw_window
            && self.place(segment.ack) == self.una
    }

    /// The segment is neither a keep-alive nor a probe of this half, whose place is known.
    #[inline(always)]
    fn is_silent_in(&self, segment: &Segment) -> bool {
        self.is_based && (self.place(segment.seq).wrapping_add(1) != self.una || !self.acks_pass)
    }

    /// The segment acknowledges more of the data that passed, and the receiver holds nothing above that.
    #[inline(always)]
    fn is_advanced_by(&self, segment: &Segment) -> bool {
        let ack = self.place(segment.ack);
        self.acks_pass
            && ack > self.una
            && ack <= self.next
            && segment.window > 0
            && self.followed.has_begun()
            && self.sacked_bytes() == 0
    }

    /// As the long way does for the next bytes.
    #[inline(always)]
    fn send_usual(&mut self, segment: &Segment) -> Sent {
        self.packets += 1;
        self.count_data(segment);
        self.payload_bytes += u64::from(segment.payload_bytes);
        self.largest_payload = self.largest_payload.max(segment.payload_bytes);
        self.echo.hear(segment);
        let (start, length) = (self.next, segment.payload_bytes);
        let sent = self.sent_next(segment, length);
        self.follow_ip_id(segment);
        self.append(segment, start, length, sent.flight_bytes);
        sent
    }

    /// As the long way does for an acknowledgement of more.
    #[inline(always)]
    fn answer_usual(&mut self, segment: &Segment) -> Acked {
        let ack = self.place(segment.ack);
        let newly_acked_bytes = ack - self.una;
        self.acks += 1;
        let advance = self.advance(segment, ack);
        self.take_window(segment);
        self.note_ack(segment);
        Acked {
            time_ns: segment.time_ns,
            ack: Self::counted(ack),
            newly_acked_bytes,
            newly_sacked_bytes: 0,
            newly_arrived_bytes: newly_acked_bytes,
            is_duplicate: false,
            is_dsack: false,
            is_eifel: advance.is_eifel,
            window_bytes: (self.scale != UNKNOWN_SCALE).then_some(u64::from(self.window)),
            rtt_ns: advance.rtt_ns,
            unseen_bytes: advance.unseen_bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::followed::when;
    use super::*;
    use crate::{Endpoint, FlowKey, Options, Way};
    use proptest::prelude::*;

    const MSS: u32 = 1_000;

    /// What one segment of a transfer does; the numbers choose how far it is off the usual.
    #[derive(Debug, Clone, Copy)]
    struct Act {
        what: u8,
        odd: u8,
        by: u32,
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let act = (0..8_u8, 0..60_u8, 0..4_u32).prop_map(|(what, odd, by)| Act { what, odd, by });
        prop::collection::vec(act, 1..300)
    }

    /// Both sides of a transfer: where each of them is.
    struct Talk {
        time_ns: i64,
        next: [u32; 2],
        acked: [u32; 2],
        id: u16,
    }

    impl Talk {
        fn segment(&mut self, way: Way, flags: Flags) -> Segment {
            self.time_ns += 40_000;
            self.id = self.id.wrapping_add(1);
            let stamp = (self.time_ns / 1_000_000) as u32;
            let end = |port| Endpoint {
                port,
                ..Endpoint::UNSPECIFIED
            };
            Segment {
                time_ns: self.time_ns,
                key: FlowKey {
                    low: end(1),
                    high: end(2),
                },
                way,
                seq: self.next[way.index()],
                ack: self.acked[way.reversed().index()],
                window: 500,
                flags,
                ip_id: Some(self.id),
                options: Options {
                    timestamps: Some((stamp, stamp.wrapping_sub(1))),
                    ..Options::default()
                },
                ..Segment::BLANK
            }
        }

        /// `before_ns` lie between capture point and sender.
        fn opening(&mut self, before_ns: i64) -> Vec<Segment> {
            let syn = |mut segment: Segment| {
                segment.options.mss_bytes = Some(MSS as u16);
                segment.options.window_scale = Some(7);
                segment.options.sack_permitted = true;
                segment
            };
            let first = syn(self.segment(Way::Up, Flags::SYN));
            self.next[0] += 1;
            self.acked[0] += 1;
            let second = syn(self.segment(Way::Down, Flags(Flags::SYN.0 | Flags::ACK.0)));
            self.next[1] += 1;
            self.acked[1] += 1;
            self.time_ns += before_ns;
            vec![first, second, self.segment(Way::Up, Flags::ACK)]
        }

        /// Most are usual; each of many ways to be odd is taken now and then.
        fn act(&mut self, act: Act) -> Segment {
            let way = if act.what % 4 == 3 { Way::Down } else { Way::Up };
            let (own, other) = (way.index(), way.reversed().index());
            let is_data = act.what < 4;
            if !is_data {
                let outstanding = self.next[other].wrapping_sub(self.acked[other]);
                let ack = (act.by * MSS).min(outstanding);
                self.acked[other] = self.acked[other].wrapping_add(ack);
            }
            let mut segment = self.segment(way, Flags::ACK);
            if is_data {
                segment.payload_bytes = MSS;
            }
            match act.odd {
                0 => segment.seq = segment.seq.wrapping_sub(act.by * MSS),
                1 => segment.seq = segment.seq.wrapping_add(act.by * MSS),
                2 => segment.ack = segment.ack.wrapping_add(act.by * 700),
                3 => segment.ack = segment.ack.wrapping_sub(act.by),
                4 => segment.window = act.by as u16,
                5 => segment.add_sack((segment.ack + MSS, segment.ack + 2 * MSS)),
                6 => segment.flags.0 |= [Flags::PSH, Flags::FIN, Flags::RST, Flags::SYN][act.by as usize].0,
                7 => segment.flags = Flags(0),
                8 => segment.options.timestamps = None,
                9 => segment.ip_id = [None, Some(0), Some(7), Some(self.id - 1)][act.by as usize],
                10 => segment.traffic_class = act.by as u8,
                11 => segment.fragments = act.by as u16,
                12 => segment.time_ns -= 50_000 * i64::from(act.by),
                13 => segment.payload_bytes += act.by * 600,
                14 => segment.payload_bytes = act.by,
                15 => segment.seq = segment.seq.wrapping_sub(1),
                16 => self.time_ns += 300_000_000,
                _ => {}
            }
            let end = segment.seq.wrapping_add(segment.sequence_length());
            if end.wrapping_sub(self.next[own]) as i32 > 0 {
                self.next[own] = end;
            }
            segment
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]
        #[test]
        fn both_ways_come_to_the_same(acts in acts(), base: u32, is_opened: bool) {
            let mut talk = Talk { time_ns: 1_700_000_000_000_000_000, next: [base; 2], acked: [base; 2], id: 5 };
            let mut segments = if is_opened { talk.opening(0) } else { Vec::new() };
            segments.extend(acts.into_iter().map(|act| talk.act(act)));
            let (mut short, mut long) = (connection(&segments), connection(&segments));
            for segment in &segments {
                let ended = short.take(segment, &mut |_, _, _, _| {});
                prop_assert_eq!(ended, long.take_any(segment, &mut |_, _, _, _| {}));
                prop_assert_eq!(short.heap_bytes(), long.heap_bytes());
            }
            prop_assert_eq!(format!("{short:?}"), format!("{long:?}"));
            prop_assert_eq!(short.report(false), long.report(false));
        }

        /// Whether packets of others stand between its own does not matter to a connection.
        #[test]
        fn runs_change_nothing(acts in acts(), runs in prop::collection::vec(1..90_usize, 1..20), before_ms in 0..90_i64) {
            let mut talk = Talk { time_ns: 1_700_000_000_000_000_000, next: [7; 2], acked: [7; 2], id: 5 };
            let mut segments = talk.opening(before_ms * 1_000_000);
            segments.extend(acts.into_iter().map(|act| talk.act(act)));
            let (mut alone, mut among) = (connection(&segments), connection(&segments));
            let is_run = runs.iter().enumerate().flat_map(|(number, length)| vec![number % 2 == 0; *length]);
            for (segment, is_run) in segments.iter().zip(is_run.chain(std::iter::repeat(true))) {
                let ended = among.take(segment, &mut |_, _, _, _| {});
                prop_assert_eq!(ended, if is_run {
                    alone.take_of_run::<{ when::AT_ONCE }>(segment)
                } else {
                    alone.take(segment, &mut |_, _, _, _| {})
                });
            }
            prop_assert_eq!(alone.report(false), among.report(false));
        }
    }

    fn connection(segments: &[Segment]) -> Connection {
        let first = segments.first().copied().unwrap_or(Segment::BLANK);
        Connection::new(first.key, &first, 0, 0, false)
    }

    #[test]
    fn a_transfer_goes_the_short_way() {
        let mut talk = Talk {
            time_ns: 0,
            next: [0; 2],
            acked: [0; 2],
            id: 5,
        };
        let opening = talk.opening(0);
        let mut connection = connection(&opening);
        for segment in &opening {
            connection.take(segment, &mut |_, _, _, _| {});
        }
        let mut short = 0;
        for number in 0..300 {
            let what = if number % 3 == 2 { 7 } else { 0 };
            let segment = talk.act(Act {
                what,
                odd: u8::MAX,
                by: 2,
            });
            let was_short = connection.take_usual::<{ when::LATER }>(&segment);
            short += u32::from(was_short);
            if !was_short {
                connection.take_any(&segment, &mut |_, _, _, _| {});
            }
        }
        assert!(short >= 295, "{short}");
    }
}

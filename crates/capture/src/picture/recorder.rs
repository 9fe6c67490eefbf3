//! Events become rows and marks, as they come.

use super::mark::{Mark, MarkKind, Marks};
use super::row::{AckedRow, SentRow};
use super::series::Growing;
use super::{Limits, Picture, Summary};
use crate::flow::{Acked, HalfEvent, Sent, SentKind};
use std::collections::VecDeque;

/// The page counts in doubles: whole numbers up to here are exact in them. That is 104 days in nanoseconds, and nine
/// petabytes; a capture that tells of more lies, or will be drawn as if it ended there.
const MOST: u64 = (1 << 53) - 1;

/// Takes the events of one half of a connection, in the order of the capture, and keeps of them what the picture needs.
pub struct Recorder {
    origin_ns: Option<i64>,
    sent: Growing<SentRow>,
    acked: Growing<AckedRow>,
    marks: Marks,
    sacks: Marks,
    copies: Copies,
    /// What the acknowledgement before told.
    told: Vec<(u64, u64)>,
    window_is_closed: bool,
}

impl Recorder {
    /// A recorder that holds no more than this.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            origin_ns: None,
            sent: Growing::new(limits.boxes, limits.packet_bytes / 2),
            acked: Growing::new(limits.boxes, limits.packet_bytes / 2),
            marks: Marks::new(limits.marks),
            sacks: Marks::new(limits.marks),
            copies: Copies::default(),
            told: Vec::new(),
            window_is_closed: false,
        }
    }

    /// Takes an event, and the SACK blocks of an acknowledgement as offsets like those of the event (a DSACK first).
    pub fn take(&mut self, event: &HalfEvent, sack: &[(u64, u64)]) {
        match event {
            HalfEvent::Sent(sent) => self.take_sent(sent),
            HalfEvent::Acked(acked) => self.take_acked(acked, sack),
        }
    }

    /// Marks what no event tells: SYN, FIN, RST, "too big".
    pub fn mark(&mut self, time_ns: i64, kind: MarkKind, start: u64, end: u64) {
        let time_ns = self.since_origin(time_ns);
        let (start, end) = (start.min(MOST), end.min(MOST));
        let end = end.max(start);
        let mark = Mark {
            time_ns,
            kind,
            start,
            end,
        };
        if kind == MarkKind::Sack {
            self.sacks.push(mark);
        } else {
            self.marks.push(mark);
        }
    }

    /// The picture of what was taken.
    #[must_use]
    pub fn finish(mut self, summary: Summary) -> Picture {
        self.marks.sort();
        self.sacks.sort();
        Picture {
            origin_ns: self.origin_ns.unwrap_or(0),
            sent: self.sent.finish(),
            acked: self.acked.finish(),
            marks: self.marks,
            sacks: self.sacks,
            summary,
        }
    }

    fn since_origin(&mut self, time_ns: i64) -> i64 {
        let origin = *self.origin_ns.get_or_insert(time_ns);
        time_ns.saturating_sub(origin).clamp(-(MOST as i64), MOST as i64)
    }

    fn take_sent(&mut self, sent: &Sent) {
        let mark = MarkKind::of(sent.kind);
        let (start, end) = (sent.start.min(MOST), sent.end.min(MOST));
        let time_ns = self.since_origin(sent.time_ns);
        let row = SentRow {
            time_ns,
            start,
            end: end.max(start),
            flight_bytes: sent.flight_bytes.min(MOST),
            code: mark.map_or(0, |kind| kind as u8) | u8::from(sent.is_pushed) << 7,
        };
        self.sent.push(row);
        if let Some(kind) = mark {
            self.mark(sent.time_ns, kind, row.start, row.end);
        }
        if let SentKind::Retransmitted(_) = sent.kind
            && let Some((time_ns, from, to)) = self.copies.before(row.start, row.end)
        {
            self.marks.push(Mark {
                time_ns,
                kind: MarkKind::Lost,
                start: from,
                end: to,
            });
        }
        if !matches!(
            sent.kind,
            SentKind::Duplicated | SentKind::KeepAlive | SentKind::WindowProbe
        ) {
            self.copies.push(row);
        }
    }

    fn take_acked(&mut self, acked: &Acked, sack: &[(u64, u64)]) {
        let ack = acked.ack.min(MOST);
        let time_ns = self.since_origin(acked.time_ns);
        self.acked.push(AckedRow {
            time_ns,
            ack,
            window_bytes: acked.window_bytes.map(|window| window.min(MOST)),
            rtt_ns: acked
                .rtt_ns
                .and_then(|rtt| u64::try_from(rtt).ok())
                .map(|rtt| rtt.min(MOST)),
            newly_acked_bytes: acked.newly_acked_bytes.min(MOST),
            is_duplicate: acked.is_duplicate,
        });
        self.copies.forget(ack);
        let is_closed = acked.window_bytes == Some(0);
        if is_closed && !self.window_is_closed {
            self.mark(acked.time_ns, MarkKind::ZeroWindow, ack, ack);
        }
        self.window_is_closed = is_closed;
        if acked.unseen_bytes > 0 {
            let from = ack.saturating_sub(acked.unseen_bytes);
            self.mark(acked.time_ns, MarkKind::Unseen, from, ack);
        }
        if acked.is_eifel {
            self.marks
                .arrived_twice(ack.saturating_sub(acked.newly_acked_bytes), ack);
        }
        let mut blocks = sack;
        if acked.is_dsack
            && let Some(((start, end), others)) = sack.split_first()
        {
            self.mark(acked.time_ns, MarkKind::Dsack, *start, *end);
            self.marks.arrived_twice(*start, *end);
            blocks = others;
        }
        self.take_sack(acked.time_ns, blocks);
    }

    /// A receiver repeats its blocks in each acknowledgement (RFC 2018 section 4): only what is new is drawn. A block that
    /// grew is drawn by what it grew.
    fn take_sack(&mut self, time_ns: i64, blocks: &[(u64, u64)]) {
        for &(start, end) in blocks {
            let known = self
                .told
                .iter()
                .find(|told| told.0 < end && told.1 > start)
                .copied();
            match known {
                None => self.mark_sack(time_ns, start, end),
                Some((from, to)) => {
                    self.mark_sack(time_ns, start, from.min(end));
                    self.mark_sack(time_ns, to.max(start), end);
                }
            }
        }
        self.told.clear();
        // The option has room for four.
        self.told.extend(blocks.iter().take(4));
    }

    fn mark_sack(&mut self, time_ns: i64, start: u64, end: u64) {
        if start < end {
            self.mark(time_ns, MarkKind::Sack, start, end);
        }
    }
}

/// When data passed last, to find what was lost when they are retransmitted. Bounded: so many segments in flight are more
/// than a path of 1 Gbit/s and half a second holds; behind a larger one the oldest losses have no place in the picture.
#[derive(Default)]
struct Copies {
    /// First copies, in the order of their bytes.
    first: VecDeque<SentRow>,
    /// Later ones, in the order of time.
    later: VecDeque<SentRow>,
}

impl Copies {
    const MOST_FIRST: usize = 65_536;
    /// Later copies that are looked through one by one.
    const MOST_LATER: usize = 256;

    fn push(&mut self, row: SentRow) {
        let is_next = self.first.back().is_none_or(|last| last.end <= row.start);
        let (queue, most) = if is_next {
            (&mut self.first, Self::MOST_FIRST)
        } else {
            (&mut self.later, Self::MOST_LATER)
        };
        if queue.len() >= most {
            queue.pop_front();
        }
        queue.push_back(row);
    }

    /// The last copy of the first of these bytes: its time, and its bytes among them.
    fn before(&self, start: u64, end: u64) -> Option<(i64, u64, u64)> {
        let holds = |row: &&SentRow| row.start <= start && row.end > start;
        let place = self.first.partition_point(|row| row.end <= start);
        let row = self
            .later
            .iter()
            .rev()
            .find(holds)
            .or_else(|| self.first.get(place).filter(holds))?;
        Some((row.time_ns, start, row.end.min(end)))
    }

    /// What has arrived is not retransmitted, or in vain; but that cannot be known from here, so what lies a little behind
    /// the acknowledgement stays: a needless retransmission has its original, too.
    fn forget(&mut self, ack: u64) {
        const KEPT: u64 = 1 << 20;
        let before = ack.saturating_sub(KEPT);
        while self.first.front().is_some_and(|row| row.end <= before) {
            self.first.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::RetransmissionCause;
    use crate::picture::testing::{acked, sent, small, summary};

    fn fast() -> SentKind {
        SentKind::Retransmitted(RetransmissionCause::Fast)
    }

    fn kinds(picture: &Picture) -> Vec<(MarkKind, i64, u64, u64)> {
        let all = picture.marks.as_slice().iter();
        all.map(|mark| (mark.kind, mark.time_ns / 1_000_000, mark.start, mark.end))
            .collect()
    }

    #[test]
    fn a_retransmission_marks_the_copy_that_was_lost() {
        let expected = [(MarkKind::Lost, 1, 1448, 2896), (MarkKind::Fast, 25, 1448, 2896)];
        assert_eq!(kinds(&small()), expected);
    }

    #[test]
    fn a_second_retransmission_marks_the_first() {
        let mut recorder = Recorder::new(Limits::default());
        for (ms, kind) in [(0, SentKind::New), (5, fast()), (9, fast())] {
            recorder.take(&sent(ms, 0, 1448, kind), &[]);
        }
        let picture = recorder.finish(summary());
        let lost = kinds(&picture)
            .into_iter()
            .filter(|(kind, ..)| *kind == MarkKind::Lost);
        assert_eq!(lost.map(|(_, ms, ..)| ms).collect::<Vec<_>>(), [0, 5]);
    }

    #[test]
    fn without_the_first_copy_no_loss_is_placed() {
        let mut recorder = Recorder::new(Limits::default());
        recorder.take(&sent(0, 9000, 1448, SentKind::New), &[]);
        recorder.take(&sent(5, 0, 1448, fast()), &[]);
        assert_eq!(kinds(&recorder.finish(summary())), [(MarkKind::Fast, 5, 0, 1448)]);
    }

    #[test]
    fn a_dsack_takes_a_loss_back() {
        let mut recorder = Recorder::new(Limits::default());
        recorder.take(&sent(0, 0, 1448, SentKind::New), &[]);
        recorder.take(&sent(5, 0, 1448, fast()), &[]);
        let dsack = Acked {
            is_dsack: true,
            ..acked(20, 1448)
        };
        recorder.take(&HalfEvent::Acked(dsack), &[(0, 1448)]);
        let picture = recorder.finish(summary());
        assert_eq!(picture.marks.count(MarkKind::Lost), 0);
        assert_eq!(picture.marks.count(MarkKind::Needless), 1);
        assert!(picture.sacks.as_slice().is_empty(), "a DSACK is no SACK");
    }

    #[test]
    fn a_time_stamp_takes_losses_back() {
        let mut recorder = Recorder::new(Limits::default());
        for (ms, start, kind) in [
            (0, 0, SentKind::New),
            (0, 1448, SentKind::New),
            (5, 0, fast()),
            (5, 1448, fast()),
        ] {
            recorder.take(&sent(ms, start, start + 1448, kind), &[]);
        }
        let eifel = Acked {
            is_eifel: true,
            newly_acked_bytes: 2896,
            ..acked(20, 2896)
        };
        recorder.take(&HalfEvent::Acked(eifel), &[]);
        let marks = recorder.finish(summary()).marks;
        assert_eq!(
            (marks.count(MarkKind::Lost), marks.count(MarkKind::Needless)),
            (0, 2)
        );
    }

    #[test]
    fn sack_blocks_are_drawn_by_what_they_grew() {
        let picture = small();
        let grown = picture
            .sacks
            .as_slice()
            .iter()
            .map(|mark| (mark.start / 1448, mark.end / 1448));
        assert_eq!(grown.collect::<Vec<_>>(), [(2, 3), (3, 4), (4, 5)]);
    }

    #[test]
    fn a_closed_window_is_marked_once() {
        let mut recorder = Recorder::new(Limits::default());
        for (ms, window) in [(0, Some(0)), (1, Some(0)), (2, Some(9)), (3, None), (4, Some(0))] {
            let event = Acked {
                window_bytes: window,
                ..acked(ms, 1448)
            };
            recorder.take(&HalfEvent::Acked(event), &[]);
        }
        assert_eq!(recorder.finish(summary()).marks.count(MarkKind::ZeroWindow), 2);
    }

    #[test]
    fn lies_do_no_harm() {
        let mut recorder = Recorder::new(Limits {
            packet_bytes: 0,
            boxes: 0,
            marks: 1,
        });
        for (time_ns, start, end) in [(i64::MAX, u64::MAX, 0), (i64::MIN, 0, u64::MAX), (0, 9, 3)] {
            let event = Sent {
                time_ns,
                start,
                end,
                kind: fast(),
                is_pushed: true,
                waited_ms: u8::MAX,
                flight_bytes: u64::MAX,
                window_edge: Some(u64::MAX),
                lost_ns: None,
            };
            recorder.take(&HalfEvent::Sent(event), &[]);
            let event = Acked {
                time_ns,
                ack: end,
                newly_acked_bytes: u64::MAX,
                window_bytes: Some(u64::MAX),
                rtt_ns: Some(time_ns),
                unseen_bytes: u64::MAX,
                is_dsack: true,
                is_eifel: true,
                ..acked(0, 0)
            };
            recorder.take(
                &HalfEvent::Acked(event),
                &[(start, end), (end, start), (0, u64::MAX)],
            );
        }
        let mut summary = summary();
        summary.half.data_ns = Some((i64::MAX, i64::MIN));
        let picture = recorder.finish(summary);
        assert!(!picture.missing().is_empty());
        let svg = picture.svg(u32::MAX, 1);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(picture.html().ends_with("</html>\n") && picture.xplot().ends_with("go\n"));
    }
}

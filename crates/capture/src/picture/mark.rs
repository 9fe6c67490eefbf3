//! Marks: what an expert looks for. They are never thinned.

use super::column::Columns;
use crate::flow::{RetransmissionCause, SentKind};
use serde::Serialize;

/// What a mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum MarkKind {
    /// Bytes behind a gap: [`SentKind::NewBehindGap`].
    Gap = 1,
    /// Retransmitted; duplicate acknowledgements or SACK told of the loss.
    Fast,
    /// Retransmitted; the timer ran out.
    Timeout,
    /// Retransmitted; a probe for a lost tail.
    TailProbe,
    /// Retransmitted; nothing tells why.
    Unexplained,
    /// The same four, of bytes that were lost before the capture point.
    FastUpstream,
    /// See [`MarkKind::FastUpstream`].
    TimeoutUpstream,
    /// See [`MarkKind::FastUpstream`].
    TailProbeUpstream,
    /// See [`MarkKind::FastUpstream`].
    UnexplainedUpstream,
    /// Overtaken on the way to the capture point.
    Overtaken,
    /// The same packet twice.
    Duplicated,
    /// A keep-alive.
    KeepAlive,
    /// A probe of a closed window.
    WindowProbe,
    /// Lost behind the capture point, as its retransmission tells: at the time of the copy before that one.
    Lost,
    /// Seemed lost, and was not: the receiver tells that the retransmitted bytes came twice (DSACK, RFC 2883).
    Needless,
    /// The receiver's window is closed.
    ZeroWindow,
    /// Bytes that arrived twice (DSACK).
    Dsack,
    /// Bytes that are acknowledged and never passed: the capture dropped them.
    Unseen,
    /// A router tells that a packet is too large.
    TooBig,
    /// The connection begins.
    Syn,
    /// The sender has finished.
    Fin,
    /// The connection is aborted.
    Rst,
    /// Bytes that a selective acknowledgement tells of, and the one before did not.
    Sack,
}

impl MarkKind {
    /// All, in the order of their numbers, which begin at 1.
    pub const ALL: [Self; 23] = [
        Self::Gap,
        Self::Fast,
        Self::Timeout,
        Self::TailProbe,
        Self::Unexplained,
        Self::FastUpstream,
        Self::TimeoutUpstream,
        Self::TailProbeUpstream,
        Self::UnexplainedUpstream,
        Self::Overtaken,
        Self::Duplicated,
        Self::KeepAlive,
        Self::WindowProbe,
        Self::Lost,
        Self::Needless,
        Self::ZeroWindow,
        Self::Dsack,
        Self::Unseen,
        Self::TooBig,
        Self::Syn,
        Self::Fin,
        Self::Rst,
        Self::Sack,
    ];

    /// The mark of a segment with data; `None` for new data, which needs none.
    #[must_use]
    pub fn of(kind: SentKind) -> Option<Self> {
        Some(match kind {
            SentKind::New => return None,
            SentKind::NewBehindGap => Self::Gap,
            SentKind::Retransmitted(cause) => match cause {
                RetransmissionCause::Fast => Self::Fast,
                RetransmissionCause::Timeout => Self::Timeout,
                RetransmissionCause::TailProbe => Self::TailProbe,
                RetransmissionCause::Unknown => Self::Unexplained,
            },
            SentKind::RetransmittedUpstream(cause) => match cause {
                RetransmissionCause::Fast => Self::FastUpstream,
                RetransmissionCause::Timeout => Self::TimeoutUpstream,
                RetransmissionCause::TailProbe => Self::TailProbeUpstream,
                RetransmissionCause::Unknown => Self::UnexplainedUpstream,
            },
            SentKind::Overtaken => Self::Overtaken,
            SentKind::Duplicated => Self::Duplicated,
            SentKind::KeepAlive => Self::KeepAlive,
            SentKind::WindowProbe => Self::WindowProbe,
        })
    }

    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Gap => "behind a gap",
            Self::Fast => "fast retransmission",
            Self::Timeout => "retransmission by timeout",
            Self::TailProbe => "tail loss probe",
            Self::Unexplained => "retransmission, cause not known",
            Self::FastUpstream => "fast retransmission, lost before the capture",
            Self::TimeoutUpstream => "retransmission by timeout, lost before the capture",
            Self::TailProbeUpstream => "tail loss probe, lost before the capture",
            Self::UnexplainedUpstream => "retransmission, lost before the capture",
            Self::Overtaken => "out of order",
            Self::Duplicated => "duplicate packet",
            Self::KeepAlive => "keep-alive",
            Self::WindowProbe => "window probe",
            Self::Lost => "lost behind the capture",
            Self::Needless => "retransmitted in vain",
            Self::ZeroWindow => "window closed",
            Self::Dsack => "arrived twice (DSACK)",
            Self::Unseen => "not captured",
            Self::TooBig => "too big for a link",
            Self::Syn => "SYN",
            Self::Fin => "FIN",
            Self::Rst => "RST",
            Self::Sack => "SACK",
        }
    }

    fn place(self) -> usize {
        usize::from(self as u8 - 1)
    }
}

/// One mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// When, nanoseconds since the origin of the picture.
    pub time_ns: i64,
    /// What.
    pub kind: MarkKind,
    /// The bytes that it is about, from the first to the one behind the last.
    pub start: u64,
    /// See [`Mark::start`].
    pub end: u64,
}

/// Columns of packed marks: time, kind, start, length.
const COLUMNS: usize = 4;

/// Marks, up to a bound; those beyond it are counted.
#[derive(Debug, Clone)]
pub(super) struct Marks {
    list: Vec<Mark>,
    most: usize,
    counts: [u64; MarkKind::ALL.len()],
}

impl Marks {
    pub(super) fn new(most: usize) -> Self {
        Self {
            list: Vec::new(),
            most,
            counts: [0; MarkKind::ALL.len()],
        }
    }

    pub(super) fn push(&mut self, mark: Mark) {
        if let Some(count) = self.counts.get_mut(mark.kind.place()) {
            *count += 1;
        }
        if self.list.len() < self.most {
            self.list.push(mark);
        }
    }

    /// Bytes that came twice were not lost: of each part of them the newest `Lost` mark, of the last `SEARCHED`, becomes
    /// `Needless`. What came twice is told within a round trip, and that many losses within one round trip are beyond repair.
    pub(super) fn arrived_twice(&mut self, start: u64, end: u64) {
        const SEARCHED: usize = 4096;
        let mut taken_back: Vec<(u64, u64)> = Vec::new();
        for mark in self.list.iter_mut().rev().take(SEARCHED) {
            let meets = |(start, end): (u64, u64)| mark.start < end && mark.end > start;
            if mark.kind == MarkKind::Lost && meets((start, end)) && !taken_back.iter().any(|one| meets(*one))
            {
                taken_back.push((mark.start, mark.end));
                mark.kind = MarkKind::Needless;
            }
        }
        let count = taken_back.len() as i64;
        for (kind, change) in [(MarkKind::Lost, -count), (MarkKind::Needless, count)] {
            if let Some(sum) = self.counts.get_mut(kind.place()) {
                *sum = sum.saturating_add_signed(change);
            }
        }
    }

    /// In the order of time. A `Lost` mark is known only after the fact, and a clock may go backwards.
    pub(super) fn sort(&mut self) {
        self.list.sort_by_key(|mark| mark.time_ns);
    }

    pub(super) fn as_slice(&self) -> &[Mark] {
        &self.list
    }

    pub(super) fn count(&self, kind: MarkKind) -> u64 {
        self.counts.get(kind.place()).copied().unwrap_or(0)
    }

    /// How many there were and are not kept.
    pub(super) fn missing(&self) -> u64 {
        self.counts
            .iter()
            .sum::<u64>()
            .saturating_sub(self.list.len() as u64)
    }

    pub(super) fn packed(&self) -> Vec<u8> {
        let mut columns = Columns::new(COLUMNS);
        let (mut time_ns, mut end) = (0, 0);
        for mark in &self.list {
            columns.put_difference(0, mark.time_ns as u64, time_ns);
            columns.put(1, mark.kind as u64);
            columns.put_difference(2, mark.start, end);
            columns.put(3, mark.end.wrapping_sub(mark.start));
            (time_ns, end) = (mark.time_ns as u64, mark.end);
        }
        columns.deflated()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(start: u64) -> Mark {
        Mark {
            time_ns: start as i64,
            kind: MarkKind::Lost,
            start,
            end: start + 1448,
        }
    }

    #[test]
    fn numbers_of_kinds_are_their_places() {
        for (place, kind) in MarkKind::ALL.iter().enumerate() {
            assert_eq!(kind.place(), place);
        }
    }

    #[test]
    fn what_is_over_the_bound_is_counted() {
        let mut marks = Marks::new(2);
        for start in [0, 2000, 4000] {
            marks.push(lost(start));
        }
        assert_eq!(marks.as_slice().len(), 2);
        assert_eq!((marks.count(MarkKind::Lost), marks.missing()), (3, 1));
    }

    #[test]
    fn what_came_twice_was_not_lost() {
        let mut marks = Marks::new(9);
        marks.push(lost(0));
        marks.push(lost(2000));
        marks.arrived_twice(1448, 2000);
        assert_eq!(marks.count(MarkKind::Lost), 2, "a neighbour is no overlap");
        marks.arrived_twice(2000, 3448);
        assert_eq!(
            (marks.count(MarkKind::Lost), marks.count(MarkKind::Needless)),
            (1, 1)
        );
        assert_eq!(marks.missing(), 0);
    }

    #[test]
    fn of_each_part_that_came_twice_one_copy_was_not_lost() {
        let mut marks = Marks::new(9);
        for start in [0, 2000, 0] {
            marks.push(lost(start));
        }
        marks.arrived_twice(0, 4000);
        let kinds: Vec<MarkKind> = marks.as_slice().iter().map(|mark| mark.kind).collect();
        assert_eq!(kinds, [MarkKind::Lost, MarkKind::Needless, MarkKind::Needless]);
    }
}

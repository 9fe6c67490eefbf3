//! What came of packets in one direction, and the evidence that it is.

use evidence::{DelayStatistics, EchoContext, EchoMode, Node, ProbeRow, Probes};

/// What came of packets in one direction, or of packets and their answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Direction {
    /// Packets sent.
    pub sent: u64,
    /// Distinct packets that arrived.
    pub received: u64,
    /// Packets that arrived again.
    pub duplicates: u64,
    /// Packets that arrived after a later one (RFC 4737).
    pub reordered: u64,
}

impl Direction {
    /// Packets that did not arrive.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.sent.saturating_sub(self.received)
    }

    /// The row, with these counts in it.
    pub(crate) fn counted(&self, row: ProbeRow) -> ProbeRow {
        ProbeRow {
            sent: Some(self.sent),
            received: Some(self.received),
            duplicates: Some(self.duplicates),
            reordered: Some(self.reordered),
            ..row
        }
    }
}

/// Probes of one size that were sent to one host, one after the other, while nothing else was measured: how they become evidence.
#[derive(Clone, Copy)]
pub(crate) struct Series {
    /// Probes sent.
    pub(crate) sent: u64,
    /// IP packet size, bytes.
    pub(crate) size_bytes: u32,
    /// From the first to the last, nanoseconds.
    pub(crate) span_ns: u64,
}

impl Series {
    /// A row of them, towards `to`.
    pub(crate) fn row(self, to: &Node) -> ProbeRow {
        let interval_ns = self.span_ns / self.sent.saturating_sub(1).max(1);
        ProbeRow {
            to: to.clone(),
            size_bytes: Some(self.size_bytes),
            rate_pps: (interval_ns > 0).then(|| 1e9 / interval_ns as f64),
            ..ProbeRow::default()
        }
    }

    /// The same there and back, with the times that this took.
    pub(crate) fn round_trip(self, to: &Node, delay: Option<DelayStatistics>) -> ProbeRow {
        ProbeRow {
            mode: Some(EchoMode::ToDestination),
            delay,
            ..self.row(to)
        }
    }

    /// The last ones, which nothing answered. Answers of this size came: what was lost was not lost for it.
    pub(crate) fn unanswered(self, to: &Node, lost: u64) -> Option<ProbeRow> {
        (lost > 0).then(|| ProbeRow {
            sent: Some(lost),
            received: Some(0),
            size_bytes: None,
            ..self.round_trip(to, None)
        })
    }

    /// A table of rows.
    pub(crate) fn table(self, from: &Node, to: &Node, rows: Vec<ProbeRow>) -> Probes {
        Probes {
            from: from.clone(),
            destination: Some(to.clone()),
            context: Some(EchoContext::Idle),
            elapsed_ns: Some(self.span_ns),
            rows,
            ..Probes::default()
        }
    }
}

//! What tools count of packets that go one way.

use evidence::{DelayStatistics, Node, Payload, ProbeRow, Probes, Way};

/// Loss and delay in one direction while its lines are read.
#[derive(Debug, Default)]
pub(crate) struct OneWay {
    pub(crate) from: Node,
    pub(crate) to: Node,
    pub(crate) sent: Option<u64>,
    pub(crate) lost: Option<u64>,
    pub(crate) loss_ratio: Option<f64>,
    pub(crate) duplicates: Option<u64>,
    pub(crate) reordered: Option<u64>,
    /// Smallest, median and largest; negative when the receiver's clock is behind.
    pub(crate) min_ns: Option<i64>,
    pub(crate) median_ns: Option<i64>,
    pub(crate) max_ns: Option<i64>,
    pub(crate) clock_error_ns: Option<u64>,
    pub(crate) hops: Option<u8>,
}

impl OneWay {
    /// The record: a table of one row. More lost than sent is kept as printed.
    pub(crate) fn into_payload(self) -> Payload {
        let received = self
            .sent
            .zip(self.lost)
            .and_then(|(sent, lost)| sent.checked_sub(lost));
        let delay = DelayStatistics {
            min_ns: self.min_ns,
            p50_ns: self.median_ns,
            max_ns: self.max_ns,
            ..DelayStatistics::default()
        };
        let row = ProbeRow {
            way: Way::OneWay,
            to: self.to,
            sent: self.sent,
            received,
            lost: self.lost.filter(|_| received.is_none()),
            loss_ratio: self.loss_ratio,
            duplicates: self.duplicates,
            reordered: self.reordered,
            delay: (delay != DelayStatistics::default()).then_some(delay),
            clock_error_ns: self.clock_error_ns,
            hops_used: self.hops,
            ..ProbeRow::default()
        };
        Payload::Probes(Probes {
            from: self.from,
            rows: vec![row],
            ..Probes::default()
        })
    }
}

//! TCP transfers between the two ends as others recorded them, and what a loss ratio allows each of them.

use crate::adapters::control;
use crate::facts::Facts;
use crate::facts::records::ends;
use evidence::{Direction, ObservationId, RateBps, RateRange, Transport};
use model::Control;
use model::forward::Connection;
use stats::Ratio;

/// One recorded TCP transfer with the data.
#[derive(Debug, Clone)]
pub(crate) struct RecordedTcp {
    pub(crate) name: String,
    pub(crate) rate_bps: f64,
    /// Parallel connections; `None` where the record does not tell.
    pub(crate) streams: Option<u16>,
    /// Index into the tests with counters, for one that was counted on its way.
    pub(crate) test: Option<usize>,
    pub(crate) id: ObservationId,
    control: Control,
    mss_bytes: u32,
    /// Packets sent: counted, or from rate and length; `None` where neither is known.
    packets: Option<u64>,
}

/// What a segment carries at an MTU of 1500 with timestamps (RFC 7323 appendix A); records rarely tell.
const USUAL_MSS: u32 = 1_448;

/// The model and the measurement may differ by this factor.
pub(crate) const MODEL_FACTOR: f64 = 2.0;

impl Facts {
    /// All of them, of counted tests first. A transfer that is recorded a second time with the same rate and number of
    /// connections is the same transfer.
    pub(crate) fn recorded_tcp(&self) -> Vec<RecordedTcp> {
        let counted = self.chains.iter().enumerate().filter_map(|(index, test)| {
            let with_data = test.direction == Some(Direction::Forward) && test.is_tcp();
            let rate_bps = test.rate_bps().filter(|_| with_data)?;
            Some(RecordedTcp {
                name: test.name().to_owned(),
                rate_bps,
                streams: test.what.streams.filter(|streams| *streams > 0),
                test: Some(index),
                id: test.id.clone(),
                control: Control::Unknown,
                mss_bytes: USUAL_MSS,
                packets: test.sent().or_else(|| Some(test.trusted().next()?.1)),
            })
        });
        let mut all: Vec<RecordedTcp> = counted.collect();
        let counted = all.len();
        let mut transfers: Vec<RecordedTcp> = self.transfers_with_data().collect();
        let key = |tcp: &RecordedTcp| (tcp.streams, tcp.packets, tcp.mss_bytes);
        transfers.sort_by(|a, b| {
            b.rate_bps
                .total_cmp(&a.rate_bps)
                .then_with(|| key(a).cmp(&key(b)))
        });
        for transfer in transfers {
            let again = |known: &RecordedTcp| {
                known.rate_bps == transfer.rate_bps && known.streams == transfer.streams
            };
            if !all.iter().take(counted).any(again) {
                all.push(transfer);
            }
        }
        all
    }

    fn transfers_with_data(&self) -> impl Iterator<Item = RecordedTcp> {
        self.records.transfers.iter().filter_map(|record| {
            let what = &record.what;
            let with_data =
                ends::direction(&what.from, &what.to, &self.complaint) == Some(Direction::Forward);
            let rate_bps = record.rate()?.0;
            let usable =
                with_data && what.protocol != Some(Transport::Udp) && rate_bps.is_finite() && rate_bps > 0.0;
            let mss_bytes = what.mss_bytes.filter(|mss| *mss >= 64).unwrap_or(USUAL_MSS);
            usable.then(|| RecordedTcp {
                name: "a transfer".into(),
                rate_bps,
                streams: what.streams.filter(|streams| *streams > 0),
                test: None,
                id: record.id.clone(),
                control: control(what.congestion_control.as_deref()),
                mss_bytes,
                packets: what
                    .duration_ns
                    .map(|ns| (rate_bps * ns as f64 / 8e9 / f64::from(mss_bytes)) as u64),
            })
        })
    }

    /// The rate of the longest TCP transfer that was counted on its way: short ones are still starting.
    pub(crate) fn counted_rate(&self) -> Option<RateBps> {
        let counted = self.recorded_tcp().into_iter().filter(|tcp| tcp.test.is_some());
        let longest = counted.max_by(|a, b| a.packets.cmp(&b.packets).then_with(|| b.id.cmp(&a.id)))?;
        Some(RateBps(longest.rate_bps))
    }

    /// The best rate at which packets got through with the data, by whatever record: what the path has proved to carry.
    pub(crate) fn recorded_best(&self) -> Option<RateBps> {
        let forward = |from, to| ends::direction(from, to, &self.complaint) == Some(Direction::Forward);
        let counted = self
            .chains
            .iter()
            .filter(|test| test.direction == Some(Direction::Forward))
            .filter_map(|test| test.what.received_bps);
        let transferred = self
            .records
            .transfers
            .iter()
            .filter(|record| forward(&record.what.from, &record.what.to))
            .filter_map(|record| record.rate());
        counted
            .chain(transferred)
            .filter(|rate| rate.0.is_finite() && rate.0 > 0.0)
            .max_by(|a, b| a.0.total_cmp(&b.0))
    }
}

impl RecordedTcp {
    /// What `loss` allows it over a round trip of `rtt_s`. Without a word on the congestion control the best estimate is
    /// that of Mathis, Semke, Mahdavi and Ott (1997), and the highest is CUBIC's, which is the faster of the two.
    pub(crate) fn allowed(&self, rtt_s: f64, loss: Ratio) -> Option<RateRange> {
        let of = |control, ratio: f64| {
            let connection = Connection {
                control,
                mss_bytes: f64::from(self.mss_bytes),
                rtt_s,
            };
            Some(connection.under_loss_bps(ratio)? * f64::from(self.streams.unwrap_or(1)))
        };
        let (least, most) = loss.interval();
        let (slow, fast) = match self.control {
            Control::Unknown => (Control::Reno, Control::Cubic),
            known => (known, known),
        };
        let best = of(slow, loss.estimate()?)?;
        let high = of(fast, least).unwrap_or(f64::INFINITY).min(best * 10.0);
        Some(RateRange {
            low: RateBps((of(slow, most)? / MODEL_FACTOR).min(best)),
            best: RateBps(best),
            high: RateBps((high * MODEL_FACTOR).max(best)),
        })
    }

    /// Whether it ran long enough for each of its connections to meet a loss of `ratio`: before its first loss, a
    /// connection is not held back by loss.
    pub(crate) fn met_loss(&self, ratio: f64) -> bool {
        self.packets
            .is_none_or(|packets| packets as f64 * ratio >= f64::from(self.streams.unwrap_or(1)))
    }

    /// "10 connections", "one connection".
    pub(crate) fn connections(&self) -> String {
        match self.streams {
            Some(1) => "one connection".into(),
            Some(streams) => format!("{streams} connections"),
            None => "one connection (the record does not tell how many)".into(),
        }
    }
}

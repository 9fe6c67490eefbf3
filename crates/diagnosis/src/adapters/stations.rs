//! Tests of which networks counted the packets along the path.

use crate::records;
use crate::records::Recorded;
use evidence::{Complaint, CounterChain, Direction, ObservationId, Transport};
use stats::{Standing, Station, counting, stations};

/// One test.
#[derive(Debug, Clone)]
pub(crate) struct ChainTest {
    pub(crate) id: ObservationId,
    /// Relative to the data complained about; `None` when it cannot be told.
    pub(crate) direction: Option<Direction>,
    pub(crate) stations: Vec<Station>,
    pub(crate) what: CounterChain,
}

impl ChainTest {
    /// By label and counts, whatever the time: many tables have none.
    pub(crate) fn all(chains: &[Recorded<CounterChain>], complaint: &Complaint) -> Vec<Self> {
        let counting = counting(chains.iter().map(|chain| &chain.what));
        let test = |chain: &Recorded<CounterChain>| Self {
            id: chain.id.clone(),
            direction: records::direction(&chain.what.from, &chain.what.to, complaint),
            stations: stations(&chain.what, &counting),
            what: chain.what.clone(),
        };
        let mut tests: Vec<Self> = chains.iter().map(test).collect();
        tests.sort_by_cached_key(Self::order);
        tests
    }

    /// The way that its packets went; what cannot be told counts as that of the data.
    pub(crate) fn way(&self) -> Direction {
        self.direction.unwrap_or(Direction::Forward)
    }

    /// What tests are sorted by.
    fn order(&self) -> impl Ord + use<> {
        let counts: Vec<Option<u64>> = self.stations.iter().map(|station| station.packets).collect();
        let (label, remarks) = (self.what.label.clone(), self.what.remarks.clone());
        (label, self.direction, counts, remarks, self.id.clone())
    }

    /// The stations that are believed, in the order of the path.
    pub(crate) fn trusted(&self) -> impl Iterator<Item = (&Station, u64)> {
        self.stations
            .iter()
            .filter(|station| station.standing == Standing::Trusted)
            .filter_map(|station| Some((station, station.packets?)))
    }

    /// What the sending host says it sent.
    pub(crate) fn sent(&self) -> Option<u64> {
        self.what.packets_sent
    }

    /// The rate, bit/s: what arrived, else what was sent.
    pub(crate) fn rate_bps(&self) -> Option<f64> {
        let told = self.what.received_bps.or(self.what.sent_bps)?.0;
        (told.is_finite() && told > 0.0).then_some(told)
    }

    pub(crate) fn is_tcp(&self) -> bool {
        self.what.protocol == Some(Transport::Tcp)
    }

    /// The test in a few words: what stands before the colon of a longer heading.
    pub(crate) fn name(&self) -> &str {
        const LEAST_LETTERS: usize = 4;
        let label = self.what.label.trim();
        let before_colon = label.split_once(": ").map(|(start, _)| start.trim());
        match before_colon.filter(|start| start.len() >= LEAST_LETTERS) {
            Some(start) => start,
            None if label.is_empty() => "a test",
            None => label,
        }
    }

    /// Mean size of a packet that the rate, the length and the number of packets make together, bytes. Headers are not
    /// in the rate, so that it is a little less than the packet's true size.
    pub(crate) fn mean_packet_bytes(&self) -> Option<f64> {
        let bits = self.rate_bps()? * self.what.duration_ns? as f64 / 1e9;
        let packets = self.sent().or_else(|| Some(self.trusted().next()?.1))?;
        (packets > 0 && bits > 0.0).then(|| bits / 8.0 / packets as f64)
    }
}

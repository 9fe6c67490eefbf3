//! Packets of one test counted at ordered points: which counters can be believed.
//!
//! A path loses packets and makes none, so counts may only fall along it. Where they rise some counter is wrong: the
//! smallest set of counters is distrusted without which they fall, that is, a longest non-increasing subsequence is
//! kept. A counter that is in some such subsequences and not in others is doubtful: nothing is concluded from it.

use crate::facts::ends;
use crate::facts::round::Recorded;
use evidence::{Complaint, CounterChain, Direction, ObservationId, Transport};
use std::collections::BTreeSet;

/// What a count is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It agrees with the most others.
    Trusted,
    /// It contradicts another one, and as much speaks for it as against it.
    Doubtful,
    /// It contradicts what most others counted.
    Distrusted,
    /// It shows 0 of a transfer that others counted: it did not count.
    Mute,
    /// There is no figure.
    Missing,
}

/// Who counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// The sending host: what it says it sent.
    Sender,
    /// A point on the path.
    Point,
    /// The receiving host: what it was sent less what it says it misses.
    Receiver,
}

/// A counter in the order of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Station {
    pub(crate) role: Role,
    /// In the words of the record, unique in its chain.
    pub(crate) label: String,
    pub(crate) packets: Option<u64>,
    pub(crate) standing: Standing,
}

/// One test.
#[derive(Debug, Clone)]
pub(crate) struct ChainTest {
    pub(crate) id: ObservationId,
    pub(crate) label: String,
    /// Relative to the data complained about; `None` when it cannot be told.
    pub(crate) direction: Option<Direction>,
    pub(crate) stations: Vec<Station>,
    pub(crate) what: CounterChain,
}

/// A path has at most 255 hops; a longer table is none.
const MOST_POINTS: usize = 1_000;

impl ChainTest {
    /// By label and counts, whatever the time: many tables have none.
    pub(crate) fn all(chains: &[Recorded<CounterChain>], complaint: &Complaint) -> Vec<Self> {
        let points = chains.iter().flat_map(|chain| &chain.what.points);
        let counting: BTreeSet<String> = points
            .filter(|point| point.packets.is_some_and(|packets| packets > 0))
            .map(|point| point_label(&point.network, &point.description))
            .collect();
        let mut tests: Vec<Self> = chains
            .iter()
            .map(|chain| Self::derive(chain, complaint, &counting))
            .collect();
        tests.sort_by(|a, b| a.order().cmp(&b.order()).then_with(|| a.id.cmp(&b.id)));
        tests
    }

    /// `counting` holds the points that counted something in any test.
    fn derive(chain: &Recorded<CounterChain>, complaint: &Complaint, counting: &BTreeSet<String>) -> Self {
        let what = &chain.what;
        let mut stations = stations(what);
        silence_mute(&mut stations, what, counting);
        weigh_standing(&mut stations);
        // The receiver's count is the sender's less what is missing: it falls with it.
        if standing_of(&stations, Role::Sender) != Some(Standing::Trusted) {
            stations.retain(|station| station.role != Role::Receiver);
            weigh_standing(&mut stations);
        }
        Self {
            id: chain.id.clone(),
            label: what.label.clone(),
            direction: ends::direction(&what.from, &what.to, complaint),
            stations,
            what: what.clone(),
        }
    }

    /// The way that its packets went; what cannot be told counts as that of the data.
    pub(crate) fn way(&self) -> Direction {
        self.direction.unwrap_or(Direction::Forward)
    }

    /// What tests are sorted by.
    fn order(&self) -> impl Ord {
        let counts: Vec<Option<u64>> = self.stations.iter().map(|station| station.packets).collect();
        (
            self.label.clone(),
            self.direction,
            counts,
            self.what.remarks.clone(),
        )
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
        let label = self.label.trim();
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

/// "GEANT: GEANT (UK) -> GEANT (France)".
fn point_label(network: &str, description: &str) -> String {
    match (network.trim(), description.trim()) {
        ("", description) => description.to_owned(),
        (network, "") => network.to_owned(),
        (network, description) => format!("{network}: {description}"),
    }
}

fn stations(what: &CounterChain) -> Vec<Station> {
    let station = |role, label: String, packets| Station {
        role,
        label,
        packets,
        standing: Standing::Missing,
    };
    let sender = what
        .packets_sent
        .map(|sent| station(Role::Sender, "the sender".into(), Some(sent)));
    let received = what
        .packets_sent
        .zip(what.reported_lost)
        .and_then(|(sent, lost)| sent.checked_sub(lost));
    let receiver = received.map(|count| station(Role::Receiver, "the receiver".into(), Some(count)));
    let mut seen = BTreeSet::new();
    let points = what.points.iter().take(MOST_POINTS).map(|point| {
        let plain = point_label(&point.network, &point.description);
        let mut label = plain.clone();
        let mut again = 2_usize;
        while !seen.insert(label.clone()) {
            label = format!("{plain} ({again})");
            again += 1;
        }
        station(Role::Point, label, point.packets)
    });
    sender.into_iter().chain(points).chain(receiver).collect()
}

/// A point that shows 0 of packets that others counted did not count, if the transfer did arrive: something was counted
/// behind it, bytes were received, TCP ran at all; or it counts in other tests.
fn silence_mute(stations: &mut [Station], what: &CounterChain, counting: &BTreeSet<String>) {
    let counts = |station: &Station| station.packets.is_some_and(|packets| packets > 0);
    if !stations.iter().any(counts) {
        return;
    }
    let last_counting = stations.iter().rposition(counts).unwrap_or(0);
    let ran = what.received_bps.is_some_and(|rate| rate.0 > 0.0) || what.protocol == Some(Transport::Tcp);
    for (index, station) in stations.iter_mut().enumerate() {
        let arrived = ran || index < last_counting || counting.contains(&station.label);
        if station.role == Role::Point && station.packets == Some(0) && arrived {
            station.standing = Standing::Mute;
        }
    }
}

fn weigh_standing(stations: &mut [Station]) {
    let usable: Vec<(usize, u64)> = stations
        .iter()
        .enumerate()
        .filter(|(_, station)| station.standing != Standing::Mute)
        .filter_map(|(index, station)| Some((index, station.packets?)))
        .collect();
    let counts: Vec<u64> = usable.iter().map(|(_, count)| *count).collect();
    for ((index, _), standing) in usable.iter().zip(standings(&counts)) {
        if let Some(station) = stations.get_mut(*index) {
            station.standing = standing;
        }
    }
}

fn standing_of(stations: &[Station], role: Role) -> Option<Standing> {
    stations
        .iter()
        .find(|station| station.role == role)
        .map(|station| station.standing)
}

/// Which counts are in every, in some, in no longest non-increasing subsequence.
fn standings(counts: &[u64]) -> Vec<Standing> {
    let ending = longest_ending(counts.iter().copied());
    // Read from the end, the same sequence must not fall.
    let mut starting = longest_ending(counts.iter().rev().map(|count| u64::MAX - count));
    starting.reverse();
    let longest = ending.iter().copied().max().unwrap_or(0);
    let kept: Vec<Option<usize>> = ending
        .iter()
        .zip(&starting)
        .map(|(end, start)| (end + start == longest + 1).then_some(*end))
        .collect();
    let mut holders = vec![0_usize; longest + 1];
    for rank in kept.iter().flatten() {
        if let Some(holder) = holders.get_mut(*rank) {
            *holder += 1;
        }
    }
    kept.into_iter()
        .map(|rank| match rank.and_then(|rank| holders.get(rank)) {
            None => Standing::Distrusted,
            Some(1) => Standing::Trusted,
            Some(_) => Standing::Doubtful,
        })
        .collect()
}

/// For each count the length of the longest non-increasing subsequence that ends with it, by patience sorting.
fn longest_ending(counts: impl Iterator<Item = u64>) -> Vec<usize> {
    // The largest count with which a subsequence of each length can end; never rising.
    let mut tails: Vec<u64> = Vec::new();
    counts
        .map(|count| {
            let length = tails.partition_point(|tail| *tail >= count);
            match tails.get_mut(length) {
                Some(tail) => *tail = count,
                None => tails.push(count),
            }
            length + 1
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Standing::{Distrusted, Doubtful, Trusted};
    use proptest::prelude::*;

    #[test]
    fn the_smallest_set_is_distrusted() {
        assert_eq!(standings(&[]), []);
        assert_eq!(standings(&[9, 9, 8, 8]), [Trusted; 4]);
        assert_eq!(
            standings(&[10, 7, 7, 9, 9, 9, 5]),
            [
                Trusted, Distrusted, Distrusted, Trusted, Trusted, Trusted, Trusted
            ]
        );
        assert_eq!(standings(&[8, 9]), [Doubtful, Doubtful]);
        assert_eq!(standings(&[8, 9, 8, 8]), [Doubtful, Doubtful, Trusted, Trusted]);
        assert_eq!(standings(&[8, 9, 7]), [Doubtful, Doubtful, Trusted]);
    }

    proptest! {
        /// Against trying all subsets.
        #[test]
        fn kept_counts_never_rise_and_none_could_be_kept_more(counts in proptest::collection::vec(0u64..6, 0..9)) {
            let falls = |set: &[u64]| set.windows(2).all(|pair| pair[0] >= pair[1]);
            let chosen = |mask: u32| -> Vec<u64> {
                counts.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, c)| *c).collect()
            };
            let masks: Vec<u32> = (0..1_u32 << counts.len()).filter(|mask| falls(&chosen(*mask))).collect();
            let most = masks.iter().map(|mask| mask.count_ones()).max().unwrap();
            let best: Vec<u32> = masks.into_iter().filter(|mask| mask.count_ones() == most).collect();
            for (index, standing) in standings(&counts).into_iter().enumerate() {
                let held = best.iter().filter(|mask| **mask >> index & 1 == 1).count();
                let expected = match held {
                    0 => Distrusted,
                    all if all == best.len() => Trusted,
                    _ => Doubtful,
                };
                prop_assert_eq!(standing, expected);
            }
        }
    }
}

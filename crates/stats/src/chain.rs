//! Packets of one test counted at ordered points: which counters can be believed.
//!
//! A path loses packets and makes none, so counts may only fall along it. Where they rise some counter is wrong: the
//! smallest set of counters is distrusted without which they fall, that is, a longest non-increasing subsequence is
//! kept. A counter that is in some such subsequences and not in others is doubtful: nothing is concluded from it.

use evidence::{CounterChain, CounterPoint, Transport};
use std::collections::BTreeSet;

/// What a count is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It agrees with the most others.
    Trusted,
    /// It contradicts another one, and as much speaks for it as against it.
    Doubtful,
    /// It contradicts what most others counted.
    Distrusted,
    /// It shows 0 of a transfer that others counted: it did not count.
    Mute,
    /// There is no figure, or one that rests on a sender's that is not believed.
    Missing,
}

/// Who counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// The sending host: what it says it sent.
    Sender,
    /// A point on the path.
    Point,
    /// The receiving host: what it was sent less what it says it misses.
    Receiver,
}

/// A counter in the order of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Station {
    /// Who counted.
    pub role: Role,
    /// In the words of the record, unique in its chain.
    pub label: String,
    /// What it counted; `None` without a figure.
    pub packets: Option<u64>,
    /// What that is worth.
    pub standing: Standing,
}

/// A path has at most 255 hops; a longer table is none.
const MOST_POINTS: usize = 1_000;

/// The labels of the points that counted something in any of these tests.
pub fn counting<'a>(chains: impl IntoIterator<Item = &'a CounterChain>) -> BTreeSet<String> {
    let points = chains.into_iter().flat_map(|chain| &chain.points);
    points
        .filter(|point| point.packets.is_some_and(|packets| packets > 0))
        .map(label)
        .collect()
}

/// The counters of a test in the order of the path, the two hosts first and last. `counting`: the points that counted
/// something in any test of the round.
#[must_use]
pub fn stations(chain: &CounterChain, counting: &BTreeSet<String>) -> Vec<Station> {
    let mut stations = listed(chain);
    silence_mute(&mut stations, chain, counting);
    weigh_standing(&mut stations);
    // The receiver's count is the sender's less what is missing: it falls with it.
    if let [sender, .., receiver] = stations.as_mut_slice()
        && sender.standing != Standing::Trusted
    {
        receiver.standing = Standing::Missing;
        let others = stations.len() - 1;
        weigh_standing(&mut stations[..others]);
    }
    stations
}

/// "GEANT: GEANT (UK) -> GEANT (France)".
fn label(point: &CounterPoint) -> String {
    match (point.network.trim(), point.description.trim()) {
        ("", description) => description.to_owned(),
        (network, "") => network.to_owned(),
        (network, description) => format!("{network}: {description}"),
    }
}

fn listed(chain: &CounterChain) -> Vec<Station> {
    let station = |role, label: String, packets| Station {
        role,
        label,
        packets,
        standing: Standing::Missing,
    };
    let received = chain.packets_sent.zip(chain.reported_lost);
    let received = received.and_then(|(sent, lost)| sent.checked_sub(lost));
    let sender = station(Role::Sender, "the sender".into(), chain.packets_sent);
    let receiver = station(Role::Receiver, "the receiver".into(), received);
    let mut seen = BTreeSet::new();
    let points = chain.points.iter().take(MOST_POINTS).map(|point| {
        let plain = label(point);
        let mut label = plain.clone();
        let mut again = 2_usize;
        while !seen.insert(label.clone()) {
            label = format!("{plain} ({again})");
            again += 1;
        }
        station(Role::Point, label, point.packets)
    });
    std::iter::once(sender).chain(points).chain([receiver]).collect()
}

/// A point that shows 0 of packets that others counted did not count, if the transfer did arrive: something was counted
/// behind it, bytes were received, TCP ran at all; or it counts in other tests.
fn silence_mute(stations: &mut [Station], chain: &CounterChain, counting: &BTreeSet<String>) {
    let counts = |station: &Station| station.packets.is_some_and(|packets| packets > 0);
    if !stations.iter().any(counts) {
        return;
    }
    let last_counting = stations.iter().rposition(counts).unwrap_or(0);
    let ran = chain.received_bps.is_some_and(|rate| rate.0 > 0.0) || chain.protocol == Some(Transport::Tcp);
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

//! Counts of one test at ordered points held against each other: what went missing before each.

use crate::table::{Cell, Tone};
use crate::words;
use stats::{Standing, Station};

/// The count at a point and what it says about the stretch before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) packets: Option<u64>,
    pub(crate) since: Since,
}

/// A count against the nearest earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// There is none earlier.
    First,
    /// As many.
    Same,
    /// So many fewer, of so many.
    Fewer { lost: u64, of: u64 },
    /// So many fewer, by a counter that others contradict: the packets were not lost here.
    Doubtful { lost: u64 },
    /// So many more than earlier: one of the two counters is wrong. `missing`: how many fewer than at the nearest
    /// earlier point that is believed.
    More { more: u64, missing: Option<u64> },
    /// Nothing was recorded here.
    Missing,
    /// Counts nothing while others count: not set up for this traffic.
    Zero,
}

pub(super) fn steps(stations: &[Station]) -> Vec<Step> {
    let (mut before, mut sound): (Option<u64>, Option<u64>) = (None, None);
    let step = |station: &Station| {
        let believed = station.standing == Standing::Trusted;
        let since = match (station.packets, before) {
            (None, _) => Since::Missing,
            _ if station.standing == Standing::Mute => Since::Zero,
            (Some(_), None) => Since::First,
            (Some(n), Some(b)) if n == b => Since::Same,
            (Some(n), Some(b)) if n < b && !believed => Since::Doubtful { lost: b - n },
            (Some(n), Some(b)) if n < b => Since::Fewer { lost: b - n, of: b },
            (Some(n), Some(b)) => Since::More {
                more: n - b,
                missing: sound.and_then(|sound| sound.checked_sub(n)),
            },
        };
        if !matches!(since, Since::Missing | Since::Zero) {
            before = station.packets;
            if believed {
                sound = station.packets;
            }
        }
        Step {
            packets: station.packets,
            since,
        }
    };
    stations.iter().map(step).collect()
}

/// A count and what is missing since the one before.
pub(super) fn cell(step: &Step) -> Cell {
    let packets = step.packets.map(words::count).unwrap_or_default();
    match step.since {
        Since::First | Since::Same => Cell::new(packets),
        Since::Fewer { lost, of } => Cell::toned(format!("{packets} ({})", fewer(lost, of)), Tone::Bad)
            .short(format!("{packets} (-{})", words::count(lost))),
        Since::Doubtful { lost } => {
            let lost = words::count(lost);
            Cell::toned(format!("{packets} (-{lost}, contradicted behind)"), Tone::Warn)
                .short(format!("{packets} (-{lost}?)"))
        }
        Since::More { more, missing } => {
            let more = words::count(more);
            let told = match missing {
                Some(n) => format!("+{more} more than before, -{} in all", words::count(n)),
                None => format!("+{more} more than before"),
            };
            Cell::toned(format!("{packets} ({told})"), Tone::Warn).short(format!("{packets} (+{more}!)"))
        }
        Since::Missing => Cell::toned("not counted", Tone::Soft).short("—"),
        Since::Zero => Cell::toned("0 (counts nothing)", Tone::Warn).short("0 (?)"),
    }
}

/// `-2, 0.0011 %`.
pub(crate) fn fewer(lost: u64, of: u64) -> String {
    format!(
        "-{}, {}",
        words::count(lost),
        words::share(lost as f64 / of.max(1) as f64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::{CounterChain, CounterPoint};

    /// The steps of a test with these counts at its points.
    fn steps(counts: &[Option<u64>]) -> Vec<Step> {
        let point = |(index, packets): (usize, &Option<u64>)| CounterPoint {
            network: String::new(),
            description: format!("point {index}"),
            packets: *packets,
        };
        let chain = CounterChain {
            points: counts.iter().enumerate().map(point).collect(),
            ..CounterChain::default()
        };
        let stations = stats::stations(&chain, &stats::counting([&chain]));
        super::steps(&stations[1..=counts.len()])
    }

    #[test]
    fn a_count_is_held_against_the_nearest_earlier_one_that_counts() {
        let counts = [Some(10), None, Some(0), Some(10), Some(8), Some(9), Some(9)];
        let since: Vec<Since> = steps(&counts).into_iter().map(|s| s.since).collect();
        let wanted = [
            Since::First,
            Since::Missing,
            Since::Zero,
            Since::Same,
            Since::Doubtful { lost: 2 },
            Since::More {
                more: 1,
                missing: Some(1),
            },
            Since::Same,
        ];
        assert_eq!(since, wanted);
        assert_eq!(steps(&[Some(0)])[0].since, Since::First);
        let last = steps(&[Some(10), Some(8)])[1].since;
        assert_eq!(last, Since::Fewer { lost: 2, of: 10 });
        let without_a_sound_one = steps(&[Some(8), Some(9)])[1].since;
        assert_eq!(
            without_a_sound_one,
            Since::More {
                more: 1,
                missing: None
            }
        );
    }
}

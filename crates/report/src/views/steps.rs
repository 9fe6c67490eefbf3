//! Counts of one test at ordered points held against each other: what went missing before each.

use crate::table::{Cell, Tone};
use crate::words;

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
    /// So many fewer, but a later point counts more than this one: the packets were not lost here.
    Doubtful { lost: u64 },
    /// So many more than earlier: one of the two counters is wrong. `missing`: how many fewer than at the nearest
    /// earlier point that no later one contradicts.
    More { more: u64, missing: Option<u64> },
    /// Nothing was recorded here.
    Missing,
    /// Counts nothing while others count: not set up for this traffic.
    Zero,
}

pub(super) fn steps(counts: &[Option<u64>]) -> Vec<Step> {
    let counting = counts.iter().flatten().filter(|n| **n > 0).count();
    let contradicted = contradicted(counts);
    let (mut before, mut sound): (Option<u64>, Option<u64>) = (None, None);
    let step = |(packets, contradicted): (&Option<u64>, bool)| {
        let since = match (*packets, before) {
            (None, _) => Since::Missing,
            (Some(0), _) if counting > 0 => Since::Zero,
            (Some(_), None) => Since::First,
            (Some(n), Some(b)) if n == b => Since::Same,
            (Some(n), Some(b)) if n < b && contradicted => Since::Doubtful { lost: b - n },
            (Some(n), Some(b)) if n < b => Since::Fewer { lost: b - n, of: b },
            (Some(n), Some(b)) => Since::More {
                more: n - b,
                missing: sound.and_then(|sound| sound.checked_sub(n)),
            },
        };
        if !matches!(since, Since::Missing | Since::Zero) {
            before = *packets;
            if !contradicted {
                sound = *packets;
            }
        }
        Step {
            packets: *packets,
            since,
        }
    };
    counts.iter().zip(contradicted).map(step).collect()
}

/// For each point whether one behind it counts more.
fn contradicted(counts: &[Option<u64>]) -> Vec<bool> {
    let mut highest = 0;
    let mut from_behind: Vec<bool> = Vec::with_capacity(counts.len());
    for count in counts.iter().rev() {
        from_behind.push(count.is_some_and(|n| highest > n));
        highest = highest.max(count.unwrap_or(0));
    }
    from_behind.reverse();
    from_behind
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

//! The rhythm in which a program writes: blocks and pauses, at more than one scale.
//!
//! Only pauses that nothing on the network explains come here. They are clustered on a scale of logarithms: two pauses of
//! one cause differ by their jitter, two causes by a factor. A level is a cluster of pauses; its blocks are what was written
//! between pauses at least that long. So 32 KB with 0.4 ms within 256 KB with 2.3 ms is two levels.

use super::WriteLevel;
use super::told::Pause;

/// Pauses that are looked at together.
const MOST: usize = 512;
/// Sorted pauses further apart than this factor belong to two clusters.
const APART: f64 = 1.5;
/// A level repeats: fewer pauses are none.
const LEAST: usize = 5;
/// Half of the blocks of a level, and of its pauses, lie within a fifth of the median; else there is no rhythm.
const NEAR: f64 = 0.2;
/// As many levels as anybody could name.
const LEVELS: usize = 4;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Rhythm {
    pauses: Vec<(u32, u64)>,
    best: Vec<WriteLevel>,
    best_count: u64,
    seen: u64,
}

impl Rhythm {
    /// Its bytes, with those that hang on it.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.pauses.capacity() * size_of::<(u32, u64)>()
            + self.best.capacity() * size_of::<WriteLevel>()
    }

    /// A pause after so many bytes. Pauses over four seconds count as four.
    pub(super) fn paused(&mut self, pause: Pause) {
        self.seen += 1;
        let length = u32::try_from(pause.pause_ns.max(1)).unwrap_or(u32::MAX);
        self.pauses.push((length, pause.block_bytes));
        if self.pauses.len() >= MOST {
            self.look();
            self.pauses.clear();
        }
    }

    fn look(&mut self) {
        if self.pauses.len() < LEAST {
            return;
        }
        let levels = levels(&self.pauses);
        let count = levels.iter().map(|level| level.count).sum();
        if count > self.best_count {
            self.best_count = count;
            self.best = levels;
        }
    }

    /// The levels, finest first; and how many pauses there were in all.
    pub(super) fn finish(mut self) -> (Vec<WriteLevel>, u64) {
        // What is left may be too little to be better than what was found.
        self.look();
        (self.best, self.seen)
    }
}

/// Clusters of pauses, and the blocks between.
fn levels(pauses: &[(u32, u64)]) -> Vec<WriteLevel> {
    let mut sorted: Vec<u32> = pauses.iter().map(|pause| pause.0).collect();
    sorted.sort_unstable();
    let mut found = Vec::new();
    for cluster in clusters(&sorted) {
        let (Some(&low), Some(&high)) = (cluster.first(), cluster.last()) else {
            continue;
        };
        if cluster.len() < LEAST.max(pauses.len() / 100) {
            continue;
        }
        found.extend(level(pauses, cluster, low, high));
        if found.len() >= LEVELS {
            break;
        }
    }
    found
}

/// Cuts sorted pauses where neighbours are far apart. A few stray ones between two clusters do not join them: the gap is
/// looked for between the bulk of the two, so a cluster is cut as well where fewer than one in fifty lie in a factor of [`APART`].
fn clusters(sorted: &[u32]) -> Vec<&[u32]> {
    let mut out = Vec::new();
    let mut from = 0;
    let few = (sorted.len() / 50).max(1);
    let mut index = 1;
    while index < sorted.len() {
        let (Some(&here), Some(&before)) = (sorted.get(index), sorted.get(index - 1)) else {
            break;
        };
        let bound = f64::from(before) * APART;
        let within = sorted
            .get(index..)
            .map_or(0, |rest| rest.partition_point(|&next| f64::from(next) <= bound));
        let is_apart = f64::from(here) > bound;
        let is_sparse = within < few && index + within < sorted.len() && index - from >= LEAST;
        if is_apart || is_sparse {
            out.extend(sorted.get(from..index));
            from = index + if is_sparse { within } else { 0 };
            index = from;
        }
        index += 1;
    }
    out.extend(sorted.get(from..));
    out
}

fn level(pauses: &[(u32, u64)], cluster: &[u32], low: u32, high: u32) -> Option<WriteLevel> {
    let mut blocks = Vec::new();
    let mut sum = 0_u64;
    // What was written before the first pause may have begun before the capture.
    let mut is_whole = false;
    for &(pause, bytes) in pauses {
        sum = sum.saturating_add(bytes);
        if pause >= low {
            if is_whole && pause <= high {
                blocks.push(sum);
            }
            is_whole = true;
            sum = 0;
        }
    }
    blocks.sort_unstable();
    let block = *blocks.get(blocks.len() / 2)?;
    let pause = u64::from(*cluster.get(cluster.len() / 2)?);
    let near = |value: u64, median: u64| (value as f64 - median as f64).abs() <= NEAR * median as f64;
    let even = blocks.iter().filter(|&&value| near(value, block)).count();
    let even_pauses = cluster
        .iter()
        .filter(|&&value| near(u64::from(value), pause))
        .count();
    if blocks.len() + 1 < LEAST || 2 * even < blocks.len() || 2 * even_pauses < cluster.len() {
        return None;
    }
    Some(WriteLevel {
        block_bytes: block,
        block_spread: spread(&blocks, block),
        pause_ns: i64::try_from(pause).unwrap_or(i64::MAX),
        pause_spread: spread(
            &cluster.iter().map(|&value| u64::from(value)).collect::<Vec<_>>(),
            pause,
        ),
        count: blocks.len() as u64,
    })
}

/// Half the distance of the quartiles, relative to the median.
fn spread(sorted: &[u64], median: u64) -> f64 {
    let at = |part: usize| sorted.get(sorted.len() * part / 4).copied().unwrap_or(median) as f64;
    if median == 0 {
        0.0
    } else {
        (at(3) - at(1)) / 2.0 / median as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    fn found(pauses: impl IntoIterator<Item = (i64, u64)>) -> Vec<WriteLevel> {
        let mut rhythm = Rhythm::default();
        for (pause_ns, block_bytes) in pauses {
            rhythm.paused(Pause {
                pause_ns,
                block_bytes,
            });
        }
        rhythm.finish().0
    }

    #[test]
    fn blocks_within_sequences_are_two_levels() {
        let mut rng = SmallRng::seed_from_u64(5);
        let levels = found((1..800).map(|n| {
            let pause = if n % 8 == 0 { 2_300_000.0 } else { 400_000.0 };
            ((pause * rng.random_range(0.8..1.2)) as i64, 32_768)
        }));
        assert_eq!(levels.len(), 2, "{levels:?}");
        assert_eq!((levels[0].block_bytes, levels[1].block_bytes), (32_768, 262_144));
        assert!((levels[0].pause_ns - 400_000).abs() < 40_000, "{levels:?}");
        assert!((levels[1].pause_ns - 2_300_000).abs() < 230_000, "{levels:?}");
    }

    #[test]
    fn a_few_strays_do_not_join_two_levels() {
        let mut rng = SmallRng::seed_from_u64(6);
        let levels = found((1..500).map(|n| {
            let pause = if n % 97 == 0 {
                900_000.0
            } else if n % 8 == 0 {
                2_300_000.0
            } else {
                400_000.0
            };
            ((pause * rng.random_range(0.9..1.1)) as i64, 32_768)
        }));
        assert_eq!(levels.len(), 2, "{levels:?}");
        assert_eq!(levels[1].block_bytes, 262_144);
    }

    #[test]
    fn pauses_of_any_length_are_no_rhythm() {
        let mut rng = SmallRng::seed_from_u64(7);
        let levels = found((0..500).map(|_| {
            let pause = 100_000.0 * libm::pow(1000.0, rng.random());
            (pause as i64, rng.random_range(1_000..1_000_000))
        }));
        assert_eq!(levels, []);
    }

    #[test]
    fn four_pauses_are_no_rhythm() {
        assert_eq!(found((0..4).map(|_| (1_000_000, 65_536))), []);
    }
}

//! How good the detection of steps is: seeded synthetic series with known steps, counted.
//!
//! The worlds are those in which alarms of measurement meshes fail: four transfers a day over sixty days, noise, a daily
//! swing, and outliers.

use crate::steps;
use evidence::{SeriesMetric, Timestamp};
use libm::{cos, exp, log, sin};
use std::fmt;

/// Days that a series lasts.
const DAYS: u32 = 60;
/// Transfers a day.
const A_DAY: u32 = 4;
/// A step found at most this many points from where it is was found.
const WITHIN: usize = 6;
/// The detection is tried with at most this many points behind the step.
const LONGEST_DELAY: usize = 30;
/// Noise as the standard deviation of the rate's logarithm.
const NOISE: [f64; 4] = [0.05, 0.10, 0.20, 0.30];
/// Steps as the share of the rate that is lost.
const DROPS: [f64; 5] = [0.10, 0.20, 0.35, 0.50, 0.70];

/// What the detection of steps achieves. Deterministic for a seed.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerTable {
    /// The seed of the series.
    pub seed: u64,
    /// Series for each noise and drop, and as many without a step for each noise.
    pub series_per_cell: u32,
    /// One for each noise.
    pub rows: Vec<PowerRow>,
}

/// Series of one noise.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerRow {
    /// Standard deviation of the rate's logarithm: 0.2 is "20 %".
    pub noise_ratio: f64,
    /// Steps found where there are none, per 1,000 days of series.
    pub false_alarms_per_1000_days: f64,
    /// One for each drop.
    pub cells: Vec<PowerCell>,
}

/// Series of one noise and one drop.
#[derive(Debug, Clone, PartialEq)]
pub struct PowerCell {
    /// The share of the rate that is lost at the step, 0 to 1.
    pub drop_ratio: f64,
    /// Share of the steps that are found, within 6 points of where they are, once 6 points are behind them.
    pub recall_after_6_points: f64,
    /// The same once the series is complete.
    pub recall: f64,
    /// Median number of points behind the step until it is found; `None` when most are not.
    pub median_delay_points: Option<u32>,
}

/// Counts how many steps are found and how many are imagined.
#[must_use]
pub fn power_table(seed: u64, series_per_cell: u32) -> PowerTable {
    let mut random = Random(seed);
    let rows = NOISE.into_iter().map(|noise| PowerRow {
        noise_ratio: noise,
        false_alarms_per_1000_days: false_alarms(noise, series_per_cell, &mut random),
        cells: DROPS
            .into_iter()
            .map(|drop| cell(noise, drop, series_per_cell, &mut random))
            .collect(),
    });
    PowerTable {
        seed,
        series_per_cell,
        rows: rows.collect(),
    }
}

fn false_alarms(noise: f64, series: u32, random: &mut Random) -> f64 {
    let mut alarms = 0;
    for _ in 0..series {
        alarms += starts(&synthetic(noise, None, random)).len();
    }
    alarms as f64 * 1_000.0 / (f64::from(series.max(1)) * f64::from(DAYS))
}

fn cell(noise: f64, drop: f64, series: u32, random: &mut Random) -> PowerCell {
    let (mut early, mut late) = (0_u32, 0_u32);
    let mut delays: Vec<Option<u32>> = Vec::new();
    for _ in 0..series {
        let points = (DAYS * A_DAY) as usize;
        let place = points / 6 + (random.uniform() * (points * 2 / 3) as f64) as usize;
        let values = synthetic(noise, Some((place, drop)), random);
        let found = |behind: usize| {
            let seen = values.get(..place + behind).unwrap_or(&values);
            starts(seen).iter().any(|start| start.abs_diff(place) <= WITHIN)
        };
        early += u32::from(found(WITHIN));
        late += u32::from(found(points));
        delays.push(
            (1..=LONGEST_DELAY)
                .find(|behind| found(*behind))
                .map(|behind| behind as u32),
        );
    }
    // Never found counts as latest.
    delays.sort_by_key(|delay| delay.unwrap_or(u32::MAX));
    let share = |count: u32| f64::from(count) / f64::from(series.max(1));
    PowerCell {
        drop_ratio: drop,
        recall_after_6_points: share(early),
        recall: share(late),
        median_delay_points: delays.get(delays.len() / 2).copied().flatten(),
    }
}

/// The indices at which the detection says that a new level begins.
fn starts(series: &[(Timestamp, f64)]) -> Vec<usize> {
    let Some(found) = steps::find(SeriesMetric::Throughput, series) else {
        return Vec::new();
    };
    let index = |at: Timestamp| series.partition_point(|(other, _)| *other < at);
    found.steps.iter().map(|step| index(step.between.to)).collect()
}

/// A rate that swings by a tenth with the time of day, with noise and outliers, and that loses a share of itself from
/// the point `step.0` on.
fn synthetic(noise: f64, step: Option<(usize, f64)>, random: &mut Random) -> Vec<(Timestamp, f64)> {
    const RATE: f64 = 400e6;
    const SWING: f64 = 0.1;
    /// Transfers that something else disturbs: one in fifty, down to a twentieth of the rate.
    const OUTLIERS: f64 = 0.02;
    let a_day = f64::from(A_DAY);
    let point = |index: u32, random: &mut Random| {
        // Tests start up to half an hour late.
        let days = (f64::from(index) + random.uniform() * a_day / 48.0) / a_day;
        let swing = SWING * sin(days * std::f64::consts::TAU);
        let outlier = if random.uniform() < OUTLIERS {
            0.05 + 0.45 * random.uniform()
        } else {
            1.0
        };
        let level = step
            .filter(|(place, _)| index as usize >= *place)
            .map_or(1.0, |(_, drop)| 1.0 - drop);
        let rate = RATE * level * outlier * exp(swing + noise * random.normal());
        (Timestamp((days * 86_400e9) as i64), rate)
    };
    (0..DAYS * A_DAY).map(|index| point(index, random)).collect()
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Standard normal (Box and Muller 1958).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * log(1.0 - self.uniform())).sqrt();
        radius * cos(std::f64::consts::TAU * self.uniform())
    }
}

impl fmt::Display for PowerTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Steps found in synthetic throughput: {A_DAY} tests a day over {DAYS} days, daily swing of 10 %, 2 % outliers;\n\
             {} series a cell, seed {}. A cell: found with {WITHIN} points behind the step / in the whole series / median\n\
             points until found. \"False\": steps found per 1,000 days of series without one.\n",
            self.series_per_cell, self.seed
        )?;
        write!(f, "{:>5}", "noise")?;
        for drop in DROPS {
            write!(f, " | {:^17}", format!("drop {:.0} %", drop * 100.0))?;
        }
        writeln!(f, " | {:>5}", "false")?;
        for row in &self.rows {
            write!(f, "{:>3.0} %", row.noise_ratio * 100.0)?;
            for cell in &row.cells {
                let delay = cell
                    .median_delay_points
                    .map_or_else(|| "-".to_owned(), |d| d.to_string());
                let (early, late) = (100.0 * cell.recall_after_6_points, 100.0 * cell.recall);
                write!(f, " | {early:>5.1} {late:>5.1} {delay:>5}")?;
            }
            writeln!(f, " | {:>5.2}", row.false_alarms_per_1000_days)?;
        }
        Ok(())
    }
}

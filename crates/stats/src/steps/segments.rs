//! The best division of noisy values into stretches of constant level.
//!
//! Exact: it finds the division with the least sum of squared distances to the stretches' means plus a penalty for each
//! change, as PELT does (Killick, Fearnhead and Eckley 2012). It is computed by functional pruning (FPOP: Maidstone,
//! Hocking, Rigaill and Fearnhead 2017), because PELT needs time in n² exactly where nothing changes, and most series
//! are such.

/// The cost of the best division as a function of the level of its last stretch: a² + b·level + c on an interval of
/// levels, with the start of that stretch.
#[derive(Debug, Clone, Copy)]
struct Piece {
    low: f64,
    high: f64,
    a: f64,
    b: f64,
    c: f64,
    start: usize,
}

impl Piece {
    fn at(&self, level: f64) -> f64 {
        (self.a * level + self.b) * level + self.c
    }

    /// The least cost on the interval.
    fn least(&self) -> f64 {
        let turning = if self.a > 0.0 {
            -self.b / (2.0 * self.a)
        } else {
            self.low
        };
        self.at(turning.clamp(self.low, self.high))
    }

    /// The part of the interval where the cost is below `bound`.
    fn below(&self, bound: f64) -> Option<(f64, f64)> {
        if self.a <= 0.0 {
            return (self.c <= bound).then_some((self.low, self.high));
        }
        let discriminant = self.b * self.b - 4.0 * self.a * (self.c - bound);
        if discriminant <= 0.0 {
            return None;
        }
        let root = discriminant.sqrt();
        let low = ((-self.b - root) / (2.0 * self.a)).max(self.low);
        let high = ((-self.b + root) / (2.0 * self.a)).min(self.high);
        (low < high).then_some((low, high))
    }
}

/// Starts of the stretches into which `values` divide best when each change costs `penalty`; the first is 0. Values
/// must be finite.
pub(super) fn starts(values: &[f64], penalty: f64) -> Vec<usize> {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if values.is_empty() || low >= high {
        return if values.is_empty() { Vec::new() } else { vec![0] };
    }
    // Around zero the squares stay small and exact.
    let middle = 0.5 * (low + high);
    let (low, high) = (low - middle, high - middle);
    let mut pieces = vec![Piece {
        low,
        high,
        a: 0.0,
        b: 0.0,
        c: 0.0,
        start: 0,
    }];
    let mut next = Vec::new();
    let mut last_start = Vec::with_capacity(values.len());
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            let best = pieces.iter().map(Piece::least).fold(f64::INFINITY, f64::min);
            prune(&pieces, best + penalty, index, (low, high), &mut next);
            std::mem::swap(&mut pieces, &mut next);
        }
        let y = value - middle;
        for piece in &mut pieces {
            piece.a += 1.0;
            piece.b -= 2.0 * y;
            piece.c += y * y;
        }
        let best = pieces.iter().min_by(|p, q| p.least().total_cmp(&q.least()));
        last_start.push(best.map_or(0, |piece| piece.start));
    }
    trace_back(&last_start)
}

/// Wherever a change just before `index` is cheaper than going on, the piece gives way to it.
fn prune(pieces: &[Piece], bound: f64, index: usize, (low, high): (f64, f64), kept: &mut Vec<Piece>) {
    kept.clear();
    let mut covered = low;
    for piece in pieces {
        if let Some((from, to)) = piece.below(bound) {
            change_over(kept, (covered, from), bound, index);
            kept.push(Piece {
                low: from,
                high: to,
                ..*piece
            });
            covered = to;
        }
    }
    change_over(kept, (covered, high), bound, index);
}

fn change_over(kept: &mut Vec<Piece>, (low, high): (f64, f64), cost: f64, start: usize) {
    if low < high {
        kept.push(Piece {
            low,
            high,
            a: 0.0,
            b: 0.0,
            c: cost,
            start,
        });
    }
}

fn trace_back(last_start: &[usize]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut end = last_start.len();
    while let Some(start) = end.checked_sub(1).and_then(|last| last_start.get(last)) {
        starts.push(*start);
        end = *start;
    }
    starts.reverse();
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cost(values: &[f64], starts: &[usize], penalty: f64) -> f64 {
        let ends = starts.iter().skip(1).copied().chain([values.len()]);
        let stretches = starts.iter().zip(ends).map(|(start, end)| {
            let part = &values[*start..end];
            let mean = part.iter().sum::<f64>() / part.len() as f64;
            part.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>()
        });
        stretches.sum::<f64>() + penalty * (starts.len() - 1) as f64
    }

    /// The least cost over all divisions, by the quadratic recursion that needs no cleverness.
    fn least_cost(values: &[f64], penalty: f64) -> f64 {
        let mut best = vec![-penalty];
        for end in 1..=values.len() {
            let over_starts =
                (0..end).map(|start| best[start] + cost(&values[start..end], &[0], penalty) + penalty);
            best.push(over_starts.fold(f64::INFINITY, f64::min));
        }
        best[values.len()]
    }

    proptest! {
        #[test]
        fn the_division_is_the_best_of_all(
            values in proptest::collection::vec(-3.0_f64..3.0, 1..40),
            penalty in 0.01_f64..8.0,
        ) {
            let found = starts(&values, penalty);
            prop_assert_eq!(found[0], 0);
            prop_assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
            let (found, least) = (cost(&values, &found, penalty), least_cost(&values, penalty));
            prop_assert!(found <= least + 1e-9, "{} {}", found, least);
        }
    }

    #[test]
    fn a_step_is_found_where_it_is() {
        let values: Vec<f64> = (0..200)
            .map(|i| f64::from(u8::from(i >= 120)) + 0.01 * f64::from(i % 7))
            .collect();
        assert_eq!(starts(&values, 1.0), [0, 120]);
        assert_eq!(starts(&[5.0; 50], 1.0), [0]);
        assert_eq!(starts(&[], 1.0), [0_usize; 0]);
    }
}

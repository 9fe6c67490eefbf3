//! Levels of detail: boxes that hold the bounds of ever more packets.
//!
//! A box claims no more than "all of these packets lie within". A view descends from the top until a box is no wider than a
//! pixel: what is drawn then cannot be told from the packets themselves, however they were sent. Boxes hold numbers of
//! packets, not lengths of time, so that a burst of a million packets in a long silence is resolved as far as any other.

/// The bounds of some packets that follow one another.
pub(super) trait Bounds: Copy {
    /// Takes in the bounds of the packets that follow.
    fn join(&mut self, next: &Self);
    /// Earliest and latest of them, nanoseconds since the origin: a clock may have gone backwards among them.
    fn span_ns(&self) -> (i64, i64);
    /// How many they are.
    fn rows(&self) -> u64;
}

/// Boxes in levels: each of a level holds two of the level below.
#[derive(Debug, Clone)]
pub(super) struct Pyramid<B> {
    levels: Vec<Vec<B>>,
}

/// A box that a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// 0 is the finest.
    pub(super) level: usize,
    pub(super) index: usize,
    /// It is wider than asked for: of the finest level, and only its packets can tell more.
    pub(super) is_wide: bool,
}

impl<B: Bounds> Pyramid<B> {
    pub(super) fn new(leaves: Vec<B>) -> Self {
        let mut levels = vec![leaves];
        while let Some(below) = levels.last().filter(|below| below.len() > 1) {
            let above = below.chunks(2).filter_map(joined).collect();
            levels.push(above);
        }
        Self { levels }
    }

    pub(super) fn leaves(&self) -> &[B] {
        self.levels.first().map_or(&[], Vec::as_slice)
    }

    pub(super) fn get(&self, place: Place) -> Option<&B> {
        self.levels.get(place.level)?.get(place.index)
    }

    /// The boxes for a view from `from_ns` to `to_ns` of so many columns, in the order of the capture: all that reach into
    /// it, each once. Never more than `most`: the columns widen until they fit.
    pub(super) fn view(&self, from_ns: i64, to_ns: i64, columns: u32, most: usize) -> Vec<Place> {
        let span = to_ns.saturating_sub(from_ns).max(1);
        let mut width = span / i64::from(columns.max(1));
        loop {
            let places = self.descend(from_ns, to_ns, width);
            if places.len() <= most.max(1) || width >= span {
                return places;
            }
            width = width.saturating_mul(2).max(1);
        }
    }

    fn descend(&self, from_ns: i64, to_ns: i64, width_ns: i64) -> Vec<Place> {
        let mut found = Vec::new();
        let mut stack = vec![(self.levels.len().saturating_sub(1), 0)];
        while let Some((level, index)) = stack.pop() {
            let Some(here) = self.levels.get(level).and_then(|boxes| boxes.get(index)) else {
                continue;
            };
            let (first, last) = here.span_ns();
            if last < from_ns || first > to_ns {
                continue;
            }
            let is_wide = last.saturating_sub(first) > width_ns;
            if level == 0 || !is_wide {
                found.push(Place {
                    level,
                    index,
                    is_wide,
                });
            } else {
                stack.push((level - 1, 2 * index + 1));
                stack.push((level - 1, 2 * index));
            }
        }
        found
    }
}

fn joined<B: Bounds>(boxes: &[B]) -> Option<B> {
    let (first, rest) = boxes.split_first()?;
    let mut all = *first;
    for next in rest {
        all.join(next);
    }
    Some(all)
}

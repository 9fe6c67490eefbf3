//! One series of the picture while it grows: its boxes, and its packets in tiles.

use super::column::{Columns, Reader};
use super::pyramid::{Bounds, Place, Pyramid};
use super::row::Row;

/// Packets in a tile: half a megabyte when the page has read it, and few enough that a view of some thousand packets needs
/// two or three.
pub(super) const TILE_ROWS: usize = 16_384;
/// Packets in a box of the finest level, at first: a box then costs a byte or so for each, less than the packet itself.
const FIRST_LEAF_ROWS: u64 = 64;
/// A box ends before a silence of more than this part of the time so far, so that a view of everything, a few thousand
/// columns wide, shows the silence without looking at packets. There can be no more than this many such silences in any
/// recording, for together they last longer than it.
const SILENCES: i64 = 8192;

/// A series that grows.
pub(super) struct Growing<R: Row> {
    leaves: Vec<R::Bounds>,
    open: Option<R::Bounds>,
    leaf_rows: u64,
    most_leaves: usize,
    tile: Vec<R>,
    tiles: Vec<Vec<u8>>,
    tile_bytes: usize,
    most_tile_bytes: usize,
    rows: u64,
    kept_rows: u64,
    span_ns: Option<(i64, i64)>,
    last_ns: i64,
}

impl<R: Row> Growing<R> {
    pub(super) fn new(most_leaves: usize, most_tile_bytes: usize) -> Self {
        Self {
            leaves: Vec::new(),
            open: None,
            leaf_rows: FIRST_LEAF_ROWS,
            most_leaves: most_leaves.max(2),
            tile: Vec::new(),
            tiles: Vec::new(),
            tile_bytes: 0,
            most_tile_bytes,
            rows: 0,
            kept_rows: 0,
            span_ns: None,
            last_ns: 0,
        }
    }

    pub(super) fn push(&mut self, row: R) {
        self.rows = self.rows.saturating_add(1);
        self.grow(row);
        self.last_ns = row.time_ns();
        // Without the tiles before it a later one would have no place: what is kept has no holes.
        if self.tile_bytes < self.most_tile_bytes {
            self.tile.push(row);
            self.kept_rows += 1;
            if self.tile.len() >= TILE_ROWS {
                self.close_tile();
            }
        }
    }

    fn grow(&mut self, row: R) {
        let time = row.time_ns();
        let (first, last) = self.span_ns.unwrap_or((time, time));
        self.span_ns = Some((first.min(time), last.max(time)));
        let silence = last.saturating_sub(first) / SILENCES;
        let is_after_silence = time.saturating_sub(self.last_ns) > silence && self.rows > 2;
        match &mut self.open {
            Some(open) if open.rows() < self.leaf_rows && !is_after_silence => open.join(&row.bounds()),
            open => {
                if let Some(full) = open.replace(row.bounds()) {
                    self.leaves.push(full);
                    if self.leaves.len() >= self.most_leaves {
                        self.compact();
                    }
                }
            }
        }
    }

    /// Halves the number of boxes, by joining neighbours: first those with no silence in between; where that is not enough
    /// (a clock that jumps can make any number of silences), all.
    fn compact(&mut self) {
        let (first, last) = self.span_ns.unwrap_or_default();
        let silence = last.saturating_sub(first) / SILENCES;
        self.leaf_rows = self.leaf_rows.saturating_mul(2);
        self.join_neighbours(silence);
        if self.leaves.len() > self.most_leaves / 4 * 3 {
            self.join_neighbours(i64::MAX);
        }
    }

    fn join_neighbours(&mut self, silence_ns: i64) {
        let mut joined: Vec<R::Bounds> = Vec::with_capacity(self.leaves.len());
        let mut is_single = false;
        for next in self.leaves.drain(..) {
            match joined.last_mut() {
                Some(open)
                    if is_single && next.span_ns().0.saturating_sub(open.span_ns().1) <= silence_ns =>
                {
                    open.join(&next);
                    is_single = false;
                }
                _ => {
                    joined.push(next);
                    is_single = true;
                }
            }
        }
        self.leaves = joined;
    }

    fn close_tile(&mut self) {
        let mut columns = Columns::new(R::COLUMNS);
        let mut before = R::default();
        for row in self.tile.drain(..) {
            row.put(&before, &mut columns);
            before = row;
        }
        let tile = columns.deflated();
        self.tile_bytes += tile.len();
        self.tiles.push(tile);
    }

    pub(super) fn finish(mut self) -> Series<R> {
        if !self.tile.is_empty() {
            self.close_tile();
        }
        self.leaves.extend(self.open.take());
        let mut first_rows = Vec::with_capacity(self.leaves.len());
        let mut row = 0u64;
        for leaf in &self.leaves {
            first_rows.push(row);
            row = row.saturating_add(leaf.rows());
        }
        Series {
            pyramid: Pyramid::new(self.leaves),
            first_rows,
            tiles: self.tiles,
            rows: self.rows,
            kept_rows: self.kept_rows,
            span_ns: self.span_ns,
        }
    }
}

/// A series that is complete.
#[derive(Debug, Clone)]
pub(super) struct Series<R: Row> {
    pub(super) pyramid: Pyramid<R::Bounds>,
    /// The number of the first packet of each box of the finest level.
    first_rows: Vec<u64>,
    /// Packets, [`TILE_ROWS`] in each but the last.
    pub(super) tiles: Vec<Vec<u8>>,
    pub(super) rows: u64,
    /// How many of them, from the first, are in tiles.
    pub(super) kept_rows: u64,
    pub(super) span_ns: Option<(i64, i64)>,
}

impl<R: Row> Series<R> {
    /// The packets of one tile.
    pub(super) fn tile(&self, index: usize) -> Vec<R> {
        let reader = self
            .tiles
            .get(index)
            .and_then(|tile| Reader::new(tile, R::COLUMNS));
        let Some(mut reader) = reader else {
            return Vec::new();
        };
        let mut rows = Vec::with_capacity(TILE_ROWS);
        let mut before = R::default();
        while let Some(row) = R::take(&before, &mut reader) {
            rows.push(row);
            before = row;
        }
        rows
    }

    /// All packets that were kept, in the order of the capture.
    pub(super) fn packets(&self) -> impl Iterator<Item = R> + '_ {
        (0..self.tiles.len()).flat_map(|index| self.tile(index))
    }

    /// The packets of a box of the finest level; `None` where they were not kept.
    pub(super) fn packets_of(&self, leaf: Place, tiles: &mut TileCache<R>) -> Option<Vec<R>> {
        let first = *self.first_rows.get(leaf.index)?;
        let end = first.checked_add(self.pyramid.get(leaf)?.rows())?;
        if leaf.level != 0 || end > self.kept_rows {
            return None;
        }
        let mut rows = Vec::new();
        for number in first..end {
            let (tile, place) = (number as usize / TILE_ROWS, number as usize % TILE_ROWS);
            if tiles.index != Some(tile) {
                *tiles = TileCache {
                    index: Some(tile),
                    rows: self.tile(tile),
                };
            }
            rows.push(*tiles.rows.get(place)?);
        }
        Some(rows)
    }

    /// The boxes of the finest level as columns, deflated.
    pub(super) fn packed_leaves(&self) -> Vec<u8> {
        let mut columns = Columns::new(R::BOUNDS_COLUMNS);
        let mut before = R::Bounds::default();
        for leaf in self.pyramid.leaves() {
            R::put_bounds(leaf, &before, &mut columns);
            before = *leaf;
        }
        columns.deflated()
    }
}

/// The tile that was read last: a view reads its boxes in order.
pub(super) struct TileCache<R> {
    index: Option<usize>,
    rows: Vec<R>,
}

impl<R> TileCache<R> {
    pub(super) fn new() -> Self {
        Self {
            index: None,
            rows: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::row::{AckedRow, SentRow};
    use proptest::prelude::*;

    /// Rows with bursts, silences and, now and then, a clock that jumps.
    fn rows() -> impl Strategy<Value = Vec<SentRow>> {
        let gap = prop_oneof![8 => 0i64..2000, 1 => 0i64..1_000_000_000, 1 => -5_000_000i64..0];
        let row = (
            gap,
            0u64..3000,
            0u64..100_000,
            prop_oneof![4 => Just(0u8), 1 => 0u8..14],
        );
        proptest::collection::vec(row, 0..900).prop_map(|steps| {
            let (mut time_ns, mut end) = (0, 0);
            let build = |(gap, length, flight_bytes, code): (i64, u64, u64, u8)| {
                time_ns += gap;
                let start = if code > 1 { end / 2 } else { end };
                end = end.max(start + length);
                SentRow {
                    time_ns,
                    start,
                    end: start + length,
                    flight_bytes,
                    code,
                }
            };
            steps.into_iter().map(build).collect()
        })
    }

    fn series(rows: &[SentRow], boxes: usize, bytes: usize) -> Series<SentRow> {
        let mut growing = Growing::new(boxes, bytes);
        rows.iter().for_each(|row| growing.push(*row));
        growing.finish()
    }

    /// What a box over these must be.
    fn brute(rows: &[SentRow]) -> Option<crate::picture::row::SentBounds> {
        let mut bounds = rows.first()?.bounds();
        rows.iter().skip(1).for_each(|row| bounds.join(&row.bounds()));
        Some(bounds)
    }

    /// Which rows a box holds, by counting those of the leaves before it.
    fn held(series: &Series<SentRow>, place: Place) -> std::ops::Range<usize> {
        let leaf = place.index << place.level;
        let first = series.first_rows[leaf] as usize;
        first..first + series.pyramid.get(place).map_or(0, |bounds| bounds.rows as usize)
    }

    proptest! {
        #[test]
        fn boxes_are_the_bounds_of_their_rows(rows in rows(), boxes in 2usize..40) {
            let series = series(&rows, boxes, usize::MAX);
            prop_assert!(series.pyramid.leaves().len() <= boxes + 1, "bounded");
            prop_assert_eq!(series.rows, rows.len() as u64);
            for (index, leaf) in series.pyramid.leaves().iter().enumerate() {
                let place = Place { level: 0, index, is_wide: false };
                prop_assert_eq!(Some(*leaf), brute(&rows[held(&series, place)]));
            }
        }

        #[test]
        fn a_view_holds_each_row_in_it_once(rows in rows(), from in -1_000_000i64..40_000_000, span in 1i64..60_000_000) {
            let series = series(&rows, 64, usize::MAX);
            let to = from + span;
            for columns in [1, 10, 300] {
                let places = series.pyramid.view(from, to, columns, 4096);
                let mut seen = vec![0; rows.len()];
                for place in &places {
                    let held = held(&series, *place);
                    prop_assert_eq!(series.pyramid.get(*place).copied(), brute(&rows[held.clone()]));
                    held.for_each(|row| seen[row] += 1);
                    let (first, last) = series.pyramid.get(*place).map(Bounds::span_ns).unwrap_or_default();
                    prop_assert!(first <= to && last >= from, "nothing from outside");
                    prop_assert_eq!(place.is_wide, last - first > span / i64::from(columns));
                    prop_assert!(place.level == 0 || !place.is_wide);
                }
                for (row, times) in rows.iter().zip(seen) {
                    let is_inside = row.time_ns >= from && row.time_ns <= to;
                    prop_assert!(times == 1 || (times == 0 && !is_inside));
                }
            }
        }

        #[test]
        fn packets_come_back(rows in rows()) {
            let series = series(&rows, 64, usize::MAX);
            prop_assert!(series.packets().eq(rows.iter().copied()));
            let mut tiles = TileCache::new();
            for index in 0..series.pyramid.leaves().len() {
                let place = Place { level: 0, index, is_wide: true };
                let held = held(&series, place);
                prop_assert_eq!(series.packets_of(place, &mut tiles), Some(rows[held].to_vec()));
            }
        }

        #[test]
        fn a_view_has_no_more_boxes_than_asked_for(rows in rows(), most in 1usize..50) {
            let series = series(&rows, 64, usize::MAX);
            prop_assert!(series.pyramid.view(i64::MIN, i64::MAX, 1000, most).len() <= most);
        }

        #[test]
        fn acknowledgements_come_back(rows: Vec<(i64, u64, Option<u32>, Option<u32>, bool)>) {
            let rows: Vec<AckedRow> = rows.into_iter().map(|(time_ns, ack, window, rtt, is_duplicate)| AckedRow {
                time_ns,
                ack,
                window_bytes: window.map(u64::from),
                rtt_ns: rtt.map(u64::from),
                newly_acked_bytes: ack / 3,
                is_duplicate,
            }).collect();
            let mut growing = Growing::new(64, usize::MAX);
            rows.iter().for_each(|row| growing.push(*row));
            prop_assert!(growing.finish().packets().eq(rows.iter().copied()));
        }
    }

    #[test]
    fn a_silence_ends_a_box() {
        let row = |time_ns| SentRow {
            time_ns,
            ..SentRow::default()
        };
        let times = (0..20)
            .map(|n| n * 1000)
            .chain((0..20).map(|n| 1_000_000_000 + n * 1000));
        let rows: Vec<SentRow> = times.map(row).collect();
        let series = series(&rows, 1000, usize::MAX);
        let longest = series
            .pyramid
            .leaves()
            .iter()
            .map(|leaf| leaf.last_ns - leaf.first_ns)
            .max();
        assert!(longest < Some(100_000), "{longest:?}");
    }

    #[test]
    fn beyond_the_limit_bounds_stay_and_packets_do_not() {
        let row = |n: u64| SentRow {
            time_ns: n as i64 * 977 % 10_000_000,
            start: n * 1448,
            end: n * 1448 + 1448,
            flight_bytes: n * 7919 % 65_536,
            code: 0,
        };
        let rows: Vec<SentRow> = (0..60_000).map(row).collect();
        let series = series(&rows, 1 << 12, 2);
        assert_eq!((series.rows, series.kept_rows), (60_000, TILE_ROWS as u64));
        let last = Place {
            level: 0,
            index: series.pyramid.leaves().len() - 1,
            is_wide: true,
        };
        assert_eq!(series.packets_of(last, &mut TileCache::new()), None);
        assert_eq!(
            series.pyramid.leaves().iter().map(|leaf| leaf.rows).sum::<u64>(),
            60_000
        );
    }
}

//! One series of the picture while it grows: its boxes, and its packets in tiles.

use super::column::{Columns, Reader};
use super::pyramid::{Bounds, Place, Pyramid};
use super::row::Row;

/// Packets in a tile: inflated and read within a few milliseconds by the page, and few enough that a view of some thousand
/// packets needs two or three.
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
        let reader = self.tiles.get(index).and_then(|tile| Reader::new(tile, R::COLUMNS));
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

//! What was tried and what came back: one cell per (mode, target, size).

use evidence::{EchoMode, Node, ProbeError, ProbeRow, SizeProbeMode};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// A hop by its TTL, or the destination.
pub(super) type Target = Option<u8>;

#[derive(Debug, Default, Clone)]
pub(super) struct Cell {
    pub(super) sent: u16,
    pub(super) answered: u16,
    /// Unanswered tries of rounds whose control was answered: only these speak of loss on the way there.
    pub(super) vanished: u16,
    pub(super) answered_by: BTreeSet<IpAddr>,
    /// Routers' words that it was too big.
    pub(super) too_big: Vec<ProbeError>,
    pub(super) refused: Option<u32>,
}

impl Cell {
    /// Whether something other than an answer became of it at least once.
    pub(super) fn fails(&self) -> bool {
        self.answered == 0 && (self.vanished > 0 || !self.too_big.is_empty() || self.refused.is_some())
    }

    /// Whether anybody said anything about this size.
    pub(super) fn is_spoken(&self) -> bool {
        self.answered > 0 || !self.too_big.is_empty() || self.refused.is_some()
    }

    /// Whether no further try is needed to believe it, when vanishing has to happen `tries` times.
    pub(super) fn is_settled(&self, tries: u16) -> bool {
        self.answered > 0
            || self.refused.is_some()
            || self.vanished >= tries
            || self.too_big.len() >= usize::from(tries.min(2))
    }
}

impl Cell {
    /// It as a row, but for what it is the cell of: size and mode.
    fn into_row(self, target: Target, destination: &Node) -> ProbeRow {
        let answered_by: Vec<Node> = self.answered_by.into_iter().map(Node::from).collect();
        let (mode, to) = match target {
            Some(_) => (
                EchoMode::Expiring,
                answered_by.first().cloned().unwrap_or_default(),
            ),
            None => (EchoMode::ToDestination, destination.clone()),
        };
        let refused = self.refused.map(|mtu_bytes| ProbeError {
            from: None,
            text: ProbeError::REFUSED_LOCALLY.to_owned(),
            mtu_bytes: Some(mtu_bytes),
            count: 1,
        });
        ProbeRow {
            mode: Some(mode),
            ttl: target,
            to,
            answered_by,
            sent: Some(self.sent.into()),
            received: Some(self.answered.into()),
            errors: self.too_big.into_iter().chain(refused).collect(),
            ..ProbeRow::default()
        }
    }
}

/// All cells. No cell and an empty cell mean the same.
#[derive(Debug, Default)]
pub(super) struct Table {
    cells: BTreeMap<(SizeProbeMode, Target, u32), Cell>,
}

impl Table {
    pub(super) fn at(&mut self, mode: SizeProbeMode, target: Target, size_bytes: u32) -> &mut Cell {
        self.cells.entry((mode, target, size_bytes)).or_default()
    }

    pub(super) fn get(&self, mode: SizeProbeMode, target: Target, size_bytes: u32) -> Option<&Cell> {
        self.cells.get(&(mode, target, size_bytes))
    }

    pub(super) fn is_settled(
        &self,
        mode: SizeProbeMode,
        target: Target,
        size_bytes: u32,
        tries: u16,
    ) -> bool {
        self.get(mode, target, size_bytes)
            .is_some_and(|cell| cell.is_settled(tries))
    }

    /// Cells of the whole-packet mode at `target`, by size.
    pub(super) fn column(&self, target: Target) -> impl DoubleEndedIterator<Item = (u32, &Cell)> {
        let mode = SizeProbeMode::DontFragment;
        let range = (mode, target, 0)..=(mode, target, u32::MAX);
        self.cells.range(range).map(|((_, _, size), cell)| (*size, cell))
    }

    /// The largest size that `target` answered whole.
    pub(super) fn largest_answered(&self, target: Target) -> Option<u32> {
        self.column(target)
            .rev()
            .find(|(_, cell)| cell.answered > 0)
            .map(|(size, _)| size)
    }

    /// The smallest size above `size_bytes` that failed at `target`.
    pub(super) fn smallest_failing(&self, target: Target, above_bytes: u32) -> Option<u32> {
        self.column(target)
            .find(|(size, cell)| *size > above_bytes && cell.fails())
            .map(|(size, _)| size)
    }

    /// The MTUs that routers claimed, smallest first.
    pub(super) fn claimed_mtus(&self) -> BTreeSet<u32> {
        let claims = self.cells.values().flat_map(|cell| &cell.too_big);
        claims.filter_map(|claim| claim.mtu_bytes).collect()
    }

    /// What was tried, ordered by (mode, target, size).
    pub(super) fn into_rows(self, destination: &Node) -> Vec<ProbeRow> {
        let tried = self
            .cells
            .into_iter()
            .filter(|(_, cell)| cell.sent > 0 || cell.refused.is_some());
        tried
            .map(|((mode, target, size_bytes), cell)| ProbeRow {
                size_bytes: Some(size_bytes),
                dont_fragment: Some(mode == SizeProbeMode::DontFragment),
                ..cell.into_row(target, destination)
            })
            .collect()
    }
}

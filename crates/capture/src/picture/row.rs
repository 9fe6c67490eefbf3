//! What the picture keeps of a packet, and of many together.

use super::column::{Columns, Reader};
use super::mark::MarkKind;
use super::pyramid::Bounds;

/// What is kept of one packet.
pub(super) trait Row: Copy + Default {
    /// The bounds of many.
    type Bounds: Bounds + Default;
    /// Columns of numbers that a row takes.
    const COLUMNS: usize;
    /// Columns that [`Row::put_bounds`] writes.
    const BOUNDS_COLUMNS: usize;

    fn time_ns(&self) -> i64;
    fn bounds(&self) -> Self::Bounds;
    /// Writes the row as it differs from the one before.
    fn put(&self, before: &Self, columns: &mut Columns);
    fn take(before: &Self, reader: &mut Reader) -> Option<Self>;
    fn put_bounds(now: &Self::Bounds, before: &Self::Bounds, columns: &mut Columns);
}

/// A segment with data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SentRow {
    /// Nanoseconds since the origin of the picture.
    pub(super) time_ns: i64,
    /// First byte, and the one behind the last.
    pub(super) start: u64,
    pub(super) end: u64,
    /// Bytes on the way before it.
    pub(super) flight_bytes: u64,
    /// [`super::MarkKind`] as a number, 0 for new data; 128 more with PSH.
    pub(super) code: u8,
}

impl SentRow {
    /// Data that did not pass before, in order or behind a gap.
    fn is_new(&self) -> bool {
        self.code & 0x7f <= MarkKind::Gap as u8
    }
}

/// The bounds of segments with data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SentBounds {
    pub(super) first_ns: i64,
    pub(super) last_ns: i64,
    pub(super) rows: u64,
    /// First byte of the new data among them, and the one behind the last. Repeated data lie far below, and a box that held
    /// both would claim all between: they are drawn as marks.
    pub(super) new: Option<(u64, u64)>,
    pub(super) flight_bytes: (u64, u64),
    /// Their lengths together.
    pub(super) bytes: u64,
}

impl Bounds for SentBounds {
    fn join(&mut self, next: &Self) {
        self.first_ns = self.first_ns.min(next.first_ns);
        self.last_ns = self.last_ns.max(next.last_ns);
        self.rows = self.rows.saturating_add(next.rows);
        self.new = wider_if_known(self.new, next.new);
        self.flight_bytes = wider(self.flight_bytes, next.flight_bytes);
        self.bytes = self.bytes.saturating_add(next.bytes);
    }

    fn span_ns(&self) -> (i64, i64) {
        (self.first_ns, self.last_ns)
    }

    fn rows(&self) -> u64 {
        self.rows
    }
}

impl Row for SentRow {
    type Bounds = SentBounds;
    const COLUMNS: usize = 5;
    const BOUNDS_COLUMNS: usize = 8;

    fn time_ns(&self) -> i64 {
        self.time_ns
    }

    fn bounds(&self) -> SentBounds {
        SentBounds {
            first_ns: self.time_ns,
            last_ns: self.time_ns,
            rows: 1,
            new: self.is_new().then_some((self.start, self.end)),
            flight_bytes: (self.flight_bytes, self.flight_bytes),
            bytes: self.end.saturating_sub(self.start),
        }
    }

    fn put(&self, before: &Self, columns: &mut Columns) {
        columns.put_difference(0, self.time_ns as u64, before.time_ns as u64);
        columns.put_difference(1, self.start, before.end);
        columns.put(2, self.end.wrapping_sub(self.start));
        columns.put_difference(3, self.flight_bytes, before.flight_bytes);
        columns.put(4, u64::from(self.code));
    }

    fn take(before: &Self, reader: &mut Reader) -> Option<Self> {
        let time_ns = reader.take_difference(0, before.time_ns as u64)? as i64;
        let start = reader.take_difference(1, before.end)?;
        Some(Self {
            time_ns,
            start,
            end: start.wrapping_add(reader.take(2)?),
            flight_bytes: reader.take_difference(3, before.flight_bytes)?,
            code: reader.take(4)? as u8,
        })
    }

    fn put_bounds(now: &SentBounds, before: &SentBounds, columns: &mut Columns) {
        columns.put_difference(0, now.first_ns as u64, before.last_ns as u64);
        columns.put(1, now.last_ns.wrapping_sub(now.first_ns) as u64);
        columns.put(2, now.rows);
        columns.put(3, known(now.new.map(|(start, _)| start)));
        columns.put(4, now.new.map_or(0, |(start, end)| end.wrapping_sub(start)));
        columns.put_difference(5, now.flight_bytes.0, before.flight_bytes.0);
        columns.put(6, now.flight_bytes.1.wrapping_sub(now.flight_bytes.0));
        columns.put(7, now.bytes);
    }
}

/// An acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct AckedRow {
    /// Nanoseconds since the origin of the picture.
    pub(super) time_ns: i64,
    pub(super) ack: u64,
    /// The receiver's window, bytes; `None` where its scale is not known.
    pub(super) window_bytes: Option<u64>,
    /// The round trip behind the capture point; `None` without a sample.
    pub(super) rtt_ns: Option<u64>,
    pub(super) newly_acked_bytes: u64,
    /// It says nothing new, while data are on the way.
    pub(super) is_duplicate: bool,
}

/// The bounds of acknowledgements. Pairs are smallest and largest; `None` where none of them knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct AckedBounds {
    pub(super) first_ns: i64,
    pub(super) last_ns: i64,
    pub(super) rows: u64,
    pub(super) ack: (u64, u64),
    pub(super) window_bytes: Option<(u64, u64)>,
    /// The byte behind the last that the window allows.
    pub(super) edge: Option<(u64, u64)>,
    /// Where the last of them left it, from which a line goes on.
    pub(super) last_window_bytes: Option<u64>,
    pub(super) last_edge: Option<u64>,
    pub(super) rtt_ns: Option<(u64, u64)>,
    /// Newly acknowledged by them together.
    pub(super) bytes: u64,
}

impl Bounds for AckedBounds {
    fn join(&mut self, next: &Self) {
        self.first_ns = self.first_ns.min(next.first_ns);
        self.last_ns = self.last_ns.max(next.last_ns);
        self.rows = self.rows.saturating_add(next.rows);
        self.ack = wider(self.ack, next.ack);
        self.window_bytes = wider_if_known(self.window_bytes, next.window_bytes);
        self.edge = wider_if_known(self.edge, next.edge);
        self.last_window_bytes = next.last_window_bytes;
        self.last_edge = next.last_edge;
        self.rtt_ns = wider_if_known(self.rtt_ns, next.rtt_ns);
        self.bytes = self.bytes.saturating_add(next.bytes);
    }

    fn span_ns(&self) -> (i64, i64) {
        (self.first_ns, self.last_ns)
    }

    fn rows(&self) -> u64 {
        self.rows
    }
}

impl AckedRow {
    pub(super) fn edge(&self) -> Option<u64> {
        self.window_bytes.map(|window| self.ack.saturating_add(window))
    }
}

impl Row for AckedRow {
    type Bounds = AckedBounds;
    const COLUMNS: usize = 5;
    const BOUNDS_COLUMNS: usize = 14;

    fn time_ns(&self) -> i64 {
        self.time_ns
    }

    fn bounds(&self) -> AckedBounds {
        let one = |value| (value, value);
        AckedBounds {
            first_ns: self.time_ns,
            last_ns: self.time_ns,
            rows: 1,
            ack: one(self.ack),
            window_bytes: self.window_bytes.map(one),
            edge: self.edge().map(one),
            last_window_bytes: self.window_bytes,
            last_edge: self.edge(),
            rtt_ns: self.rtt_ns.map(one),
            bytes: self.newly_acked_bytes,
        }
    }

    fn put(&self, before: &Self, columns: &mut Columns) {
        columns.put_difference(0, self.time_ns as u64, before.time_ns as u64);
        columns.put_difference(1, self.ack, before.ack);
        columns.put(2, self.newly_acked_bytes);
        columns.put_difference(3, known(self.window_bytes), known(before.window_bytes));
        let rtt_and_duplicate = known(self.rtt_ns) << 1 | u64::from(self.is_duplicate);
        columns.put(4, rtt_and_duplicate);
    }

    fn take(before: &Self, reader: &mut Reader) -> Option<Self> {
        let time_ns = reader.take_difference(0, before.time_ns as u64)? as i64;
        let ack = reader.take_difference(1, before.ack)?;
        let newly_acked_bytes = reader.take(2)?;
        let window = reader.take_difference(3, known(before.window_bytes))?;
        let rtt_and_duplicate = reader.take(4)?;
        Some(Self {
            time_ns,
            ack,
            window_bytes: window.checked_sub(1),
            rtt_ns: (rtt_and_duplicate >> 1).checked_sub(1),
            newly_acked_bytes,
            is_duplicate: rtt_and_duplicate & 1 == 1,
        })
    }

    fn put_bounds(now: &AckedBounds, before: &AckedBounds, columns: &mut Columns) {
        columns.put_difference(0, now.first_ns as u64, before.last_ns as u64);
        columns.put(1, now.last_ns.wrapping_sub(now.first_ns) as u64);
        columns.put(2, now.rows);
        columns.put_difference(3, now.ack.0, before.ack.1);
        columns.put(4, now.ack.1.wrapping_sub(now.ack.0));
        columns.put(5, now.bytes);
        let pairs = [(6, now.window_bytes), (8, now.edge), (10, now.rtt_ns)];
        for (column, pair) in pairs {
            columns.put(column, known(pair.map(|(low, _)| low)));
            columns.put(column + 1, pair.map_or(0, |(low, high)| high.wrapping_sub(low)));
        }
        columns.put(12, known(now.last_window_bytes));
        columns.put(13, known(now.last_edge));
    }
}

/// A number that may be absent: 0 for that, else one more than it is.
pub(super) fn known(value: Option<u64>) -> u64 {
    value.map_or(0, |value| value.saturating_add(1))
}

fn wider(one: (u64, u64), other: (u64, u64)) -> (u64, u64) {
    (one.0.min(other.0), one.1.max(other.1))
}

fn wider_if_known(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (one, other) {
        (Some(one), Some(other)) => Some(wider(one, other)),
        (one, other) => one.or(other),
    }
}

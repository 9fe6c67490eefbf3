//! Stretches of time with a reason each, in bounded memory.

use super::{Interval, Label, LabelBytes, Share};

/// A [`Label`], or one that only what comes later decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// Decided.
    Is(Label),
    /// The congestion window or what looks like it: the round trip decides.
    Window,
    /// The flight has a ceiling that does not move: so many round trips of it decide.
    Ceiling,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    from: i64,
    to: i64,
    bytes: u64,
    tag: Tag,
}

/// More pieces than this are joined: a picture of a thousand pixels shows no more.
const MOST: usize = 1000;
/// Pieces of the round trip that is not judged yet.
const MOST_OPEN: usize = 256;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    closed: Vec<Piece>,
    open: Vec<Piece>,
    /// Time and bytes under each tag, of what is closed: exact when pieces were joined.
    sums: [(i64, u64); TAGS],
    quantum_ns: i64,
}

const TAGS: usize = 11;

fn place(tag: Tag) -> usize {
    match tag {
        Tag::Is(label) => label as usize,
        Tag::Window => TAGS - 2,
        Tag::Ceiling => TAGS - 1,
    }
}

impl Piece {
    /// Adds it to sums, or takes it away.
    fn count(self, sums: &mut [(i64, u64); TAGS], sign: i64) {
        if let Some((time, bytes)) = sums.get_mut(place(self.tag)) {
            *time = time.saturating_add(sign * (self.to - self.from));
            *bytes = if sign > 0 {
                bytes.saturating_add(self.bytes)
            } else {
                bytes.saturating_sub(self.bytes)
            };
        }
    }
}

impl Timeline {
    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        (self.closed.capacity() + self.open.capacity()) * size_of::<Piece>()
    }

    /// Forgets all, and keeps the memory.
    pub(super) fn clear(&mut self) {
        let Self {
            closed,
            open,
            sums,
            quantum_ns,
        } = self;
        closed.clear();
        open.clear();
        *sums = Default::default();
        *quantum_ns = 0;
    }

    /// Adds a stretch behind all others.
    pub(super) fn push(&mut self, from: i64, to: i64, bytes: u64, tag: Tag) {
        if to <= from {
            if let Some(last) = self.open.last_mut() {
                last.bytes = last.bytes.saturating_add(bytes);
            }
            return;
        }
        match self.open.last_mut() {
            Some(last) if last.tag == tag && last.to == from => {
                last.to = to;
                last.bytes = last.bytes.saturating_add(bytes);
            }
            _ => self.open.push(Piece { from, to, bytes, tag }),
        }
    }

    /// Whether so much is undecided that it is time to decide.
    pub(super) fn is_full(&self) -> bool {
        self.open.len() >= MOST_OPEN
    }

    /// Judges the open pieces.
    pub(super) fn close(&mut self, judge: impl Fn(Tag) -> Tag) {
        for mut piece in self.open.drain(..) {
            piece.tag = judge(piece.tag);
            piece.count(&mut self.sums, 1);
            match self.closed.last_mut() {
                Some(last) if last.tag == piece.tag && last.to == piece.from => {
                    last.to = piece.to;
                    last.bytes = last.bytes.saturating_add(piece.bytes);
                }
                _ => self.closed.push(piece),
            }
        }
        if self.closed.len() > MOST {
            self.join();
        }
    }

    /// Changes the tag of closed pieces that end after a moment and begin before another.
    pub(super) fn relabel(&mut self, since: i64, until: i64, from: Tag, to: Tag) {
        let mut index = self.closed.len();
        while index > 0 {
            index -= 1;
            let Some(&piece) = self.closed.get(index) else {
                break;
            };
            if piece.to <= since {
                break;
            }
            if piece.tag != from || piece.from >= until {
                continue;
            }
            piece.count(&mut self.sums, -1);
            let changed = Piece { tag: to, ..piece };
            changed.count(&mut self.sums, 1);
            if let Some(place) = self.closed.get_mut(index) {
                place.tag = to;
            }
        }
    }

    /// Moves whatever was counted under an undecided tag, joined pieces included.
    fn settle(&mut self, from: Tag, to: Label) {
        self.relabel(i64::MIN, i64::MAX, from, Tag::Is(to));
        let left = self.sums.get(place(from)).copied().unwrap_or_default();
        if let Some(sum) = self.sums.get_mut(place(from)) {
            *sum = (0, 0);
        }
        if let Some((time, bytes)) = self.sums.get_mut(to as usize) {
            *time = time.saturating_add(left.0);
            *bytes = bytes.saturating_add(left.1);
        }
    }

    /// Short pieces go to the longer neighbour until half the room is free.
    fn join(&mut self) {
        while self.closed.len() > MOST / 2 {
            self.quantum_ns = self.quantum_ns.saturating_mul(2).max(1000);
            let mut kept: Vec<Piece> = Vec::with_capacity(MOST + 1);
            let mut carried: Option<Piece> = None;
            for mut piece in self.closed.drain(..) {
                if let Some(short) = carried.take() {
                    piece.from = short.from;
                    piece.bytes = piece.bytes.saturating_add(short.bytes);
                }
                match kept.last_mut() {
                    Some(last) if last.tag == piece.tag => {
                        last.to = piece.to;
                        last.bytes = last.bytes.saturating_add(piece.bytes);
                    }
                    Some(last) if piece.to - piece.from < self.quantum_ns => {
                        last.to = piece.to;
                        last.bytes = last.bytes.saturating_add(piece.bytes);
                    }
                    None if piece.to - piece.from < self.quantum_ns => carried = Some(piece),
                    _ => kept.push(piece),
                }
            }
            if let Some(short) = carried {
                kept.push(short);
            }
            self.closed = kept;
        }
    }

    /// Whatever is undecided is unknown.
    fn decide(&mut self) {
        self.close(|tag| tag);
        self.settle(Tag::Window, Label::Unknown);
        self.settle(Tag::Ceiling, Label::Unknown);
    }

    /// Bytes under each label that has time; nothing can be asked of it afterwards.
    pub(super) fn label_bytes(&mut self) -> LabelBytes {
        self.decide();
        Label::ALL.map(|label| match self.sums.get(label as usize) {
            Some(&(time_ns, bytes)) if time_ns > 0 => bytes,
            _ => 0,
        })
    }

    /// Intervals and shares.
    pub(super) fn finish(mut self) -> (Vec<Interval>, Vec<Share>) {
        self.decide();
        let mut intervals: Vec<Interval> = Vec::with_capacity(self.closed.len());
        for piece in &self.closed {
            let Tag::Is(label) = piece.tag else { continue };
            match intervals.last_mut() {
                Some(last) if last.label == label => {
                    last.to_ns = piece.to;
                    last.bytes = last.bytes.saturating_add(piece.bytes);
                }
                _ => intervals.push(Interval {
                    from_ns: piece.from,
                    to_ns: piece.to,
                    label,
                    bytes: piece.bytes,
                }),
            }
        }
        let shares = Label::ALL
            .into_iter()
            .filter_map(|label| {
                let &(time_ns, bytes) = self.sums.get(label as usize)?;
                (time_ns > 0).then_some(Share {
                    label,
                    time_ns,
                    bytes,
                })
            })
            .collect();
        (intervals, shares)
    }
}

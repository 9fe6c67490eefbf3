//! Bytes as decisions.

/// Decides by the next bytes; by nothing but the first choice when there are no more.
pub(super) struct Choices<'a>(&'a [u8]);

/// Where arithmetic goes wrong, if it does.
const EDGES: [u64; 8] = [
    0,
    1,
    2,
    1_000,
    1 << 31,
    u32::MAX as u64,
    i64::MAX as u64,
    u64::MAX,
];

impl<'a> Choices<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(super) fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((byte, rest)) => {
                self.0 = rest;
                *byte
            }
            None => 0,
        }
    }

    pub(super) fn bool(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// Three times in four.
    pub(super) fn mostly(&mut self) -> bool {
        !self.byte().is_multiple_of(4)
    }

    /// One of these.
    pub(super) fn of<T: Clone>(&mut self, these: &[T]) -> T {
        these[usize::from(self.byte()) % these.len()].clone()
    }

    /// A number as it might be, or one at an edge.
    pub(super) fn number(&mut self) -> u64 {
        match self.bool() {
            true => self.of(&EDGES),
            false => u64::from(self.byte()) << self.of(&[0, 4, 12, 24]),
        }
    }

    pub(super) fn small(&mut self) -> u32 {
        self.number() as u32
    }

    /// A number of any sign and size that JSON can carry.
    pub(super) fn real(&mut self) -> f64 {
        let number = self.number() as f64;
        number * self.of(&[1.0, 1e-300, -1.0, 1e280, 0.5])
    }

    pub(super) fn maybe<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.bool().then(|| value(self))
    }

    /// As [`Self::maybe`], one time in eight: what makes most questions impossible must not be in all of them.
    pub(super) fn rarely<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.byte() % 8 == 7).then(|| value(self))
    }

    pub(super) fn some<T>(&mut self, value: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.byte() % 4).map(|_| value(self)).collect()
    }

    /// The next bytes as they are.
    pub(super) fn raw(&mut self) -> Vec<u8> {
        let (raw, rest) = self.0.split_at(usize::from(self.byte()).min(self.0.len()));
        self.0 = rest;
        raw.to_vec()
    }
}

//! A program that pauses between its writes, and longer after larger blocks: the rate that it has on any network.

/// Writes with pauses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rhythm {
    /// Bytes of a write.
    pub write_bytes: f64,
    /// Pause after each, seconds.
    pub pause_s: f64,
    /// Rate within a write, bit/s.
    pub write_bps: f64,
    /// Bytes of a block of writes, and the longer pause after it, seconds.
    pub block: Option<(f64, f64)>,
}

impl Rhythm {
    /// Rate of writes and the pauses between them, bit/s.
    #[must_use]
    pub fn of_writes_bps(&self) -> f64 {
        self.write_bytes * 8.0 / self.write_s()
    }

    /// Rate with the longer pauses as well, bit/s.
    #[must_use]
    pub fn bps(&self) -> f64 {
        self.block.map_or_else(
            || self.of_writes_bps(),
            |(bytes, pause_s)| bytes * 8.0 / (bytes / self.write_bytes * self.write_s() + pause_s),
        )
    }

    fn write_s(&self) -> f64 {
        self.write_bytes * 8.0 / self.write_bps + self.pause_s
    }
}

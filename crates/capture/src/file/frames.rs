//! The packets in bytes over which a framer has walked.

use super::Frame;
use super::layout::{Layout, Section};
use std::ops::Range;
use std::sync::Arc;

/// Whole packets within some bytes, and what one must know to read them: cheap to hand to another thread.
#[derive(Debug, Clone)]
pub struct Packets {
    pub(crate) layout: Arc<Layout>,
    /// Where their records are.
    pub(crate) range: Range<usize>,
    /// The time of the packet before, for those that have none.
    pub(crate) before_ns: i64,
    /// How many came before them in the file.
    pub(crate) first: u64,
    pub(crate) count: u64,
}

impl Packets {
    /// How many packets there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many packets of the file were before them.
    #[must_use]
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The packets, in the order of the file. `bytes` are those that [`super::Framer::advance`] was given.
    #[must_use]
    pub fn frames<'a>(&'a self, bytes: &'a [u8]) -> Frames<'a> {
        Frames {
            rest: bytes.get(self.range.clone()).unwrap_or_default(),
            layout: &self.layout,
            before_ns: self.before_ns,
        }
    }
}

/// Packets, one after another.
#[derive(Debug, Clone)]
pub struct Frames<'a> {
    rest: &'a [u8],
    layout: &'a Layout,
    before_ns: i64,
}

impl<'a> Iterator for Frames<'a> {
    type Item = Frame<'a>;

    #[inline]
    fn next(&mut self) -> Option<Frame<'a>> {
        match self.layout {
            Layout::Pcap(layout) => {
                let (frame, length) = layout.frame(self.rest)?;
                self.rest = self.rest.get(length..)?;
                Some(frame)
            }
            Layout::Pcapng(section) => {
                let frame = next_of(section, &mut self.rest, self.before_ns)?;
                self.before_ns = frame.time_ns;
                Some(frame)
            }
        }
    }
}

/// The next packet among blocks. Apart, so that the short way of pcap stays short enough to be inlined.
#[inline(never)]
fn next_of<'a>(section: &Section, rest: &mut &'a [u8], before_ns: i64) -> Option<Frame<'a>> {
    loop {
        let (frame, length) = section.frame(rest, before_ns)?;
        *rest = rest.get(length..).filter(|_| length > 0)?;
        if frame.is_some() {
            return frame;
        }
    }
}

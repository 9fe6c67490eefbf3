//! The way between the capture point and a sender: its round trip, from a packet of the sender's peer to what is sent upon that,
//! and how long packets wait on it.

use super::clock::Clock;
use crate::Segment;

/// Nearer to the sender no queue is looked for: time stamps cannot resolve it.
const NEAR_NS: u32 = 2_000_000;

/// The smallest of them, and the packet that an answer is waited for, if one is.
///
/// A clock of time stamps ticks once in a millisecond or less often, and the packets of one tick look the same in an answer. So
/// only the first of a tick is waited for: what echoes its time stamp left its sender behind it.
#[derive(Debug)]
pub(in crate::flow) struct Echo {
    /// `u32::MAX` while there is none.
    before_ns: u32,
    /// Time stamp of the packet that is waited for, or of the last one seen.
    tsval: u32,
    passed_ns: i64,
    stage: Stage,
    /// How long the sender's last packet waited in queues before it passed.
    waited_ms: u8,
    /// Time stamp of its first data.
    first_tsval: u32,
    clock: Option<Box<Clock>>,
}

#[derive(Debug, PartialEq, Eq)]
enum Stage {
    /// Packets passed that nobody looked at.
    Blind,
    /// All packets are looked at since one with this time stamp.
    Watching,
    /// An answer is waited for.
    Awaited,
}

impl Default for Echo {
    fn default() -> Self {
        Self {
            before_ns: u32::MAX,
            tsval: 0,
            passed_ns: 0,
            stage: Stage::Blind,
            waited_ms: 0,
            first_tsval: 0,
            clock: None,
        }
    }
}

impl Echo {
    /// Notes a packet of the peer, unless another one waits for its answer.
    #[inline(always)]
    pub(in crate::flow) fn wait_for(&mut self, segment: &Segment) {
        if self.stage == Stage::Awaited {
            return;
        }
        let Some((tsval, _)) = segment.options.timestamps else {
            return;
        };
        if self.stage == Stage::Blind {
            (self.tsval, self.stage) = (tsval, Stage::Watching);
        } else if tsval != self.tsval {
            (self.tsval, self.passed_ns, self.stage) = (tsval, segment.time_ns, Stage::Awaited);
        }
    }

    /// Takes a packet of the sender: times the answer, where one is waited for.
    #[inline(always)]
    pub(in crate::flow) fn hear(&mut self, segment: &Segment) {
        if self.clock.is_some() {
            self.watch_queue(segment);
        }
        if self.stage != Stage::Awaited {
            return;
        }
        let Some((_, echoed)) = segment.options.timestamps else {
            return;
        };
        if echoed.wrapping_sub(self.tsval) as i32 >= 0 {
            let sample = segment.time_ns.saturating_sub(self.passed_ns).max(0);
            self.shorten(u32::try_from(sample).unwrap_or(u32::MAX));
            self.stage = Stage::Blind;
        }
    }

    #[inline(never)]
    fn watch_queue(&mut self, segment: &Segment) {
        if let (Some(clock), Some((tsval, _))) = (&mut self.clock, segment.options.timestamps) {
            self.waited_ms = clock.hear(segment.time_ns, tsval);
        }
    }

    /// The first data pass: they wait for nothing that the connection itself has filled.
    pub(in crate::flow) fn begin(&mut self, segment: &Segment) {
        self.first_tsval = segment.options.timestamps.map_or(0, |stamps| stamps.0);
    }

    /// So many data followed that it is worth while to look for queues from now on.
    #[cold]
    pub(in crate::flow) fn look_for_queues(&mut self, first_data_ns: i64, segment: &Segment) {
        if self.before_ns >= NEAR_NS && self.before_ns != u32::MAX && segment.options.timestamps.is_some() {
            self.clock = Some(Box::new(Clock::new(first_data_ns, self.first_tsval)));
        }
    }

    /// How long the sender's last packet waited in queues before it passed, milliseconds, at most 255; 0 where nothing tells.
    #[inline(always)]
    pub(in crate::flow) fn waited_ms(&self) -> u8 {
        self.waited_ms
    }

    /// Bytes that hang on it.
    pub(in crate::flow) fn heap_bytes(&self) -> usize {
        self.clock.as_ref().map_or(0, |clock| size_of_val(&**clock))
    }

    /// Takes a sample.
    pub(in crate::flow) fn shorten(&mut self, sample_ns: u32) {
        self.before_ns = self.before_ns.min(sample_ns);
    }

    /// The smallest, if there was any.
    #[inline]
    pub(in crate::flow) fn before_ns(&self) -> Option<i64> {
        (self.before_ns != u32::MAX).then(|| i64::from(self.before_ns))
    }
}

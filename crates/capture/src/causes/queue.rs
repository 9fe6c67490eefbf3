//! How long packets queued, over time.

use serde::Serialize;

/// A stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct QueuePoint {
    /// Its end, nanoseconds since 1970.
    pub time_ns: i64,
    /// By how much the fastest packet of a round trip was slower than the path can be, nanoseconds: the largest of the
    /// stretch, against the smallest round trip so far.
    pub queue_ns: i64,
}

const MOST: usize = 256;

/// Points of one stretch each, which doubles when there are too many.
#[derive(Debug, Default)]
pub(super) struct Queue {
    points: Vec<QueuePoint>,
    per: u32,
    left: u32,
}

impl Queue {
    /// Bytes that hang on it.
    pub(super) fn heap_bytes(&self) -> usize {
        self.points.capacity() * size_of::<QueuePoint>()
    }

    pub(super) fn add(&mut self, time_ns: i64, queue_ns: i64) {
        match self.points.last_mut() {
            Some(last) if self.left > 0 => {
                self.left -= 1;
                last.time_ns = time_ns;
                last.queue_ns = last.queue_ns.max(queue_ns);
            }
            _ => {
                if self.points.len() >= MOST {
                    self.halve();
                }
                self.points.push(QueuePoint { time_ns, queue_ns });
                self.left = self.per;
            }
        }
    }

    fn halve(&mut self) {
        self.points = self
            .points
            .chunks(2)
            .filter_map(|pair| {
                let last = pair.last()?;
                Some(QueuePoint {
                    queue_ns: pair.iter().map(|point| point.queue_ns).max()?,
                    ..*last
                })
            })
            .collect();
        self.per = self.per.saturating_mul(2).saturating_add(1);
    }

    pub(super) fn finish(&mut self) -> Vec<QueuePoint> {
        std::mem::take(&mut self.points)
    }
}

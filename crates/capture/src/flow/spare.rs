//! Memory that connections gave back when they ended, for those that begin.
//!
//! Thousands of short connections end and begin each second, and each needs a few small buffers: to pass them on costs less
//! than to free and allocate them, and what was used just now is still near.

use super::flight::Transmission;
use super::followed::BATCH;
use super::half::Half;
use super::kept::Kept;

/// So many of each kind are kept: about as many connections end at a time as begin.
const MOST: usize = 128;
/// Larger ones are those of large connections, of which there are few.
const LARGEST_FLIGHT: usize = 64;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Spare {
    events: Vec<Vec<Kept>>,
    flights: Vec<Vec<Transmission>>,
    bytes: usize,
}

impl Spare {
    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes from a half of a connection that has ended what it does not need any more.
    pub(super) fn collect(&mut self, half: &mut Half) {
        let events = half.followed.empty_handed();
        if events.capacity() == BATCH && self.events.len() < MOST {
            self.bytes += BATCH * size_of::<Kept>();
            self.events.push(events);
        }
        let flight = half.flight.empty_handed();
        if (1..=LARGEST_FLIGHT).contains(&flight.capacity()) && self.flights.len() < MOST {
            self.bytes += flight.capacity() * size_of::<Transmission>();
            self.flights.push(flight);
        }
    }

    /// Gives a half of a connection that begins what it will need.
    pub(super) fn lend(&mut self, half: &mut Half) {
        if let Some(events) = self.events.pop() {
            self.bytes -= BATCH * size_of::<Kept>();
            half.followed.use_memory(events);
        }
        if let Some(flight) = self.flights.pop() {
            self.bytes -= flight.capacity() * size_of::<Transmission>();
            half.flight.use_memory(flight);
        }
        half.recount();
    }
}

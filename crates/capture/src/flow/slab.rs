//! Room for connections, in chunks: growing moves nothing and never needs the memory twice.

use super::connection::Connection;

/// Connections in a chunk: some tens of kilobytes, small beside any bound and large beside the pointer to it.
const CHUNK: usize = 64;

/// Bytes of a chunk.
pub(super) const CHUNK_BYTES: usize = CHUNK * size_of::<Option<Connection>>();

/// Slots with connections in them.
#[derive(Default)]
pub(super) struct Slab {
    chunks: Vec<Box<[Option<Connection>]>>,
    free: Vec<u32>,
}

impl Slab {
    /// Bytes that it holds, what hangs on the connections aside.
    pub(super) fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK_BYTES
            + self.chunks.capacity() * size_of::<Box<[Option<Connection>]>>()
            + self.free.capacity() * size_of::<u32>()
    }

    /// Whether there is room without a new chunk.
    pub(super) fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    /// Puts a connection somewhere; `None` where slots have run out.
    #[inline(always)]
    pub(super) fn insert(&mut self, connection: Connection) -> Option<u32> {
        if self.free.is_empty() {
            let first = u32::try_from(self.chunks.len() * CHUNK).ok()?;
            let last = first.checked_add(CHUNK as u32).filter(|last| *last < u32::MAX)?;
            self.chunks.push((0..CHUNK).map(|_| None).collect());
            self.free.extend((first..last).rev());
        }
        let slot = self.free.pop()?;
        if let Some(place) = self.place(slot) {
            *place = Some(connection);
        }
        Some(slot)
    }

    /// A connection.
    #[inline]
    pub(super) fn get(&self, slot: u32) -> Option<&Connection> {
        self.chunks
            .get(slot as usize / CHUNK)?
            .get(slot as usize % CHUNK)?
            .as_ref()
    }

    /// A connection, to change.
    #[inline]
    pub(super) fn get_mut(&mut self, slot: u32) -> Option<&mut Connection> {
        self.place(slot)?.as_mut()
    }

    /// Takes a connection out.
    pub(super) fn remove(&mut self, slot: u32) {
        if let Some(place) = self.place(slot)
            && place.is_some()
        {
            // Dropped where it is: it is too large to be moved for that.
            *place = None;
            self.free.push(slot);
        }
    }

    #[inline]
    fn place(&mut self, slot: u32) -> Option<&mut Option<Connection>> {
        self.chunks
            .get_mut(slot as usize / CHUNK)?
            .get_mut(slot as usize % CHUNK)
    }
}

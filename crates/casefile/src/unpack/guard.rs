//! Stops an archive that was made to burst: what comes out is compared with what went in.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// More than this no case is unpacked to, bytes.
const MOST_BYTES: u64 = 1 << 30;
/// Real text and captures shrink to a fiftieth at best; an archive made to burst, to a thousandth.
const MOST_RATIO: u64 = 200;
/// The ratio is of no account below so many bytes.
const RATIO_FROM_BYTES: u64 = 16 << 20;

/// The unpacked content of `packed`, as `unpack` gets it out, up to what a case can have.
pub(super) fn guarded<R: Read, U: Read>(packed: R, unpack: impl FnOnce(Counted<R>) -> U) -> Guarded<U> {
    let packed_bytes = Rc::new(Cell::new(0));
    let counted = Counted {
        inner: packed,
        bytes: Rc::clone(&packed_bytes),
    };
    Guarded {
        inner: unpack(counted),
        packed_bytes,
        bytes: 0,
    }
}

/// Counts what is read from the archive itself.
pub(super) struct Counted<R> {
    inner: R,
    bytes: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.bytes.set(self.bytes.get().saturating_add(length as u64));
        Ok(length)
    }
}

/// Stops an archive that grows beyond measure.
pub(super) struct Guarded<R> {
    inner: R,
    packed_bytes: Rc<Cell<u64>>,
    bytes: u64,
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.bytes = self.bytes.saturating_add(length as u64);
        let most = self
            .packed_bytes
            .get()
            .saturating_mul(MOST_RATIO)
            .max(RATIO_FROM_BYTES);
        if self.bytes > MOST_BYTES {
            return Err(io::Error::other("grows beyond 1 GiB; nothing was unpacked"));
        }
        if self.bytes > most {
            let text = format!("grows to {MOST_RATIO} times its size, as no case does; nothing was unpacked");
            return Err(io::Error::other(text));
        }
        Ok(length)
    }
}

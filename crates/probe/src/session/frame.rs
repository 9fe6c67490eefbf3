//! Messages cut into chunks that fit one encrypted packet, and put together again, within a hard limit.
//!
//! A Noise message holds at most 65,535 bytes, a report of a long transfer more. Each chunk starts with one marker
//! byte: more follow, or this is the last.

/// Largest message, bytes. A minute of 100 ms slices with 2,000 delay samples is about 300 kB.
pub const MAX_MESSAGE_BYTES: usize = 4 << 20;

/// Largest message that a far end takes, bytes. What a client says is a question: an echo of a hundred sizes is below
/// 1 kB. A far end has many clients, and whoever holds its token could make it keep this much for each.
pub const MAX_QUESTION_BYTES: usize = 16 << 10;

/// Largest chunk, marker included, bytes: a Noise message less its 16-byte tag, rounded down.
pub const MAX_CHUNK_BYTES: usize = 60_000;

const MORE: u8 = 1;
const LAST: u8 = 0;

/// Why chunks do not make a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The message would be larger than its receiver takes.
    #[error("a message of more than {0} bytes")]
    TooLarge(usize),
    /// A chunk without a marker, with an unknown one, or larger than [`MAX_CHUNK_BYTES`].
    #[error("a malformed chunk")]
    Malformed,
}

/// The chunks of `message`, in order; at least one.
///
/// # Errors
/// [`FrameError::TooLarge`] when no receiver would take it.
pub fn chunks(message: &[u8]) -> Result<Vec<Vec<u8>>, FrameError> {
    if message.len() > MAX_MESSAGE_BYTES {
        return Err(FrameError::TooLarge(MAX_MESSAGE_BYTES));
    }
    let mut pieces: Vec<&[u8]> = message.chunks(MAX_CHUNK_BYTES - 1).collect();
    if pieces.is_empty() {
        pieces.push(&[]);
    }
    let last = pieces.len() - 1;
    let marked = pieces.into_iter().enumerate().map(|(index, piece)| {
        let mut chunk = Vec::with_capacity(piece.len() + 1);
        chunk.push(if index == last { LAST } else { MORE });
        chunk.extend_from_slice(piece);
        chunk
    });
    Ok(marked.collect())
}

/// Puts chunks together, up to the largest message that it was made for.
#[derive(Debug)]
pub struct Assembler {
    message: Vec<u8>,
    max_bytes: usize,
}

impl Default for Assembler {
    /// Takes whatever may be said at all: [`MAX_MESSAGE_BYTES`].
    fn default() -> Self {
        Self::of_at_most(MAX_MESSAGE_BYTES)
    }
}

impl Assembler {
    /// Takes messages of at most `max_bytes`.
    #[must_use]
    pub fn of_at_most(max_bytes: usize) -> Self {
        Self {
            message: Vec::new(),
            max_bytes,
        }
    }

    /// Takes the next chunk; gives the message when it was the last one. After an error the channel is of no more
    /// use: what follows would be the middle of something.
    ///
    /// # Errors
    /// A chunk that does not belong to a valid message.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Option<Vec<u8>>, FrameError> {
        let (marker, piece) = chunk.split_first().ok_or(FrameError::Malformed)?;
        if chunk.len() > MAX_CHUNK_BYTES || *marker > MORE {
            return Err(FrameError::Malformed);
        }
        if self.message.len() + piece.len() > self.max_bytes {
            return Err(FrameError::TooLarge(self.max_bytes));
        }
        // An endless row of empty chunks is no message, and would keep the reader busy for nothing.
        if *marker == MORE && piece.is_empty() {
            return Err(FrameError::Malformed);
        }
        self.message.extend_from_slice(piece);
        Ok((*marker == LAST).then(|| std::mem::take(&mut self.message)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assemble(chunks: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut assembler = Assembler::default();
        chunks
            .iter()
            .filter_map(|chunk| assembler.push(chunk).unwrap())
            .collect()
    }

    proptest! {
        #[test]
        fn messages_survive_being_cut(length in 0usize..200_000, seed: u8) {
            let message: Vec<u8> = (0..length).map(|index| (index as u8).wrapping_mul(seed)).collect();
            let cut = chunks(&message).unwrap();
            prop_assert!(cut.iter().all(|chunk| chunk.len() <= MAX_CHUNK_BYTES));
            prop_assert_eq!(assemble(&cut), vec![message]);
        }

        #[test]
        fn foreign_chunks_never_panic(foreign in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..64), 0..20)) {
            let mut assembler = Assembler::default();
            for chunk in foreign {
                let _ = assembler.push(&chunk);
            }
        }
    }

    #[test]
    fn a_message_never_grows_beyond_the_limit() {
        for max_bytes in [MAX_MESSAGE_BYTES, MAX_QUESTION_BYTES] {
            let mut assembler = Assembler::of_at_most(max_bytes);
            let mut chunk = vec![0; MAX_CHUNK_BYTES];
            chunk[0] = MORE;
            let refused = (0..).find_map(|count| assembler.push(&chunk).err().map(|error| (count, error)));
            let taken = max_bytes / (MAX_CHUNK_BYTES - 1);
            assert_eq!(refused, Some((taken, FrameError::TooLarge(max_bytes))));
        }
        let too_long = vec![0; MAX_MESSAGE_BYTES + 1];
        assert_eq!(chunks(&too_long), Err(FrameError::TooLarge(MAX_MESSAGE_BYTES)));
    }

    #[test]
    fn markers_are_checked() {
        for chunk in [&[][..], &[2, 1], &[MORE]] {
            assert_eq!(
                Assembler::default().push(chunk),
                Err(FrameError::Malformed),
                "{chunk:?}"
            );
        }
    }
}

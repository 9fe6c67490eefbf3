//! Finding records again behind damage.
//!
//! A length that cannot be says nothing about where the next record is. One header that might be one is in any payload;
//! several in a row, each where the length of the one before says, are not: a pcap header among random bytes is plausible
//! once in 2^40, and zeros or text never make a chain.

/// What stands at some place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// A whole record of so many bytes.
    Whole(usize),
    /// It may be one; at least so many bytes are needed to know.
    Incomplete(u64),
    /// No record.
    Damaged,
}

/// Whether records begin again at some place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chain {
    Yes,
    No,
    /// More bytes will tell.
    Wait,
}

/// Records in a row that make a chain.
pub(crate) const CHAIN_RECORDS: usize = 3;

/// How far the bytes are no record, and whether one begins there.
pub(crate) fn search(bytes: &[u8], from: usize, chain_at: impl Fn(&[u8]) -> Chain) -> (usize, Chain) {
    let mut at = from;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        match chain_at(rest) {
            Chain::No => at += 1,
            found => return (at, found),
        }
    }
    (bytes.len(), Chain::No)
}

/// Follows a chain: `next` gives the length of a plausible record at a place, `Err` with [`Chain::Wait`] where too few bytes
/// are there to tell. Says as well how many records were seen: fewer than [`CHAIN_RECORDS`] where the file ends.
pub(crate) fn chain(
    bytes: &[u8],
    at_end: bool,
    mut next: impl FnMut(&[u8]) -> Result<usize, Chain>,
) -> (Chain, usize) {
    let mut at = 0;
    for records in 0..CHAIN_RECORDS {
        let rest = bytes.get(at..).unwrap_or_default();
        match next(rest) {
            Ok(length) => at += length,
            Err(Chain::Wait) if !at_end => return (Chain::Wait, records),
            // The file ends: exactly behind a record, or within one that follows two.
            Err(Chain::Wait) if (records > 0 && at == bytes.len()) || records > 1 => {
                return (Chain::Yes, records);
            }
            Err(_) => return (Chain::No, records),
        }
    }
    (Chain::Yes, CHAIN_RECORDS)
}

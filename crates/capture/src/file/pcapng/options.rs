//! Options of pcapng blocks.

use crate::file::layout::ByteOrder;

/// opt_comment: of any block.
pub(super) const COMMENT: u16 = 1;

/// The options in some bytes, up to the first that is malformed.
pub(super) fn options(bytes: &[u8], order: ByteOrder) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (code, length) = (order.u16(rest, 0)?, usize::from(order.u16(rest, 2)?));
        if code == 0 {
            return None;
        }
        let value = rest.get(4..4 + length)?;
        // Values are padded to four bytes; the padding of the last may be missing.
        rest = rest.get(4 + length.next_multiple_of(4)..).unwrap_or_default();
        Some((code, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_padded_and_cut_ones_end_the_list() {
        let bytes = [
            1, 0, 2, 0, b'a', b'b', 0, 0, 9, 0, 1, 0, 6, 0, 0, 0, 2, 0, 9, 0, 1,
        ];
        let read: Vec<_> = options(&bytes, ByteOrder::Little).collect();
        assert_eq!(read, [(1, &b"ab"[..]), (9, &[6][..])]);
        assert_eq!(options(&[0, 0, 0, 0, 1, 0, 0, 0], ByteOrder::Little).count(), 0);
    }
}

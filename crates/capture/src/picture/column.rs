//! Columns of numbers: the differences between neighbours as variable-length integers, then deflated.
//!
//! The differences are small where the numbers are large: a segment begins where the one before ended, and a column of
//! gigabytes of sequence space becomes a column of zeros. The page reads the same form with a dozen lines of script.

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use std::io::{Read, Write};

/// Columns of one block, each a run of bytes of its own: like stands beside like, which deflate rewards.
pub(super) struct Columns {
    columns: Vec<Vec<u8>>,
}

impl Columns {
    pub(super) fn new(count: usize) -> Self {
        Self {
            columns: vec![Vec::new(); count],
        }
    }

    /// Adds a number to a column (LEB128: seven bits a byte, the low ones first).
    pub(super) fn put(&mut self, column: usize, mut value: u64) {
        let Some(bytes) = self.columns.get_mut(column) else {
            return;
        };
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
    }

    /// Adds the difference of two numbers, small whether they rise or fall (zigzag: 0, -1, 1, -2 become 0, 1, 2, 3).
    pub(super) fn put_difference(&mut self, column: usize, now: u64, before: u64) {
        let difference = now.wrapping_sub(before) as i64;
        self.put(column, (difference.wrapping_shl(1) ^ (difference >> 63)) as u64);
    }

    /// All columns, deflated (zlib, RFC 1950): the length of each in four bytes, little end first, then their bytes.
    pub(super) fn deflated(&self) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(LEVEL));
        for column in &self.columns {
            // Writing to a vector does not fail.
            let _ = encoder.write_all(&(column.len() as u32).to_le_bytes());
        }
        for column in &self.columns {
            let _ = encoder.write_all(column);
        }
        encoder.finish().unwrap_or_default()
    }
}

/// A low one: most of what is left after the differences is the noise of times below the microsecond, in which a longer
/// search finds nothing. Not measured against others.
const LEVEL: u32 = 3;

/// Reads what [`Columns::deflated`] wrote.
pub(super) struct Reader {
    bytes: Vec<u8>,
    /// Where each column stands, and where it ends.
    places: Vec<(usize, usize)>,
}

impl Reader {
    pub(super) fn new(deflated: &[u8], count: usize) -> Option<Self> {
        let mut bytes = Vec::new();
        ZlibDecoder::new(deflated).read_to_end(&mut bytes).ok()?;
        let mut at = count.checked_mul(4)?;
        let mut places = Vec::with_capacity(count);
        for column in 0..count {
            let length = bytes.get(column * 4..column * 4 + 4)?.try_into().ok()?;
            let end = at.checked_add(u32::from_le_bytes(length) as usize)?;
            places.push((at, end));
            at = end;
        }
        (at == bytes.len()).then_some(Self { bytes, places })
    }

    /// The next number of a column; `None` at its end.
    pub(super) fn take(&mut self, column: usize) -> Option<u64> {
        let (at, end) = self.places.get_mut(column)?;
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            if *at >= *end {
                return None;
            }
            let byte = *self.bytes.get(*at)?;
            *at += 1;
            value |= u64::from(byte & 0x7f).wrapping_shl(shift);
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn take_difference(&mut self, column: usize, before: u64) -> Option<u64> {
        let coded = self.take(column)?;
        let difference = (coded >> 1) as i64 ^ -((coded & 1) as i64);
        Some(before.wrapping_add(difference as u64))
    }
}

/// Base64 (RFC 4648 section 4).
pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |bits: u32| char::from(LETTERS.get((bits & 63) as usize).copied().unwrap_or(b'='));
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let mut bits = 0;
        for place in 0..3 {
            bits = bits << 8 | u32::from(three.get(place).copied().unwrap_or(0));
        }
        for place in 0..4 {
            text.push(if place > three.len() {
                '='
            } else {
                letter(bits >> (18 - 6 * place))
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn base64_is_that_of_the_rfc() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn what_is_no_block_is_refused() {
        assert!(Reader::new(b"", 2).is_none());
        assert!(Reader::new(b"not deflated", 2).is_none());
        let block = Columns::new(1).deflated();
        assert!(Reader::new(&block, 2).is_none());
    }

    proptest! {
        #[test]
        fn numbers_come_back(rows: Vec<(u64, u64)>) {
            let mut columns = Columns::new(2);
            let mut before = 7;
            for (plain, delta) in &rows {
                columns.put(0, *plain);
                columns.put_difference(1, *delta, before);
                before = *delta;
            }
            let mut reader = Reader::new(&columns.deflated(), 2).expect("own block");
            let mut before = 7;
            for (plain, delta) in &rows {
                prop_assert_eq!(reader.take(0), Some(*plain));
                before = reader.take_difference(1, before).expect("as many as were put");
                prop_assert_eq!(before, *delta);
            }
            prop_assert_eq!(reader.take(0), None);
        }
    }
}

//! What protects packets in authenticated mode: HMAC-SHA-256 cut to 128 bits (RFC 8762, section 4.4).

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// Bytes of a seal.
pub(super) const SEAL_BYTES: usize = 16;
/// A shorter key is guessed sooner than a seal of 128 bits is.
pub const MIN_KEY_BYTES: usize = 16;

/// The key that both ends hold.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

/// Why something is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Too short.
    #[error("the key has {0} bytes: {MIN_KEY_BYTES} are the least, for example `openssl rand -hex 32`")]
    Short(usize),
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// From its bytes.
    ///
    /// # Errors
    /// It is too short.
    pub fn new(bytes: &[u8]) -> Result<Self, KeyError> {
        match Hmac::new_from_slice(bytes) {
            Ok(hmac) if bytes.len() >= MIN_KEY_BYTES => Ok(Self(hmac)),
            _ => Err(KeyError::Short(bytes.len())),
        }
    }

    /// As it stands in a file: hexadecimal digits, else the bytes themselves, without white space around.
    ///
    /// # Errors
    /// It is too short.
    pub fn read(text: &[u8]) -> Result<Self, KeyError> {
        let text = text.trim_ascii();
        let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
        let byte = |pair: &[u8]| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?);
        let hex: Option<Vec<u8>> = text.chunks(2).map(byte).collect();
        Self::new(&hex.unwrap_or_else(|| text.to_vec()))
    }

    /// The seal of all parts, one after the other.
    pub(super) fn seal(&self, parts: &[&[u8]]) -> [u8; SEAL_BYTES] {
        let mut cut = [0; SEAL_BYTES];
        for (to, from) in cut.iter_mut().zip(self.over(parts).finalize().into_bytes()) {
            *to = from;
        }
        cut
    }

    /// Whether `seal` is theirs, in a time that does not tell how much of it is.
    pub(super) fn is_seal(&self, parts: &[&[u8]], seal: &[u8]) -> bool {
        seal.len() == SEAL_BYTES && self.over(parts).verify_truncated_left(seal).is_ok()
    }

    fn over(&self, parts: &[&[u8]]) -> Hmac<Sha256> {
        let mut hmac = self.0.clone();
        parts.iter().for_each(|part| hmac.update(part));
        hmac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seal_is_that_of_rfc_4231() {
        // Test case 6: a key of 131 bytes; case 5 has the cut to 128 bits, with a key of 20 bytes 0c.
        let key = Key::new(&[0x0c; 20]).unwrap();
        let seal = [
            0xa3, 0xb6, 0x16, 0x74, 0x73, 0x10, 0x0e, 0xe0, 0x6e, 0x0c, 0x79, 0x6c, 0x29, 0x55, 0x55, 0x2b,
        ];
        assert_eq!(key.seal(&[b"Test With ", b"Truncation"]), seal);
        assert!(key.is_seal(&[b"Test With Truncation"], &seal));
        assert!(!key.is_seal(&[b"Test With Truncatiom"], &seal));
        assert!(!key.is_seal(&[b"Test With Truncation"], &seal[..15]));
    }

    #[test]
    fn a_file_holds_digits_or_the_key_itself() {
        let of = |text: &[u8]| Key::read(text).map(|key| key.seal(&[b"x"]));
        let bytes: Vec<u8> = (0..16).collect();
        assert_eq!(of(b"000102030405060708090a0B0c0d0e0f\n"), of(&bytes));
        assert_ne!(of(b"a key in plain words\n").unwrap(), of(&bytes).unwrap());
        assert_eq!(of(b"0011"), Err(KeyError::Short(2)));
        assert_eq!(of(b""), Err(KeyError::Short(0)));
    }
}

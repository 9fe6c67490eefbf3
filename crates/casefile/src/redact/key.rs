//! The key of the pseudonyms: made by chance, and kept in a file by those who want the same pseudonyms next time.

use crate::raw::hex;
use hmac::{Hmac, Mac};
use rand::TryRngCore;
use sha2::Sha256;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Its file cannot be read or made.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The operating system's word.
        source: io::Error,
    },
    /// The file holds something else.
    #[error("{}: this is no key: 64 hexadecimal digits are expected", .0.display())]
    NoKey(PathBuf),
    /// The operating system gives no random bytes.
    #[error("no random key: {0}")]
    NoChance(String),
}

/// The secret that pseudonyms are made with. Who has it can tell which pseudonym is whose by trying.
#[derive(Clone)]
pub struct Key(pub(super) [u8; 32]);

impl Key {
    /// 32 bytes that nobody without the key can tell from chance.
    pub(super) fn digest(&self, purpose: &[u8], message: &[u8]) -> [u8; 32] {
        // The algorithm takes keys of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            return [0; 32];
        };
        mac.update(purpose);
        mac.update(&[0]);
        mac.update(message);
        mac.finalize().into_bytes().into()
    }

    /// A new one.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn random() -> Result<Self, KeyError> {
        let mut bytes = [0; 32];
        rand::rngs::OsRng
            .try_fill_bytes(&mut bytes)
            .map_err(|error| KeyError::NoChance(error.to_string()))?;
        Ok(Self(bytes))
    }

    /// The one in `file`; a file that is not there is made, with a new key that only its owner may read.
    ///
    /// # Errors
    /// When the file cannot be read or made, or holds something else.
    pub fn kept_in(file: &Path) -> Result<Self, KeyError> {
        let failed = |source| KeyError::File {
            path: file.to_owned(),
            source,
        };
        match fs::read_to_string(file) {
            Ok(text) => Self::from_hex(text.trim()).ok_or_else(|| KeyError::NoKey(file.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let key = Self::random()?;
                let mut options = OpenOptions::new();
                let mut written = options
                    .write(true)
                    .create_new(true)
                    .mode(0o600)
                    .open(file)
                    .map_err(failed)?;
                let text = format!("{}\n", hex(&key.0));
                written.write_all(text.as_bytes()).map_err(failed)?;
                Ok(key)
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn from_hex(text: &str) -> Option<Self> {
        let mut key = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (place, byte) in key.iter_mut().enumerate() {
            let digits = text.get(place.checked_mul(2)?..)?.get(..2)?;
            *byte = u8::from_str_radix(digits, 16).ok()?;
        }
        Some(Self(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_kept_key_is_the_same_next_time_and_its_owners_only() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("key");
        let made = Key::kept_in(&file).unwrap();
        assert_eq!(made.0, Key::kept_in(&file).unwrap().0);
        assert_ne!(made.0, Key::random().unwrap().0);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_is_no_key_is_not_taken_for_one() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("key");
        for wrong in [
            "",
            "00",
            &"0".repeat(63),
            &"0".repeat(65),
            &"g".repeat(64),
            &"é".repeat(32),
        ] {
            fs::write(&file, wrong).unwrap();
            assert!(matches!(Key::kept_in(&file), Err(KeyError::NoKey(_))), "{wrong}");
        }
        assert!(matches!(
            Key::kept_in(directory.path()),
            Err(KeyError::File { .. })
        ));
    }
}

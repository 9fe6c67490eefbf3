//! The secret that both ends share.

use crate::NetError;
use rand::TryRngCore;
use rand::rngs::OsRng;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// A recorded handshake lets anybody try tokens at leisure: shorter ones could be guessed.
const MIN_LETTERS: usize = 16;
const MAX_LETTERS: u64 = 1024;

/// A fresh token: 160 random bits in hexadecimal.
///
/// # Errors
/// The operating system has no randomness to give.
pub fn new_token() -> Result<String, NetError> {
    let mut random = [0u8; 20];
    OsRng
        .try_fill_bytes(&mut random)
        .map_err(|error| NetError::os("asking for random bytes", io::Error::other(error.to_string())))?;
    let mut token = String::with_capacity(40);
    for byte in random {
        let _ = write!(token, "{byte:02x}");
    }
    Ok(token)
}

/// The token in `path`; creates the file with a fresh token, readable by its owner only, when there is none.
/// Gives whether it was created.
///
/// # Errors
/// A file that others may read, a token too short, or what the operating system says.
pub fn token_from_file(path: &Path) -> Result<(String, bool), NetError> {
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
    {
        Ok(mut file) => {
            let token = new_token()?;
            writeln!(file, "{token}").map_err(|error| about(path, "writing", error))?;
            Ok((token, true))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok((read_token(path)?, false)),
        Err(error) => Err(about(path, "creating", error)),
    }
}

fn read_token(path: &Path) -> Result<String, NetError> {
    let file = OpenOptions::new()
        .read(true)
        .open(path)
        .map_err(|error| about(path, "reading", error))?;
    let mode = file
        .metadata()
        .map_err(|error| about(path, "reading", error))?
        .mode();
    if mode & 0o077 != 0 {
        let why = format!(
            "others may read it (mode {:03o}): run `chmod 600 {}` and change the token",
            mode & 0o777,
            path.display()
        );
        return Err(about(
            path,
            "refusing",
            io::Error::new(io::ErrorKind::InvalidInput, why),
        ));
    }
    let mut text = String::new();
    file.take(MAX_LETTERS)
        .read_to_string(&mut text)
        .map_err(|error| about(path, "reading", error))?;
    let token = text.trim();
    check_length(token).map_err(|why| {
        about(
            path,
            "refusing",
            io::Error::new(io::ErrorKind::InvalidInput, format!("the token {why}")),
        )
    })?;
    Ok(token.to_owned())
}

/// Whether `token` is long enough to withstand guessing.
pub(super) fn check_length(token: &str) -> Result<(), String> {
    if token.len() < MIN_LETTERS {
        return Err(format!(
            "has {} letters; at least {MIN_LETTERS} are needed",
            token.len()
        ));
    }
    Ok(())
}

fn about(path: &Path, doing: &str, error: io::Error) -> NetError {
    NetError::os(format!("{doing} the token file {}", path.display()), error)
}

/// The pre-shared key of the Noise handshake.
pub(super) fn pre_shared_key(token: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"slowpath far end token 1\0");
    hash.update(token.as_bytes());
    hash.finalize().into()
}

/// A fingerprint of the running kernel: the same at both ends when they share one clock. Hashed, since the boot
/// identifier itself is nobody's business.
pub(super) fn machine_fingerprint() -> String {
    // No boot identifier: a random value never equals the other end's.
    let identifier = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").or_else(|_| new_token());
    let digest = Sha256::digest(format!(
        "slowpath machine\0{}",
        identifier.unwrap_or_default().trim()
    ));
    digest.iter().take(16).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_token_file_is_made_once_and_for_its_owner_only() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        let (token, created) = token_from_file(&path).unwrap();
        assert!(created && token.len() == 40);
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(token_from_file(&path).unwrap(), (token, false));
    }

    #[test]
    fn a_token_that_others_may_read_or_guess_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        token_from_file(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let message = token_from_file(&path).unwrap_err().to_string();
        assert!(message.contains("chmod 600"), "{message}");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::write(&path, "short\n").unwrap();
        assert!(
            token_from_file(&path)
                .unwrap_err()
                .to_string()
                .contains("5 letters")
        );
    }

    #[test]
    fn keys_differ_with_the_token() {
        assert_ne!(pre_shared_key("one"), pre_shared_key("other"));
        assert_ne!(new_token().unwrap(), new_token().unwrap());
        assert_eq!(machine_fingerprint(), machine_fingerprint());
    }
}

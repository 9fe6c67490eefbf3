//! The secret that both ends share, and the key that it gives.
//!
//! A recorded handshake lets anybody try tokens at leisure, each for the price of deriving its key. So a token is either
//! one that this program made, of 160 random bits that nobody tries, or words that are hard to guess and whose key is
//! costly to derive.

use super::guesses::guesses_log10;
use crate::NetError;
use argon2::{Algorithm, Argon2, Params, Version};
use rand::TryRngCore;
use rand::rngs::OsRng;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use zeroize::Zeroizing;

/// What a token begins with that this program made: programs that look for secrets where none belong can find it.
const MARK: &str = "slowpath_";
const RANDOM_BYTES: usize = 20;
const CHECK_BYTES: usize = 4;
/// Letters of a token that this program made.
const MADE_LETTERS: usize = MARK.len() + 2 * (RANDOM_BYTES + CHECK_BYTES);

/// Letters of the longest token.
pub(super) const MAX_LETTERS: usize = 1_024;

/// Guesses that words must withstand, as a power of ten. One try is three passes over 64 MiB; a graphics processor with
/// 1 TB/s makes about 2,500 a second, and a thousand of them 10^14 in a year.
const MIN_GUESSES_LOG10: f64 = 14.0;

/// RFC 9106, 4: the second recommended option, Argon2id with 64 MiB, three passes and four lanes.
const MEMORY_KIB: u32 = 64 << 10;
const PASSES: u32 = 3;
const LANES: u32 = 4;
/// Both ends must derive the same key without a word to each other, so the salt is the application's.
const SALT: &[u8; 16] = b"slowpath token 2";

/// The secret that both ends share, as the key that it gives. Derived once, cheap to clone, overwritten when the last one
/// is dropped, and never printed.
#[derive(Clone)]
pub struct Token {
    key: Arc<Zeroizing<[u8; 32]>>,
}

impl Token {
    /// Reads a token as [`new_token`] gives it, or words. Takes some tenths of a second for words: not for a thread that
    /// others wait for.
    ///
    /// # Errors
    /// [`NetError::Token`] for one that is cut off, mistyped or could be guessed.
    pub fn read(text: &str) -> Result<Self, NetError> {
        let text = text.trim();
        let key = match text.strip_prefix(MARK) {
            Some(rest) if is_whole(rest) => hashed(text),
            Some(_) => {
                let letters = text.chars().count();
                return Err(NetError::Token(format!(
                    "is cut off or mistyped ({letters} letters, {MADE_LETTERS} belong to it): copy all of it again"
                )));
            }
            None => stretched(text)?,
        };
        Ok(Self { key: Arc::new(key) })
    }

    /// The pre-shared key of the Noise handshake.
    pub(super) fn key(&self) -> &[u8; 32] {
        &self.key
    }
}

/// A fresh token: 160 random bits and a check of them, in hexadecimal.
///
/// # Errors
/// The operating system has no randomness to give.
pub fn new_token() -> Result<String, NetError> {
    let mut random = [0u8; RANDOM_BYTES];
    OsRng
        .try_fill_bytes(&mut random)
        .map_err(|error| NetError::os("asking for random bytes", io::Error::other(error.to_string())))?;
    let random = hexadecimal(&random);
    Ok(format!("{MARK}{random}{}", check_of(&random)))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn check_of(random: &str) -> String {
    let digest = Sha256::digest(format!("slowpath token check\0{random}"));
    hexadecimal(digest.get(..CHECK_BYTES).unwrap_or(&[]))
}

/// Whether these letters are followed by their check. It is not there against malice: it tells our tokens from the hashes
/// and phrases of people, which go through [`stretched`], and finds what was lost in copying.
fn is_whole(rest: &str) -> bool {
    rest.split_at_checked(2 * RANDOM_BYTES)
        .is_some_and(|(random, check)| check == check_of(random))
}

fn hashed(token: &str) -> Zeroizing<[u8; 32]> {
    let mut hash = Sha256::new();
    hash.update(b"slowpath far end token 1\0");
    hash.update(token.as_bytes());
    Zeroizing::new(hash.finalize().into())
}

fn stretched(words: &str) -> Result<Zeroizing<[u8; 32]>, NetError> {
    check_strength(words).map_err(NetError::Token)?;
    let mut key = Zeroizing::new([0; 32]);
    let failed = |error: argon2::Error| {
        NetError::os(
            "deriving a key from the token",
            io::Error::other(error.to_string()),
        )
    };
    let params = Params::new(MEMORY_KIB, PASSES, LANES, Some(key.len())).map_err(failed)?;
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(words.as_bytes(), SALT, &mut *key)
        .map_err(failed)?;
    Ok(key)
}

fn check_strength(words: &str) -> Result<(), String> {
    if words.is_empty() {
        return Err("is empty".to_owned());
    }
    if words.len() > MAX_LETTERS {
        return Err(format!("has more than {MAX_LETTERS} letters"));
    }
    let guesses = guesses_log10(words);
    if guesses < MIN_GUESSES_LOG10 {
        return Err(format!(
            "could be guessed: about 10^{guesses:.0} tries, and 10^{MIN_GUESSES_LOG10} are too few for comfort. Have \
             `slowpath serve --token-file FILE` make one in a new file, and copy that to the other end"
        ));
    }
    Ok(())
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
    use proptest::prelude::*;

    fn refused(text: &str) -> String {
        match Token::read(text) {
            Err(NetError::Token(why)) => why,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("`{text}` was taken"),
        }
    }

    #[test]
    fn a_token_of_ours_gives_its_key_at_once() {
        let made = new_token().unwrap();
        assert_eq!(made.len(), MADE_LETTERS);
        assert_ne!(made, new_token().unwrap());
        let key = |text: &str| *Token::read(text).unwrap().key();
        assert_eq!(key(&made), *hashed(&made));
        assert_eq!(key(&format!(" {made}\n")), key(&made));
        assert_ne!(key(&made), key(&new_token().unwrap()));
    }

    #[test]
    fn what_could_be_guessed_is_refused_and_the_way_out_is_named() {
        for weak in [
            "aaaaaaaaaaaaaaaa",
            "",
            "password",
            "Tr0ub4dour&3",
            "1234567890123456789012345678901234567890",
            "deadbeefdeadbeefdeadbeefdeadbeefdeadbeef",
            "0000000000000000000000000000000000000000",
            "qwertyuiopasdfghjklzxcvbnm",
            "slowpathslowpathslowpath",
        ] {
            let why = refused(weak);
            assert!(
                weak.is_empty() || why.contains("slowpath serve --token-file"),
                "{weak}: {why}"
            );
        }
        assert!(refused(&"x7Q!".repeat(300)).contains("1024"));
    }

    #[test]
    fn words_that_are_hard_to_guess_are_stretched() {
        let words = "orbit-velvet-cactus-61-lantern-quarry-mule";
        let key = *Token::read(words).unwrap().key();
        // As another implementation computes it (OpenSSL): ends of different builds must agree.
        assert_eq!(hexadecimal(&key), ARGON2_OF_WORDS);
        // What another program made, or a hash of something, may be anything: it costs as much to try.
        let hash = "6b3a55e0261b0304143f805a24924d0c1c44524e";
        assert_ne!(*Token::read(hash).unwrap().key(), *hashed(hash));
    }

    const ARGON2_OF_WORDS: &str = "267ee39021633ff22c47164c4f2af879fc22a71f029f702c5e6c7144282b20b7";

    proptest! {
        #[test]
        fn one_wrong_letter_is_found(place in 0..MADE_LETTERS - MARK.len(), letter in "[0-9a-z]", cut in 1..MADE_LETTERS - MARK.len()) {
            let made = new_token().unwrap();
            let mut wrong = made.clone();
            let at = MARK.len() + place;
            wrong.replace_range(at..=at, &letter);
            prop_assume!(wrong != made);
            prop_assert!(refused(&wrong).contains("mistyped"));
            prop_assert!(refused(&made[..made.len() - cut]).contains("copy all of it"));
        }

        #[test]
        fn foreign_text_never_panics(text in "\\PC{0,60}") {
            let _ = check_strength(&text);
            let _ = is_whole(&text);
        }
    }

    #[test]
    fn the_machine_stays_the_same() {
        assert_eq!(machine_fingerprint(), machine_fingerprint());
    }
}

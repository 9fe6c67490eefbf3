//! Logging in to an iperf3 server that has users (`iperf3 -s --authorized-users-path`).
//!
//! The client sends its user, its password and the time, encrypted with the server's public RSA key; the server compares the
//! time with its own clock, some seconds either way. Only the public key is ever handled here.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rsa::PublicKey;
use rsa::pkcs8::DecodePublicKey;
use sha1::Sha1;
use std::time::{SystemTime, UNIX_EPOCH};
use zeroize::Zeroizing;

/// How the text is padded before it is encrypted: OAEP since iperf3 3.17, PKCS #1 v1.5 before. A server does not tell which one
/// it wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Padding {
    Oaep,
    Pkcs1v15,
}

impl Padding {
    pub(super) const ALL: [Self; 2] = [Self::Oaep, Self::Pkcs1v15];
}

/// A user of an iperf3 server.
pub struct Login {
    user: String,
    password: Zeroizing<String>,
    key: PublicKey,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

/// Why nobody can log in like this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// It is no public key.
    #[error("no public RSA key in PEM (“-----BEGIN PUBLIC KEY-----”): {0}")]
    Key(String),
    /// The server would read it up to the first blank.
    #[error("iperf3 has no users and passwords with blanks in them, and no empty ones")]
    Blank,
    /// User and password do not fit into what the key encrypts.
    #[error("user and password are too long for the server's key")]
    TooLong,
}

impl Login {
    /// A user with a password, and the server's public key in PEM.
    ///
    /// # Errors
    /// [`LoginError::Blank`] where iperf3 could not read them, [`LoginError::Key`] where the key is none, [`LoginError::TooLong`]
    /// where it is too short for them.
    pub fn new(user: String, password: Zeroizing<String>, key_pem: &str) -> Result<Self, LoginError> {
        let unreadable = |text: &str| text.is_empty() || text.contains(char::is_whitespace);
        if unreadable(&user) || unreadable(&password) {
            return Err(LoginError::Blank);
        }
        let key = PublicKey::from_public_key_pem(key_pem.trim());
        let login = Self {
            user,
            password,
            key: key.map_err(|error| LoginError::Key(error.to_string()))?,
        };
        login.token(Padding::Oaep, SystemTime::now())?;
        Ok(login)
    }

    /// What is sent with the parameters of a test.
    pub(super) fn token(&self, padding: Padding, at: SystemTime) -> Result<String, LoginError> {
        let unix_s = at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        // Word for word as the server takes it apart, two blanks behind “pwd:”.
        let text = Zeroizing::new(format!(
            "user: {}\npwd:  {}\nts:   {unix_s}",
            self.user, *self.password
        ));
        let encrypted = match padding {
            Padding::Oaep => self.key.oaep_encrypt::<Sha1>(text.as_bytes()),
            Padding::Pkcs1v15 => self.key.pkcs1v15_encrypt(text.as_bytes()),
        };
        encrypted
            .map(|bytes| STANDARD.encode(bytes))
            .map_err(|_| LoginError::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rsa::pkcs8::{EncodePublicKey, LineEnding};
    use rsa::{Generate, PrivateKey};
    use std::time::Duration;

    /// Servers since 3.17 take the first padding, and iperf3 in tests may be older.
    #[test]
    fn a_server_reads_both_paddings() {
        let private = PrivateKey::generate();
        let public = private.to_public_key().to_public_key_pem(LineEnding::LF).unwrap();
        let login = Login::new("mario".to_owned(), "rossi".to_owned().into(), &public).unwrap();
        for padding in Padding::ALL {
            let token = login
                .token(padding, UNIX_EPOCH + Duration::from_secs(1_700_000_000))
                .unwrap();
            let bytes = STANDARD.decode(token).unwrap();
            let text = match padding {
                Padding::Oaep => private.oaep_decrypt::<Sha1>(&bytes),
                Padding::Pkcs1v15 => private.pkcs1v15_decrypt(&bytes),
            };
            let text = String::from_utf8(text.unwrap()).unwrap();
            assert_eq!(text, "user: mario\npwd:  rossi\nts:   1700000000");
        }
        assert!(!format!("{login:?}").contains("rossi"));
    }
}

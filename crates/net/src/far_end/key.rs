//! Keys that are given to one peer only.

use crate::NetError;
use probe::SessionKey;
use rand::TryRngCore;
use rand::rngs::OsRng;

/// A random key, valid for one session or transfer.
pub(super) fn random_key() -> Result<SessionKey, NetError> {
    let mut key = SessionKey::default();
    OsRng.try_fill_bytes(&mut key).map_err(|error| {
        NetError::os(
            "asking for random bytes",
            std::io::Error::other(error.to_string()),
        )
    })?;
    Ok(key)
}

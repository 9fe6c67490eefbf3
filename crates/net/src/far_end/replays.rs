//! Recognises a first message that was seen before: whoever records a greeting must not draw an answer with it.

use std::collections::{BTreeSet, VecDeque};

/// Greetings remembered, 40 bytes each. Beyond this the oldest is forgotten: who recorded it can draw the 50 bytes of a
/// handshake answer with it, once more, and nothing else. Only who has the token can make the program forget.
const MAX_REMEMBERED: usize = 1 << 16;

/// The ephemeral keys of the valid first messages of this server's lifetime.
#[derive(Debug, Default)]
pub(super) struct Replays {
    seen: BTreeSet<u128>,
    order: VecDeque<u128>,
}

impl Replays {
    /// Whether no valid message with this key was seen before; it is remembered. The tag of the message covers the key, so
    /// that a replay cannot carry another one.
    pub(super) fn is_first(&mut self, ephemeral: &[u8; 32]) -> bool {
        // Half of a random key is as good as all of it.
        let (half, _) = ephemeral.split_at(16);
        let key = half.try_into().map(u128::from_le_bytes).unwrap_or_default();
        if !self.seen.insert(key) {
            return false;
        }
        self.order.push_back(key);
        if self.order.len() > MAX_REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.seen.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> [u8; 32] {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&number.to_le_bytes());
        key
    }

    #[test]
    fn each_key_is_first_once_as_long_as_it_is_remembered() {
        let mut replays = Replays::default();
        for number in 0..MAX_REMEMBERED {
            assert!(replays.is_first(&key(number)));
        }
        assert!((0..MAX_REMEMBERED).all(|number| !replays.is_first(&key(number))));
        assert!(replays.is_first(&key(MAX_REMEMBERED)));
        assert_eq!(
            (replays.seen.len(), replays.order.len()),
            (MAX_REMEMBERED, MAX_REMEMBERED)
        );
        assert!(!replays.is_first(&key(1)) && replays.is_first(&key(0)));
    }
}

//! Numbers that forgers of answers would have to guess.

use rand::TryRngCore;
use rand::rngs::OsRng;

/// A number that nobody off the path can guess: it stands in the probes, and answers must return it.
pub(crate) fn secret_number() -> u32 {
    // Without entropy the process id still tells two runs apart; only the guard against forgers is weaker.
    OsRng
        .try_next_u32()
        .unwrap_or_else(|_| std::process::id().wrapping_mul(0x9e37_79b9))
}

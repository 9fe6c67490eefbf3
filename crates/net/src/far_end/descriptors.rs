//! How many strangers there may be at the door, by the files that this process may open.

use super::guard::{MAX_KEPT, MAX_PROVED, MAX_SESSIONS, MAX_STRANGERS};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// What stands beside strangers: kept places, proofs, sessions, the connections of a transfer, and what the program has
/// open by itself.
const BESIDE: usize = MAX_KEPT as usize + MAX_PROVED + MAX_SESSIONS as usize + 128 + 64;
/// Where the system allows hardly any: a door all the same.
const FEWEST: usize = 32;

/// Raises the soft limit on open files as far as a full house needs it and the hard limit allows; gives how many
/// strangers fit within it. Accepting one more than that would fail, and the newest would be the one that waits.
pub(super) fn places_for_strangers() -> usize {
    let wanted = (BESIDE + MAX_STRANGERS) as u64;
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return FEWEST;
    };
    let raised = soft.max(wanted.min(hard));
    let allowed = match setrlimit(Resource::RLIMIT_NOFILE, raised, hard) {
        Ok(()) => raised,
        Err(_) => soft,
    };
    within(usize::try_from(allowed).unwrap_or(usize::MAX))
}

fn within(files: usize) -> usize {
    files.saturating_sub(BESIDE).clamp(FEWEST, MAX_STRANGERS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_have_what_others_do_not_need() {
        assert_eq!(within(1 << 20), MAX_STRANGERS);
        assert_eq!(within(1_024), 1_024 - BESIDE);
        assert_eq!(within(64), FEWEST);
    }
}

//! Capabilities (capabilities(7)): what is left of root's power, thread by thread.

use crate::NetError;
use crate::sys::rights;
use caps::{CapSet, Capability, CapsHashSet};
use std::io;

/// More than the kernel has, and as many as its sets have bits.
const MOST_CAPABILITIES: u8 = 64;

/// Whether the calling thread may use `capability` now.
pub(super) fn may(capability: Capability) -> bool {
    caps::has_cap(None, CapSet::Effective, capability).unwrap_or(false)
}

/// Empties the bounding set: nothing that is ever executed gains a capability, whatever its file says. Before the user
/// is changed, as it takes `CAP_SETPCAP`. Gives in words what was not done.
pub(super) fn empty_bounding_set() -> Option<String> {
    for number in 0..MOST_CAPABILITIES {
        match rights::drop_from_bounding_set(number) {
            Ok(true) => {}
            Ok(false) => break,
            // Somebody emptied it before us.
            Err(_) if caps::read(None, CapSet::Bounding).is_ok_and(|left| left.is_empty()) => break,
            Err(error) => {
                return Some(format!(
                    "the bounding set is not emptied ({error}; it takes CAP_SETPCAP): no_new_privs keeps it from being used"
                ));
            }
        }
    }
    None
}

/// Keeps those of `wanted` that the thread has, usable at once, and nothing else: ambient and inheritable sets are
/// empty afterwards.
///
/// # Errors
/// The kernel refuses to take rights away: then nobody should be talked to.
pub(super) fn keep_only(wanted: &[Capability]) -> Result<(), NetError> {
    let failed = |doing: &'static str| {
        move |error: caps::errors::CapsError| NetError::os(doing, io::Error::other(error.to_string()))
    };
    let held = caps::read(None, CapSet::Permitted).map_err(failed("reading the capabilities"))?;
    let kept: CapsHashSet = held.into_iter().filter(|held| wanted.contains(held)).collect();
    caps::clear(None, CapSet::Ambient).map_err(failed("dropping ambient capabilities"))?;
    caps::set(None, CapSet::Effective, &kept).map_err(failed("dropping effective capabilities"))?;
    caps::set(None, CapSet::Permitted, &kept).map_err(failed("dropping permitted capabilities"))?;
    caps::clear(None, CapSet::Inheritable).map_err(failed("dropping inheritable capabilities"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_is_kept_and_nothing_else() {
        // A thread of its own: the other tests keep what they have.
        let left = std::thread::spawn(|| {
            let had = caps::read(None, CapSet::Permitted).unwrap();
            keep_only(&[Capability::CAP_NET_RAW]).unwrap();
            let sets = [CapSet::Permitted, CapSet::Effective, CapSet::Inheritable];
            (had, sets.map(|set| caps::read(None, set).unwrap()))
        });
        let (had, [permitted, effective, inheritable]) = left.join().unwrap();
        let allowed: CapsHashSet = had
            .into_iter()
            .filter(|held| *held == Capability::CAP_NET_RAW)
            .collect();
        assert_eq!(permitted, allowed);
        assert_eq!(effective, allowed);
        assert!(inheritable.is_empty());
    }
}

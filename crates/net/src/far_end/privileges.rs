//! Gives up what neither the far end nor a client needs: whatever a hostile packet could make of a fault of ours, it
//! then has no more rights than a `ping`.

use crate::NetError;
use caps::{CapSet, Capability, CapsHashSet};
use std::io;

/// Drops every capability but `CAP_NET_RAW`, which probes of the path need where they are allowed, and forbids
/// gaining any by executing something. Gives whether `CAP_NET_RAW` is left.
///
/// Capabilities belong to threads: call this before starting any, so that they inherit what is left.
///
/// # Errors
/// The kernel refuses to drop privileges; then nothing should be served.
pub fn drop_privileges() -> Result<bool, NetError> {
    keep_only(&[Capability::CAP_NET_RAW])
}

/// The same for a client. It keeps `CAP_NET_ADMIN` as well, for large socket buffers and any congestion control that
/// the user asks for; and, with `writes_files_of_others`, the right to write into a case that another user owns.
///
/// # Errors
/// The kernel refuses to drop privileges.
pub fn drop_client_privileges(writes_files_of_others: bool) -> Result<bool, NetError> {
    let files = writes_files_of_others.then_some(Capability::CAP_DAC_OVERRIDE);
    let kept: Vec<Capability> = [Capability::CAP_NET_RAW, Capability::CAP_NET_ADMIN]
        .into_iter()
        .chain(files)
        .collect();
    keep_only(&kept)
}

fn keep_only(wanted: &[Capability]) -> Result<bool, NetError> {
    let context = |doing: &'static str| {
        move |error: caps::errors::CapsError| NetError::os(doing, io::Error::other(error.to_string()))
    };
    nix::sys::prctl::set_no_new_privs()
        .map_err(|error| NetError::os("forbidding new privileges", error.into()))?;
    let held = caps::read(None, CapSet::Permitted).map_err(context("reading the capabilities"))?;
    let kept: CapsHashSet = held.into_iter().filter(|held| wanted.contains(held)).collect();
    let has_raw = kept.contains(&Capability::CAP_NET_RAW);
    caps::clear(None, CapSet::Ambient).map_err(context("dropping ambient capabilities"))?;
    caps::set(None, CapSet::Effective, &kept).map_err(context("dropping effective capabilities"))?;
    caps::set(None, CapSet::Permitted, &kept).map_err(context("dropping permitted capabilities"))?;
    caps::clear(None, CapSet::Inheritable).map_err(context("dropping inheritable capabilities"))?;
    Ok(has_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_raw_sockets_are_left() {
        // A thread of its own: the other tests keep what they have.
        let left = std::thread::spawn(|| {
            let has_raw = drop_privileges().unwrap();
            (
                has_raw,
                caps::read(None, CapSet::Permitted).unwrap(),
                caps::read(None, CapSet::Effective).unwrap(),
            )
        });
        let (has_raw, permitted, effective) = left.join().unwrap();
        let allowed: CapsHashSet = has_raw.then_some(Capability::CAP_NET_RAW).into_iter().collect();
        assert_eq!(permitted, allowed);
        assert_eq!(effective, allowed);
    }
}

//! No more rights than needed: what a process that talks to strangers gives up before the first packet, so that whatever
//! a hostile packet could make of a fault of ours has less power than a `ping`. One file per mechanism: the user
//! (`account`), capabilities, files (Landlock), system calls (seccomp); and what is left of all that, as the kernel tells
//! (`remaining`).
//!
//! All of it belongs to threads and is inherited by those that they start: it is given up while there is one.

mod account;
mod calls;
mod capabilities;
mod files;
mod filter;
mod keeper;
mod remaining;

pub use account::{Account, AccountError};
pub use files::{Client, Enforced, Reach};
pub use keeper::keep_apart;
pub use remaining::{CapabilitySets, Remaining, Rights, Seccomp, Tried};

use crate::NetError;
use caps::Capability;
use files::confine;
use filter::Work;
use std::io;
use std::os::fd::BorrowedFd;

/// What became of a server's rights.
#[derive(Debug)]
pub struct Restricted {
    /// Whether `CAP_NET_RAW` is left: path probes open raw sockets when a client asks for them.
    pub has_raw: bool,
    /// Which files it may reach.
    pub files: Enforced,
    /// What this system does not allow to be given up, in words. It serves all the same.
    pub not_applied: Vec<String>,
}

/// Where a server may open TCP connections to, beside DNS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connects {
    /// Nowhere: its clients come to it.
    Nowhere,
    /// To the client that it dials, at this port: all connections of its tests go there.
    ToPort(u16),
    /// To ports that nobody knows yet: of other far ends, and of a client that will tell where it waits.
    Anywhere,
}

/// Gives up what a server does not need once its `sockets` are open: the user (for `asked`, else nobody), every capability
/// but `CAP_NET_RAW`, the bounding set, files and system calls; and it can be neither traced nor dumped, as it holds the
/// token.
///
/// # Errors
/// Several threads run already; a user that was asked for cannot be had; or the kernel refuses what every kernel allows.
/// Then nobody should be served.
pub fn restrict_server(
    asked: Option<Account>,
    sockets: &[BorrowedFd<'_>],
    connects: Connects,
) -> Result<Restricted, NetError> {
    restrict(asked, sockets, &[Capability::CAP_NET_RAW], connects)
}

/// The same for a reflector, which opens no further sockets: no capability is left.
///
/// # Errors
/// As for a server.
pub fn restrict_reflector(
    asked: Option<Account>,
    sockets: &[BorrowedFd<'_>],
) -> Result<Restricted, NetError> {
    restrict(asked, sockets, &[], Connects::Nowhere)
}

fn restrict(
    asked: Option<Account>,
    sockets: &[BorrowedFd<'_>],
    kept: &[Capability],
    connects: Connects,
) -> Result<Restricted, NetError> {
    single_thread()?;
    forbid_new_privileges()?;
    let mut not_applied = Vec::new();
    not_applied.extend(capabilities::empty_bounding_set());
    not_applied.extend(account::switch(asked, sockets)?);
    capabilities::keep_only(kept)?;
    // After the change of user, which sets it anew.
    nix::sys::prctl::set_dumpable(false)
        .map_err(|error| NetError::os("making the process undumpable", error.into()))?;
    let (files, missing) = confine(Reach::of_server(connects));
    not_applied.extend(missing);
    not_applied.extend(filter::apply(Work::Server));
    Ok(Restricted {
        has_raw: capabilities::may(Capability::CAP_NET_RAW),
        files,
        not_applied,
    })
}

/// The same for a client, which stays the user's: a case is the user's, and so is the token. It keeps `CAP_NET_RAW`, and
/// `CAP_NET_ADMIN` for large socket buffers and any congestion control that the user asks for; and `CAP_DAC_OVERRIDE` for a
/// case that another user owns. What this system does not allow to be given up, stays: whoever calls a client has these
/// rights anyway.
///
/// # Errors
/// As for a server.
pub fn restrict_client(client: &Client<'_>) -> Result<(), NetError> {
    single_thread()?;
    forbid_new_privileges()?;
    let files = client.case_is_foreign.then_some(Capability::CAP_DAC_OVERRIDE);
    let kept: Vec<Capability> = [Capability::CAP_NET_RAW, Capability::CAP_NET_ADMIN]
        .into_iter()
        .chain(files)
        .collect();
    let _ = capabilities::empty_bounding_set();
    capabilities::keep_only(&kept)?;
    let _ = confine(Reach::of_client(client));
    let _ = filter::apply(Work::Client);
    Ok(())
}

/// A thread that runs already would keep everything. Where `/proc` does not tell, the callers' order is trusted.
fn single_thread() -> Result<(), NetError> {
    let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    if threads == 1 {
        return Ok(());
    }
    let source = io::Error::other(format!(
        "{threads} threads run already, and would keep them: this is a fault of slowpath, please report it"
    ));
    Err(NetError::os("giving up rights", source))
}

fn forbid_new_privileges() -> Result<(), NetError> {
    nix::sys::prctl::set_no_new_privs()
        .map_err(|error| NetError::os("forbidding new privileges", error.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_several_threads_nothing_is_given_up() {
        // The runner of the tests is one, this test another.
        let error = restrict_server(None, &[], Connects::Nowhere)
            .unwrap_err()
            .to_string();
        assert!(error.contains("threads run already"), "{error}");
        assert!(restrict_client(&Client::default()).is_err());
        assert!(!nix::sys::prctl::get_no_new_privs().unwrap());
    }
}

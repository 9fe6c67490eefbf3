//! A process apart that keeps the right to a few files, so that the one that talks to strangers needs none: it reads a file
//! again when it has changed, and writes lines that the other hands over.

use super::files::{Reach, confine};
use super::filter::{self, Work};
use super::{capabilities, forbid_new_privileges, single_thread};
use crate::NetError;
use crate::sys::fork;
use caps::Capability;
use nix::sys::signal::{SigSet, Signal};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

/// Starts a process that does `work` with one end of a connection, may read below `reads` and write below `writes`, and ends
/// when `work` does: it has to when its end is closed, as it hears no signal that ends the program. Gives the other end. Both
/// keep the user.
///
/// # Errors
/// Several threads run already, or the system does not start it.
pub fn keep_apart(
    reads: Vec<PathBuf>,
    writes: Vec<PathBuf>,
    work: impl FnOnce(UnixStream),
) -> Result<UnixStream, NetError> {
    single_thread()?;
    let context = |error| NetError::os("starting the process that reads and writes files", error);
    let (near, far) = UnixStream::pair().map_err(context)?;
    let is_child = fork::is_child().map_err(context)?;
    if !is_child {
        return Ok(near);
    }
    drop(near);
    // Whoever stops the program stops both, and what the other says last is still to be written.
    let mut ignored = SigSet::empty();
    [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]
        .into_iter()
        .for_each(|signal| ignored.add(signal));
    let _ = ignored.thread_block();
    if restrict(reads, writes).is_ok() {
        work(far);
    }
    std::process::exit(0)
}

fn restrict(reads: Vec<PathBuf>, writes: Vec<PathBuf>) -> Result<(), NetError> {
    forbid_new_privileges()?;
    let _ = capabilities::empty_bounding_set();
    // Started as root, for files of other users.
    capabilities::keep_only(&[Capability::CAP_DAC_OVERRIDE])?;
    let _ = nix::sys::prctl::set_dumpable(false);
    let _ = confine(Reach {
        reads: Some(reads),
        writes,
        tcp_ports: Some(Vec::new()),
    });
    let _ = filter::apply(Work::Client);
    Ok(())
}

//! A second process of this program.

use nix::unistd::{ForkResult, fork};
use std::io;

/// Splits the process in two; whether this is the new one. For a process with one thread: the new one has a copy of all that
/// others may hold locked.
pub(crate) fn is_child() -> io::Result<bool> {
    // SAFETY: there is one thread (the caller has looked), so that no lock is held by a thread which the new process lacks.
    let done = unsafe { fork() }?;
    Ok(matches!(done, ForkResult::Child))
}

//! Network namespaces without a name, held by descriptors.

use std::fs::File;
use std::os::fd::OwnedFd;

use nix::sched::{CloneFlags, setns, unshare};

use crate::error::{LabError, while_doing};

/// Moves the calling thread into a new network namespace and returns a descriptor of it.
pub(crate) fn unshare_here() -> Result<OwnedFd, LabError> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(|e| LabError::Namespaces { source: e.into() })?;
    let file = File::open("/proc/thread-self/ns/net").map_err(while_doing("opening a network namespace"))?;
    Ok(file.into())
}

/// Moves the calling thread into the namespace.
pub(crate) fn enter(namespace: &OwnedFd) -> Result<(), LabError> {
    setns(namespace, CloneFlags::CLONE_NEWNET).map_err(while_doing("entering a network namespace"))
}

/// Runs `work` on a thread inside the namespace; the calling thread stays where it is.
pub(crate) fn run_inside<T: Send>(
    namespace: &OwnedFd,
    work: impl FnOnce() -> Result<T, LabError> + Send,
) -> Result<T, LabError> {
    on_own_thread(|| {
        enter(namespace)?;
        work()
    })
}

/// Runs `work` on a thread of its own, which may change its namespace at will.
pub(crate) fn on_own_thread<T: Send>(
    work: impl FnOnce() -> Result<T, LabError> + Send,
) -> Result<T, LabError> {
    std::thread::scope(|scope| match scope.spawn(work).join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// Runs a future on the calling thread, which may sit in any network namespace.
pub(crate) fn block_on<T>(future: impl Future<Output = Result<T, LabError>>) -> Result<T, LabError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime
        .map_err(while_doing("starting a runtime"))?
        .block_on(future)
}

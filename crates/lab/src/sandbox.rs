//! A place that vanishes with its process.
//!
//! The calling process stays outside as a supervisor. Below it runs pid 1 of a new pid namespace, and below that
//! the worker, in which [`enter_sandbox`] returns. The supervisor's death kills pid 1 (`PR_SET_PDEATHSIG`), and
//! with pid 1 the kernel kills everything inside, so that `kill -9` of any of the three leaves no process. The
//! network namespaces have no names, only descriptors in these processes, so they vanish too.
//!
//! Pid 1 is a process of its own because it is special: it must reap orphans, and signals without a handler do
//! not reach it.

use std::io::{self, Read, Write};
use std::sync::OnceLock;

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid};

use crate::error::{LabError, while_doing};
use crate::names::NameFiles;
use crate::sys;

/// What a process inside the sandbox holds.
#[derive(Debug)]
pub(crate) struct Sandbox {
    pub(crate) names: NameFiles,
    pub(crate) rootless: bool,
}

static SANDBOX: OnceLock<Sandbox> = OnceLock::new();

pub(crate) fn current() -> Result<&'static Sandbox, LabError> {
    SANDBOX.get().ok_or(LabError::NotInSandbox)
}

/// Whether this process is inside the sandbox and got there without root.
#[must_use]
pub fn is_rootless() -> bool {
    SANDBOX.get().is_some_and(|s| s.rootless)
}

/// Moves the program into the sandbox: on success this returns in a new process, while the calling one waits
/// and then exits with that process's exit code. Call it first thing in `main`, before any thread exists.
/// Calling it again inside does nothing.
///
/// # Errors
/// [`LabError::Threads`] with more than one thread; [`LabError::Namespaces`] where the kernel refuses.
pub fn enter_sandbox() -> Result<(), LabError> {
    if SANDBOX.get().is_some() {
        return Ok(());
    }
    let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
    if threads != 1 {
        return Err(LabError::Threads { threads });
    }
    let rootless = leave_namespaces()?;
    let (mut alive_reader, alive_writer) = io::pipe().map_err(while_doing("making a pipe"))?;
    match sys::fork_single_threaded().map_err(while_doing("starting the sandbox"))? {
        ForkResult::Parent { child } => {
            drop(alive_reader);
            supervise(child, alive_writer)
        }
        ForkResult::Child => {
            nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)
                .map_err(while_doing("tying pid 1 to its parent"))?;
            drop(alive_writer);
            // A parent that died before the line above sends no signal: then the pipe is at its end.
            if alive_reader.read_exact(&mut [0]).is_err() {
                std::process::exit(EXIT_LOST);
            }
            let names = prepare_mounts()?;
            split_off_worker()?;
            let _ = SANDBOX.set(Sandbox { names, rootless });
            Ok(())
        }
    }
}

/// Exit code of a sandbox whose supervisor is gone; nobody is left to read it.
const EXIT_LOST: i32 = 125;

/// Leaves the pid, mount and network namespaces, and the user namespace where the others need it.
fn leave_namespaces() -> Result<bool, LabError> {
    let flags = CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWNET;
    let (uid, gid) = (nix::unistd::geteuid(), nix::unistd::getegid());
    if uid.is_root() && unshare(flags).is_ok() {
        return Ok(false);
    }
    unshare(flags | CloneFlags::CLONE_NEWUSER).map_err(|e| LabError::Namespaces { source: e.into() })?;
    let write =
        |path: &str, text: String| std::fs::write(path, text).map_err(while_doing(format!("writing {path}")));
    write("/proc/self/setgroups", "deny".to_owned())?;
    write("/proc/self/uid_map", format!("0 {uid} 1"))?;
    write("/proc/self/gid_map", format!("0 {gid} 1"))?;
    Ok(true)
}

fn prepare_mounts() -> Result<NameFiles, LabError> {
    let nothing = None::<&str>;
    mount(
        nothing,
        "/",
        nothing,
        MsFlags::MS_REC | MsFlags::MS_PRIVATE,
        nothing,
    )
    .map_err(while_doing("making the mounts private"))?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    // Containers with a masked /proc refuse a new one. The old one serves: it only shows more processes.
    let _ = mount(Some("proc"), "/proc", Some("proc"), flags, nothing);
    NameFiles::mount()
}

/// Stays behind as pid 1 and returns in the worker.
fn split_off_worker() -> Result<(), LabError> {
    match sys::fork_single_threaded().map_err(while_doing("starting the worker"))? {
        ForkResult::Child => Ok(()),
        ForkResult::Parent { child } => {
            ignore_terminal_signals();
            std::process::exit(wait_for(child))
        }
    }
}

fn supervise(child: Pid, mut alive_writer: io::PipeWriter) -> ! {
    ignore_terminal_signals();
    let _ = alive_writer.write_all(&[1]);
    std::process::exit(wait_for(child))
}

/// Ctrl-C goes to the whole foreground group; the worker decides what it means.
fn ignore_terminal_signals() {
    for number in [Signal::SIGINT, Signal::SIGQUIT] {
        let _ = sys::ignore_signal(number);
    }
}

/// Reaps whatever ends until `awaited` does; its exit code as a shell would give it.
fn wait_for(awaited: Pid) -> i32 {
    loop {
        match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == awaited => return code,
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == awaited => return 128 + signal as i32,
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return EXIT_LOST,
        }
    }
}

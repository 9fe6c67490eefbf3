//! Attempts that tell whether the kernel allows something, and leave nothing changed.

use socket2::{Domain, Socket, Type};
use std::io;
use std::os::fd::AsRawFd;

/// Asks for ICMP errors on a UDP socket (`IP_RECVERR`).
pub(crate) fn error_queue() -> io::Result<()> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, None)?;
    let on: libc::c_int = 1;
    // SAFETY: the descriptor is open, and the option's value is an int that lives until the call returns.
    let done = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_IP,
            libc::IP_RECVERR,
            (&raw const on).cast(),
            size_of_val(&on) as libc::socklen_t,
        )
    };
    if done < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

/// Asks for real-time scheduling, in a thread that ends right after.
pub(crate) fn realtime() -> io::Result<()> {
    let attempt = std::thread::Builder::new().spawn(|| {
        // SAFETY: all-zero bytes are a valid `sched_param`.
        let mut lowest: libc::sched_param = unsafe { std::mem::zeroed() };
        lowest.sched_priority = 1;
        // SAFETY: `lowest` lives until the call returns; process 0 is the calling thread.
        let done = unsafe { libc::sched_setscheduler(0, libc::SCHED_RR, &raw const lowest) };
        if done < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
    })?;
    attempt
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("the attempt broke off")))
}

/// Makes a user and a network namespace in a child process that ends right after: a process with several threads
/// cannot enter a new user namespace itself. Both at once, because some distributions grant the first and then
/// take away the privileges that the second needs.
pub(crate) fn user_namespace() -> io::Result<()> {
    // SAFETY: the child calls only functions that are safe after a fork of a process with threads (`unshare` and
    // `_exit` are plain system calls), and never returns.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    if child == 0 {
        // SAFETY: as above; `errno` is thread local.
        unsafe {
            let done = libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET);
            let code = if done < 0 { *libc::__errno_location() } else { 0 };
            libc::_exit(code);
        }
    }
    let mut status = 0;
    loop {
        // SAFETY: `status` lives until the call returns, and the child is ours.
        let done = unsafe { libc::waitpid(child, &raw mut status, 0) };
        if done == child {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    match (libc::WIFEXITED(status), libc::WEXITSTATUS(status)) {
        (true, 0) => Ok(()),
        (true, code) => Err(io::Error::from_raw_os_error(code)),
        (false, _) => Err(io::Error::other("the attempt was killed")),
    }
}

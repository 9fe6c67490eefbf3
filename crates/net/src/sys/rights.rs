//! System calls by which a process gives up rights.

use std::io;

/// Removes one capability from the calling thread's bounding set. Whether the kernel knows such a capability.
pub(crate) fn drop_from_bounding_set(capability: u8) -> io::Result<bool> {
    // SAFETY: PR_CAPBSET_DROP takes one number and touches no memory.
    let done = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, libc::c_ulong::from(capability), 0, 0, 0) };
    let error = io::Error::last_os_error();
    match (done, error.raw_os_error()) {
        (0, _) => Ok(true),
        (_, Some(libc::EINVAL)) => Ok(false),
        _ => Err(error),
    }
}

/// Puts a filter before every system call of the calling thread and of those that it will start. Needs
/// `no_new_privs`. Cannot be undone.
///
/// Before Linux 5.16 a filter also switches off the processor's speculative store bypass, which protects programs that
/// run other people's code, and makes all memory traffic slower. This program runs nobody's code and measures rates:
/// `SECCOMP_FILTER_FLAG_SPEC_ALLOW` (Linux 4.17) leaves it on.
pub(crate) fn filter_system_calls(program: &[libc::sock_filter]) -> io::Result<()> {
    let Ok(len) = libc::c_ushort::try_from(program.len()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let program = libc::sock_fprog {
        len,
        filter: program.as_ptr().cast_mut(),
    };
    let install = |flags: libc::c_ulong| {
        // SAFETY: the kernel reads `len` instructions, checks and copies them, and changes nothing. They live until the
        // call returns.
        let done = unsafe {
            libc::syscall(
                libc::SYS_seccomp,
                libc::c_ulong::from(libc::SECCOMP_SET_MODE_FILTER),
                flags,
                &raw const program,
            )
        };
        if done == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    };
    match install(libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW) {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => install(0),
        done => done,
    }
}

//! System calls to try. Each is harmless where it works: null pointers, descriptors that are not open, no such process.

use libc::{SYS_kill, SYS_mmap, SYS_prctl, SYS_socket, c_long};
use std::io;

/// Attempts for which there is no safe function. Last, as some would change this process where they work.
pub(crate) fn all() -> Vec<(&'static str, io::Result<()>)> {
    let parent = c_long::from(std::os::unix::process::parent_id() as i32);
    let rwx = c_long::from(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC);
    let anonymous = c_long::from(libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    let (attach, socket) = (
        c_long::from(libc::SO_ATTACH_FILTER),
        c_long::from(libc::SOL_SOCKET),
    );
    let (internet, stream, raw) = (
        c_long::from(libc::AF_INET),
        c_long::from(libc::SOCK_STREAM),
        c_long::from(libc::SOCK_RAW),
    );
    let calls: &[(&'static str, c_long, &[c_long])] = &[
        ("execve", libc::SYS_execve, &[]),
        ("ptrace", libc::SYS_ptrace, &[libc::PTRACE_ATTACH as c_long]),
        ("mount", libc::SYS_mount, &[]),
        ("umount2", libc::SYS_umount2, &[]),
        ("chroot", libc::SYS_chroot, &[]),
        ("pivot_root", libc::SYS_pivot_root, &[]),
        ("init_module", libc::SYS_init_module, &[]),
        ("finit_module", libc::SYS_finit_module, &[-1]),
        ("delete_module", libc::SYS_delete_module, &[]),
        ("bpf", libc::SYS_bpf, &[]),
        ("keyctl", libc::SYS_keyctl, &[0xffff]),
        ("add_key", libc::SYS_add_key, &[]),
        ("request_key", libc::SYS_request_key, &[]),
        ("kexec_load", libc::SYS_kexec_load, &[0, 0, 0, 0xffff]),
        ("reboot", libc::SYS_reboot, &[]),
        ("unshare", libc::SYS_unshare, &[]),
        ("setns", libc::SYS_setns, &[-1]),
        ("setuid", libc::SYS_setuid, &[0]),
        ("setresuid", libc::SYS_setresuid, &[-1, -1, -1]),
        ("setresgid", libc::SYS_setresgid, &[-1, -1, -1]),
        ("setgroups", libc::SYS_setgroups, &[]),
        ("capset", libc::SYS_capset, &[]),
        ("process_vm_readv", libc::SYS_process_vm_readv, &[]),
        ("process_vm_writev", libc::SYS_process_vm_writev, &[]),
        ("userfaultfd", libc::SYS_userfaultfd, &[-1]),
        ("io_uring_setup", libc::SYS_io_uring_setup, &[]),
        ("perf_event_open", libc::SYS_perf_event_open, &[]),
        ("open_by_handle_at", libc::SYS_open_by_handle_at, &[-1]),
        ("memfd_create", libc::SYS_memfd_create, &[]),
        ("pidfd_open", libc::SYS_pidfd_open, &[]),
        ("personality", libc::SYS_personality, &[0xffff_ffff]),
        ("sethostname", libc::SYS_sethostname, &[0, -1]),
        ("settimeofday", libc::SYS_settimeofday, &[]),
        ("swapon", libc::SYS_swapon, &[]),
        ("seccomp", libc::SYS_seccomp, &[0xff]),
        (
            "landlock_create_ruleset",
            libc::SYS_landlock_create_ruleset,
            &[0, 0, 1],
        ),
        ("signal the parent", SYS_kill, &[parent]),
        (
            "signal a thread of the parent",
            libc::SYS_tgkill,
            &[parent, parent],
        ),
        ("raise a limit", libc::SYS_prlimit64, &[0, 0, 1]),
        ("run what was written", SYS_mmap, &[0, 4096, rwx, anonymous, -1]),
        ("write what can run", libc::SYS_mprotect, &[0, 0, rwx]),
        (
            "attach a filter to a socket",
            libc::SYS_setsockopt,
            &[-1, socket, attach],
        ),
        (
            "type on a terminal",
            libc::SYS_ioctl,
            &[-1, libc::TIOCSTI as c_long],
        ),
        (
            "see everybody's packets",
            SYS_socket,
            &[c_long::from(libc::AF_PACKET), raw],
        ),
        (
            "use the kernel's ciphers",
            SYS_socket,
            &[c_long::from(libc::AF_ALG), 5],
        ),
        (
            "load a protocol",
            SYS_socket,
            &[internet, stream, c_long::from(libc::IPPROTO_SCTP)],
        ),
        (
            "talk to the firewall",
            SYS_socket,
            &[c_long::from(libc::AF_NETLINK), raw, 12],
        ),
        ("clone3", libc::SYS_clone3, &[]),
        ("openat2", libc::SYS_openat2, &[-1]),
        ("a call of the future", 900, &[]),
        (
            "become dumpable",
            SYS_prctl,
            &[c_long::from(libc::PR_SET_DUMPABLE), 1],
        ),
    ];
    calls
        .iter()
        .map(|(name, number, arguments)| (*name, call(*number, arguments)))
        .collect()
}

/// Makes a system call; missing arguments are 0.
fn call(number: c_long, arguments: &[c_long]) -> io::Result<()> {
    let argument = |index: usize| arguments.get(index).copied().unwrap_or(0);
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(argument);
    // SAFETY: all pointers are null, or 1, and are refused as such, or no descriptor or process is named; the one mapping
    // that is made is new, and nobody uses it.
    let done = unsafe { libc::syscall(number, a, b, c, d, e, 0 as c_long) };
    if done == -1 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

//! The system calls that this program makes, on x86_64 and aarch64, with glibc and with musl.

use libc::c_long;

/// Whatever their arguments are.
pub(super) const ALWAYS: &[c_long] = &[
    // what is open already
    libc::SYS_close,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_fcntl,
    libc::SYS_lseek,
    libc::SYS_pread64,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    // looking at files: at which ones is for Landlock and the user's rights to say
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_newfstatat,
    libc::SYS_readlinkat,
    libc::SYS_statfs,
    libc::SYS_statx,
    // memory
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mremap,
    libc::SYS_munmap,
    // threads
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_gettid,
    libc::SYS_rseq,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    // time; how the clock is set is read, and to set it wants `CAP_SYS_TIME`, which nobody has by then
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_nanosleep,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_gettime,
    libc::SYS_timerfd_settime,
    libc::SYS_times,
    // signals that come
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    // waiting
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    // sockets; which kinds of them: `filter::socket`
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_connect,
    libc::SYS_getpeername,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_listen,
    libc::SYS_recvfrom,
    libc::SYS_recvmmsg,
    libc::SYS_recvmsg,
    libc::SYS_sendmmsg,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_shutdown,
    // who and where we are
    libc::SYS_capget,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getgroups,
    libc::SYS_getpgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getrandom,
    libc::SYS_getresgid,
    libc::SYS_getresuid,
    libc::SYS_getrlimit,
    libc::SYS_getrusage,
    libc::SYS_getsid,
    libc::SYS_getuid,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_access,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_dup2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_create,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_epoll_wait,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_getpgrp,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lstat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_pipe,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_poll,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_readlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_select,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_stat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_time,
];

/// What a client needs beside: it keeps a case on disk (`casefile`).
pub(super) const OF_CLIENTS: &[c_long] = &[
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_mkdirat,
    libc::SYS_openat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_unlinkat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
];

/// What is asked of a descriptor. Commands to a network driver (`SIOCETHTOOL`) that would change something want
/// `CAP_NET_ADMIN`; never those by which a terminal is fed with input (`TIOCSTI`, `TIOCLINUX`).
pub(super) const IOCTLS: &[u32] = &[
    libc::FIOCLEX as u32,
    libc::FIONCLEX as u32,
    libc::FIONBIO as u32,
    libc::FIONREAD as u32,
    libc::TCGETS as u32,
    // TCGETS2, by which glibc 2.42 asks (asm-generic/ioctls.h).
    0x802c_542a,
    libc::TIOCGWINSZ as u32,
    libc::TIOCGPGRP as u32,
    libc::SIOCETHTOOL as u32,
    libc::SIOCGIFNAME as u32,
    libc::SIOCGIFCONF as u32,
    libc::SIOCGIFFLAGS as u32,
    libc::SIOCGIFADDR as u32,
    libc::SIOCGIFNETMASK as u32,
    libc::SIOCGIFMTU as u32,
    libc::SIOCGIFHWADDR as u32,
    libc::SIOCGIFINDEX as u32,
];

/// What a client asks of a terminal beside: to hand over each key at once, for a live view (TCSETS, and TCSETS2 of glibc 2.42). That
/// feeds no input.
pub(super) const IOCTLS_OF_CLIENTS: &[u32] = &[libc::TCSETS as u32, 0x402c_542b];

/// What is asked of the own process: names of threads and memory, precise timers, and what `--check` reads. Above all not
/// `PR_SET_DUMPABLE`, which would open the process to the user's other ones again.
pub(super) const PRCTLS: &[libc::c_int] = &[
    libc::PR_SET_NAME,
    libc::PR_GET_NAME,
    libc::PR_SET_TIMERSLACK,
    libc::PR_GET_TIMERSLACK,
    libc::PR_SET_VMA,
    libc::PR_GET_DUMPABLE,
    libc::PR_GET_NO_NEW_PRIVS,
    libc::PR_GET_SECCOMP,
    libc::PR_CAPBSET_READ,
];

/// Kinds and protocols of internet sockets. Any other would make the kernel load a module (SCTP, DCCP, L2TP…).
pub(super) const INTERNET: &[(libc::c_int, libc::c_int)] = &[
    (libc::SOCK_STREAM, 0),
    (libc::SOCK_STREAM, libc::IPPROTO_TCP),
    (libc::SOCK_DGRAM, 0),
    (libc::SOCK_DGRAM, libc::IPPROTO_UDP),
    (libc::SOCK_DGRAM, libc::IPPROTO_ICMP),
    (libc::SOCK_DGRAM, libc::IPPROTO_ICMPV6),
    (libc::SOCK_RAW, libc::IPPROTO_ICMP),
    (libc::SOCK_RAW, libc::IPPROTO_ICMPV6),
    (libc::SOCK_RAW, libc::IPPROTO_TCP),
    (libc::SOCK_RAW, libc::IPPROTO_RAW),
];

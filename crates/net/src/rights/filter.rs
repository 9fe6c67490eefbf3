//! The filter of system calls (seccomp(2)): what this program never does is refused, whoever makes it try.
//!
//! *A list of what is allowed*, not of what is forbidden: the kernel grows by several calls a year, each new ground for
//! attacks, and a list of the forbidden lets all of them pass that were not known when it was written. What is allowed
//! is known and small, as the program starts no other, loads no code and speaks few protocols. The danger of such a list
//! is a libc, older or newer, that takes another way to the same end. Hence three things. It names the ways of both
//! libcs, old and new, not only those seen in one trace. What is refused gives an error and kills nothing: a way that was
//! forgotten costs a measurement that says `EPERM`, not the server. And calls that are newer than the list, or whose
//! arguments lie in memory where no filter can read them, are said not to exist (`ENOSYS`): a libc then takes the older
//! way, while `EPERM` would make it give up (glibc starts threads with `clone3`, and without it with `clone`).

use super::calls;
use crate::sys::rights;
use libc::{c_int, c_long};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// Whose work the filter lets pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// Measures and answers. Opens files for reading only.
    Server,
    /// Measures and keeps a case.
    Client,
}

/// Has the kernel check every system call of the calling thread, and of those that it will start. Gives in words what
/// was not done.
pub(super) fn apply(work: Work) -> Option<String> {
    let program = match program(work, std::process::id()) {
        Ok(program) => program,
        Err(error) => return Some(format!("system calls are not filtered: {error}")),
    };
    let done = rights::filter_system_calls(&program);
    done.err().map(|error| {
        format!("system calls are not filtered: {error}; the kernel needs CONFIG_SECCOMP_FILTER")
    })
}

/// The newest call that was weighed when the list was made: `mseal`, Linux 6.10. Numbers are the same on all
/// architectures from 424 on, and grow.
const NEWEST: c_long = libc::SYS_mseal;

/// The whole program: first what is said not to exist, then the list.
fn program(work: Work, pid: u32) -> Result<Vec<libc::sock_filter>, BackendError> {
    let filter = SeccompFilter::new(
        rules(work, pid)?,
        SeccompAction::Errno(libc::EPERM as u32),
        SeccompAction::Allow,
        TargetArch::try_from(std::env::consts::ARCH)?,
    )?;
    let list = BpfProgram::try_from(filter)?;
    let list = list.into_iter().map(|one| libc::sock_filter {
        code: one.code,
        jt: one.jt,
        jf: one.jf,
        k: one.k,
    });
    Ok(unknown_calls().into_iter().chain(list).collect())
}

/// Five instructions (linux/filter.h) that go on behind their end with whatever they do not refuse.
fn unknown_calls() -> [libc::sock_filter; 5] {
    let instruction = |code: u32, k: u32, jt: u8, jf: u8| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    let equal = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let greater = libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K;
    [
        // The number of the call is the first field of `struct seccomp_data`.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        instruction(equal, libc::SYS_clone3 as u32, 2, 0),
        instruction(equal, libc::SYS_openat2 as u32, 1, 0),
        instruction(greater, NEWEST as u32, 0, 1),
        instruction(
            libc::BPF_RET | libc::BPF_K,
            libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32,
            0,
            0,
        ),
    ]
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn rules(work: Work, pid: u32) -> Result<Rules, BackendError> {
    let mut rules: Rules = calls::ALWAYS.iter().map(|call| (*call, Vec::new())).collect();
    match work {
        Work::Server => rules.extend(opening_for_reading()?),
        Work::Client => rules.extend(calls::OF_CLIENTS.iter().map(|call| (*call, Vec::new()))),
    }
    rules.insert(libc::SYS_socket, sockets()?);
    rules.insert(libc::SYS_socketpair, vec![rule([is(0, libc::AF_UNIX)])?]);
    rules.insert(libc::SYS_setsockopt, socket_options()?);
    rules.insert(libc::SYS_clone, vec![thread()?]);
    rules.insert(libc::SYS_mmap, file_code_only()?);
    // Nothing that could be written becomes code.
    rules.insert(libc::SYS_mprotect, vec![rule([has_not(2, libc::PROT_EXEC)])?]);
    let of_clients = match work {
        Work::Server => &[],
        Work::Client => calls::IOCTLS_OF_CLIENTS,
    };
    let ioctls = calls::IOCTLS.iter().chain(of_clients).copied();
    rules.insert(libc::SYS_ioctl, one_of(1, ioctls)?);
    rules.insert(
        libc::SYS_prctl,
        one_of(0, calls::PRCTLS.iter().map(|option| *option as u32))?,
    );
    // Limits are read, not set.
    rules.insert(libc::SYS_prlimit64, vec![rule([null(2)])?]);
    // How a process aborts itself; no other process gets a signal.
    rules.insert(libc::SYS_tgkill, one_of(0, [pid])?);
    Ok(rules)
}

/// Files are opened to be read: what is not there is not made, and what is there stays as it is.
fn opening_for_reading() -> Result<Rules, BackendError> {
    let changes = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC;
    let mut rules = Rules::new();
    rules.insert(libc::SYS_openat, vec![rule([has_not(2, changes)])?]);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, vec![rule([has_not(1, changes)])?]);
    Ok(rules)
}

/// Internet sockets as [`calls::INTERNET`] has them, local ones (the resolver asks local daemons) and netlink for routes
/// and interfaces; none that sees the packets of others, and no other part of netlink.
fn sockets() -> Result<Vec<SeccompRule>, BackendError> {
    let mut rules = vec![
        rule([is(0, libc::AF_UNIX)])?,
        rule([is(0, libc::AF_NETLINK), is(2, libc::NETLINK_ROUTE)])?,
    ];
    for family in [libc::AF_INET, libc::AF_INET6] {
        for (kind, protocol) in calls::INTERNET {
            let kind = masked(1, !(libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK), *kind);
            rules.push(rule([is(0, family), kind, is(2, *protocol)])?);
        }
    }
    Ok(rules)
}

/// All but programs for the kernel to run on each packet: its verifier is not for strangers to try.
fn socket_options() -> Result<Vec<SeccompRule>, BackendError> {
    let [filter, bpf, reuse_filter, reuse_bpf] = [
        libc::SO_ATTACH_FILTER,
        libc::SO_ATTACH_BPF,
        libc::SO_ATTACH_REUSEPORT_CBPF,
        libc::SO_ATTACH_REUSEPORT_EBPF,
    ]
    .map(|option| is_not(2, option));
    Ok(vec![
        rule([is_not(1, libc::SOL_SOCKET)])?,
        rule([is(1, libc::SOL_SOCKET), filter, bpf, reuse_filter, reuse_bpf])?,
    ])
}

/// A thread of this process; no process, and no namespace.
fn thread() -> Result<SeccompRule, BackendError> {
    let namespaces = libc::CLONE_NEWCGROUP
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWNET
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWUTS;
    rule([masked(0, libc::CLONE_THREAD | namespaces, libc::CLONE_THREAD)])
}

/// Memory holds data, or code from a file (the resolver's modules).
fn file_code_only() -> Result<Vec<SeccompRule>, BackendError> {
    Ok(vec![
        rule([has_not(2, libc::PROT_EXEC)])?,
        rule([has_not(3, libc::MAP_ANONYMOUS)])?,
    ])
}

type Condition = Result<SeccompCondition, BackendError>;

/// All conditions hold.
fn rule<const N: usize>(conditions: [Condition; N]) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions.into_iter().collect::<Result<_, _>>()?)
}

/// The argument is one of these numbers.
fn one_of(argument: u8, numbers: impl IntoIterator<Item = u32>) -> Result<Vec<SeccompRule>, BackendError> {
    let numbers = numbers.into_iter();
    numbers
        .map(|number| rule([compare(argument, SeccompCmpOp::Eq, number)]))
        .collect()
}

fn is(argument: u8, number: c_int) -> Condition {
    compare(argument, SeccompCmpOp::Eq, number as u32)
}

fn is_not(argument: u8, number: c_int) -> Condition {
    compare(argument, SeccompCmpOp::Ne, number as u32)
}

fn has_not(argument: u8, bits: c_int) -> Condition {
    masked(argument, bits, 0)
}

fn masked(argument: u8, mask: c_int, number: c_int) -> Condition {
    compare(
        argument,
        SeccompCmpOp::MaskedEq(u64::from(mask as u32)),
        number as u32,
    )
}

/// The kernel takes these arguments for 32 bits, and musl extends the sign of some: the upper half is not looked at.
fn compare(argument: u8, how: SeccompCmpOp, number: u32) -> Condition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, u64::from(number))
}

/// A pointer to nothing.
fn null(argument: u8) -> Condition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)
}

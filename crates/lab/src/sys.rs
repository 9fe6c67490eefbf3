//! The system calls that have no safe wrapper. The only module of this crate with `unsafe`.
#![allow(unsafe_code)]

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::mount::MsFlags;
use nix::sched::CloneFlags;
use nix::unistd::ForkResult;

use crate::error::LabError;

nix::ioctl_write_int!(tun_set_iff, b'T', 202);
nix::ioctl_write_ptr!(tun_set_ifindex, b'T', 218, libc::c_uint);

/// `fork` for a process with a single thread.
pub(crate) fn fork_single_threaded() -> io::Result<ForkResult> {
    let threads = std::fs::read_dir("/proc/self/task")?.count();
    if threads != 1 {
        return Err(io::Error::other("fork with several threads"));
    }
    // SAFETY: after fork in a multi-threaded process only async-signal-safe functions may run in the child,
    // because another thread may hold a lock. The check above found this thread to be the only one.
    unsafe { nix::unistd::fork() }.map_err(io::Error::from)
}

/// Creates a TUN device in the calling thread's network namespace: raw IP packets, no header, non-blocking.
pub(crate) fn open_tun(name: &str, index: u32) -> Result<OwnedFd, LabError> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/dev/net/tun");
    let file = file.map_err(|source| LabError::Tun {
        advice: tun_advice(&source),
        source,
    })?;
    let failed = |source: nix::Error| LabError::Io {
        doing: format!("creating the TUN device {name}"),
        source: source.into(),
    };
    // SAFETY: `file` is open on /dev/net/tun, for which TUNSETIFINDEX reads one c_uint from the pointer, and the
    // pointer refers to a live c_uint.
    unsafe { tun_set_ifindex(file.as_raw_fd(), &index) }.map_err(failed)?;
    let mut request = interface_request(name);
    request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: TUNSETIFF takes a pointer to an ifreq, which is what the argument is; nix declares the macro's
    // argument as an integer of pointer width. The kernel reads and writes within the ifreq only.
    unsafe {
        tun_set_iff(
            file.as_raw_fd(),
            std::ptr::from_mut(&mut request) as libc::c_ulong,
        )
    }
    .map_err(failed)?;
    Ok(file.into())
}

fn tun_advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "run as root, or open the device to everybody with `chmod 666 /dev/net/tun` (this is safe and usual: \
             creating an interface still needs CAP_NET_ADMIN in its network namespace)"
        }
        io::ErrorKind::NotFound => "load the module with `modprobe tun`, or give the container the device",
        _ => "emulated links need TUN devices",
    }
}

fn interface_request(name: &str) -> libc::ifreq {
    // SAFETY: an ifreq is a C struct of integers, a character array and a union of such: all zeroes is valid.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    let room = request.ifr_name.len() - 1;
    for (to, from) in request.ifr_name.iter_mut().take(room).zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    request
}

#[repr(C)]
struct EthtoolValue {
    command: u32,
    data: u32,
}

/// ethtool's "set" commands for checksum-independent offloads (linux/ethtool.h).
const ETHTOOL_STSO: u32 = 0x1f;
const ETHTOOL_SGSO: u32 = 0x24;
const ETHTOOL_SGRO: u32 = 0x2c;

/// Switches segmentation and receive offloads off, through a socket of the interface's network namespace.
pub(crate) fn switch_offloads_off(socket: &impl AsRawFd, name: &str) -> io::Result<()> {
    for command in [ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO] {
        let mut value = EthtoolValue { command, data: 0 };
        let mut request = interface_request(name);
        request.ifr_ifru.ifru_data = std::ptr::from_mut(&mut value).cast();
        // SAFETY: SIOCETHTOOL takes an ifreq whose data points to a struct that starts with the command; for
        // these commands it is an ethtool_value, which `EthtoolValue` mirrors. Both outlive the call.
        let answer = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL as _, &mut request) };
        if answer != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Asks for timers to the nanosecond and for the processor when it is needed. What the system refuses is left
/// as it is: the lateness counters tell what came of it. Real time keeps the lateness at 1 to 5 ms beside busy
/// compilers on both processors, where any setting of the fair scheduler was seen to lose 100 ms.
pub(crate) fn become_punctual() {
    let _ = nix::sys::prctl::set_timerslack(1);
    // musl's has more fields than the kernel reads.
    // SAFETY: all-zero bytes are a valid `sched_param`.
    let mut parameters: libc::sched_param = unsafe { std::mem::zeroed() };
    parameters.sched_priority = 1;
    // SAFETY: the pointer refers to a live sched_param; 0 means the calling thread.
    let real_time = unsafe { libc::sched_setscheduler(0, libc::SCHED_RR, &parameters) } == 0;
    if !real_time {
        ask_for_short_slices();
    }
}

/// Without privileges: the shortest time slice, with which Linux 6.12 and later give the processor soonest.
fn ask_for_short_slices() {
    let size = size_of::<libc::sched_attr>() as u32;
    let attributes = libc::sched_attr {
        size,
        sched_policy: libc::SCHED_OTHER as u32,
        sched_flags: 0,
        sched_nice: 0,
        sched_priority: 0,
        sched_runtime: 100_000,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the pointer refers to a live sched_attr that states its own size; 0 means the calling thread, and
    // there are no flags.
    let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

/// Makes the command run inside a network namespace, with a `/sys` that shows that namespace's interfaces and with
/// `hostname` as the host's name.
pub(crate) fn run_in_namespace(command: &mut Command, namespace: OwnedFd, hostname: &str) {
    let hostname = hostname.to_owned();
    let enter = move || {
        nix::sched::setns(&namespace, CloneFlags::CLONE_NEWNET)?;
        nix::sched::unshare(CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWUTS)?;
        // Only a name of more than 64 bytes is refused, and then the outer name does no harm.
        let _ = nix::unistd::sethostname(&hostname);
        // In some containers the kernel refuses a second sysfs. Then /sys shows the outer interfaces, which only
        // costs details of the host's own facts.
        let _ = nix::mount::mount(
            Some(c"sysfs"),
            c"/sys",
            Some(c"sysfs"),
            MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC,
            None::<&std::ffi::CStr>,
        );
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes system calls only and allocates nothing: its C strings
    // are static, the host name is passed with its length.
    unsafe { command.pre_exec(enter) };
}

/// Ignores a signal in this process.
pub(crate) fn ignore_signal(number: nix::sys::signal::Signal) -> io::Result<()> {
    // SAFETY: SIG_IGN installs no handler, so there is no code that could run in a signal's context.
    unsafe { nix::sys::signal::signal(number, nix::sys::signal::SigHandler::SigIgn) }?;
    Ok(())
}

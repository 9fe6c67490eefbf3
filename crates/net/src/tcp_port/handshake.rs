//! Handshakes by the kernel: how long they take, how many SYNs they need, and what was agreed on. Any user may.

use super::Plan;
use crate::path::domain_of;
use crate::sys::message;
use crate::sys::tcp_info::TcpInfo;
use crate::sys::thread_time::monotonic_ns;
use crate::{NetError, Watch};
use evidence::TcpAccount;
use probe::tcp::Handshakes;
use socket2::{Protocol, Socket, Type};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::time::Duration;

/// Kernels send SYNs at 0, 1, 3 and 7 s, newer ones some more; then a user has waited long enough.
const PATIENCE_NS: u64 = 8_000_000_000;
/// How often a handshake is looked at. Its time is the kernel's.
const LOOK: Duration = Duration::from_millis(5);
/// From one to the next: not as a flood of SYNs.
const PAUSE: Duration = Duration::from_millis(200);

enum Ended {
    Opened(TcpInfo),
    Refused,
    Silent,
    Unreachable(io::Error),
    Cancelled,
}

/// All handshakes of the plan, and what the kernel says of the first connection. After one that fails no other is tried.
pub(super) fn all(plan: &Plan, source: IpAddr, watch: &Watch) -> Result<(Handshakes, TcpAccount), NetError> {
    let mut all = Handshakes::default();
    let mut first = None;
    for number in 1..=plan.handshakes.max(1) {
        let share = number as f32 / plan.handshakes.max(1) as f32;
        watch.report(format!("handshake {number} of {}", plan.handshakes), Some(share));
        let (ended, syns) = one(plan.peer, source, watch)?;
        if matches!(ended, Ended::Cancelled) {
            break;
        }
        all.syns += syns;
        let Ended::Opened(info) = ended else {
            match first {
                None => return Err(failure(plan.peer, ended, syns)),
                Some(_) => break,
            }
        };
        all.answered += 1;
        let account = info.account();
        // With more than one SYN the kernel does not know which was answered.
        all.rtts_ns.extend(
            account
                .rtt_us
                .filter(|_| syns == 1)
                .map(|us| i64::from(us) * 1_000),
        );
        first.get_or_insert(account);
        std::thread::sleep(PAUSE);
    }
    first.map(|account| (all, account)).ok_or(NetError::Cancelled)
}

fn failure(peer: SocketAddr, ended: Ended, syns: u64) -> NetError {
    let why = match ended {
        Ended::Refused => {
            "it refuses (TCP reset): nothing listens on that port, or a firewall answers in its place"
                .to_owned()
        }
        Ended::Unreachable(error) => error.to_string(),
        _ => format!("nothing answered {syns} SYNs: a firewall drops them, or no host is there"),
    };
    NetError::Unreachable(peer.to_string(), why)
}

/// One handshake, and how many SYNs it took.
fn one(peer: SocketAddr, source: IpAddr, watch: &Watch) -> Result<(Ended, u64), NetError> {
    let os = |error| NetError::os(format!("opening a connection to {peer}"), error);
    let kind = Type::STREAM.cloexec().nonblocking();
    let socket = Socket::new(domain_of(source), kind, Some(Protocol::TCP)).map_err(os)?;
    socket.bind(&SocketAddr::new(source, 0).into()).map_err(os)?;
    let until_ns = monotonic_ns() + PATIENCE_NS;
    let ended = loop {
        match socket.connect(&peer.into()) {
            Ok(()) => break Ended::Opened(TcpInfo::read(socket.as_fd()).map_err(os)?),
            Err(error) => match error.raw_os_error() {
                Some(libc::EISCONN) => break Ended::Opened(TcpInfo::read(socket.as_fd()).map_err(os)?),
                Some(libc::EINPROGRESS | libc::EALREADY) => {}
                Some(libc::ECONNREFUSED) => break Ended::Refused,
                Some(libc::ETIMEDOUT) => break Ended::Silent,
                Some(libc::ENETUNREACH | libc::EHOSTUNREACH | libc::EACCES | libc::EPERM) => {
                    break Ended::Unreachable(error);
                }
                _ => return Err(os(error)),
            },
        }
        if watch.cancel.is_cancelled() {
            break Ended::Cancelled;
        }
        if monotonic_ns() >= until_ns {
            break Ended::Silent;
        }
        message::wait_readable(&[], LOOK).map_err(os)?;
    };
    let repeated = TcpInfo::read(socket.as_fd()).map_or(0, |info| info.total_retransmits());
    Ok((ended, 1 + u64::from(repeated)))
}

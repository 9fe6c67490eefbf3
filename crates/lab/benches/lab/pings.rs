//! Round-trip times of an idle lab: how far the measured one is from twice the delay asked for.

use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lab::{Lab, LabError};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
use nix::sys::time::TimeSpec;
use socket2::{Domain, Protocol, Socket, Type};

use crate::table::Table;

const DELAYS_RTT_MS: [u64; 4] = [0, 5, 60, 128];
const BAR_MS: f64 = 1.0;

pub(crate) fn measure(table: &mut Table, quick: bool) -> Result<(), Box<dyn std::error::Error>> {
    let samples = if quick { 60 } else { 300 };
    let mut text = "title = 'round-trip times'\n".to_owned();
    for rtt_ms in DELAYS_RTT_MS {
        text += &format!(
            "[[host]]\nname = 'a{rtt_ms}'\n[[host]]\nname = 'b{rtt_ms}'\n\
             [[link]]\na = {{ node = 'a{rtt_ms}' }}\nb = {{ node = 'b{rtt_ms}' }}\n\
             both = {{ delay = '{} us', rate = '10 Gbit/s' }}\n",
            rtt_ms * 500
        );
    }
    let scenario = scenario::parse(&text)?;
    let lab = Lab::up(&scenario, 1)?;
    for rtt_ms in DELAYS_RTT_MS {
        let to = scenario
            .node_id(&format!("b{rtt_ms}"))
            .map(|id| scenario.addresses_of(id));
        let Some(&to) = to.as_ref().and_then(|a| a.first()) else {
            continue;
        };
        let mut errors_ms = lab.inside(&format!("a{rtt_ms}"), || ping(to, samples, rtt_ms))?;
        errors_ms.sort_by(f64::total_cmp);
        let at = |q: f64| {
            errors_ms
                .get(((errors_ms.len() - 1) as f64 * q).round() as usize)
                .copied()
                .unwrap_or(f64::NAN)
        };
        let (p50, p99) = (at(0.5), at(0.99));
        let name = format!("RTT error at {rtt_ms} ms, p99 of {samples} (p50 {p50:.3})");
        table.line(
            &name,
            &format!("{p99:.3} ms"),
            &format!("< {BAR_MS} ms"),
            p99.abs() < BAR_MS,
        );
    }
    table.note(&format!("{}", lab.validity()));
    Ok(())
}

/// The differences in ms between measured and wanted round-trip times. The kernel stamps the answer when it comes
/// out of the link: how soon this thread is woken afterwards is not the link's doing.
fn ping(to: IpAddr, samples: u16, rtt_ms: u64) -> Result<Vec<f64>, LabError> {
    let io = |source: io::Error| LabError::Io {
        doing: "pinging".to_owned(),
        source,
    };
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::ICMPV4)).map_err(io)?;
    socket
        .set_read_timeout(Some(Duration::from_secs(1)))
        .map_err(io)?;
    setsockopt(&socket, sockopt::ReceiveTimestampns, &true).map_err(|e| io(e.into()))?;
    let mut errors_ms = Vec::new();
    for sequence in 0..samples {
        let [high, low] = sequence.to_be_bytes();
        let mut request = vec![8, 0, 0, 0, 0, 0, high, low];
        request.resize(64, 0);
        let sent = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        socket
            .send_to(&request, &SocketAddr::new(to, 0).into())
            .map_err(io)?;
        let received = receive(&socket).map_err(io)?;
        errors_ms.push((received.as_secs_f64() - sent.as_secs_f64()) * 1e3 - rtt_ms as f64);
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(errors_ms)
}

/// When the kernel received the next packet, since 1970.
fn receive(socket: &Socket) -> io::Result<Duration> {
    let mut packet = [0; 128];
    let mut packet = [IoSliceMut::new(&mut packet)];
    let mut control = nix::cmsg_space!(TimeSpec);
    let message = recvmsg::<()>(
        socket.as_raw_fd(),
        &mut packet,
        Some(&mut control),
        MsgFlags::empty(),
    )?;
    let stamp = message.cmsgs()?.find_map(|c| match c {
        ControlMessageOwned::ScmTimestampns(at) => Some(Duration::from(at)),
        _ => None,
    });
    stamp.ok_or_else(|| io::Error::other("no timestamp"))
}

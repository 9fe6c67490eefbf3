//! What single lines of iperf say, and where a line of figures belongs.

use super::row::{self, Mark, Row};
use super::session::{Figures, Session, Stream, Told, Way};
use crate::text::parted;
use crate::units::{Kilo, size_bytes, split};
use evidence::Node;

/// `TX-C`, `RX-S`
pub(super) fn way_of_role(role: Option<&str>) -> Option<Way> {
    match role?.as_bytes().first()? {
        b'T' => Some(Way::Out),
        b'R' => Some(Way::In),
        _ => None,
    }
}

/// What iperf says when a test failed or ended early. What old versions say of each packet that comes late is no trouble.
pub(super) fn is_trouble(line: &str) -> bool {
    let of_iperf = line.starts_with("iperf3: ") || line.starts_with("iperf: ");
    let failed = [
        "connect",
        "tcp connect",
        "listener bind",
        "read",
        "write",
        "recv",
        "bind",
        "shutdown",
    ]
    .iter()
    .any(|call| {
        line.strip_prefix(call)
            .is_some_and(|rest| rest.starts_with(" failed"))
    });
    (of_iperf || failed) && !line.contains("OUT OF ORDER") && !line.contains("getsockopt")
}

/// `10.0.0.2, TCP port 5001`, `TCP port 5001`, `5201`
pub(super) fn heading(session: &mut Session, text: &str) {
    session.udp = session.udp.or_else(|| {
        let (udp, tcp) = (text.contains("UDP port"), text.contains("TCP port"));
        (udp || tcp).then_some(udp)
    });
    let port = text.rsplit_once("port ").map_or(text, |(_, port)| port);
    session.port = row::word(port)
        .and_then(|(port, _)| port.trim_matches(',').parse().ok())
        .or(session.port);
}

/// What was asked for: `window size:  512 KByte (WARNING: requested  256 KByte)`, `2.00 MByte`; nothing for a default.
pub(super) fn window(text: &str) -> Option<u64> {
    let asked = match parted(text, "requested") {
        Some((_, asked)) => asked.trim_end_matches(')'),
        None if text.contains('(') => return None,
        None => text.split_once(':')?.1,
    };
    let (number, unit) = split(asked).filter(|(_, unit)| !unit.is_empty())?;
    size_bytes(number, unit, Kilo::Binary)
}

/// `(icwnd/mss/irtt=319/32741/27)`: the round-trip time of the handshake in microseconds.
pub(super) fn handshake(stream: &mut Stream, text: &str) {
    let Some((_, figures)) = parted(text, "icwnd/mss/irtt=") else {
        return;
    };
    let Some((figures, _)) = figures.split_once(')') else {
        return;
    };
    let mut figures = figures.split('/').skip(1);
    stream.mss_bytes = figures.next().and_then(|mss| mss.parse().ok());
    let us: Option<u64> = figures.next().and_then(|us| us.parse().ok());
    stream.rtt_ns = us.and_then(|us| us.checked_mul(1_000));
}

/// `127.0.0.1%lo`
pub(super) fn host(text: &str) -> Node {
    Node::read(text.split('%').next().unwrap_or(text))
}

/// Whether something stands already where this line belongs.
pub(super) fn is_taken(stream: &Stream, row: &Row, summary: bool, report: bool) -> bool {
    let figures = &row.figures;
    match row.mark {
        Mark::Omitted => false,
        Mark::Receiver => stream.received != Told::Nothing,
        Mark::Sender => stream.sent != Told::Nothing,
        Mark::None if report || summary => false,
        Mark::None => stream.slices.contains_key(&(figures.start_ns, figures.end_ns)),
    }
}

/// Whether a line is the total of a test that has one interval as long as itself (`-t 60 -i 60`): the same range, and nearly the rate.
pub(super) fn is_total_again(stream: &Stream, row: &Row) -> bool {
    let figures = &row.figures;
    let before = stream.slices.get(&(figures.start_ns, figures.end_ns));
    row.mark == Mark::None
        && before
            .and_then(|told| told.get())
            .filter(|before| before.shape == figures.shape)
            .is_some_and(|before| (before.rate_bps - figures.rate_bps).abs() <= 0.01 * figures.rate_bps)
}

/// The figures of a line as they are kept. Nobody told the sender of loss and jitter: iperf3 prints 0 for both in its line.
pub(super) fn stored(row: &Row) -> Figures {
    let (lost, jitter_ns) = match row.mark {
        Mark::Sender => (None, None),
        _ => (row.figures.lost, row.figures.jitter_ns),
    };
    Figures {
        lost,
        jitter_ns,
        ..row.figures
    }
}

/// Puts a line of figures where it belongs. `false`: it was told differently before.
pub(super) fn place(stream: &mut Stream, row: Row, summary: bool, report: bool) -> bool {
    let figures = stored(&row);
    match row.mark {
        Mark::Omitted => true,
        Mark::Receiver => stream.received.tell(figures),
        Mark::Sender => stream.sent.tell(figures),
        Mark::None if report => stream.received.tell(figures),
        Mark::None if summary => stream.unmarked.tell(figures),
        Mark::None => stream
            .slices
            .entry((figures.start_ns, figures.end_ns))
            .or_insert(Told::Nothing)
            .tell(figures),
    }
}

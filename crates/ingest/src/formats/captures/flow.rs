//! One way of a flow: bytes from one host to another in some time.

use evidence::{Node, RateBps, Timestamp, Transfer, Transport};

/// Below it a flow is a packet or two, and bytes by time no rate of anything.
const LEAST_NS: u64 = 1_000_000;

/// One way of a flow.
#[derive(Debug, Clone, Default)]
pub(super) struct Flow {
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) protocol: Option<Transport>,
    pub(super) ports: Option<(u16, u16)>,
    pub(super) bytes: u64,
    /// Whether `bytes` are exact, and not printed as `1.2 M`.
    pub(super) is_exact: bool,
    pub(super) duration_ns: Option<u64>,
    /// As printed, where it is.
    pub(super) rate_bps: Option<f64>,
    pub(super) streams: Option<u16>,
    pub(super) application: Option<String>,
    pub(super) at: Option<Timestamp>,
}

impl Flow {
    /// It as a transfer; `None` where nothing went this way.
    pub(super) fn transfer(self) -> Option<Transfer> {
        let duration = self.duration_ns.filter(|ns| *ns > 0);
        let computed = || RateBps::of_bytes(self.bytes, duration.filter(|ns| *ns >= LEAST_NS)?);
        (self.bytes > 0).then(|| Transfer {
            received_bps: self
                .rate_bps
                .filter(|bps| *bps > 0.0)
                .map(RateBps)
                .or_else(computed),
            from: self.from,
            to: self.to,
            protocol: self.protocol,
            application: self.application,
            streams: self.streams,
            duration_ns: duration,
            bytes_received: self.is_exact.then_some(self.bytes),
            ports: self.ports.into_iter().collect(),
            ..Transfer::default()
        })
    }
}

/// `192.0.2.1:443`, `a.example:http`, `2001:db8::1.443`: the host, and the port where it is a number.
pub(super) fn endpoint(text: &str, port_sign: char) -> (Node, Option<u16>) {
    match text.rsplit_once(port_sign) {
        Some((host, port)) if !host.is_empty() => (node(host), port.parse().ok()),
        _ => (node(text), None),
    }
}

/// What was summed over several hosts has no address.
pub(super) fn node(host: &str) -> Node {
    if matches!(host, "0.0.0.0" | "::" | "any") {
        Node::default()
    } else {
        Node::read(host)
    }
}

/// `0:10:14.890081`, `00:00:00.238`, `2.148`: seconds, as nanoseconds.
pub(super) fn duration_ns(text: &str) -> Option<u64> {
    let mut parts = text.rsplit(':');
    let seconds = parts.next()?;
    let looks =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let mut ns = crate::text::nanos(seconds, 1e9).filter(|_| looks(seconds))?;
    for unit in [60_u64, 3600] {
        if let Some(part) = parts.next() {
            let part: u64 = part.parse().ok()?;
            ns = ns.checked_add(part.checked_mul(unit * 1_000_000_000)?)?;
        }
    }
    parts.next().is_none().then_some(ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_times() {
        let (host, port) = endpoint("192.0.2.1:443", ':');
        assert_eq!((host.to_string(), port), ("192.0.2.1".to_owned(), Some(443)));
        let (host, port) = endpoint("2001:db8::1.443", '.');
        assert_eq!((host.to_string(), port), ("2001:db8::1".to_owned(), Some(443)));
        assert_eq!(endpoint("a.example:http", ':').1, None);
        assert!(node("0.0.0.0").is_unknown());
        assert_eq!(duration_ns("0:10:14.890081"), Some(614_890_081_000));
        assert_eq!(duration_ns("2.5"), Some(2_500_000_000));
        for bad in ["", "x.5", "1:x", "1:2:3:4", "-1"] {
            assert_eq!(duration_ns(bad), None, "{bad}");
        }
    }
}

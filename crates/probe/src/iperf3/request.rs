//! What a stock client asks a server for, as the server reads it.

use super::datagram::Datagram;
use crate::session::{Limits, TcpPlan, UdpPlan};
use serde_json::Value;

/// Bytes of a block where the client does not say: iperf3's own.
const TCP_BLOCK_BYTES: u64 = 128 << 10;
const UDP_BLOCK_BYTES: u64 = 1_460;
/// A rate that a client leaves open (`-b 0`): above what any host sends, so that nothing waits.
const OPEN_RATE_BPS: f64 = 1e11;
/// More seconds, bytes or blocks than any test has.
const MOST: f64 = 1e15;
/// Letters of a version.
const MOST_VERSION: usize = 16;

/// Who sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Senders {
    /// The client.
    Client,
    /// The server (`-R`).
    Server,
    /// Both, over streams of their own (`--bidir`).
    Both,
}

/// One test.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Over UDP; else TCP.
    pub is_udp: bool,
    /// Who sends.
    pub senders: Senders,
    /// Streams in each direction.
    pub streams: u16,
    /// From the start to the end, the seconds that the client leaves out of its means (`-O`) included; `None` where an amount ends it.
    pub time_ms: Option<u32>,
    /// Of that, how long at the beginning counts for no mean.
    pub omit_ms: u32,
    /// Bytes of all streams of a direction.
    pub max_bytes: Option<u64>,
    /// Bytes of a block (TCP) or of a datagram's payload (UDP).
    pub block_bytes: u32,
    /// Rate of each stream, bit/s of payload.
    pub payload_bps: Option<f64>,
    /// Socket buffer.
    pub buffer_bytes: Option<u32>,
    /// Segment size.
    pub mss_bytes: Option<u32>,
    /// Congestion control by name.
    pub congestion_control: Option<String>,
    /// Whether datagrams carry numbers of 64 bits.
    pub is_wide: bool,
    /// The client's version, where it tells.
    pub client: Option<String>,
}

/// Why a server does not carry a test out: in iperf3's numbers, which its clients put into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// Not the JSON of a client.
    #[error("what it asks for cannot be read")]
    Unread,
    /// An option that is not served.
    #[error("it asks for what is not served here: SCTP, or UDP in both directions at once")]
    Unimplemented,
    /// Longer than the owner allows.
    #[error("it asks for a longer test than is allowed")]
    Duration,
    /// More parallel streams than can be had.
    #[error("it asks for more streams than are possible")]
    Streams,
    /// Datagrams of an impossible size.
    #[error("it asks for datagrams of an impossible size")]
    DatagramSize,
    /// A segment size that cannot be.
    #[error("it asks for an impossible segment size")]
    SegmentSize,
    /// Above the owner's rate, or more bytes than are allowed.
    #[error("it asks for a higher rate, or more bytes, than is allowed")]
    Rate,
    /// No such congestion control.
    #[error("it asks for a congestion control that is not here")]
    CongestionControl,
}

impl RequestError {
    /// iperf3's number (`iperf_api.h`).
    #[must_use]
    pub fn code(self) -> i32 {
        match self {
            Self::Duration => 5,
            Self::Streams => 6,
            Self::SegmentSize => 10,
            Self::Unimplemented => 13,
            Self::DatagramSize => 20,
            Self::Rate => 27,
            // "unable to receive parameters from client".
            Self::Unread => 114,
            Self::CongestionControl => 134,
        }
    }
}

impl Request {
    /// Reads what a client says.
    ///
    /// # Errors
    /// What no client says, or what is not served.
    pub fn read(text: &[u8]) -> Result<Self, RequestError> {
        let told: Value = serde_json::from_slice(text).map_err(|_| RequestError::Unread)?;
        let is = |name: &str| told.get(name).and_then(Value::as_bool).unwrap_or(false);
        let number = |name: &str| {
            let number = told.get(name).and_then(Value::as_f64);
            number.filter(|number| (0.0..=MOST).contains(number) && *number > 0.0)
        };
        let small = |name: &str| number(name).map(|number| number.min(f64::from(u32::MAX)) as u32);
        let is_udp = is("udp");
        if !is_udp && !is("tcp") {
            return Err(RequestError::Unimplemented);
        }
        let senders = match (is("bidirectional"), is("reverse")) {
            (true, _) if is_udp => return Err(RequestError::Unimplemented),
            (true, _) => Senders::Both,
            (false, true) => Senders::Server,
            (false, false) => Senders::Client,
        };
        let default = if is_udp { UDP_BLOCK_BYTES } else { TCP_BLOCK_BYTES };
        let block_bytes = small("len").unwrap_or(default as u32);
        let of_blocks = number("blockcount").map(|blocks| (blocks * f64::from(block_bytes)).min(MOST) as u64);
        let omit = number("omit").unwrap_or(0.0);
        let milliseconds = |seconds: f64| (seconds * 1e3).min(f64::from(u32::MAX)) as u32;
        Ok(Self {
            is_udp,
            senders,
            streams: number("parallel").map_or(1, |streams| streams.min(f64::from(u16::MAX)) as u16),
            time_ms: number("time").map(|time| milliseconds(time + omit)),
            omit_ms: milliseconds(omit),
            max_bytes: number("num").map(|bytes| bytes as u64).or(of_blocks),
            block_bytes,
            payload_bps: number("bandwidth"),
            buffer_bytes: small("window"),
            mss_bytes: small("MSS"),
            congestion_control: told.get("congestion").and_then(Value::as_str).map(str::to_owned),
            is_wide: number("udp_counters_64bit").is_some(),
            client: told.get("client_version").and_then(Value::as_str).and_then(plain),
        })
    }

    /// How long it takes at most within `limits`.
    ///
    /// # Errors
    /// Longer than is allowed.
    pub fn longest_ms(&self, limits: &Limits) -> Result<u32, RequestError> {
        match self.time_ms {
            Some(time) if time > limits.max_duration_ms => Err(RequestError::Duration),
            Some(time) => Ok(time),
            None => Ok(limits.max_duration_ms),
        }
    }

    /// The TCP transfer of one direction, within `limits`.
    ///
    /// # Errors
    /// More than is allowed or possible.
    pub fn tcp(&self, server_sends: bool, limits: &Limits) -> Result<TcpPlan, RequestError> {
        use crate::session::PlanError;
        let plan = TcpPlan {
            server_sends,
            streams: self.streams,
            mss_bytes: self.mss_bytes,
            socket_buffer_bytes: self.buffer_bytes,
            congestion_control: self.congestion_control.clone(),
            max_time_ms: self.longest_ms(limits)?,
            max_bytes: self.max_bytes,
            max_rate_bps: self.payload_bps.map(|rate| rate * f64::from(self.streams)),
            watch_hops: false,
        };
        plan.within(limits).map_err(|error| match error {
            PlanError::Streams(_) | PlanError::TooManyStreams { .. } => RequestError::Streams,
            PlanError::Mss(_) => RequestError::SegmentSize,
            PlanError::CongestionControl(_) => RequestError::CongestionControl,
            _ => RequestError::Rate,
        })
    }

    /// One UDP stream, within `limits`, and the heads of its datagrams.
    ///
    /// # Errors
    /// More than is allowed or possible.
    pub fn udp(
        &self,
        server_sends: bool,
        is_v6: bool,
        limits: &Limits,
    ) -> Result<(UdpPlan, Datagram), RequestError> {
        use crate::session::PlanError;
        if !(1..=limits_of_streams(limits)).contains(&self.streams) {
            return Err(RequestError::Streams);
        }
        let size_bytes = self.block_bytes.saturating_add(if is_v6 { 48 } else { 28 });
        let share = limits.max_rate_bps.map(|most| most / f64::from(self.streams));
        let rate_bps = match self.payload_bps {
            Some(payload) => payload * f64::from(size_bytes) / f64::from(self.block_bytes.max(1)),
            None => share.unwrap_or(OPEN_RATE_BPS),
        };
        let plan = UdpPlan {
            server_sends,
            size_bytes,
            rate_bps,
            duration_ms: self.longest_ms(limits)?,
        };
        let limits = Limits {
            max_rate_bps: share,
            ..*limits
        };
        plan.check(&limits).map_err(|error| match error {
            PlanError::Size(_) => RequestError::DatagramSize,
            PlanError::OverTime { .. } => RequestError::Duration,
            _ => RequestError::Rate,
        })?;
        Ok((plan, Datagram::with_width(&plan, self.is_wide)))
    }
}

/// UDP streams at once: each is a thread and a socket.
fn limits_of_streams(limits: &Limits) -> u16 {
    const MOST_UDP_STREAMS: u16 = 32;
    let within = |streams: &u16| {
        limits
            .max_rate_bps
            .is_none_or(|rate| rate / f64::from(*streams) >= 1e3)
    };
    (1..=MOST_UDP_STREAMS).rev().find(within).unwrap_or(1)
}

/// A word of a stranger: nothing that a terminal would obey, and no longer than such words are.
fn plain(word: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+- ".contains(c);
    (!word.is_empty() && word.len() <= MOST_VERSION && word.chars().all(is_plain)).then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Request, RequestError> {
        Request::read(text.as_bytes())
    }

    #[test]
    fn what_a_stock_client_sends_is_understood() {
        let asked = read(
            r#"{"tcp":true,"omit":2,"time":5,"num":0,"blockcount":0,"parallel":4,"reverse":true,"len":131072,
                "pacing_timer":1000,"MSS":1400,"window":65536,"congestion":"cubic","client_version":"3.12"}"#,
        )
        .unwrap();
        assert_eq!(
            (asked.senders, asked.time_ms, asked.max_bytes),
            (Senders::Server, Some(7_000), None)
        );
        let plan = asked.tcp(true, &Limits::default()).unwrap();
        assert_eq!(
            (
                plan.streams,
                plan.mss_bytes,
                plan.socket_buffer_bytes,
                plan.max_time_ms
            ),
            (4, Some(1_400), Some(65_536), 7_000)
        );
        assert_eq!(asked.client.as_deref(), Some("3.12"));
    }

    #[test]
    fn a_udp_stream_has_the_headers_that_iperf3_does_not_count() {
        let asked = read(
            r#"{"udp":true,"time":1,"parallel":2,"len":1372,"bandwidth":1372000,"udp_counters_64bit":1}"#,
        );
        let (plan, _) = asked.unwrap().udp(false, false, &Limits::default()).unwrap();
        assert_eq!((plan.size_bytes, plan.rate_bps), (1_400, 1_400_000.0));
    }

    #[test]
    fn what_an_owner_does_not_allow_has_iperf3s_number() {
        let limits = Limits {
            max_rate_bps: Some(1e8),
            max_duration_ms: 5_000,
            max_bytes: Some(1 << 30),
        };
        for (text, code) in [
            (r#"{"tcp":true,"time":6}"#, 5),
            (r#"{"tcp":true,"time":4,"omit":2}"#, 5),
            (r#"{"tcp":true,"time":1,"parallel":500}"#, 6),
            (r#"{"tcp":true,"time":1,"MSS":20}"#, 10),
            (r#"{"tcp":true,"time":1,"congestion":"a b"}"#, 134),
            (r#"{"udp":true,"time":1,"bandwidth":2e8}"#, 27),
            (r#"{"udp":true,"time":1,"len":70000,"bandwidth":1e6}"#, 20),
            (r#"{"udp":true,"time":1,"bidirectional":true}"#, 13),
            (r#"{"sctp":true,"time":1}"#, 13),
            ("[]", 13),
            ("{", 114),
        ] {
            let tried = read(text).and_then(|asked| match asked.is_udp {
                true => asked.udp(false, false, &limits).map(drop),
                false => asked.tcp(false, &limits).map(drop),
            });
            assert_eq!(tried.unwrap_err().code(), code, "{text}");
        }
    }

    #[test]
    fn an_amount_needs_no_time() {
        let asked = read(r#"{"tcp":true,"time":0,"blockcount":10,"len":1000}"#).unwrap();
        let plan = asked.tcp(false, &Limits::default()).unwrap();
        assert_eq!((plan.max_bytes, plan.max_time_ms), (Some(10_000), 60_000));
    }

    proptest! {
        #[test]
        fn foreign_bytes_and_figures_never_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..64),
            figure in any::<f64>(),
            name in prop::sample::select(vec!["time", "omit", "num", "len", "parallel", "bandwidth", "MSS", "window", "blockcount"]),
        ) {
            let _ = Request::read(&bytes);
            let text = serde_json::json!({ "tcp": true, "udp": figure < 0.0, name: figure }).to_string();
            if let Ok(asked) = Request::read(text.as_bytes()) {
                let _ = asked.tcp(true, &Limits::default());
                let _ = asked.udp(true, false, &Limits::default());
            }
        }
    }
}

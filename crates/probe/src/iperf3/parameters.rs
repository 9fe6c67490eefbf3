//! What a test is to be, as the client tells the server in JSON.

use crate::session::{TcpPlan, UdpPlan};
use serde_json::{Map, Value, json};

/// Bytes that a stock client reads and writes at once. A server counts what it has read in such portions: larger ones
/// would leave up to one per stream uncounted at the end of a slow test.
const BLOCK_BYTES: u32 = 128 << 10;
/// How often a server that sends UDP looks at its rate, microseconds. iperf3's own 1,000 makes bursts that overflow
/// small queues at rates above some 20 Mbit/s, and are called loss.
const PACING_US: u32 = 200;
/// iperf3 reads a byte limit as an `int`: a larger one is kept at this end alone.
const MOST_BYTES: u64 = i32::MAX as u64;
/// The server's own output tells its version, and has a line for each second and stream: asked for where it is short.
const MOST_LINES: u32 = 100;
/// Numbers that a 32-bit counter of datagrams holds.
const MOST_NARROW: u64 = i32::MAX as u64;

/// The parameters of one test.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    fields: Map<String, Value>,
    streams: u16,
}

impl Parameters {
    /// Of a TCP transfer.
    #[must_use]
    pub fn tcp(plan: &TcpPlan) -> Self {
        let mut test = Self::of("tcp", plan.streams, plan.server_sends, plan.max_time_ms);
        test.set("len", BLOCK_BYTES);
        if let Some(bytes) = plan.max_bytes.filter(|bytes| *bytes <= MOST_BYTES) {
            test.set("num", bytes);
        }
        if let Some(rate) = plan.max_rate_bps {
            // For each stream.
            test.set(
                "bandwidth",
                (rate / f64::from(plan.streams.max(1))).round() as u64,
            );
        }
        if let Some(bytes) = plan.mss_bytes {
            test.set("MSS", bytes);
        }
        if let Some(bytes) = plan.socket_buffer_bytes {
            test.set("window", bytes);
        }
        if let Some(name) = &plan.congestion_control {
            test.set("congestion", name.as_str());
        }
        test
    }

    /// Of a UDP stream of datagrams of `payload_bytes`. iperf3 counts payload alone.
    #[must_use]
    pub fn udp(plan: &UdpPlan, payload_bytes: usize) -> Self {
        let payload_bps = plan.rate_bps * payload_bytes as f64 / f64::from(plan.size_bytes.max(1));
        let mut test = Self::of("udp", 1, plan.server_sends, plan.duration_ms);
        test.set("len", payload_bytes);
        test.set("bandwidth", payload_bps.round().max(1.0) as u64);
        test.set("pacing_timer", PACING_US);
        if is_wide(plan) {
            test.set("udp_counters_64bit", 1);
        }
        test
    }

    /// The same test, for somebody who logs in with this token.
    #[must_use]
    pub fn by(mut self, token: &str) -> Self {
        self.set("authtoken", token);
        self
    }

    fn of(protocol: &str, streams: u16, server_sends: bool, time_ms: u32) -> Self {
        let seconds = time_ms.div_ceil(1_000).max(1);
        let mut test = Self {
            fields: Map::new(),
            streams,
        };
        test.set(protocol, true);
        test.set("omit", 0);
        test.set("time", seconds);
        test.set("parallel", streams);
        if server_sends {
            test.set("reverse", true);
        }
        if seconds.saturating_mul(u32::from(streams) + 1) <= MOST_LINES {
            test.set("get_server_output", 1);
        }
        test.set("client_version", concat!("slowpath ", env!("CARGO_PKG_VERSION")));
        test
    }

    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.fields.insert(name.to_owned(), value.into());
    }

    /// Parallel streams.
    #[must_use]
    pub fn streams(&self) -> u16 {
        self.streams
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        json!(self.fields).to_string().into_bytes()
    }
}

/// Whether datagrams of this stream need counters of 64 bits. Some servers only know those of 32.
pub(super) fn is_wide(plan: &UdpPlan) -> bool {
    plan.packets() >= MOST_NARROW / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(parameters: &Parameters) -> Value {
        serde_json::from_slice(&parameters.to_json()).unwrap()
    }

    #[test]
    fn a_tcp_transfer_is_told_as_iperf3_tells_it() {
        let plan = TcpPlan {
            server_sends: true,
            streams: 4,
            mss_bytes: Some(1_400),
            socket_buffer_bytes: Some(65_536),
            congestion_control: Some("cubic".to_owned()),
            max_time_ms: 2_500,
            max_bytes: Some(1_000_000),
            max_rate_bps: None,
            watch_hops: false,
        };
        let told = read(&Parameters::tcp(&plan));
        let expected = json!({
            "tcp": true, "omit": 0, "time": 3, "num": 1_000_000, "parallel": 4, "reverse": true, "len": 131_072,
            "MSS": 1_400, "window": 65_536, "congestion": "cubic", "get_server_output": 1,
            "client_version": told["client_version"],
        });
        assert_eq!(told, expected);
        let long = TcpPlan {
            max_time_ms: 60_000,
            max_bytes: Some(1 << 40),
            ..plan
        };
        let told = read(&Parameters::tcp(&long));
        assert!(told.get("num").is_none() && told.get("get_server_output").is_none());
    }

    #[test]
    fn a_udp_stream_is_told_by_its_payload() {
        let plan = UdpPlan {
            server_sends: false,
            size_bytes: 1_400,
            rate_bps: 14e6,
            duration_ms: 1_000,
        };
        let told = read(&Parameters::udp(&plan, 1_372));
        assert_eq!(
            (&told["bandwidth"], &told["len"]),
            (&json!(13_720_000), &json!(1_372))
        );
        assert!(told.get("udp_counters_64bit").is_none() && told.get("reverse").is_none());
        let long = UdpPlan {
            rate_bps: 1e12,
            duration_ms: 3_600_000,
            ..plan
        };
        assert_eq!(
            read(&Parameters::udp(&long, 1_372))["udp_counters_64bit"],
            json!(1)
        );
    }
}

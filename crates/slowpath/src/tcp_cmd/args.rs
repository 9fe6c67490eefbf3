//! The options of `slowpath tcp`.

use crate::probing_args::{ProbingArgs, seconds};
use net::tcp_port::Plan;
use std::net::{IpAddr, SocketAddr};

/// Shown at the end of `tcp --help`.
const HELP: &str = "\
Any server that answers on a TCP port will do; nothing of ours has to run there. Any user gets handshake times, lost SYNs and options. \
With CAP_NET_RAW (root), loss is told in each direction: single bytes are sent behind one that never comes, and the server's \
kernel acknowledges each of them. The program that listens there gets not one byte, and each connection ends with a reset.

A server is asked for 10 connections and some 16,000 packets of 41 bytes at most; by default it is one connection, 100 packets a second \
and ten seconds, after five handshakes.";

/// Five times show a spread, and one lost SYN does not stand alone.
const HANDSHAKES: u32 = 5;
const PROBES: u32 = 1_000;
const INTERVAL_S: f64 = 0.01;

/// Loss in each direction, handshake times and options, with any TCP server.
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct TcpArgs {
    /// The host that the server runs on
    pub(super) to: String,
    /// The server's port
    #[arg(long, short = 'p', value_name = "PORT", default_value_t = 443, value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) port: u16,
    /// Probes to send; 0: handshakes alone
    #[arg(long, short = 'c', value_name = "N", default_value_t = PROBES)]
    count: u32,
    /// Pause between two probes, seconds
    #[arg(long, short = 'i', value_name = "SECONDS", default_value_t = INTERVAL_S, value_parser = interval)]
    interval: f64,
    /// Handshakes to time
    #[arg(long, value_name = "N", default_value_t = HANDSHAKES, value_parser = clap::value_parser!(u32).range(1..=50))]
    handshakes: u32,
    #[command(flatten)]
    pub(super) probing: ProbingArgs,
}

impl TcpArgs {
    pub(super) fn plan(&self, peer: SocketAddr, source: Option<IpAddr>) -> Plan {
        Plan {
            handshakes: self.handshakes,
            probes: self.count,
            interval_ns: (self.interval * 1e9) as u64,
            ..plan(peer, source)
        }
    }
}

/// What is measured where the user names a port and nothing else.
pub(crate) fn plan(peer: SocketAddr, source: Option<IpAddr>) -> Plan {
    Plan {
        peer,
        source,
        handshakes: HANDSHAKES,
        probes: PROBES,
        interval_ns: (INTERVAL_S * 1e9) as u64,
    }
}

/// Faster ones would be a burden to a server that nobody asked.
fn interval(text: &str) -> Result<f64, String> {
    seconds(text, 0.002..=1.0)
}

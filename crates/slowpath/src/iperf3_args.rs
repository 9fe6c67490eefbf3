//! The options with which an iperf3 server is the far end of transfers.

use crate::far_end_args::FarEndArgs;
use net::iperf3::{DEFAULT_PORT, Iperf3};
use std::net::IpAddr;

/// Why what needs a far end of ours cannot be measured with an iperf3 server.
pub(crate) const WITHOUT_OURS: &str = "an iperf3 server takes part in transfers alone: \
     for this, run `slowpath serve` at the other end and give its token with --token-file";

/// An iperf3 server at the other end.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Iperf3Args {
    /// Transfer to and from a stock iperf3 server (`iperf3 -s`) at the other end where no `slowpath serve` runs
    #[arg(
        long = "iperf3",
        value_name = "PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "5201",
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    iperf3_port: Option<u16>,
}

impl Iperf3Args {
    /// Whether there is one.
    pub(crate) fn is_given(self) -> bool {
        self.iperf3_port.is_some()
    }

    /// The server at `address`, tested from `source`.
    pub(crate) fn server(self, address: IpAddr, source: Option<IpAddr>) -> Option<Iperf3> {
        self.iperf3_port.map(|port| Iperf3::new(address, port, source))
    }

    /// The port that transfers go to: without a token none goes to a far end of ours.
    pub(crate) fn port_of_tests(self, far_end: &FarEndArgs) -> u16 {
        let iperf3 = self.iperf3_port.filter(|_| far_end.token_file.is_none());
        iperf3.unwrap_or(far_end.port())
    }

    /// What it is good for, in words.
    pub(crate) fn role(self) -> String {
        let port = self.iperf3_port.unwrap_or(DEFAULT_PORT);
        format!("transfers go to the iperf3 server on port {port} there; all else is measured from this end")
    }
}

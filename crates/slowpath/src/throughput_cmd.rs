//! `slowpath throughput`: one transfer, and what limited it.

use crate::asks;
use crate::console::Console;
use crate::far_end_args::{FarEndArgs, Reached};
use crate::resolve::{self, FamilyArgs};
use crate::vantages::{Vantages, from_here};
use crate::{exit, output};
use clap::Args;
use evidence::{Ask, Complaint, End, Observation, Payload, RateBps};
use std::process::ExitCode;

/// Arguments of `slowpath throughput`.
#[derive(Args)]
pub(crate) struct ThroughputArgs {
    /// The host where `slowpath serve` runs
    to: String,
    #[command(flatten)]
    far_end: FarEndArgs,
    #[command(flatten)]
    family: FamilyArgs,
    /// Transfer from the far end to this host
    #[arg(long, short = 'R')]
    reverse: bool,
    /// Send UDP at this rate instead of TCP
    #[arg(long, value_name = "RATE", conflicts_with_all = ["streams", "mss", "buffer", "congestion_control", "max_bytes"])]
    udp: Option<RateBps>,
    /// IP packet size for --udp, bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1400, value_parser = clap::value_parser!(u32).range(96..=65_535))]
    size: u32,
    /// Parallel TCP connections
    #[arg(long, short = 'P', value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=128))]
    streams: u16,
    /// Maximum segment size, bytes
    #[arg(long, value_name = "BYTES")]
    mss: Option<u32>,
    /// Socket buffer at both ends, bytes [default: the kernel's automatic tuning]
    #[arg(long, value_name = "BYTES")]
    buffer: Option<u32>,
    /// Congestion control by name, for example cubic [default: the host's]
    #[arg(long, value_name = "NAME")]
    congestion_control: Option<String>,
    /// Stop after so many seconds at the latest; earlier when the answer is stable
    #[arg(long, short = 't', value_name = "SECONDS", default_value_t = 10.0)]
    max_time: f64,
    /// Stop after so many bytes
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u64>,
    /// Print the observations as JSON, one a line
    #[arg(long)]
    json: bool,
}

/// Runs `slowpath throughput`.
pub(crate) async fn run(args: ThroughputArgs) -> ExitCode {
    if !(args.max_time > 0.0 && args.max_time <= 3_600.0) {
        return exit::usage("--max-time takes seconds, more than 0 and at most 3600");
    }
    let destination = match resolve::host(&args.to, args.family) {
        Ok(address) => address,
        Err(error) => return exit::could_not_measure(&error.to_string()),
    };
    let console = Console::start(false);
    let far = match args
        .far_end
        .connect(destination, None, &console.begin("far end"))
        .await
    {
        Reached::Yes(far) => far,
        Reached::Misused(message) => return exit::usage(&message),
        Reached::No(why) => return exit::could_not_measure(&why),
    };
    let complaint = from_here(&args.to, destination, None);
    let mut vantages = Vantages::new(complaint.clone(), destination, None, Ok(far), 1);
    let ask = args.ask(&complaint);
    let watch = console.begin(&asks::title(&ask, &complaint));
    let seen = vantages.perform(&ask, &watch).await;
    drop(console);
    for observation in &seen {
        match args.json {
            true => output::print_json(&evidence::to_json_line(observation)),
            false => output::print(&report::transfer_table(observation, &complaint)),
        }
    }
    exit_code(&seen)
}

impl ThroughputArgs {
    fn ask(&self, complaint: &Complaint) -> Ask {
        let sender = if self.reverse { End::To } else { End::From };
        let (from, to) = (complaint.node(sender), complaint.node(sender.other()));
        let time_ms = (self.max_time * 1_000.0) as u32;
        match self.udp {
            Some(rate_bps) => Ask::UdpStream {
                from,
                to,
                size_bytes: self.size,
                rate_bps,
                duration_ms: time_ms,
            },
            None => Ask::TcpThroughput {
                from,
                to,
                streams: self.streams,
                mss_bytes: self.mss,
                socket_buffer_bytes: self.buffer,
                congestion_control: self.congestion_control.clone(),
                max_time_ms: time_ms,
                max_bytes: self.max_bytes,
                watch_hops: false,
            },
        }
    }
}

fn exit_code(seen: &[Observation]) -> ExitCode {
    let failed = seen.iter().find_map(|observation| match &observation.payload {
        Payload::NotMeasured(missing) => Some(missing.detail.as_str()),
        _ => None,
    });
    failed.map_or(ExitCode::SUCCESS, exit::could_not_measure)
}

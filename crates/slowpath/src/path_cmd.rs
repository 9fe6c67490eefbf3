//! `slowpath path`: hops, sizes and delays as one table, without a diagnosis.

use crate::asks;
use crate::console::Console;
use crate::resolve::{self, FamilyArgs};
use crate::vantages::{Vantages, from_here};
use crate::{exit, output};
use clap::{Args, ValueEnum};
use evidence::{Ask, Complaint, End, Observation, Payload, ProbeProtocol};
use std::net::IpAddr;
use std::process::ExitCode;

/// Arguments of `slowpath path`.
#[derive(Args)]
pub(crate) struct PathArgs {
    /// The host to which the path leads
    to: String,
    /// Send from this address of this host
    #[arg(long, value_name = "ADDRESS")]
    source: Option<IpAddr>,
    #[command(flatten)]
    family: FamilyArgs,
    /// Which packets find the hops
    #[arg(long, value_enum, default_value_t = Protocol::Udp)]
    protocol: Protocol,
    /// How many flows to trace: more than one shows load balancing
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=32))]
    flows: u8,
    /// Find out which packet sizes pass
    #[arg(long)]
    mtu: bool,
    /// Probes per hop and size for loss and delay
    #[arg(long, value_name = "COUNT", num_args = 0..=1, default_missing_value = "20")]
    echo: Option<u32>,
    /// Packet sizes for --echo, bytes
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_value = "64,1400")]
    sizes: Vec<u32>,
    /// Print the observations as JSON, one a line
    #[arg(long)]
    json: bool,
}

/// `ProbeProtocol` as the command line spells it.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Protocol {
    Udp,
    Icmp,
    Tcp,
}

impl From<Protocol> for ProbeProtocol {
    fn from(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Udp => Self::Udp,
            Protocol::Icmp => Self::Icmp,
            Protocol::Tcp => Self::TcpSyn,
        }
    }
}

/// Runs `slowpath path`.
pub(crate) async fn run(args: PathArgs) -> ExitCode {
    let destination = match resolve::host(&args.to, args.family) {
        Ok(address) => address,
        Err(error) => return exit::could_not_measure(&error.to_string()),
    };
    if let Some(source) = args.source.filter(|source| !resolve::is_local(*source)) {
        return exit::usage(&format!("{source} is no address of this host"));
    }
    let console = Console::start(false);
    let single_ended = Err("this command tests from one end".to_owned());
    let complaint = from_here(&args.to, destination, args.source);
    let mut vantages = Vantages::new(complaint.clone(), destination, args.source, single_ended, 1);
    let mut seen = Vec::new();
    for ask in asks(&args, &complaint) {
        if console.cancel.is_cancelled() {
            break;
        }
        let watch = console.begin(&asks::title(&ask, &complaint));
        seen.extend(vantages.perform(&ask, &watch).await);
    }
    drop(console);
    print(&args, &seen, &complaint);
    let failed = seen.iter().find_map(|observation| match &observation.payload {
        Payload::NotMeasured(missing) => Some(missing.detail.clone()),
        _ => None,
    });
    failed.map_or(ExitCode::SUCCESS, |detail| exit::could_not_measure(&detail))
}

fn asks(args: &PathArgs, complaint: &Complaint) -> Vec<Ask> {
    let (from, to) = (complaint.node(End::From), complaint.node(End::To));
    let mut asks = vec![Ask::Route {
        from: from.clone(),
        to: to.clone(),
        protocol: args.protocol.into(),
        flows: args.flows,
    }];
    if args.mtu {
        asks.push(Ask::PathMtu {
            from: from.clone(),
            to: to.clone(),
        });
    }
    if let Some(count) = args.echo {
        asks.push(Ask::Echo {
            from,
            to,
            sizes_bytes: args.sizes.clone(),
            count,
            interval_ms: 100,
        });
    }
    asks
}

fn print(args: &PathArgs, seen: &[Observation], complaint: &Complaint) {
    if args.json {
        seen.iter()
            .for_each(|observation| output::print_json(&evidence::to_json_line(observation)));
    } else {
        output::print(&report::path_table(seen, complaint));
    }
}

//! `slowpath path`: hops, sizes and delays as one table, without a diagnosis; with `--live` and `--report` round after round.

mod columns;
mod draw;
mod flows;
mod hops;
mod live;
mod marks;
mod report_mode;
mod rounds;
mod route;
#[cfg(test)]
mod samples;
mod screen;
mod table;
mod view;

use crate::asks;
use crate::console::Console;
use crate::resolve::{self, FamilyArgs};
use crate::vantages::{Vantages, from_here};
use crate::{exit, output, terminal};
use clap::{Args, ValueEnum};
use evidence::{Ask, Complaint, End, Observation, Payload, ProbeProtocol};
use net::path::{AsnTable, PathTarget, Systems};
use report_mode::Form;
use rounds::Rounds;
use std::io::{self, IsTerminal};
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use table::Heading;

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
    /// Which packets find the hops [default: udp; with --live and --report of one flow icmp]
    #[arg(long, value_enum)]
    protocol: Option<Protocol>,
    /// Show hops and destination round after round, until q (? for help)
    #[arg(long, conflicts_with_all = ["report", "mtu", "echo", "json", "sizes"])]
    live: bool,
    /// Ask hops and destination round after round, and print a table at the end
    #[arg(long, conflicts_with_all = ["mtu", "echo", "sizes"])]
    report: bool,
    /// Rounds of --report [default: 10]
    #[arg(long, value_name = "N", requires = "report", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    count: Option<u64>,
    /// Seconds from one round to the next, with --live and --report [default: 1; at least 0.1]
    #[arg(long, value_name = "SECONDS", value_parser = interval)]
    interval: Option<Duration>,
    /// Print --report as CSV
    #[arg(long, requires = "report", conflicts_with = "json")]
    csv: bool,
    /// With --live and --report, tell each hop's autonomous system, from Team Cymru's DNS: the addresses of hops leave this host
    #[arg(long, conflicts_with = "asn_table")]
    asn: bool,
    /// The same from this file: a prefix and an AS number a line. Nobody is asked
    #[arg(long, value_name = "FILE")]
    asn_table: Option<PathBuf>,
    /// How many flows to trace: more than one shows load balancing. With --live and --report each has rounds of its own, in turn
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
    /// Print the observations as JSON, one a line; --report as one object
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
    if args.live || args.report {
        return in_rounds(&args, destination).await;
    }
    if args.interval.is_some() {
        return exit::usage("--interval goes with --live or --report");
    }
    if args.asn || args.asn_table.is_some() {
        return exit::usage("--asn and --asn-table go with --live or --report");
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

/// The view, or the report.
async fn in_rounds(args: &PathArgs, destination: IpAddr) -> ExitCode {
    let stdout_is_terminal = io::stdout().is_terminal();
    if args.live && !stdout_is_terminal {
        return exit::usage("--live needs a terminal to draw on; --report prints a table");
    }
    let is_dumb = args.live && std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    if is_dumb {
        terminal::complain("this terminal (TERM) cannot be drawn on: the table follows, as with --report");
    }
    let is_live = args.live && !is_dumb;
    let systems = match systems(args) {
        Ok(systems) => systems,
        Err(message) => return exit::usage(&message),
    };
    // Routers choose among equal routes by ports, and seldom by the number of an echo request.
    let usual = if args.flows > 1 {
        Protocol::Udp
    } else {
        Protocol::Icmp
    };
    let rounds = Rounds {
        target: PathTarget {
            destination,
            source: args.source,
            reflector: None,
        },
        protocol: args.protocol.unwrap_or(usual).into(),
        interval: args.interval.unwrap_or(DEFAULT_INTERVAL),
        count: (!is_live).then(|| args.count.unwrap_or(DEFAULT_COUNT)),
        flows: args.flows.into(),
        systems,
    };
    let from = from_here(&args.to, destination, args.source).from.name;
    if is_live {
        // https://no-color.org: any value but none.
        let has_colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let title = format!("{from} -> {} ({destination})", args.to);
        return live::run(rounds, &title, has_colour).await;
    }
    let heading = Heading {
        from,
        to: &args.to,
        interval: rounds.interval_of_each(),
    };
    let form = match (args.json, args.csv) {
        (true, _) => Form::Json,
        (_, true) => Form::Csv,
        _ => Form::Text,
    };
    report_mode::run(rounds, heading, form).await
}

/// Who tells autonomous systems, if anybody.
fn systems(args: &PathArgs) -> Result<Option<Systems>, String> {
    let Some(path) = &args.asn_table else {
        return Ok(args.asn.then(Systems::of_system));
    };
    let about = |what: &dyn std::fmt::Display| format!("the table {}: {what}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| about(&error))?;
    let (table, unread) = AsnTable::read(&text);
    if table.is_empty() {
        return Err(about(
            &"no line has a prefix and an AS number, for example `192.0.2.0/24 64496`",
        ));
    }
    if let Some(first) = unread.first() {
        let count = words::plural(unread.len() as u64, "line", "lines");
        terminal::complain(&about(&format!(
            "{count} not understood, the first is line {first}"
        )));
    }
    Ok(Some(Systems::Table(Arc::new(table))))
}

const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);
const DEFAULT_COUNT: u64 = 10;

/// Ten rounds a second are what `--echo` sends; faster ones meet the limits of routers and measure these.
fn interval(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "a number of seconds is needed".to_owned())?;
    if (0.1..=3600.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err("at least 0.1 and at most 3600 seconds".to_owned())
    }
}

fn asks(args: &PathArgs, complaint: &Complaint) -> Vec<Ask> {
    let (from, to) = (complaint.node(End::From), complaint.node(End::To));
    let mut asks = vec![Ask::Route {
        from: from.clone(),
        to: to.clone(),
        protocol: args.protocol.unwrap_or(Protocol::Udp).into(),
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

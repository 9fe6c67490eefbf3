//! `slowpath`: a transfer from A to B is slow: where on the path, and why?
//!
//! This crate is the processes: command line, terminal, clock. It decides nothing about causes
//! (`diagnosis` does), keeps no case itself (`casefile` does), and sends no packet itself (`net` does).
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_macros)]

#[cfg(all(
    target_env = "gnu",
    target_feature = "crt-static",
    not(getrandom_backend = "linux_getrandom")
))]
compile_error!(
    "a static program would read /dev/random, which `serve` may not: build it with `make dist`, or add \
     --cfg getrandom_backend=\"linux_getrandom\" to RUSTFLAGS"
);

mod asks;
mod capture_cmd;
mod case_cmd;
mod color;
mod complaints;
mod completions_cmd;
mod config;
mod config_cmd;
mod console;
mod diagnose_cmd;
mod directions;
mod doctor_cmd;
mod dscp;
mod examples;
mod exit;
mod explain_cmd;
mod far;
mod far_end_args;
mod grade_cmd;
mod http_args;
mod import_cmd;
mod in_order;
mod intake;
mod into_case;
mod iperf3_args;
mod lab_cmd;
mod man_cmd;
mod mesh_cmd;
mod output;
mod path_cmd;
mod patience;
mod places;
mod plan_view;
mod power_cmd;
mod probing_args;
mod resolve;
mod runtime;
mod serve_cmd;
mod ssh;
mod stamp_cmd;
mod tcp_cmd;
mod terminal;
mod throughput_cmd;
mod times;
mod vantages;
mod workers;

/// Following a capture's connections takes and gives back millions of small pieces, and on other threads than took them: with
/// the allocator of glibc two threads were 1.3 times as fast as one, with this one 1.8 times, and one thread needs a fifth less.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use config::{Config, ConfigError};
use net::rights::Client;
use runtime::as_client;
use std::process::ExitCode;

/// A transfer from A to B is slow: where on the path, and why?
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = exit::HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Colour: auto (on a terminal), always or never [default: auto]
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        global = true,
        hide_possible_values = true
    )]
    color: Option<color::When>,
}

#[derive(Subcommand)]
enum Command {
    /// Measure, reason, and name the cause and its place on the path
    Diagnose(diagnose_cmd::DiagnoseArgs),
    /// Show the path to a host: hops, packet sizes that pass, loss and delay per hop
    Path(path_cmd::PathArgs),
    /// Transfer as much as the path takes, and say what limited it
    Throughput(throughput_cmd::ThroughputArgs),
    /// Loss in each direction and delay, with a STAMP or TWAMP Light reflector such as routers have; or be one
    Stamp(stamp_cmd::StampArgs),
    /// Loss in each direction, handshake times and options with a TCP server of somebody's: a web server, sshd
    Tcp(tcp_cmd::TcpArgs),
    /// Measure between any two of several places, and name the link that bad pairs share
    Mesh(mesh_cmd::MeshArgs),
    /// Be the far end for somebody else's tests
    Serve(serve_cmd::ServeArgs),
    /// The manual page of a fault, or the list of all
    Explain(explain_cmd::ExplainArgs),
    /// What the packets of transfers say: what limited each, when, and where packets were lost
    Capture(capture_cmd::CaptureArgs),
    /// Show what slowpath understands of other tools' output
    Import(import_cmd::ImportArgs),
    /// Open a case, add records and notes to it, join copies, compare before and after, mail it, write its report
    #[command(subcommand)]
    Case(case_cmd::CaseCommand),
    /// Networks with a known fault, on this machine, with real kernels
    #[command(subcommand)]
    Lab(lab_cmd::LabArgs),
    /// How well steps in series are found: a table of simulated series
    Power(power_cmd::PowerArgs),
    /// How well the diagnosis does in random worlds of which the truth is known: tables of errors and reliability
    Grade(grade_cmd::GradeArgs),
    /// This host's settings, and what slowpath may do here
    Doctor(doctor_cmd::DoctorArgs),
    /// The settings, and where each comes from: command line, environment, configuration file
    Config(config_cmd::ConfigArgs),
    /// Print what a shell needs to complete the commands and options of slowpath
    Completions(completions_cmd::CompletionsArgs),
    /// Manual pages
    Man(man_cmd::ManArgs),
}

/// The command line as it is shown: with examples.
fn command_line() -> clap::Command {
    examples::shown_in(Cli::command())
}

/// What the user keeps in a file, for commands on which it bears.
fn settings(command: &Command) -> Result<Config, ConfigError> {
    match command {
        // What is made while a package is built, or shown to repair the file, does not depend on it.
        Command::Completions(_) | Command::Man(_) => Ok(Config::default()),
        Command::Config(args) if args.path => Ok(Config::default()),
        _ => Config::load(),
    }
}

fn main() -> ExitCode {
    // A configuration that cannot be read is told of below, where it bears.
    let early = Config::load().unwrap_or_default();
    let shown = color::setting(color::option_among(std::env::args_os()), &early).value;
    let matches = command_line().color(color::of_help(shown)).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let config = match settings(&cli.command) {
        Ok(config) => config,
        Err(error) => return exit::usage(&error.to_string()),
    };
    color::choose(color::setting(cli.color, &config).value);
    match cli.command {
        Command::Diagnose(args) => diagnose_cmd::run(args, &config),
        Command::Path(args) => as_client(&Client::default(), path_cmd::run(args)),
        Command::Throughput(args) => throughput_cmd::run(args, &config),
        Command::Stamp(args) => stamp_cmd::run(&args),
        Command::Tcp(args) => tcp_cmd::run(&args),
        Command::Mesh(args) => mesh_cmd::run(&args, &config),
        Command::Serve(args) => serve_cmd::run(&args),
        Command::Explain(args) => explain_cmd::run(&args),
        Command::Capture(args) => capture_cmd::run(&args),
        Command::Import(args) => import_cmd::run(&args),
        Command::Case(command) => case_cmd::run(&command),
        Command::Lab(args) => lab_cmd::run(args),
        Command::Power(args) => power_cmd::run(&args),
        Command::Grade(args) => grade_cmd::run(&args),
        Command::Doctor(args) => doctor_cmd::run(args),
        Command::Config(args) if args.path => config_cmd::print_path(),
        Command::Config(args) => {
            let matches = matches.subcommand().map_or(&matches, |(_, of_config)| of_config);
            config_cmd::run(&args, cli.color, &config, matches)
        }
        Command::Completions(args) => completions_cmd::run(&args),
        Command::Man(args) => man_cmd::run(&args),
    }
}

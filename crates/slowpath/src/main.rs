//! `slowpath`: a transfer from A to B is slow: where on the path, and why?
//!
//! This crate is the processes: command line, terminal, clock. It decides nothing about causes
//! (`diagnosis` does), keeps no case itself (`casefile` does), and sends no packet itself (`net` does).
#![forbid(unsafe_code)]
#![deny(clippy::disallowed_macros)]

mod asks;
mod capture_cmd;
mod case_cmd;
mod complaints;
mod console;
mod diagnose_cmd;
mod doctor_cmd;
mod exit;
mod explain_cmd;
mod far_end_args;
mod grade_cmd;
mod import_cmd;
mod intake;
mod lab_cmd;
mod output;
mod path_cmd;
mod patience;
mod plan_view;
mod power_cmd;
mod resolve;
mod runtime;
mod serve_cmd;
mod terminal;
mod throughput_cmd;
mod times;
mod vantages;

/// Following a capture's connections takes and gives back millions of small pieces, and on other threads than took them: with
/// the allocator of glibc two threads were 1.3 times as fast as one, with this one 1.8 times, and one thread needs a fifth less.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use clap::{Parser, Subcommand};
use net::rights::Client;
use runtime::as_client;
use std::process::ExitCode;

/// A transfer from A to B is slow: where on the path, and why?
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = exit::HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure, reason, and name the cause and its place on the path
    Diagnose(diagnose_cmd::DiagnoseArgs),
    /// Show the path to a host: hops, packet sizes that pass, loss and delay per hop
    Path(path_cmd::PathArgs),
    /// Transfer as much as the path takes, and say what limited it
    Throughput(throughput_cmd::ThroughputArgs),
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
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Diagnose(args) => diagnose_cmd::run(&args),
        Command::Path(args) => as_client(&Client::default(), path_cmd::run(args)),
        Command::Throughput(args) => as_client(&Client::default(), throughput_cmd::run(args)),
        Command::Serve(args) => serve_cmd::run(&args),
        Command::Explain(args) => explain_cmd::run(&args),
        Command::Capture(args) => capture_cmd::run(&args),
        Command::Import(args) => import_cmd::run(&args),
        Command::Case(command) => case_cmd::run(&command),
        Command::Lab(args) => lab_cmd::run(args),
        Command::Power(args) => power_cmd::run(&args),
        Command::Grade(args) => grade_cmd::run(&args),
        Command::Doctor(args) => doctor_cmd::run(args),
    }
}

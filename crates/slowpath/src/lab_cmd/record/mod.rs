//! `slowpath lab record`: what the tools that everybody has print on a network whose fault is known.
//!
//! The text is taken as it is, below the command line as a terminal shows it, and never looked into: whether it can be
//! read, and what follows from it, is for `case add` and the diagnosis. A set of such files is a twin of the scenario.

mod hosts;
mod manifest;
mod plan;
mod session;

use clap::Args;
use lab::Lab;
use scenario::{Change, Run, Scenario};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::catalogue;
use super::failure::Failure;
use super::interrupts::Interrupts;
use crate::{output, terminal};
use hosts::Datagrams;
use manifest::{Emulation, Manifest, seconds_since_1970};
use plan::{Nodes, Plan, TOOLS};
use session::Session;

/// Exit code after Ctrl-C, as a shell gives it for SIGINT.
const INTERRUPTED: u8 = 130;
/// Exit code of a recording that should be made again.
const NOT_VALID: u8 = 1;

/// Arguments of `slowpath lab record`.
#[derive(Args)]
#[command(after_help = "\
Runs on the sender and on the receiver, one after the other as a person would: ip -s link, ethtool -S, iperf3 (TCP both \
ways, with ss -tin at both ends; UDP at half of the expected rate, at all of it, and back, up to 200 Mbit/s), nuttcp, ping, ping -M do of \
several sizes, traceroute, tracepath, mtr, nstat. A tool that is not installed is named and left out. Takes three to five \
minutes.

Exit codes: 0 recorded; 1 recorded, but this machine was too busy to emulate the network faithfully: record again; \
2 wrong usage; 4 could not record; 130 interrupted.")]
pub(crate) struct RecordArgs {
    /// Name of a scenario (see `lab list`), or a scenario file
    scenario: String,
    /// Where to put the text and `manifest.toml` [default: SCENARIO.records]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Record the counters of the routers, too, which only their operators can give
    #[arg(long)]
    operators: bool,
    /// Take this step of the scenario's timeline first (`fix`, for example); may be given several times
    #[arg(long = "step", value_name = "NAME")]
    steps: Vec<String>,
    /// Decides what random loss and the like do
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

pub(super) fn run(args: &RecordArgs) -> Result<ExitCode, Failure> {
    let (name, scenario) = catalogue::load(&args.scenario)?;
    let Some(run) = scenario.run.clone() else {
        return Err(Failure::Usage(format!(
            "{}: `lab record` needs a [run] that says who sends to whom",
            args.scenario
        )));
    };
    let out = new_directory(args.out.as_deref(), &name)?;
    lab::enter_sandbox()?;
    let interrupts = Interrupts::leave_to_children()?;
    let lab = Lab::up(&scenario, args.seed)?;
    for step in &args.steps {
        lab.step(step)?;
    }
    let missing = missing_tools();
    let nodes = nodes(&lab, &scenario, &run)?;
    let plan = Plan::of(&nodes, args.operators, &missing);
    let began_at = seconds_since_1970();
    let files = Session::new(&lab, &out, &interrupts).carry_out(&plan)?;
    let Some(files) = files else {
        terminal::complain(&format!(
            "interrupted; {} has no manifest.toml: it is no complete set",
            out.display()
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let validity = lab.validity();
    let datagrams = Datagrams::of(&lab, [nodes.from.name, nodes.to.name])?;
    let valid = validity.is_valid() && (starves_hosts(&scenario) || datagrams.kept_up());
    let manifest = Manifest {
        scenario: name,
        steps: args.steps.clone(),
        seed: args.seed,
        began_at,
        missing: missing.iter().map(|tool| (*tool).to_owned()).collect(),
        emulation: Emulation {
            valid,
            worst_lateness_ms: validity.worst_lateness_ns() as f64 / 1e6,
            datagrams_delivered: datagrams.delivered,
            datagrams_dropped_by_hosts: datagrams.dropped,
        },
        complaint: manifest::Complaint::of(&scenario, &run),
        file: files,
    };
    manifest.write(&out)?;
    output::print(&format!(
        "{} files in {}; {validity}; the hosts dropped {} of {} datagrams\n",
        manifest.file.len(),
        out.display(),
        datagrams.dropped,
        datagrams.dropped + datagrams.delivered
    ));
    Ok(if valid {
        ExitCode::SUCCESS
    } else {
        terminal::complain(
            "NOT VALID: this machine was too busy, and the records show loss that nobody asked for; record again",
        );
        ExitCode::from(NOT_VALID)
    })
}

/// Whether hosts are to be late: then what they drop is the scenario's doing.
fn starves_hosts(scenario: &Scenario) -> bool {
    let changes = scenario.timeline.iter().map(|event| &event.change);
    let starving = |percent: Option<u8>| percent.is_some_and(|percent| percent < 100);
    scenario
        .nodes
        .iter()
        .any(|node| starving(Some(node.settings.cpu_percent)))
        || changes
            .into_iter()
            .any(|change| matches!(change, Change::Settings { set, .. } if starving(set.cpu_percent)))
}

/// An empty directory: sets do not mix.
fn new_directory(given: Option<&Path>, name: &str) -> Result<PathBuf, Failure> {
    let path = given.map_or_else(|| PathBuf::from(format!("{name}.records")), Path::to_path_buf);
    let path = std::path::absolute(path)?;
    std::fs::create_dir_all(&path)?;
    if std::fs::read_dir(&path)?.next().is_some() {
        return Err(Failure::Usage(format!(
            "{} is not empty: records of two runs do not mix",
            path.display()
        )));
    }
    Ok(path)
}

fn missing_tools() -> Vec<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let installed = |tool: &&&str| std::env::split_paths(&path).any(|folder| folder.join(tool).is_file());
    let missing: Vec<&str> = TOOLS.iter().filter(|tool| !installed(tool)).copied().collect();
    for tool in &missing {
        terminal::complain(&format!("{tool} IS NOT INSTALLED: the set will lack its output"));
    }
    missing
}

fn nodes<'a>(lab: &Lab, scenario: &'a Scenario, run: &Run) -> Result<Nodes<'a>, Failure> {
    let mut nodes = Nodes::of(scenario, run);
    for end in [&mut nodes.from, &mut nodes.to] {
        end.interfaces = lab.inside(end.name, || Ok(interface_names()))?;
    }
    Ok(nodes)
}

/// The interfaces of the calling thread's network namespace without the loopback, which has no driver to ask.
fn interface_names() -> Vec<String> {
    let Ok(all) = nix::net::if_::if_nameindex() else {
        return Vec::new();
    };
    let names = all.iter().map(|one| one.name().to_string_lossy().into_owned());
    names.filter(|name| name != "lo").collect()
}

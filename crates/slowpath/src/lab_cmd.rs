//! `slowpath lab`: networks with a known fault, on this machine, with real kernels.
//!
//! Everything here starts other `slowpath` processes in the lab's hosts and looks at what they leave behind, as a
//! user at both ends would. It must never reach into the diagnosis: that is what is being graded.

mod catalogue;
mod grade;
mod prompt;
mod record;
mod session;

use clap::{Args, Subcommand};
use lab::Lab;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit;
use catalogue::Entry;

/// `slowpath lab …`
#[derive(Subcommand)]
pub(crate) enum LabArgs {
    /// The scenarios that come with slowpath
    List,
    /// Bring a scenario up, diagnose it, and compare the verdict with what is really wrong
    Run(RunArgs),
    /// Bring a scenario up, run the tools that everybody has on its hosts, and keep what they print
    Record(record::RecordArgs),
    /// Bring a scenario up and open a shell in one of its hosts
    Shell {
        /// Name of a scenario (see `lab list`), or a scenario file
        scenario: String,
        /// A host or router of it
        host: String,
    },
    /// Bring a scenario up and run one command in one of its hosts
    Exec {
        /// Name of a scenario (see `lab list`), or a scenario file
        scenario: String,
        /// A host or router of it
        host: String,
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
}

/// Arguments of `slowpath lab run`.
#[derive(Args)]
pub(crate) struct RunArgs {
    /// Name of a scenario (see `lab list`), or a scenario file
    scenario: String,
    /// Leave the network up afterwards and ask for commands to run in it
    #[arg(long)]
    keep: bool,
    /// Where to keep the case [default: SCENARIO.case]; with --runs, one case a run in this directory
    #[arg(long, value_name = "DIR")]
    case: Option<PathBuf>,
    /// Print the comparison with the truth as JSON and nothing else
    #[arg(long)]
    json: bool,
    /// Repeat on fresh networks and count how often cause and place were right
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Decides what random loss and the like do; run I uses SEED + I - 1
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

/// Runs `slowpath lab …`. Must be called while the process has a single thread.
pub(crate) fn run(args: LabArgs) -> ExitCode {
    let result = match args {
        LabArgs::List => list(),
        LabArgs::Run(args) => session::run(&args),
        LabArgs::Record(args) => record::run(&args),
        LabArgs::Shell { scenario, host } => shell(&scenario, &host),
        LabArgs::Exec {
            scenario,
            host,
            command,
        } => exec(&scenario, &host, &command),
    };
    match result {
        Ok(code) => code,
        Err(Failure::Usage(message)) => exit::usage(&message),
        Err(Failure::Lab(message)) => exit::could_not_measure(&message),
    }
}

/// Why a lab command could not do its work.
#[derive(Debug)]
enum Failure {
    /// The user's mistake: a wrong name, a broken file.
    Usage(String),
    /// This machine's refusal.
    Lab(String),
}

impl From<lab::LabError> for Failure {
    fn from(error: lab::LabError) -> Self {
        match error {
            lab::LabError::UnknownNode { .. } | lab::LabError::UnknownStep { .. } => {
                Self::Usage(error.to_string())
            }
            _ => Self::Lab(format!(
                "cannot bring the lab up, which needs namespaces and TUN devices: {error}"
            )),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Lab(error.to_string())
    }
}

fn list() -> Result<ExitCode, Failure> {
    let entries = catalogue::embedded();
    let width = entries.iter().map(|e| e.name.len()).max().unwrap_or(0);
    for Entry { name, text } in &entries {
        let title = scenario::parse(text).map_or_else(|error| format!("(broken: {error})"), |s| s.title);
        anstream::println!("{name:width$}  {title}");
    }
    Ok(ExitCode::SUCCESS)
}

fn shell(scenario: &str, host: &str) -> Result<ExitCode, Failure> {
    let program = std::env::var_os("SHELL").unwrap_or_else(|| "/bin/sh".into());
    exec(scenario, host, &[program])
}

fn exec(name: &str, host: &str, command: &[OsString]) -> Result<ExitCode, Failure> {
    let (_, scenario) = catalogue::load(name)?;
    let Some((program, arguments)) = command.split_first() else {
        return Err(Failure::Usage("no command to run".to_owned()));
    };
    lab::enter_sandbox()?;
    let _interrupts = Interrupts::leave_to_children()?;
    let lab = Lab::up(&scenario, 1)?;
    let mut command = lab.command(host, program)?;
    let status = command.args(arguments).env("SLOWPATH_LAB_HOST", host).status();
    let status =
        status.map_err(|e| Failure::Usage(format!("cannot run {}: {e}", program.to_string_lossy())))?;
    Ok(exit_code_of(status))
}

fn exit_code_of(status: std::process::ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let code = status
        .code()
        .or_else(|| status.signal().map(|s| 128 + s))
        .unwrap_or(1);
    ExitCode::from(code as u8)
}

/// Ctrl-C reaches every process of the terminal's group. The lab must outlive its children, or a diagnosis that is
/// interrupted could not finish writing its case. A handler is used because children do not inherit it.
struct Interrupts {
    _runtime: tokio::runtime::Runtime,
    seen: Arc<AtomicBool>,
}

impl Interrupts {
    fn leave_to_children() -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let seen = Arc::new(AtomicBool::new(false));
        let raised = Arc::clone(&seen);
        runtime.spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                raised.store(true, Ordering::SeqCst);
            }
        });
        Ok(Self {
            _runtime: runtime,
            seen,
        })
    }

    /// Whether somebody pressed Ctrl-C since the lab command began.
    fn seen(&self) -> bool {
        self.seen.load(Ordering::SeqCst)
    }
}

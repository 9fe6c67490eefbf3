//! `slowpath lab run`: a far end in one host, a diagnosis in the other, and the comparison with the truth.

use clap::Args;
use evidence::{RateBps, Verdict, VerdictFile};
use lab::{InheritedFile, Lab, Validity};
use net::far_end::new_token;
use scenario::{NodeId, Run, Scenario, Truth};
use serde::Serialize;
use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::failure::Failure;
use super::grade::{Grade, Outcome, grade};
use super::interrupts::Interrupts;
use super::{catalogue, prompt};
use crate::output;

/// How long `serve` may take to listen.
const SERVE_PATIENCE: Duration = Duration::from_secs(20);
/// Exit code after Ctrl-C, as a shell gives it for SIGINT.
const INTERRUPTED: u8 = 130;
/// What `serve` says when it is ready.
const SERVE_READY: &str = "listening on";

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

/// One diagnosis beside its truth.
#[derive(Debug, Serialize)]
struct Comparison {
    scenario: String,
    run: u32,
    seed: u64,
    /// The step of the timeline taken before it; `None` for the network as it came up.
    step: Option<String>,
    agrees: bool,
    #[serde(flatten)]
    grade: Grade,
    seconds: f64,
    emulation_valid: bool,
    worst_lateness_ms: f64,
}

/// What a run needs from a scenario.
struct Plan<'a> {
    args: &'a RunArgs,
    name: String,
    scenario: Scenario,
    run: Run,
    truth: Truth,
}

pub(super) fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    let (name, scenario) = catalogue::load(&args.scenario)?;
    let (Some(run), Some(truth)) = (scenario.run.clone(), scenario.truth.clone()) else {
        return Err(Failure::Usage(format!(
            "{}: `lab run` needs a [run] and a [truth]",
            args.scenario
        )));
    };
    let plan = Plan {
        args,
        name,
        scenario,
        run,
        truth,
    };
    lab::enter_sandbox()?;
    let interrupts = Interrupts::leave_to_children()?;
    let mut comparisons = Vec::new();
    for number in 1..=args.runs {
        let case = plan.case_path(number)?;
        comparisons.extend(plan.once(number, &case, &interrupts)?);
        if interrupts.seen() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
    }
    if args.json {
        let text = serde_json::to_string_pretty(&comparisons).map_err(std::io::Error::from)?;
        output::print_json(&format!("{text}\n"));
    } else if args.runs > 1 {
        tally(&comparisons);
    }
    Ok(if comparisons.iter().all(|c| c.agrees) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

impl Plan<'_> {
    /// Each run gets a case of its own: a case that exists would get another round.
    fn case_path(&self, number: u32) -> Result<PathBuf, Failure> {
        match (&self.args.case, self.args.runs) {
            (Some(given), 1) => Ok(std::path::absolute(given)?),
            (Some(given), _) => {
                std::fs::create_dir_all(given)?;
                Ok(std::path::absolute(given.join(format!("run-{number}.case")))?)
            }
            (None, _) => {
                let first = std::iter::once(format!("{}.case", self.name));
                let mut names = first.chain((2..).map(|n: u32| format!("{}-{n}.case", self.name)));
                let free = names
                    .find(|n| !Path::new(n).exists())
                    .unwrap_or_else(|| "lab.case".to_owned());
                Ok(std::path::absolute(free)?)
            }
        }
    }

    /// One fresh network: the diagnosis as it came up, then one after each step of its timeline.
    fn once(&self, number: u32, case: &Path, interrupts: &Interrupts) -> Result<Vec<Comparison>, Failure> {
        let seed = self.args.seed.wrapping_add(u64::from(number) - 1);
        let lab = Lab::up(&self.scenario, seed)?;
        let token = InheritedFile::new(new_token().map_err(std::io::Error::other)?.as_bytes())?;
        let token = self.run.far_end.then_some(&token);
        let far_end = match token {
            Some(token) => Some(FarEnd::start(&lab, self.host(self.run.to), token)?),
            None => None,
        };
        let mut comparisons = vec![self.diagnose(&lab, token, case, (number, seed), None)?];
        for step in self.scenario.steps() {
            if interrupts.seen() {
                break;
            }
            lab.step(step)?;
            self.say(&format!("STEP   {step}"));
            comparisons.push(self.diagnose(&lab, token, case, (number, seed), Some(step))?);
        }
        drop(far_end);
        self.say(&format!("CASE   {}", case.display()));
        if self.args.keep && !interrupts.seen() {
            prompt::run(&lab)?;
        }
        Ok(comparisons)
    }

    fn host(&self, id: NodeId) -> &str {
        &self.scenario.node(id).name
    }

    fn say(&self, line: &str) {
        if !self.args.json {
            output::print(&format!("{line}\n"));
        }
    }

    fn diagnose(
        &self,
        lab: &Lab,
        token: Option<&InheritedFile>,
        case: &Path,
        (number, seed): (u32, u64),
        step: Option<&str>,
    ) -> Result<Comparison, Failure> {
        let begun = Instant::now();
        let mut command = lab.command(self.host(self.run.from), std::env::current_exe()?)?;
        command.args(self.diagnose_arguments(token, case, step));
        command.args(["--color", &crate::color::chosen().to_string()]);
        without_configuration(&mut command);
        if self.args.json {
            command.stdout(Stdio::null());
        }
        let status = command.status()?;
        let seconds = begun.elapsed().as_secs_f64();
        let truth = step.and_then(|s| self.truth.after.get(s)).unwrap_or(&self.truth);
        let grade = match last_verdict(case) {
            Ok(verdict) => grade(&self.scenario, &self.run, truth, &verdict),
            Err(why) => Grade::without_verdict(truth, format!("{why}; diagnose ended with {status}")),
        };
        let validity = lab.validity();
        self.say(&truth_line(&grade, seconds, &validity));
        Ok(Comparison {
            scenario: self.name.clone(),
            run: number,
            seed,
            step: step.map(ToOwned::to_owned),
            agrees: grade.agrees(),
            grade,
            seconds,
            emulation_valid: validity.is_valid(),
            worst_lateness_ms: validity.worst_lateness_ns() as f64 / 1e6,
        })
    }

    fn diagnose_arguments(
        &self,
        token: Option<&InheritedFile>,
        case: &Path,
        step: Option<&str>,
    ) -> Vec<OsString> {
        let to = self.scenario.node(self.run.to);
        let address = self
            .scenario
            .addresses_of(self.run.to)
            .first()
            .map(ToString::to_string);
        let target = if to.in_dns {
            to.name.clone()
        } else {
            address.unwrap_or_default()
        };
        let mut arguments: Vec<OsString> = vec!["diagnose".into(), target.into()];
        if let Some(bps) = self.run.expect_bps {
            arguments.extend(["--expect".into(), RateBps(bps as f64).to_string().into()]);
        }
        if let Some(token) = token {
            arguments.extend(["--token-file".into(), token.path().into()]);
        }
        arguments.extend(["--case".into(), case.into()]);
        if let Some(step) = step {
            arguments.extend(["--note".into(), format!("the lab took the step `{step}`").into()]);
        }
        arguments.extend(self.run.diagnose_args.iter().map(OsString::from));
        arguments
    }
}

/// `TRUTH  MTU-002 …: agrees`, the last word of a run.
fn truth_line(grade: &Grade, seconds: f64, validity: &Validity) -> String {
    let outcome = if grade.agrees() {
        "agrees".to_owned()
    } else {
        let differences = grade.differences.join("; ");
        format!("differs ({}): {differences}", grade.outcome.in_words())
    };
    let herrings = match grade.red_herrings {
        0 => String::new(),
        all => format!(", {} of {all} red herrings named", grade.red_herrings_named),
    };
    format!(
        "TRUTH  {}: {outcome} (verdict {}{herrings}, {seconds:.1} s; {validity})",
        grade.expected, grade.found
    )
}

fn tally(comparisons: &[Comparison]) {
    let mut steps: Vec<Option<&str>> = Vec::new();
    for comparison in comparisons {
        let step = comparison.step.as_deref();
        if !steps.contains(&step) {
            steps.push(step);
        }
    }
    for step in steps {
        let of_step: Vec<&Comparison> = comparisons.iter().filter(|c| c.step.as_deref() == step).collect();
        let count = |pick: fn(&Comparison) -> bool| of_step.iter().filter(|c| pick(c)).count();
        let mean_s = of_step.iter().map(|c| c.seconds).sum::<f64>() / of_step.len().max(1) as f64;
        let outcomes = Outcome::ALL.map(|outcome| {
            let of_outcome = of_step.iter().filter(|c| c.grade.outcome == outcome);
            format!("{} {}", of_outcome.count(), outcome.in_words())
        });
        output::print(&format!(
            "TALLY  {}: cause right {}, place right {}, direction right {}, all agree {} of {} runs ({}); \
             {mean_s:.1} s on average; emulation valid in {}\n",
            step.map_or_else(|| "as it came up".to_owned(), |s| format!("after {s}")),
            count(|c| c.grade.cause_right),
            count(|c| c.grade.location_right),
            count(|c| c.grade.direction_right),
            count(|c| c.agrees),
            of_step.len(),
            outcomes.join(", "),
            count(|c| c.emulation_valid),
        ));
    }
}

fn last_verdict(case: &Path) -> Result<Verdict, String> {
    let path = case.join("verdict.json");
    let text = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let file: VerdictFile = serde_json::from_slice(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    file.rounds
        .into_iter()
        .next_back()
        .ok_or_else(|| format!("{} holds no verdict", path.display()))
}

/// `slowpath serve` in the receiving host. Dropping it ends the process.
struct FarEnd {
    process: Child,
}

/// The lab's hosts are nobody's: the port that a user set for a far end of theirs is none of a scenario.
fn without_configuration(command: &mut Command) {
    command.env(crate::config::VARIABLE, "/dev/null");
}

impl Drop for FarEnd {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl FarEnd {
    fn start(lab: &Lab, host: &str, token: &InheritedFile) -> Result<Self, Failure> {
        let mut command = lab.command(host, std::env::current_exe()?)?;
        command
            .args(["serve", "--quiet", "--token-file"])
            .arg(token.path());
        without_configuration(&mut command);
        // In a group of its own: Ctrl-C is for the diagnosis, which still has things to ask of the far end.
        command.process_group(0);
        let process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let mut far_end = Self { process };
        let lines = far_end.process.stdout.take().map(drain);
        far_end.wait_until_ready(lines)
    }

    fn wait_until_ready(self, lines: Option<Receiver<String>>) -> Result<Self, Failure> {
        let deadline = Instant::now() + SERVE_PATIENCE;
        let mut said = Vec::new();
        while let Some(lines) = &lines {
            match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) if line.contains(SERVE_READY) => return Ok(self),
                Ok(line) => said.push(line),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        Err(Failure::Lab(format!(
            "`slowpath serve` did not begin to listen; it said: {}",
            said.join(" / ")
        )))
    }
}

/// Passes the lines on, and goes on reading to the end: a full pipe would stop the far end.
fn drain(output: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    receiver
}

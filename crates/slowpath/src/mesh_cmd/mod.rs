//! `slowpath mesh`: a matrix of loss and delay between any number of places, and the link that the bad pairs share.

mod gentle;
mod json;
mod measure;

use crate::complaints::{Complaints, MOST_TOLD};
use crate::config::Config;
use crate::console::Console;
use crate::far::{Far, TURNED};
use crate::patience::patience;
use crate::places::{Found, Reached, file};
use crate::resolve::FamilyArgs;
use crate::runtime::as_client;
use crate::ssh::SshArgs;
use crate::vantages::now;
use crate::{exit, output, terminal};
use casefile::CaseDir;
use clap::Args;
use evidence::{Case, Complaint, Observation, RateBps};
use futures::future::join_all;
use gentle::gentle;
use measure::Mesh;
use net::rights::Client;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Shown at the end of `mesh --help`.
const HELP: &str = "\
FILE names the places in TOML, each in a table of its own:

  [[place]]
  name = \"ams\"
  address = \"dtn.ams.example.org\"    # host, host:port, or user@host to start the far end there through ssh
  token-file = \"ams.token\"           # what `slowpath serve` printed there; not with user@host
  [[place]]
  name = \"here\"
  here = true                        # this host takes part

Far ends that are to be measured against each other run `slowpath serve --allow-peers PREFIX`. All probes together take at \
most 1 % of the capacity of any link; docs/mesh.md says how that is reckoned, and what else a file may hold.";

/// Arguments of `slowpath mesh`.
#[derive(Args)]
#[command(after_long_help = HELP)]
pub(crate) struct MeshArgs {
    /// The file of places
    file: PathBuf,
    /// Where to keep the case; an existing one of the same mesh gets another round [default: NAME.case]
    #[arg(long, value_name = "DIR")]
    case: Option<PathBuf>,
    /// What the narrowest link between the places carries [default: the file's, else 100Mbit/s]
    #[arg(long, value_name = "RATE")]
    capacity: Option<RateBps>,
    /// How long all pairs are probed
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    seconds: u32,
    /// Measure full rates as well: one TCP transfer after the other, between any two places in both directions
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    family: FamilyArgs,
    #[command(flatten)]
    ssh: SshArgs,
    /// Print matrix and verdict as JSON (see docs/mesh.md)
    #[arg(long)]
    json: bool,
    /// No progress, only the matrix and the verdict
    #[arg(long, short)]
    quiet: bool,
}

/// Runs `slowpath mesh`.
pub(crate) fn run(args: &MeshArgs, config: &Config) -> ExitCode {
    let prepared = prepare(args, config);
    match prepared {
        Ok(opened) => {
            let path = opened.path.clone();
            let client = Client {
                case: Some(&path),
                case_is_foreign: !opened.dir.is_ours(),
                token: None,
                has_resolved: true,
            };
            as_client(&client, async {
                match measure(args, opened).await {
                    Ok(code) | Err(code) => code,
                }
            })
        }
        Err(code) => code,
    }
}

/// The mesh before rights are given up.
struct Opened {
    path: PathBuf,
    dir: CaseDir,
    case: Case,
    capacity: Option<RateBps>,
    places: Vec<Found>,
}

fn prepare(args: &MeshArgs, config: &Config) -> Result<Opened, ExitCode> {
    let mesh = file::read(&args.file, 2)?;
    let places = mesh.places.iter();
    let places = places
        .map(|place| Found::find(place, args.family, &args.ssh, config))
        .collect();
    let stem = args
        .file
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let name = mesh.name.or(stem).unwrap_or_else(|| "mesh".to_owned());
    let path = args
        .case
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}.case", name.replace(['/', ':', ' '], "-"))));
    let complaint = Complaint::of_all(&name, now());
    let (dir, case, complaints) = CaseDir::create_or_open(&path, &complaint, &mut patience(&path))
        .map_err(|error| exit::no_such_case(&error))?;
    let mut told = Complaints::at_most(MOST_TOLD);
    complaints
        .iter()
        .for_each(|complaint| told.say(|| complaint.to_string()));
    Ok(Opened {
        path,
        dir,
        case,
        capacity: args.capacity.or(mesh.capacity),
        places,
    })
}

async fn measure(args: &MeshArgs, opened: Opened) -> Result<ExitCode, ExitCode> {
    let Opened {
        path,
        mut dir,
        mut case,
        capacity,
        places: found,
    } = opened;
    let console = Console::start(args.quiet);
    let began = Instant::now();
    let round = case.rounds().last().map_or(1, |last| last + 1);
    let watch = console.begin("connecting to all places");
    let places: Vec<Reached> = join_all(found.into_iter().map(|place| place.reach(&watch))).await;
    for place in &places {
        if let Err(why) = &place.end {
            console.warn(&format!("{}: {why}", place.name));
        } else if place.far().is_some_and(Far::has_dialed) {
            console.line(&format!("{}: {TURNED}", place.name));
        }
    }
    let mesh = Mesh::new(&places, round, &console);
    let gentle = gentle(places.len(), capacity, args.seconds);
    let mut failed = None;
    let mut keep = |observation: Observation| {
        if let Err(error) = dir.append(&observation) {
            failed.get_or_insert(error);
        }
        case.add(observation);
    };
    let say = |what: String| console.line(&format!("{:>5.1} s  {what}", began.elapsed().as_secs_f32()));
    say(format!(
        "{} of {} places take part",
        places.iter().filter(|p| p.end.is_ok()).count(),
        places.len()
    ));
    mesh.absent(gentle).into_iter().for_each(&mut keep);
    let mut traced = 0u32;
    mesh.routes(|observation| {
        traced += u32::from(matches!(observation.payload, evidence::Payload::Trace(_)));
        keep(observation);
    })
    .await;
    say(format!("{traced} routes traced"));
    if !console.cancel.is_cancelled() {
        mesh.losses(gentle).await.into_iter().for_each(&mut keep);
        say(format!(
            "{} probes a second in each direction of a pair, for {} s",
            gentle.pps, args.seconds
        ));
    }
    if args.full && !console.cancel.is_cancelled() {
        mesh.rates(&mut keep).await;
        say("full rates measured".to_owned());
    }
    drop(console);
    if let Some(error) = failed {
        return Err(exit::not_written(&error));
    }
    conclude(args, &case, &mut dir, &path, &places)
}

fn conclude(
    args: &MeshArgs,
    case: &Case,
    dir: &mut CaseDir,
    path: &Path,
    places: &[Reached],
) -> Result<ExitCode, ExitCode> {
    let verdicts = diagnosis::judge(case);
    let html = report::html(case, &verdicts);
    dir.write_derived(&report::json(&verdicts), &html)
        .map_err(|error| exit::not_written(&error))?;
    let Some(latest) = verdicts.rounds.last() else {
        return Err(exit::could_not_measure("nothing was measured"));
    };
    if args.json {
        output::print_json(&json::text(case, latest, places));
    } else {
        output::print(&report::verdict_text(case, &verdicts, output::options()));
    }
    if !args.quiet {
        terminal::note("");
        terminal::note(&format!(
            "evidence: {}   report: {}",
            path.display(),
            path.join("report.html").display()
        ));
    }
    Ok(exit::of_verdict(latest.state))
}

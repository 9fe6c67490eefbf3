//! `slowpath diagnose`: the loop of plan, ask, observe, judge, and the case that it leaves behind.

mod ends;
mod investigation;
mod listening;
mod reaching;
mod vias;

use crate::capture_cmd::own::OwnCapture;
use crate::complaints::{Complaints, MOST_TOLD};
use crate::config::Config;
use crate::console::Console;
use crate::far::{Far, TURNED};
use crate::far_end_args::FarEndArgs;
use crate::http_args::HttpArgs;
use crate::iperf3_args::Iperf3Args;
use crate::output::Form;
use crate::patience::patience;
use crate::places::Found;
use crate::resolve::FamilyArgs;
use crate::runtime::as_client;
use crate::ssh::SshArgs;
use crate::tcp_cmd::TcpPort;
use crate::vantages::{Vantages, now};
use crate::{exit, output, terminal};
use casefile::CaseDir;
use clap::Args;
use ends::{Ends, read_url};
use evidence::{Case, CaseComplaint, JournalEntry, RateBps};
use investigation::{Kept, investigate};
use listening::Listening;
use net::iperf3::Login;
use net::rights::Client;
use reaching::{reach, reach_others};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Arguments of `slowpath diagnose`.
#[derive(Args)]
pub(crate) struct DiagnoseArgs {
    /// The host that receives the slow transfer, by name or address (`here` for this host, with --from), or `user@host` to
    /// start the far end there through ssh; or the URL of a file on a web server (https://...) whose download is slow: then the
    /// data come from there to here
    to: String,
    /// The host that sends it: this host unless you name the far end (or `user@host`), or one of this host's addresses. Where
    /// neither this nor TO is this host, a far end measures at both
    #[arg(long, value_name = "HOST")]
    from: Option<String>,
    /// The rate you expect, for example `2Gbit/s`
    #[arg(long, value_name = "RATE")]
    expect: Option<RateBps>,
    /// A far end elsewhere (host, host:port, or user@host), from which a part of the path is measured as well; may be given
    /// several times. It needs `serve --allow-peers` there, and at the other end
    #[arg(long, value_name = "HOST")]
    via: Vec<String>,
    /// Third places out of a file, as `slowpath mesh` reads it, each with its own token
    #[arg(long, value_name = "FILE")]
    via_file: Option<PathBuf>,
    #[command(flatten)]
    far_end: FarEndArgs,
    /// Wait for the far end to connect to this host (`slowpath serve --dial` there): for one behind a firewall or an address
    /// translator. What to run there is shown
    #[arg(long, conflicts_with_all = ["iperf3_port", "ssh"])]
    listen: bool,
    #[command(flatten)]
    ssh: SshArgs,
    #[command(flatten)]
    iperf3: Iperf3Args,
    #[command(flatten)]
    http: HttpArgs,
    /// Measure loss in each direction with whatever server listens on this TCP port of the other end, without a far end there:
    /// 443, 22 (see `slowpath tcp`)
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    tcp: Option<u16>,
    #[command(flatten)]
    family: FamilyArgs,
    /// Since when it is slow, in your words; goes into the case
    #[arg(long, value_name = "TEXT")]
    since: Option<String>,
    /// What was changed since the last run of this case; goes into its journal
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// Where to keep the case; an existing one of the same transfer gets another round [default: TO.case]
    #[arg(long, value_name = "DIR")]
    case: Option<PathBuf>,
    /// Stop measuring after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 180)]
    max_time: u64,
    /// Put at most so many bytes on the network in one test
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u64>,
    /// Capture the headers of our own test connections and keep them in the case, where this host may capture
    #[arg(long)]
    capture: bool,
    /// Print the verdict as JSON (see docs/verdict.schema.json)
    #[arg(long)]
    json: bool,
    /// Print each observation as JSON as soon as it is made, one a line, and the verdict as the last line
    #[arg(long, conflicts_with_all = ["json", "brief"])]
    json_lines: bool,
    /// Print only how slow, why, where, how sure, and what to do
    #[arg(long, conflicts_with = "json")]
    brief: bool,
    /// Before each measurement, show what else could be measured, what each is expected to gain, and what it costs
    #[arg(long, conflicts_with = "quiet")]
    explain_plan: bool,
    /// No progress, only the verdict
    #[arg(long, short)]
    quiet: bool,
}

impl DiagnoseArgs {
    fn form(&self) -> Form {
        match (self.json, self.json_lines, self.brief) {
            (true, ..) => Form::Json,
            (_, true, _) => Form::JsonLine,
            (.., true) => Form::Brief,
            _ => Form::Text,
        }
    }
}

/// Runs `slowpath diagnose`.
pub(crate) fn run(mut args: DiagnoseArgs, config: &Config) -> ExitCode {
    let prepared = prepare(&mut args, config);
    let args = &args;
    match prepared {
        Ok((ends, case)) => {
            // Those of two others, and what a web server has no use for, are read already.
            let connects = ends.web.is_none() && ends.others.is_none() && case.listening.is_none();
            let path = case.path.clone();
            let client = Client {
                case: Some(&path),
                case_is_foreign: !case.dir.is_ours(),
                token: args.far_end.token_file.as_deref().filter(|_| connects),
                has_resolved: true,
            };
            as_client(&client, async {
                match diagnose(args, ends, case).await {
                    Ok(code) | Err(code) => code,
                }
            })
        }
        Err(code) => code,
    }
}

/// The case directory, its path, and what is in it already.
struct Opened {
    path: PathBuf,
    dir: CaseDir,
    case: Case,
    complaints: Vec<CaseComplaint>,
    /// With --capture, where this host may.
    capture: Option<OwnCapture>,
    /// With --tcp.
    port: Option<TcpPort>,
    /// The third places.
    vias: Vec<Found>,
    /// Where the far end connects to.
    listening: Option<Listening>,
    /// Who logs in to an iperf3 server.
    login: Option<Login>,
}

/// What needs the user's own rights: finding the ends and opening the case. No packet is sent, and no case is left
/// behind for a host that cannot be found.
fn prepare(args: &mut DiagnoseArgs, config: &Config) -> Result<(Ends, Opened), ExitCode> {
    let web = read_url(args).map_err(|message| exit::usage(&message))?;
    let login = args.iperf3.login().map_err(|message| exit::usage(&message))?;
    // Before the ends are: what the configuration says of TO is of no other host.
    let places = vias::named(args)?;
    let ends = match web {
        Some(web) => Ends::of_web(args, web)?,
        None => Ends::find(args, config)?,
    };
    let vias = vias::find(args, &places, &ends, config)?;
    let listening = args.listen.then(|| Listening::open(args, &ends)).transpose()?;
    let path = args.case.clone().unwrap_or_else(|| ends.case_path());
    let (dir, case, complaints) = CaseDir::create_or_open(&path, &ends.complaint(args), &mut patience(&path))
        .map_err(|error| exit::no_such_case(&error))?;
    let capture = args
        .capture
        .then(|| ends.capture(args.iperf3.port_of_tests(&args.far_end)));
    let capture = capture.and_then(|opened| {
        opened
            .inspect_err(|why| terminal::complain(&format!("our own tests are not captured: {why}")))
            .ok()
    });
    let port = ends.tcp_port(args)?;
    Ok((
        ends,
        Opened {
            path,
            dir,
            case,
            complaints,
            capture,
            port,
            vias,
            listening,
            login,
        },
    ))
}

async fn diagnose(args: &DiagnoseArgs, mut ends: Ends, opened: Opened) -> Result<ExitCode, ExitCode> {
    let Opened {
        path,
        mut dir,
        mut case,
        complaints,
        mut capture,
        port,
        vias,
        listening,
        login,
    } = opened;
    let mut told = Complaints::at_most(MOST_TOLD);
    complaints
        .iter()
        .for_each(|complaint| told.say(|| complaint.to_string()));
    drop(told);
    let console = Console::start(args.quiet);

    let round = case.rounds().last().map_or(1, |last| last + 1);
    let http = ends
        .web
        .as_ref()
        .map(|(web, found)| web.server(*found, ends.bind, args.family, true));
    let others = reach_others(ends.others.take(), &console).await?;
    let (near, far, _sessions) = match (others, listening) {
        (Some([(near, kept), (far, held)]), _) => (Some(near), Ok(far), [kept, held]),
        (None, Some(listening)) => {
            let far = Far::from(listening.far_end(&console).await?);
            (None, Ok(far), [None, None])
        }
        (None, None) => {
            let far = reach(args, &ends, http.as_ref(), &console).await?;
            if far.as_ref().is_ok_and(Far::has_dialed) {
                console.line(TURNED);
            }
            (None, far, [None, None])
        }
    };
    // It may have come from another of its addresses.
    if let Some(far) = far.as_ref().ok().filter(|far| far.has_dialed()) {
        ends.remote = far.end.peer_address().ip();
    }
    let thirds = vias::reach(vias, &console).await;
    note_intervention(args, round, &mut dir, &mut case)?;
    let mut vantages = Vantages::new(case.complaint.clone(), ends.remote, ends.bind, far, round)
        .with_iperf3(args.iperf3.server(ends.remote, ends.bind, login))
        .with_http(http)
        .with_near(near)
        .with_thirds(thirds);
    let start = Instant::now();
    let mut kept = Kept {
        args,
        case: &mut case,
        dir: &mut dir,
        console: &console,
        start,
    };
    if let Some(port) = port {
        kept.ask_port(port, round).await?;
    }
    let tools = (&mut vantages, &mut capture);
    investigate(&mut kept, tools, round).await?;
    drop(console);
    conclude(args, &case, &mut dir, &path, round)
}

fn note_intervention(
    args: &DiagnoseArgs,
    round: u32,
    dir: &mut CaseDir,
    case: &mut Case,
) -> Result<(), ExitCode> {
    let Some(what) = args.note.clone() else {
        return Ok(());
    };
    let who = std::env::var("USER").unwrap_or_else(|_| "somebody".to_owned());
    let entry = JournalEntry {
        at: now(),
        who,
        network: None,
        what,
        before_round: Some(round),
    };
    dir.note(&entry)
        .map_err(|error| exit::could_not_measure(&error.to_string()))?;
    case.journal.push(entry);
    Ok(())
}

fn conclude(
    args: &DiagnoseArgs,
    case: &Case,
    dir: &mut CaseDir,
    path: &Path,
    round: u32,
) -> Result<ExitCode, ExitCode> {
    let verdicts = diagnosis::judge(case);
    let html = report::html(case, &verdicts);
    dir.write_derived(&report::json(&verdicts), &html)
        .map_err(|error| exit::could_not_measure(&error.to_string()))?;
    output::verdict(case, &verdicts, args.form());
    if !args.quiet {
        terminal::note("");
        terminal::note(&format!(
            "evidence: {}   report: {}",
            path.display(),
            path.join("report.html").display()
        ));
    }
    let verdict = verdicts.rounds.iter().find(|verdict| verdict.round == round);
    Ok(verdict.map_or_else(
        || exit::could_not_measure("nothing was measured"),
        |v| exit::of_verdict(v.state),
    ))
}

//! `slowpath diagnose`: the loop of plan, ask, observe, judge, and the case that it leaves behind.

mod ends;
mod listening;
mod vias;

use crate::asks;
use crate::capture_cmd::own::OwnCapture;
use crate::complaints::{Complaints, MOST_TOLD};
use crate::config::Config;
use crate::console::Console;
use crate::far_end_args::{FarEndArgs, Reached};
use crate::http_args::{self, HttpArgs, Web};
use crate::iperf3_args::{Iperf3Args, WITHOUT_OURS};
use crate::output::Form;
use crate::patience::patience;
use crate::places::Found;
use crate::resolve::FamilyArgs;
use crate::runtime::as_client;
use crate::ssh::{Session, SshArgs};
use crate::tcp_cmd::{self, TcpPort};
use crate::vantages::{Vantages, may_meet, now};
use crate::{exit, output, plan_view, terminal};
use casefile::CaseDir;
use clap::Args;
use ends::{Ends, read_url};
use evidence::{Ask, Case, CaseComplaint, End, JournalEntry, Observation, Payload, RateBps};
use listening::Listening;
use net::far_end::{FarEnd, Met};
use net::http::Http;
use net::rights::Client;
use net::{NetError, Watch};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
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
}

/// What needs the user's own rights: finding the ends and opening the case. No packet is sent, and no case is left
/// behind for a host that cannot be found.
fn prepare(args: &mut DiagnoseArgs, config: &Config) -> Result<(Ends, Opened), ExitCode> {
    let web = read_url(args).map_err(|message| exit::usage(&message))?;
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
    let (near, far, own, _sessions) = match (others, listening) {
        (Some([(near, kept), (far, held)]), _) => (Some(near), Ok(far), None, [kept, held]),
        (None, Some(listening)) => {
            let Met { far, own } = listening.far_end(&console).await?;
            ends.remote = far.peer_address().ip();
            (None, Ok(Box::new(far)), Some(own), [None, None])
        }
        (None, None) => {
            let far = reach(args, &ends, http.as_ref(), &console).await?;
            (None, far, None, [None, None])
        }
    };
    let thirds = vias::reach(vias, &console).await;
    note_intervention(args, round, &mut dir, &mut case)?;
    let mut vantages = Vantages::new(case.complaint.clone(), ends.remote, ends.bind, far, round)
        .with_iperf3(args.iperf3.server(ends.remote, ends.bind))
        .with_http(http)
        .with_near(near)
        .with_own(own)
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

/// The far ends at both ends, with what keeps them running, where neither end is this host. Without one of them nothing can be
/// measured.
async fn reach_others(
    found: Option<[Found; 2]>,
    console: &Console,
) -> Result<Option<[(Box<FarEnd>, Option<Session>); 2]>, ExitCode> {
    let Some([from, to]) = found else {
        return Ok(None);
    };
    let watch = console.begin("far ends");
    let reach = |found: Found| async {
        let name = found.name.clone();
        let reached = found.reach(&watch).await.into_far();
        reached.map_err(|why| exit::could_not_measure(&format!("{name}: {why}")))
    };
    let (from, to) = tokio::join!(reach(from), reach(to));
    let ends = [from?, to?];
    may_meet(&ends[0].0, &ends[1].0, &watch)
        .await
        .map_err(|error| exit::could_not_measure(&error.to_string()))?;
    Ok(Some(ends))
}

/// The far end of ours, or why there is none.
async fn reach(
    args: &DiagnoseArgs,
    ends: &Ends,
    http: Option<&Arc<Http>>,
    console: &Console,
) -> Result<Result<Box<FarEnd>, String>, ExitCode> {
    if let (Some((web, _)), Some(http)) = (&ends.web, http) {
        return look_at(web, http, console).await;
    }
    let watch = console.begin("far end");
    let reached = args
        .far_end
        .connect(ends.remote, ends.bind, ends.session.as_ref(), &watch)
        .await;
    match reached {
        Reached::Yes(far) => Ok(Ok(far)),
        Reached::Misused(message) => Err(exit::usage(&message)),
        Reached::No(why) if args.iperf3.is_given() => {
            if args.far_end.token_file.is_some() {
                console.warn(&format!("no far end of slowpath takes part: {why}"));
            }
            console.line(&args.iperf3.role());
            Ok(Err(WITHOUT_OURS.to_owned()))
        }
        Reached::No(why) => {
            console.warn(&format!("testing from this end only: {why}"));
            Ok(Err(why))
        }
    }
}

/// A wrong URL is told at once. A server that does not answer is no reason to stop: why it does not is the question.
async fn look_at(
    web: &Web,
    http: &Arc<Http>,
    console: &Console,
) -> Result<Result<Box<FarEnd>, String>, ExitCode> {
    if let Some(note) = web.proxy_note() {
        console.warn(&note);
    }
    if web.local_end() == End::To {
        match http.look(&console.begin("web server")).await {
            Ok(what) => console.line(&what),
            Err(error @ (NetError::Web(_) | NetError::Tls(_))) => {
                return Err(exit::could_not_measure(&error.to_string()));
            }
            Err(error) => console.warn(&error.to_string()),
        }
    }
    console.line(&web.role());
    Ok(Err(http_args::WITHOUT_OURS.to_owned()))
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

/// The case that observations are kept in as soon as they are made.
struct Kept<'a> {
    args: &'a DiagnoseArgs,
    case: &'a mut Case,
    dir: &'a mut CaseDir,
    console: &'a Console,
    start: Instant,
}

impl Kept<'_> {
    /// Shows an observation and writes it down.
    fn add(&mut self, observation: Observation) -> Result<(), ExitCode> {
        self.console.line(&format!(
            "{:>5.1} s  {}",
            self.start.elapsed().as_secs_f32(),
            report::payload_line(&observation.payload, Some(&self.case.complaint))
        ));
        if self.args.json_lines {
            output::print_json(&evidence::to_json_line(&observation));
        }
        self.dir
            .append(&observation)
            .map_err(|error| exit::could_not_measure(&error.to_string()))?;
        self.case.add(observation);
        Ok(())
    }

    /// What a TCP port of the other end tells: evidence like any other. One that tells nothing is no reason to stop.
    async fn ask_port(&mut self, port: TcpPort, round: u32) -> Result<(), ExitCode> {
        let at = now();
        let watch = self.console.begin(&port.title());
        let session = match port.measure(&watch).await {
            Ok(session) => session,
            Err(error) => {
                self.console.warn(&error.to_string());
                return Ok(());
            }
        };
        if let Err((_, why)) = &session.loss {
            self.console
                .warn(&format!("loss in each direction is not known: {why}"));
        }
        let mut seen = tcp_cmd::observations(&session, &self.case.complaint, (at, round)).into_iter();
        seen.try_for_each(|observation| self.add(observation))
    }
}

/// Asks and observes until the planner has no further question, the budget is used up or the user stops it. Every
/// observation is on disk before the next ask begins.
async fn investigate(
    kept: &mut Kept<'_>,
    (vantages, capture): (&mut Vantages, &mut Option<OwnCapture>),
    round: u32,
) -> Result<(), ExitCode> {
    let (args, console, start) = (kept.args, kept.console, kept.start);
    // A far end says itself what it may.
    let raw_sockets_here = vantages.is_elsewhere() || net::host::capabilities().raw_icmp.is_yes();
    while !console.cancel.is_cancelled() {
        let means = diagnosis::Means {
            far_end: vantages.is_two_ended(),
            far_end_probes: vantages.probes_there(),
            third_places: vantages.thirds(),
            raw_sockets_here,
            budget_time_ms: args.max_time.saturating_mul(1_000),
            spent_time_ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
            budget_bytes: args.max_bytes,
            spent_bytes: spent_bytes(kept.case, round),
        };
        let plan = diagnosis::explain_plan(kept.case, round, &means);
        if args.explain_plan {
            let table = plan_view::table(&plan, &kept.case.complaint);
            table.lines().for_each(|line| console.line(line));
            console.line("");
        }
        let Some(ask) = plan.next().cloned() else {
            break;
        };
        let watch = console.begin(&asks::title(&ask, &kept.case.complaint));
        let (observations, of_packets) = captured(vantages, capture, console, kept.dir, &ask, &watch).await;
        for observation in observations {
            kept.add(observation)?;
        }
        if let Some(text) = of_packets {
            console.line(&format!("         {text}"));
        }
    }
    Ok(())
}

/// Carries out an ask, and captures its packets if it is a transfer and that was wanted: then with what these tell.
async fn captured(
    vantages: &mut Vantages,
    capture: &mut Option<OwnCapture>,
    console: &Console,
    dir: &CaseDir,
    ask: &Ask,
    watch: &Watch,
) -> (Vec<Observation>, Option<String>) {
    let not_captured = |why: String| console.warn(&format!("the transfer was not captured: {why}"));
    let running = match capture {
        Some(own) if matches!(ask, Ask::TcpThroughput { .. }) => {
            own.begin(dir).map_err(&not_captured).ok().flatten()
        }
        _ => None,
    };
    let mut observations = vantages.perform(ask, watch).await;
    let (Some(own), Some(running)) = (capture, running) else {
        return (observations, None);
    };
    let told = own.end(running, dir, &mut observations).await;
    (observations, told.map_err(not_captured).ok())
}

/// Bytes that the transfers of this round put on the network; probes weigh nothing beside them.
fn spent_bytes(case: &Case, round: u32) -> u64 {
    let bytes = |observation: &Observation| match &observation.payload {
        Payload::Transfer(transfer) => {
            let packets = || Some((transfer.packets_sent?, transfer.packet_size_bytes?));
            let of_packets = || packets().map(|(sent, size)| sent.saturating_mul(u64::from(size)));
            transfer.bytes_received.or_else(of_packets).unwrap_or(0)
        }
        _ => 0,
    };
    case.round(round).map(bytes).sum()
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

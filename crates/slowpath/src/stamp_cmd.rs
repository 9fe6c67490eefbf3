//! `slowpath stamp`: a STAMP session with somebody's reflector, or a reflector here.

mod args;
mod reflect;
mod text;

pub(crate) use args::StampArgs;

use crate::console::Console;
use crate::into_case::IntoCase;
use crate::runtime::as_client;
use crate::vantages::{from_here, now};
use crate::{exit, output, probing_args, resolve};
use evidence::{Complaint, Observation, Timestamp};
use net::stamp::{Key, Plan, Session};
use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;

/// Runs `slowpath stamp`. Must be called before any other thread is started: rights belong to threads.
pub(crate) fn run(args: &StampArgs) -> ExitCode {
    let key = match args.key() {
        Ok(key) => key,
        Err(message) => return exit::usage(&message),
    };
    match &args.to {
        Some(_) if args.port == 0 => {
            exit::usage("--port 0 lets a reflector choose one: give the port that it printed")
        }
        Some(to) => send(args, to, key).unwrap_or_else(|code| code),
        None => reflect::run(&args.reflector, args.port, key),
    }
}

fn send(args: &StampArgs, to: &str, key: Option<Key>) -> Result<ExitCode, ExitCode> {
    let destination = resolve::host(to, args.probing.family);
    let destination = destination.map_err(|error| exit::could_not_measure(&error.to_string()))?;
    let source = args.probing.source()?;
    let complaint = from_here(to, destination, source);
    let plan = Plan {
        peer: SocketAddr::new(destination, args.port),
        source,
        count: args.count,
        interval_ns: (args.interval * 1e9) as u64,
        size_bytes: args.size,
        ssid: args.ssid(),
        dscp: args.dscp,
        key,
    };
    plan.check().map_err(|message| exit::usage(&message))?;
    let mut case = IntoCase::open(args.probing.case.as_deref(), &complaint)?;
    let client = case.client();
    Ok(as_client(&client, async {
        match measure(args, plan, &complaint, &mut case).await {
            Ok(code) | Err(code) => code,
        }
    }))
}

async fn measure(
    args: &StampArgs,
    plan: Plan,
    complaint: &Complaint,
    case: &mut IntoCase<'_>,
) -> Result<ExitCode, ExitCode> {
    let at = now();
    let peer = plan.peer;
    let console = Console::start(false);
    let watch = console.begin(&format!("STAMP to {peer}"));
    let session = net::stamp::run(plan, &watch).await;
    drop(console);
    let session = session.map_err(|error| exit::could_not_measure(&error.to_string()))?;
    let seen = observations(&session, complaint, peer.ip(), (at, case.round()));
    case.add(&seen)?;
    let text = match (args.probing.json, args.csv) {
        (true, _) => report::json_escaped(&text::json(&session, peer, &seen)),
        (_, true) => text::csv(&session.outcome),
        _ => text::summary(&session, peer),
    };
    output::try_print(&text).map_err(|error| exit::not_written(&error))?;
    case.tell();
    Ok(ExitCode::SUCCESS)
}

/// The evidence, with the names of the two ends.
fn observations(
    session: &Session,
    complaint: &Complaint,
    there: IpAddr,
    when: (Timestamp, u32),
) -> Vec<Observation> {
    let here = complaint.from.node_at(session.local.ip());
    let there = complaint.to.node_at(there);
    let tables = session.outcome.probes(&here, &there, session.size_bytes);
    probing_args::observations(tables, &here, when, "STAMP")
}

//! `slowpath case amend`: where, when or between whom a record was made, corrected. Nothing is rewritten: a new observation
//! takes the place of the old one, which stays in the case.

use super::derived::refresh_derived;
use super::opened::open;
use super::taken::taken;
use crate::intake::party_node;
use crate::times::GivenTime;
use crate::{exit, output};
use clap::Args;
use evidence::{Case, Complaint, Node, Observation, Payload};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `slowpath case amend`.
#[derive(Debug, Args)]
pub(crate) struct AmendArgs {
    /// The case directory
    dir: PathBuf,
    /// The observation: its number (`o3`) or the beginning of its id, as `slowpath case show --records` prints them
    observation: String,
    /// Where it was made: a host, a router, a network
    #[arg(long, value_name = "WHERE")]
    place: Option<String>,
    /// The sender of the data, the host that probes started from, or the device whose counters they are
    #[arg(long, value_name = "HOST")]
    from: Option<String>,
    /// The receiver, or the host that probes went to
    #[arg(long, value_name = "HOST")]
    to: Option<String>,
    /// When it was made: `2003-08-27 06:05` (UTC), or with a zone
    #[arg(long, value_name = "TIME")]
    at: Option<GivenTime>,
}

/// Runs `slowpath case amend`.
pub(super) fn run(args: &AmendArgs) -> Result<ExitCode, ExitCode> {
    if args.place.is_none() && args.from.is_none() && args.to.is_none() && args.at.is_none() {
        return Err(exit::usage(
            "nothing to correct: give --place, --from, --to or --at",
        ));
    }
    let (mut dir, mut case) = open(&args.dir)?;
    let old = found(&case, &args.observation)?;
    let new = amended(args, old, &case.complaint)?;
    if new.payload == old.payload && is_same_place(&new, old) {
        output::print("it says so already; nothing was added\n");
        return Ok(ExitCode::SUCCESS);
    }
    let old = old.id.clone();
    dir.append(&new)
        .and_then(|()| dir.sync())
        .map_err(|error| exit::not_written(&error))?;
    case.add(new.clone());
    refresh_derived(&mut dir, &case)?;
    output::print(&format!(
        "{}\n  in place of {old}\n",
        taken(&new, &case.complaint)
    ));
    Ok(ExitCode::SUCCESS)
}

/// The one observation that is meant.
fn found<'c>(case: &'c Case, named: &str) -> Result<&'c Observation, ExitCode> {
    let numbers = case.short_numbers();
    let number = named
        .strip_prefix('o')
        .and_then(|number| number.parse::<usize>().ok());
    let is_meant = |o: &&Observation| match number {
        Some(number) => numbers.get(&o.id) == Some(&number),
        None => o.id.0.starts_with(named),
    };
    let mut meant = case.observations().iter().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(one), None) => Ok(one),
        (Some(_), Some(_)) => Err(exit::usage(&format!(
            "several observations begin with {named}: give more of the id"
        ))),
        _ => Err(exit::usage(&format!(
            "no observation {named} in this case; `slowpath case show --records` lists them"
        ))),
    }
}

fn is_same_place(new: &Observation, old: &Observation) -> bool {
    let (new, old) = (&new.provenance, &old.provenance);
    (&new.vantage, new.at, new.at_is_import_time) == (&old.vantage, old.at, old.at_is_import_time)
}

fn amended(args: &AmendArgs, old: &Observation, complaint: &Complaint) -> Result<Observation, ExitCode> {
    let (mut provenance, mut payload) = (old.provenance.clone(), old.payload.clone());
    let node = |text: &String| party_node(Node::read(text), Some(complaint));
    let (from, to) = ends(&mut payload);
    for (option, given, end) in [("--from", &args.from, from), ("--to", &args.to, to)] {
        match (given, end) {
            (Some(text), Some(end)) => *end = node(text),
            (Some(_), None) => {
                return Err(exit::usage(&format!(
                    "{option} does not fit: this kind of record names no such host"
                )));
            }
            (None, _) => {}
        }
    }
    // Who probes or sends is where it was seen, unless somebody says otherwise.
    if let Some(place) = args.place.as_ref().or(args.from.as_ref()) {
        provenance.vantage = node(place);
    }
    if let Some(at) = args.at.and_then(|at| at.instant(None)) {
        provenance.at = at;
        provenance.at_is_import_time = false;
    }
    provenance.was = None;
    provenance.supersedes = Some(old.id.clone());
    Ok(Observation::new(provenance, payload))
}

/// The hosts that a payload names as its ends.
fn ends(payload: &mut Payload) -> (Option<&mut Node>, Option<&mut Node>) {
    match payload {
        Payload::Trace(of) => (Some(&mut of.from), Some(&mut of.to)),
        Payload::Transfer(of) => (Some(&mut of.from), Some(&mut of.to)),
        Payload::Series(of) => (Some(&mut of.from), Some(&mut of.to)),
        Payload::RouteHistory(of) => (Some(&mut of.from), Some(&mut of.to)),
        Payload::CounterChain(of) => (Some(&mut of.from), Some(&mut of.to)),
        Payload::Statement(of) => (Some(&mut of.from), Some(&mut of.to)),
        Payload::LinkCapacities(of) => (Some(&mut of.from), Some(&mut of.to)),
        Payload::Probes(of) => (Some(&mut of.from), of.destination.as_mut()),
        Payload::InterfaceCounters(of) => (Some(&mut of.device), None),
        Payload::HostFacts(_) | Payload::Sockets(_) | Payload::NotMeasured(_) => (None, None),
    }
}

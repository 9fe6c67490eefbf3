//! `slowpath doctor`: this host's settings that bear on long transfers, and what slowpath may do here.
//!
//! It judges a host by itself. Whether a setting matters on a given path is for the diagnosis to say, which knows the
//! path; here a long path is assumed ([`thresholds::REFERENCE_RTT`]).

mod interface;
mod privileges;
mod render;
mod settings;
mod thresholds;

use crate::exit;
use crate::resolve::{self, FamilyArgs};
use clap::Args;
use evidence::HostFacts;
use net::host::{self, Capabilities};
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;

/// Where packets are imagined to go when no host was named: a root name server, so that the default route is looked
/// at. Only the routing table is asked; nothing is sent.
const FAR_AWAY: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 41, 0, 4));

/// Version of what `--json` prints.
const SCHEMA: u32 = 1;

/// Arguments of `slowpath doctor`.
#[derive(Args)]
pub(crate) struct DoctorArgs {
    /// The host at the other end: judges the interface that leads there [default: the default route]
    to: Option<String>,
    #[command(flatten)]
    family: FamilyArgs,
    /// Print facts and judgements as JSON
    #[arg(long)]
    json: bool,
}

/// How a setting bears on long transfers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Level {
    /// As it should be.
    Good,
    /// Worth knowing; does harm under conditions that the text names.
    Note,
    /// Bounds or slows long transfers.
    Limits,
}

/// One thing looked at, in words.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Judgement {
    topic: &'static str,
    level: Level,
    text: String,
    /// The command that would change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    /// Where the threshold comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
}

/// Everything doctor found out.
#[derive(Debug, Serialize)]
struct Examination {
    schema: u32,
    towards: IpAddr,
    facts: HostFacts,
    governor: Option<String>,
    may: Capabilities,
    judgements: Vec<Judgement>,
    privileges: Vec<privileges::Privilege>,
}

/// Runs `slowpath doctor`.
pub(crate) fn run(args: DoctorArgs) -> ExitCode {
    // Before the runtime starts its threads: one attempt forks.
    let may = host::capabilities();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return exit::could_not_measure(&format!("cannot start: {error}")),
    };
    let examination = runtime.block_on(async {
        let towards = match &args.to {
            Some(to) => resolve::host(to, args.family).map_err(|error| error.to_string())?,
            None => FAR_AWAY,
        };
        let facts = host::facts(towards, None)
            .await
            .map_err(|error| error.to_string())?;
        Ok::<_, String>(examine(towards, facts, host::governor(), may))
    });
    match examination {
        Ok(examination) if args.json => match serde_json::to_string_pretty(&examination) {
            Ok(json) => {
                anstream::println!("{json}");
                ExitCode::SUCCESS
            }
            Err(error) => exit::could_not_measure(&error.to_string()),
        },
        Ok(examination) => {
            anstream::print!("{}", render::text(&examination, args.to.as_deref()));
            ExitCode::SUCCESS
        }
        Err(message) => exit::could_not_measure(&message),
    }
}

fn examine(towards: IpAddr, facts: HostFacts, governor: Option<String>, may: Capabilities) -> Examination {
    let mut judgements = settings::judge(&facts, governor.as_deref());
    judgements.extend(interface::judge(&facts));
    let program =
        std::env::current_exe().map_or_else(|_| "slowpath".into(), |path| path.display().to_string());
    Examination {
        schema: SCHEMA,
        towards,
        privileges: privileges::list(&may, &program, host::sysctl),
        facts,
        governor,
        may,
        judgements,
    }
}

#[cfg(test)]
mod tests;

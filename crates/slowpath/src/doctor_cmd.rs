//! `slowpath doctor`: this host's settings that bear on long transfers, and what slowpath may do here.
//!
//! It judges a host by itself. Whether a setting matters on a given path is for the diagnosis to say, which knows the
//! path; here a long path is assumed ([`thresholds::REFERENCE_RTT`]).

mod examination;
mod interface;
mod judgement;
mod privileges;
mod render;
mod settings;
mod thresholds;

use crate::resolve::{self, FamilyArgs};
use crate::{exit, output};
use clap::Args;
use examination::examine;
use net::host;
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;

/// Where packets are imagined to go when no host was named: a root name server, so that the default route is looked
/// at. Only the routing table is asked; nothing is sent.
const FAR_AWAY: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 41, 0, 4));

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
                output::print_json(&format!("{json}\n"));
                ExitCode::SUCCESS
            }
            Err(error) => exit::could_not_measure(&error.to_string()),
        },
        Ok(examination) => {
            output::print(&render::text(&examination, args.to.as_deref()));
            ExitCode::SUCCESS
        }
        Err(message) => exit::could_not_measure(&message),
    }
}

#[cfg(test)]
mod tests;

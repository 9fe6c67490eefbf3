//! What the commands have in common that probe one host with packets of a pace: `slowpath tcp`, `slowpath stamp`.

use crate::resolve::{self, FamilyArgs};
use crate::{exit, vantages};
use evidence::{Node, Observation, Payload, Probes, Provenance, Timestamp};
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;

/// From where is sent, and what becomes of the result.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ProbingArgs {
    /// Send from this address of this host
    #[arg(long, short = 'B', value_name = "ADDRESS")]
    bind: Option<IpAddr>,
    #[command(flatten)]
    pub(crate) family: FamilyArgs,
    /// Add what was measured to this case, which is made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) case: Option<PathBuf>,
    /// Print the result and the observations as JSON
    #[arg(long, short = 'J')]
    pub(crate) json: bool,
}

impl ProbingArgs {
    /// The address to send from, where routing is not to choose.
    ///
    /// # Errors
    /// It is not one of this host's.
    pub(crate) fn source(&self) -> Result<Option<IpAddr>, ExitCode> {
        match self.bind.filter(|source| !resolve::is_local(*source)) {
            Some(foreign) => Err(exit::usage(&format!("{foreign} is no address of this host"))),
            None => Ok(self.bind),
        }
    }
}

/// A pause between two packets, in seconds.
///
/// # Errors
/// With what was expected.
pub(crate) fn seconds(text: &str, within: RangeInclusive<f64>) -> Result<f64, String> {
    let seconds = text
        .parse::<f64>()
        .ok()
        .filter(|seconds| within.contains(seconds));
    seconds.ok_or_else(|| {
        format!(
            "`{text}`: give seconds, from {} to {}",
            within.start(),
            within.end()
        )
    })
}

/// The evidence of these tables, seen from here with `what`.
pub(crate) fn observations(
    tables: Vec<Probes>,
    here: &Node,
    (at, round): (Timestamp, u32),
    what: &str,
) -> Vec<Observation> {
    let observed = |probes| {
        let tool = format!("{} with {what}", vantages::TOOL);
        Observation::new(
            Provenance::measured(here.clone(), at, round, tool),
            Payload::Probes(probes),
        )
    };
    tables.into_iter().map(observed).collect()
}

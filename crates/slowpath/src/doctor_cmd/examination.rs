//! All that doctor finds out about a host: facts, judgements over them, and what slowpath may do there.

use super::judgement::Judgement;
use super::privileges::{self, Privilege};
use super::{interface, settings};
use evidence::HostFacts;
use net::host::{self, Capabilities};
use serde::Serialize;
use std::net::IpAddr;

/// Version of what `--json` prints.
pub(super) const SCHEMA: u32 = 1;

/// Everything doctor found out.
#[derive(Debug, Serialize)]
pub(super) struct Examination {
    pub(super) schema: u32,
    pub(super) towards: IpAddr,
    pub(super) facts: HostFacts,
    pub(super) governor: Option<String>,
    pub(super) may: Capabilities,
    pub(super) judgements: Vec<Judgement>,
    pub(super) privileges: Vec<Privilege>,
}

/// Judges the facts.
pub(super) fn examine(
    towards: IpAddr,
    facts: HostFacts,
    governor: Option<String>,
    may: Capabilities,
) -> Examination {
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

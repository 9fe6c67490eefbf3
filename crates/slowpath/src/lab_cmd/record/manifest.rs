//! `manifest.toml`: what a person knows who has the records: whose they are, when they were made, and of what they
//! complain.

use scenario::{NodeId, Run, Scenario};
use serde::Serialize;
use std::net::IpAddr;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::lab_cmd::failure::Failure;

/// The whole file.
#[derive(Debug, Serialize)]
pub(super) struct Manifest {
    /// The scenario's short name.
    pub(super) scenario: String,
    /// Steps of its timeline that were taken before.
    pub(super) steps: Vec<String>,
    pub(super) seed: u64,
    /// Seconds since 1970.
    pub(super) began_at: u64,
    /// Tools that were not installed.
    pub(super) missing: Vec<String>,
    pub(super) emulation: Emulation,
    pub(super) complaint: Complaint,
    pub(super) file: Vec<RecordedFile>,
}

/// Whether the network was what the scenario says.
#[derive(Debug, Serialize)]
pub(super) struct Emulation {
    pub(super) valid: bool,
    pub(super) worst_lateness_ms: f64,
    /// UDP at the two hosts.
    pub(super) datagrams_delivered: u64,
    /// Dropped for want of a reader: this machine's doing, not the network's.
    pub(super) datagrams_dropped_by_hosts: u64,
}

/// Who complains of which transfer.
#[derive(Debug, Serialize)]
pub(super) struct Complaint {
    from: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_address: Option<IpAddr>,
    to: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_address: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_bps: Option<u64>,
}

impl Complaint {
    pub(super) fn of(scenario: &Scenario, run: &Run) -> Self {
        let name = |id: NodeId| scenario.node(id).name.clone();
        let address = |id: NodeId| scenario.addresses_of(id).first().copied();
        Self {
            from: name(run.from),
            from_address: address(run.from),
            to: name(run.to),
            to_address: address(run.to),
            expected_bps: run.expect_bps,
        }
    }
}

/// One tool's output.
#[derive(Debug, Clone, Serialize)]
pub(super) struct RecordedFile {
    pub(super) name: String,
    /// The host or router that it was typed on.
    pub(super) host: String,
    pub(super) command: String,
    /// When it was started: seconds since 1970.
    pub(super) at: u64,
    pub(super) seconds: f64,
    /// How it ended: `exit 0`, `exit 1`, `Ctrl-C after 60 s`.
    pub(super) ended: String,
    /// Only an operator of the path can give it.
    pub(super) by_operator: bool,
}

impl Manifest {
    pub(super) fn write(&self, directory: &Path) -> Result<(), Failure> {
        let text = toml::to_string(self).map_err(|error| Failure::Lab(format!("manifest.toml: {error}")))?;
        Ok(std::fs::write(directory.join("manifest.toml"), text)?)
    }
}

/// Now, as the manifest tells times.
pub(super) fn seconds_since_1970() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

//! `--case` of commands that measure without a diagnosis: the case to which their evidence is added.

use crate::case_cmd::derived::refresh_derived;
use crate::patience::patience;
use crate::{exit, terminal};
use casefile::CaseDir;
use evidence::{Case, Complaint, Observation};
use net::rights::Client;
use std::path::Path;
use std::process::ExitCode;

/// The case, where one was named.
pub(crate) struct IntoCase<'a> {
    path: Option<&'a Path>,
    opened: Option<(CaseDir, Case)>,
}

impl<'a> IntoCase<'a> {
    /// Opens it; one that is not there is made, of this complaint.
    pub(crate) fn open(path: Option<&'a Path>, complaint: &Complaint) -> Result<Self, ExitCode> {
        let opened = path.map(|path| -> Result<_, ExitCode> {
            let (dir, case, told) = CaseDir::create_or_open(path, complaint, &mut patience(path))
                .map_err(|error| exit::no_such_case(&error))?;
            told.iter().for_each(|what| terminal::complain(&what.to_string()));
            Ok((dir, case))
        });
        let opened = opened.transpose()?;
        Ok(Self { path, opened })
    }

    /// Who writes to it, and talks to a host whose address is known.
    pub(crate) fn client(&self) -> Client<'a> {
        Client {
            case: self.path,
            case_is_foreign: self.opened.as_ref().is_some_and(|(dir, _)| !dir.is_ours()),
            token: None,
            has_resolved: true,
        }
    }

    /// The round of measurements that new evidence belongs to.
    pub(crate) fn round(&self) -> u32 {
        let rounds = self.opened.as_ref().map(|(_, case)| case.rounds());
        rounds.and_then(|rounds| rounds.last().copied()).unwrap_or(1)
    }

    /// Adds what was seen.
    pub(crate) fn add(&mut self, seen: &[Observation]) -> Result<(), ExitCode> {
        let Some((dir, case)) = &mut self.opened else {
            return Ok(());
        };
        for observation in seen {
            dir.append(observation)
                .map_err(|error| exit::not_written(&error))?;
            case.add(observation.clone());
        }
        dir.sync().map_err(|error| exit::not_written(&error))?;
        refresh_derived(dir, case)
    }

    /// Says where the evidence is.
    pub(crate) fn tell(&self) {
        if let Some(path) = self.path {
            let path = path.display();
            terminal::note(&format!(
                "added to {path}; the verdict: slowpath case show {path}"
            ));
        }
    }
}

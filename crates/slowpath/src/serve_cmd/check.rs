//! `slowpath serve --check`: what is left of the rights, for a person or a program that has to be sure.

use crate::output;
use net::NetError;
use net::rights::{Enforced, Remaining, Restricted};
use serde::Serialize;
use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;

/// All that is shown.
#[derive(Debug, Serialize)]
struct Report {
    addresses: Vec<SocketAddr>,
    #[serde(flatten)]
    remaining: Remaining,
    landlock: Enforced,
    raw_sockets: bool,
    /// What is left that should not be, in words.
    not_applied: Vec<String>,
    /// Who may measure, and what; `None` where there is one token for all.
    allowed: Option<Vec<(String, String)>>,
}

/// Looks at this process, whose threads run, and prints what it may still do.
///
/// # Errors
/// `/proc` does not tell; inside, that nothing can be printed.
pub(super) fn show(
    is_json: bool,
    addresses: Vec<SocketAddr>,
    restricted: Restricted,
    allowed: Option<Vec<(String, String)>>,
) -> Result<io::Result<()>, NetError> {
    let remaining = Remaining::read()?;
    let mut not_applied = restricted.not_applied;
    not_applied.extend(contradictions(&remaining));
    let report = Report {
        addresses,
        remaining,
        landlock: restricted.files,
        raw_sockets: restricted.has_raw,
        not_applied,
        allowed,
    };
    let text = if is_json {
        serde_json::to_string(&report).map(|line| line + "\n")
    } else {
        Ok(report.text())
    };
    Ok(text
        .map_err(io::Error::from)
        .and_then(|text| output::try_print(&text)))
}

/// Where the kernel tells another story than the one that gave up rights.
fn contradictions(remaining: &Remaining) -> Vec<String> {
    let rights = &remaining.rights;
    let held = [&rights.capabilities.effective, &rights.capabilities.permitted];
    let too_many = held.into_iter().flatten().any(|name| name != "CAP_NET_RAW");
    let mut found: Vec<String> = [
        (too_many, "capabilities other than CAP_NET_RAW are left"),
        (rights.no_new_privs == Some(false), "no_new_privs is not set"),
        (remaining.dumpable, "the process can be traced and dumped"),
    ]
    .into_iter()
    .filter(|(is_so, _)| *is_so)
    .map(|(_, what)| what.to_owned())
    .collect();
    if !remaining.differing_threads.is_empty() {
        found.push(format!(
            "threads with other rights: {}",
            remaining.differing_threads.join(", ")
        ));
    }
    let worked = remaining.tried.iter().filter(|tried| tried.outcome.is_yes());
    found.extend(worked.map(|tried| format!("it can {}", tried.what)));
    found
}

impl Report {
    /// A line for each thing.
    fn text(&self) -> String {
        let Remaining {
            rights,
            dumpable,
            threads,
            differing_threads,
            tried,
        } = &self.remaining;
        let [uid, gid] = [rights.uid, rights.gid].map(ids);
        let capabilities = &rights.capabilities;
        let mut page = String::new();
        let mut line = |name: &str, text: &str| {
            let _ = writeln!(page, "{name:<13} {text}");
        };
        line("listening on", &joined(self.addresses.iter()));
        for (holder, limits) in self.allowed.iter().flatten() {
            line("may measure", &format!("{holder}: {limits}"));
        }
        line(
            "user",
            &format!(
                "uid {uid}, gid {gid}, other groups {}",
                joined(rights.groups.iter())
            ),
        );
        line(
            "capabilities",
            &format!(
                "effective {}; permitted {}; bounding {}; inheritable {}; ambient {}",
                joined(capabilities.effective.iter()),
                joined(capabilities.permitted.iter()),
                joined(capabilities.bounding.iter()),
                joined(capabilities.inheritable.iter()),
                joined(capabilities.ambient.iter()),
            ),
        );
        line("no_new_privs", told(rights.no_new_privs));
        line("dumpable", told(Some(*dumpable)));
        line("system calls", &self.system_calls());
        line("files", &self.files());
        line(
            "threads",
            &format!(
                "{threads}, of which {} have other rights",
                differing_threads.len()
            ),
        );
        for one in tried {
            let outcome = match &one.outcome {
                net::host::Permission::Yes => "ALLOWED".to_owned(),
                net::host::Permission::No { error } => format!("refused ({error})"),
            };
            line("tried", &format!("{}: {outcome}", one.what));
        }
        for what in &self.not_applied {
            line("NOT GIVEN UP", what);
        }
        page
    }

    fn system_calls(&self) -> String {
        match &self.remaining.rights.seccomp {
            None => "this kernel has no filter for them (seccomp)".to_owned(),
            Some(seccomp) => {
                let filters = seccomp.filters.map_or_else(String::new, |count| {
                    format!(", {count} filter{}", if count == 1 { "" } else { "s" })
                });
                let mode = match seccomp.mode {
                    0 => "not filtered",
                    1 => "strictly filtered",
                    _ => "filtered",
                };
                format!("{mode} (seccomp mode {}{filters})", seccomp.mode)
            }
        }
    }

    fn files(&self) -> String {
        let Enforced { abi, reach } = &self.landlock;
        let Some(abi) = abi else {
            return "whatever the user may reach: no Landlock here".to_owned();
        };
        let reads = reach.reads.as_ref().map_or_else(
            || "whatever the user may".to_owned(),
            |paths| joined(paths.iter().map(|path| path.display())),
        );
        let ports = reach
            .tcp_ports
            .as_ref()
            .map_or_else(|| "any".to_owned(), |ports| joined(ports.iter()));
        format!(
            "Landlock {abi}: reads {reads}; writes {}; TCP connections to port {ports}",
            joined(reach.writes.iter().map(|path| path.display()))
        )
    }
}

/// Real, effective, saved and of files: one number where they agree.
fn ids(ids: [u32; 4]) -> String {
    if ids.iter().all(|id| *id == ids[0]) {
        ids[0].to_string()
    } else {
        joined(ids.iter())
    }
}

fn told(answer: Option<bool>) -> &'static str {
    match answer {
        Some(true) => "yes",
        Some(false) => "no",
        None => "this kernel does not tell",
    }
}

fn joined(items: impl Iterator<Item = impl ToString>) -> String {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    if items.is_empty() {
        "none".to_owned()
    } else {
        items.join(" ")
    }
}

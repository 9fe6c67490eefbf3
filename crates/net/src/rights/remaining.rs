//! What is left, as the kernel tells it and as trying shows: not what was meant to be given up.

use crate::NetError;
use crate::host::Permission;
use serde::Serialize;
use std::fs::{self, OpenOptions};
use std::io;
use std::process::{Command, Stdio};

/// What a process may still do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remaining {
    /// What the calling thread's `/proc/self/status` tells (proc_pid_status(5)).
    #[serde(flatten)]
    pub rights: Rights,
    /// Whether other processes of the user could trace it, or its memory be dumped.
    pub dumpable: bool,
    /// Threads that run now.
    pub threads: usize,
    /// Those whose rights differ from the calling thread's, or are not to be read: none, or something is wrong.
    pub differing_threads: Vec<String>,
    /// What was tried, and what the kernel said.
    pub tried: Vec<Tried>,
}

/// The rights of one thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rights {
    /// User: real, effective, saved, of files.
    pub uid: [u32; 4],
    /// Group: real, effective, saved, of files.
    pub gid: [u32; 4],
    /// Supplementary groups.
    pub groups: Vec<u32>,
    /// Capabilities by name.
    pub capabilities: CapabilitySets,
    /// Whether nothing executed could gain rights; `None` before Linux 4.10, which does not tell.
    pub no_new_privs: Option<bool>,
    /// The filter of system calls; `None` where the kernel has none.
    pub seccomp: Option<Seccomp>,
}

/// The five sets of capabilities(7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CapabilitySets {
    /// Usable now.
    pub effective: Vec<String>,
    /// Usable after raising them.
    pub permitted: Vec<String>,
    /// What something executed could gain at most.
    pub bounding: Vec<String>,
    /// What something executed that asks for them could inherit.
    pub inheritable: Vec<String>,
    /// What anything executed would have.
    pub ambient: Vec<String>,
}

/// How system calls are filtered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seccomp {
    /// 0: not at all; 1: strict; 2: by a filter.
    pub mode: u32,
    /// How many filters; `None` before Linux 5.9, which does not tell.
    pub filters: Option<u32>,
}

/// Something that must not work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// What.
    pub what: &'static str,
    /// Whether the kernel let us.
    #[serde(flatten)]
    pub outcome: Permission,
}

impl Remaining {
    /// Of this process, now. Nothing is changed.
    ///
    /// # Errors
    /// `/proc` is not there, or not understood.
    pub fn read() -> Result<Self, NetError> {
        let failed = |error| NetError::os("reading /proc/thread-self/status", error);
        let text = fs::read_to_string("/proc/thread-self/status").map_err(failed)?;
        let rights = parse(&text).ok_or_else(|| failed(io::ErrorKind::InvalidData.into()))?;
        let (mut threads, mut differing_threads) = (0, Vec::new());
        let tasks = fs::read_dir("/proc/self/task");
        for task in tasks.map_err(|error| NetError::os("listing the threads", error))? {
            let path = task
                .map_err(|error| NetError::os("listing the threads", error))?
                .path();
            threads += 1;
            let theirs = fs::read_to_string(path.join("status")).unwrap_or_default();
            if parse(&theirs).as_ref() != Some(&rights) {
                let name = theirs.lines().find_map(|line| line.strip_prefix("Name:"));
                differing_threads.push(name.unwrap_or("unknown").trim().to_owned());
            }
        }
        Ok(Self {
            rights,
            dumpable: nix::sys::prctl::get_dumpable()
                .map_err(|error| NetError::os("asking whether the process is dumpable", error.into()))?,
            threads,
            differing_threads,
            tried: attempts(),
        })
    }
}

/// Each is allowed to every user on every system: only what was given up refuses it.
fn attempts() -> Vec<Tried> {
    let write = OpenOptions::new().write(true).open("/dev/null");
    // No such program can be: where starting is allowed, nothing starts.
    let start = Command::new("/dev/null/none").stdin(Stdio::inherit()).spawn();
    vec![
        Tried {
            what: "list the directory /",
            outcome: outcome(fs::read_dir("/")),
        },
        Tried {
            what: "open /dev/null for writing",
            outcome: outcome(write),
        },
        Tried {
            what: "start a program",
            outcome: outcome(start),
        },
    ]
}

/// Only a refusal counts: whatever else went wrong, the kernel would have let us.
fn outcome<T>(result: io::Result<T>) -> Permission {
    match result {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Permission::No {
            error: error.to_string(),
        },
        _ => Permission::Yes,
    }
}

/// A name, a colon and its values, a line each.
fn parse(status: &str) -> Option<Rights> {
    let field = |name: &str| {
        status
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .map(str::trim)
    };
    let numbers = |name: &str| -> Option<Vec<u32>> {
        let words = field(name)?.split_ascii_whitespace();
        words.map(|word| word.parse().ok()).collect()
    };
    let number = |name: &str| numbers(name)?.first().copied();
    let set = |name: &str| Some(names(u64::from_str_radix(field(name)?, 16).ok()?));
    Some(Rights {
        uid: numbers("Uid")?.try_into().ok()?,
        gid: numbers("Gid")?.try_into().ok()?,
        groups: numbers("Groups")?,
        capabilities: CapabilitySets {
            effective: set("CapEff")?,
            permitted: set("CapPrm")?,
            bounding: set("CapBnd")?,
            inheritable: set("CapInh")?,
            ambient: set("CapAmb")?,
        },
        no_new_privs: number("NoNewPrivs").map(|set| set != 0),
        seccomp: number("Seccomp").map(|mode| Seccomp {
            mode,
            filters: number("Seccomp_filters"),
        }),
    })
}

/// The names of a set's members, by number; those that are newer than this program by number alone.
fn names(set: u64) -> Vec<String> {
    let known = caps::all();
    (0..u64::BITS)
        .filter(|number| set >> number & 1 == 1)
        .map(|number| {
            let name = known.iter().find(|one| u32::from(one.index()) == number);
            name.map_or_else(|| format!("CAP_{number}"), ToString::to_string)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Name:\tslowpath\nUid:\t0\t65534\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t27 1000 \nThreads:\t3\n\
        CapInh:\t0000000000000000\nCapPrm:\t0000000000002000\nCapEff:\t0000000000002001\n\
        CapBnd:\t8000000000000000\nCapAmb:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t3\n";

    #[test]
    fn a_status_is_read_line_by_line() {
        let rights = parse(STATUS).unwrap();
        assert_eq!((rights.uid, rights.gid), ([0, 65_534, 3, 4], [5, 6, 7, 8]));
        assert_eq!(rights.groups, [27, 1000]);
        assert_eq!(rights.capabilities.effective, ["CAP_CHOWN", "CAP_NET_RAW"]);
        assert_eq!(rights.capabilities.permitted, ["CAP_NET_RAW"]);
        assert_eq!(rights.capabilities.bounding, ["CAP_63"], "newer than the program");
        assert!(rights.capabilities.inheritable.is_empty() && rights.capabilities.ambient.is_empty());
        assert_eq!(rights.no_new_privs, Some(true));
        let filtered = Seccomp {
            mode: 2,
            filters: Some(3),
        };
        assert_eq!(rights.seccomp, Some(filtered));
    }

    #[test]
    fn what_a_kernel_does_not_tell_is_not_made_up() {
        let old: String = STATUS
            .lines()
            .filter(|line| !line.contains("Seccomp") && !line.contains("NoNew"))
            .map(|line| format!("{line}\n"))
            .collect();
        let rights = parse(&old).unwrap();
        assert_eq!((rights.no_new_privs, rights.seccomp), (None, None));
        assert_eq!(parse(""), None);
        assert_eq!(parse(&STATUS.replace("65534", "nobody")), None);
        assert_eq!(parse(&STATUS.replace("CapBnd", "CapXyz")), None);
    }

    #[test]
    fn this_process_has_what_it_has() {
        let remaining = Remaining::read().unwrap();
        assert_eq!(remaining.rights.uid[1], nix::unistd::geteuid().as_raw());
        // The test runner and this one, at least; nothing was given up, so all that was tried worked.
        assert!(remaining.threads >= 2, "{remaining:?}");
        assert!(
            remaining.tried.iter().all(|tried| tried.outcome.is_yes()),
            "{:?}",
            remaining.tried
        );
    }
}

//! Landlock (landlock(7)): which files can be reached at all, whoever the user is. Kernels since 5.13 have it, newer ones
//! can do more; what cannot be done is told.

use super::Connects;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, NetPort, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What a process may reach; whatever is not named here it may not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reach {
    /// Files, and directories with all below them, that may be read; `None`: all that the user may read.
    pub reads: Option<Vec<PathBuf>>,
    /// Directories in which files may be made, written, renamed and removed.
    pub writes: Vec<PathBuf>,
    /// Ports to which TCP connections may be opened; `None`: all. Raw sockets are not concerned, nor is UDP.
    pub tcp_ports: Option<Vec<u16>>,
}

/// What a client has to do with files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Client<'a> {
    /// The directory that it writes to, and to no other.
    pub case: Option<&'a Path>,
    /// Whether the case is another user's, so that only a privilege lets us write.
    pub case_is_foreign: bool,
    /// The file that it reads the token from.
    pub token: Option<&'a Path>,
    /// Whether it knows the address of the host that it is to measure.
    pub has_resolved: bool,
}

/// What the kernel took of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Enforced {
    /// The version of Landlock that this kernel has; `None`: it has none, or it is switched off.
    pub abi: Option<i32>,
    /// What was asked for. Without an ABI nothing of it holds.
    #[serde(flatten)]
    pub reach: Reach,
}

/// Reverse DNS of hops (`path::names`) goes through the host's resolver, which reads these when it is first asked and
/// again when they change. Single files where they are replaced seldom; `/etc` itself is not opened: what lies there
/// can be readable by everybody without being meant for whoever broke in. The price: a host that gets another
/// `/etc/resolv.conf` (no link into one of the directories) reports hops without names until `serve` starts again.
const RESOLVER: [&str; 12] = [
    "/etc/resolv.conf",
    "/etc/nsswitch.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/services",
    "/etc/protocols",
    "/etc/ld.so.cache",
    // Where /etc/resolv.conf leads to on many distributions.
    "/run/systemd/resolve",
    "/run/NetworkManager",
    "/run/resolvconf",
    "/run/connman",
];

/// glibc loads the modules that `nsswitch.conf` names (before 2.34 that for DNS as well) when a name is first looked up.
const LIBRARIES: [&str; 4] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];

/// The kernel's own figures: settings, counters, processors. All of it, as a rule for a directory below would be for
/// one inode, and procfs makes a new one whenever it has forgotten the old.
const FIGURES: &str = "/proc";

/// Where DNS is asked over TCP when an answer is too long for UDP (RFC 7766).
const DNS_PORT: u16 = 53;

/// The rights that this program knows and was tried with.
const NEWEST: ABI = ABI::V6;

impl Reach {
    /// A server: the kernel's figures and what the resolver needs. It writes nothing.
    pub(super) fn of_server(connects: Connects) -> Self {
        Self {
            reads: Some(what_measuring_reads()),
            writes: Vec::new(),
            tcp_ports: match connects {
                Connects::Nowhere => Some(vec![DNS_PORT]),
                Connects::ToPort(port) => Some(vec![DNS_PORT, port]),
                Connects::Anywhere => None,
            },
        }
    }

    /// A client writes its case, if anything. One that still has to look the far end up may read what the user may: the
    /// resolver's modules read any file, and a rule that forgets one would say "unknown host". Later lookups are of
    /// hops, and a hop may lack its name.
    pub(super) fn of_client(client: &Client<'_>) -> Self {
        let own = client.case.into_iter().chain(client.token);
        let reads = || {
            let own = own.map(Path::to_owned);
            what_measuring_reads().into_iter().chain(own).collect()
        };
        Self {
            reads: client.has_resolved.then(reads),
            writes: client.case.map(Path::to_owned).into_iter().collect(),
            tcp_ports: None,
        }
    }
}

/// What is there of it: not every host has all.
fn what_measuring_reads() -> Vec<PathBuf> {
    let libraries = if cfg!(target_env = "gnu") {
        &LIBRARIES[..]
    } else {
        &[]
    };
    let reads = std::iter::once(&FIGURES).chain(&RESOLVER).chain(libraries);
    reads.map(PathBuf::from).filter(|path| path.exists()).collect()
}

/// Confines the calling thread, and those that it will start, to `reach`. Needs `no_new_privs`. Gives what the kernel took,
/// and in words what it did not.
pub(super) fn confine(reach: Reach) -> (Enforced, Vec<String>) {
    let (abi, not_done) = match enforce(&reach) {
        Ok((abi, status)) => (abi, shortfall(abi, &status)),
        Err(error) => (None, vec![format!("files are not confined: {error}")]),
    };
    (Enforced { abi, reach }, not_done)
}

fn enforce(reach: &Reach) -> Result<(Option<i32>, RulesetStatus), RulesetError> {
    let reading = AccessFs::ReadFile | AccessFs::ReadDir;
    let writing = AccessFs::from_write(NEWEST);
    let mut rules = Ruleset::default().handle_access(match reach.reads {
        Some(_) => AccessFs::from_all(NEWEST),
        None => writing,
    })?;
    if reach.tcp_ports.is_some() {
        rules = rules.handle_access(AccessNet::from_all(ABI::V4))?;
    }
    // Signals are only ever for this process; an abstract socket is a door to a service of this host.
    let mut rules = rules.scope(Scope::from_all(NEWEST))?.create()?;
    for (path, access) in paths(reach, reading, writing) {
        // What vanished since it was listed cannot be read anyway.
        if let Ok(fd) = PathFd::new(path) {
            rules = rules.add_rule(PathBeneath::new(fd, access))?;
        }
    }
    if let Some(ports) = &reach.tcp_ports {
        for port in ports {
            rules = rules.add_rule(NetPort::new(*port, AccessNet::ConnectTcp))?;
        }
        // Any free port: a probe with TCP SYN holds one, so that nobody else takes the answers for his.
        rules = rules.add_rule(NetPort::new(0, AccessNet::BindTcp))?;
    }
    let done = rules.restrict_self()?;
    let abi = match done.landlock {
        LandlockStatus::Available {
            effective_abi,
            kernel_abi,
        } => Some(kernel_abi.unwrap_or(effective_abi as i32)),
        LandlockStatus::NotEnabled | LandlockStatus::NotImplemented => None,
    };
    Ok((abi, done.ruleset))
}

/// Every path with what may be done there; a file has no directory's rights.
fn paths(
    reach: &Reach,
    reading: BitFlags<AccessFs>,
    writing: BitFlags<AccessFs>,
) -> impl Iterator<Item = (&PathBuf, BitFlags<AccessFs>)> {
    let read = reach.reads.iter().flatten().map(move |path| {
        let access = if path.is_dir() {
            reading
        } else {
            AccessFs::ReadFile.into()
        };
        (path, access)
    });
    // Never a device, a pipe or a socket, nor commands to one.
    let made = AccessFs::MakeChar
        | AccessFs::MakeBlock
        | AccessFs::MakeFifo
        | AccessFs::MakeSock
        | AccessFs::IoctlDev;
    read.chain(reach.writes.iter().map(move |path| (path, writing & !made)))
}

/// What a kernel with this Landlock cannot do of it, in words.
fn shortfall(abi: Option<i32>, status: &RulesetStatus) -> Vec<String> {
    let Some(abi) = abi else {
        return vec![
            "files are not confined: this kernel has no Landlock, or it is switched off (`lsm=` at boot)"
                .to_owned(),
        ];
    };
    if *status == RulesetStatus::NotEnforced {
        return vec!["files are not confined: the kernel took no Landlock rule".to_owned()];
    }
    [
        (2, "files can be moved between allowed directories"),
        (3, "files that can be opened can be truncated"),
        (4, "TCP connections to other ports are possible"),
        (5, "commands to devices are not refused"),
        (
            6,
            "signals to other processes and abstract sockets are not refused",
        ),
    ]
    .into_iter()
    .filter(|(since, _)| abi < *since)
    .map(|(since, what)| format!("{what}: Landlock {since} would refuse it, this kernel has {abi}"))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_kernel_cannot_do_is_told() {
        let whole = &RulesetStatus::FullyEnforced;
        assert!(shortfall(Some(6), whole).is_empty());
        assert!(shortfall(Some(11), whole).is_empty(), "newer ones can do more");
        let old = shortfall(Some(4), &RulesetStatus::PartiallyEnforced);
        assert_eq!(old.len(), 2, "{old:?}");
        assert!(
            old.iter().all(|line| line.contains("this kernel has 4")),
            "{old:?}"
        );
        let none = shortfall(None, &RulesetStatus::NotEnforced);
        assert!(none.concat().contains("no Landlock"), "{none:?}");
        assert_eq!(shortfall(Some(7), &RulesetStatus::NotEnforced).len(), 1);
    }

    #[test]
    fn a_server_reaches_no_home_and_not_the_whole_of_etc() {
        let reach = Reach::of_server(Connects::Nowhere);
        let reads = reach.reads.unwrap();
        assert!(reads.contains(&PathBuf::from("/proc")), "{reads:?}");
        for forbidden in [
            "/",
            "/etc",
            "/etc/passwd",
            "/etc/shadow",
            "/root",
            "/home",
            "/tmp",
            "/var",
        ] {
            let open = reads.iter().find(|path| Path::new(forbidden).starts_with(path));
            assert_eq!(open, None, "{forbidden}");
        }
        assert!(reach.writes.is_empty());
    }
}

//! Name resolution inside the sandbox: the scenario's names, and nothing of the outside.
//!
//! `/etc/hosts`, `/etc/nsswitch.conf` and `/etc/resolv.conf` are covered by files of a private tmpfs, in the
//! sandbox's own mount namespace. So getaddrinfo and getnameinfo answer with the scenario's names, and a name
//! that is not there fails at once instead of waiting for a name server that cannot be reached.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Mutex;

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use scenario::{NodeId, Scenario};

use crate::error::{LabError, while_doing};

/// Resolves names from `/etc/hosts` alone.
const NSSWITCH: &str = "hosts: files\n";
/// For resolvers that ignore nsswitch (musl, Go): nobody listens there, so the refusal comes at once.
const RESOLV: &str = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n";
/// Directories that nearly every system has; one of them is a mount point for a moment.
const MOUNT_POINTS: [&str; 5] = ["/mnt", "/media", "/srv", "/opt", "/tmp"];

#[derive(Debug)]
pub(crate) struct NameFiles {
    /// `/etc/hosts` as seen in the sandbox, or `None` where the system has no such file to cover.
    hosts: Option<Mutex<File>>,
}

impl NameFiles {
    /// Covers the files. The tmpfs is unmounted again at once; the covering files keep it alive.
    pub(crate) fn mount() -> Result<Self, LabError> {
        let doing = "preparing the name files";
        let at = MOUNT_POINTS.iter().map(Path::new).find(|p| p.is_dir());
        let at = at.ok_or_else(|| while_doing(doing)(std::io::Error::other("no directory to mount on")))?;
        mount(
            Some("tmpfs"),
            at,
            Some("tmpfs"),
            MsFlags::empty(),
            Some("mode=755,size=1m"),
        )
        .map_err(while_doing(doing))?;
        let covered = Self::cover(at);
        umount2(at, MntFlags::MNT_DETACH).map_err(while_doing(doing))?;
        covered
    }

    fn cover(at: &Path) -> Result<Self, LabError> {
        let mut hosts = None;
        for (name, text) in [
            ("hosts", ""),
            ("nsswitch.conf", NSSWITCH),
            ("resolv.conf", RESOLV),
        ] {
            let (ours, theirs) = (at.join(name), Path::new("/etc").join(name));
            if !theirs.exists() {
                continue;
            }
            std::fs::write(&ours, text).map_err(while_doing(format!("writing {name}")))?;
            mount(Some(&ours), &theirs, None::<&str>, MsFlags::MS_BIND, None::<&str>)
                .map_err(while_doing(format!("covering {}", theirs.display())))?;
            if name == "hosts" {
                let file = OpenOptions::new().write(true).open(&theirs);
                hosts = Some(Mutex::new(file.map_err(while_doing("opening the hosts file"))?));
            }
        }
        Ok(Self { hosts })
    }

    /// Replaces the names by those of this scenario.
    pub(crate) fn write(&self, scenario: &Scenario) -> Result<(), LabError> {
        let Some(hosts) = &self.hosts else { return Ok(()) };
        let mut file = hosts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let replace = |file: &mut File| {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(hosts_text(scenario).as_bytes())
        };
        replace(&mut file).map_err(while_doing("writing the hosts file"))
    }
}

fn hosts_text(scenario: &Scenario) -> String {
    let mut text = String::from("127.0.0.1 localhost\n::1 localhost\n");
    for (index, node) in scenario.nodes.iter().enumerate().filter(|(_, n)| n.in_dns) {
        for address in scenario.addresses_of(NodeId(index)) {
            let _ = writeln!(text, "{address} {}", node.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn hosts_hold_every_address_except_of_unnamed_nodes() {
        let scenario = scenario::parse(
            r#"
            title = "names"
            [[host]]
            name = "a.example"
            [[router]]
            name = "hidden"
            dns = false
            [[link]]
            a = { node = "a.example", addresses = ["192.0.2.1", "2001:db8::1"] }
            b = { node = "hidden", addresses = ["192.0.2.2"] }
            "#,
        )
        .unwrap();
        let text = super::hosts_text(&scenario);
        assert!(
            text.ends_with("192.0.2.1 a.example\n2001:db8::1 a.example\n"),
            "{text}"
        );
    }
}

//! What the script and the far end say through ssh. The other host may say anything: lines and their number are bounded.

use std::io::{BufRead, BufReader, Read};
use std::net::{IpAddr, SocketAddr};

/// The longest line that is read, bytes.
const LONGEST_LINE: u64 = 16 << 10;
/// What a login prints before the script runs (a message of the day, an `echo` of a `.bashrc`), lines.
const MOST_LINES: usize = 1_000;

/// What is heard of the other host.
pub(super) struct Said<R> {
    output: BufReader<R>,
}

/// What the script tells first.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Greeting {
    /// As `uname -s` calls it.
    pub(super) system: String,
    /// As `uname -m` calls it.
    pub(super) machine: String,
    /// What an installed slowpath says of its version, if it can be a far end through ssh; empty without one.
    pub(super) installed: String,
    /// The address at which the host was reached.
    pub(super) server: Option<IpAddr>,
}

/// Where the far end listens, TCP and UDP.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ports {
    pub(super) v4: Option<u16>,
    pub(super) v6: Option<u16>,
}

impl<R: Read> Said<R> {
    pub(super) fn of(output: R) -> Self {
        Self {
            output: BufReader::new(output),
        }
    }

    pub(super) fn source(&mut self) -> &mut R {
        self.output.get_mut()
    }

    /// The next line of which something is made.
    fn find<T>(&mut self, make: impl Fn(&str) -> Option<T>) -> Option<T> {
        for _ in 0..MOST_LINES {
            let mut line = Vec::new();
            let read = self
                .output
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line);
            if read.ok()? == 0 {
                return None;
            }
            if let Some(made) = make(String::from_utf8_lossy(&line).trim_end()) {
                return Some(made);
            }
        }
        None
    }

    /// What the script says of the host.
    pub(super) fn greeting(&mut self) -> Option<Greeting> {
        self.find(|line| {
            let mut words = line.strip_prefix("slowpath-greeting|")?.split('|');
            let mut word = || words.next().map(str::to_owned);
            let (system, machine, installed) = (word()?, word()?, word()?);
            // "client-address client-port server-address server-port" (ssh(1), SSH_CONNECTION)
            let server = word().and_then(|connection| connection.split(' ').nth(2)?.parse().ok());
            Some(Greeting {
                system,
                machine,
                installed,
                server,
            })
        })
    }

    /// Whether the copy runs, or why not; `None` when nothing more is said.
    pub(super) fn copied(&mut self) -> Option<Result<(), String>> {
        self.find(|line| {
            let failed = line.strip_prefix("slowpath-failed|");
            let failed = failed.map(|why| Err(why.to_owned()));
            failed.or_else(|| (line == "slowpath-copied").then_some(Ok(())))
        })
    }

    /// Where the far end listens.
    pub(super) fn ports(&mut self) -> Option<Ports> {
        self.find(|line| {
            let said: serde_json::Value = serde_json::from_str(line).ok()?;
            if said.get("event")? != "listening" {
                return None;
            }
            let addresses = said.get("addresses")?.as_array()?.iter();
            let addresses = addresses.filter_map(|address| address.as_str()?.parse::<SocketAddr>().ok());
            let mut ports = Ports::default();
            for address in addresses {
                let port = Some(address.port());
                match address {
                    SocketAddr::V4(_) => ports.v4 = port,
                    SocketAddr::V6(_) => ports.v6 = port,
                }
            }
            (ports != Ports::default()).then_some(ports)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Said<&[u8]> {
        Said::of(text.as_bytes())
    }

    #[test]
    fn the_greeting_is_found_behind_what_a_login_prints() {
        let text = "Welcome!\n\nslowpath-greeting|Linux|x86_64|slowpath 0.1.0|192.0.2.7 50000 198.51.100.2 22\nmore\n";
        let greeting = said(text).greeting().unwrap();
        assert_eq!(greeting.installed, "slowpath 0.1.0");
        assert_eq!(greeting.server, Some([198, 51, 100, 2].into()));
        let bare = said("slowpath-greeting|FreeBSD|amd64||\n").greeting().unwrap();
        assert_eq!(
            (bare.system.as_str(), bare.installed.as_str(), bare.server),
            ("FreeBSD", "", None)
        );
        assert_eq!(said("slowpath-greeting|Linux\n").greeting(), None);
        assert_eq!(said("").greeting(), None);
        assert_eq!(said(&"noise\n".repeat(2_000)).greeting(), None);
        assert_eq!(said(&"x".repeat(1 << 20)).greeting(), None);
    }

    #[test]
    fn ports_are_told_for_each_family() {
        let line = r#"{"event":"listening","addresses":["0.0.0.0:4820","[::]:4821"]}"#;
        let both = Ports {
            v4: Some(4820),
            v6: Some(4821),
        };
        assert_eq!(said(&format!("{{}}\nnull\n{line}\n")).ports(), Some(both));
        assert_eq!(said(r#"{"event":"listening","addresses":[]}"#).ports(), None);
        assert_eq!(said(r#"{"event":"listening","addresses":["x",7]}"#).ports(), None);
    }

    #[test]
    fn what_was_in_the_way_of_a_copy_is_told() {
        assert_eq!(said("slowpath-copied\n").copied(), Some(Ok(())));
        let failed = said("motd\nslowpath-failed|no room\n").copied();
        assert_eq!(failed, Some(Err("no room".to_owned())));
        assert_eq!(said("").copied(), None);
    }
}

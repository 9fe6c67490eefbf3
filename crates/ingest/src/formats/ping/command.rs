//! The command line above ping's output: what it says of the packets that the output does not.

use crate::command::options::{Options, Part, parts};
use crate::host::host;
use crate::invoked::{invoked, target};
use evidence::Node;

static PROGRAMS: &[&str] = &["ping", "ping6", "vmkping"];

/// Options that a value follows, beside those that the tools of a path share.
static WITH_VALUE: &[&str] = &["-I", "-Q", "-W", "-c", "-T"];

/// Letters of iputils and BSD with a value (ping(8)). Other systems give some of them another meaning: none of those that are read.
static OPTIONS: Options = Options {
    letters: "IMQWceFilmNpstTw",
    words: &[],
};

/// Options of a ping command that matter.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Command {
    /// The host that the prompt names.
    pub(super) device: Option<String>,
    /// The host that it asks.
    pub(super) to: Node,
    /// `-M do` or `-M dont`, `df-bit`, `do-not-fragment`, where given.
    pub(super) dont_fragment: Option<bool>,
    /// `-D`: the don't-fragment flag on BSD, time stamps on Linux.
    pub(super) capital_d: bool,
    /// `-c`: how many to send.
    pub(super) count: Option<u64>,
}

impl Command {
    /// `None` for a line that does not run ping.
    pub(super) fn read(line: &str) -> Option<Self> {
        let run = invoked(line, PROGRAMS)?;
        let mut command = Self {
            to: target(&run.words, WITH_VALUE),
            device: run.device.map(str::to_owned),
            ..Self::default()
        };
        let is_windows = run.words.contains(&"-l");
        // VRP's and Comware's prompt; elsewhere `-f` floods.
        let is_vrp = line.trim_ascii_start().starts_with('<');
        let mut before = "";
        let mut operands = Vec::new();
        for part in parts(run.words.iter().copied(), &OPTIONS) {
            match part {
                Part::Option("M", strategy) => command.dont_fragment = strategy.and_then(discovery),
                Part::Option("c", count) => command.count = count.and_then(|count| count.parse().ok()),
                Part::Option("D", _) => command.capital_d = true,
                Part::Option("d", _) if run.program == "vmkping" => command.dont_fragment = Some(true),
                Part::Option("f", _) if is_windows || is_vrp => command.dont_fragment = Some(true),
                // IOS XR spells it like this.
                Part::Operand("df-bit" | "do-not-fragment" | "donotfrag" | "donnotfrag") => {
                    command.dont_fragment = Some(true)
                }
                // Routers' words.
                Part::Operand(count) if matches!(before, "count" | "repeat") => {
                    command.count = count.parse().ok()
                }
                _ => {}
            }
            if let Part::Operand(word) = part {
                operands.push(word);
            }
            before = match part {
                Part::Operand(word) => word,
                Part::Option(..) => "",
            };
        }
        // Letters that other tools of a path give a value to may stand alone here: `ping -q 192.0.2.1`.
        let is_host = |word: &&&str| word.parse::<std::net::IpAddr>().is_ok() || is_dotted(word);
        let mut hosts = operands.iter().take_while(|word| **word != "|").filter(is_host);
        if let (true, Some(only), None) = (command.to.is_unknown(), hosts.next(), hosts.next()) {
            command.to = host(only);
        }
        // The only word that is no option's: `ping -c 5 gw`.
        if let [only] = operands.as_slice()
            && run.device.is_some()
            && command.to.is_unknown()
            && only.starts_with(|c: char| c.is_ascii_alphabetic())
        {
            command.to = host(only);
        }
        Some(command)
    }
}

/// `gw.example`: a name with a dot, and no number.
fn is_dotted(word: &str) -> bool {
    let is_part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    word.contains('.') && word.split('.').all(is_part) && word.parse::<f64>().is_err()
}

/// iputils: `do` and `probe` set the flag, `dont` does not, `want` leaves it to the kernel's cache.
fn discovery(strategy: &str) -> Option<bool> {
    match strategy {
        "do" | "probe" => Some(true),
        "dont" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        let jumbo = Command::read("ping -s 8972 -M do -c 4 perfsonar-10.cv.nrao.edu (don’t fragment)");
        assert_eq!(
            jumbo,
            Some(Command {
                device: None,
                to: Node::named("perfsonar-10.cv.nrao.edu"),
                dont_fragment: Some(true),
                capital_d: false,
                count: Some(4)
            })
        );
        let solaris = Command::read("14cottrell@flora01:~>ping -s 1473 10");
        assert_eq!(
            solaris,
            Some(Command {
                device: Some("flora01".to_owned()),
                ..Command::default()
            }),
            "the -s of Solaris takes no size"
        );
        let vrp = Command::read("<sw1>ping -f -s 1472 -c 5 192.0.2.1").unwrap();
        assert_eq!((vrp.dont_fragment, vrp.count), (Some(true), Some(5)));
        let flood = Command::read("# ping -f -c 1000 192.0.2.1").unwrap();
        assert_eq!(flood.dont_fragment, None);
        for prose in [
            "ping works",
            "ping",
            "Pinging each of the nodes",
            "we used ping -s 10",
            "",
        ] {
            assert_eq!(Command::read(prose), None, "{prose}");
        }
    }
}

//! The command line above ping's output: what it says of the packets that the output does not.

use crate::prompt::{CommandLine, command_line};

/// Options of a ping command that matter.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Command {
    /// `-M do` or `-M dont`, where given.
    pub(super) dont_fragment: Option<bool>,
    /// `-D`: the don't-fragment flag on BSD, time stamps on Linux.
    pub(super) capital_d: bool,
    /// `-c`: how many to send.
    pub(super) count: Option<u64>,
}

impl Command {
    /// `None` for a line that does not run ping.
    pub(super) fn read(line: &str) -> Option<Self> {
        let prompted = command_line(line);
        let typed = prompted.unwrap_or(CommandLine {
            device: None,
            command: line,
        });
        let mut words = typed
            .arguments_of("ping")
            .or_else(|| typed.arguments_of("ping6"))
            .or_else(|| typed.arguments_of("ping.exe"))?
            .peekable();
        if prompted.is_none() && !words.peek()?.starts_with('-') {
            return None;
        }
        let mut command = Self::default();
        while let Some(word) = words.next() {
            match word {
                "-M" => command.dont_fragment = words.next().and_then(discovery),
                "-c" => command.count = words.next().and_then(|count| count.parse().ok()),
                "-D" => command.capital_d = true,
                "-f" if typed.command.contains(" -l ") => command.dont_fragment = Some(true),
                _ => {}
            }
        }
        Some(command)
    }
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
                dont_fragment: Some(true),
                capital_d: false,
                count: Some(4)
            })
        );
        let solaris = Command::read("14cottrell@flora01:~>ping -s 1473 10");
        assert_eq!(
            solaris,
            Some(Command::default()),
            "the -s of Solaris takes no size"
        );
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

//! The command above the hops: it names the device and, where no header does, the target.

use super::header::Header;
use crate::command::options::{Options, Part, parts};
use crate::invoked::{invoked, target};
use evidence::{Node, ProbeProtocol};

static PROGRAMS: &[&str] = &[
    "traceroute",
    "traceroute6",
    "traceroute4",
    "tracert",
    "tracert6",
    "tcptraceroute",
    "pathping",
    "lft",
    "paris-traceroute",
    "nexttrace",
    "besttrace",
];

/// Letters with a value (traceroute(8) of Linux and BSD).
static OPTIONS: Options = Options {
    letters: "fgimNpqswzAPMO",
    words: &[],
};

/// The host that the prompt names, the program, and the words behind it.
pub(super) fn command(line: &str) -> Option<(Option<&str>, &str, Vec<&str>)> {
    // Asked of every line: what all the names are made of is looked for first.
    if !["trace", "pathping", "lft"]
        .iter()
        .any(|part| line.contains(part))
    {
        return None;
    }
    let run = invoked(line, PROGRAMS)?;
    Some((run.device, run.program, run.words))
}

impl Header {
    /// Takes the command line.
    pub(super) fn command(&mut self, line: &str) {
        let Some((device, program, words)) = command(line) else {
            return;
        };
        if let Some(device) = device {
            self.prompt = Node::named(device);
        }
        // Unix' traceroute and Cisco's send UDP unless told otherwise; Windows' tracert sends ICMP.
        self.protocol = match program {
            "tracert" | "tracert6" | "pathping" | "nexttrace" | "besttrace" => Some(ProbeProtocol::Icmp),
            "tcptraceroute" | "lft" => Some(ProbeProtocol::TcpSyn),
            _ => Some(ProbeProtocol::Udp),
        };
        // tracert is what Huawei's and Comware's systems call theirs, with UDP: their prompts are no Windows drive's.
        if program == "tracert" && device.is_some() {
            self.protocol = None;
        }
        for part in parts(words.iter().copied(), &OPTIONS) {
            match part {
                Part::Option("I" | "icmp", _) => self.protocol = Some(ProbeProtocol::Icmp),
                Part::Option("T" | "tcp", _) => self.protocol = Some(ProbeProtocol::TcpSyn),
                Part::Option("F" | "dont-fragment" | "mtu", _) => self.dont_fragment = Some(true),
                _ => {}
            }
        }
        self.asked = target(&words, &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_tell_the_protocol_and_the_target() {
        for (line, protocol, to) in [
            (
                "elaine41:~> traceroute",
                Some(ProbeProtocol::Udp),
                "an unnamed host",
            ),
            (
                "$ sudo traceroute -I 240.0.0.1",
                Some(ProbeProtocol::Icmp),
                "240.0.0.1",
            ),
            (
                "traceroute -T -p 80 240.0.0.1",
                Some(ProbeProtocol::TcpSyn),
                "240.0.0.1",
            ),
            ("traceroute a.example", Some(ProbeProtocol::Udp), "a.example"),
            ("C:\\>tracert 240.0.0.1", Some(ProbeProtocol::Icmp), "240.0.0.1"),
            ("<r1>tracert -a 240.0.0.7 240.0.0.1", None, "240.0.0.1"),
            (
                "FGT1 # execute traceroute 240.0.0.1",
                Some(ProbeProtocol::Udp),
                "240.0.0.1",
            ),
            (
                "[admin@m1] > tool traceroute 240.0.0.1",
                Some(ProbeProtocol::Udp),
                "240.0.0.1",
            ),
            (
                "r1#traceroute vrf blue 240.0.0.1 source lo0",
                Some(ProbeProtocol::Udp),
                "240.0.0.1",
            ),
            ("$ traceroute -n dtn1", Some(ProbeProtocol::Udp), "dtn1"),
            ("traceroute shows nothing", None, "an unnamed host"),
        ] {
            let mut header = Header::default();
            header.command(line);
            assert_eq!(
                (header.protocol, header.asked.to_string().as_str()),
                (protocol, to),
                "{line}"
            );
        }
    }
}

//! The command above the hops: it names the device and, where no header does, the target.

use super::header::Header;
use crate::host::host;
use crate::prompt::{CommandLine, command_line};
use evidence::{Node, ProbeProtocol};
use std::net::IpAddr;

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

/// Options, and words of routers, that a value follows.
static WITH_VALUE: &[&str] = &[
    "-s",
    "-g",
    "-i",
    "-w",
    "-z",
    "-f",
    "-m",
    "-q",
    "-p",
    "-t",
    "-l",
    "-N",
    "-M",
    "-P",
    "-D",
    "-O",
    "-h",
    "-j",
    "-S",
    "-a",
    "-vpn-instance",
    "source",
    "src",
    "interface",
    "vrf",
    "vpn-instance",
    "routing-instance",
    "router",
    "timeout",
    "ttl",
    "probe",
    "port",
    "wait",
    "tos",
    "logical-system",
    "gateway",
    "next-hop",
    "min-ttl",
    "max-ttl",
    "count",
    "numeric-timeout",
    "--port",
    "--interface",
    "--source",
    "--max-hops",
    "--first",
    "--queries",
    "--wait",
    "--module",
    "--tos",
];

/// The command of a line, also behind prompts with blanks: `FGT # execute traceroute …`, `[admin@MikroTik] > tool traceroute …`.
fn typed(line: &str) -> (Option<CommandLine<'_>>, &str) {
    if let Some(prompted) = command_line(line) {
        return (Some(prompted), prompted.command);
    }
    let text = line.trim();
    for sign in [" # ", "> "] {
        if let Some((device, command)) = text.split_once(sign)
            && device.len() < 60
            && !device.trim().contains(' ')
        {
            let device = device.trim().trim_matches(['[', ']', '<', '>']);
            let device = device.rsplit_once('@').map_or(device, |(_, host)| host);
            let device = Some(device).filter(|device| device.contains(|c: char| c.is_ascii_alphabetic()));
            let line = CommandLine {
                device,
                command: command.trim(),
            };
            return (Some(line), line.command);
        }
    }
    (None, text)
}

/// The host that the prompt names, the program, and the words behind it.
pub(super) fn command(line: &str) -> Option<(Option<&str>, &str, Vec<&str>)> {
    if line.len() > 1000 || !PROGRAMS.iter().any(|program| line.contains(program)) {
        return None;
    }
    let (prompted, command) = typed(line);
    let mut words = command.split_ascii_whitespace().peekable();
    while words
        .next_if(|word| {
            matches!(
                *word,
                "sudo" | "execute" | "exec" | "run" | "do" | "tool" | "/tool" | "/usr/bin/env"
            )
        })
        .is_some()
    {}
    let first = words.next()?;
    let name = first.rsplit_once('/').map_or(first, |(_, name)| name);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let program = PROGRAMS.iter().find(|program| **program == name)?;
    let rest: Vec<&str> = words.collect();
    let is_host = |word: &&str| word.parse::<IpAddr>().is_ok() || word.contains('.') && !word.ends_with('.');
    let sure = prompted.is_some()
        || rest.first().is_some_and(|word| word.starts_with('-'))
        || matches!(rest.as_slice(), [one] if is_host(one));
    sure.then(|| (prompted.and_then(|line| line.device), *program, rest))
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
        for word in &words {
            match *word {
                "-I" | "--icmp" => self.protocol = Some(ProbeProtocol::Icmp),
                "-T" | "--tcp" => self.protocol = Some(ProbeProtocol::TcpSyn),
                "-F" | "--dont-fragment" | "--mtu" => self.dont_fragment = Some(true),
                _ => {}
            }
        }
        self.asked = target(&words);
    }
}

/// The host among the arguments; unknown where it cannot be told from the values of options.
fn target(words: &[&str]) -> Node {
    let mut candidates: Vec<&str> = Vec::new();
    let mut is_value = false;
    let mut has_words = false;
    let mut last = "";
    for word in words {
        if std::mem::take(&mut is_value) {
            continue;
        }
        if WITH_VALUE.contains(word) {
            is_value = true;
            has_words = true;
        } else if !word.starts_with('-') {
            let bare = word.strip_prefix("address=").unwrap_or(word);
            let is_host = bare.parse::<IpAddr>().is_ok()
                || (bare.contains('.') && bare.contains(|c: char| c.is_ascii_alphabetic()));
            if is_host {
                candidates.push(bare);
            } else if last.is_empty() {
                last = bare;
            } else {
                has_words = true;
            }
        }
    }
    match (candidates.as_slice(), has_words) {
        ([one], _) => host(one),
        ([], false) if last.starts_with(|c: char| c.is_ascii_alphabetic()) => host(last),
        _ => Node::default(),
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

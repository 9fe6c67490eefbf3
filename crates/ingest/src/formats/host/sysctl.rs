//! `sysctl`: settings of a kernel. Linux writes `name = value`, the BSDs and macOS `name: value`, a file `name=value`.

use super::command::{arguments, facts};
use super::given::Given;
use super::sysctl_dev::{Devices, is_of_device};
use crate::Context;
use crate::block::Block;
use crate::command::{place, prompted};
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::openings::Opening;
use crate::prompt::command_line;
use evidence::{HostFacts, Payload};

pub(crate) static FORMAT: Format = Format {
    name: "sysctl",
    group: Group::Hosts,
    reads: "settings under `net.` (and `kern.ipc.`) of Linux, the BSDs and macOS, as printed or as in sysctl.conf; counters of FreeBSD's \
            drivers under `dev.`",
    first: "dnks-",
    has_command: true,
    marks: Some(|| Marks::of(["net.", "kern.ipc.", "sysctl", "dev."])),
    starts: |line| {
        setting(line)
            .is_some_and(|(name, value)| is_of_network(name) && is_value(value) || is_of_device(name))
            || is_command(line)
    },
    continues: |block, line| {
        setting(line).is_some() || line.starts_with("sysctl: ") || is_remark(line) && is_file(block)
    },
    takes_in: Some(|_, line| is_remark(line)),
    read,
};

fn is_command(line: &str) -> bool {
    arguments(line, "sysctl").is_some_and(|mut words| {
        words.any(|word| word.starts_with('-') || word.contains('.') || word == "net")
    })
}

/// A remark of a file, or a setting that is not in force. One word alone is a heading, perhaps of another host.
fn is_remark(line: &str) -> bool {
    let Some(said) = line.strip_prefix(['#', ';']) else {
        return false;
    };
    let said = said.trim_start_matches(['#', ';']).trim_ascii();
    let is_typed = || {
        let typed = command_line(line).or_else(|| prompted(said));
        typed.is_some_and(|typed| place(&typed).is_some()) || Opening::new(line).begins().is_some()
    };
    said.is_empty() || (said.contains(' ') || setting(said).is_some()) && !is_typed()
}

/// Whether the block shows a file: a setting stands first, and no command.
fn is_file(block: &Block) -> bool {
    block.first().is_some_and(|first| setting(first).is_some())
}

/// Names of two parts are options of a kernel's command line: `net.ifnames`.
fn is_of_network(name: &str) -> bool {
    let of_net = |rest: &str| rest.contains('.') || rest == "nf_conntrack_max";
    name.strip_prefix("net.").is_some_and(of_net) || name.starts_with("kern.ipc.")
}

/// Not of a kernel's command line, of a program or of a template: `net.ifnames=0 biosdevname=0`, `net.route = found;`, `{{ forward }}`.
fn is_value(value: &str) -> bool {
    !value.is_empty() && !value.contains(['=', ';', '{'])
}

/// `net.ipv4.tcp_rmem = 4096 131072 6291456`: the dotted name and what it is set to.
pub(super) fn setting(line: &str) -> Option<(&str, &str)> {
    // A minus in a file: no error where the kernel does not know it.
    let line = line.strip_prefix('-').unwrap_or(line);
    let end = line.find(['=', ':', ' ', '\t'])?;
    let (name, rest) = line.split_at_checked(end)?;
    let value = rest.trim_ascii_start().strip_prefix(['=', ':'])?;
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@' | b'/' | b'%');
    let dotted = name.contains('.') && !name.contains("..") && name.bytes().all(is_letter);
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    // `host.example:5201` is no setting, nor is a path with a line of it.
    let parted =
        value.is_empty() || value.starts_with([' ', '\t']) || rest.trim_ascii_start().starts_with('=');
    (dotted && begins && parted && !name.ends_with('.'))
        .then(|| (name, unquoted(without_remark(value).trim_ascii())))
}

/// The value without the quotes that YAML and scripts put around it.
fn unquoted(value: &str) -> &str {
    let inner = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('\'').or_else(|| inner('"')).unwrap_or(value)
}

/// The value without what somebody wrote behind it: `16777216  # was 212992`, `1 // on`.
fn without_remark(value: &str) -> &str {
    let marks = ["#", "//"];
    let begins = marks.iter().filter_map(|mark| {
        value.match_indices(mark).map(|(at, _)| at).find(|at| {
            value
                .get(..*at)
                .is_some_and(|before| before.ends_with([' ', '\t']))
        })
    });
    begins.min().and_then(|at| value.get(..at)).unwrap_or(value)
}

/// Keeps a setting, and what it says of the host beyond itself.
pub(super) fn keep(facts: &mut HostFacts, name: &str, value: &str) {
    match name {
        "net.ipv4.tcp_congestion_control" | "net.inet.tcp.cc.algorithm" => {
            facts.congestion_control = Some(value.to_owned());
        }
        "net.ipv4.tcp_available_congestion_control" => {
            facts.available_congestion_controls = value.split_whitespace().map(str::to_owned).collect();
        }
        _ => {}
    }
    facts.sysctls.insert(name.to_owned(), value.to_owned());
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let (mut given, mut devices) = (Given::default(), Devices::default());
    let mut has_devices = false;
    for (number, line) in block.numbered() {
        match setting(line) {
            Some((name, value)) if is_of_network(name) && is_value(value) => {
                given.put(findings, number, name, value.to_owned());
            }
            Some((name, _)) if is_of_network(name) => {
                findings.complain(number, format!("{name} has no value"))
            }
            Some((name, value)) if is_of_device(name) => {
                has_devices = true;
                devices.take(findings, number, name, value);
            }
            _ => {}
        }
    }
    devices.record(block, context, findings);
    if has_devices {
        findings.nothing_to_say();
    }
    if !given.is_empty() {
        let mut facts = facts(block);
        for (name, value) in given.into_values() {
            keep(&mut facts, &name, &value);
        }
        findings.record(block, "sysctl", context.at, Payload::HostFacts(facts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings() {
        for (line, name, value) in [
            (
                "net.ipv4.tcp_rmem = 4096\t131072\t6291456",
                "net.ipv4.tcp_rmem",
                "4096\t131072\t6291456",
            ),
            (
                "net.ipv4.tcp_rmem=4096 87380 6291456",
                "net.ipv4.tcp_rmem",
                "4096 87380 6291456",
            ),
            ("-net.core.rmem_max = 1", "net.core.rmem_max", "1"),
            (
                "net.inet.tcp.sendspace: 131072",
                "net.inet.tcp.sendspace",
                "131072",
            ),
            ("net.ipv4.conf.eth0/10.mtu = 9", "net.ipv4.conf.eth0/10.mtu", "9"),
            ("net.ipv4.tcp_fastopen_key =", "net.ipv4.tcp_fastopen_key", ""),
        ] {
            assert_eq!(setting(line), Some((name, value)), "{line}");
        }
        for line in [
            "net. is",
            "a.example:5201",
            "net = 1",
            "net.ipv4",
            "Net.a = 1",
            "a..b = 1",
            "a b.c = 1",
        ] {
            assert_eq!(setting(line), None, "{line}");
        }
    }
}

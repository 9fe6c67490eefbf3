//! A command of a device without its prompt, as people head what they paste into a ticket: `show interfaces status`.
//!
//! Prose may begin like this too: `show interfaces output from yesterday`. So each word up to a filter has to be one that devices
//! take, in full or shortened, or to hold a number as ports and addresses do.

use crate::formats::is_of_a_type;

/// No command is longer, bytes.
const LONGEST: usize = 120;

const VERBS: [&str; 9] = [
    "show ",
    "sh ",
    "sho ",
    "display ",
    "dis ",
    "monitor ",
    "diagnose ",
    "diag ",
    "get ",
];

/// What a device is asked of.
const OBJECTS: [&str; 31] = [
    "bundle",
    "controllers",
    "counters",
    "eth-trunk",
    "etherchannel",
    "hardware",
    "interfaces",
    "ip",
    "ipv4",
    "ipv6",
    "lacp",
    "lag",
    "link-aggregation",
    "linkagg",
    "mls",
    "netlink",
    "platform",
    "pfc",
    "policy-map",
    "port",
    "port-channel",
    "priority-queue",
    "qos",
    "queue",
    "queueing",
    "queuing",
    "sharing",
    "system",
    "traffic",
    "transceiver",
    "trunks",
];

/// What more is said of it.
const OPTIONS: [&str; 55] = [
    "accounting",
    "active",
    "all",
    "asic",
    "brief",
    "capabilities",
    "class",
    "control-plane",
    "database",
    "description",
    "descriptions",
    "detailed",
    "details",
    "deviceinfo",
    "diagnostics",
    "discards",
    "dom",
    "drops",
    "errors",
    "ethernet",
    "ethernet-controller",
    "extensive",
    "fed",
    "flowcontrol",
    "flow-control",
    "human-readable",
    "if-name",
    "input",
    "internal",
    "internal-drop",
    "list",
    "load-balance",
    "media",
    "module",
    "mtu",
    "nic",
    "no-more",
    "nowrap",
    "optics",
    "output",
    "phy",
    "physical",
    "ports",
    "priority-flow-control",
    "properties",
    "qfp",
    "queues",
    "rates",
    "statistics",
    "status",
    "summary",
    "switching",
    "table",
    "terse",
    "type",
];

/// The command of a line that is one and nothing else.
pub(crate) fn bare(line: &str) -> Option<&str> {
    // Asked of every line that has no prompt.
    if let Some(command) = line.strip_prefix("Command: ") {
        return at_looking_glass(command);
    }
    if !matches!(
        line.as_bytes(),
        [b's' | b'd' | b'm' | b'g', b'h' | b'i' | b'o' | b'e', ..]
    ) {
        return None;
    }
    let text = line.trim_ascii_end();
    let (command, filter) = match text.split_once('|') {
        Some((command, filter)) => (command, Some(filter)),
        None => (text, None),
    };
    let mut words = VERBS
        .iter()
        .find_map(|verb| command.strip_prefix(verb))?
        .split_ascii_whitespace();
    let is_ended = |text: &str| text.ends_with(['.', ':', '?', ',', ';']);
    let is_said = |word: &str| {
        shortens(word, &OPTIONS)
            || shortens(word, &OBJECTS)
            || is_of_a_type(word)
            || word.bytes().any(|byte| byte.is_ascii_digit()) && !is_ended(word)
    };
    let is_one = words.next().is_some_and(|word| shortens(word, &OBJECTS))
        && words.all(is_said)
        && text.len() <= LONGEST
        && filter.is_none_or(|filter| !is_ended(filter));
    is_one.then_some(text)
}

/// What a looking glass was asked, as its page says above the answer: `Command: traceroute 192.0.2.1`.
fn at_looking_glass(command: &str) -> Option<&str> {
    const PROGRAMS: [&str; 5] = ["ping", "traceroute", "tracert", "mtr", "show"];
    let command = command.trim_ascii();
    let program = command.split(' ').next()?;
    PROGRAMS.contains(&program).then_some(command)
}

/// Whether it is one of some words, or the beginning of one.
fn shortens(word: &str, whole: &[&str]) -> bool {
    word.len() > 1 && whole.iter().any(|whole| whole.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn a_command_is_all_of_words_that_devices_take() {
        for line in [
            "show interfaces status",
            "sh int te1/1 | i rate|drops",
            "sh ip int br",
            "show interface ethernet 1/1 counters errors",
            "display interface brief",
            "show interfaces GigabitEthernet 0/1",
            "show lag 7 port",
            "diagnose hardware deviceinfo nic port7",
            "get system interface physical",
        ] {
            assert_eq!(bare(line), Some(line));
        }
        assert_eq!(bare("Command: mtr -r b.example"), Some("mtr -r b.example"));
        assert_eq!(bare("Command: run it again"), None);
        for line in [
            "show interfaces output from yesterday",
            "show interfaces of both switches:",
            "show interfaces status.",
            "show interfaces gi0/1, and then",
            "shows interfaces",
            "display the interface",
            "get the interface status",
            "diagnose hardware problems of port7",
            "discards 5",
            "show",
            "ship ip 5",
        ] {
            assert_eq!(bare(line), None, "{line}");
        }
    }
}

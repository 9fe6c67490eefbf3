//! The command above the output of `show interfaces`, and what it asked for.

use super::places::is_of_a_type;
use super::vyos::of_vyos;
use crate::prompt::command_line;

/// Options and tables of `show interfaces` that are other formats.
const OTHERS: &[&str] = &[
    "status",
    "description",
    "descriptions",
    "terse",
    "summary",
    "transceiver",
    "counters",
    "switchport",
    "trunk",
    "logical",
];

/// What stands further behind is no option: an output that became one line with its command.
pub(super) const MOST_OPTIONS: usize = 6;

/// Commands of others that print interfaces.
const COMMANDS: &[&str] = &[
    "get system interface",
    "get hardware nic",
    "diagnose hardware deviceinfo nic",
    "diag hardware deviceinfo nic",
    "diagnose netlink interface list",
    "esxcli network nic stats get",
    "mlnx_qos -i",
    "show hw-module subslot ",
    "monitor interface",
    "nmcli device show",
    "nmcli dev show",
    "nmcli d show",
    "nmcli -f",
];

/// Whether a line is a prompt with `show interface` or a shorter form of it, which routers take as well.
pub(super) fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| {
        let mut words = typed.command.split_ascii_whitespace();
        let shortens = |word: Option<&str>, whole: &str, least: usize| {
            word.is_some_and(|word| word.len() >= least && whole.starts_with(word))
        };
        let verb = words.next();
        if !shortens(verb, "show", 2) && !shortens(verb, "display", 3) {
            return COMMANDS.iter().any(|command| typed.command.starts_with(command))
                && !typed.command.ends_with(" transceiver")
                || nv_port(typed.command).is_some();
        }
        if is_of_queues(typed.command) || controller(typed.command).is_some() {
            return true;
        }
        if ["statistics", "physical", "queue"]
            .iter()
            .any(|what| of_vyos(typed.command, what).is_some())
            || typed.command.starts_with("show interfaces bonding ")
                && of_vyos(typed.command, "detail").is_some()
        {
            return false;
        }
        let mut filters = typed.command.split('|').skip(1).map(str::trim_ascii);
        let mut is_structured = || {
            let forms = ["json", "xml", "display json", "display xml"];
            filters.any(|filter| forms.iter().any(|form| filter.starts_with(form)))
        };
        // A paragraph for each transceiver, where `transceiver detail` of another maker is a table.
        let is_paragraphs = typed.command.ends_with(" transceiver dom")
            || typed.command.contains(" transceiver diagnostics")
            || typed.command.contains(" transceiver") && typed.command.contains(" eth")
            || typed.command.contains(" transceiver detail")
                && (typed.command.ends_with("details") || is_of_number(typed.command))
            || typed.command.contains(" transceiver eeprom")
            || typed.command.contains(" counters detailed");
        let is_of_mac = |word: &str| {
            let port = typed.command.split_ascii_whitespace().nth(2);
            word.starts_with("contr")
                && (port.is_some_and(|port| is_of_a_type(port) || port.eq_ignore_ascii_case("vdsl"))
                    || [" stats", " phy"].iter().any(|end| typed.command.ends_with(end)))
        };
        words.next().is_some_and(|word| {
            shortens(Some(word), "interfaces", 3)
                || matches!(word, "port" | "policy-map" | "packet-drop" | "transceiver" | "bundle" | "lacp")
                || is_of_mac(word)
                || is_of_ip(typed.command)
                || word == "port-channel" && typed.command.contains(" database")
                || word == "etherchannel" && typed.command.contains(" port-channel")
                // PAN-OS
                || word == "counter" && typed.command.contains(" counter interface ")
        }) && !is_structured()
            && (is_paragraphs || !words.take(MOST_OPTIONS).any(|word| OTHERS.contains(&word)))
    })
}

/// `show ip interface`, of which `brief` is a table.
fn is_of_ip(command: &str) -> bool {
    let mut words = command
        .split('|')
        .next()
        .unwrap_or_default()
        .split_ascii_whitespace()
        .skip(1);
    let is_ip = words
        .next()
        .is_some_and(|word| matches!(word, "ip" | "ipv4" | "ipv6"));
    let shortens = |word: &str, whole: &str| word.len() > 1 && whole.starts_with(word);
    is_ip
        && words
            .by_ref()
            .any(|word| word.len() > 2 && shortens(word, "interfaces"))
        && !words.any(|word| shortens(word, "brief"))
}

/// Whether a command asks for a port that is a number alone: where ports have such names, `transceiver detail` prints no table.
pub(super) fn is_of_number(command: &str) -> bool {
    let port = command.split_ascii_whitespace().nth(2);
    port.is_some_and(|port| port.starts_with(|c: char| c.is_ascii_digit()))
}

/// Commands that show the queues or the counters of a port.
fn is_of_queues(command: &str) -> bool {
    let is_one = |begin: &str, inner: &str| command.starts_with(begin) && command.contains(inner);
    is_one("show platform hardware fed ", " qos queue stats interface ")
        || is_one("show ip traffic", "")
        || is_one("show router interface ", " statistics")
        || is_one("show platform hardware port ", " plim statistics")
        || is_one("show mls qos interface ", " stat")
        || is_one("show statistics ethernet ", "")
        || is_one("show queuing interface", "")
        || is_one("show queueing interface", "")
        || is_one("show queuing statistics ", " interface ")
        || is_one("display qos queue-statistics interface ", "")
}

/// The port of `nv show interface swp1`, `swp1 counters`.
fn nv_port(command: &str) -> Option<&str> {
    let asked = command.strip_prefix("nv show interface ")?.trim_ascii_end();
    let parts = [" counters", " link stats", " link"];
    let port = parts
        .iter()
        .find_map(|part| asked.strip_suffix(part))
        .unwrap_or(asked);
    (!port.contains(' ') && port.bytes().any(|byte| byte.is_ascii_digit())).then_some(port)
}

/// The port of `show controllers optics 0/0/0/20`.
fn optics_port(command: &str) -> Option<&str> {
    let (kind, number) = controller(command)?;
    (kind.eq_ignore_ascii_case("optics") && number.contains('/')).then_some(number)
}

/// What is asked of which: light of a module, or what its signal processor says.
fn controller(command: &str) -> Option<(&str, &str)> {
    let mut words = command.split('|').next()?.split_ascii_whitespace();
    let is_asked = words
        .next()
        .is_some_and(|verb| "show".starts_with(verb) && verb.len() > 1)
        && words
            .next()
            .is_some_and(|what| what.len() > 4 && "controllers".starts_with(what));
    let port = words.next().filter(|_| is_asked)?;
    let kinds = ["optics", "coherentdsp"];
    let parts = kinds.iter().filter_map(|kind| port.split_at_checked(kind.len()));
    let mut fitting = parts.filter(|(kind, _)| kinds.iter().any(|known| known.eq_ignore_ascii_case(kind)));
    let (kind, number) = fitting.next()?;
    let number = if number.is_empty() { words.next()? } else { number };
    Some((kind, number))
}

/// Options behind `show interfaces` that print more or less of each.
const OPTIONS: &[&str] = &[
    "detail",
    "extensive",
    "brief",
    "statistics",
    "media",
    "all",
    "ethernet",
    "physical",
    "no-more",
    "interface",
    "control-plane",
    "type",
    "queueing",
    "input",
    "output",
    "|",
];

/// What the command above an output asked for.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The one interface, as it is typed.
    pub(super) interface: Option<String>,
    /// A word in its place that may be the name that somebody gave it: `outside`.
    pub(super) given: Option<String>,
    /// The direction whose policy is shown.
    pub(super) way: Option<&'static str>,
    /// Some lines of the output alone.
    pub(super) is_filtered: bool,
}

impl Asked {
    pub(super) fn of(line: &str) -> Self {
        if !is_command(line) {
            return Self::default();
        }
        Self {
            interface: asked_for(line),
            given: given_name(line),
            way: ["input", "output"].into_iter().find(|way| {
                let mut words = line
                    .split('|')
                    .next()
                    .unwrap_or_default()
                    .split_ascii_whitespace();
                words.any(|word| word == *way)
            }),
            is_filtered: line
                .split('|')
                .skip(1)
                .any(|filter| !filter.trim_ascii().starts_with("no-more")),
        }
    }

    /// The one interface of which a filter kept some lines.
    pub(super) fn filtered(&self) -> Option<&str> {
        self.interface.as_deref().filter(|_| self.is_filtered)
    }

    /// The same, where a name was given to it.
    pub(super) fn filtered_name(&self) -> Option<&str> {
        self.given.as_deref().filter(|_| self.is_filtered)
    }
}

/// The one interface that a command asks for: `show interfaces xe-0/0/0 extensive`, `sh int te1/1 | i error`, `show interface ethernet
/// 1/1`.
fn asked_for(line: &str) -> Option<String> {
    let command = command_line(line).map_or(line, |typed| typed.command);
    let command = command.split('|').next()?.trim_ascii();
    let mut words = command.split_ascii_whitespace().skip(2).peekable();
    let mut named = Vec::new();
    while let Some(word) = words.next() {
        let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
        // `ethernet 1/1`: the type may stand by itself.
        let port = words.next_if(|port| port.starts_with(|c: char| c.is_ascii_digit()));
        match port {
            Some(port) => named.push(format!("{word}{port}")),
            None if has_digit(word) => named.push(word.to_owned()),
            None => {}
        }
    }
    // A list or a range is several, and a pattern may be.
    let is_one = |name: &String| !name.contains([',', '*', '?', '[']) && !is_range(name);
    let [name] = <[String; 1]>::try_from(named).ok()?;
    Some(name).filter(is_one)
}

/// The one word behind `show interface`, where it is neither a port's own name nor an option.
fn given_name(line: &str) -> Option<String> {
    let command = command_line(line)?.command.split('|').next()?;
    let mut words = command.split_ascii_whitespace().skip(2);
    let name = words.next().filter(|_| words.next().is_none())?;
    let is_given = !name.bytes().any(|byte| byte.is_ascii_digit())
        && !OTHERS.contains(&name)
        && !OPTIONS.contains(&name)
        && !is_of_a_type(name);
    is_given.then(|| name.to_owned())
}

/// `Gi1/0/1-24`, which `xe-0/0/1` is not.
fn is_range(name: &str) -> bool {
    name.split_once('-').is_some_and(|(before, behind)| {
        before.ends_with(|c: char| c.is_ascii_digit())
            && behind.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/')
    })
}

/// Whether a name as it is typed is that of an interface: `te1/1` is TenGigabitEthernet1/1.
pub(super) fn is_short_for(typed: &str, name: &str) -> bool {
    let parts = |name: &str| {
        let begin = name.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (kind, number) = name.split_at(begin);
        (kind.to_ascii_lowercase(), number.trim_ascii().to_owned())
    };
    let ((typed, typed_number), (kind, number)) = (parts(typed), parts(name));
    !typed.is_empty() && kind.starts_with(&typed) && typed_number == number
}

/// Whether a command keeps such lines only as say of interfaces that they are up: the heads of others are gone, and what was kept of these
/// stands below the head of another.
pub(super) fn hides_heads(line: &str) -> bool {
    let mut parts = line.split('|').map(str::trim_ascii_start).skip(1);
    let Some(filter) = parts.next().and_then(|filter| filter.split_once(' ')) else {
        return false;
    };
    let is_kept = |name: &str| {
        ["include", "grep", "egrep", "match", "section", "regexp"]
            .iter()
            .any(|whole| whole.starts_with(name))
    };
    let sought = || std::iter::once(filter.1).chain(parts.clone());
    let is_up = |words: &str| words.trim_matches(['"', '\'', ' ', '(', ')']).ends_with(" up");
    let is_other = |words: &str| words.contains("down") || words.contains("admin");
    is_kept(filter.0) && sought().any(is_up) && !sought().any(is_other)
}

/// The interface that a command asks for whose output may not name it: of a FortiGate, of a Catalyst's queues, of optics.
pub(super) fn asked_nic(line: &str) -> Option<String> {
    let typed = command_line(line)?;
    if let Some(port) = optics_port(typed.command) {
        return Some(format!("Optics{port}"));
    }
    if let Some(port) = nv_port(typed.command) {
        return Some(port.to_owned());
    }
    let (before, name) = typed.command.trim_ascii_end().rsplit_once(' ')?;
    let is_detailed = before.starts_with("show interfaces counters detailed");
    let is_nic = COMMANDS.contains(&before) && [" nic", " -i"].iter().any(|end| before.ends_with(end));
    let is_queues = is_of_queues(typed.command) && before.ends_with(" stats interface");
    // The type may stand by itself.
    let of_type = before.rsplit_once(' ').filter(|(before, kind)| {
        is_of_queues(typed.command) && before.ends_with(" stats interface") && is_of_a_type(kind)
    });
    if let Some((_, kind)) = of_type {
        return Some([kind, name].concat());
    }
    let is_management = before == "show interface" && name == "mgmt";
    (is_nic || is_queues || is_detailed || is_management).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_interface_may_be_asked_for() {
        for (line, name) in [
            (
                "r1#show interfaces GigabitEthernet0/0/1",
                Some("GigabitEthernet0/0/1"),
            ),
            ("u@mx1> show interfaces xe-0/0/0 extensive", Some("xe-0/0/0")),
            ("r1#sh int te1/1 | i error|drop", Some("te1/1")),
            ("r1#show interface ethernet 1/1", Some("ethernet1/1")),
            ("show interfaces Gi0/1", Some("Gi0/1")),
            ("r1#show interfaces", None),
            ("u@mx1> show interfaces extensive | match xe-0/0/0", None),
            ("r1#show interfaces Gi0/1 Gi0/2", None),
            ("r1#show interface ethernet 1/1-4", None),
            ("u@mx1> show interfaces xe-0/0/*", None),
        ] {
            assert_eq!(asked_for(line).as_deref(), name, "{line}");
        }
        assert!(is_short_for("te1/1", "TenGigabitEthernet1/1") && is_short_for("xe-0/0/0", "xe-0/0/0"));
        assert!(!is_short_for("te1/1", "TenGigabitEthernet1/10") && !is_short_for("xe-0/0/0", "xe-0/0/0.0"));
    }
}

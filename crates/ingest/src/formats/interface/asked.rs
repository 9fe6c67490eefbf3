//! What stands above the output of `show interfaces`: the command, and what routers print before they answer.

use super::pattern::{is_interface, is_of_a_type};
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

/// Commands of others that print interfaces.
const COMMANDS: &[&str] = &[
    "get system interface",
    "get hardware nic",
    "diagnose hardware deviceinfo nic",
    "diag hardware deviceinfo nic",
    "diagnose netlink interface list",
    "esxcli network nic stats get",
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
            return COMMANDS.iter().any(|command| typed.command.starts_with(command));
        }
        let mut filters = typed.command.split('|').skip(1).map(str::trim_ascii);
        let mut is_structured = || {
            let forms = ["json", "xml", "display json", "display xml"];
            filters.any(|filter| forms.iter().any(|form| filter.starts_with(form)))
        };
        // A paragraph for each transceiver, where `transceiver detail` of another maker is a table.
        let is_paragraphs = typed.command.ends_with(" transceiver details");
        let is_of_mac = |word: &str| word.starts_with("contr") && typed.command.ends_with(" stats");
        words.next().is_some_and(|word| {
            shortens(Some(word), "interfaces", 3) || matches!(word, "port" | "policy-map") || is_of_mac(word)
        }) && !is_structured()
            && (is_paragraphs || !words.any(|word| OTHERS.contains(&word)))
    })
}

/// Whether a line is `show interfaces Gi0/1` without a prompt, as people copy it. Nothing but names and options stands behind
/// it, so it is no prose.
pub(super) fn is_bare_command(line: &str) -> bool {
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
    let line = line.trim_ascii();
    if !line.starts_with(['s', 'd']) {
        return false;
    }
    let mut words = line.split_ascii_whitespace();
    let is_show = matches!(words.next(), Some("show" | "sh" | "display"))
        && matches!(
            words.next(),
            Some("interface" | "interfaces" | "int" | "policy-map")
        );
    is_show
        && line.len() < 100
        && words.all(|word| {
            OPTIONS.contains(&word) || is_of_a_type(word) || word.bytes().any(|byte| byte.is_ascii_digit())
        })
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

/// The interface that a FortiGate is asked for: some of its drivers do not print the name.
pub(super) fn asked_nic(line: &str) -> Option<&str> {
    let typed = command_line(line)?;
    let (before, name) = typed.command.trim_ascii_end().rsplit_once(' ')?;
    let is_nic = COMMANDS.contains(&before) && before.ends_with(" nic");
    is_nic.then_some(name)
}

/// The one interface of which a command keeps some lines only: `show interfaces gi0/0/0 | include drops|rate`.
pub(super) fn only_interface(line: &str) -> Option<String> {
    let typed = command_line(line)?;
    let (asked, filter) = typed.command.split_once('|')?;
    let kept = filter.split_ascii_whitespace().next()?;
    let is_kept = ["include", "grep", "egrep", "match"]
        .iter()
        .any(|whole| whole.starts_with(kept));
    let mut words = asked.split_ascii_whitespace().skip(1);
    let is_asked = words.next().is_some_and(|word| word.starts_with("int"));
    let name = words.collect::<Vec<_>>().join(" ");
    (is_kept && is_asked && is_interface(&name)).then_some(name)
}

/// What routers print of themselves between the command and its output, if they are told to.
pub(super) fn is_preface(line: &str) -> bool {
    is_clock(line) || line.starts_with("Load for ") || line.starts_with("Time source is ")
}

/// `Mon Nov 23 10:11:12.123 UTC`
fn is_clock(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let weekday = words
        .next()
        .is_some_and(|word| ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].contains(&word));
    weekday && words.nth(2).is_some_and(|clock| clock.contains(':'))
}

pub(super) fn is_ruler(line: &str) -> bool {
    let line = line.trim_ascii();
    line.len() > 20 && line.bytes().all(|byte| matches!(byte, b'-' | b'='))
}

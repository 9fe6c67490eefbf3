//! What firewalls count by reason, of the device as a whole: ASA and FTD `show asp drop`, PAN-OS `show counter global`.
//!
//! <https://www.cisco.com/c/en/us/td/docs/security/asa/asa-cli-reference/S/asa-command-ref-S/show-a-to-show-b-commands.html>,
//! <https://knowledgebase.paloaltonetworks.com/KCSArticleDetail?id=kA10g000000ClgJCAS>

use super::gathered::{About, Gathered, Said};
use super::is_rule;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::interface::section::device;
use crate::prompt::command_line;
use crate::text::grouped;

pub(crate) static FORMAT: Format = Format {
    name: "drops by reason",
    group: Group::Interfaces,
    reads: "ASA and FTD `show asp drop`, PAN-OS `show counter global`: each counter under its own name",
    first: "FGEn",
    has_command: true,
    marks: Some(|| {
        Marks::of([
            "Frame drop:",
            "Flow drop:",
            "Global counters:",
            "Elapsed time since last sampling",
            "severity",
            "show asp drop",
            "show counter global",
        ])
    }),
    starts: |line| is_title(line) || is_heading(line) || is_command(line),
    continues: |block, line| {
        line.trim_ascii().is_empty()
            || is_rule(line)
            || is_title(line)
            || is_heading(line)
            || is_beside(line)
            || (reason(line).is_some() || row(line).is_some()) && block.lines().any(|line| !is_command(line))
    },
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|typed| {
        typed.command.starts_with("show asp drop") || typed.command.starts_with("show counter global")
    })
}

fn is_title(line: &str) -> bool {
    matches!(
        line.trim_ascii(),
        "Frame drop:" | "Flow drop:" | "Global counters:"
    ) || line.starts_with("Elapsed time since last sampling: ")
}

/// `name   value   rate severity  category  aspect    description`
fn is_heading(line: &str) -> bool {
    line.split_ascii_whitespace().eq(HEADING)
}

const HEADING: [&str; 7] = [
    "name",
    "value",
    "rate",
    "severity",
    "category",
    "aspect",
    "description",
];

fn is_beside(line: &str) -> bool {
    let line = line.trim_ascii_start();
    line.starts_with("Last clearing: ") || line.starts_with("Total counters shown: ")
}

/// Of what is said an ASA prints so many letters.
const WIDEST: usize = 99;

/// `  Flow is denied by configured rule (acl-drop)     29`: the name in brackets, and the figure.
fn reason(line: &str) -> Option<(&str, u64)> {
    let (said, figure) = line.trim_ascii().rsplit_once(' ')?;
    // A name that does not fit in is cut, with its bracket.
    let said = said.trim_ascii_end();
    let said = said.strip_suffix(')').or((said.len() > WIDEST).then_some(said))?;
    let (_, name) = said.rsplit_once('(')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_named = !name.is_empty() && name.bytes().all(is_name);
    Some((name, grouped(figure)?)).filter(|_| is_named)
}

/// `flow_policy_deny   812   65 drop   flow   session   Session setup: denied by policy`
fn row(line: &str) -> Option<(&str, u64)> {
    let mut words = line.split_ascii_whitespace();
    let (name, value) = (words.next()?, grouped(words.next()?)?);
    grouped(words.next()?)?;
    let is_severity = matches!(words.next()?, "info" | "drop" | "error" | "warn");
    (is_severity && words.nth(1).is_some()).then_some((name, value))
}

/// What the rows in hand are.
#[derive(Clone, Copy)]
enum Below {
    Nothing,
    /// Of packets, or of whole flows: some reasons have the same name.
    Reasons {
        is_of_flows: bool,
    },
    Counters,
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let (mut gathered, mut below) = (Gathered::default(), Below::Nothing);
    for (number, line) in block.numbered() {
        if is_command(line) || line.trim_ascii().is_empty() || is_rule(line) {
            continue;
        }
        if is_beside(line) {
            // It stands below each list: what follows without a title is of another.
            below = Below::Nothing;
            continue;
        }
        if is_heading(line) {
            below = Below::Counters;
        } else if is_title(line) {
            below = match line.trim_ascii() {
                "Frame drop:" => Below::Reasons { is_of_flows: false },
                "Flow drop:" => Below::Reasons { is_of_flows: true },
                _ => Below::Nothing,
            };
        } else {
            let read = match below {
                Below::Nothing => None,
                Below::Reasons { .. } => reason(line).map(|read| ("ASP", read)),
                Below::Counters => row(line).map(|read| ("global counters", read)),
            };
            let Some((of, (name, value))) = read else {
                findings.complain(number, "the row does not stand below its heading: it is not used");
                continue;
            };
            gathered.say(
                findings,
                number,
                of,
                About::Counter(match below {
                    Below::Reasons { is_of_flows: true } => format!("flows, {name}"),
                    _ => name.to_owned(),
                }),
                Said::Count(value),
            );
        }
    }
    if gathered.is_empty() {
        findings.nothing_to_say();
    }
    gathered.record(&[], &device(block, context), "drops by reason", context, findings);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows() {
        assert_eq!(
            reason("  No route to host (no-route)   1,204"),
            Some(("no-route", 1204))
        );
        assert_eq!(reason("  No route to host   1204"), None);
        let deny = "flow_policy_deny  812  65 drop  flow  session  Session setup: denied by policy";
        assert_eq!(row(deny), Some(("flow_policy_deny", 812)));
        assert_eq!(row("flow_policy_deny  65 drop  flow  session"), None);
    }
}

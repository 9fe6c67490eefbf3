//! What exporters answer to Prometheus: the text exposition format, and OpenMetrics.

use super::cells::epoch;
use super::gathered::ByTool;
use super::sample::{Sample, without_port};
use super::stumps::mended;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::command::arguments;
use crate::prompt::command_line;
use crate::{Context, when};
use evidence::{Node, Timestamp};
use std::borrow::Cow;

pub(crate) static FORMAT: Format = Format {
    name: "Prometheus text",
    group: Group::Histories,
    reads: "the answers of node_exporter, windows_exporter, snmp_exporter, junos_exporter, cisco_exporter, fortigate_exporter, mktxp, \
            blackbox_exporter, smokeping_prober and ping_exporter, OpenMetrics: \
            interfaces, TCP, UDP, IP, pings; other metrics are passed over",
    first: "#cdfijmnpstuw",
    has_command: true,
    marks: Some(|| {
        let families = FAMILIES.iter().map(|(family, _)| *family);
        Marks::of(["://", "/metrics"])
            .and(families.filter(|family| family.contains('_')))
            .or(may_begin)
    }),
    starts,
    continues: |_, line| is_marked(line) || looks_like_sample(line) || is_sample(line),
    // A line that is damaged, or that somebody wrote between: the figures behind it are of the same answer.
    takes_in: Some(|_, line| !line.trim_ascii().is_empty() && command_line(line).is_none()),
    read,
};

/// Whom a command asks: `$ curl -s http://dtn4.example:9100/metrics | grep node_network`, and of whom:
/// `…/snmp?target=192.0.2.1&module=if_mib`.
#[derive(Debug, Default)]
struct Asked {
    device: Node,
    target: Node,
}

fn asked(line: &str) -> Option<Asked> {
    if !line.contains("://") && !line.contains("/metrics") {
        return None;
    }
    let mut words = ["curl", "wget"]
        .iter()
        .find_map(|program| arguments(line, program))?;
    let address = words.find(|word| word.contains("/metrics") || word.contains("target="))?;
    let address = address.trim_matches(['"', '\'']);
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (host, path) = address.split_once('/')?;
    let host = without_port(host);
    let local = || {
        command_line(line)
            .and_then(|typed| typed.device())
            .map(Node::named)
            .unwrap_or_default()
    };
    let target = path
        .split(['?', '&'])
        .find_map(|part| part.strip_prefix("target="));
    Some(Asked {
        device: if matches!(host, "localhost" | "127.0.0.1" | "::1") {
            local()
        } else {
            Node::read(host)
        },
        target: target
            .map(|target| Node::read(without_port(target)))
            .unwrap_or_default(),
    })
}

/// What the names of metrics begin with that bear on transfers.
const FAMILIES: [(&str, &str); 18] = [
    ("cisco_interface_", "cisco_exporter"),
    ("fortigate_interface_", "fortigate_exporter"),
    ("junos_interface_", "junos_exporter"),
    ("mktxp_interface_", "mktxp"),
    ("windows_net_", "windows_exporter"),
    ("node_network_", "node_exporter"),
    ("node_netstat_", "node_exporter"),
    ("node_sockstat_", "node_exporter"),
    ("node_softnet_", "node_exporter"),
    ("node_ethtool_", "node_exporter"),
    ("node_uname_info", "node_exporter"),
    ("probe_", "blackbox_exporter"),
    ("smokeping_re", "smokeping_prober"),
    ("ping_", "ping_exporter"),
    ("if", "snmp_exporter"),
    ("dot3", "snmp_exporter"),
    ("tcp", "snmp_exporter"),
    ("udp", "snmp_exporter"),
];

/// The exporter that has metrics of this name.
pub(super) fn exporter(name: &str) -> Option<&'static str> {
    let (family, exporter) = FAMILIES.iter().find(|(family, _)| name.starts_with(family))?;
    let is_object = family.starts_with(|first: char| first.is_ascii_lowercase())
        && *exporter == "snmp_exporter"
        && !crate::formats::snmp::is_object(name);
    (!is_object).then_some(*exporter)
}

fn starts(line: &str) -> bool {
    if line.starts_with('#') {
        return comment(line).is_some();
    }
    if asked(line).is_some() {
        return true;
    }
    // An object's name in front of a blank is how a walk is printed too: there the braces decide.
    let end = line.find(['{', ' ']).unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    exporter(name).is_some_and(|of| of != "snmp_exporter" || rest.starts_with('{')) && is_sample(line)
}

/// What a mark does not tell: a comment, or a metric whose name begins like an object of an agent.
fn may_begin(line: &str) -> bool {
    line.starts_with('#')
        || ["if", "dot3", "tcp", "udp"]
            .iter()
            .any(|family| line.starts_with(family))
}

/// `# TYPE node_network_up gauge`, `# HELP …`, `# UNIT …`: the metric, and whether it is a counter by its type.
pub(super) fn comment(line: &str) -> Option<(&str, bool)> {
    let rest = line.strip_prefix("# ")?;
    let (word, rest) = rest.split_once(' ')?;
    let (name, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let fits = match word {
        "TYPE" => matches!(
            rest.trim_ascii(),
            "counter"
                | "gauge"
                | "histogram"
                | "summary"
                | "untyped"
                | "unknown"
                | "info"
                | "stateset"
                | "gaugehistogram"
        ),
        "HELP" | "UNIT" => {
            is_name(name) && name.contains(['_', ':']) || crate::formats::snmp::is_object(name)
        }
        _ => false,
    };
    (fits && is_name(name)).then_some((name, word == "TYPE" && rest.trim_ascii() == "counter"))
}

/// A comment of the format, also one that is damaged: the mark looks like a prompt of root's.
pub(super) fn is_marked(line: &str) -> bool {
    ["# HELP", "# TYPE", "# UNIT", "# EOF"]
        .iter()
        .any(|mark| line.starts_with(mark))
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':');
    !name.is_empty() && name.bytes().all(fits)
}

/// A name, labels, and a figure at the end: whether it is read is seen later.
fn looks_like_sample(line: &str) -> bool {
    let name = line
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    name > 0
        && line.as_bytes().get(name) == Some(&b'{')
        && line.ends_with(|last: char| last.is_ascii_digit())
        && line.contains("} ")
}

fn is_sample(line: &str) -> bool {
    sample(line).is_some()
}

/// A metric, its labels, its value and time: `a_total{b="c"} 1.5e+09 1520879607789`, as promtool has it also
/// `a_total{b="c"} => 5 @[1520879607.789]`.
pub(super) fn sample(line: &str) -> Option<Sample<'_>> {
    let end = line.find(['{', ' ', '\t'])?;
    let (name, rest) = line.split_at(end);
    if !is_name(name) {
        return None;
    }
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inner) => labels(inner)?,
        None => (Vec::new(), rest),
    };
    // An exemplar of OpenMetrics stands behind a hash.
    let rest = rest.split(" # ").next()?;
    let mut words = rest.split_ascii_whitespace();
    let mut first = words.next()?;
    if first == "=>" {
        first = words.next()?;
    }
    let value = number(first)?;
    let at = match words.next() {
        Some(word) => Some(time(word)?),
        None => None,
    };
    words.next().is_none().then_some(Sample {
        name: Cow::Borrowed(name),
        labels,
        value,
        at,
    })
}

/// Go writes infinity with a sign.
pub(super) fn number(word: &str) -> Option<f64> {
    let looks = word
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    match word {
        "NaN" | "Nan" => Some(f64::NAN),
        "+Inf" | "Inf" => Some(f64::INFINITY),
        "-Inf" => Some(f64::NEG_INFINITY),
        _ => word.parse().ok().filter(|_| looks),
    }
}

/// Milliseconds since the epoch; in OpenMetrics, and by promtool, seconds. In milliseconds it was 1973 at 10^11.
fn time(word: &str) -> Option<Timestamp> {
    let word = word
        .strip_prefix("@[")
        .and_then(|word| word.strip_suffix(']'))
        .unwrap_or(word);
    if let Some(at) = epoch(word) {
        return Some(at);
    }
    let time: f64 = number(word)?;
    when::epoch(if time >= 1e11 { time / 1e3 } else { time })
}

type Labels<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// Labels up to the closing brace, and what follows. In a value `\\`, `\"` and `\n` stand for themselves.
fn labels(text: &str) -> Option<(Labels<'_>, &str)> {
    let mut labels = Vec::new();
    let mut rest = text.trim_ascii_start();
    loop {
        if let Some(behind) = rest.strip_prefix('}') {
            return Some((labels, behind));
        }
        let (name, value) = rest.split_once('=')?;
        let inner = value.trim_ascii_start().strip_prefix('"')?;
        let end = end_of_quoted(inner)?;
        let (value, behind) = inner.split_at(end);
        labels.push((Cow::Borrowed(name.trim_ascii()), unescaped(value)));
        rest = behind.get(1..)?.trim_ascii_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_ascii_start();
    }
}

fn end_of_quoted(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

fn unescaped(value: &str) -> Cow<'_, str> {
    if !value.contains('\\') {
        return Cow::Borrowed(value);
    }
    let mut plain = String::with_capacity(value.len());
    let mut escaped = false;
    for letter in value.chars() {
        match (escaped, letter) {
            (false, '\\') => escaped = true,
            (true, 'n') => {
                plain.push(' ');
                escaped = false;
            }
            _ => {
                plain.push(letter);
                escaped = false;
            }
        }
    }
    Cow::Owned(plain)
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut by_tool = ByTool::default();
    let mut counters: Vec<String> = Vec::new();
    let (mut is_damaged, mut said) = (false, false);
    let asked = block.first().and_then(asked);
    let mut context = context.clone();
    if let Some(asked) = &asked {
        if block.len() == 1 {
            return;
        }
        // SNMP speaks of the target; a probe goes from the device that is asked to the target.
        let is_snmp = block.first().is_some_and(|first| first.contains("/snmp"));
        let device = if is_snmp { &asked.target } else { &asked.device };
        context.from = context.from_or(device.clone());
        context.to = context.to_or(if is_snmp {
            Node::default()
        } else {
            asked.target.clone()
        });
    }
    let context = &context;
    for (lines, line) in mended(block).into_iter().skip(usize::from(asked.is_some())) {
        let Some(line) = line else {
            is_damaged = true;
            findings.complain_of(lines, "the line may be broken within its figure: it is not used");
            continue;
        };
        let line = line.as_ref();
        if let Some((name, is_counter)) = comment(line) {
            counters.extend(is_counter.then(|| name.to_owned()));
            continue;
        }
        let Some(sample) = sample(line) else {
            if !line.starts_with('#') {
                is_damaged = true;
                if line.bytes().any(|byte| byte.is_ascii_digit()) {
                    findings.complain_of(lines, format!("not understood: {}", line.trim_ascii()));
                }
            }
            continue;
        };
        let Some(tool) = exporter(&sample.name) else {
            continue;
        };
        let is_counter = counters.last().is_some_and(|name| *name == sample.name);
        said |= by_tool.of(tool).take(findings, lines, &sample, is_counter);
    }
    by_tool.record(is_damaged, context, findings);
    if said {
        findings.nothing_to_say();
    } else {
        let lines = (block.first_line, block.last_written_line());
        findings.complain_of(
            lines,
            "no metric in it is an interface's, a protocol's or a ping's",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples() {
        let of = |line| sample(line).map(|sample| (sample.value, sample.at.map(|at| at.0 / 1_000_000)));
        assert_eq!(of("a_total{b=\"c\",d=\"\"} 1.5e+09"), Some((1.5e9, None)));
        assert_eq!(
            of("a_total 5 1520879607789"),
            Some((5.0, Some(1_520_879_607_789)))
        );
        assert_eq!(
            of("a_total 5 1520879607.789"),
            Some((5.0, Some(1_520_879_607_789)))
        );
        assert_eq!(
            of("a_total{b=\"c\"} => 5 @[1520879607.789]"),
            Some((5.0, Some(1_520_879_607_789)))
        );
        assert_eq!(of("a_total{b=\"c\"} 5 # {trace=\"x\"} 1"), Some((5.0, None)));
        for bad in [
            "zorkmids 4711 of 17",
            "a{b=\"c\" 5",
            "a{b=\"c} 5",
            "a",
            "a 1x",
            "a b",
        ] {
            assert_eq!(of(bad), None, "{bad}");
        }
        let escaped = sample(r#"a{b="C:\\DIR \"x\", } y"} 1"#).unwrap();
        assert_eq!(escaped.label(&["b"]), Some(r#"C:\DIR "x", } y"#));
    }
}

//! What hosts say of their clocks, their RDMA ports and what their kernel dropped: lines that stand for themselves, told as tables of
//! patterns. No other record has a place for these, so they are kept in the tool's words, each under a name that says what it is of.

use super::command::{arguments, facts};
use super::given::Given;
use super::said_tables::TOOLS;
use crate::Context;
use crate::arrival::is_facility;
use crate::block::Block;
use crate::command::{Run, prompted};
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::flows::{Captures, first_of, fit};
use crate::prompt::command_line;
use crate::sieve::{Glance, Sieve, longest_word};
use crate::text::holds;
use evidence::{HostFacts, Payload};
use std::collections::BTreeMap;
use std::sync::LazyLock;

pub(crate) static FORMAT: Format = Format {
    name: "clocks, RDMA ports, tracers",
    group: Group::Hosts,
    reads: "in the tool's words: `chronyc tracking` and `sources`, `ntpq -p` and `-c rv`, `ntpstat`, `timedatectl`, `ibstat`, `ibstatus`, `ibv_devinfo`, \
            `perfquery`, `mlxlink`, `rdma link` and `statistic`, counters below /sys/class/infiniband, `dropwatch`, `perf stat`, bcc's `tcpretrans`, maps of \
            bpftrace, `ntpdate -q`, `sntp`, `clockdiff`, `pmc`, `iblinkinfo`, nccl-tests, `lshw` of network cards, `mii-tool`, `wg`, \
            `tailscale netcheck` and `status`, `nfsiostat`, `mountstats`, calls of `nfsstat`, counters of Suricata, `top`, `cilium connectivity perf`, light of the units of a PON (Huawei, ZTE); of the kernel's log servers of NFS that did not respond, transmit queues that hung, errors of PCIe, floods of SYN, full tables",
    first: "A-Za-z0-9#[/@.*%📋",
    has_command: true,
    marks: Some(|| {
        // A short name is in many words.
        let told = |(program, word): &(&'static str, &'static str)| match program.len() {
            0..SHORT => *word,
            _ => *program,
        };
        let programs = TOOLS.iter().flat_map(|tool| tool.asked).map(told);
        Marks::of(programs.chain(OPENINGS.iter().map(|opening| opening.mark)))
    }),
    starts: |line| opened(line).is_some(),
    continues: |block, line| {
        let Some(tool) = of(block) else { return false };
        if line.trim_ascii().is_empty() {
            return block.last().is_some_and(|last| !last.trim_ascii().is_empty());
        }
        // What tools put before their headings may look like a prompt (`# Port counters: …`), and one has a prompt of its own.
        let is_own = || command_line(line).is_none_or(|typed| typed.device() == Some(tool.said.name));
        let is_row = |(row, _): (&Row, _)| row.opens || row.pattern.starts_with('#') || is_own();
        asked(line).is_none() && tool.row(line).is_some_and(is_row)
    },
    takes_in: None,
    read,
};

/// A tool, or several that say the same.
pub(super) struct Said {
    /// What records call it.
    pub(super) name: &'static str,
    /// Programs, and the word that each has to be told, or the folder that it reads; none where it prints this in any case.
    pub(super) asked: &'static [(&'static str, &'static str)],
    /// A line each; the first that fits counts.
    pub(super) rows: &'static str,
}

/// A line. Its field `v` is what is said, `scope` and `within` say of what the lines below are, `host` who logged it; the others fill the name.
struct Row {
    pattern: &'static str,
    /// What is said; nothing where the line is known and of no use.
    name: &'static str,
    /// Whether lines of one name add up; those without a figure count 1 each.
    is_sum: bool,
    opens: bool,
    /// It stands only below the headings right above it in the table.
    is_below: bool,
    /// The how manieth headings of the table it stands below.
    part: usize,
}

impl Row {
    fn of(line: &'static str) -> Option<Self> {
        let (sign, row) = line.split_once(' ')?;
        let (pattern, name) = row.split_once(" => ").unwrap_or((row, ""));
        Some(Self {
            pattern,
            name,
            is_sum: matches!(sign, "+" | "*"),
            opens: matches!(sign, ">" | "*"),
            is_below: sign == "|",
            part: 0,
        })
    }
}

impl Said {
    fn rows(&self) -> impl Iterator<Item = Row> + use<> {
        let (mut part, mut was_heading) = (0, false);
        self.rows.lines().filter_map(Row::of).map(move |row| {
            let is_heading = ["{scope:", "{within:"]
                .iter()
                .any(|field| row.pattern.contains(field));
            part += usize::from(is_heading && !was_heading);
            was_heading = is_heading;
            Row { part, ..row }
        })
    }

    /// Whether what its lines are of is told above them, or by the command: where that is lost, nobody knows.
    fn is_scoped(&self) -> bool {
        self.rows.contains("{scope:") || self.asked.iter().any(|(_, word)| *word == "-d")
    }
}

/// A tool that is ready to read lines.
struct Prepared {
    said: &'static Said,
    rows: Vec<Row>,
    sieve: Sieve,
}

static PREPARED: LazyLock<Vec<Prepared>> = LazyLock::new(|| {
    let prepared = TOOLS.iter().map(|said| {
        let rows: Vec<Row> = said.rows().collect();
        let sieve = Sieve::new(rows.iter().map(|row| row.pattern), first_of);
        Prepared { said, rows, sieve }
    });
    prepared.collect()
});

impl Prepared {
    fn row<'l>(&self, line: &'l str) -> Option<(&Row, Captures<'static, 'l>)> {
        let glance = Glance::at(line);
        let mut likely = self
            .sieve
            .places(&glance)
            .filter_map(|place| self.rows.get(place));
        likely.find_map(|row| Some((row, fit(row.pattern, line)?)))
    }
}

/// A pattern that opens a block, what every line of it holds, and the place of its tool.
struct Opening {
    pattern: &'static str,
    mark: &'static str,
    tool: usize,
}

static OPENINGS: LazyLock<Vec<Opening>> = LazyLock::new(|| {
    let of_tool = |(tool, said): (usize, &Said)| {
        let opening = said.rows().filter(|row| row.opens);
        opening.map(move |row| Opening {
            pattern: row.pattern,
            mark: mark(row.pattern),
            tool,
        })
    };
    TOOLS.iter().enumerate().flat_map(of_tool).collect()
});

/// What every line of a pattern that opens a block holds: its longest word. Where that is in every other line it is all that it begins with, and
/// the longest of what stands between its fields where it begins with anything.
fn mark(pattern: &'static str) -> &'static str {
    let mut parts = pattern
        .split('{')
        .map(|part| part.rsplit('}').next().unwrap_or(part));
    let word = longest_word(pattern);
    match pattern.starts_with('{') {
        true => parts.rev().max_by_key(|part| part.len()).unwrap_or(word),
        false if word.len() > SHORT => word,
        false => parts.next().unwrap_or(word),
    }
}

/// A word no longer than this is in every other line.
const SHORT: usize = 3;

/// The place of the tool that a command runs.
fn asked(line: &str) -> Option<usize> {
    let text = line.trim_ascii();
    // Asked of many lines: without a prompt it begins with the name of the program.
    let begins = |(program, _): &(&str, &str)| text.starts_with(program) || text.starts_with("sudo ");
    let is_prompted = prompted(line).is_some();
    let may_be = |said: &Said| is_prompted || said.asked.iter().any(begins);
    let is_asked = |(program, word): &(&'static str, &'static str)| {
        let Some(run) = Run::of(line, &[*program]) else {
            return false;
        };
        // Prose may begin like this.
        let is_typed = run.is_typed() || text.split_ascii_whitespace().count() < 3;
        let is_told = |typed: &str| typed == *word || word.ends_with('/') && typed.starts_with(word);
        is_typed && (word.is_empty() || run.words().any(is_told))
    };
    TOOLS
        .iter()
        .position(|said| may_be(said) && said.asked.iter().any(is_asked))
}

/// The place of the tool that a line opens a block of.
fn opened(line: &str) -> Option<usize> {
    // Asked of many lines: most begin otherwise.
    let first = line.trim_ascii_start().as_bytes().first();
    let may_begin = |pattern: &str| pattern.starts_with('{') || pattern.as_bytes().first() == first;
    let opens = |opening: &&Opening| {
        may_begin(opening.pattern) && holds(line, opening.mark) && fit(opening.pattern, line).is_some()
    };
    let printed = OPENINGS.iter().find(opens).map(|opening| opening.tool);
    printed.or_else(|| asked(line))
}

fn of(block: &Block) -> Option<&'static Prepared> {
    let place = block.memo.get().or_else(|| opened(block.first()?))?;
    block.memo.set(Some(place));
    PREPARED.get(place)
}

/// The device that a command names, and the output does not: `mlxlink -d mlx5_0`, `ibstat mlx5_0 1`.
fn named(line: &str) -> Option<&str> {
    if let Some(mut words) = arguments(line, "mlxlink") {
        return words.find(|word| *word == "-d").and(words.next());
    }
    let mut words = arguments(line, "ibstat")?.take_while(|word| *word != "|");
    words.find(|word| !word.starts_with('-'))
}

/// A name with its fields filled.
fn filled(name: &str, captures: &Captures<'_, '_>) -> String {
    let mut filled = name.to_owned();
    for (key, text) in captures.iter() {
        let field = key.split(':').next().unwrap_or(key);
        filled = filled.replace(&format!("{{{field}}}"), text);
    }
    filled
}

/// What was said so far, of one host.
struct Reader<'b> {
    tool: &'static Said,
    facts: HostFacts,
    given: Given<String>,
    sums: BTreeMap<String, u64>,
    /// What the lines are of, as a line above them says or the command.
    scope: &'b str,
    within: &'b str,
    /// Where in the table what said so stands.
    part: usize,
    /// The heading that it began with.
    opening: &'static str,
    lines: (u64, u64),
}

impl<'b> Reader<'b> {
    /// Whether a tool begins to say the same once more: it is asked again and again.
    fn is_again(&self, row: &Row, captures: &Captures<'_, 'b>) -> bool {
        let scope = captures.iter().find(|(key, _)| key.starts_with("scope:"));
        let is_given = |begin: &str| self.given.names().any(|name| name.starts_with(begin));
        match scope {
            Some((_, scope)) => is_given(&format!("{scope} ")) || is_given(&format!("{scope}/")),
            None if row.name.is_empty() => !self.given.is_empty() && row.pattern == self.opening,
            None => false,
        }
    }

    fn take(&mut self, number: u64, row: &Row, captures: &Captures<'_, 'b>, findings: &mut Findings) -> bool {
        let field = |name: &str| {
            let mut all = captures.iter();
            all.find(|(key, _)| key.split(':').next() == Some(name))
                .map(|(_, text)| text)
        };
        if let Some(scope) = field("scope") {
            (self.scope, self.within, self.part) = (scope, "", row.part);
        }
        if let Some(within) = field("within") {
            (self.within, self.part) = (within, row.part);
        }
        self.lines.1 = number;
        if row.name.is_empty() {
            return true;
        }
        if self.scope.is_empty() && self.tool.is_scoped() || row.is_below && row.part != self.part {
            return false;
        }
        let pairs: Vec<&str> = field("pairs").unwrap_or("").split_ascii_whitespace().collect();
        for pair in pairs.chunks_exact(2) {
            let name = self.named(pair[0].to_owned());
            self.given.put(findings, number, name, pair[1].to_owned());
        }
        let several = captures.iter().filter(|(key, _)| {
            let figure = key.split(':').next().and_then(|key| key.strip_prefix('v'));
            figure.is_some_and(|figure| !figure.is_empty())
        });
        if let Some((shared, names)) = row
            .name
            .split_once(": ")
            .filter(|(_, names)| names.contains(" & "))
        {
            let shared = self.named(filled(shared, captures));
            for (name, (_, value)) in names.split(" & ").zip(several) {
                self.given
                    .put(findings, number, format!("{shared}: {name}"), value.to_owned());
            }
            return true;
        }
        let value = field("v").map(|value| value.trim_start_matches('.').trim_ascii());
        let name = self.named(filled(row.name, captures));
        if !row.is_sum {
            self.given
                .put(findings, number, name, value.unwrap_or("yes").to_owned());
            return true;
        }
        let Ok(figure) = value.unwrap_or("1").parse::<u64>() else {
            return false;
        };
        let sum = self.sums.entry(name).or_default();
        *sum = sum.saturating_add(figure);
        true
    }

    /// The name with what it is of before it.
    fn named(&self, name: String) -> String {
        match (self.scope, self.within) {
            ("", _) => name,
            (scope, "") => format!("{scope} {name}"),
            (scope, within) => format!("{scope}/{within} {name}"),
        }
    }

    /// Records what was said of this host.
    fn tell(&mut self, context: &Context, findings: &mut Findings) {
        let sums = std::mem::take(&mut self.sums).into_iter();
        let mut facts = self.facts.clone();
        facts.other = std::mem::take(&mut self.given).into_values();
        facts
            .other
            .extend(sums.map(|(name, sum)| (name, sum.to_string())));
        if !facts.other.is_empty() {
            findings.record_of(self.lines, self.tool.name, context.at, Payload::HostFacts(facts));
        }
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let Some(tool) = of(block) else { return };
    let mut reader = Reader {
        tool: tool.said,
        facts: facts(block),
        given: Given::default(),
        sums: BTreeMap::new(),
        scope: block.first().and_then(named).unwrap_or_default(),
        within: "",
        part: 0,
        opening: "",
        lines: (block.first_line, block.first_line),
    };
    let (mut logger, mut is_known) = (None, false);
    for (number, line) in block.numbered() {
        if line.trim_ascii().is_empty() || number == block.first_line && asked(line).is_some() {
            continue;
        }
        let Some((row, captures)) = tool.row(line) else {
            findings.unread(number, line);
            continue;
        };
        // A log may be of several hosts.
        let host = captures
            .iter()
            .find(|(key, _)| key.starts_with("host:"))
            .map(|(_, host)| host)
            .filter(|host| !is_facility(host));
        if host.is_some() && host != logger.replace(host.unwrap_or_default()) {
            reader.tell(context, findings);
            reader.facts.hostname = host.map(str::to_owned);
            reader.lines.0 = number;
        }
        if row.opens && !row.is_sum && reader.is_again(row, &captures) {
            reader.tell(context, findings);
            reader.lines.0 = number;
        }
        if row.opens && row.name.is_empty() && reader.opening.is_empty() {
            reader.opening = row.pattern;
        }
        is_known = true;
        if !reader.take(number, row, &captures, findings) {
            findings.unread(number, line);
        }
    }
    reader.tell(context, findings);
    if is_known && findings.is_empty() {
        findings.nothing_to_say();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_no_output() {
        for line in [
            "we looked at rdma link errors",
            "State: Active",
            "time correct to within a day",
            "12 drops at noon",
        ] {
            assert!(opened(line).is_none(), "{line}");
        }
    }
}

//! What the lines of a tool said of one transfer, until it is told.

mod gathered;
mod parts;
mod probes;

use super::amounts::{bytes_of, count_of, duration_ns as duration_ns_of, number_of, rate_of};
use super::pattern::Captures;
use super::tool::{Kind, Row, Tool};
use super::typed::{Ends, Way, remote_of, url_host};
use crate::findings::Findings;
use crate::host::host;
use crate::units::{Kilo, ns_of_seconds};
use crate::{Context, when};
use evidence::{Node, RateBps, Timestamp, Transfer};
use gathered::Gathered;
use parts::{Part, Since};
use probes::OF_PROBES;
use std::collections::BTreeMap;

/// A value of one line, and how it got there.
#[derive(Debug, Clone, Default)]
struct Said {
    text: String,
    is_progress: bool,
    /// Another line said something else.
    is_doubtful: bool,
    /// It was said of the transfer before, and may hold on.
    is_old: bool,
}

/// The fields seen so far, by their names in the patterns: `B` bytes, `size` and `size10` with a unit, `up` and `down` sizes each way,
/// `rate`, `uprate`, `downrate`, `left` and `arrived` rates at the sender and the
/// receiver, `dur` and `s` the length, `rtt`, `host`, `local`, `url`, `from`, `to` whom, `source` and `destination` by names of their own, `at` when, `streams`, `minutes` the length, `amount` a rate
/// in the `unit` of its heading, `message` the octets of each message, `both` that it is a sum of both ways, `single` that it is none, `shown` and `shownrate` what a finished bar shows, where nothing more exact follows. Names that begin
/// with `_`, and `*`, `n`, `f`, `w`, `pct`, `clock` are of no use.
pub(super) struct Moved<'e> {
    tool: &'static Tool,
    ends: &'e Ends,
    said: BTreeMap<&'static str, Said>,
    way: Option<Way>,
    lines: Option<(u64, u64)>,
    /// Something was understood, if it moved nothing.
    pub(super) seen: bool,
    measured: bool,
    /// Round trips were told of what is being told.
    pub(super) has_probed: bool,
    /// Nothing but a heading would tell that rates are no sums of both ways.
    pub(super) may_be_of_both: bool,
    parts: Vec<Part>,
    /// The lines of files that are too small to tell how fast they were.
    small: Option<(u64, u64)>,
    /// What stood behind the last part.
    since_part: Since,
    /// What several lines said of the tool's probes.
    gathered: Gathered,
    /// Each size of message has its own row.
    has_sizes: bool,
}

/// What the last digit of a length stands for: 0.1 s of `0.2s`, 1 s of `00:01`.
fn resolution_ns(text: &str) -> u64 {
    let decimals = text
        .split_once(['.', ','])
        .map_or(0, |(_, rest)| rest.bytes().take_while(u8::is_ascii_digit).count());
    let seconds = 1_000_000_000_u64 / 10_u64.pow(decimals.min(9) as u32);
    match text.trim_end_matches(['.', ' ']).chars().last() {
        Some('m') => seconds.saturating_mul(60),
        Some('h') => seconds.saturating_mul(3_600),
        _ => seconds,
    }
}

/// A count that ran over, or a clock that was set back.
fn is_negative(text: &str) -> bool {
    let figure = text.strip_prefix('-').unwrap_or_default();
    figure.starts_with(|c: char| c.is_ascii_digit()) && number_of(figure).is_none_or(|figure| figure > 0.0)
}

fn name_of(key: &'static str) -> &'static str {
    key.split_once(':').map_or(key, |(name, _)| name)
}

fn is_kept(name: &str) -> bool {
    !(name.starts_with('_')
        || OF_PROBES.contains(&name)
        || matches!(name, "*" | "n" | "f" | "w" | "pct" | "clock" | "span"))
}

const MESSAGE: &str = "message";

/// Messages of so many octets are what tools send that are not asked for a size.
const LARGE: u64 = 65_536;

/// Tables of all sizes begin with fewer: such a row alone is the first of one, and no size that somebody asked for.
const SMALL: u64 = 8;

/// What lines that only prepare the one with the rate tell of it.
const OF_A_WHOLE: [&str; 6] = ["B", "size", "up", "down", "dur", "s"];

const NOT_ENDED: &str = "it had not ended, and how fast it was is not told";

/// What is told of such: nothing was moved, or in less time than the tool counts.
/// Taken for a transfer, a slow disk would be a slow path.
const STAYS: &str =
    "no transfer between hosts is recorded: the data stayed on one, or nothing tells where they went";
const NO_RATE: &str = "a rate of 0 tells nothing of how fast it was";

impl<'e> Moved<'e> {
    pub(super) fn new(tool: &'static Tool, ends: &'e Ends) -> Self {
        Self {
            tool,
            ends,
            said: BTreeMap::new(),
            way: None,
            lines: None,
            seen: false,
            measured: false,
            has_probed: false,
            may_be_of_both: false,
            parts: Vec::new(),
            small: None,
            since_part: Since::Nothing,
            gathered: Gathered::default(),
            has_sizes: false,
        }
    }

    /// What stood before is of another transfer. The hosts of a session stay, and the unit that a heading tells.
    pub(super) fn clear(&mut self) {
        self.said
            .retain(|name, _| matches!(*name, "host" | "local" | "unit" | "both" | "single"));
        self.said.values_mut().for_each(|said| said.is_old = true);
        (self.way, self.lines, self.measured, self.has_probed) = (None, None, false, false);
        self.has_sizes = false;
    }

    /// Whether a line told which way the data go.
    pub(super) fn has_way(&self) -> bool {
        self.way.is_some()
    }

    /// What comes is of another test.
    pub(super) fn forget(&mut self) {
        self.clear();
        self.said.clear();
    }

    /// What a line says of one of both ways.
    pub(super) fn take_one_way(
        &mut self,
        number: u64,
        row: &'static Row,
        captures: &Captures<'static, '_>,
        way: Way,
    ) {
        self.take(number, row, captures);
        self.way = Some(way);
    }

    pub(super) fn take(&mut self, number: u64, row: &'static Row, captures: &Captures<'static, '_>) {
        self.take_as(number, row, captures, row.kind == Kind::Progress);
    }

    /// What a line says that tells no more than how far it has come.
    pub(super) fn take_progress(&mut self, number: u64, row: &'static Row, captures: &Captures<'static, '_>) {
        self.take_as(number, row, captures, true);
    }

    fn take_as(
        &mut self,
        number: u64,
        row: &'static Row,
        captures: &Captures<'static, '_>,
        is_progress: bool,
    ) {
        self.way = row.way.or(self.way);
        let first = self.lines.map_or(number, |(first, _)| first);
        self.lines = Some((first, number));
        let is_shown = captures.iter().any(|(key, _)| name_of(key) == "shown");
        let is_measure = is_shown || !matches!(row.kind, Kind::Begins | Kind::Sets | Kind::Probed(_));
        self.measured |= is_measure;
        self.seen |= is_measure || !self.tool.measures;
        if is_progress {
            self.since_part = self.since_part.max(Since::Progress);
        }
        // How far it had come is of no use any more once the tool sums up.
        if !is_progress && captures.iter().any(|(key, _)| is_kept(name_of(key))) {
            self.said.retain(|_, said| !said.is_progress);
        }
        // How far it is may take several lines: where the first of them comes again, the others are of the time before.
        let is_again =
            |(key, _): (&'static str, &str)| self.said.get(name_of(key)).is_some_and(|said| said.is_progress);
        if is_progress && captures.iter().any(is_again) {
            self.said
                .retain(|name, said| !said.is_progress || *name == MESSAGE);
        }
        for (key, text) in captures.iter() {
            let name = name_of(key);
            if !is_kept(name) {
                continue;
            }
            self.has_sizes |= name == MESSAGE && self.text(MESSAGE).is_some_and(|told| told != text);
            let said = self.said.entry(name).or_default();
            // What a tool says in the end stands, not how far it had come.
            let replaces = said.text.is_empty() || said.is_old || is_progress || row.kind == Kind::Begins;
            if replaces {
                *said = Said {
                    text: text.to_owned(),
                    is_progress,
                    ..Said::default()
                };
            } else if said.text != text {
                said.is_doubtful = true;
            }
        }
    }

    /// Gives the transfer, if one was measured, and begins anew. The host of a session stays.
    pub(super) fn tell(&mut self, context: &Context, findings: &mut Findings) {
        let is_of_both = self.said.contains_key("both") || self.ends.is_sum;
        if let Some(lines) = self.lines.filter(|_| self.measured && is_of_both) {
            findings.complain_of(
                lines,
                "a sum of both ways: how much of it went which way is not told",
            );
        } else if let Some(lines) = self.lines.filter(|_| self.measured && self.may_be_sum()) {
            findings.complain_of(
                lines,
                "without its heading or command this may be a sum of both ways, and is not used",
            );
        } else if let Some(lines) = self.lines.filter(|_| self.measured && self.has_small_only()) {
            findings.complain_of(
                lines,
                "the rows of large messages are missing: rates of small ones tell what the processors do, and are not used",
            );
        } else if let Some(lines) = self.lines.filter(|_| self.measured && !self.ends.stays) {
            for (name, said) in &self.said {
                if said.is_doubtful {
                    findings.complain_of(
                        lines,
                        format!("said twice, and not the same: {name} is {}", said.text),
                    );
                }
            }
            for (name, said) in &self.said {
                if is_negative(&said.text) {
                    findings.complain_of(
                        lines,
                        format!("not used, as it cannot be: {name} is {}", said.text),
                    );
                }
            }
            self.said
                .retain(|_, said| !said.is_doubtful && !is_negative(&said.text));
            if let Some(text) = self.text("rate").filter(|_| self.rate("rate").is_none()) {
                findings.complain_of(lines, format!("a rate without a unit that is known: {text}"));
            }
            if let Some(transfer) = self.transfer(context) {
                findings.record_of(lines, self.tool.name, self.at(context), transfer.into());
            } else if let Some(bytes) = self.talk() {
                findings.complain_of(
                    lines,
                    format!("{bytes} bytes are the tool's own talk: their rate is not used"),
                );
            } else if !self.said.is_empty() && self.said.keys().all(|name| matches!(*name, "from" | "to")) {
                findings.complain_of(
                    lines,
                    "says that something was moved, but neither how much nor how fast",
                );
            } else if self.is_of_no_rate() {
                findings.complain_of(lines, NO_RATE);
            } else if self
                .said
                .iter()
                .any(|(name, said)| (said.is_progress || *name == "dur") && *name != MESSAGE)
            {
                findings.complain_of(lines, NOT_ENDED);
            }
        }
        if let Some(lines) = self.lines.filter(|_| self.measured && self.ends.stays) {
            findings.complain_of(lines, STAYS);
        }
        let is_begun = |(name, said): (&&str, &Said)| OF_A_WHOLE.contains(name) && !said.is_old;
        let is_unmeasured = !self.measured && !self.ends.stays;
        if let Some(lines) = self
            .lines
            .filter(|_| is_unmeasured && self.said.iter().any(is_begun))
        {
            findings.complain_of(lines, NOT_ENDED);
        }
        self.clear();
    }

    /// Whether what it says in the end is that it was as fast as nothing.
    fn is_of_no_rate(&self) -> bool {
        let is_of_end = |name| self.said.get(name).is_some_and(|said| !said.is_progress);
        is_of_end("rate") && self.rate("rate").is_some_and(|rate| rate.0 <= 0.0)
            || is_of_end("byterate") && self.text("byterate").and_then(number_of) == Some(0.0)
    }

    /// The bytes that both ways took, where these are too few for a rate.
    fn talk(&self) -> Option<u64> {
        let all = ["up", "up10", "down", "down10"];
        let bytes = all.iter().filter_map(|name| self.bytes(name)).max()?;
        (1..self.tool.least_bytes).contains(&bytes).then_some(bytes)
    }

    /// Adds what a line says to the transfer that was told this way, if there is one.
    pub(super) fn add(
        &mut self,
        row: &Row,
        captures: &Captures<'static, '_>,
        findings: &mut Findings,
    ) -> bool {
        self.seen = true;
        let size = captures.iter().find(|(key, _)| name_of(key) == "size");
        let bytes = size.and_then(|(_, text)| bytes_of(text, self.kilo_of("size")));
        let is_sent = row.way == Some(Way::Sent);
        let told = findings
            .transfers()
            .find(|told| told.bytes_received.is_none() && told.sent_bps.is_some() == is_sent);
        let Some((told, bytes)) = told.zip(bytes) else {
            return false;
        };
        told.bytes_received = Some(bytes);
        true
    }

    /// Whether a table of sizes ends before those of which rates are told elsewhere.
    fn has_small_only(&self) -> bool {
        let message = self.text(MESSAGE).and_then(count_of);
        message.is_some_and(|octets| octets < if self.has_sizes { LARGE } else { SMALL })
    }

    fn may_be_sum(&self) -> bool {
        self.may_be_of_both && !self.said.contains_key("single")
    }

    fn at(&self, context: &Context) -> Option<Timestamp> {
        let told = self
            .text("at")
            .and_then(|at| when::iso8601(at, context.utc_offset_s));
        told.or(context.at)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.said.get(name).map(|said| said.text.as_str())
    }

    fn bytes(&self, name: &str) -> Option<u64> {
        bytes_of(self.text(name)?, self.kilo_of(name))
    }

    fn rate(&self, name: &str) -> Option<RateBps> {
        let text = self.text(name)?;
        // A number that lost its unit is of bits as well as of bytes.
        let may_be_bare = matches!(name, "byterate" | "rate10" | "shownrate");
        let is_whole = may_be_bare || text.contains('/') || text.contains("ps");
        rate_of(text, self.kilo_of(name)).filter(|_| is_whole)
    }

    /// Fields whose names end with `10` are in powers of 1000 whatever the tool counts in elsewhere.
    fn kilo_of(&self, name: &str) -> Kilo {
        if name.ends_with("10") {
            Kilo::Thousand
        } else {
            self.tool.kilo
        }
    }

    fn transfer(&self, context: &Context) -> Option<Transfer> {
        // Where both ways are counted the data go where more of them go.
        let up = self.bytes("up").or_else(|| self.bytes("up10"));
        let down = self.bytes("down").or_else(|| self.bytes("down10"));
        let counted = match up.unwrap_or(0).cmp(&down.unwrap_or(0)) {
            std::cmp::Ordering::Greater => Some(Way::Sent),
            std::cmp::Ordering::Less => Some(Way::Fetched),
            std::cmp::Ordering::Equal => None,
        };
        let is_counted = up.or(down).is_some();
        let way = self.way.or(if is_counted { counted } else { self.ends.way });
        // Of what was begun before, the length of the whole is not what was moved.
        let remaining = self.text("remaining").and_then(count_of);
        let is_resumed = remaining.is_some() || self.text("resumed").is_some();
        let exact = remaining.or_else(|| self.text("B").filter(|_| !is_resumed).and_then(count_of));
        let of_way = if way == Some(Way::Sent) { up } else { down };
        let sized = || {
            ["size", "size10", "shown"]
                .into_iter()
                .find_map(|name| self.bytes(name))
        };
        let bytes = exact
            .or(of_way)
            .or_else(sized)
            .filter(|_| !is_resumed || remaining.is_some());
        let duration_ns = self
            .text("dur")
            .or_else(|| self.text("s"))
            .and_then(duration_ns_of)
            .or_else(|| ns_of_seconds(60.0 * number_of(self.text("minutes")?)?));
        let rate_name = if way == Some(Way::Sent) {
            "uprate"
        } else {
            "downrate"
        };
        let computed = || RateBps::of_bytes(bytes?, duration_ns?);
        let length = self.text("dur").or_else(|| self.text("s")).map(resolution_ns);
        let headed = || {
            let told = format!("{} {}", self.text("amount")?, self.text("unit")?);
            rate_of(&told, self.tool.kilo)
        };
        let said = ["rate", "rate10", "byterate", "shownrate"]
            .into_iter()
            .find_map(|name| self.rate(name))
            .or_else(headed);
        let (left, arrived) = (self.rate("left"), self.rate("arrived"));
        let rate = self
            .rate(rate_name)
            .or(said)
            .or(arrived)
            .or(left)
            .or_else(computed)
            // How fast it was lately, where nothing tells of the whole.
            .or(self.rate("nowrate"));
        // A length of `0.2s` or `00:01` may be half as long again: bytes and rate say more.
        let is_coarse = || {
            let (bytes, rate) = (bytes?, rate?.0);
            let (ns, unit) = (duration_ns?, length?);
            let counted = |ns: u64| RateBps::of_bytes(bytes, ns.max(1)).map_or(0.0, |rate| rate.0);
            let is_near = (counted(ns) - rate).abs() <= 0.05 * rate;
            let fits = counted(ns.saturating_add(unit)) <= rate * 1.02
                && rate <= counted(ns.saturating_sub(unit)) * 1.02;
            Some(!is_near && fits)
        };
        let duration_ns = duration_ns.filter(|_| is_coarse() != Some(true));
        // Nothing moved: then there is no rate either.
        if bytes.is_some_and(|bytes| bytes < self.tool.least_bytes.max(1))
            || rate.is_none_or(|rate| rate.0 <= 0.0)
        {
            return None;
        }
        let (from, to) = self.nodes(way);
        Some(Transfer {
            from: context.from_or(from),
            to: context.to_or(to),
            application: self.tool.is_application.then(|| self.tool.name.to_owned()),
            streams: self.text("streams").and_then(|n| n.parse().ok()),
            duration_ns,
            rtt_ns: self.text("rtt").and_then(duration_ns_of),
            sent_bps: left.or(rate.filter(|_| way == Some(Way::Sent) && arrived.is_none())),
            received_bps: arrived.or(rate.filter(|_| way != Some(Way::Sent) && left.is_none())),
            bytes_received: bytes,
            ..Transfer::default()
        })
    }

    fn nodes(&self, way: Option<Way>) -> (Node, Node) {
        if let Some((from, to)) = &self.ends.pair {
            return (from.clone(), to.clone());
        }
        // What has a name of its own, which says nothing of hosts, is known by that.
        let labelled = |name: &str| self.text(name).map(Node::named);
        if self.text("source").or(self.text("destination")).is_some() {
            let ends = (labelled("source"), labelled("destination"));
            return (ends.0.unwrap_or_default(), ends.1.unwrap_or_default());
        }
        let place = |name: &str| {
            let text = self.text(name)?;
            url_host(text).or_else(|| remote_of(text))
        };
        if let Some((from, to)) = place("from").zip(place("to")) {
            return (from, to);
        }
        let named = self.text("host").map(host);
        let remote = named
            .or_else(|| self.text("url").and_then(url_host))
            .or_else(|| place("from").or_else(|| place("to")));
        let ends = Ends {
            local: self.text("local").map_or_else(|| self.ends.local.clone(), host),
            remote: remote.unwrap_or_else(|| self.ends.remote.clone()),
            way,
            ..self.ends.clone()
        };
        ends.in_order()
    }
}

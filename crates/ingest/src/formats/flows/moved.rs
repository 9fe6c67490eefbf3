//! What the lines of a tool said of one transfer, until it is told.

use super::amounts::{bytes_of, count_of, duration_ns as duration_ns_of, number_of, rate_of};
use super::pattern::Captures;
use super::tool::{Kind, Row, Tool};
use super::typed::{Ends, Way, remote_of, url_host};
use crate::block::Findings;
use crate::host::host;
use crate::units::{Kilo, ns_of_seconds};
use crate::{Context, when};
use evidence::{DelayStatistics, EchoContext, Node, Payload, ProbeRow, Probes, RateBps, Timestamp, Transfer};
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
/// receiver, `dur` and `s` the length, `rtt`, `host`, `local`, `url`, `from`, `to` whom, `at` when, `streams`, `minutes` the length, `amount` a rate
/// in the `unit` of its heading. Names that begin
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
    parts: Vec<Part>,
    /// What stood behind the last part.
    since_part: Since,
}

/// One of several files that one run moved.
#[derive(Debug)]
struct Part {
    lines: (u64, u64),
    at: Option<Timestamp>,
    transfer: Transfer,
}

/// What stood behind a part, the most telling of it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Since {
    #[default]
    Nothing,
    /// How far one is.
    Progress,
    /// A name or a heading.
    Words,
}

/// Of several files one of fewer bytes says nothing of the path: it is over within the first round trips, or was the body of a
/// redirection.
const LEAST_PART_BYTES: u64 = 1 << 16;

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

/// Fields of probes: the mean of their round trips, half of it or how many fit into a minute, the shortest, the longest, and the share
/// that was lost.
const OF_PROBES: [&str; 6] = ["echo", "half", "rpm", "low", "high", "lost"];

fn name_of(key: &'static str) -> &'static str {
    key.split_once(':').map_or(key, |(name, _)| name)
}

fn is_kept(name: &str) -> bool {
    !(name.starts_with('_')
        || OF_PROBES.contains(&name)
        || matches!(name, "*" | "n" | "f" | "w" | "pct" | "clock" | "span"))
}

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
            parts: Vec::new(),
            since_part: Since::Nothing,
        }
    }

    /// What stood before is of another transfer. The hosts of a session stay, and the unit that a heading tells.
    pub(super) fn clear(&mut self) {
        self.said.retain(|name, _| matches!(*name, "host" | "local" | "unit"));
        self.said.values_mut().for_each(|said| said.is_old = true);
        (self.way, self.lines, self.measured) = (None, None, false);
    }

    /// A line that says nothing of use.
    pub(super) fn pass(&mut self) {
        self.seen = true;
        self.since_part = Since::Words;
    }

    /// What was said is of one file of several.
    pub(super) fn keep_part(&mut self, is_named: bool, context: &Context) {
        let way = self.way;
        let since = std::mem::take(&mut self.since_part);
        if let Some(lines) = self.lines.filter(|_| !self.ends.stays)
            && let Some(transfer) = self.transfer(context)
        {
            let is_same = |part: &mut Part| match is_named {
                true => since < Since::Words,
                false => {
                    let of = |transfer: &Transfer| (transfer.bytes_received, transfer.duration_ns);
                    since == Since::Nothing && of(&part.transfer) == of(&transfer)
                }
            };
            self.parts.pop_if(is_same);
            self.parts.push(Part {
                lines,
                at: self.at(context),
                transfer,
            });
        }
        self.clear();
        self.way = way;
    }

    /// What was said is one end's account of a transfer that the other end tells of as well.
    pub(super) fn keep_end(&mut self, context: &Context, findings: &mut Findings) {
        let rate = |transfer: &Transfer| transfer.sent_bps.or(transfer.received_bps);
        if let Some(lines) = self.lines.filter(|_| !self.ends.stays)
            && let Some(transfer) = self.transfer(context)
        {
            match self.parts.as_mut_slice() {
                [] => self.parts.push(Part {
                    lines,
                    at: self.at(context),
                    transfer,
                }),
                [sent] if sent.transfer.bytes_received == transfer.bytes_received => {
                    sent.lines.1 = lines.1;
                    sent.transfer.sent_bps = rate(&sent.transfer);
                    sent.transfer.received_bps = rate(&transfer);
                    sent.transfer.duration_ns = transfer.duration_ns;
                }
                _ => findings.complain_of(
                    lines,
                    "the other end's account of the transfer above tells of other bytes: it is not used",
                ),
            }
        }
        self.clear();
    }

    /// A sum of them follows.
    pub(super) fn forget_parts(&mut self) {
        let begins = self.parts.first().map(|part| part.lines.0);
        if let Some((begin, (first, _))) = begins.zip(self.lines.as_mut()) {
            *first = begin.min(*first);
        }
        self.parts.clear();
    }

    /// Gives the files that no sum was printed of, each as a transfer.
    pub(super) fn tell_parts(&mut self, findings: &mut Findings) {
        let are_several = self.parts.len() > 1;
        for part in std::mem::take(&mut self.parts) {
            let is_small = part
                .transfer
                .bytes_received
                .is_some_and(|bytes| bytes < LEAST_PART_BYTES);
            if !(are_several && is_small) {
                findings.record_of(part.lines, self.tool.name, part.at, part.transfer.into());
            }
        }
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

    /// Gives what probes found out that the tool sent to the other end.
    pub(super) fn tell_probes(
        &mut self,
        number: u64,
        row: &'static Row,
        captures: &Captures<'static, '_>,
        load: Option<EchoContext>,
        context: &Context,
        findings: &mut Findings,
    ) {
        if captures.iter().any(|(key, _)| is_kept(name_of(key))) {
            self.take(number, row, captures);
        }
        self.seen = true;
        let text = |name: &str| captures.iter().find(|(key, _)| name_of(key) == name).map(|(_, text)| text);
        let ns = |name: &str| text(name).and_then(duration_ns_of).and_then(|ns| i64::try_from(ns).ok());
        let by_minute = || Some(60_000_000_000 / text("rpm")?.parse::<i64>().ok().filter(|rpm| *rpm > 0)?);
        let by_half = || ns("half").and_then(|half| half.checked_mul(2));
        let delay = DelayStatistics {
            min_ns: ns("low"),
            mean_ns: ns("echo").or_else(by_half).or_else(by_minute),
            max_ns: ns("high"),
            ..DelayStatistics::default()
        };
        let lost = text("lost").and_then(|percent| number_of(percent.trim_end_matches('%')));
        let (from, to) = self.nodes(Some(Way::Sent));
        let answered = ProbeRow {
            to: context.to_or(to),
            loss_ratio: lost.map(|percent| percent / 100.0),
            delay: (delay != DelayStatistics::default()).then_some(delay),
            ..ProbeRow::default()
        };
        if answered.delay.is_none() && answered.loss_ratio.is_none() {
            return;
        }
        let probes = Probes {
            from: context.from_or(from),
            context: load,
            rows: vec![answered],
            ..Probes::default()
        };
        findings.record_of((number, number), self.tool.name, context.at, Payload::Probes(probes));
    }

    pub(super) fn take(&mut self, number: u64, row: &'static Row, captures: &Captures<'static, '_>) {
        self.seen = true;
        self.way = row.way.or(self.way);
        let first = self.lines.map_or(number, |(first, _)| first);
        self.lines = Some((first, number));
        self.measured |= !matches!(row.kind, Kind::Begins | Kind::Sets | Kind::Probed(_));
        let is_progress = row.kind == Kind::Progress;
        if is_progress {
            self.since_part = self.since_part.max(Since::Progress);
        }
        // How far it had come is of no use any more once the tool sums up.
        if !is_progress && captures.iter().any(|(key, _)| is_kept(name_of(key))) {
            self.said.retain(|_, said| !said.is_progress);
        }
        for (key, text) in captures.iter() {
            let name = name_of(key);
            if !is_kept(name) {
                continue;
            }
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
        if let Some(lines) = self.lines.filter(|_| self.measured && !self.ends.stays) {
            for (name, said) in &self.said {
                if said.is_doubtful {
                    findings.complain_of(
                        lines,
                        format!("said twice, and not the same: {name} is {}", said.text),
                    );
                }
            }
            self.said.retain(|_, said| !said.is_doubtful);
            if let Some(text) = self.text("rate").filter(|_| self.rate("rate").is_none()) {
                findings.complain_of(lines, format!("a rate without a unit that is known: {text}"));
            }
            if let Some(transfer) = self.transfer(context) {
                findings.record_of(lines, self.tool.name, self.at(context), transfer.into());
            }
        }
        self.clear();
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
        let is_whole = name != "rate" || text.contains('/') || text.contains("ps");
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
        let exact = self.text("B").and_then(count_of);
        let of_way = if way == Some(Way::Sent) { up } else { down };
        let sized = || ["size", "size10"].into_iter().find_map(|name| self.bytes(name));
        let bytes = exact.or(of_way).or_else(sized);
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
        let said = ["rate", "rate10", "byterate"]
            .into_iter()
            .find_map(|name| self.rate(name))
            .or_else(headed);
        let (left, arrived) = (self.rate("left"), self.rate("arrived"));
        let rate = self
            .rate(rate_name)
            .or(said)
            .or(arrived)
            .or(left)
            .or_else(computed);
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
        let place = |name: &str| {
            let text = self.text(name)?;
            url_host(text).or_else(|| remote_of(text))
        };
        if let Some((from, to)) = place("from").zip(place("to")) {
            return (from, to);
        }
        let named = self.text("host").map(host);
        let remote = named.or_else(|| self.text("url").and_then(url_host));
        let ends = Ends {
            local: self.text("local").map_or_else(|| self.ends.local.clone(), host),
            remote: remote.unwrap_or_else(|| self.ends.remote.clone()),
            way,
            ..self.ends.clone()
        };
        ends.in_order()
    }
}

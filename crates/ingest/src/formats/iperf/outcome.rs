//! A session of iperf to records: one for each way in which data went, all its connections together.

use super::session::{Session, Shape, Stream, Told, Way};
use super::sums::{all, interval, peer, rate};
use crate::Context;
use crate::findings::Findings;
use evidence::{Node, RateBps, Transfer, Transport};

pub(super) fn report(session: &Session, context: &Context, findings: &mut Findings) {
    let printed = |streams: &'_ [Stream]| streams.iter().any(Stream::has_figures);
    // With `--sum-only` iperf 2 prints nothing but sums.
    let of = match printed(&session.streams) {
        true => &session.streams,
        false => &session.sums,
    };
    if is_torn(session) {
        let reason =
            "the line of a connection is missing: which lines belong together is not known, none is used";
        return findings.complain_of(session.lines, reason);
    }
    if are_apart(session) {
        let reason = "lines of several connections without their sum and without what stands above them: whether they are of one test is not \
                      known, none is used";
        return findings.complain_of(session.lines, reason);
    }
    if session.is_mixed {
        let reason = "several tests at the same time: which lines belong together is not known, none is used";
        return findings.complain_of(session.lines, reason);
    }
    let groups = groups(of, session);
    for group in &groups {
        let sums = if groups.len() == 1 || group.is_tagged() {
            session
                .sums
                .iter()
                .filter(|sum| sum.tagged == group.tag())
                .collect()
        } else {
            Vec::new()
        };
        let mut test = Test {
            session,
            group,
            sums,
            doubts: Vec::new(),
        };
        let record = test.record(context);
        let at = session.at.or(context.at);
        let tool = session
            .tool
            .as_deref()
            .unwrap_or(if session.is_iperf3 { "iperf3" } else { "iperf" });
        let doubts = test.doubts;
        let has_figures = record.sent_bps.or(record.received_bps).is_some()
            || record.rtt_ns.or(record.packets_sent).is_some()
            || !record.intervals.is_empty();
        if has_figures {
            findings.record_of(session.lines, tool, at, record.into());
        }
        for doubt in doubts {
            findings.complain_of(session.lines, doubt);
        }
    }
    if groups.is_empty() && !session.interrupted {
        findings.complain_of(session.lines, "iperf was started, but printed no figures");
    }
}

/// Whether a server's or nobody's connections have lines of their own in part only: they may be of one test or of several.
fn is_torn(session: &Session) -> bool {
    let measured = || session.streams.iter().filter(|stream| stream.has_figures());
    let is_known = |stream: &Stream| {
        let of_base = |other: &Stream| other.announced && other.base() == stream.base();
        session.streams.iter().any(of_base)
    };
    let between_two = session.is_iperf3 || session.asks && !session.serves;
    !between_two && measured().any(is_known) && !measured().all(is_known)
}

/// Whether connections have nothing that tells that they are of one test: no line of their own, no way, and no sum.
fn are_apart(session: &Session) -> bool {
    let mut unknown = session
        .streams
        .iter()
        .filter(|stream| stream.has_figures() && !stream.announced && stream.tagged.is_none());
    let is_summed = session.sums.iter().any(Stream::has_figures);
    let first = unknown.next().map(Stream::base);
    !is_summed && first.is_some() && unknown.any(|stream| Some(stream.base()) != first)
}

/// Connections between the same two hosts, the same way.
pub(super) struct Group<'s> {
    pub(super) way: Option<Way>,
    pub(super) streams: Vec<&'s Stream>,
}

impl Group<'_> {
    fn tag(&self) -> Option<Way> {
        self.streams.first().and_then(|stream| stream.tagged)
    }

    fn is_tagged(&self) -> bool {
        self.tag().is_some()
    }
}

fn groups<'s>(streams: &'s [Stream], session: &Session) -> Vec<Group<'s>> {
    let mut groups: Vec<Group<'s>> = Vec::new();
    for stream in streams.iter().filter(|stream| stream.has_figures()) {
        let way = session.way(stream);
        let is_of = |group: &&mut Group<'_>| {
            group.way == way
                && group
                    .streams
                    .first()
                    .is_some_and(|first| first.remote == stream.remote)
        };
        match groups.iter_mut().find(is_of) {
            Some(group) => group.streams.push(stream),
            None => groups.push(Group {
                way,
                streams: vec![stream],
            }),
        }
    }
    groups.sort_by_key(|group| group.way);
    groups
}

/// One record in the making.
pub(super) struct Test<'s> {
    pub(super) session: &'s Session,
    pub(super) group: &'s Group<'s>,
    /// The tool's own sums over these connections.
    pub(super) sums: Vec<&'s Stream>,
    /// What is missing, in words.
    pub(super) doubts: Vec<String>,
}

impl Test<'_> {
    fn record(&mut self, context: &Context) -> Transfer {
        let (session, streams) = (self.session, &self.group.streams);
        let first = streams.first();
        let (from, to) = self.ends();
        let slices = self.slices();
        let (sent, received) = self.totals(&slices);
        if self.may_be_several() {
            self.doubts.push(
                "a sum of more than the connections above it: some are not here, or they are another test's; the sum alone is used"
                    .to_owned(),
            );
        }
        let udp = self.is_udp();
        let totals = || [sent, received].into_iter().flatten();
        let mut lost = received.and_then(|t| t.lost).or(sent.and_then(|t| t.lost));
        let mut datagrams = totals().find_map(|total| total.datagrams);
        if let (Some(out), Some(of)) = (sent.and_then(|t| t.datagrams), received.and_then(|t| t.datagrams))
            && of > out.saturating_add(out / 50).saturating_add(100)
        {
            (lost, datagrams) = (None, None);
            self.doubts.push(format!(
                "{out} datagrams sent and {of} counted by the receiver contradict each other: neither is used"
            ));
        }
        if [sent, received]
            .iter()
            .flatten()
            .chain(&slices)
            .any(|f| f.shape == Shape::Bounced)
        {
            let whole = sent.or(received);
            return Transfer {
                from: context.from_or(from),
                to: context.to_or(to),
                protocol: Some(Transport::Tcp),
                duration_ns: whole.map(|total| total.length_ns()),
                rtt_ns: whole.and_then(|total| total.rtt_ns),
                ..Transfer::default()
            };
        }
        Transfer {
            from: context.from_or(from),
            to: context.to_or(to),
            protocol: udp.map(|udp| if udp { Transport::Udp } else { Transport::Tcp }),
            streams: self.count(),
            window_bytes: session.window_bytes,
            mss_bytes: session
                .mss_bytes
                .or(first.and_then(|stream| stream.mss_bytes))
                .filter(|_| udp != Some(true)),
            congestion_control: session.congestion_control.clone(),
            target_bps: self.target(),
            duration_ns: totals().map(|total| total.length_ns()).max(),
            sent_bps: sent.and_then(rate),
            received_bps: received.and_then(rate),
            retransmits: sent.and_then(|total| total.retransmits),
            packets_sent: datagrams.or_else(|| all(streams, |stream| stream.datagrams_sent)),
            packets_lost: lost,
            reordered: self.reordered(),
            // That of a sum is a mean.
            jitter_ns: received
                .and_then(|t| t.jitter_ns)
                .or(sent.and_then(|t| t.jitter_ns))
                .filter(|_| !first.is_some_and(|stream| stream.id.starts_with("SUM"))),
            rtt_ns: sent
                .and_then(|total| total.rtt_ns)
                .or_else(|| self.handshake_ns()),
            intervals: slices.iter().map(interval).collect(),
            ..Transfer::default()
        }
    }

    /// Old versions count what came out of order in a line of the sum.
    fn reordered(&self) -> Option<u64> {
        let of = |streams: &[&Stream]| {
            streams
                .iter()
                .filter_map(|s| s.reordered)
                .reduce(u64::saturating_add)
        };
        of(&self.group.streams).or_else(|| of(&self.sums))
    }

    /// Round trip of the handshake, where there is one connection, and no line holds a better figure that could not be read.
    fn handshake_ns(&self) -> Option<u64> {
        let stream = self.session.streams.first()?;
        let is_alone = self
            .session
            .streams
            .iter()
            .all(|other| other.base() == stream.base());
        let stream = Some(stream).filter(|_| is_alone)?;
        let is_told = stream.figures().any(|slice| slice.rtt_ns.is_some());
        let is_clear = !self.session.is_odd && !self.session.overlaps && !is_told;
        stream.rtt_ns.filter(|_| is_clear)
    }

    /// How many connections should have figures: also those that were made, and of which no figures are there.
    pub(super) fn expected(&self) -> usize {
        let (session, group) = (self.session, self.group);
        let announced = session.streams.iter().filter(|stream| stream.announced);
        if group.streams.iter().any(|stream| stream.id.starts_with("SUM")) {
            return group.streams.len();
        }
        if group.is_tagged() {
            // As many go either way.
            return announced.count().div_ceil(2).max(group.streams.len());
        }
        let is_silent = |stream: &&Stream| {
            !stream.has_figures() && session.way(stream).is_none_or(|way| Some(way) == group.way)
        };
        let both_ways = session.streams.iter().any(|stream| stream.id.starts_with('*'));
        group.streams.len()
            + if both_ways {
                0
            } else {
                announced.filter(is_silent).count()
            }
    }

    /// The rate asked for; that of iperf3 is of each connection.
    fn target(&self) -> Option<RateBps> {
        let each = self.session.target_bps?;
        let count = u16::try_from(self.expected()).ok()?.max(self.count()?);
        Some(RateBps(each.0 * f64::from(count)))
    }

    /// Sender and receiver.
    fn ends(&mut self) -> (Node, Node) {
        let first = self.group.streams.first();
        let mut own = first.map(|stream| stream.local.clone()).unwrap_or_default();
        if own.name.is_none() && self.session.asks {
            own.name.clone_from(&self.session.place);
        }
        let remote = first.map(|stream| stream.remote.clone()).unwrap_or_default();
        let other = peer(self.session, remote);
        match self.group.way {
            Some(Way::Out) => (own, other),
            Some(Way::In) => (other, own),
            None => {
                if !own.is_unknown() || !other.is_unknown() {
                    self.doubts
                        .push("nothing tells which way the data went: the hosts are not used".to_owned());
                }
                (Node::default(), Node::default())
            }
        }
    }

    /// The protocol, where the columns or a heading tell it, and do not contradict each other.
    fn is_udp(&self) -> Option<bool> {
        if self.session.is_other {
            return None;
        }
        let streams = || self.group.streams.iter().chain(&self.sums);
        let totals = |stream: &Stream| [stream.sent, stream.received, stream.unmarked];
        let mut told = self.session.udp;
        let shapes = streams().flat_map(|stream| {
            let totals = totals(stream).into_iter().filter_map(Told::get);
            stream.figures().chain(totals).filter_map(|f| f.shape.is_udp())
        });
        let counted = streams()
            .any(|stream| stream.datagrams_sent.is_some())
            .then_some(true);
        for udp in shapes.chain(counted) {
            if told.is_some_and(|told| told != udp) {
                return None;
            }
            told = Some(udp);
        }
        // With UDP iperf3 has a column behind the rate in any case, with SCTP it never has: the command tells it from TCP.
        let is_asked = self.session.is_iperf3 && self.session.asks && self.session.has_command;
        let is_plain = is_asked && streams().any(|stream| stream.has_figures());
        told.or(is_plain.then_some(false))
    }

    /// How many connections there were; `None` where not all have lines.
    fn count(&self) -> Option<u16> {
        let streams = &self.group.streams;
        if self.is_part() {
            return None;
        }
        let sums_alone = streams.iter().any(|stream| stream.id.starts_with("SUM"));
        let count = match sums_alone {
            // `[SUM-8]`
            true => streams
                .iter()
                .find_map(|sum| sum.id.strip_prefix("SUM-")?.parse().ok())
                .or(Some(self.session.streams.len()).filter(|count| *count > 0))?,
            // Those that were made, though no line of figures is there of some.
            false => self.expected(),
        };
        u16::try_from(count).ok()
    }
}

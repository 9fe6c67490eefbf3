//! A session of iperf to records: one for each way in which data went, all its connections together.

use super::session::{Figures, Session, Shape, Stream, Told, Way};
use crate::Context;
use crate::block::Findings;
use evidence::{Node, RateBps, Transfer, TransferInterval, Transport};

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
        findings.record_of(session.lines, tool, at, record.into());
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
        let base = stream.id.trim_start_matches('*');
        let of_base = |other: &Stream| other.announced && other.id.trim_start_matches('*') == base;
        session.streams.iter().any(of_base)
    };
    let between_two = session.is_iperf3 || session.asks && !session.serves;
    !between_two && measured().any(is_known) && !measured().all(is_known)
}

/// Connections between the same two hosts, the same way.
struct Group<'s> {
    way: Option<Way>,
    streams: Vec<&'s Stream>,
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
struct Test<'s> {
    session: &'s Session,
    group: &'s Group<'s>,
    /// The tool's own sums over these connections.
    sums: Vec<&'s Stream>,
    /// What is missing, in words.
    doubts: Vec<String>,
}

impl Test<'_> {
    fn record(&mut self, context: &Context) -> Transfer {
        let (session, streams) = (self.session, &self.group.streams);
        let first = streams.first();
        let (from, to) = self.ends();
        let slices = self.slices();
        let (sent, received) = self.totals(&slices);
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
            jitter_ns: received
                .and_then(|t| t.jitter_ns)
                .or(sent.and_then(|t| t.jitter_ns)),
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
        let base = |stream: &Stream| stream.id.trim_start_matches('*').to_owned();
        let stream = self.session.streams.first()?;
        let is_alone = self
            .session
            .streams
            .iter()
            .all(|other| base(other) == base(stream));
        let stream = Some(stream).filter(|_| is_alone)?;
        let is_told = stream.figures().any(|slice| slice.rtt_ns.is_some());
        let is_clear = !self.session.is_odd && !self.session.overlaps && !is_told;
        stream.rtt_ns.filter(|_| is_clear)
    }

    /// How many connections should have figures: also those that were made, and of which no figures are there.
    fn expected(&self) -> usize {
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
        let own = first.map(|stream| stream.local.clone()).unwrap_or_default();
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
        // With UDP iperf3 has a column behind the rate in any case.
        let is_plain = self.session.is_iperf3 && streams().any(|stream| stream.has_figures());
        told.or(is_plain.then_some(false))
    }

    /// How many connections there were.
    fn count(&self) -> Option<u16> {
        let streams = &self.group.streams;
        let sums_alone = streams.iter().any(|stream| stream.id.starts_with("SUM"));
        let count = match sums_alone {
            // `[SUM-8]`
            true => streams
                .iter()
                .find_map(|sum| sum.id.strip_prefix("SUM-")?.parse().ok())
                .or(Some(self.session.streams.len()).filter(|count| *count > 0))?,
            false => streams.len(),
        };
        u16::try_from(count).ok()
    }

    /// Totals of the sender and of the receiver; without any, what the slices add up to.
    fn totals(&mut self, slices: &[Figures]) -> (Option<Figures>, Option<Figures>) {
        let mut sent = self.total(|stream| stream.sent);
        let mut received = self.total(|stream| stream.received);
        let unmarked = self.total(|stream| stream.unmarked);
        if let Some(total) = unmarked {
            self.unmarked(total, &mut sent, &mut received);
        }
        let moved = sent.is_some_and(|sent| sent.rate_bps > 0.0) || slices.iter().any(|s| s.rate_bps > 0.0);
        // Whom iperf3 could not ask any more has 0 in its line.
        // (A rate of 0 where datagrams arrived is none.)
        let was_asked = |total: &Figures| {
            let arrived = total
                .datagrams
                .unwrap_or(0)
                .saturating_sub(total.lost.unwrap_or(0));
            let is_all_lost = total.datagrams.is_some_and(|count| count > 0) && arrived == 0;
            !moved || total.rate_bps > 0.0 || is_all_lost
        };
        received = received.filter(was_asked);
        // Servers have a line of 0 for a sender that did not tell; of its counts, those of the receiver stand in it.
        let told = |total: &Figures| !moved || total.rate_bps > 0.0;
        if self.group.way == Some(Way::In) {
            sent = sent.filter(told);
        }
        if sent.or(received).is_none() && !slices.is_empty() {
            let mut derived = self.derived(slices);
            // Old servers of iperf3 do not know what was sent, and count in the same line what they missed.
            let counted =
                unmarked.filter(|total| total.rate_bps == 0.0 && total.datagrams.is_some_and(|n| n > 0));
            let spans = |derived: &Figures, total: &Figures| {
                derived.length_ns().abs_diff(total.length_ns()) <= total.length_ns() / 50
            };
            match (&mut derived, counted) {
                (Some(derived), Some(total)) if spans(derived, &total) => {
                    (derived.lost, derived.datagrams) = (total.lost, total.datagrams);
                    derived.jitter_ns = total.jitter_ns;
                }
                (_, Some(_)) => self.doubts.push(
                    "the counts of the total are of more than the intervals: they are not used".to_owned(),
                ),
                _ => {}
            }
            return match self.group.way {
                Some(Way::In) => (None, derived),
                _ => (derived, None),
            };
        }
        (sent, received)
    }

    /// Before iperf3 3.7 one line of UDP holds the sender's rate and what the receiver missed. Any other total without a
    /// mark has lost it.
    fn unmarked(&mut self, total: Figures, sent: &mut Option<Figures>, received: &mut Option<Figures>) {
        let is_marked = sent.or(*received).is_some();
        let is_old = self.session.is_iperf3 && total.shape == Shape::UdpReceiver && !is_marked;
        if is_old && self.group.way == Some(Way::In) {
            *received = Some(total);
        } else if is_old {
            *sent = Some(total);
        } else if !self.session.is_iperf3 {
            self.doubts
                .push("nothing tells whether the total is the sender's or the receiver's".to_owned());
            let home = match total.shape {
                Shape::UdpReceiver | Shape::TcpReceiver => received,
                _ => sent,
            };
            *home = Some(total);
        } else {
            self.doubts.push(
                "a total does not say whether it is the sender's or the receiver's: it is not used"
                    .to_owned(),
            );
        }
    }

    /// Sum over the streams; the tool's own sum where it agrees, as it was rounded once only, or where a stream has none. A
    /// server's sum over tests that were not made together does not agree.
    fn total(&self, of: impl Fn(&Stream) -> Told) -> Option<Figures> {
        let streams = &self.group.streams;
        let parts: Vec<Figures> = streams.iter().filter_map(|stream| of(stream).get()).collect();
        let mut sums = self.sums.iter().filter_map(|sum| of(sum).get());
        if parts.is_empty() || parts.len() < self.expected() {
            // iperf 2 sums up over whatever runs, iperf3 over these. The jitter of its sum is the mean, not the largest.
            let sum = sums.next().filter(|_| self.session.is_iperf3)?;
            return Some(Figures {
                jitter_ns: None,
                ..sum
            });
        }
        let own = add(&parts)?;
        let agrees = |sum: &Figures| (sum.rate_bps - own.rate_bps).abs() <= 0.03 * own.rate_bps;
        let rate_bps = sums.find(agrees).map_or(own.rate_bps, |sum| sum.rate_bps);
        Some(Figures { rate_bps, ..own })
    }

    /// The whole of a test that ended without a total.
    fn derived(&mut self, slices: &[Figures]) -> Option<Figures> {
        let (first, last) = (slices.first()?, slices.last()?);
        let covered: u64 = slices.iter().map(Figures::length_ns).fold(0, u64::saturating_add);
        let length = last.end_ns.checked_sub(first.start_ns).filter(|ns| *ns > 0)?;
        let bits: f64 = slices
            .iter()
            .map(|s| s.rate_bps * s.length_ns() as f64 / 1e9)
            .sum();
        let is_whole = !self.session.has_holes && covered.abs_diff(length) <= length / 50;
        let n = slices.len();
        self.doubts.push(format!(
            "no total: the whole is what {n} intervals add up to{}",
            if is_whole { "" } else { ", and some are missing" }
        ));
        let sum = |of: fn(&Figures) -> Option<u64>| {
            let all = slices
                .iter()
                .try_fold(0_u64, |sum, slice| Some(sum.saturating_add(of(slice)?)));
            all.filter(|_| is_whole)
        };
        Some(Figures {
            start_ns: first.start_ns,
            end_ns: last.end_ns,
            rate_bps: bits / (covered.max(1) as f64 / 1e9),
            shape: first.shape,
            retransmits: sum(|slice| slice.retransmits),
            lost: sum(|slice| slice.lost),
            datagrams: sum(|slice| slice.datagrams),
            ..Figures::default()
        })
    }

    /// Slices of all streams that begin together, within half a slice. Where a stream has none, the tool's own sum; a sum of
    /// some of the streams is not the whole.
    fn slices(&mut self) -> Vec<Figures> {
        let streams: Vec<&&Stream> = self.group.streams.iter().filter(|s| s.has_slices()).collect();
        let mut slices: Vec<Figures> = streams.iter().flat_map(|stream| stream.figures()).collect();
        slices.sort_by_key(|slice| (slice.start_ns, slice.end_ns));
        let expected = self.expected().max(streams.len());
        if expected < 2 {
            return slices;
        }
        let has_sums = self.session.is_iperf3 && self.sums.iter().any(|sum| sum.has_figures());
        let mut missing = 0_usize;
        let mut whole = Vec::new();
        for group in slices.chunk_by(together) {
            let own = add(group).filter(|_| group.len() == expected);
            let sums = self.sums.iter().flat_map(|sum| sum.figures());
            let mut sums = sums.filter(|_| self.session.is_iperf3);
            let sum = group
                .first()
                .and_then(|first| sums.find(|sum| together(first, sum)));
            match (own, sum) {
                // The tool's own sum was rounded once only.
                (Some(own), Some(sum)) if (own.rate_bps - sum.rate_bps).abs() <= 0.03 * own.rate_bps => {
                    whole.push(Figures {
                        rate_bps: sum.rate_bps,
                        ..own
                    });
                }
                (None, Some(slice)) => whole.push(slice),
                // The others are the tool's sums, rounded otherwise.
                (Some(slice), None) if !has_sums => whole.push(slice),
                _ => missing += 1,
            }
        }
        if missing > 0 {
            let n = expected;
            self.doubts.push(format!(
                "{missing} intervals do not have a line of each of the {n} connections and of their sum: they are not used"
            ));
        }
        whole
    }
}

fn together(a: &Figures, b: &Figures) -> bool {
    let half = a.length_ns() / 2;
    a.start_ns.abs_diff(b.start_ns) < half.max(1)
}

fn rate(total: Figures) -> Option<RateBps> {
    Some(RateBps(total.rate_bps))
}

/// The other host: its address from the connection, its name from the command.
fn peer(session: &Session, remote: Node) -> Node {
    match session.named.as_deref().map(Node::read) {
        Some(named) if named.name.is_some() && !session.serves => Node {
            name: named.name,
            address: remote.address,
        },
        Some(named) if remote.is_unknown() => named,
        _ => remote,
    }
}

/// Sum over the streams where every one of them has the figure.
fn all(streams: &[&Stream], of: impl Fn(&Stream) -> Option<u64>) -> Option<u64> {
    let mut sum = None;
    for stream in streams {
        sum = Some(of(stream)?.saturating_add(sum.unwrap_or(0)));
    }
    sum
}

/// Figures of connections at the same time, added; the largest jitter and the mean round-trip time.
fn add(parts: &[Figures]) -> Option<Figures> {
    let first = parts.first()?;
    let sum = |of: fn(&Figures) -> Option<u64>| {
        parts
            .iter()
            .try_fold(0_u64, |sum, part| Some(sum.saturating_add(of(part)?)))
    };
    let max = |of: fn(&Figures) -> Option<u64>| parts.iter().filter_map(of).max();
    Some(Figures {
        start_ns: parts
            .iter()
            .map(|part| part.start_ns)
            .min()
            .unwrap_or(first.start_ns),
        end_ns: max(|part| Some(part.end_ns)).unwrap_or(first.end_ns),
        rate_bps: parts.iter().map(|part| part.rate_bps).sum(),
        shape: first.shape,
        retransmits: sum(|part| part.retransmits),
        cwnd_bytes: sum(|part| part.cwnd_bytes),
        rtt_ns: sum(|part| part.rtt_ns).map(|total| total / parts.len() as u64),
        jitter_ns: max(|part| part.jitter_ns),
        lost: sum(|part| part.lost),
        datagrams: sum(|part| part.datagrams),
    })
}

fn interval(slice: &Figures) -> TransferInterval {
    TransferInterval {
        start_ns: slice.start_ns,
        length_ns: slice.length_ns(),
        rate_bps: Some(RateBps(slice.rate_bps)),
        retransmits: slice.retransmits,
        cwnd_bytes: slice.cwnd_bytes,
        packets_lost: slice.lost.and_then(|lost| lost.try_into().ok()),
        ..TransferInterval::default()
    }
}

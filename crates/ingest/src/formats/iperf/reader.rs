//! Lines of iperf to sessions.

use super::command;
use super::row::{self, Broken, Columns, Mark, Row};
use super::session::{Session, Shape, Stream, Way, base};
use super::total;
use super::words::{
    handshake, heading, host, is_taken, is_total_again, is_trouble, place, stored, way_of_role, window,
};
use super::{is_drawn_dashes, is_own};
use crate::Context;
use crate::findings::Findings;
use crate::when;
use evidence::RateBps;

pub(super) struct Reader<'a> {
    context: &'a Context,
    sessions: Vec<Session>,
    columns: Columns,
    /// iperf3 has printed the header of its summary.
    summary: bool,
    after_dashes: bool,
    /// The stream of which the server's report follows.
    report_of: Option<String>,
    /// A line that is none of iperf's stands above.
    after_strange: bool,
    /// `Server output:` stands above, and no client's account above that.
    is_headed: bool,
    /// Whose the totals below are, as the first versions of iperf3 say above them.
    side: Mark,
}

impl<'a> Reader<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self {
            context,
            sessions: Vec::new(),
            columns: Columns::default(),
            summary: false,
            after_dashes: false,
            report_of: None,
            after_strange: false,
            is_headed: false,
            side: Mark::None,
        }
    }

    pub(super) fn take(&mut self, number: u64, line: &str, findings: &mut Findings) {
        match row::id(line) {
            None if line.trim_ascii() == "Sent" => self.totals_of(number, Mark::Sender),
            None if line.trim_ascii() == "Received" => self.totals_of(number, Mark::Receiver),
            Some((_, _, header)) if header.trim_ascii_start().starts_with("Interval") => self.header(header),
            // Connect times, and sums over both ways.
            Some((id, ..)) if id == "CT" || id == "ID" || id.starts_with("FD") => {}
            Some((id, role, rest)) => self.of_stream(number, id, role, rest, findings),
            None if line.is_empty() || is_own(line) || command::of(line).is_some() => {
                self.of_session(number, line, findings);
            }
            None => self.strange(number, line, findings),
        }
        self.after_dashes =
            line.starts_with("- - -") || is_drawn_dashes(line) || line.starts_with("Test Complete");
        if let Some(session) = self.sessions.last_mut().filter(|_| !line.is_empty()) {
            session.lines.1 = number;
        }
    }

    /// A row of figures with the rest that a mail program put below it, where that says more. The blanks in front of a mark are lost with the
    /// break, so that the row is less wide than the text.
    pub(super) fn broken(&self, line: &str, rest: &str, next: &str) -> Option<String> {
        if !line.starts_with('[') || rest.is_empty() || rest.starts_with(['[', '-']) {
            return None;
        }
        let figures = |line| row::id(line).map(|(_, _, figures)| row::figures(figures, self.columns));
        let alone = figures(line)?;
        let joined = format!("{line} {rest}");
        let whole = figures(&joined)?.ok().filter(|whole| !whole.is_odd)?;
        let says_more = match alone {
            Ok(alone) => {
                let has_mark = whole.mark != Mark::None;
                alone.is_odd
                    || alone.mark == Mark::None && has_mark
                    || alone.figures.shape == Shape::Plain && whole.figures.shape != Shape::Plain
            }
            Err(broken) => broken == Broken::Odd,
        };
        // Of two marks in a row nobody knows whose the first is.
        (says_more && !is_mark(next)).then_some(joined)
    }

    /// Nobody knows what a strange line was: it may have been one of the figures, or the head of another test.
    fn strange(&mut self, number: u64, line: &str, findings: &mut Findings) {
        if is_mark(line) {
            findings.complain(number, format!("'{}' without its row", line.trim_ascii()));
        }
        findings.unread(number, line);
        self.after_strange = true;
        if line.bytes().any(|byte| byte.is_ascii_digit()) {
            self.session(number).has_holes = true;
        }
    }

    /// The connection of this id and way in the newest test.
    fn newest(&self, id: &str, tagged: Option<Way>) -> Option<&Stream> {
        let session = self.sessions.last()?;
        let mut all = session.streams.iter().chain(&session.sums);
        all.find(|stream| stream.id == id && stream.tagged == tagged)
    }

    /// Whether a line is of another test than the newest: below a strange line, where its place is taken or that test was over; and a total
    /// that is marked, of which each test has one (`for i in 1 2 3; do iperf3 … | tail -4; done`).
    fn begins_anew(&self, id: &str, tagged: Option<Way>, row: &Row, report: bool) -> bool {
        let newest = self.newest(id, tagged);
        let total = newest.and_then(|stream| match row.mark {
            Mark::Sender => stream.sent.get(),
            Mark::Receiver => stream.received.get(),
            Mark::None | Mark::Omitted => None,
        });
        if total.is_some_and(|before| before != stored(row)) {
            return true;
        }
        let Some(session) = self.sessions.last().filter(|_| self.after_strange) else {
            return false;
        };
        match newest {
            Some(stream) => is_taken(stream, row, self.summary, report),
            None => {
                let mut all = session.streams.iter().chain(&session.sums);
                all.any(|stream| stream.sent.or(stream.received).is_some())
            }
        }
    }

    pub(super) fn finish(self) -> Vec<Session> {
        let mut sessions: Vec<Session> = Vec::new();
        for mut session in self.sessions {
            total::find(&mut session);
            let near = sessions
                .last_mut()
                .filter(|near| session.is_far_output || near.is_told_by(&session));
            if !near.is_some_and(|near| near.join(&session)) {
                sessions.push(session);
            }
        }
        sessions
    }

    fn totals_of(&mut self, number: u64, side: Mark) {
        self.side = side;
        self.session(number).has_sides = true;
    }

    fn header(&mut self, header: &str) {
        self.side = Mark::None;
        let columns = Columns::of(header);
        let measured = self.sessions.last().is_some_and(Session::has_figures);
        if header.contains("Bitrate")
            && let Some(session) = self.sessions.last_mut()
        {
            session.is_iperf3 = true;
        }
        let is_iperf3 = self.sessions.last().is_some_and(|session| session.is_iperf3);
        let another = self.columns.known && columns.known && columns != self.columns;
        self.summary |= self.after_dashes || is_iperf3 && measured && another;
        self.columns = columns;
    }

    fn session(&mut self, number: u64) -> &mut Session {
        if self.sessions.is_empty() {
            self.sessions.push(Session {
                lines: (number, number),
                ..Session::default()
            });
        }
        let last = self.sessions.len().saturating_sub(1);
        &mut self.sessions[last]
    }

    /// The session that a heading begins, or goes on with while nothing was measured yet.
    fn fresh_session(&mut self, number: u64) -> &mut Session {
        let used = self.sessions.last().is_some_and(Session::has_figures);
        self.report_of = None;
        if used {
            self.summary = false;
            self.sessions.push(Session {
                lines: (number, number),
                ..Session::default()
            });
        }
        self.session(number)
    }

    fn of_session(&mut self, number: u64, line: &str, findings: &mut Findings) {
        if let Some((is_iperf3, words)) = command::of(line) {
            let session = self.fresh_session(number);
            command::apply(session, is_iperf3, words);
            session.place = command::place(line);
        } else if let Some(rest) = line.strip_prefix("Client connecting to ") {
            let session = self.fresh_session(number);
            // A server that tests back, and again before the first test has figures.
            session.is_mixed |= session.asks && session.streams.iter().any(|s| s.id.starts_with('*'));
            session.named = rest.split([',', ' ']).next().map(str::to_owned);
            session.asks = true;
            heading(session, rest);
        } else if let Some(rest) = line.strip_prefix("Connecting to host ") {
            self.columns = Columns::default();
            let session = self.fresh_session(number);
            // `iperf3 -c a -p 5201 & iperf3 -c a -p 5202`: both print into one terminal.
            let before = session.connecting.replace(rest.to_owned());
            session.is_mixed |= before.is_some_and(|before| before != rest);
            session.named = rest.split([',', ' ']).next().map(str::to_owned);
            (session.asks, session.is_iperf3) = (true, true);
            heading(session, rest);
        } else if let Some(rest) = line.strip_prefix("Server listening on ") {
            let is_headed = std::mem::take(&mut self.is_headed);
            let session = self.fresh_session(number);
            session.serves = true;
            // Without a client's account above somebody wrote `Server output:` above all that a server printed.
            session.is_far_output &= !is_headed;
            heading(session, rest);
        } else if let Some(rest) = line.strip_prefix("Accepted connection from ") {
            self.columns = Columns::default();
            let session = self.fresh_session(number);
            session.named = rest.split([',', ' ']).next().map(str::to_owned);
            (session.serves, session.is_iperf3) = (true, true);
        } else if is_trouble(line) {
            let session = self.session(number);
            session.interrupted = true;
            // The client itself says `interrupt - the client has terminated`.
            session.client_left |= line.ends_with(": the client has terminated");
            findings.complain(number, format!("iperf itself says: {line}"));
        } else {
            self.of_settings(number, line);
        }
    }

    fn of_settings(&mut self, number: u64, line: &str) {
        let (name, value) = line.split_once([':', ' ']).unwrap_or((line, ""));
        let value = value.trim_ascii();
        match name {
            // What follows is the server's view of the same test.
            "Server" if value == "output:" => {
                self.columns = Columns::default();
                self.is_headed = !self.sessions.last().is_some_and(Session::has_figures);
                let session = self.fresh_session(number);
                (session.serves, session.is_iperf3) = (true, true);
                session.is_far_output = true;
            }
            "Reverse" => {
                let session = self.session(number);
                (session.reverse, session.is_iperf3) = (true, true);
            }
            "iperf" if value.starts_with('3') => {
                let session = self.fresh_session(number);
                session.is_iperf3 = true;
                session.tool = value.split(' ').next().map(|version| format!("iperf3 {version}"));
            }
            "Control" => {
                let mss = value.strip_prefix("connection MSS ");
                self.session(number).default_mss_bytes = mss.and_then(|mss| mss.trim_ascii().parse().ok());
            }
            "Time" => self.session(number).at = when::rfc5322(value),
            "TCP" if value.starts_with("window size:") => {
                let session = self.session(number);
                session.window_bytes = window(value);
                session.udp = Some(false);
            }
            "UDP" if value.starts_with("buffer size:") => self.session(number).udp = Some(true),
            "TCP" if value.starts_with("MSS:") && !value.contains("default") => {
                let session = self.session(number);
                let mss = row::word(value.trim_start_matches("MSS:")).and_then(|w| w.0.parse().ok());
                // That of the control connection is the default.
                session.mss_bytes = mss.filter(|_| mss != session.default_mss_bytes);
            }
            "Target" if value.starts_with("Bitrate:") => {
                let bps: Option<f64> = value
                    .split_once(':')
                    .and_then(|(_, bps)| bps.trim_ascii().parse().ok());
                self.session(number).target_bps = bps.filter(|bps| *bps > 0.0).map(RateBps);
            }
            "Starting" if value.contains("protocol: UDP") => self.session(number).udp = Some(true),
            "Starting" if value.contains("protocol: TCP") => self.session(number).udp = Some(false),
            "Starting" if value.contains("protocol: SCTP") => self.session(number).is_other = true,
            "snd_tcp_congestion" => self.session(number).congestion_control = Some(value.to_owned()),
            _ => {}
        }
    }

    /// A line that begins with a stream's id.
    fn of_stream(&mut self, number: u64, id: &str, role: Option<&str>, rest: &str, findings: &mut Findings) {
        let text = rest.trim_ascii();
        let understood = if text.starts_with("local ") {
            self.connection(number, id, text)
        } else if text.starts_with("Server Report") {
            self.report_of = Some(id.to_owned());
            true
        } else if text.contains(" datagrams") || text.contains("-PDF: bin(") {
            self.remark(number, id, role, text)
        } else {
            match row::figures(rest, self.columns) {
                Ok(row) => return self.figures(number, id, role, row, findings),
                Err(Broken::NoRow) => self.remark(number, id, role, text),
                Err(Broken::Odd) => {
                    self.session(number).has_holes = true;
                    false
                }
                Err(Broken::Contradiction) => {
                    self.session(number).has_holes = true;
                    return findings.complain(
                        number,
                        "length, amount and rate contradict each other: none is used",
                    );
                }
            }
        };
        if !understood {
            findings.complain(number, "a line of iperf of which the figures are not understood");
        }
    }

    fn figures(&mut self, number: u64, id: &str, role: Option<&str>, mut row: Row, findings: &mut Findings) {
        if row.mark == Mark::None {
            row.mark = self.side;
        }
        if row.is_odd {
            findings.complain(number, "what stands behind the rate is not understood");
            self.session(number).is_odd = true;
        }
        let report = self.report_of.take_if(|of| of == id).is_some();
        let summary = self.summary;
        if row.is_wide || matches!(row.mark, Mark::Sender | Mark::Receiver) {
            self.session(number).is_iperf3 = true;
        }
        let tagged = way_of_role(role);
        let is_iperf3 = self.session(number).is_iperf3;
        if self.begins_anew(id, tagged, &row, report) {
            let session = self.fresh_session(number);
            session.is_iperf3 |= is_iperf3;
            let stream = session.unannounced(id);
            let list = if id.starts_with("SUM") {
                &mut session.sums
            } else {
                &mut session.streams
            };
            list.push(Stream { tagged, ..stream });
        }
        self.after_strange = false;
        let Some(stream) = self.stream(number, id, role) else {
            return findings.complain(number, "more connections than can be told apart");
        };
        let ends_test = !is_iperf3 && !report && is_total_again(stream, &row);
        if ends_test {
            stream.slices.remove(&(row.figures.start_ns, row.figures.end_ns));
        }
        if !place(stream, row, summary, report) {
            findings.complain(
                number,
                "the same interval was told before with other figures: neither is used",
            );
            self.session(number).has_holes = true;
        }
    }

    /// `Sent 3571 datagrams`, `0.0-10.0 sec  15 datagrams received out-of-order`, warnings.
    fn remark(&mut self, number: u64, id: &str, role: Option<&str>, text: &str) -> bool {
        let before = |mark: &str| {
            let (before, _) = text.split_once(mark)?;
            before.rsplit(' ').next()?.parse::<u64>().ok()
        };
        let reordered = before(" datagrams received out-of-order");
        let sent = text.strip_prefix("Sent ").and(before(" datagrams"));
        if reordered.or(sent).is_none() {
            // Histograms of latencies: `0.00-10.02 sec T8(f)-PDF: bin(w=100us):cnt(85671)=1:2,…`.
            let is_histogram = text.contains("-PDF: bin(");
            let known = [
                "WARNING",
                "MSS size",
                "Interval",
                "Final",
                "Trip-times",
                "(sender statistics not available)",
                "(receiver statistics not available)",
            ];
            return is_histogram || known.iter().any(|known| text.starts_with(known));
        }
        let Some(stream) = self.stream(number, id, role) else {
            return false;
        };
        // Counted for each slice too: the last is of all.
        stream.reordered = reordered.or(stream.reordered);
        stream.datagrams_sent = sent.or(stream.datagrams_sent);
        true
    }

    /// `local 10.0.0.1 port 57954 connected with 10.0.0.2 port 5001 (reverse) (icwnd/mss/irtt=319/32741/27)`
    fn connection(&mut self, number: u64, id: &str, text: &str) -> bool {
        let mut words = text.split_ascii_whitespace();
        let (Some(local), Some(local_port), Some(link), Some(remote), Some(remote_port)) = (
            words.nth(1),
            words.nth(1),
            words.nth(1),
            words.next(),
            words.nth(1),
        ) else {
            return false;
        };
        let (Ok(local_port), Ok(remote_port)) = (local_port.parse(), remote_port.parse()) else {
            return false;
        };
        // A server's log goes on with the next test.
        let awaited = |session: &Session| {
            (session.is_iperf3 || session.asks && !session.serves)
                && session.streams.iter().any(|s| s.id == id && !s.announced)
        };
        if self
            .sessions
            .last()
            .is_some_and(|session| session.has_figures() && !awaited(session))
        {
            let mut next = self.sessions.last().map(|session| session.successor(number));
            // Another connection is still waiting for its figures: which were made together is not known.
            let is_waiting = |session: &Session| session.streams.iter().any(|s| !s.has_figures());
            if let (Some(next), Some(last)) = (&mut next, self.sessions.last_mut().filter(|s| is_waiting(s)))
            {
                (next.overlaps, last.overlaps) = (true, true);
            }
            self.sessions.extend(next);
            (self.summary, self.report_of) = (false, None);
        }
        let utc = self.context.utc_offset_s;
        let session = self.session(number);
        session.is_iperf3 |= link == "to";
        if let Some((_, at)) = text.rsplit_once(") on ") {
            let zone = if at.ends_with("(UTC)") { Some(0) } else { utc };
            session.at = session.at.or_else(|| when::iso8601(at.split(" (").next()?, zone));
        }
        if text.contains("icwnd/mss/irtt=") {
            session.udp = Some(false);
        }
        let mut stream = Stream {
            id: id.to_owned(),
            announced: true,
            reverse: text.contains("(reverse)"),
            local: host(local),
            remote: host(remote),
            local_port: Some(local_port),
            remote_port: Some(remote_port),
            ..Stream::default()
        };
        handshake(&mut stream, text);
        // Of which of the two ways it is, no line tells.
        stream.rtt_ns = stream.rtt_ns.filter(|_| !text.contains("(full-duplex)"));
        match session.streams.iter_mut().find(|other| other.id == id) {
            Some(other) if !other.announced => {
                (stream.slices, stream.tagged) = (std::mem::take(&mut other.slices), other.tagged);
                *other = stream;
            }
            // The same line twice.
            Some(other)
                if other.remote_port == stream.remote_port && other.local_port == stream.local_port => {}
            _ => session.streams.push(stream),
        }
        true
    }

    /// The stream of this id: in the newest session that has it, else a new one. `None`: too many.
    fn stream(&mut self, number: u64, id: &str, role: Option<&str>) -> Option<&mut Stream> {
        let tagged = way_of_role(role);
        let is_it = |stream: &Stream| stream.id == id && (stream.tagged.is_none() || stream.tagged == tagged);
        // The newest test that has one way of a connection has both.
        let is_of = |stream: &Stream| {
            stream.base() == base(id) && (stream.tagged.is_none() || stream.tagged == tagged)
        };
        let is_sum = id.starts_with("SUM");
        self.session(number);
        let last = self.sessions.len().saturating_sub(1);
        let recent = self.sessions.len().saturating_sub(RECENT_SESSIONS);
        let of_stream = self
            .sessions
            .iter()
            .skip(recent)
            .rposition(|session| session.streams.iter().any(is_of));
        let home = match of_stream {
            // iperf3 makes one test after the other.
            Some(place) if !is_sum && !self.sessions.last().is_some_and(|last| last.is_iperf3) => {
                place + recent
            }
            _ => last,
        };
        let session = self.sessions.get_mut(home)?;
        session.is_iperf3 |= role.is_some();
        let new = session.unannounced(id);
        let list = if is_sum {
            &mut session.sums
        } else {
            &mut session.streams
        };
        let place = list.iter().position(is_it).unwrap_or(list.len());
        if place == list.len() && place < MOST_STREAMS {
            list.push(new);
        }
        let stream = list.get_mut(place)?;
        stream.tagged = tagged.or(stream.tagged);
        Some(stream)
    }
}

/// iperf 2 sends by a thousand connections at most where people use it; a hostile text must not make the search long.
const MOST_STREAMS: usize = 1024;
/// Lines of one connection stand close together, even in a server's log.
const RECENT_SESSIONS: usize = 32;

/// A mark without its row.
fn is_mark(line: &str) -> bool {
    matches!(line.trim_ascii(), "sender" | "receiver")
}

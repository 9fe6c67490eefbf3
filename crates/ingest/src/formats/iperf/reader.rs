//! Lines of iperf to sessions.

use super::row::{self, Row};
use super::session::{Figures, Session, Stream, Way};
use crate::Context;
use crate::block::Findings;
use crate::units::{Kilo, ns_of_seconds, size_bytes, split};
use crate::when;
use evidence::Node;

/// What the columns behind the rate are, from the header above.
#[derive(Debug, Clone, Copy, Default)]
struct Columns {
    retransmits: bool,
    /// iperf 2 with `-e`: writes, retries, window and round-trip time.
    enhanced: bool,
    jitter: bool,
    datagrams: bool,
}

pub(super) struct Reader<'a> {
    context: &'a Context,
    sessions: Vec<Session>,
    columns: Columns,
    /// iperf3 has printed the header of its summary.
    summary: bool,
    after_dashes: bool,
    /// The stream of which the server's report follows.
    server_report: Option<String>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self {
            context,
            sessions: Vec::new(),
            columns: Columns::default(),
            summary: false,
            after_dashes: false,
            server_report: None,
        }
    }

    pub(super) fn take(&mut self, number: u64, line: &str, findings: &mut Findings) {
        match row::id(line) {
            Some(("ID", _, header)) => self.header(header),
            Some((id, role, rest)) => {
                if !self.of_stream(number, id, role, rest) {
                    findings.complain(number, "a line of iperf of which the figures are not understood");
                }
            }
            None => self.of_session(number, line, findings),
        }
        self.after_dashes = line.starts_with("- - -");
        if let Some(session) = self.sessions.last_mut().filter(|_| !line.is_empty()) {
            session.lines.1 = number;
        }
    }

    pub(super) fn finish(self) -> Vec<Session> {
        let mut sessions = self.sessions;
        for session in sessions.iter_mut().filter(|session| !session.is_iperf3) {
            let whole = session.clone();
            for stream in session.streams.iter_mut().chain(&mut session.sums) {
                take_total(stream, whole.way(stream));
            }
        }
        sessions
    }

    fn header(&mut self, header: &str) {
        let has = |name: &str| header.contains(name);
        self.columns = Columns {
            retransmits: has("Retr"),
            enhanced: has("Rtry"),
            jitter: has("Jitter"),
            datagrams: has("Total Datagrams") && !has("Jitter"),
        };
        self.summary = self.after_dashes;
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
        if let Some(rest) = line
            .strip_prefix("Client connecting to ")
            .or_else(|| line.strip_prefix("Connecting to host "))
        {
            let session = self.fresh_session(number);
            session.named = rest.split([',', ' ']).next().map(str::to_owned);
            session.server.get_or_insert(false);
            session.is_iperf3 |= line.starts_with("Connecting");
            heading(session, rest);
        } else if let Some(rest) = line.strip_prefix("Server listening on ") {
            let session = self.fresh_session(number);
            session.server = Some(true);
            heading(session, rest);
        } else if line.starts_with("Accepted connection from ") {
            let session = self.fresh_session(number);
            session.server = Some(true);
            session.is_iperf3 = true;
        } else if line.starts_with("iperf3: ") || line.starts_with("iperf: ") {
            self.session(number).interrupted = true;
            findings.complain(number, format!("iperf itself says: {line}"));
        } else {
            self.of_settings(number, line);
        }
    }

    fn of_settings(&mut self, number: u64, line: &str) {
        let (name, value) = line.split_once([':', ' ']).unwrap_or((line, ""));
        let value = value.trim();
        match name {
            "Reverse" => self.session(number).reverse = true,
            "iperf" if value.starts_with('3') => {
                let session = self.fresh_session(number);
                session.is_iperf3 = true;
                session.tool = value.split(' ').next().map(|version| format!("iperf3 {version}"));
            }
            "Time" => self.session(number).at = when::rfc5322(value),
            "TCP" if value.starts_with("window size:") => {
                self.session(number).window_bytes = window(value);
            }
            "TCP" if value.starts_with("MSS:") && !value.contains("default") => {
                self.session(number).mss_bytes =
                    row::word(value.trim_start_matches("MSS:")).and_then(|w| w.0.parse().ok());
            }
            "Starting" if value.contains("protocol: UDP") => self.session(number).udp = Some(true),
            "snd_tcp_congestion" => self.session(number).congestion_control = Some(value.to_owned()),
            _ => {}
        }
    }

    /// A line that begins with a stream's id. `false`: not understood.
    fn of_stream(&mut self, number: u64, id: &str, role: Option<&str>, rest: &str) -> bool {
        let text = rest.trim();
        if text.starts_with("local ") {
            return self.connection(number, id, text);
        }
        if text.starts_with("Server Report") {
            self.server_report = Some(id.to_owned());
            return true;
        }
        let (columns, summary) = (self.columns, self.summary);
        if let Some(row) = row::figures(rest) {
            let report = self.server_report.take_if(|of| of == id).is_some();
            let Some(stream) = self.stream(number, id, role) else {
                return false;
            };
            place(stream, row, columns, summary, report);
            return true;
        }
        self.remark(number, id, role, text)
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
            return ["WARNING", "Sent", "MSS size", "Interval", "Final", "Trip-times"]
                .iter()
                .any(|known| text.starts_with(known));
        }
        let Some(stream) = self.stream(number, id, role) else {
            return false;
        };
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
        if self.sessions.last().is_some_and(Session::has_figures) {
            let next = self.sessions.last().map(|session| session.successor(number));
            self.sessions.extend(next);
            self.summary = false;
        }
        let utc = self.context.utc_offset_s;
        let session = self.session(number);
        session.is_iperf3 |= link == "to";
        if let Some((_, at)) = text.rsplit_once(") on ") {
            let zone = if at.ends_with("(UTC)") { Some(0) } else { utc };
            session.at = session.at.or_else(|| when::iso8601(at.split(" (").next()?, zone));
        }
        let mut stream = Stream {
            id: id.to_owned(),
            announced: true,
            reverse: text.contains("(reverse)"),
            local: host(local),
            remote: host(remote),
            local_port: local_port.parse().ok(),
            remote_port: remote_port.parse().ok(),
            ..Stream::default()
        };
        handshake(&mut stream, text);
        session.streams.push(stream);
        true
    }

    /// The stream of this id: in the newest session that has it, else a new one. `None`: too many.
    fn stream(&mut self, number: u64, id: &str, role: Option<&str>) -> Option<&mut Stream> {
        let tagged = role.and_then(|role| match role.as_bytes().first() {
            Some(b'T') => Some(Way::Out),
            Some(b'R') => Some(Way::In),
            _ => None,
        });
        let is_it = |stream: &Stream| stream.id == id && (stream.tagged.is_none() || stream.tagged == tagged);
        let is_sum = id.starts_with("SUM");
        self.session(number);
        let last = self.sessions.len().saturating_sub(1);
        let recent = self.sessions.len().saturating_sub(RECENT_SESSIONS);
        let of_stream = self
            .sessions
            .iter()
            .skip(recent)
            .rposition(|session| session.streams.iter().any(is_it));
        let home = match of_stream {
            Some(place) if !is_sum => place + recent,
            _ => last,
        };
        let session = self.sessions.get_mut(home)?;
        let base = id.trim_start_matches('*');
        let sibling = session
            .streams
            .iter()
            .find(|stream| stream.id.trim_start_matches('*') == base)
            .or(session.streams.first());
        let new = Stream::beside(sibling, id);
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
        stream.tagged = tagged;
        Some(stream)
    }
}

/// iperf 2 sends by a thousand connections at most where people use it; a hostile text must not make the search long.
const MOST_STREAMS: usize = 1024;
/// Lines of one connection stand close together, even in a server's log.
const RECENT_SESSIONS: usize = 32;

/// `10.0.0.2, TCP port 5001`, `TCP port 5001`, `5201`
fn heading(session: &mut Session, text: &str) {
    session.udp = session.udp.or_else(|| {
        let (udp, tcp) = (text.contains("UDP port"), text.contains("TCP port"));
        (udp || tcp).then_some(udp)
    });
    let port = text.rsplit_once("port ").map_or(text, |(_, port)| port);
    session.port = row::word(port).and_then(|(port, _)| port.trim_matches(',').parse().ok());
}

/// What was asked for: `window size:  512 KByte (WARNING: requested  256 KByte)`, `2.00 MByte`; nothing for a default.
fn window(text: &str) -> Option<u64> {
    let asked = match text.split_once("requested") {
        Some((_, asked)) => asked.trim_end_matches(')'),
        None if text.contains('(') => return None,
        None => text.split_once(':')?.1,
    };
    let (number, unit) = split(asked)?;
    size_bytes(number, unit, Kilo::Binary)
}

/// `(icwnd/mss/irtt=319/32741/27)`: the round-trip time of the handshake in microseconds.
fn handshake(stream: &mut Stream, text: &str) {
    let Some((_, figures)) = text.split_once("icwnd/mss/irtt=") else {
        return;
    };
    let mut figures = figures.split([')', '/']).skip(1);
    stream.mss_bytes = figures.next().and_then(|mss| mss.parse().ok());
    let us: Option<u64> = figures.next().and_then(|us| us.parse().ok());
    stream.rtt_ns = us.and_then(|us| us.checked_mul(1_000));
}

/// `127.0.0.1%lo`
fn host(text: &str) -> Node {
    Node::read(text.split('%').next().unwrap_or(text))
}

fn place(stream: &mut Stream, row: Row<'_>, columns: Columns, summary: bool, report: bool) {
    if row.rest.ends_with("(omitted)") {
        return;
    }
    let figures = figures(row, columns);
    if report || row.rest.ends_with("receiver") {
        stream.received = Some(figures);
    } else if row.rest.ends_with("sender") {
        // Nobody told the sender of loss and jitter: iperf3 prints 0 for both in its line.
        stream.sent = Some(Figures {
            lost: None,
            jitter_ns: None,
            ..figures
        });
    } else if summary {
        // Before iperf3 3.7 one line of UDP holds the sender's rate and what the receiver missed.
        stream.sent = Some(figures);
    } else {
        stream.prints_as_sender |= columns.retransmits || columns.datagrams;
        stream.prints_as_receiver |= columns.jitter;
        stream.slices.push(figures);
    }
}

fn figures(row: Row<'_>, columns: Columns) -> Figures {
    let mut figures = Figures {
        start_ns: row.start_ns,
        end_ns: row.end_ns,
        rate_bps: row.rate_bps,
        ..Figures::default()
    };
    let first = row::word(row.rest);
    let count = first.and_then(|(word, _)| word.parse().ok());
    if columns.enhanced {
        let mut words = row.rest.split_ascii_whitespace().skip(1);
        figures.retransmits = words.next().and_then(|retries| retries.parse().ok());
        let (cwnd, rtt) = words.next().and_then(|word| word.split_once('/')).unzip();
        figures.cwnd_bytes = cwnd.and_then(kilobytes);
        let us: Option<u64> = rtt.and_then(|rtt| rtt.split('(').next()?.parse().ok());
        figures.rtt_ns = us.and_then(|us| us.checked_mul(1_000));
    } else if columns.jitter {
        let ms: Option<f64> = first.and_then(|(word, _)| word.parse().ok());
        figures.jitter_ns = ms.and_then(|ms| ns_of_seconds(ms / 1e3));
        let (lost, datagrams) = row::lost_of_total(row.rest).unzip();
        (figures.lost, figures.datagrams) = (lost, datagrams);
    } else if columns.datagrams {
        figures.datagrams = count;
    } else if columns.retransmits {
        figures.retransmits = count;
        figures.cwnd_bytes = first.and_then(|(_, rest)| {
            let (number, unit) = split(rest)?;
            size_bytes(number, unit, Kilo::Binary).filter(|_| !unit.is_empty())
        });
    }
    figures
}

/// `3325K`
fn kilobytes(text: &str) -> Option<u64> {
    let kilobytes: u64 = text.strip_suffix('K')?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// iperf 2 does not mark its total: it is the last line, and begins where the first slice does.
fn take_total(stream: &mut Stream, way: Way) {
    let (Some(first), Some(last)) = (stream.slices.first().copied(), stream.slices.last().copied()) else {
        return;
    };
    let longest = stream.slices.iter().all(|slice| slice.end_ns <= last.end_ns);
    let total = last.start_ns == first.start_ns && longest;
    if !total {
        return;
    }
    stream.slices.pop();
    match way {
        Way::Out => stream.sent = stream.sent.or(Some(last)),
        Way::In => stream.received = stream.received.or(Some(last)),
    }
}

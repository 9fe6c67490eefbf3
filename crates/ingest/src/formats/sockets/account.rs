//! The words behind a connection, and those of the lines below it.

use super::figures::{ASIDE, FIELDS, KEPT, figure};
use crate::findings::Findings;
use crate::units::{Kilo, rate_bps, split};
use evidence::{RateBps, SocketState, TcpAccount};
use std::collections::BTreeSet;

/// The connections of a block, as their lines come. Lines that were wrapped, by a mail or a narrow terminal, stand below
/// their connection like those that `ss` itself puts there.
#[derive(Default)]
pub(super) struct Accounts {
    done: Vec<SocketState>,
    open: Option<Open>,
    /// What comes is of a socket that is passed over.
    is_left: bool,
}

/// A connection of which lines may come.
struct Open {
    connection: SocketState,
    /// The names of the figures so far: one that comes again is of a connection that is not named, and so is the rest.
    seen: BTreeSet<String>,
    is_lost: bool,
    /// Within the names of programs, which may hold blanks: `users:(("a b",pid=1,fd=2))`.
    is_named: bool,
    /// Seen so far, in lines that were wrapped perhaps.
    options: Options,
}

impl Accounts {
    /// A connection, the lines of which come next.
    pub(super) fn open(&mut self, connection: SocketState) {
        self.leave(false);
        self.open = Some(Open {
            connection,
            seen: BTreeSet::new(),
            is_lost: false,
            is_named: false,
            options: Options::default(),
        });
    }

    /// What comes next is of no connection, and passed over or not.
    pub(super) fn leave(&mut self, is_left: bool) {
        if let Some(open) = self.open.take() {
            self.done.push(open.into_connection());
        }
        self.is_left = is_left;
    }

    /// Takes the words behind a connection, or those of a line below it.
    pub(super) fn take(&mut self, text: &str, findings: &mut Findings, number: u64) {
        // `grep -A 1` parts what it found.
        if text.trim_ascii().is_empty() || text.trim_ascii() == "--" || self.is_left {
            return;
        }
        let again = |open: &Open| {
            open.is_lost
                || text
                    .split_ascii_whitespace()
                    .filter_map(|word| word.split_once(':'))
                    .any(|(name, _)| open.seen.contains(name))
        };
        match self.open.as_mut() {
            Some(open) if !again(open) => open.take(text, findings, number),
            open => {
                findings.complain(number, "ss prints figures of a connection that it did not name");
                if let Some(open) = open {
                    open.is_lost = true;
                }
            }
        }
    }

    /// All connections.
    pub(super) fn close(mut self) -> Vec<SocketState> {
        self.leave(false);
        self.done
    }
}

/// Whether a line looks like one of an account that was wrapped: it begins with one of its words.
pub(super) fn is_account(line: &str) -> bool {
    let is_figure = |word: &str| {
        word.split_once(':').is_some_and(|(name, value)| {
            !value.is_empty() && (FIELDS.contains(&name) || KEPT.contains(&name) || ASIDE.contains(&name))
        })
    };
    if line.trim_ascii() == "--" {
        return true;
    }
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("send" | "pacing_rate" | "delivery_rate") => {
            words.next().is_some_and(|word| rate(word).is_some())
        }
        Some("ts" | "sack" | "app_limited") => words.take(3).any(is_figure),
        Some(first) => {
            is_figure(first)
                || is_name(first) && words.next().is_some_and(is_figure) && line.contains(" rtt:")
        }
        None => false,
    }
}

impl Open {
    fn take(&mut self, text: &str, findings: &mut Findings, number: u64) {
        let connection = &mut self.connection;
        let mut words = text.split_ascii_whitespace();
        let mut unknown = Vec::new();
        while let Some(word) = words.next() {
            if self.is_named {
                self.is_named = !word.contains("))");
                continue;
            }
            match word {
                _ if word.starts_with("users:((") => self.is_named = !word.contains("))"),
                _ if word.starts_with("cgroup:/") => {}
                "ts" => self.options.timestamps = true,
                "sack" => self.options.sack = true,
                "ecn" | "ecnseen" => self.options.ecn = true,
                "app_limited" => connection.app_limited = true,
                "fastopen" | "<->" | "-->" | "<--" | "---" => {}
                "pacing_rate" => {
                    let next = words.clone().next();
                    connection.pacing_rate_bps = told_rate(&mut words, findings, number, word);
                    // The application's own limit stands behind: `90Mbps/100Mbps`.
                    if let Some((_, most)) = next.and_then(|rates| rates.split_once('/')) {
                        connection
                            .other
                            .insert("max_pacing_rate".to_owned(), most.to_owned());
                    }
                }
                "delivery_rate" => {
                    connection.delivery_rate_bps = told_rate(&mut words, findings, number, word);
                }
                "send" | "snd" => {
                    told_rate(&mut words, findings, number, word);
                }
                // Of a protocol above TCP: `tcp-ulp-tls version: 1.3 cipher: aes-gcm-128 rxconf: sw`.
                "version:" | "cipher:" | "rxconf:" | "txconf:" => drop(words.next()),
                _ => match word.split_once(':') {
                    Some((name, value)) => {
                        if !figure(connection, name, value) {
                            findings.complain(number, format!("not understood: {word}"));
                        }
                        self.seen.insert(name.to_owned());
                    }
                    None if is_known(word) => {}
                    // The first bare word in front of a figure is the congestion control.
                    None if connection.congestion_control.is_none()
                        && is_name(word)
                        && words.clone().next().is_some_and(|next| next.contains(':')) =>
                    {
                        connection.congestion_control = Some(word.to_owned());
                    }
                    None => unknown.push(word),
                },
            }
        }
        if unknown
            .iter()
            .any(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
        {
            findings.complain(number, format!("not understood: {}", unknown.join(" ")));
        }
        if text.contains(" cwnd:") || text.contains("\tcwnd:") {
            self.complete(text);
        }
    }

    /// What `ss` leaves out is none where what it prints in front and behind stands in one line: of wrapped lines one may be
    /// lost.
    fn complete(&mut self, text: &str) {
        let account = &mut self.connection.account;
        let is_whole = text.contains(" minrtt:") || text.contains(" rcv_space:");
        if text.starts_with([' ', '\t']) {
            self.options.note(account);
        }
        if is_whole {
            account.retransmitted_segments.get_or_insert(0);
        }
        if is_whole && account.busy_us.is_some() {
            account.receive_window_limited_us.get_or_insert(0);
            account.send_buffer_limited_us.get_or_insert(0);
        }
    }

    fn into_connection(self) -> SocketState {
        let mut connection = self.connection;
        // An option that is printed is used, wherever the line was wrapped.
        for (is_used, option) in [
            (self.options.timestamps, &mut connection.account.timestamps),
            (self.options.sack, &mut connection.account.sack),
            (self.options.ecn, &mut connection.account.ecn),
        ] {
            if is_used {
                option.get_or_insert(true);
            }
        }
        let is_listening = matches!(connection.state.as_deref(), Some("LISTEN" | "UNCONN"));
        if is_listening {
            // What a listening socket would begin a connection with is no account of one.
            connection.account = TcpAccount::default();
        }
        connection
    }
}

/// Words that bear on nothing here: tunnels of the connection's own, options of the socket.
fn is_known(word: &str) -> bool {
    word.starts_with("tcp-ulp-")
        || matches!(
            word,
            "(" | ")" | "inet-sockopt:" | "remote_key" | "has_ulp" | "*" | "transparent" | "fallback"
        )
}

fn told_rate<'a>(
    words: &mut impl Iterator<Item = &'a str>,
    findings: &mut Findings,
    number: u64,
    name: &str,
) -> Option<RateBps> {
    let word = words.next()?;
    let rate = rate(word.split('/').next().unwrap_or(word));
    if rate.is_none() {
        findings.complain(number, format!("{name} is no rate: {word}"));
    }
    rate
}

fn is_name(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && !word.bytes().all(|b| b.is_ascii_digit())
}

fn rate(word: &str) -> Option<RateBps> {
    let (number, unit) = split(word)?;
    rate_bps(number, unit, Kilo::Thousand)
}

/// Options that the connection uses. Some versions print them with `-o` alone: none printed tells nothing.
#[derive(Default)]
struct Options {
    timestamps: bool,
    sack: bool,
    ecn: bool,
}

impl Options {
    fn note(&self, account: &mut TcpAccount) {
        if self.timestamps || self.sack || self.ecn {
            account.timestamps = Some(self.timestamps);
            account.sack = Some(self.sack);
            account.ecn = Some(self.ecn);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> SocketState {
        let mut findings = Findings::default();
        let mut accounts = Accounts::default();
        accounts.open(SocketState::default());
        accounts.take(text, &mut findings, 1);
        accounts.close().remove(0)
    }

    #[test]
    fn what_ss_leaves_out_is_zero_only_where_it_must_be() {
        let busy = of("\t cubic rto:204 cwnd:10 busy:1500ms rwnd_limited:8ms(0.5%) retrans:1/12 rcv_space:1");
        assert_eq!(busy.congestion_control.as_deref(), Some("cubic"));
        assert_eq!(busy.account.retransmitted_segments, Some(12));
        assert_eq!(busy.account.receive_window_limited_us, Some(8_000));
        assert_eq!(busy.account.send_buffer_limited_us, Some(0));
        assert_eq!((busy.account.sack, busy.account.dsack_duplicates), (None, None));

        let timer = of(" timer:(on,204ms,0)");
        assert_eq!(
            timer.account,
            TcpAccount::default(),
            "a line without figures tells none"
        );
    }

    #[test]
    fn buffers_and_models() {
        let read = of(
            " skmem:(r0,rb131072,t0,tb87040,f0,w0,o0,bl0,d17) bbr wscale:7,7 bbr:(bw:9.4Gbps,mrtt:0.5) cwnd:10",
        );
        assert_eq!(read.other.get("skmem.d").map(String::as_str), Some("17"));
        assert_eq!(
            read.other.get("bbr").map(String::as_str),
            Some("bw:9.4Gbps,mrtt:0.5")
        );
        assert_eq!(read.congestion_control.as_deref(), Some("bbr"));
    }
}

//! The words behind a connection, and those of the lines below it.

use crate::block::Findings;
use crate::units::{Kilo, rate_bps, split, whole};
use evidence::{RateBps, SocketState, TcpAccount};

/// Reads the words behind a connection, and those of the lines below it.
pub(super) fn account(connection: &mut SocketState, text: &str, findings: &mut Findings, number: u64) {
    let is_listening = matches!(connection.state.as_deref(), Some("LISTEN" | "UNCONN"));
    let mut words = text.split_ascii_whitespace();
    let figures = text.contains(" cwnd:") || text.contains("\tcwnd:");
    let mut options = Options::default();
    let mut unknown = Vec::new();
    let mut named = None;
    while let Some(word) = words.next() {
        // Names of programs may hold blanks: `users:(("a b",pid=1,fd=2))`.
        if let Some(opened) = named.take() {
            named = (!word.contains("))")).then_some(opened);
            continue;
        }
        match word {
            _ if word.starts_with("users:((") => named = (!word.contains("))")).then_some(()),
            _ if word.starts_with("cgroup:/") => {}
            "ts" => options.timestamps = true,
            "sack" => options.sack = true,
            "ecn" | "ecnseen" => options.ecn = true,
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
            "delivery_rate" => connection.delivery_rate_bps = told_rate(&mut words, findings, number, word),
            "send" | "snd" => {
                told_rate(&mut words, findings, number, word);
            }
            _ => match word.split_once(':') {
                Some((name, value)) => {
                    if !figure(connection, name, value) {
                        findings.complain(number, format!("not understood: {word}"));
                    }
                }
                // The first bare word in front of the figures is the congestion control.
                None if figures && connection.congestion_control.is_none() && is_name(word) => {
                    connection.congestion_control = Some(word.to_owned());
                }
                None if is_known(word) => {}
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
    if is_listening {
        // What a listening socket would begin a connection with is no account of one.
        connection.account = TcpAccount::default();
    } else if figures {
        options.note(&mut connection.account);
        let account = &mut connection.account;
        // What `ss` leaves out is zero where what it prints behind is there: a line may be cut.
        let is_whole = text.contains(" minrtt:") || text.contains(" rcv_space:");
        if is_whole {
            account.retransmitted_segments.get_or_insert(0);
        }
        if is_whole && account.busy_us.is_some() {
            account.receive_window_limited_us.get_or_insert(0);
            account.send_buffer_limited_us.get_or_insert(0);
        }
    }
}

/// Words that bear on nothing here: tunnels of the connection's own, options of the socket.
fn is_known(word: &str) -> bool {
    word.starts_with("tcp-ulp-")
        || matches!(word, "(" | ")" | "inet-sockopt:" | "remote_key" | "has_ulp" | "*")
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

/// Figures without a field that bear on transfers, kept in the tool's words: `rto`, what is on the way, lost or held back,
/// timers that backed off, and windows.
const KEPT: [&str; 27] = [
    "rto",
    "backoff",
    "ato",
    "rcvmss",
    "advmss",
    "bytes_sent",
    "segs_out",
    "segs_in",
    "data_segs_in",
    "lastsnd",
    "lastrcv",
    "lastack",
    "delivered",
    "unacked",
    "lost",
    "sacked",
    "fackets",
    "notsent",
    "rcv_rtt",
    "rcv_ssthresh",
    "rcv_wnd",
    "rehash",
    "reord_seen",
    "timer",
    "bbr",
    "dctcp",
    "vegas",
];

/// Takes a figure; false for one that has a place and is not understood.
fn figure(connection: &mut SocketState, name: &str, value: &str) -> bool {
    let account = &mut connection.account;
    let count = || value.parse::<u64>().ok();
    let narrow = || value.parse::<u32>().ok();
    fn set<T>(field: &mut Option<T>, value: Option<T>) -> bool {
        let understood = value.is_some();
        *field = value;
        understood
    }
    match name {
        "wscale" => {
            let scales = value.split_once(',');
            let scales =
                scales.and_then(|(sent, received)| Some((sent.parse().ok()?, received.parse().ok()?)));
            set(&mut account.window_scale, scales)
        }
        "rtt" => set(
            &mut account.rtt_us,
            value.split('/').next().and_then(microseconds),
        ),
        "minrtt" => set(&mut account.min_rtt_us, microseconds(value)),
        "mss" => set(&mut account.send_mss_bytes, narrow()),
        "pmtu" => set(&mut account.path_mtu_bytes, narrow()),
        "cwnd" => set(&mut account.cwnd_segments, narrow()),
        "ssthresh" => set(&mut account.ssthresh_segments, narrow()),
        "bytes_retrans" => set(&mut account.retransmitted_bytes, count()),
        "bytes_acked" => set(&mut account.bytes_acked, count()),
        "bytes_received" => set(&mut account.bytes_received, count()),
        "data_segs_out" => set(&mut account.data_segments_out, count()),
        // Now on their way / since the connection began.
        "retrans" => {
            let all = value.split_once('/').and_then(|(_, all)| all.parse().ok());
            set(&mut account.retransmitted_segments, all)
        }
        "dsack_dups" => set(&mut account.dsack_duplicates, count()),
        "rcv_ooopack" => set(&mut account.out_of_order_segments, count()),
        "delivered_ce" => set(&mut account.ecn_marked_segments, count()),
        "reordering" => set(&mut account.reordering_segments, narrow()),
        "rcv_space" => set(&mut account.receive_space_bytes, narrow()),
        "snd_wnd" => set(&mut account.peer_window_bytes, count()),
        "busy" => set(&mut account.busy_us, limited_us(value)),
        "rwnd_limited" => set(&mut account.receive_window_limited_us, limited_us(value)),
        "sndbuf_limited" => set(&mut account.send_buffer_limited_us, limited_us(value)),
        "skmem" => {
            memory(connection, value);
            true
        }
        _ => {
            if KEPT.contains(&name) {
                connection
                    .other
                    .insert(name.to_owned(), value.trim_matches(['(', ')']).to_owned());
            }
            true
        }
    }
}

/// `(r0,rb131072,t0,tb3939840,f0,w0,o0,bl0,d0)`: the buffers, and what was dropped for want of room in them.
fn memory(connection: &mut SocketState, value: &str) {
    for part in value.trim_matches(['(', ')']).split(',') {
        let digits = part
            .find(|letter: char| letter.is_ascii_digit())
            .unwrap_or(part.len());
        if let Some((name @ ("rb" | "tb" | "bl" | "d"), figure)) = part.split_at_checked(digits)
            && figure.parse::<u64>().is_ok()
        {
            connection
                .other
                .insert(format!("skmem.{name}"), figure.to_owned());
        }
    }
}

/// Milliseconds with a fraction.
fn microseconds(ms: &str) -> Option<u32> {
    let ms: f64 = ms.parse().ok()?;
    u32::try_from(whole(ms * 1e3)?).ok()
}

/// `8ms(0.5%)`
fn limited_us(text: &str) -> Option<u64> {
    let (ms, _) = text.split_once("ms")?;
    ms.parse::<u64>().ok()?.checked_mul(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> SocketState {
        let mut read = SocketState::default();
        account(&mut read, text, &mut Findings::default(), 1);
        read
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

//! `ss -ti`: the kernel's account of each TCP connection of a host.
//!
//! `ss` leaves out what is zero. Where every kernel that prints the rest has the figure, its absence is read as zero;
//! elsewhere it stays unknown.

use crate::Context;
use crate::block::{Block, Findings, Format, Group};
use crate::prompt::command_line;
use crate::units::{Kilo, rate_bps, split, whole};
use evidence::{Payload, RateBps, SocketState, Sockets, TcpAccount};

pub(crate) static FORMAT: Format = Format {
    name: "ss",
    group: Group::Hosts,
    reads: "the kernel's account of each connection: `ss -ti`, also with `-n`, `-m`, `-o`, `-O`, `-H`",
    first: "SNEFTCLt",
    has_command: true,
    starts,
    continues: |block, line| {
        line.starts_with([' ', '\t']) && !line.trim().is_empty()
            || state_line(line).is_some()
            || is_header(line) && block.len() == 1 && block.first().is_some_and(is_command)
    },
    takes_in: None,
    read,
};

const STATES: [&str; 11] = [
    "ESTAB",
    "SYN-SENT",
    "SYN-RECV",
    "FIN-WAIT-1",
    "FIN-WAIT-2",
    "TIME-WAIT",
    "CLOSE-WAIT",
    "LAST-ACK",
    "LISTEN",
    "CLOSING",
    "UNCONN",
];

fn starts(line: &str) -> bool {
    match line.as_bytes().first() {
        Some(b'S' | b'N') if is_header(line) => true,
        Some(b'E' | b'S' | b'F' | b'T' | b'C' | b'L' | b't') => state_line(line).is_some(),
        Some(b'[' | b'$' | b'%' | b'#' | b'a'..=b'z') => is_command(line),
        _ => false,
    }
}

fn is_header(line: &str) -> bool {
    (line.starts_with("State") || line.starts_with("Netid")) && line.contains("Recv-Q")
}

fn is_command(line: &str) -> bool {
    command_line(line).is_some_and(|command| command.arguments_of("ss").is_some())
}

/// `ESTAB 0 1510243 127.0.0.1:37098 127.0.0.1:5201 …`: the own end, the peer, and what follows.
fn state_line(line: &str) -> Option<(&str, &str, &str)> {
    let line = line.strip_prefix("tcp ").unwrap_or(line).trim_start();
    let (state, rest) = line.split_once(' ')?;
    if !STATES.contains(&state) {
        return None;
    }
    let (_, rest) = number(rest)?;
    let (_, rest) = number(rest)?;
    let (local, rest) = word(rest)?;
    let (peer, rest) = word(rest)?;
    (local.contains(':') && peer.contains(':')).then_some((local, peer, rest))
}

fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find([' ', '\t']).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    (!word.is_empty()).then_some((word, rest))
}

fn number(text: &str) -> Option<(u64, &str)> {
    let (word, rest) = word(text)?;
    Some((word.parse().ok()?, rest))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut connections: Vec<SocketState> = Vec::new();
    for (number, line) in block.numbered() {
        if let Some((local, peer, rest)) = state_line(line) {
            connections.push(SocketState {
                local: local.to_owned(),
                peer: peer.to_owned(),
                ..SocketState::default()
            });
            if let Some(connection) = connections.last_mut() {
                account(connection, rest);
            }
        } else if line.starts_with([' ', '\t']) {
            match connections.last_mut() {
                Some(connection) => account(connection, line),
                None => findings.complain(number, "ss prints figures of a connection that it did not name"),
            }
        }
    }
    if !connections.is_empty() {
        findings.record(block, "ss", context.at, Payload::Sockets(Sockets { connections }));
    }
}

/// Reads the words behind a connection, and those of the lines below it.
fn account(connection: &mut SocketState, text: &str) {
    let mut words = text.split_ascii_whitespace().peekable();
    let figures = text.contains(" cwnd:") || text.contains("\tcwnd:");
    let mut options = Options::default();
    while let Some(word) = words.next() {
        match word {
            "ts" => options.timestamps = true,
            "sack" => options.sack = true,
            "ecn" | "ecnseen" => options.ecn = true,
            "app_limited" => connection.app_limited = true,
            "send" | "fastopen" | "cong_sent" => {}
            "pacing_rate" => connection.pacing_rate_bps = words.next().and_then(rate),
            "delivery_rate" => connection.delivery_rate_bps = words.next().and_then(rate),
            _ => match word.split_once(':') {
                Some((name, value)) => figure(&mut connection.account, name, value),
                // The first bare word in front of the figures is the congestion control.
                None if figures && connection.congestion_control.is_none() && is_name(word) => {
                    connection.congestion_control = Some(word.to_owned());
                }
                None => {}
            },
        }
    }
    if figures {
        options.note(&mut connection.account);
        let account = &mut connection.account;
        account.retransmitted_segments.get_or_insert(0);
        if account.busy_us.is_some() {
            account.receive_window_limited_us.get_or_insert(0);
            account.send_buffer_limited_us.get_or_insert(0);
        }
    }
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

fn figure(account: &mut TcpAccount, name: &str, value: &str) {
    let count = || value.parse::<u64>().ok();
    let narrow = || value.parse::<u32>().ok();
    match name {
        "wscale" => {
            account.window_scale = value
                .split_once(',')
                .and_then(|(sent, received)| Some((sent.parse().ok()?, received.parse().ok()?)));
        }
        "rtt" => account.rtt_us = value.split('/').next().and_then(microseconds),
        "minrtt" => account.min_rtt_us = microseconds(value),
        "mss" => account.send_mss_bytes = narrow(),
        "pmtu" => account.path_mtu_bytes = narrow(),
        "cwnd" => account.cwnd_segments = narrow(),
        "ssthresh" => account.ssthresh_segments = narrow(),
        "bytes_retrans" => account.retransmitted_bytes = count(),
        "bytes_acked" => account.bytes_acked = count(),
        "bytes_received" => account.bytes_received = count(),
        "data_segs_out" => account.data_segments_out = count(),
        // Now on their way / since the connection began.
        "retrans" => account.retransmitted_segments = value.split_once('/').and_then(|(_, n)| n.parse().ok()),
        "dsack_dups" => account.dsack_duplicates = count(),
        "rcv_ooopack" => account.out_of_order_segments = count(),
        "delivered_ce" => account.ecn_marked_segments = count(),
        "reordering" => account.reordering_segments = narrow(),
        "rcv_space" => account.receive_space_bytes = narrow(),
        "snd_wnd" => account.peer_window_bytes = count(),
        "busy" => account.busy_us = limited_us(value),
        "rwnd_limited" => account.receive_window_limited_us = limited_us(value),
        "sndbuf_limited" => account.send_buffer_limited_us = limited_us(value),
        _ => {}
    }
}

/// Milliseconds with a fraction.
fn microseconds(ms: &str) -> Option<u32> {
    let ms: f64 = ms.parse().ok()?;
    u32::try_from(whole(ms * 1e3)?).ok()
}

/// `8ms(0.5%)`
fn limited_us(text: &str) -> Option<u64> {
    let ms: u64 = text.split("ms").next()?.parse().ok()?;
    ms.checked_mul(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_a_header_and_connections_are_one_block() {
        let text = "root@a.example:~# ss -tin\nState Recv-Q Send-Q Local Address:Port Peer Address:PortProcess\n\
            ESTAB 0 0 192.0.2.1:35526 192.0.2.2:5201\n\t cubic rtt:20.054/5.713 cwnd:10\n";
        let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
        assert_eq!((records.len(), complaints), (1, Vec::new()));
        assert_eq!(records[0].lines, (1, 4));
        // A second header begins something else.
        let (records, complaints) = crate::import(text.repeat(2).as_bytes(), &Context::default());
        assert_eq!((records.len(), complaints), (2, Vec::new()));
    }

    #[test]
    fn what_ss_leaves_out_is_zero_only_where_it_must_be() {
        let mut busy = SocketState::default();
        account(
            &mut busy,
            "\t cubic rto:204 cwnd:10 busy:1500ms rwnd_limited:8ms(0.5%) retrans:1/12",
        );
        assert_eq!(busy.congestion_control.as_deref(), Some("cubic"));
        assert_eq!(busy.account.retransmitted_segments, Some(12));
        assert_eq!(busy.account.receive_window_limited_us, Some(8_000));
        assert_eq!(busy.account.send_buffer_limited_us, Some(0));
        assert_eq!((busy.account.sack, busy.account.dsack_duplicates), (None, None));

        let mut timer = SocketState::default();
        account(&mut timer, " timer:(on,204ms,0)");
        assert_eq!(timer, SocketState::default(), "a line without figures tells none");
    }
}

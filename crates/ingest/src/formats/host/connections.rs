//! `netstat` without options but `-a`, `-n`, `-t`, `-u`, `-p`, `-o`, `-A`, `-T`, `-x`: the sockets of a host and what waits in
//! their queues, of Linux, the BSDs, macOS and Windows.

use super::command::{arguments, is_only};
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use evidence::{Payload, SocketState, Sockets};

pub(crate) static FORMAT: Format = Format {
    name: "netstat",
    group: Group::Hosts,
    reads: "sockets, their states and what waits in their queues: Linux, FreeBSD, macOS, Windows",
    first: "ACPn",
    has_command: true,
    marks: Some(|| Marks::of(["Active ", "Proto", "netstat"]).and(ABROAD)),
    starts: |line| {
        is_title(line)
            || line.trim_ascii_start().starts_with("Proto") && columns(line).is_some()
            || is_command(line)
    },
    continues,
    takes_in: None,
    read,
};

fn is_command(line: &str) -> bool {
    arguments(line, "netstat").is_some_and(|mut words| {
        words.all(|word| {
            word.strip_prefix(['-', '/']).is_some_and(|options| {
                !options.is_empty()
                    && options.bytes().all(|byte| b"alntupoebvWwTAxf46c".contains(&byte))
                    && options != "e"
            }) || matches!(word, "inet" | "tcp" | "udp" | "TCP" | "UDP")
        })
    })
}

/// What Windows calls its active connections in German, French, Spanish, Italian, Portuguese.
const ABROAD: [&str; 5] = [
    "Aktive Verbindungen",
    "Connexions actives",
    "Conexiones activas",
    "Connessioni attive",
    "Conex\u{f5}es ativas",
];

/// `Active Internet connections (servers and established)`, `Active Connections`, `Active UNIX domain sockets`.
fn is_title(line: &str) -> bool {
    let line = line.trim_ascii_end();
    line == "Active Connections"
        || ABROAD.contains(&line)
        || line.starts_with("Active Internet connections")
        || line.starts_with("Active Multipath Internet connections")
        || is_local_title(line) && line.starts_with('A')
}

/// Sockets within the host follow.
fn is_local_title(line: &str) -> bool {
    [
        "Active UNIX domain",
        "Active LOCAL (UNIX)",
        "Active kernel ",
        "Active Bluetooth",
        "Active netgraph",
        "Registered kernel ",
    ]
    .iter()
    .any(|title| line.starts_with(title))
}

/// The columns of a table: those in front of the protocol, and what stands between it and the addresses.
#[derive(Debug, Clone, PartialEq)]
struct Columns<'a> {
    before: usize,
    between: Vec<&'a str>,
    has_queues: bool,
    has_state: bool,
}

/// `Proto Recv-Q Send-Q Local Address           Foreign Address         State`
fn columns(line: &str) -> Option<Columns<'_>> {
    if is_head_abroad(line) {
        return Some(Columns {
            before: 0,
            between: Vec::new(),
            has_queues: false,
            has_state: true,
        });
    }
    if !line.contains("Local Address") || !line.contains("Foreign Address") || !line.contains("Proto") {
        return None;
    }
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let before = words.iter().position(|word| *word == "Proto")?;
    let local = words.iter().position(|word| *word == "Local")?;
    let between = words.get(before + 1..local)?.to_vec();
    Some(Columns {
        before,
        has_queues: between == ["Recv-Q", "Send-Q"],
        has_state: words.iter().any(|word| matches!(*word, "State" | "(state)")),
        between,
    })
}

/// The columns of Windows in another language: `  Proto  Lokale Adresse         Remoteadresse          Status`.
fn is_head_abroad(line: &str) -> bool {
    let mut parts = line
        .split("  ")
        .map(str::trim_ascii)
        .filter(|part| !part.is_empty());
    line.starts_with("  ")
        && parts
            .next()
            .is_some_and(|first| first == "Proto" || !first.is_ascii())
        && (3..=5).contains(&parts.clone().count())
        && !parts.any(|part| part == "Local Address" || part.bytes().any(|byte| byte.is_ascii_digit()))
}

/// The title that Windows has above them, in whatever language.
fn is_title_abroad(line: &str) -> bool {
    (1..=4).contains(&line.split_ascii_whitespace().count())
        && !line.starts_with(' ')
        && !line.bytes().any(|byte| byte.is_ascii_digit() || byte == b':')
}

/// What `ss` calls the same state; German is the one language in which Windows translates them.
fn state(word: &str) -> Option<&'static str> {
    const STATES: [(&str, &str); 26] = [
        ("HERGESTELLT", "ESTAB"),
        ("ABH\u{d6}REN", "LISTEN"),
        ("WARTEND", "TIME-WAIT"),
        ("SCHLIESSEN_WARTEN", "CLOSE-WAIT"),
        ("SYN_GESENDET", "SYN-SENT"),
        ("ESTABLISHED", "ESTAB"),
        ("LISTEN", "LISTEN"),
        ("LISTENING", "LISTEN"),
        ("TIME_WAIT", "TIME-WAIT"),
        ("CLOSE_WAIT", "CLOSE-WAIT"),
        ("SYN_SENT", "SYN-SENT"),
        ("SYN_RECV", "SYN-RECV"),
        ("SYN_RCVD", "SYN-RECV"),
        ("SYN_RECEIVED", "SYN-RECV"),
        ("FIN_WAIT1", "FIN-WAIT-1"),
        ("FIN_WAIT2", "FIN-WAIT-2"),
        ("FIN_WAIT_1", "FIN-WAIT-1"),
        ("FIN_WAIT_2", "FIN-WAIT-2"),
        ("LAST_ACK", "LAST-ACK"),
        ("CLOSING", "CLOSING"),
        ("CLOSED", "CLOSED"),
        ("CLOSE", "CLOSED"),
        ("BOUND", "CLOSED"),
        ("UNKNOWN", "UNKNOWN"),
        ("DELETE", "CLOSED"),
        ("IDLE", "CLOSED"),
    ];
    STATES
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, state)| *state)
}

/// `tcp4`, `udp46`, `TCP`: the protocol without the version of IP.
fn protocol(word: &str) -> Option<&'static str> {
    const PROTOCOLS: [&str; 8] = ["tcp", "udp", "mptcp", "sctp", "raw", "icm", "udplite", "dccp"];
    let bare = word.trim_end_matches(['4', '6']);
    PROTOCOLS
        .iter()
        .find(|known| known.eq_ignore_ascii_case(bare))
        .copied()
}

/// An address with its port: `192.0.2.1:5201`, `192.0.2.1.5201`, `*.*`, `[::]:0`, `host.example:ssh`.
fn is_end(word: &str) -> bool {
    word.contains([':', '.']) && !word.ends_with(['.']) && !word.contains(['(', '/', '='])
}

/// A row of sockets of other hosts.
fn row<'a>(line: &'a str, columns: &Columns<'a>) -> Option<SocketState> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let words = words.get(columns.before..)?;
    let (first, rest) = words.split_first()?;
    let protocol = protocol(first)?;
    let mut socket = SocketState {
        protocol: (protocol != "tcp").then(|| protocol.to_owned()),
        ..SocketState::default()
    };
    let figures = rest.get(..columns.between.len());
    let numbers: Option<Vec<u64>> =
        figures.and_then(|figures| figures.iter().map(|word| word.parse().ok()).collect());
    let ends = match numbers {
        Some(numbers) => {
            let named = columns.between.iter().zip(&numbers);
            for (name, figure) in named {
                match *name {
                    "Recv-Q" => socket.receive_queue = Some(*figure),
                    "Send-Q" => socket.send_queue = Some(*figure),
                    "Rexmit" => socket.account.retransmitted_segments = Some(*figure),
                    "OOORcv" => socket.account.out_of_order_segments = Some(*figure),
                    _ => {}
                }
            }
            rest.get(columns.between.len()..)?
        }
        // FreeBSD's -T has no figures for UDP.
        None if !columns.has_queues && protocol == "udp" => rest,
        None => return None,
    };
    let [local, peer, rest @ ..] = ends else {
        return None;
    };
    if !is_end(local) || !is_end(peer) {
        return None;
    }
    (*local).clone_into(&mut socket.local);
    (*peer).clone_into(&mut socket.peer);
    socket.state = rest
        .first()
        .filter(|_| columns.has_state)
        .and_then(|word| state(word))
        .map(str::to_owned);
    Some(socket)
}

/// A row of sockets within the host.
fn is_local(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    let Some(first) = words.next() else { return false };
    let is_address = first.len() >= 8 && first.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_kernel = matches!(
        first,
        "kctl" | "kevt" | "unix" | "Proto" | "Socket" | "Address" | "l2cap" | "rfcomm" | "dgram" | "stream"
    );
    let is_control = first.bytes().all(|byte| byte.is_ascii_hexdigit()) && line.contains(" com.");
    is_address || is_kernel || is_control || matches!(first, "id" | "kctlref" | "pcb" | "Proto/ID")
}

/// What Windows prints below a socket with `-b`: ` [svchost.exe]`, `  RpcSs`, and without the right to know it.
fn is_program(line: &str) -> bool {
    let text = line.trim_ascii();
    text.starts_with('[') && text.ends_with(']')
        || text.starts_with("Can not obtain")
        || line.starts_with(' ')
            && !text.is_empty()
            && text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn continues(block: &Block, line: &str) -> bool {
    if line.trim_ascii().is_empty() {
        // Windows parts its title, its columns and nothing else.
        return block.last().is_some_and(|last| {
            let is_of_title = block.len() < 4 && block.first().is_some_and(is_command);
            is_title(last) || is_of_title || last.trim_ascii().is_empty() && block.len() < 3
        });
    }
    if is_title(line) || is_local_title(line) || columns(line).is_some() {
        return true;
    }
    if is_headless(block) {
        return row(line, &columns_of(line)).is_some() || is_program(line) && block.len() > 1;
    }
    if is_only(block, is_command) {
        return block.len() == 2 && is_title_abroad(line);
    }
    // What was found last above decides; it stands a few lines above, or was remembered.
    let table = block
        .memo
        .get()
        .and_then(|place| block.get(place))
        .filter(|head| columns(head).is_some() || is_local_title(head));
    let table = match block
        .last()
        .filter(|last| columns(last).is_some() || is_local_title(last))
    {
        Some(last) => {
            block.memo.set(block.len().checked_sub(1));
            Some(last)
        }
        None => table,
    };
    match table {
        Some(head) => match columns(head) {
            Some(columns) => row(line, &columns).is_some() || is_program(line),
            None => is_local(line),
        },
        None => false,
    }
}

/// Whether a filter behind the command left the heads out, as far as is seen.
fn is_headless(block: &Block) -> bool {
    block
        .first()
        .is_some_and(|first| first.contains('|') && is_command(first))
        && !block.begins_with(4, |line| {
            columns(line).is_some() || is_title(line) || is_local_title(line)
        })
}

/// The columns of a row without heads: all but Windows print how much waits, behind the protocol.
fn columns_of(line: &str) -> Columns<'static> {
    let second = line.split_ascii_whitespace().nth(1);
    let has_queues = second.is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    Columns {
        before: 0,
        between: if has_queues {
            vec!["Recv-Q", "Send-Q"]
        } else {
            Vec::new()
        },
        has_queues,
        has_state: true,
    }
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut table: Option<Columns<'_>> = None;
    let is_headless = is_headless(block);
    let mut connections = Vec::new();
    let (mut is_within, mut understood) = (false, false);
    for (number, line) in block.numbered() {
        if let Some(found) = columns(line) {
            (table, understood) = (Some(found), true);
        } else if is_title(line) || is_local_title(line) {
            is_within = is_local_title(line);
            understood |= is_within;
            table = None;
        } else if line.trim_ascii().is_empty() || number == block.first_line {
        } else if let Some(columns) = table.clone().or_else(|| is_headless.then(|| columns_of(line))) {
            match row(line, &columns) {
                Some(socket) => connections.push(socket),
                None if is_program(line) => {}
                None => findings.unread(number, line),
            }
        } else if !is_within {
            findings.unread(number, line);
        }
    }
    if !connections.is_empty() {
        findings.record(
            block,
            "netstat",
            context.at,
            Payload::Sockets(Sockets { connections }),
        );
    } else if understood {
        findings.nothing_to_say();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_several_systems() {
        let linux =
            columns("Proto Recv-Q Send-Q Local Address           Foreign Address         State").unwrap();
        let read = row(
            "tcp        0   5120 192.0.2.1:5201   198.51.100.2:40000  ESTABLISHED 17/iperf3",
            &linux,
        )
        .unwrap();
        assert_eq!(
            (read.send_queue, read.state.as_deref()),
            (Some(5120), Some("ESTAB"))
        );
        assert!(row("tcp        0   5120 192.0.2.1:5201", &linux).is_none());
        let windows =
            columns("  Proto  Local Address          Foreign Address        State           PID").unwrap();
        let read = row("  UDP    0.0.0.0:123   *:*     1116", &windows).unwrap();
        assert_eq!((read.protocol.as_deref(), read.state), (Some("udp"), None));
        let bsd = columns("Proto Rexmit OOORcv 0-win  Local Address          Foreign Address").unwrap();
        let read = row(
            "tcp4       3      7      0 192.0.2.1.22   198.51.100.2.40000",
            &bsd,
        )
        .unwrap();
        assert_eq!(read.account.retransmitted_segments, Some(3));
    }
}

//! One transfer over time, of any origin: in slices, with whatever is known of each, and what its hosts say limited it.

use crate::names::Names;
use crate::subject::Subject;
use crate::table::{Cell, Row, Table, Tone};
use crate::views::http;
use crate::words;
use evidence::{Nanos, RateBps, TcpAccount, Transfer, TransferInterval, TransferSide, Transport};

/// More rows than this are summed up in longer slices.
pub(crate) const MOST_ROWS: usize = 24;

/// Lengths of slices that people think in, seconds.
const LENGTHS_S: [u64; 14] = [1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1_800, 3_600];

/// Several neighbouring slices together; what no slice tells is `None`.
pub(crate) struct Slice {
    pub(crate) from_s: f64,
    pub(crate) until_s: f64,
    pub(crate) rate_bps: Option<f64>,
    pub(crate) retransmits: Option<u64>,
    pub(crate) cwnd_bytes: Option<u64>,
    pub(crate) rtt_ns: Option<u64>,
    pub(crate) packets: Option<u64>,
    /// Packets lost, less those that arrived late.
    pub(crate) lost: Option<i64>,
}

/// The rate over the whole transfer, as told, else of the bytes that arrived.
pub(crate) fn mean_rate(transfer: &Transfer) -> Option<RateBps> {
    let summed = || RateBps::of_bytes(transfer.bytes_received?, transfer.duration_ns?);
    transfer.rate().or_else(summed)
}

/// The slices of a transfer in at most `most` equal groups.
pub(crate) fn slices(transfer: &Transfer, most: usize) -> Vec<Slice> {
    let group = transfer.intervals.len().div_ceil(most.max(1)).max(1);
    let groups = transfer.intervals.chunks(group);
    groups.filter_map(|group| joined(transfer, group)).collect()
}

/// The slices of a transfer second by second; of a long one in longer slices, so that they are at most `most`.
fn seconds(transfer: &Transfer, most: usize) -> Vec<Slice> {
    let last = transfer.intervals.last().map_or(0, |i| i.start_ns);
    let few = |length: &&u64| last / (**length * 1_000_000_000) < most as u64;
    let Some(length) = LENGTHS_S.iter().find(few) else {
        return slices(transfer, most);
    };
    let slice = |i: &TransferInterval| i.start_ns / (length * 1_000_000_000);
    let groups = transfer.intervals.chunk_by(|a, b| slice(a) == slice(b));
    let slices: Vec<Slice> = groups.filter_map(|group| joined(transfer, group)).collect();
    // Records whose slices do not start in order are cut by number instead.
    match slices.len() <= most {
        true => slices,
        false => self::slices(transfer, most),
    }
}

fn joined(transfer: &Transfer, group: &[TransferInterval]) -> Option<Slice> {
    let (first, last) = (group.first()?, group.last()?);
    let length: f64 = group.iter().map(|i| i.length_ns as f64).sum();
    let bits = group
        .iter()
        .map(|i| Some(rate_of(transfer, i)?.0 * i.length_ns as f64))
        .sum::<Option<f64>>();
    let sum = |field: fn(&TransferInterval) -> Option<u64>| {
        group.iter().filter_map(field).reduce(u64::saturating_add)
    };
    let lost = group.iter().filter_map(|i| i.packets_lost);
    Some(Slice {
        from_s: first.start_ns as f64 / 1e9,
        until_s: last.start_ns.saturating_add(last.length_ns) as f64 / 1e9,
        rate_bps: bits.map(|bits| bits / length).filter(|rate| rate.is_finite()),
        retransmits: sum(|i| i.retransmits),
        cwnd_bytes: last.cwnd_bytes,
        rtt_ns: last.rtt_ns,
        packets: sum(|i| i.packets_received),
        lost: lost.reduce(i64::saturating_add),
    })
}

/// The rate of a slice: as told or of its bytes; of a stream of packets of one size by their number.
fn rate_of(transfer: &Transfer, slice: &TransferInterval) -> Option<RateBps> {
    let packets = || {
        let size = u64::from(transfer.packet_size_bytes?);
        RateBps::of_bytes(slice.packets_received?.saturating_mul(size), slice.length_ns)
    };
    slice.rate().or_else(packets)
}

/// The transfers of a round with their short numbers.
pub(crate) fn of<'a>(subject: &Subject<'a>, round: u32) -> Vec<(usize, &'a Transfer)> {
    let transfer = |(number, o): (usize, &'a evidence::Observation)| match &o.payload {
        evidence::Payload::Transfer(transfer) => Some((number, &**transfer)),
        _ => None,
    };
    subject.of_round(round).into_iter().filter_map(transfer).collect()
}

pub(crate) fn tables(subject: &Subject, round: u32) -> Vec<Table> {
    let transfers = of(subject, round)
        .into_iter()
        .filter(|(_, t)| t.intervals.len() > 1);
    transfers
        .map(|(number, transfer)| Table {
            cites: vec![number],
            ..table(transfer, &subject.names, MOST_ROWS)
        })
        .collect()
}

/// A transfer in at most `most` rows, with what its hosts say below it.
pub(crate) fn table(transfer: &Transfer, names: &Names, most: usize) -> Table {
    let slices = seconds(transfer, most);
    let known = |is: fn(&Slice) -> bool| slices.iter().any(is);
    let columns = [
        ("seconds", true),
        ("rate", known(|s| s.rate_bps.is_some())),
        ("retransmits", known(|s| s.retransmits.is_some())),
        ("cwnd", known(|s| s.cwnd_bytes.is_some())),
        ("RTT", known(|s| s.rtt_ns.is_some())),
        ("packets", known(|s| s.packets.is_some())),
        ("lost", known(|s| s.lost.is_some())),
    ];
    let row = |slice: &Slice| {
        let stands = match slice.rate_bps {
            Some(rate) if rate <= 0.0 => Tone::Bad,
            _ => Tone::Plain,
        };
        let rate = slice
            .rate_bps
            .map(|rate| Cell::toned(RateBps(rate).to_string(), stands));
        let cells = [
            Cell::new(format!("{:.1}-{:.1}", slice.from_s, slice.until_s)),
            rate.unwrap_or_else(Cell::absent),
            Cell::from(slice.retransmits.map(words::count)),
            Cell::from(slice.cwnd_bytes.map(words::bytes)),
            Cell::from(slice.rtt_ns.map(|ns| Nanos(ns).to_string())),
            Cell::from(slice.packets.map(words::count)),
            Cell::from(slice.lost.map(signed)),
        ];
        let shown = cells.into_iter().zip(columns).filter(|(_, (_, shown))| *shown);
        Row::new(shown.map(|(cell, _)| cell).collect())
    };
    Table {
        title: format!(
            "Transfer over time, {}{}",
            names.pair(&transfer.from, &transfer.to),
            by_what(transfer)
        ),
        cites: Vec::new(),
        head: columns
            .into_iter()
            .filter(|(_, shown)| *shown)
            .map(|(head, _)| head.to_owned())
            .collect(),
        rows: slices.iter().map(row).collect(),
        notes: hosts_say(transfer),
    }
}

/// Over what it went: protocol, and the congestion control that set its pace.
fn by_what(transfer: &Transfer) -> String {
    match (transfer.protocol, &transfer.congestion_control) {
        (Some(Transport::Tcp), Some(control)) if !control.is_empty() => format!(", TCP with {control}"),
        (Some(Transport::Tcp), _) => ", TCP".to_owned(),
        (Some(Transport::Udp), _) => ", UDP".to_owned(),
        (None, _) => String::new(),
    }
}

/// BBR holds its sender to the rate that it believes in (draft-ietf-ccwg-bbr, section 4): where nothing else held it back, and
/// nothing was lost, another congestion control may be faster. Only on short paths, where probing for more costs nothing.
fn paced_by_bbr(transfer: &Transfer, accounts: &[TcpAccount]) -> bool {
    const SHORT_US: u32 = 2_000;
    let is_bbr = transfer
        .congestion_control
        .as_ref()
        .is_some_and(|name| name.starts_with("bbr"));
    let is_short = |account: &TcpAccount| account.min_rtt_us.is_some_and(|rtt| rtt <= SHORT_US);
    let is_held = |account: &TcpAccount| {
        let held =
            account.receive_window_limited_us.unwrap_or(0) + account.send_buffer_limited_us.unwrap_or(0);
        held.saturating_mul(5) > account.busy_us.unwrap_or(0)
    };
    let has_lost = |account: &TcpAccount| {
        let resent = account.retransmitted_segments.unwrap_or(0);
        resent.saturating_mul(1_000) > account.data_segments_out.unwrap_or(0)
    };
    let is_free = |account: &TcpAccount| is_short(account) && !is_held(account) && !has_lost(account);
    is_bbr && transfer.target_bps.is_none() && !accounts.is_empty() && accounts.iter().all(is_free)
}

fn signed(n: i64) -> String {
    let sign = if n < 0 { "-" } else { "" };
    format!("{sign}{}", words::count(n.unsigned_abs()))
}

/// What the sending kernel waited for, what it sent again, and how busy the test itself kept the two hosts: near 100 % the
/// host was measured, not the path.
pub(crate) fn hosts_say(transfer: &Transfer) -> Vec<String> {
    let accounts = transfer.sender.as_ref().map_or(&[][..], |side| &side.accounts);
    let sum = |field: fn(&TcpAccount) -> Option<u64>| {
        let known = accounts.iter().filter_map(field);
        known.reduce(u64::saturating_add)
    };
    let mut lines = transfer.http.as_ref().map(http::lines).unwrap_or_default();
    lines.extend(
        transfer
            .note
            .iter()
            .filter(|_| transfer.http.is_some())
            .map(|note| format!("It was {note}.")),
    );
    if let Some(busy) = sum(|a| a.busy_us).filter(|busy| *busy > 0) {
        let share = |part: Option<u64>| match part {
            Some(part) => format!("{:.0} %", part as f64 * 100.0 / busy as f64),
            None => "unknown".to_owned(),
        };
        lines.push(format!(
            "Of the time with data to send, limited by the receive window: {}, by the send buffer: {}.",
            share(sum(|a| a.receive_window_limited_us)),
            share(sum(|a| a.send_buffer_limited_us))
        ));
    }
    if let (Some(sent), Some(resent)) = (sum(|a| a.data_segments_out), sum(|a| a.retransmitted_segments)) {
        lines.push(format!(
            "Segments retransmitted: {}.",
            words::lost_of(resent, sent)
        ));
    }
    if paced_by_bbr(transfer, accounts) {
        lines.push(
            "Neither window, buffer nor loss held it back: bbr paced it. Compare with --congestion-control cubic, often faster on a short path."
                .to_owned(),
        );
    }
    let cpu = |side: &Option<TransferSide>| side.as_ref().and_then(|side| side.cpu);
    let (sender, receiver) = (cpu(&transfer.sender), cpu(&transfer.receiver));
    if sender.is_some() || receiver.is_some() {
        let share =
            |cpu: Option<f64>| cpu.map_or("unknown".to_owned(), |cpu| format!("{:.0} %", cpu * 100.0));
        lines.push(format!(
            "Of one processor core: sender {}, receiver {}.",
            share(sender),
            share(receiver)
        ));
    }
    lines
}

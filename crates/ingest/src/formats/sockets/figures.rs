//! The figures of a connection's account, by name.

use crate::units::whole;
use evidence::SocketState;

/// Names of figures with a field.
pub(super) const FIELDS: [&str; 22] = [
    "wscale",
    "rtt",
    "minrtt",
    "mss",
    "pmtu",
    "cwnd",
    "ssthresh",
    "bytes_retrans",
    "bytes_acked",
    "bytes_received",
    "data_segs_out",
    "retrans",
    "dsack_dups",
    "rcv_ooopack",
    "delivered_ce",
    "reordering",
    "rcv_space",
    "snd_wnd",
    "busy",
    "rwnd_limited",
    "sndbuf_limited",
    "skmem",
];

/// Names of what bears on nothing here.
pub(super) const ASIDE: [&str; 7] = ["users", "ino", "sk", "uid", "cgroup", "token", "ato"];

/// Figures without a field that bear on transfers, kept in the tool's words: `rto`, what is on the way, lost or held back,
/// timers that backed off, and windows.
pub(super) const KEPT: [&str; 27] = [
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
pub(super) fn figure(connection: &mut SocketState, name: &str, value: &str) -> bool {
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

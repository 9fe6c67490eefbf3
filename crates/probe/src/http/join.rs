//! A download or an upload as one observation: this end's half. What a web server's kernel saw nobody tells.

use crate::iperf3::{join_tcp_received, join_tcp_sent};
use crate::session::{TcpHalf, TcpParties, TcpPlan};
use evidence::{HttpExchange, Nanos, StopReason, Transfer};

/// A connection has found its rate after so many round trips (as in `session::steady`).
const SETTLE_ROUND_TRIPS: u64 = 16;
/// Ten slices: with fewer, one late packet is a tenth of the rate.
const LEAST_NS: u64 = 1_000_000_000;

/// Joins a download. It has no [`StopReason`] where the content ended: `is_whole`.
#[must_use]
pub fn join_download(
    parties: TcpParties,
    plan: &TcpPlan,
    received: &TcpHalf,
    exchange: HttpExchange,
    stop: Option<StopReason>,
) -> Transfer {
    let joined = join_tcp_received(parties, plan, received, None, StopReason::MaxBytes);
    Transfer {
        application: Some(called(&exchange)),
        rtt_ns: min_rtt_ns(received),
        // Nobody asked the server.
        sender: None,
        congestion_control: None,
        stop,
        http: Some(exchange),
        ..joined
    }
}

/// Joins an upload. What was acknowledged holds what TLS and HTTP put around the content.
#[must_use]
pub fn join_upload(
    parties: TcpParties,
    plan: &TcpPlan,
    sent: &TcpHalf,
    exchange: HttpExchange,
    stop: StopReason,
) -> Transfer {
    Transfer {
        application: Some(called(&exchange)),
        receiver: None,
        http: Some(exchange),
        ..join_tcp_sent(parties, plan, sent, None, stop)
    }
}

/// `HTTP/2 download`.
fn called(exchange: &HttpExchange) -> String {
    let version = exchange.version.as_deref().unwrap_or("HTTP");
    let what = match exchange.method.as_str() {
        "PUT" => "upload",
        _ => "download",
    };
    format!("{version} {what}")
}

fn min_rtt_ns(half: &TcpHalf) -> Option<u64> {
    let least = half
        .accounts
        .iter()
        .filter_map(|account| account.min_rtt_us)
        .min();
    least.map(|us| u64::from(us) * 1_000)
}

/// Why a transfer that ended with its content says nothing of the path; `None` where it does. In its second half a connection
/// should be past slow start, and it has to be long enough for a rate.
#[must_use]
pub fn why_too_short(transfer: &Transfer) -> Option<String> {
    let content_ended = transfer.stop.is_none() || transfer.stop == Some(StopReason::MaxBytes);
    let took_ns = transfer.duration_ns?;
    let needed_ns = (2 * SETTLE_ROUND_TRIPS * transfer.rtt_ns.unwrap_or(0)).max(LEAST_NS);
    (content_ended && took_ns < needed_ns).then(|| {
        format!(
            "too short to judge the path: all {} bytes came in {}, and a connection needs {} to show its rate here; {}",
            transfer.bytes_received.unwrap_or(0),
            Nanos(took_ns),
            Nanos(needed_ns),
            match &transfer.http {
                Some(http) if http.method == "PUT" => "send more (--max-bytes)",
                _ => "name a larger file",
            }
        )
    })
}

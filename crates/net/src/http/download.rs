//! A download: one connection, or several with a part of the file each.

use super::arrive::{Exchange, Place};
use super::{Http, to_its_end};
use crate::iperf3::Measured;
use crate::sys::thread_time::monotonic_ns;
use crate::transfer::progress::TcpProgress;
use crate::transfer::tcp_receive::{self, ReceiveOrder, Shared};
use crate::{NetError, Watch};
use evidence::{HttpExchange, StopReason, Transfer};
use futures::future::try_join_all;
use http_body_util::BodyExt;
use probe::http::{Asked, HttpError, join_download, parts, why_too_short};
use probe::session::{TcpHalf, TcpParties, TcpPlan};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a reader may wait before it looks whether it is to end.
const LOOK: Duration = Duration::from_millis(50);
/// To learn its length, and whether parts of it can be had.
const FIRST_BYTE: Asked = Asked::Part { first: 0, last: 0 };

/// Whether the file can be had, and what it is, in words.
pub(super) async fn look(http: &Arc<Http>, watch: &Watch) -> Result<String, NetError> {
    let plan = TcpPlan {
        server_sends: true,
        streams: 1,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms: 0,
        max_bytes: None,
        max_rate_bps: None,
        watch_hops: false,
    };
    let (place, exchange) = http.arrive(Asked::Whole, &plan, watch).await?;
    let told = http.answered_with(&place, &exchange);
    let length = match told.content_bytes {
        Some(bytes) => format!("{bytes} bytes"),
        None => "of unknown length".to_owned(),
    };
    let version = told.version.unwrap_or_default();
    Ok(format!("{}: {length}, {version}", told.url))
}

/// Carries it out.
pub(super) async fn run(http: &Arc<Http>, plan: &TcpPlan, watch: &Watch) -> Result<Measured, NetError> {
    let (place, exchanges) = open(http, plan, watch).await?;
    let told = exchanges
        .first()
        .map(|first| http.answered_with(&place, first))
        .unwrap_or_default();
    let handles: std::io::Result<Vec<TcpStream>> =
        exchanges.iter().map(|one| one.link.socket.try_clone()).collect();
    let handles = handles.map_err(|error| NetError::os("copying a socket", error))?;
    let parties = parties(&exchanges)?;
    let pause_ns = Arc::new(AtomicU64::new(0));
    let began_ns = exchanges.iter().map(|one| one.answered_ns).min();
    let is_one = exchanges.len() == 1;
    let readers = exchanges.into_iter().map(|exchange| {
        let pause_ns = pause_ns.clone();
        move |shared: &Shared<'_>| drain(exchange, is_one, &pause_ns, shared)
    });
    let order = ReceiveOrder {
        max_bytes: plan.max_bytes,
        max_time_ms: Some(plan.max_time_ms),
        began_ns: began_ns.unwrap_or(0),
        ..ReceiveOrder::default()
    };
    let started = tcp_receive::start_with(handles, order, readers.collect());
    let transfer = started.map_err(|error| NetError::os("starting the transfer", error))?;
    let shown = TcpPlan {
        max_bytes: plan.max_bytes.into_iter().chain(told.content_bytes).min(),
        ..plan.clone()
    };
    let half = to_its_end(transfer, TcpProgress::new(&shown, false), watch).await;
    let told = HttpExchange {
        longest_pause_ns: Some(pause_ns.load(Ordering::Relaxed)).filter(|ns| *ns > 0),
        ..told
    };
    finish(http, plan, (parties, &half), told)
}

fn finish(
    http: &Http,
    plan: &TcpPlan,
    (parties, half): (TcpParties, &TcpHalf),
    told: HttpExchange,
) -> Result<Measured, NetError> {
    if half.bytes == 0 && half.stop == StopReason::PeerGone {
        let text = format!("{} was cut off before any of the content had come", told.url);
        return Err(NetError::Silent(text));
    }
    // The reader stops at the limit; what ends before has ended by itself.
    let is_limit = plan.max_bytes.is_some_and(|limit| half.bytes >= limit);
    let stop = Some(half.stop).filter(|stop| *stop != StopReason::MaxBytes || is_limit);
    let server = told.server.clone();
    let mut joined: Transfer = join_download(parties, plan, half, told, stop);
    if let Some(why) = why_too_short(&joined) {
        if http.wishes.is_evidence {
            return Err(NetError::Web(HttpError::TooShort(format!(
                "{}: {why}",
                http.target()
            ))));
        }
        joined.steady_bps = None;
        joined.note = Some(why);
    }
    Ok(Measured {
        payload: joined.into(),
        far_end: server.map_or_else(
            || "a web server".to_owned(),
            |server| format!("a web server ({server})"),
        ),
    })
}

/// Opens all connections; each has its answer's head when this returns.
async fn open(http: &Arc<Http>, plan: &TcpPlan, watch: &Watch) -> Result<(Place, Vec<Exchange>), NetError> {
    if plan.streams == 1 {
        let (place, exchange) = http.arrive(Asked::Whole, plan, watch).await?;
        return Ok((place, vec![exchange]));
    }
    let (place, first) = http.arrive(FIRST_BYTE, plan, watch).await?;
    let target = || place.target.to_string();
    let whole = first.head.whole_bytes();
    let whole = whole.ok_or_else(|| HttpError::NoRanges(target()))?;
    drop(first);
    let parts = parts(whole, plan.streams).ok_or_else(|| HttpError::TooSmall(target()))?;
    watch.report(
        format!("opening {} connections to {}", plan.streams, place.target),
        None,
    );
    let place = &place;
    let opening = parts.into_iter().map(async |part| {
        let exchange = http.ask(place, part, plan, watch).await?;
        match exchange.head.next(&place.target, part)? {
            probe::http::Next::Content => Ok(exchange),
            probe::http::Next::Elsewhere(_) => {
                Err(NetError::Web(HttpError::WrongPart(place.target.to_string())))
            }
        }
    });
    let exchanges = try_join_all(opening).await?;
    Ok((place.clone(), exchanges))
}

fn parties(exchanges: &[Exchange]) -> Result<TcpParties, NetError> {
    let ends: Result<Vec<_>, NetError> = exchanges.iter().map(|one| one.link.ends()).collect();
    let ends = ends?;
    let (here, there) = ends.first().ok_or(NetError::Cancelled)?;
    Ok(TcpParties {
        source: there.ip(),
        destination: here.ip(),
        ports: ends
            .iter()
            .map(|(here, there)| (there.port(), here.port()))
            .collect(),
    })
}

/// Reads the content of one connection, and throws it away.
fn drain(exchange: Exchange, is_only: bool, pause_ns: &AtomicU64, shared: &Shared<'_>) {
    let Exchange {
        link,
        mut body,
        answered_ns,
        ..
    } = exchange;
    let mut read_ns = answered_ns;
    let paused = |since_ns: u64| {
        let now_ns = monotonic_ns();
        pause_ns.fetch_max(now_ns.saturating_sub(since_ns), Ordering::Relaxed);
        now_ns
    };
    while !shared.stop.is_requested() {
        // Nothing is lost where it is left: a frame is taken, or it is still there.
        let reading = async {
            while let Some(frame) = body.frame().await {
                let frame = frame.map_err(|_| StopReason::PeerGone)?;
                read_ns = paused(read_ns);
                shared.count(frame.data_ref().map_or(0, |data| data.len() as u64));
                if shared.stop.is_requested() {
                    break;
                }
            }
            // Fewer streams than were asked for would be another transfer: the first that is done ends it.
            if is_only {
                Ok(())
            } else {
                Err(StopReason::MaxBytes)
            }
        };
        match link.drive(LOOK, reading) {
            Ok(None) => {}
            Ok(Some(Ok(()))) => return,
            Ok(Some(Err(reason))) => return shared.stop.request(reason),
            Err(_) => return shared.stop.request(StopReason::Cancelled),
        }
    }
    // A pause that goes on until the end is one as well.
    paused(read_ns);
}

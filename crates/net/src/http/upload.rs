//! An upload: made-up bytes, so many or for so long, stored at the URL (PUT).

use super::arrive::{ANSWER, head_of, on_thread, request};
use super::feed::Feed;
use super::link::{Answer, Link, told};
use super::{Http, to_its_end};
use crate::iperf3::Measured;
use crate::sys::thread_time::monotonic_ns;
use crate::transfer::progress::TcpProgress;
use crate::transfer::tcp_send::{self, SendOrder, Shared};
use crate::{NetError, Watch};
use evidence::{HttpExchange, StopReason};
use hyper::Method;
use probe::http::{Asked, Head, HttpError, Next, Target, join_upload, why_too_short};
use probe::session::{TcpHalf, TcpParties, TcpPlan};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a writer may wait before it looks whether it is to end.
const LOOK: Duration = Duration::from_millis(50);

/// An upload under way.
struct Sending {
    link: Link,
    answer: Answer,
    /// Ends an upload of no certain length in order.
    end: Arc<AtomicBool>,
    /// Whether the server was told how much comes: then it has to be all of it.
    is_promised: bool,
}

/// Carries it out.
pub(super) async fn run(http: &Arc<Http>, plan: &TcpPlan, watch: &Watch) -> Result<Measured, NetError> {
    let place = http.start();
    watch.report(format!("sending to {}", place.target), None);
    let way = http.way(&place, plan, watch)?;
    let (target, limit) = (place.target.clone(), plan.max_bytes);
    let sending = on_thread(move || {
        let mut link = Link::open(&way)?;
        let feed = Feed::bytes(limit);
        let end = feed.end();
        let request = request(&way.target, Asked::Store, feed, link.is_http2)?;
        let answer = link.send(request);
        Ok(Sending {
            link,
            answer,
            end,
            is_promised: limit.is_some(),
        })
    })
    .await?;
    let told = http.exchange(&place, &Method::PUT, &sending.link);
    let handle = sending.link.socket.try_clone();
    let handle = handle.map_err(|error| NetError::os("copying a socket", error))?;
    let parties = parties(&sending.link)?;
    let (answered, answer) = oneshot::channel();
    let order = SendOrder {
        max_time_ms: plan.max_time_ms,
        max_bytes: plan.max_bytes,
        max_rate_bps: None,
        budget: None,
        stays_open: true,
    };
    let writer = move |shared: &Shared<'_>| {
        let _ = answered.send(pump(sending, &target, shared));
    };
    let started = tcp_send::start_with(vec![handle], order, vec![writer]);
    let transfer = started.map_err(|error| NetError::os("starting the transfer", error))?;
    let half = to_its_end(transfer, TcpProgress::new(plan, true), watch).await;
    let head = answer.await.unwrap_or(Err(NetError::Cancelled));
    finish(http, (parties, &half, plan), head, told)
}

fn parties(link: &Link) -> Result<TcpParties, NetError> {
    let (here, there) = link.ends()?;
    Ok(TcpParties {
        source: here.ip(),
        destination: there.ip(),
        ports: vec![(here.port(), there.port())],
    })
}

/// A server that refuses what was sent makes it void; one that goes away, or that we leave, leaves a measurement.
fn finish(
    http: &Http,
    (parties, half, plan): (TcpParties, &TcpHalf, &TcpPlan),
    head: Result<Option<Head>, NetError>,
    told: HttpExchange,
) -> Result<Measured, NetError> {
    let (head, stop) = match head {
        Ok(head) => (head, half.stop),
        Err(error @ NetError::Web(_)) => return Err(error),
        Err(error) if half.slices.len() < 2 => return Err(error),
        Err(_) if half.stop == StopReason::Cancelled => (None, StopReason::Cancelled),
        Err(_) => (None, StopReason::PeerGone),
    };
    let told = HttpExchange {
        status: head.as_ref().map(|head| head.status),
        server: head.as_ref().and_then(|head| head.server.clone()),
        content_bytes: plan.max_bytes,
        ..told
    };
    let server = told.server.clone();
    let mut joined = join_upload(parties, plan, half, told, stop);
    if let Some(why) = why_too_short(&joined) {
        if http.wishes.is_evidence {
            return Err(NetError::Web(HttpError::TooShort(format!(
                "{}: {why}",
                http.target()
            ))));
        }
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

/// Drives the connection until the server has answered. `None`: it was left before it could.
fn pump(sending: Sending, target: &Target, shared: &Shared<'_>) -> Result<Option<Head>, NetError> {
    let Sending {
        link,
        mut answer,
        end,
        is_promised,
    } = sending;
    let mut late_ns = None;
    loop {
        match link.drive(LOOK, &mut answer) {
            Ok(Some(Ok(response))) => {
                let (head, _) = head_of(response);
                let next = head.next(target, Asked::Store);
                shared.stop.request(StopReason::MaxBytes);
                return match next? {
                    Next::Content => Ok(Some(head)),
                    Next::Elsewhere(to) => Err(NetError::Web(HttpError::UploadRedirected {
                        from: target.to_string(),
                        to,
                    })),
                };
            }
            Ok(Some(Err(error))) => {
                shared.stop.request(StopReason::PeerGone);
                return Err(told(&error));
            }
            Ok(None) => {}
            Err(error) => {
                shared.stop.request(StopReason::Cancelled);
                return Err(error);
            }
        }
        match shared.stop.reason() {
            None => {}
            // What was promised and does not come: the server throws away what it has.
            Some(reason) if is_promised && reason != StopReason::MaxBytes => return Ok(None),
            Some(_) => {
                end.store(true, Ordering::Relaxed);
                let late = *late_ns.get_or_insert_with(|| monotonic_ns() + ANSWER.as_nanos() as u64);
                if monotonic_ns() > late {
                    return Ok(None);
                }
            }
        }
    }
}

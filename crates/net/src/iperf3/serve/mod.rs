//! Serves stock iperf3 clients: whom, how many at once, and which connection belongs to what.
//!
//! Such a client proves nothing, so its owner names the networks whose clients are served; others are not answered. All
//! else is as for clients of ours: one test at a time, the owner's limits, no more sent than was asked for, and only to the
//! address that opened the control connection.

mod talk;
mod tcp;
mod test;
mod udp;

use crate::Watch;
use crate::budget::Budget;
use crate::far_end::hub::{Hub, plain};
use crate::far_end::ledger::{Test, Verdict};
use crate::far_end::strangers::TurnedAway;
use crate::far_end::{AllowedPeers, Outcome};
use crate::sys::tcp_socket::close_in_order;
use crate::sys::thread_time::monotonic_ns;
use probe::iperf3::{COOKIE_BYTES, Cookie, State};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use talk::Talk;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

/// How long a connection may take to say to which test it belongs.
const COOKIE_TIMEOUT: Duration = Duration::from_secs(5);
/// Connections that have not said it yet.
const MOST_SILENT: usize = 256;
/// Streams that wait to be taken by their test.
const MOST_WAITING: usize = 256;

/// What the connections of one listener share.
struct Desk {
    hub: Arc<Hub>,
    allow: Vec<AllowedPeers>,
    running: Mutex<Option<Running>>,
    silent: Arc<Semaphore>,
}

/// A connection, and the how manyth it is: streams are told apart by nothing else.
type Arrived = (u64, TcpStream);

/// The test that is carried out.
struct Running {
    cookie: Cookie,
    peer: IpAddr,
    streams: mpsc::Sender<Arrived>,
}

/// Serves the clients that come to `listener` from the networks of `allow`, until cancelled.
pub(crate) async fn serve(listener: TcpListener, allow: Vec<AllowedPeers>, hub: Arc<Hub>, watch: Watch) {
    let desk = Arc::new(Desk {
        hub,
        allow,
        running: Mutex::new(None),
        silent: Arc::new(Semaphore::new(MOST_SILENT)),
    });
    let mut connections = JoinSet::new();
    let mut number = 0;
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) if desk.serves(plain(peer).ip()) => {
                    number += 1;
                    connections.spawn(enter(desk.clone(), (number, stream), plain(peer), watch.clone()));
                }
                Ok(_) => desk.hub.ledger.stranger(TurnedAway::NoToken),
                // Out of descriptors, or a connection that died in the queue: others may still work.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            },
            Some(_) = connections.join_next() => {}
            () = watch.cancel.cancelled() => return,
        }
    }
}

async fn enter(desk: Arc<Desk>, (number, mut stream): Arrived, peer: SocketAddr, watch: Watch) {
    let Ok(place) = desk.silent.clone().try_acquire_owned() else {
        return;
    };
    let mut cookie = [0; COOKIE_BYTES];
    let read = tokio::time::timeout(COOKIE_TIMEOUT, stream.read_exact(&mut cookie)).await;
    drop(place);
    if !matches!(read, Ok(Ok(_))) || close_in_order(stream.as_fd()).is_err() {
        return;
    }
    let Some(stream) = desk.deliver(cookie, peer.ip(), (number, stream)) else {
        return;
    };
    let mut talk = Talk::over(stream);
    let budget = Arc::new(Budget::below(desk.hub.iperf3.clone(), monotonic_ns()));
    let account = Test::of_nobody(
        &desk.hub.ledger,
        peer.ip(),
        &budget,
        json!({ "client": "iperf3" }),
    );
    let only_one = match desk.hub.begin_bulk(peer.ip()) {
        Ok(only_one) => only_one,
        Err(why) => {
            account.end(Some(Verdict {
                outcome: Outcome::Refused,
                why: Some(why),
            }));
            let _ = talk.say(State::AccessDenied).await;
            return;
        }
    };
    let (sender, streams) = mpsc::channel(MOST_WAITING);
    let open = desk.open(Running {
        cookie,
        peer: peer.ip(),
        streams: sender,
    });
    let place = test::Place {
        hub: &desk.hub,
        budget: &budget,
        peer,
        streams,
    };
    tokio::select! {
        what = test::run(&mut talk, place, account) => watch.report(format!("{}: {what}", peer.ip()), None),
        () = watch.cancel.cancelled() => return,
    }
    // The next one need not wait until this client has read its results.
    drop((open, only_one));
    talk.farewell().await;
}

impl Desk {
    fn serves(&self, peer: IpAddr) -> bool {
        self.allow.iter().any(|allowed| allowed.allows(peer))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Running>> {
        // Each change is a single assignment: it is whole after a panic elsewhere.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands a stream to the test that it belongs to; gives back what belongs to none.
    fn deliver(&self, cookie: Cookie, peer: IpAddr, arrived: Arrived) -> Option<TcpStream> {
        match &*self.lock() {
            Some(running) if running.cookie == cookie && running.peer == peer => {
                let _ = running.streams.try_send(arrived);
                None
            }
            _ => Some(arrived.1),
        }
    }

    fn open(&self, running: Running) -> Open<'_> {
        *self.lock() = Some(running);
        Open { desk: self }
    }
}

/// Ends the test's claim to streams when dropped.
struct Open<'a> {
    desk: &'a Desk,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        *self.desk.lock() = None;
    }
}

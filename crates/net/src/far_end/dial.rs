//! A far end that connects to its client: behind a firewall or an address translator nobody connects to it.
//!
//! It is the far end all the same: it proves that it has the token, so does the client, and then it is asked and limited as ever.

use super::access::Account;
use super::channel::Channel;
use super::connect::{chance, open};
use super::hub::{Hub, plain};
use super::server::Server;
use super::session;
use super::session_client::Client;
use super::version::WAITS_SINCE;
use crate::budget::Budget;
use crate::sys::thread_time::monotonic_ns;
use crate::{NetError, Watch};
use probe::session::{ToClient, ToServer};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// For connecting: a SYN and two retransmissions of it. And for the client to show that it has the token, and to greet.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
const GREETED_WITHIN: Duration = Duration::from_secs(5);
/// Before the next attempt, doubled after each that came to nothing: who waits there is served within seconds, and a client that
/// comes tomorrow costs a SYN in half a minute.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Connects to clients in the name of a server, which may serve those that come meanwhile.
#[derive(Clone)]
pub struct Dialer(Arc<Hub>);

impl Server {
    /// What connects to clients, with the tokens and within the limits of this server.
    #[must_use]
    pub fn dialer(&self) -> Dialer {
        Dialer(self.hub().clone())
    }
}

impl Dialer {
    /// Connects to the client that waits at `client` and serves it, again and again, until cancelled. What goes on is reported to
    /// `watch`, a line each.
    pub async fn dial(&self, client: SocketAddr, watch: Watch) {
        let serving = async {
            let mut failed: Option<String> = None;
            let mut pause = FIRST_PAUSE;
            loop {
                match meet(&self.0, client, &watch).await {
                    Ok(()) => (failed, pause) = (None, FIRST_PAUSE),
                    Err(error) => {
                        let why = error.to_string();
                        // The same again and again says nothing new.
                        if failed.as_ref() != Some(&why) {
                            watch.report(format!("{client}: {why}; trying again"), None);
                        }
                        failed = Some(why);
                    }
                }
                sleep(pause.mul_f64(0.5 + chance() / 2.0)).await;
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
        };
        tokio::select! {
            () = serving => {}
            () = watch.cancel.cancelled() => {}
        }
    }
}

/// One connection, from its first byte to the end of its session.
async fn meet(hub: &Arc<Hub>, at: SocketAddr, watch: &Watch) -> Result<(), NetError> {
    let accounts = hub.accounts.all();
    let account = accounts.into_iter().next();
    let account = account.ok_or_else(|| NetError::Refused("there is no token to show".to_owned()))?;
    let stream = open(at, None, Instant::now() + CONNECT_WITHIN).await;
    let stream = stream.map_err(|setback| setback.told(1))?;
    let shown = timeout(
        GREETED_WITHIN,
        Channel::dial(stream, account.key(), hub.budget.clone()),
    )
    .await;
    let unproven = || {
        NetError::Refused(
            "what listens there is no `slowpath diagnose --listen` that has our token".to_owned(),
        )
    };
    let mut channel = shown.map_err(|_| unproven())?.map_err(|_| unproven())?;
    channel.send(&ToClient::Dialed { at }).await?;
    let greeted = timeout(GREETED_WITHIN, channel.receive()).await;
    let hello: ToServer = greeted.map_err(|_| super::conversation::silent())??;
    let client = client(hub, account, at, &channel, &hello, watch)?;
    Box::pin(session::run(channel, hello, client)).await;
    Ok(())
}

fn client(
    hub: &Arc<Hub>,
    account: Arc<Account>,
    at: SocketAddr,
    channel: &Channel,
    hello: &ToServer,
    watch: &Watch,
) -> Result<Client, NetError> {
    let local = channel.local_address();
    let local = local.map_err(|error| NetError::os("reading the local address", error))?;
    let budget = Budget::below(account.budget.clone(), monotonic_ns());
    Ok(Client {
        hub: hub.clone(),
        account,
        budget: Arc::new(budget),
        can_wait: matches!(hello, ToServer::Hello { version, .. } if *version >= WAITS_SINCE),
        peer: at.ip(),
        local: plain(local),
        dialed: Some(at),
        watch: watch.clone(),
    })
}

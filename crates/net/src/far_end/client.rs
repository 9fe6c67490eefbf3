//! The client of a far end.

use super::channel::{Channel, ChannelError};
use super::conversation::{ANSWER_TIMEOUT, Answer, Conversation, silent, unwelcome};
use super::ends::{Ends, Side};
use super::hub::plain;
use super::plain_text::{plainly, program_name};
use super::{client_tcp, client_udp, offer, token};
use crate::path::Reflector;
use crate::{NetError, Tuning, Watch};
use evidence::{Ask, Payload};
use probe::SessionKey;
use probe::session::{Limits, LocalAsk, ToClient, ToServer};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// What is measured there may take so many times what it is reckoned to cost, a millisecond of that each.
const PATIENCE: Duration = Duration::from_millis(3);
/// How long what was measured may take to come when the user waits to get away.
const CANCELLED_TIMEOUT: Duration = Duration::from_secs(3);

/// A far end that has let us in.
pub struct FarEnd {
    peer: SocketAddr,
    local: IpAddr,
    reflector: SessionKey,
    limits: Limits,
    program: String,
    /// Fingerprint of its running kernel, as it says.
    machine: String,
    tuning: Tuning,
    /// It opened the connection, as none could be opened to it.
    dialed: bool,
    pub(super) conversation: Mutex<Conversation>,
}

impl FarEnd {
    /// One that has answered our greeting over `channel` with what it said here.
    pub(super) fn new(
        peer: SocketAddr,
        local: SocketAddr,
        channel: Channel,
        reflector: SessionKey,
        limits: Limits,
        program: &str,
        machine: &str,
    ) -> Self {
        Self {
            peer: plain(peer),
            local: plain(local).ip(),
            reflector,
            limits,
            program: program_name(program),
            machine: machine.to_owned(),
            tuning: Tuning::default(),
            dialed: false,
            conversation: Mutex::new(Conversation {
                channel,
                is_open: true,
            }),
        }
    }

    /// Where its reflector answers, and to which key: for [`crate::path::PathTarget`]. One that dialed has no port.
    #[must_use]
    pub fn reflector(&self) -> Option<Reflector> {
        (!self.dialed).then_some(Reflector {
            port: self.peer.port(),
            session: self.reflector,
        })
    }

    /// Whether it opened the connection (`slowpath serve --dial`).
    #[must_use]
    pub fn has_dialed(&self) -> bool {
        self.dialed
    }

    /// The same far end, which opened the connection.
    pub(super) fn dialing(self) -> Self {
        Self { dialed: true, ..self }
    }

    /// The same far end under the address that others know.
    pub(super) fn known_at(self, peer: SocketAddr) -> Self {
        Self { peer, ..self }
    }

    /// The same far end, for transfers over sockets that are like this here.
    #[must_use]
    pub fn tuned(self, tuning: Tuning) -> Self {
        Self { tuning, ..self }
    }

    /// Its address and port.
    #[must_use]
    pub fn peer_address(&self) -> SocketAddr {
        self.peer
    }

    /// The address at this end.
    #[must_use]
    pub fn local_address(&self) -> IpAddr {
        self.local
    }

    /// What its owner allows.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Its program and version.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Whether it runs under the same kernel, and so by the same clock.
    #[must_use]
    pub fn is_same_machine(&self) -> bool {
        self.machine == token::machine_fingerprint()
    }

    /// Whether it and `other` run under the same kernel.
    pub(super) fn shares_machine_with(&self, other: &Self) -> bool {
        !self.machine.is_empty() && self.machine == other.machine
    }

    /// Carries out an ask that the far end has a part in: a transfer between both ends, or anything that is measured
    /// from there. `vantage` says at which side the ask's vantage is: a session knows addresses, not names, and tells the
    /// two ends by address in what it gives. A TCP transfer that the far end sends, with `watch_hops`, gives the echo under
    /// load as well.
    ///
    /// May be polled together with other measurements; a second ask waits for the first. When the future is dropped
    /// before its end, the connection is of no more use and later asks say so.
    ///
    /// # Errors
    /// What kept the far end, or this one, from it. A transfer that broke off midway is no error but a measurement
    /// with [`evidence::StopReason::PeerGone`] or [`evidence::StopReason::Cancelled`].
    pub async fn perform(&self, ask: &Ask, vantage: Side, watch: &Watch) -> Result<Vec<Payload>, NetError> {
        let mut conversation = self.conversation.lock().await;
        if !std::mem::replace(&mut conversation.is_open, false) {
            return Err(broke_earlier());
        }
        let ends = Ends {
            peer: self.peer,
            local: self.local,
            sender: vantage,
            same_machine: self.is_same_machine(),
            tuning: self.tuning,
        };
        let channel = &mut conversation.channel;
        let outcome = match (ask, LocalAsk::of(ask)) {
            (Ask::UdpStream { .. }, _) => client_udp::run(channel, ends, ask, watch).await,
            (_, None) => client_tcp::run(channel, ends, ask, watch).await,
            (_, Some(local)) if vantage == Side::There => {
                let within =
                    PATIENCE * u32::try_from(ask.cost().time_ms).unwrap_or(u32::MAX) + ANSWER_TIMEOUT;
                self.perform_there(channel, local.for_a_far_end(), within, watch)
                    .await
            }
            (_, Some(_)) => Ok(Err(NetError::Unsupported(
                "this ask is carried out at this end, not by the far end".to_owned(),
            ))),
        };
        // The outer result is the channel's: whatever failed otherwise, the next ask can be put.
        conversation.is_open = outcome.is_ok();
        outcome.unwrap_or_else(|error| Err(error.into()))
    }

    async fn perform_there(
        &self,
        channel: &mut Channel,
        ask: LocalAsk,
        within: Duration,
        watch: &Watch,
    ) -> Answer<Vec<Payload>> {
        // Probes from there are answered here as the far end answers ours, if there is a port to be had.
        let offered = offer::reflector(self.local, self.peer.ip()).ok();
        let reflector = offered.as_ref().map(|reflector| reflector.offer);
        channel.send(&ToServer::Perform { ask, reflector }).await?;
        match told(channel, within, watch).await? {
            ToClient::Performed { payloads } => Ok(Ok(payloads)),
            other => Ok(Err(unwelcome(other))),
        }
    }

    /// Puts a question that is no transfer, and gives what the far end says at its end.
    pub(super) async fn ask(
        &self,
        question: &ToServer,
        within: Duration,
        watch: &Watch,
    ) -> Result<ToClient, NetError> {
        let mut conversation = self.conversation.lock().await;
        if !std::mem::replace(&mut conversation.is_open, false) {
            return Err(broke_earlier());
        }
        let channel = &mut conversation.channel;
        let answered = async {
            channel.send(question).await?;
            told(channel, within + ANSWER_TIMEOUT, watch).await
        };
        let outcome = answered.await;
        conversation.is_open = outcome.is_ok();
        Ok(outcome?)
    }
}

/// What the far end says at the end of what it was asked to do there. Meanwhile it may be stopped.
async fn told(channel: &mut Channel, within: Duration, watch: &Watch) -> Result<ToClient, ChannelError> {
    let mut is_cancelled = false;
    let mut deadline = Instant::now() + within;
    loop {
        tokio::select! {
            message = channel.receive() => match message? {
                ToClient::Progress { text, fraction } => watch.report(plainly(&text), fraction),
                other => return Ok(other),
            },
            () = watch.cancel.cancelled(), if !is_cancelled => {
                is_cancelled = true;
                deadline = Instant::now() + CANCELLED_TIMEOUT;
                channel.send(&ToServer::Stop { cancelled: true, sent: None }).await?;
            }
            () = tokio::time::sleep_until(deadline) => return Err(silent()),
        }
    }
}

pub(super) fn broke_earlier() -> NetError {
    NetError::PeerGone("the connection broke during an earlier measurement".to_owned())
}

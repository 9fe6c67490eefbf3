//! Transfers between two far ends, as the client of both has them carried out.

use super::FarEnd;
use super::channel::{Channel, ChannelError};
use super::client::broke_earlier;
use super::conversation::{Answer, Deadline, abandon, answer, answer_in_turn, silent, unwelcome};
use crate::transfer::plan;
use crate::{NetError, Watch};
use evidence::{Ask, Payload, StopReason};
use probe::session::{
    BulkPlan, Meeting, Peer, TcpPlan, ToClient, ToServer, UdpParties, UdpPlan, UdpSent, join_udp,
};
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::Instant;

/// How often a stream's progress is told.
const TICK: Duration = Duration::from_millis(500);
/// How long a far end may take to be ready: it tells within this that no connection or hello came.
const READY_WITHIN: Duration = Duration::from_secs(12);
/// How long a far end may take to leave a transfer that comes to nothing.
const STAND_DOWN: Duration = Duration::from_secs(5);

/// Carries out a transfer from one far end to another. The receiver waits and the sender opens the connections; where those do
/// not come through, a firewall in front of the receiver perhaps, it is tried the other way round. To one that had to dial its client
/// nobody connects, so it opens them first. What is sent goes from the sender to the receiver in any case.
///
/// # Errors
/// What kept one of the two, or both owners, from it. A transfer that broke off midway is no error (see
/// [`FarEnd::perform`]).
pub async fn between(
    ask: &Ask,
    sender: &FarEnd,
    receiver: &FarEnd,
    watch: &Watch,
) -> Result<Vec<Payload>, NetError> {
    watch.report("preparing the transfer", None);
    let host_sends = receiver.has_dialed() && !sender.has_dialed();
    let waiting = |host_sends: bool| match host_sends {
        true => meet(ask, sender, receiver, true, watch),
        false => meet(ask, receiver, sender, false, watch),
    };
    match waiting(host_sends).await {
        Err(first @ NetError::Unreachable(..)) => {
            // Of two reasons the first is about the way that people open in firewalls.
            let turned = waiting(!host_sends).await;
            turned.map_err(|error| match error {
                NetError::Unreachable(..) => first,
                other => other,
            })
        }
        met => met,
    }
}

/// One that waits, one that joins it, and what they do.
pub(super) struct Meet<'a> {
    pub(super) ask: &'a Ask,
    host_sends: bool,
    host: IpAddr,
    guest: Peer,
    guest_address: IpAddr,
    same_clock: bool,
    pub(super) watch: &'a Watch,
    limit: Duration,
}

async fn meet(
    ask: &Ask,
    host: &FarEnd,
    guest: &FarEnd,
    host_sends: bool,
    watch: &Watch,
) -> Result<Vec<Payload>, NetError> {
    let bulk = bulk(ask, host_sends, guest)?;
    let guest_address = guest.peer_address().ip();
    let admitted = host.admit(&[guest_address], watch).await?;
    let Some(peer) = admitted.into_iter().next().flatten() else {
        return Err(NetError::Refused(super::third::not_allowed(guest_address)));
    };
    // Two who measure between the same far ends take them in the same order.
    let (mut host_talk, mut guest_talk);
    if host.peer_address() <= guest.peer_address() {
        host_talk = host.conversation.lock().await;
        guest_talk = guest.conversation.lock().await;
    } else {
        guest_talk = guest.conversation.lock().await;
        host_talk = host.conversation.lock().await;
    }
    if !(host_talk.is_open && guest_talk.is_open) {
        return Err(broke_earlier());
    }
    (host_talk.is_open, guest_talk.is_open) = (false, false);
    let limit = match &bulk {
        BulkPlan::Tcp { plan } => plan.max_time_ms,
        BulkPlan::Udp { plan } => plan.duration_ms,
    };
    let meeting = Meet {
        ask,
        host_sends,
        host: host.peer_address().ip(),
        guest: peer,
        guest_address,
        same_clock: host.shares_machine_with(guest),
        watch,
        limit: Duration::from_millis(u64::from(limit)),
    };
    let outcome = meeting
        .run(&mut host_talk.channel, &mut guest_talk.channel, bulk)
        .await;
    let is_whole = outcome.is_ok();
    (host_talk.is_open, guest_talk.is_open) = (is_whole, is_whole);
    outcome.unwrap_or_else(|error| Err(error.into()))
}

/// The plan, within what the one that joins allows: the one that waits says what it allows by itself.
fn bulk(ask: &Ask, host_sends: bool, guest: &FarEnd) -> Result<BulkPlan, NetError> {
    if let Some(plan) = plan::udp(ask, host_sends) {
        return Ok(BulkPlan::Udp { plan });
    }
    let plan =
        plan::tcp(ask, host_sends).ok_or_else(|| NetError::Unsupported("not a transfer".to_owned()))?;
    let plan = plan.within(&guest.limits());
    Ok(BulkPlan::Tcp {
        plan: plan.map_err(|error| NetError::Refused(error.to_string()))?,
    })
}

impl Meet<'_> {
    async fn run(&self, host: &mut Channel, guest: &mut Channel, bulk: BulkPlan) -> Answer<Vec<Payload>> {
        let peer = self.guest_address;
        let awaiting = ToServer::Meet {
            with: Meeting::Await { peer },
            bulk: Box::new(bulk.clone()),
        };
        host.send(&awaiting).await?;
        let (answered, deadline) = answer_in_turn(host, self.watch, self.limit).await?;
        let (key, bulk) = match answered {
            Ok(ToClient::Accepted { key, plan }) => match accepted(bulk, plan) {
                Some(bulk) => (key, bulk),
                None => {
                    let what = "it answered with another transfer than the one that was asked for";
                    return Err(ChannelError::Protocol(what.to_owned()));
                }
            },
            Ok(other) => return Ok(Err(unwelcome(other))),
            Err(error) => return Ok(Err(error)),
        };
        let joining = ToServer::Meet {
            with: Meeting::Join {
                peer: self.guest,
                key,
            },
            bulk: Box::new(bulk.clone()),
        };
        guest.send(&joining).await?;
        let mut control = None;
        for (one, other, sends) in [(0, 1, !self.host_sends), (1, 0, self.host_sends)] {
            let ends = [&mut *guest, &mut *host];
            let error = match answer(ends[one], self.watch, Instant::now() + READY_WITHIN).await? {
                Ok(ToClient::Ready { congestion_control }) => {
                    control = congestion_control.filter(|_| sends).or(control);
                    continue;
                }
                Ok(message) => unwelcome(message),
                Err(error) => error,
            };
            return abandon(ends[other], error, Instant::now() + STAND_DOWN).await;
        }
        guest.send(&ToServer::Go).await?;
        let (sender, receiver) = if self.host_sends {
            (host, guest)
        } else {
            (guest, host)
        };
        match bulk {
            BulkPlan::Tcp { plan } => {
                self.follow_tcp((sender, receiver), &plan, control, deadline)
                    .await
            }
            BulkPlan::Udp { plan } => self.follow_udp((sender, receiver), &plan, deadline).await,
        }
    }

    /// (sender's address, receiver's address).
    pub(super) fn addresses(&self) -> (IpAddr, IpAddr) {
        match self.host_sends {
            true => (self.host, self.guest_address),
            false => (self.guest_address, self.host),
        }
    }

    async fn follow_udp(
        &self,
        (sender, receiver): (&mut Channel, &mut Channel),
        plan: &UdpPlan,
        deadline: Deadline,
    ) -> Answer<Vec<Payload>> {
        let (sent, is_cancelled) = match self.sent(sender, plan, deadline).await? {
            (Ok(sent), is_cancelled) => (sent, is_cancelled),
            (Err(error), _) => return abandon(receiver, error, Instant::now() + STAND_DOWN).await,
        };
        let over = ToServer::Stop {
            cancelled: is_cancelled,
            sent: Some(sent.sequences),
        };
        receiver.send(&over).await?;
        let reported = tokio::time::timeout_at(deadline.report(), receiver.receive());
        let received = match reported.await.map_err(|_| silent())?? {
            ToClient::UdpReceived { half } => half,
            other => return Ok(Err(unwelcome(other))),
        };
        let stop = if is_cancelled {
            StopReason::Cancelled
        } else {
            sent.stop
        };
        let (source, destination) = self.addresses();
        let parties = UdpParties {
            source,
            destination,
            same_clock: self.same_clock,
        };
        let stream = join_udp(parties, plan, &sent, &received, stop);
        Ok(Ok(vec![stream.into()]))
    }

    /// What the sender of a UDP stream says at its end, and whether that was cancelled.
    async fn sent(
        &self,
        sender: &mut Channel,
        plan: &UdpPlan,
        deadline: Deadline,
    ) -> Result<(Result<UdpSent, NetError>, bool), ChannelError> {
        let began = Instant::now();
        let mut tick = tokio::time::interval(TICK);
        let mut is_cancelled = false;
        loop {
            tokio::select! {
                message = sender.receive() => return Ok((match message? {
                    ToClient::UdpSent { half } => Ok(half),
                    other => Err(unwelcome(other)),
                }, is_cancelled)),
                _ = tick.tick() => {
                    let share = began.elapsed().as_secs_f32() * 1e3 / plan.duration_ms.max(1) as f32;
                    self.watch.report("one far end sends UDP packets to the other", Some(share.min(1.0)));
                }
                () = self.watch.cancel.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    sender.send(&ToServer::Stop { cancelled: true, sent: None }).await?;
                }
                () = tokio::time::sleep_until(deadline.transferred()) => return Err(silent()),
            }
        }
    }
}

/// The plan as the one that waits accepted it, if it takes no more than was asked.
fn accepted(asked: BulkPlan, accepted: Option<TcpPlan>) -> Option<BulkPlan> {
    match (asked, accepted) {
        (BulkPlan::Tcp { plan }, Some(accepted)) => accepted
            .is_no_more_than(&plan)
            .then_some(BulkPlan::Tcp { plan: accepted }),
        (udp @ BulkPlan::Udp { .. }, None) => Some(udp),
        _ => None,
    }
}

//! A TCP transfer between two far ends, followed to its end from the client of both.

use super::between::Meet;
use super::channel::{Channel, ChannelError};
use super::client_tcp::{CANCELLED_REPORT_TIMEOUT, MOST_SLICES, held_back, pieced_together};
use super::conversation::{Answer, Deadline, unwelcome};
use crate::NetError;
use crate::transfer::progress::TcpProgress;
use evidence::{Payload, StopReason};
use probe::session::{TcpHalf, TcpParties, TcpPlan, TcpSlice, ToClient, ToServer, join_tcp};
use tokio::time::Instant;

impl Meet<'_> {
    /// Follows a TCP transfer to its end, and puts together what both far ends tell of it.
    pub(super) async fn follow_tcp(
        &self,
        (sender, receiver): (&mut Channel, &mut Channel),
        plan: &TcpPlan,
        control: Option<String>,
        deadline: Deadline,
    ) -> Answer<Vec<Payload>> {
        let mut progress = TcpProgress::new(plan, true);
        let mut told = Told::default();
        let mut until = deadline.transferred();
        while !told.is_whole() {
            tokio::select! {
                message = sender.receive(), if !told.sender_is_done() => match message {
                    Ok(ToClient::Slice { slice }) => {
                        progress.tell(&slice, self.watch);
                        if told.slices.len() < MOST_SLICES {
                            told.slices.push(slice);
                        }
                    }
                    Ok(ToClient::TcpReport { half, beside }) => {
                        (told.sent, told.beside) = (Some(half), beside);
                        until = deadline.report();
                        told.ask(receiver, false).await;
                    }
                    other => {
                        told.sender_broke(other);
                        told.ask(receiver, false).await;
                    }
                },
                message = receiver.receive(), if !told.receiver_is_done() => match message {
                    Ok(ToClient::TcpReport { half, .. }) => told.received = Some(half),
                    Ok(ToClient::Slice { .. }) => {}
                    _ => {
                        told.receiver_is_gone = true;
                        told.ask(sender, true).await;
                    }
                },
                () = self.watch.cancel.cancelled(), if !told.is_cancelled => {
                    told.is_cancelled = true;
                    until = Instant::now() + CANCELLED_REPORT_TIMEOUT;
                    told.ask(sender, true).await;
                    told.ask(receiver, true).await;
                }
                () = tokio::time::sleep_until(until) => {
                    if std::mem::replace(&mut told.is_late, true) {
                        break;
                    }
                    until = deadline.report();
                    told.ask(sender, false).await;
                    told.ask(receiver, false).await;
                }
            }
        }
        // Who owes a report still would give it as the answer to the next question.
        if told.received.is_none() {
            receiver.give_up();
        }
        if told.sent.is_none() {
            sender.give_up();
        }
        Ok(self.joined(told, plan, control))
    }

    fn joined(&self, told: Told, plan: &TcpPlan, control: Option<String>) -> Result<Vec<Payload>, NetError> {
        if let (Some(error), true) = (told.failure, told.slices.is_empty()) {
            return Err(error);
        }
        let is_whole = told.sent.is_some() && told.received.is_some();
        let nothing = TcpHalf::nothing(StopReason::PeerGone);
        let sent = told.sent.unwrap_or_else(|| {
            pieced_together(told.slices, control, told.received.as_ref().unwrap_or(&nothing))
        });
        let stop = match (told.is_cancelled, is_whole) {
            (true, _) => StopReason::Cancelled,
            (false, false) => StopReason::PeerGone,
            (false, true) => sent.stop,
        };
        let (source, destination) = self.addresses();
        let parties = TcpParties {
            source,
            destination,
            ports: Vec::new(),
        };
        let transfer = join_tcp(parties, plan, &sent, told.received.as_ref(), stop);
        let held_back = held_back(&transfer, plan, self.ask);
        let mut payloads = vec![Payload::from(transfer)];
        payloads.extend(held_back);
        payloads.extend(told.beside);
        Ok(payloads)
    }
}

/// What the two far ends told of a TCP transfer.
#[derive(Default)]
struct Told {
    sent: Option<TcpHalf>,
    received: Option<TcpHalf>,
    slices: Vec<TcpSlice>,
    beside: Vec<Payload>,
    /// Why the sender has no half to tell.
    failure: Option<NetError>,
    receiver_is_gone: bool,
    is_cancelled: bool,
    is_late: bool,
}

impl Told {
    fn sender_is_done(&self) -> bool {
        self.sent.is_some() || self.failure.is_some()
    }

    fn receiver_is_done(&self) -> bool {
        self.received.is_some() || self.receiver_is_gone
    }

    fn is_whole(&self) -> bool {
        self.sender_is_done() && self.receiver_is_done()
    }

    fn sender_broke(&mut self, message: Result<ToClient, ChannelError>) {
        self.failure = Some(match message {
            Ok(other) => unwelcome(other),
            Err(error) => error.into(),
        });
    }

    /// Asks one of the two to end and report. One that is gone is noticed where its report is awaited.
    async fn ask(&self, channel: &mut Channel, cancelled: bool) {
        let stop = ToServer::Stop {
            cancelled,
            sent: None,
        };
        let _ = channel.send(&stop).await;
    }
}

//! The client's questions to the far end, one at a time, and how their answers can fail.

use super::channel::{Channel, ChannelError};
use super::plain_text::plainly;
use super::version::PROGRAM;
use crate::{NetError, Watch};
use evidence::NotMeasuredReason;
use probe::session::{OLDEST_VERSION, PROTOCOL_VERSION, Refusal, ToClient, ToServer};
use std::io;
use std::time::Duration;
use tokio::time::Instant;

/// How long the far end may take for an answer that needs no measuring.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);
/// What setting a transfer up may take: three round trips of the longest paths, and a SYN or two that are lost (RFC 6298).
const SETUP: Duration = Duration::from_secs(4);
/// What a transfer may take beside its own time, all together: setting it up, what is still on the way at its end, and reports. With
/// what closing takes it stays below the five seconds that are promised.
const BESIDE: Duration = Duration::from_millis(4_600);
/// Of these, what is kept for the far end's report.
const REPORT: Duration = Duration::from_millis(500);
/// How long a client waits for its turn: longer than anybody looks on, and not for ever.
const WAITS_AT_MOST: Duration = Duration::from_secs(900);
/// How long a report may take. The keepalives of both ends have noticed a death by then.
const REPORT_TIMEOUT: Duration = Duration::from_secs(8);

/// Until when a transfer has to be over at this end, whatever the far end says or leaves unsaid.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    begun: Instant,
    limit: Duration,
}

impl Deadline {
    /// Of a transfer of at most `limit`, which is being asked for now.
    pub(super) fn of(limit: Duration) -> Self {
        let begun = Instant::now();
        Self { begun, limit }
    }

    /// When it must have begun.
    pub(super) fn set_up(&self) -> Instant {
        self.begun + SETUP
    }

    /// When nothing more is transferred.
    pub(super) fn transferred(&self) -> Instant {
        self.over() - REPORT
    }

    /// When there is no more waiting.
    fn over(&self) -> Instant {
        self.begun + self.limit + BESIDE
    }

    /// How long to wait for the report of a transfer that has just ended, before its time perhaps.
    pub(super) fn report(&self) -> Instant {
        self.over().min(Instant::now() + REPORT_TIMEOUT)
    }
}

/// The answer to a question that needs no measuring, until `deadline`. A far end that says nothing is gone, and nobody who
/// leaves waits for it.
pub(super) async fn answer(channel: &mut Channel, watch: &Watch, deadline: Instant) -> Answer<ToClient> {
    tokio::select! {
        answer = tokio::time::timeout_at(deadline, channel.receive()) => match answer {
            Ok(answer) => answer.map(Ok),
            Err(_) => Err(silent()),
        },
        () = watch.cancel.cancelled() => {
            channel.give_up();
            Ok(Err(NetError::Cancelled))
        }
    }
}

/// The answer to the question for a transfer of at most `limit`, which may have to wait for its turn; and until when that transfer
/// has to be over. Whoever leaves leaves the queue.
pub(super) async fn answer_in_turn(
    channel: &mut Channel,
    watch: &Watch,
    limit: Duration,
) -> Result<(Result<ToClient, NetError>, Deadline), ChannelError> {
    let begun = Instant::now();
    loop {
        let deadline = Deadline::of(limit);
        let (before, about_ms) = match answer(channel, watch, deadline.set_up()).await? {
            Ok(ToClient::Waiting { before, about_ms }) => (before, about_ms),
            Err(NetError::Cancelled) => {
                // Its connection may stay for a while: the place in the queue must not.
                let _ = channel.send(&LEAVES).await;
                return Ok((Err(NetError::Cancelled), deadline));
            }
            answered => return Ok((answered, deadline)),
        };
        watch.report(waiting(before, about_ms), None);
        if begun.elapsed() > WAITS_AT_MOST {
            let _ = channel.send(&LEAVES).await;
            channel.give_up();
            let minutes = WAITS_AT_MOST.as_secs() / 60;
            let detail =
                format!("after {minutes} min of waiting it still runs tests of others: try again later");
            return Ok((Err(NetError::NoRoom(detail)), deadline));
        }
    }
}

const LEAVES: ToServer = ToServer::Stop {
    cancelled: true,
    sent: None,
};

/// Gives up a transfer that the far end has prepared, because of `error`, and hears it out, so that the next question gets its
/// own answer. One that says nothing until then is of no more use; why the transfer did not begin is the better answer even so.
pub(super) async fn abandon<T>(channel: &mut Channel, error: NetError, until: Instant) -> Answer<T> {
    channel.send(&LEAVES).await?;
    let heard_out = async {
        loop {
            match channel.receive().await? {
                ToClient::Ready { .. } | ToClient::Slice { .. } => {}
                _ => return Ok::<(), ChannelError>(()),
            }
        }
    };
    match tokio::time::timeout_at(until, heard_out).await {
        Ok(heard) => heard.map(|()| Err(error)),
        Err(_) => {
            channel.give_up();
            Ok(Err(error))
        }
    }
}

/// How it stands, for a person.
fn waiting(before: u32, about_ms: u64) -> String {
    let seconds = about_ms.div_ceil(1_000);
    let about = match seconds {
        0..=90 => format!("{} s", seconds.max(1)),
        _ => format!("{} min", seconds.div_ceil(60)),
    };
    match before {
        0 => format!("waiting for the far end: about {about} (you are next)"),
        before => format!("waiting for the far end: about {about} ({before} before you)"),
    }
}

/// What a far end is that does not say what it has to say.
pub(super) fn silent() -> ChannelError {
    ChannelError::Gone(io::ErrorKind::TimedOut.into())
}

/// The channel, and whether the last question has had its answer.
pub(super) struct Conversation {
    pub(super) channel: Channel,
    pub(super) is_open: bool,
}

/// The outer error breaks the conversation, the inner one does not.
pub(super) type Answer<T> = Result<Result<T, NetError>, ChannelError>;

impl From<ChannelError> for NetError {
    fn from(error: ChannelError) -> Self {
        match error {
            ChannelError::Gone(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Self::PeerGone("it closed the connection".to_owned())
            }
            ChannelError::Gone(error) => Self::PeerGone(error.to_string()),
            ChannelError::Handshake => Self::Refused("the handshake failed".to_owned()),
            forged @ ChannelError::Forged => Self::Protocol(forged.to_string()),
            ChannelError::Protocol(what) => Self::Protocol(plainly(&what)),
        }
    }
}

/// Whom the far end did not reach, and how that showed, as it says both.
pub(super) fn unreachable_from_there(detail: &str) -> NetError {
    let (whom, how) = detail
        .split_once(" is unreachable: ")
        .unwrap_or(("the other host", detail));
    NetError::Unreachable(format!("from the far end, {whom}"), how.to_owned())
}

/// An answer that is a no, or out of place.
pub(super) fn unwelcome(message: ToClient) -> NetError {
    match message {
        // A program older or newer than this one knows only its own version.
        ToClient::Refused {
            why: Refusal::Version,
            detail,
        } => NetError::Refused(format!(
            "{}; this program is {PROGRAM} and speaks version {PROTOCOL_VERSION}, and back to {OLDEST_VERSION}",
            plainly(&detail)
        )),
        ToClient::Refused { detail, .. } => NetError::Refused(plainly(&detail)),
        ToClient::Failed { reason, detail } => match reason {
            NotMeasuredReason::Cancelled => NetError::Cancelled,
            NotMeasuredReason::Privilege | NotMeasuredReason::Unsupported => {
                NetError::Unsupported(format!("at the far end: {}", plainly(&detail)))
            }
            NotMeasuredReason::Unreachable => unreachable_from_there(&plainly(&detail)),
            _ => NetError::os("at the far end", io::Error::other(plainly(&detail))),
        },
        ToClient::Welcome { version, .. } => NetError::Refused(format!(
            "it speaks version {version} of the protocol, this program version {PROTOCOL_VERSION}, and back to {OLDEST_VERSION}"
        )),
        _ => NetError::Protocol("an answer to a question that was not put".to_owned()),
    }
}

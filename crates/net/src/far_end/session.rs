//! The server's side of one authenticated client.

use super::channel::{Channel, ChannelError};
use super::hub::Hub;
use super::{answers, session_tcp};
use crate::{NetError, Watch};
use evidence::NotMeasuredReason;
use probe::SessionKey;
use probe::session::{PROTOCOL_VERSION, Refusal, ToClient, ToServer};
use rand::TryRngCore;
use rand::rngs::OsRng;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

/// Program and version, as told to the other end.
pub(super) const PROGRAM: &str = concat!("slowpath ", env!("CARGO_PKG_VERSION"));

/// The client of a session, and what the session may use.
pub(super) struct Client {
    pub(super) hub: Arc<Hub>,
    /// The only address that this session sends anything to.
    pub(super) peer: IpAddr,
    /// Our own address and port, as the client reached us.
    pub(super) local: SocketAddr,
    pub(super) watch: Watch,
}

/// A random key, valid for one session or transfer.
pub(super) fn random_key() -> Result<SessionKey, NetError> {
    let mut key = SessionKey::default();
    OsRng.try_fill_bytes(&mut key).map_err(|error| {
        NetError::os(
            "asking for random bytes",
            std::io::Error::other(error.to_string()),
        )
    })?;
    Ok(key)
}

/// Serves one client from its first message to its end, or until the server stops.
pub(super) async fn run(mut channel: Channel, hello: ToServer, client: Client) {
    let watch = client.watch.clone();
    let outcome = tokio::select! {
        outcome = converse(&mut channel, hello, &client) => outcome,
        () = watch.cancel.cancelled() => return,
    };
    match outcome {
        Ok(()) | Err(ChannelError::Gone(_)) => watch.report(format!("{}: gone", client.peer), None),
        Err(error) => watch.report(format!("{}: {error}", client.peer), None),
    }
}

async fn converse(channel: &mut Channel, hello: ToServer, client: &Client) -> Result<(), ChannelError> {
    let ToServer::Hello { version, program } = hello else {
        return refuse(
            channel,
            Refusal::Unexpected,
            "the first message is not a greeting",
        )
        .await;
    };
    if version != PROTOCOL_VERSION {
        return refuse(channel, Refusal::Version, &version_mismatch(Some(version))).await;
    }
    let name: String = program
        .chars()
        .filter(|letter| !letter.is_control())
        .take(40)
        .collect();
    client.watch.report(format!("{}: {name}", client.peer), None);
    let reflector = random_key().map_err(|error| ChannelError::Protocol(error.to_string()))?;
    let _reflecting = client.hub.reflect(reflector, client.peer);
    let welcome = ToClient::Welcome {
        version: PROTOCOL_VERSION,
        program: PROGRAM.to_owned(),
        machine: client.hub.machine.clone(),
        reflector,
        limits: client.hub.config.limits,
    };
    channel.send(&welcome).await?;
    loop {
        match channel.receive().await? {
            ToServer::Perform { ask, reflector } => {
                answers::perform(channel, client, &ask, reflector).await?
            }
            ToServer::Tcp { plan } => session_tcp::run(channel, client, &plan).await?,
            ToServer::Udp { plan } => super::session_udp::run(channel, client, &plan).await?,
            // A stop that crossed our report on the way.
            ToServer::Stop { .. } => {}
            ToServer::Hello { .. } => refuse(channel, Refusal::Unexpected, "a second greeting").await?,
        }
    }
}

/// Why a client that speaks another version, where it said which, is not served.
pub(super) fn version_mismatch(theirs: Option<u32>) -> String {
    let theirs = theirs.map_or(String::new(), |version| format!(", not version {version}"));
    format!("this far end is {PROGRAM} and speaks version {PROTOCOL_VERSION} of the protocol only{theirs}")
}

/// Says no.
pub(super) async fn refuse(channel: &mut Channel, why: Refusal, detail: &str) -> Result<(), ChannelError> {
    channel
        .send(&ToClient::Refused {
            why,
            detail: detail.to_owned(),
        })
        .await
}

/// Says what went wrong.
pub(super) async fn fail(channel: &mut Channel, error: &NetError) -> Result<(), ChannelError> {
    channel
        .send(&ToClient::Failed {
            reason: error.reason(),
            detail: error.to_string(),
        })
        .await
}

/// Says that the client stopped it before there was anything.
pub(super) async fn fail_cancelled(channel: &mut Channel) -> Result<(), ChannelError> {
    let detail = NetError::Cancelled.to_string();
    channel
        .send(&ToClient::Failed {
            reason: NotMeasuredReason::Cancelled,
            detail,
        })
        .await
}

//! The server's side of one authenticated client.

use super::channel::{Channel, ChannelError};
use super::key::random_key;
use super::partner::{self, Partner};
use super::plain_text::{plainly, program_name};
use super::refusal::refuse;
use super::session_client::Client;
use super::version::{PROGRAM, version_mismatch};
use super::{answers, session_tcp, session_udp, third};
use probe::session::{PROTOCOL_VERSION, Refusal, ToClient, ToServer};

/// Serves one client from its first message to its end, or until the server stops.
pub(super) async fn run(mut channel: Channel, hello: ToServer, client: Client) {
    let watch = client.watch.clone();
    let outcome = tokio::select! {
        outcome = converse(&mut channel, hello, &client) => outcome,
        () = watch.cancel.cancelled() => return,
    };
    match outcome {
        Ok(()) | Err(ChannelError::Gone(_)) => watch.report(format!("{}: gone", client.peer), None),
        Err(error) => watch.report(format!("{}: {}", client.peer, plainly(&error.to_string())), None),
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
    let name = program_name(&program);
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
    let mut admitted = third::Admitted::new();
    loop {
        match channel.receive().await? {
            ToServer::Perform { ask, reflector } => {
                answers::perform(channel, client, &ask, reflector).await?
            }
            ToServer::Tcp { plan } => {
                session_tcp::run(channel, client, &plan, Partner::Client(client.peer)).await?
            }
            ToServer::Udp { plan } => {
                session_udp::run(channel, client, &plan, Partner::Client(client.peer)).await?
            }
            ToServer::Meet { with, bulk } => partner::meet(channel, client, with, &bulk).await?,
            ToServer::Admit { peers } => third::admit(channel, client, &peers, &mut admitted).await?,
            ToServer::Count => third::count(channel, client, &admitted).await?,
            ToServer::Towards { ask, peers } => third::perform(channel, client, &ask, &peers).await?,
            // What crossed our report on the way.
            ToServer::Stop { .. } | ToServer::Go => {}
            ToServer::Hello { .. } => refuse(channel, Refusal::Unexpected, "a second greeting").await?,
        }
    }
}

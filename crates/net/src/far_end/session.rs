//! The server's side of one authenticated client.

use super::channel::{Channel, ChannelError};
use super::key::random_key;
use super::ledger::{Stay, Test, Verdict};
use super::partner::{self, Partner};
use super::plain_text::{plainly, program_name};
use super::refusal::refuse;
use super::session_client::Client;
use super::version::{PROGRAM, is_spoken, version_mismatch};
use super::{answers, session_tcp, session_udp, third};
use probe::session::{Refusal, ToClient, ToServer};
use std::time::Duration;

/// How long a client may take to hear that it has to go.
const LAST_WORD: Duration = Duration::from_secs(1);

/// Serves one client from its first message to its end, or until the server stops.
pub(super) async fn run(mut channel: Channel, hello: ToServer, client: Client) {
    let watch = client.watch.clone();
    let outcome = tokio::select! {
        outcome = converse(&mut channel, hello, &client) => outcome,
        () = watch.cancel.cancelled() => return,
        () = client.account.revoked.cancelled() => {
            let why = "the owner of the far end has taken this token back";
            let _ = tokio::time::timeout(LAST_WORD, refuse(&mut channel, Refusal::Limits, why)).await;
            watch.report(format!("{}: {why}", client.peer), None);
            return;
        }
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
    if !is_spoken(version) {
        return refuse(channel, Refusal::Version, &version_mismatch(Some(version))).await;
    }
    let name = program_name(&program);
    client.watch.report(client.introduced(&name), None);
    let _stay = Stay::begin(client, &name);
    let reflector = random_key().map_err(|error| ChannelError::Protocol(error.to_string()))?;
    let _reflecting = client.hub.reflect(reflector, client.peer, client.budget.clone());
    let welcome = ToClient::Welcome {
        version,
        program: PROGRAM.to_owned(),
        machine: client.hub.machine.clone(),
        reflector,
        limits: client.limits(),
    };
    channel.send(&welcome).await?;
    let mut admitted = third::Admitted::new();
    loop {
        let message = channel.receive().await?;
        let test = Test::begin(client, &message);
        channel.take_verdict();
        let answered = answer(channel, client, message, &mut admitted).await;
        let verdict = channel.take_verdict();
        if let Some(test) = test {
            test.end(match &answered {
                Ok(()) => verdict,
                Err(_) => Some(Verdict::gone()),
            });
        }
        answered?;
    }
}

async fn answer(
    channel: &mut Channel,
    client: &Client,
    message: ToServer,
    admitted: &mut third::Admitted,
) -> Result<(), ChannelError> {
    match message {
        ToServer::Perform { ask, reflector } => answers::perform(channel, client, &ask, reflector).await,
        ToServer::Tcp { plan } => {
            session_tcp::run(channel, client, &plan, Partner::Client(client.peer)).await
        }
        ToServer::Udp { plan } => {
            session_udp::run(channel, client, &plan, Partner::Client(client.peer)).await
        }
        ToServer::Meet { with, bulk } => partner::meet(channel, client, with, &bulk).await,
        ToServer::Admit { peers } => third::admit(channel, client, &peers, admitted).await,
        ToServer::Count => third::count(channel, client, admitted).await,
        ToServer::Towards { ask, peers } => third::perform(channel, client, &ask, &peers).await,
        // What crossed our report on the way.
        ToServer::Stop { .. } | ToServer::Go => Ok(()),
        ToServer::Hello { .. } => refuse(channel, Refusal::Unexpected, "a second greeting").await,
    }
}

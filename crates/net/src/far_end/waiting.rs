//! A client that waits for its far end, which connects to it (`serve --dial`).
//!
//! Its port is a door to strangers as that of a server is, and so it is one: the same door with the same guard, at which nobody is
//! let in but who shows the token as a far end does, the connections of its transfers, and the client itself, with a token that
//! nobody else knows. In a transfer the client takes part through its own server, so that the far end can open the
//! connections (see [`super::between`]).

use super::channel::Channel;
use super::client::FarEnd;
use super::config::ServerConfig;
use super::connect::{admitted, connect};
use super::conversation::silent;
use super::peers::AllowedPeers;
use super::server::Server;
use super::token::{Token, new_token};
use super::version::PROGRAM;
use crate::{NetError, Watch};
use probe::session::{PROTOCOL_VERSION, ToServer};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

/// For the answer to our greeting.
const WELCOMED_WITHIN: Duration = Duration::from_secs(5);

/// Who may connect as a far end, and where it is handed to.
pub(super) struct Dialers {
    pub(super) token: Token,
    pub(super) sender: mpsc::Sender<Dialed>,
}

/// A far end that has shown the token, and waits for our greeting.
pub(super) struct Dialed {
    pub(super) channel: Channel,
    pub(super) peer: SocketAddr,
    pub(super) local: SocketAddr,
    /// Where it found us.
    pub(super) at: SocketAddr,
}

/// A client with its port open.
pub struct Waiting {
    server: Server,
    own: Token,
    dialed: mpsc::Receiver<Dialed>,
}

/// A far end that came.
pub struct Met {
    /// It.
    pub far: FarEnd,
    /// This host, as the other end of transfers with it.
    pub own: Own,
}

/// This host as a far end to those that dial.
pub struct Own {
    end: FarEnd,
    /// Held: the port is closed with it.
    _open: DropGuard,
}

impl Own {
    /// It, for transfers ([`super::between`]).
    #[must_use]
    pub fn end(&self) -> &FarEnd {
        &self.end
    }
}

impl Waiting {
    /// Opens the port. What needs rights is done after this.
    ///
    /// # Errors
    /// An address that cannot be listened on.
    pub fn bind(listen: Vec<SocketAddr>, token: Token) -> Result<Self, NetError> {
        let own = Token::read(&new_token()?)?;
        // One is served; a second one comes again.
        let (sender, dialed) = mpsc::channel(1);
        let config = ServerConfig {
            allow_peers: vec![AllowedPeers::Any],
            ..ServerConfig::new(listen, own.clone())
        };
        let server = Server::with_dialers(config, Some(Dialers { token, sender }))?;
        Ok(Self { server, own, dialed })
    }

    /// The addresses listened on.
    #[must_use]
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.server.addresses()
    }

    /// Waits until a far end has come, for as long as `watch` is not cancelled.
    ///
    /// # Errors
    /// It was cancelled.
    pub async fn far_end(self, watch: &Watch) -> Result<Met, NetError> {
        let Self {
            server,
            own,
            mut dialed,
        } = self;
        // Its own: a transfer that the user stops is still reported through it.
        let closed = CancellationToken::new();
        let open = closed.clone().drop_guard();
        let told = watch.clone();
        let door = Watch::new(closed, move |progress| {
            told.report(progress.text, progress.fraction)
        });
        tokio::spawn(server.run(door));
        loop {
            let came = tokio::select! {
                came = dialed.recv() => came.ok_or(NetError::Cancelled)?,
                () = watch.cancel.cancelled() => return Err(NetError::Cancelled),
            };
            let (local, at) = (came.local, came.at);
            match welcomed(came).await {
                Ok(far) => {
                    let end = connect(local.ip(), local.port(), &own, None, watch).await?;
                    let own = Own {
                        end: end.known_at(at),
                        _open: open,
                    };
                    return Ok(Met { far, own });
                }
                Err(error) => watch.report(format!("a far end came and went: {error}"), None),
            }
        }
    }
}

/// Greets a far end that came.
async fn welcomed(came: Dialed) -> Result<FarEnd, NetError> {
    let Dialed {
        mut channel,
        peer,
        local,
        ..
    } = came;
    let hello = ToServer::Hello {
        version: PROTOCOL_VERSION,
        program: PROGRAM.to_owned(),
    };
    let greeting = async {
        channel.send(&hello).await?;
        channel.receive().await
    };
    let answer = timeout(WELCOMED_WITHIN, greeting).await.map_err(|_| silent())??;
    let far = admitted(peer, local, channel, (answer, PROTOCOL_VERSION));
    far.map(FarEnd::dialing).map_err(|setback| setback.told(1))
}

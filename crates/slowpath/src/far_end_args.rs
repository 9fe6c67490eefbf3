//! The options with which every command reaches the far end.

use crate::config::Config;
use crate::far::Far;
use crate::ssh::{Session, SshArgs, SshError};
use net::far_end::{self, Token};
use net::{NetError, Watch};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What helps where nobody may connect to the far end.
const DIAL: &str = "; or have it connect to this host: `slowpath diagnose --listen` shows how";

/// How to reach `slowpath serve` at the other end.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FarEndArgs {
    /// File with the token that `slowpath serve` printed at the other end
    #[arg(long, value_name = "FILE", env = "SLOWPATH_TOKEN_FILE")]
    pub token_file: Option<PathBuf>,
    /// Port of the far end, TCP and UDP [default: 4820]
    #[arg(long, short = 'p', value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
}

/// What became of the attempt to reach the far end.
pub(crate) enum Reached {
    /// Both ends can be used.
    Yes(Box<Far>),
    /// Only this end can be used; the text says why and how to change it.
    No(String),
    /// The user must correct something first.
    Misused(String),
}

impl FarEndArgs {
    /// Fills in from the configuration what neither the command line nor the environment says of `host`. Before rights are
    /// given up: which file is still readable afterwards depends on it.
    pub(crate) fn settle(&mut self, config: &Config, host: &str) {
        let configured = config.token_file(Some(host)).map(|set| set.value);
        self.token_file = self.token_file.take().or(configured);
        self.port = self.port.or_else(|| config.port(Some(host)).map(|set| set.value));
    }

    /// The port of the far end.
    pub(crate) fn port(&self) -> u16 {
        self.port.unwrap_or(far_end::DEFAULT_PORT)
    }

    /// Starts the far end through ssh, if a host on the command line means that, and puts the bare name of the host in its
    /// place. One that `meets_others` may measure with third places. To be called before rights are given up.
    ///
    /// # Errors
    /// It is not there.
    pub(crate) fn start(
        &mut self,
        ssh: &SshArgs,
        host: &mut String,
        meets_others: bool,
        config: &Config,
    ) -> Result<Option<Session>, SshError> {
        let Some(login) = ssh.login(host) else {
            return Ok(None);
        };
        self.settle(config, &login.host);
        let session = ssh.start(login, self.port(), meets_others)?;
        session.host().clone_into(host);
        Ok(Some(session))
    }

    /// Connects to the far end at `address`: the one that ssh started, or another, if a token was given.
    pub(crate) async fn connect(
        &self,
        address: IpAddr,
        source: Option<IpAddr>,
        session: Option<&Session>,
        watch: &Watch,
    ) -> Reached {
        if let Some(session) = session {
            return match Far::of_session(session, address, source, watch).await {
                Ok(far) => Reached::Yes(Box::new(far)),
                Err(why) => Reached::No(why),
            };
        }
        let Some(path) = &self.token_file else {
            return Reached::No(self.without_token(address).await);
        };
        let token = match read_token(path).await {
            Ok(token) => token,
            Err(message) => return Reached::Misused(message),
        };
        match far_end::connect(address, self.port(), &token, source, watch).await {
            Ok(far_end) => Reached::Yes(Box::new(far_end.into())),
            Err(error @ NetError::Refused(_)) => Reached::Misused(error.to_string()),
            Err(error @ NetError::NoFarEnd(_)) => Reached::No(format!(
                "{error}. Where it runs, let this host reach port {} there, TCP and UDP{DIAL}",
                self.port()
            )),
            Err(error) => Reached::No(error.to_string()),
        }
    }

    /// Without a token nothing can be tested with the far end, but the user should know that one is there.
    async fn without_token(&self, address: IpAddr) -> String {
        let attempt = tokio::net::TcpStream::connect((address, self.port()));
        match tokio::time::timeout(Duration::from_secs(2), attempt).await {
            Ok(Ok(_)) => format!(
                "something listens on port {} there, but no token was given: \
                 copy the token that `slowpath serve` printed and give --token-file",
                self.port()
            ),
            _ => "no far end of ours: run `slowpath serve` at the other end and give its token with --token-file"
                .to_owned(),
        }
    }
}

/// Deriving a key from words takes a while, and others wait for the threads of the runtime.
async fn read_token(path: &Path) -> Result<Token, String> {
    let path = path.to_owned();
    let reading = tokio::task::spawn_blocking(move || far_end::read_token_file(&path));
    match reading.await {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(error) => Err(format!("reading the token file: {error}")),
    }
}

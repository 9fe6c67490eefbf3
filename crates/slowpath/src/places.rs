//! The places as this run can use them: found, started through ssh where that is meant, and connected to.

pub(crate) mod file;

use crate::config::Config;
use crate::far::Far;
use crate::resolve::{self, FamilyArgs};
use crate::ssh::{Session, SshArgs};
use evidence::Party;
use net::Watch;
use net::far_end::{DEFAULT_PORT, Token, connect, read_token_file};
use std::net::IpAddr;
use std::path::PathBuf;

/// A host that takes part.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Place {
    pub(crate) name: String,
    /// Where people say that it is.
    pub(crate) site: Option<String>,
    pub(crate) at: At,
}

/// How to get there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum At {
    /// This host; its address, where routing should not choose.
    Here(Option<String>),
    /// `user@host`: ssh starts the far end.
    Ssh(String),
    /// A far end that runs already.
    Served {
        host: String,
        port: Option<u16>,
        secret: Secret,
    },
}

/// The token of a far end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Secret {
    Token(String),
    File(PathBuf),
    /// What the configuration has for that host.
    Configured,
}

/// A place before rights are given up: what can be known without a packet, and the far end that ssh started.
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) site: Option<String>,
    how: Result<How, String>,
}

enum How {
    Here(Option<IpAddr>),
    Served {
        address: IpAddr,
        port: u16,
        token: Token,
        /// Keeps what ssh started.
        session: Option<Session>,
    },
}

/// A place that takes part, or why it does not.
pub(crate) struct Reached {
    pub(crate) name: String,
    pub(crate) site: Option<String>,
    pub(crate) end: Result<End, String>,
    /// Held: the far end ends with it.
    session: Option<Session>,
}

/// Who measures there.
pub(crate) enum End {
    /// We; from this address where routing should not choose.
    Here(Option<IpAddr>),
    There(Box<Far>),
}

impl Found {
    /// Finds a place. What fails is told by the matrix, beside what could be measured without it.
    pub(crate) fn find(place: &Place, family: FamilyArgs, ssh: &SshArgs, config: &Config) -> Self {
        Self {
            name: place.name.clone(),
            site: place.site.clone(),
            how: how(place, family, ssh, config),
        }
    }

    /// Where it is found, or why it is not.
    pub(crate) fn address(&self) -> Result<Option<IpAddr>, &str> {
        match &self.how {
            Ok(How::Here(address)) => Ok(*address),
            Ok(How::Served { address, .. }) => Ok(Some(*address)),
            Err(why) => Err(why),
        }
    }

    /// Connects to it.
    pub(crate) async fn reach(self, watch: &Watch) -> Reached {
        let (end, session) = match self.how {
            Err(why) => (Err(why), None),
            Ok(How::Here(address)) => (Ok(End::Here(address)), None),
            Ok(How::Served {
                address,
                port,
                token,
                session,
            }) => {
                let reached = match &session {
                    Some(session) => Far::of_session(session, address, None, watch).await,
                    None => {
                        let far = connect(address, port, &token, None, watch).await;
                        far.map(Far::from).map_err(|error| error.to_string())
                    }
                };
                (reached.map(|far| End::There(Box::new(far))), session)
            }
        };
        Reached {
            name: self.name,
            site: self.site,
            end,
            session,
        }
    }
}

fn how(place: &Place, family: FamilyArgs, ssh: &SshArgs, config: &Config) -> Result<How, String> {
    match &place.at {
        At::Here(address) => {
            let address = address.as_ref().map(|address| resolve::host(address, family));
            let address = address.transpose().map_err(|error| error.to_string())?;
            match address.filter(|address| !resolve::is_local(*address)) {
                Some(other) => Err(format!("{other} is no address of this host")),
                None => Ok(How::Here(address)),
            }
        }
        At::Ssh(target) => {
            let login = ssh
                .login(target)
                .ok_or_else(|| format!("`{target}` is no login"))?;
            let session = ssh
                .start(login, DEFAULT_PORT, true)
                .map_err(|error| error.to_string())?;
            let address = session.address(family).map_err(|error| error.to_string())?;
            Ok(How::Served {
                address,
                port: session.port(address),
                token: session.token().clone(),
                session: Some(session),
            })
        }
        At::Served { host, port, secret } => {
            let configured = || config.port(Some(host)).map(|set| set.value);
            let port = port.or_else(configured).unwrap_or(DEFAULT_PORT);
            let address = resolve::serving(host, family, port).map_err(|error| error.to_string())?;
            let configured = || config.token_file(Some(host)).map(|set| set.value);
            let token = match secret {
                Secret::Token(token) => Token::read(token),
                Secret::File(path) => read_token_file(path),
                Secret::Configured => {
                    let path = configured().ok_or_else(|| {
                        "no token: give `--token-file`, `token-file` in its table of a file of places, or the configuration for \
                         this host"
                            .to_owned()
                    })?;
                    read_token_file(&path)
                }
            };
            Ok(How::Served {
                address,
                port,
                token: token.map_err(|error| error.to_string())?,
                session: None,
            })
        }
    }
}

impl Reached {
    /// Its address as the other places see it: that under which we reach it. Our own is told by a far end.
    pub(crate) fn party(&self, seen_by: Option<&Far>) -> Party {
        let address = match &self.end {
            Ok(End::There(far)) => Some(far.end.peer_address().ip()),
            Ok(End::Here(address)) => address.or_else(|| seen_by.map(|far| far.end.local_address())),
            Err(_) => None,
        };
        Party {
            name: self.name.clone(),
            address,
        }
    }

    /// The far end there, or why there is none; with what keeps it.
    pub(crate) fn into_far(self) -> Result<(Far, Option<Session>), String> {
        match self.end? {
            End::There(far) => Ok((*far, self.session)),
            End::Here(_) => Err("it is this host".to_owned()),
        }
    }

    pub(crate) fn far(&self) -> Option<&Far> {
        match &self.end {
            Ok(End::There(far)) => Some(far),
            _ => None,
        }
    }
}

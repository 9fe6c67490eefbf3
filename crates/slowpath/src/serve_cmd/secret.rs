//! The tokens of a far end: where they come from, and where a person finds them.

use super::{ServeArgs, access_file, stdio};
use net::NetError;
use net::far_end::{Access, AllowedPeers, Token, new_token, private_text, token_from_file};
use std::path::{Path, PathBuf};

/// What clients show to be let in, and what came with it.
pub(super) struct Secret {
    pub(super) access: Access,
    pub(super) shown: Shown,
    /// Where to listen, when who gave the token said so.
    pub(super) port: Option<u16>,
    /// Third places that who gave the token allows.
    pub(super) allow_peers: Vec<AllowedPeers>,
}

/// Where a person finds the token.
pub(super) enum Shown {
    /// It is printed.
    Text(String),
    File(PathBuf),
    /// One for each who is named there.
    Access(PathBuf),
    /// Who gave it knows it.
    Given,
}

impl Secret {
    /// What is wrong is said in words for the owner.
    pub(super) fn of(args: &ServeArgs) -> Result<Self, String> {
        if let Some(path) = &args.access {
            return Ok(Self {
                access: in_file(path)?,
                shown: Shown::Access(path.clone()),
                port: None,
                allow_peers: Vec::new(),
            });
        }
        Self::single(args).map_err(|error| error.to_string())
    }

    /// One token for all.
    fn single(args: &ServeArgs) -> Result<Self, NetError> {
        if args.stdio {
            let stdio::Told {
                token,
                port,
                allow_peers,
            } = stdio::told()?;
            return Ok(Self {
                access: Access::single(token),
                shown: Shown::Given,
                port,
                allow_peers,
            });
        }
        match &args.token_file {
            // A check leaves nothing behind.
            Some(path) if !args.check || path.exists() => Ok(Self {
                access: Access::single(token_from_file(path)?),
                shown: Shown::File(path.clone()),
                port: None,
                allow_peers: Vec::new(),
            }),
            _ => {
                let text = new_token()?;
                Ok(Self {
                    access: Access::single(Token::read(&text)?),
                    shown: Shown::Text(text),
                    port: None,
                    allow_peers: Vec::new(),
                })
            }
        }
    }
}

fn in_file(path: &Path) -> Result<Access, String> {
    let text = private_text(path, access_file::LONGEST).map_err(|error| error.to_string())?;
    access_file::read(path, &text).map_err(|error| error.to_string())
}

//! A diagnosis whose far end connects to this host.

use super::DiagnoseArgs;
use super::ends::Ends;
use crate::console::Console;
use crate::{exit, resolve};
use net::NetError;
use net::far_end::{Met, Token, Waiting, new_token, token_from_file};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;

/// The port is open; nobody has come yet.
pub(super) struct Listening {
    waiting: Waiting,
    /// What to run at the other end.
    told: String,
}

impl Listening {
    /// Opens the port in the family of addresses that the far end has. To be called before rights are given up.
    pub(super) fn open(args: &DiagnoseArgs, ends: &Ends) -> Result<Self, ExitCode> {
        if ends.web.is_some() || ends.others.is_some() || ends.session.is_some() {
            let what = "--listen is for a far end that connects to this host: leave it out with a URL, with user@host, and where \
                        neither end is this host";
            return Err(exit::usage(what));
        }
        let failed = |error: NetError| exit::could_not_measure(&error.to_string());
        let (token, shown) = match &args.far_end.token_file {
            Some(path) => (token_from_file(path).map_err(failed)?, None),
            None => {
                let text = new_token().map_err(failed)?;
                (Token::read(&text).map_err(failed)?, Some(text))
            }
        };
        let any: IpAddr = match ends.remote {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let listen = SocketAddr::new(ends.bind.unwrap_or(any), args.far_end.port());
        let waiting = Waiting::bind(vec![listen], token).map_err(failed)?;
        let own = ends
            .bind
            .or_else(|| resolve::source_towards(ends.remote))
            .unwrap_or(any);
        let client = SocketAddr::new(own, listen.port());
        let dial = format!("slowpath serve --dial {client} --token-file slowpath.token");
        let told = match (shown, &args.far_end.token_file) {
            // `echo` is the shell's own: the token stands on no command line that others see.
            (Some(token), _) => format!("(umask 077; echo {token} > slowpath.token); {dial}"),
            (None, file) => {
                let file = file
                    .as_ref()
                    .map_or_else(String::new, |file| file.display().to_string());
                format!("{dial}\nwith the token of {file} in the file slowpath.token there")
            }
        };
        Ok(Self { waiting, told })
    }

    /// Waits for the far end.
    pub(super) async fn far_end(self, console: &Console) -> Result<Met, ExitCode> {
        // Without it nobody comes, whoever asked for quiet.
        console.warn(&format!("waiting for the far end. Run there:\n{}", self.told));
        let met = self
            .waiting
            .far_end(&console.begin("waiting for the far end"))
            .await;
        let met = met.map_err(|error| match error {
            NetError::Cancelled => exit::could_not_measure("no far end connected before it was stopped"),
            error => exit::could_not_measure(&error.to_string()),
        })?;
        console.line(&format!(
            "the far end has connected from {}",
            met.far.peer_address()
        ));
        Ok(met)
    }
}

//! The options with which an iperf3 server is the far end of transfers.

use crate::far_end_args::FarEndArgs;
use net::iperf3::{DEFAULT_PORT, Iperf3, Login};
use std::io::IsTerminal as _;
use std::net::IpAddr;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// Why what needs a far end of ours cannot be measured with an iperf3 server.
pub(crate) const WITHOUT_OURS: &str = "an iperf3 server takes part in transfers alone: \
     for this, run `slowpath serve` at the other end and give its token with --token-file";

/// Where the password is, as iperf3 itself has it: the arguments of a program are everybody's to read.
const PASSWORD: &str = "IPERF3_PASSWORD";

/// Who logs in to an iperf3 server that has users.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct LoginArgs {
    /// Log in to the iperf3 server as this user, with the password in the environment variable IPERF3_PASSWORD, or typed when asked
    #[arg(long, value_name = "USER", requires = "rsa_public_key_path")]
    username: Option<String>,
    /// The iperf3 server's public RSA key, PEM: the login is encrypted with it
    #[arg(long, value_name = "FILE", requires = "username")]
    rsa_public_key_path: Option<PathBuf>,
}

impl LoginArgs {
    /// The login to a server that `is_there`; `None` where nobody logs in. To be called before rights are given up: it reads the
    /// key.
    pub(crate) fn login(&self, is_there: bool) -> Result<Option<Login>, String> {
        let (Some(user), Some(path)) = (&self.username, &self.rsa_public_key_path) else {
            return Ok(None);
        };
        if !is_there {
            return Err("--username is about an iperf3 server: give --iperf3 as well".to_owned());
        }
        let password = password_of(user)?;
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let pem = std::fs::read_to_string(path).map_err(|error| named(&error))?;
        let login = Login::new(user.clone(), password, &pem);
        login.map(Some).map_err(|error| named(&error))
    }
}

/// From the environment, else from who sits at the terminal.
fn password_of(user: &str) -> Result<Zeroizing<String>, String> {
    let found = match std::env::var(PASSWORD) {
        Ok(password) => Ok(password),
        Err(_) if std::io::stdin().is_terminal() => {
            rpassword::prompt_password(format!("password of {user} at the iperf3 server: "))
                .map_err(|error| format!("no password was read from the terminal: {error}"))
        }
        Err(_) => Err(format!(
            "--username needs a password, and there is no terminal to ask at: put it into {PASSWORD} without a trace with \
             `read -rs {PASSWORD} && export {PASSWORD}`"
        )),
    };
    found.map(Zeroizing::new)
}

/// An iperf3 server at the other end.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Iperf3Args {
    /// Transfer to and from a stock iperf3 server (`iperf3 -s`) at the other end where no `slowpath serve` runs
    #[arg(
        long = "iperf3",
        value_name = "PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "5201",
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    iperf3_port: Option<u16>,
    #[command(flatten)]
    login: LoginArgs,
}

impl Iperf3Args {
    /// Whether there is one.
    pub(crate) fn is_given(&self) -> bool {
        self.iperf3_port.is_some()
    }

    /// Who logs in there, if anybody does.
    pub(crate) fn login(&self) -> Result<Option<Login>, String> {
        self.login.login(self.is_given())
    }

    /// The server at `address`, tested from `source`.
    pub(crate) fn server(
        &self,
        address: IpAddr,
        source: Option<IpAddr>,
        login: Option<Login>,
    ) -> Option<Iperf3> {
        let port = self.iperf3_port?;
        Some(Iperf3::new(address, port, source).by(login))
    }

    /// The port that transfers go to: without a token none goes to a far end of ours.
    pub(crate) fn port_of_tests(&self, far_end: &FarEndArgs) -> u16 {
        let iperf3 = self.iperf3_port.filter(|_| far_end.token_file.is_none());
        iperf3.unwrap_or(far_end.port())
    }

    /// What it is good for, in words.
    pub(crate) fn role(&self) -> String {
        let port = self.iperf3_port.unwrap_or(DEFAULT_PORT);
        format!("transfers go to the iperf3 server on port {port} there; all else is measured from this end")
    }
}

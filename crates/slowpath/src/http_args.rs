//! The options with which a web server is the far end of a transfer: whoever names a URL means the transfer of that file.

use crate::resolve::{self, FamilyArgs, ResolveError};
use clap::Args;
use evidence::End;
use net::http::{Http, Trust, Wishes};
use probe::http::Target;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why what needs a far end of ours cannot be measured with a web server.
pub(crate) const WITHOUT_OURS: &str = "a web server takes part in transfers alone: \
     for this, run `slowpath serve` at the other end and diagnose the host with its token (--token-file)";

/// Where help lists these options. Of each, not of all: a heading of all would stay for whatever a command has behind them.
const HEADING: &str = "With a URL";

/// How a URL is asked for.
#[derive(Debug, Clone, Args)]
pub(crate) struct HttpArgs {
    /// Send made-up bytes to the URL (PUT) instead of downloading from it. What is stored there is replaced
    #[arg(long, help_heading = HEADING)]
    upload: bool,
    /// Believe the certificates in this PEM file instead of the authorities that the system trusts
    #[arg(long, help_heading = HEADING, value_name = "FILE", conflicts_with = "insecure")]
    ca_file: Option<PathBuf>,
    /// Take any certificate: what is measured is true of whoever answers
    #[arg(long, help_heading = HEADING)]
    insecure: bool,
    /// Use HTTP/1.1 even where the server speaks HTTP/2
    #[arg(long = "http1.1", help_heading = HEADING)]
    http1: bool,
}

/// A file on a web server, and how the user wants it.
#[derive(Debug, Clone)]
pub(crate) struct Web {
    target: Target,
    trust: Trust,
    args: HttpArgs,
}

/// Where the server is, and how long it took to find out; an address takes no time.
pub(crate) type Found = (IpAddr, Option<Duration>);

impl HttpArgs {
    /// What `far_end` names, if it is a URL. Reads files, so before rights are given up.
    ///
    /// # Errors
    /// In words: it is no such URL, or nobody is to be trusted; or options for URLs stand beside a host.
    pub(crate) fn read(&self, far_end: &str) -> Result<Option<Web>, String> {
        if !Target::is_url(far_end) {
            return match self.upload || self.insecure || self.http1 || self.ca_file.is_some() {
                true => Err(
                    "--upload, --ca-file, --insecure and --http1.1 are about a URL: give one (https://...)"
                        .to_owned(),
                ),
                false => Ok(None),
            };
        }
        let target = Target::parse(far_end).map_err(|error| error.to_string())?;
        let trust = match (&self.ca_file, self.insecure) {
            (Some(path), _) => Trust::of_file(path).map_err(|error| error.to_string())?,
            (None, true) => Trust::unchecked(),
            (None, false) => Trust::of_system(),
        };
        Ok(Some(Web {
            target,
            trust,
            args: self.clone(),
        }))
    }
}

impl Web {
    /// The host that the URL names.
    pub(crate) fn host(&self) -> String {
        self.target.host()
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.target.port()
    }

    /// Which end of the transfer this host is: data come from a web server unless they are uploaded.
    pub(crate) fn local_end(&self) -> End {
        match self.args.upload {
            true => End::From,
            false => End::To,
        }
    }

    /// Looks the host up.
    pub(crate) fn find(&self, family: FamilyArgs) -> Result<Found, ResolveError> {
        let began = Instant::now();
        let address = resolve::serving(&self.host(), family, self.port())?;
        let took = Some(began.elapsed()).filter(|_| self.target.address().is_none());
        Ok((address, took))
    }

    /// The server as a far end. `is_evidence`: what is measured is to tell of the path to this one server.
    pub(crate) fn server(
        &self,
        found: Found,
        source: Option<IpAddr>,
        family: FamilyArgs,
        is_evidence: bool,
    ) -> Arc<Http> {
        let admits = match (family.ipv4, family.ipv6) {
            (true, _) => IpAddr::is_ipv4,
            (_, true) => IpAddr::is_ipv6,
            _ => |_: &IpAddr| true,
        };
        let wishes = Wishes {
            uploads: self.args.upload,
            http1_only: self.args.http1,
            source,
            admits,
            is_evidence,
        };
        Arc::new(Http::new(self.target.clone(), found, self.trust.clone(), wishes))
    }

    /// What it is good for, in words.
    pub(crate) fn role(&self) -> String {
        let what = match self.args.upload {
            true => "transfers are uploads to",
            false => "transfers are downloads of",
        };
        format!("{what} {}; all else is measured from this end", self.target)
    }

    /// That a proxy which other programs would use is not used, where the environment names one.
    pub(crate) fn proxy_note(&self) -> Option<String> {
        let names: &[&str] = match self.target.is_secure() {
            true => &["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
            // HTTP_PROXY can be set by a request to a CGI program, and is not followed by careful programs.
            false => &["http_proxy", "all_proxy", "ALL_PROXY"],
        };
        let is_set = |name: &&&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let name = names.iter().find(is_set)?;
        Some(format!(
            "{name} is set and not used: the connection goes to the server itself, as that path is measured"
        ))
    }
}

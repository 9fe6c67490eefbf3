//! The two ends that the command line names: this host and another, this host and a web server, or two others.

use super::DiagnoseArgs;
use crate::capture_cmd::own::OwnCapture;
use crate::config::Config;
use crate::exit;
use crate::http_args::{Found, Web};
use crate::places::{self, At, Place, Secret};
use crate::resolve::{self, FamilyArgs};
use crate::ssh::Session;
use crate::tcp_cmd::{self, TcpPort};
use crate::vantages::now;
use evidence::{CASE_SCHEMA_VERSION, Complaint, End, Party};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

/// The file whose transfer is slow, where the user names one.
pub(super) fn read_url(args: &DiagnoseArgs) -> Result<Option<Web>, String> {
    let web = args.http.read(&args.to)?;
    let from = args.from.as_ref();
    if from.is_some_and(|from| from.contains("://")) {
        return Err(
            "give the URL in place of TO: it tells by itself that the data come from there".to_owned(),
        );
    }
    match (&web, from, args.iperf3.is_given()) {
        (Some(_), Some(_), _) => Err(
            "a URL tells both ends: leave out --from (data come from the web server to here, with --upload the other way)"
                .to_owned(),
        ),
        (Some(_), _, true) => Err("--iperf3 is about a host: leave it out, or give a host instead of a URL".to_owned()),
        _ => Ok(web),
    }
}

/// The far end, where one of the two hosts is a login.
fn start_far_end(args: &mut DiagnoseArgs, config: &Config) -> Result<Option<Session>, ExitCode> {
    let meets_others = !args.via.is_empty() || args.via_file.is_some();
    let remote = match &mut args.from {
        Some(from) if from.contains('@') || args.to == "here" => from,
        _ => &mut args.to,
    };
    args.far_end
        .start(&args.ssh, remote, meets_others, config)
        .map_err(|error| exit::could_not_measure(&error.to_string()))
}

/// Whether a host on the command line is this one. A login is another, whatever its address.
fn is_here(host: &str, family: FamilyArgs) -> bool {
    let is_local = || resolve::host(host, family).is_ok_and(resolve::is_local);
    host == "here" || !host.contains('@') && is_local()
}

/// Both ends, where neither is this host: for each of them a login, or a far end whose token is known.
fn others(args: &DiagnoseArgs, config: &Config) -> Result<Option<[Place; 2]>, ExitCode> {
    let Some(from) = &args.from else {
        return Ok(None);
    };
    if is_here(from, args.family) || is_here(&args.to, args.family) {
        return Ok(None);
    }
    let given = [
        (
            args.iperf3.is_given(),
            "--iperf3 is a far end of transfers with this host",
        ),
        (args.capture, "--capture is about connections of this host"),
    ];
    if let Some((_, what)) = given.into_iter().find(|(is_given, _)| *is_given) {
        return Err(exit::usage(&format!(
            "{what}, and neither {from} nor {} is this host: leave it out",
            args.to
        )));
    }
    let place = |host: &String| {
        if let Some(login) = args.ssh.login(host) {
            return Ok(Place {
                name: login.host,
                site: None,
                at: At::Ssh(host.clone()),
            });
        }
        let file = args.far_end.token_file.clone();
        if file.is_none() && config.token_file(Some(host)).is_none() {
            return Err(exit::usage(&format!(
                "neither {from} nor {} is this host, so a far end is needed at both: give {host} as user@{host}, to start it \
                 there through ssh, or give the token of `slowpath serve` there with --token-file or in the configuration",
                args.to
            )));
        }
        Ok(Place {
            name: host.clone(),
            site: None,
            at: At::Served {
                host: host.clone(),
                port: args.far_end.port,
                secret: file.map_or(Secret::Configured, Secret::File),
            },
        })
    };
    Ok(Some([place(from)?, place(&args.to)?]))
}

/// The two ends as the user named them.
pub(super) struct Ends {
    pub(super) local_end: End,
    /// The name of the other end, as given.
    pub(super) remote_name: String,
    pub(super) remote: IpAddr,
    /// The local address to send from, when the user named one.
    pub(super) bind: Option<IpAddr>,
    /// The far end, where ssh started it.
    pub(super) session: Option<Session>,
    /// The file on a web server, and where that was found.
    pub(super) web: Option<(Web, Found)>,
    /// Where neither end is this host: both, the sender first.
    pub(super) others: Option<[places::Found; 2]>,
}

impl Ends {
    /// This host and a web server.
    pub(super) fn of_web(args: &DiagnoseArgs, web: Web) -> Result<Self, ExitCode> {
        let found = web.find(args.family);
        let found = found.map_err(|error| exit::could_not_measure(&error.to_string()))?;
        Ok(Self {
            local_end: web.local_end(),
            remote_name: web.host(),
            remote: found.0,
            bind: None,
            session: None,
            web: Some((web, found)),
            others: None,
        })
    }

    /// The ends that the command line names; what ssh has to start there is started.
    pub(super) fn find(args: &mut DiagnoseArgs, config: &Config) -> Result<Self, ExitCode> {
        if let Some(others) = others(args, config)? {
            return Self::of_others(args, &others, config);
        }
        let session = start_far_end(args, config)?;
        let ends = Self::with_here(args, session)?;
        args.far_end.settle(config, &ends.remote_name);
        Ok(ends)
    }

    fn of_others(args: &DiagnoseArgs, others: &[Place; 2], config: &Config) -> Result<Self, ExitCode> {
        let found = others
            .each_ref()
            .map(|place| places::Found::find(place, args.family, &args.ssh, config));
        for end in &found {
            let why = |why| exit::could_not_measure(&format!("{}: {why}", end.name));
            end.address().map_err(why)?;
        }
        let [_, to] = &found;
        let address = to.address().ok().flatten();
        Ok(Self {
            local_end: End::From,
            remote_name: to.name.clone(),
            remote: address.ok_or_else(|| exit::could_not_measure("it has no address"))?,
            bind: None,
            session: None,
            web: None,
            others: Some(found),
        })
    }

    fn with_here(args: &DiagnoseArgs, session: Option<Session>) -> Result<Self, ExitCode> {
        let find = |name: &str| {
            let found = match &session {
                Some(session) if session.host() == name => session.address(args.family),
                _ => resolve::serving(name, args.family, args.iperf3.port_of_tests(&args.far_end)),
            };
            found.map_err(|error| exit::could_not_measure(&error.to_string()))
        };
        let Some(from) = &args.from else {
            let remote = find(&args.to)?;
            return Ok(Self {
                local_end: End::From,
                remote_name: args.to.clone(),
                remote,
                bind: None,
                session,
                web: None,
                others: None,
            });
        };
        let from_address = find(from)?;
        if resolve::is_local(from_address) {
            let (remote_name, remote) = (args.to.clone(), find(&args.to)?);
            return Ok(Self {
                local_end: End::From,
                remote_name,
                remote,
                bind: Some(from_address),
                session,
                web: None,
                others: None,
            });
        }
        let bind = if args.to == "here" {
            None
        } else {
            Some(find(&args.to)?)
        };
        Ok(Self {
            local_end: End::To,
            remote_name: from.clone(),
            remote: from_address,
            bind,
            session,
            web: None,
            others: None,
        })
    }

    /// What a case of these ends is called: after the host that is not this one, or both.
    pub(super) fn case_path(&self) -> PathBuf {
        let name = match &self.others {
            Some([from, to]) => format!("{}-{}", from.name, to.name),
            None => self.remote_name.clone(),
        };
        // Colons of IPv6 addresses are no good in file names.
        PathBuf::from(format!("{}.case", name.replace([':', '/', '%'], "-")))
    }

    /// Opens a capture of the connections with the far end.
    pub(super) fn capture(&self, port: u16) -> Result<OwnCapture, String> {
        let started = self.session.as_ref().map(|session| session.port(self.remote));
        let of_web = self.web.as_ref().map(|(web, _)| web.port());
        let port = started.or(of_web).unwrap_or(port);
        let local = self.bind.or_else(|| resolve::source_towards(self.remote));
        let local = local.ok_or_else(|| format!("no route to {}", self.remote))?;
        OwnCapture::open(local, self.remote, port)
    }

    /// What measures with a TCP port of the other end, where the user names one.
    pub(super) fn tcp_port(&self, args: &DiagnoseArgs) -> Result<Option<TcpPort>, ExitCode> {
        let Some(port) = args.tcp else {
            return Ok(None);
        };
        if self.web.is_some() || self.others.is_some() {
            return Err(exit::usage(
                "--tcp is about a port of a host that this one is measured with: leave it out with a URL, or between two other hosts",
            ));
        }
        let plan = tcp_cmd::plan(SocketAddr::new(self.remote, port), self.bind);
        let opened = TcpPort::open(plan);
        opened
            .map(Some)
            .map_err(|error| exit::could_not_measure(&error.to_string()))
    }

    pub(super) fn complaint(&self, args: &DiagnoseArgs) -> Complaint {
        let remote = Party {
            name: self.remote_name.clone(),
            address: Some(self.remote),
        };
        let local = match &self.others {
            Some([from, _]) => Party {
                name: from.name.clone(),
                address: from.address().ok().flatten(),
            },
            None => Party {
                name: net::host::name().unwrap_or_else(|| "here".to_owned()),
                address: self.bind.or_else(|| resolve::source_towards(self.remote)),
            },
        };
        let (from, to) = match self.local_end {
            End::From => (local, remote),
            End::To => (remote, local),
        };
        Complaint {
            schema: CASE_SCHEMA_VERSION,
            from,
            to,
            local_end: self.local_end,
            expected_bps: args.expect,
            since: args.since.clone(),
            said_by: std::env::var("USER").ok(),
            opened_at: now(),
            utc_offset_s: None,
        }
    }
}

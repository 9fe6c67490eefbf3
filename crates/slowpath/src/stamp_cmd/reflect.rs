//! `slowpath stamp --reflect`: the reflector's process.

use crate::{exit, output, terminal};
use evidence::RateBps;
use net::rights::{Account, Restricted, restrict_reflector};
use net::stamp::{Key, Prefix, ReflectLimits, ReflectorServer, ServeConfig};
use net::{NetError, Watch};
use nix::errno::Errno;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The options of a reflector. Each conflicts with a host to send to: what is only required, a conflict waives.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options of a reflector")]
pub(crate) struct ReflectArgs {
    /// Be a reflector
    #[arg(long)]
    reflect: bool,
    /// Answer this network, for example 192.0.2.0/24 or 2001:db8::/32, or one address; may be repeated
    #[arg(long, value_name = "PREFIX", requires = "reflect", conflicts_with = "to")]
    allow: Vec<Prefix>,
    /// Answer anybody, in place of --allow
    #[arg(long, requires = "reflect", conflicts_with_all = ["allow", "to"])]
    any: bool,
    /// Address to listen on; may be repeated [default: all addresses]
    #[arg(long, value_name = "ADDRESS", requires = "reflect", conflicts_with = "to")]
    listen: Vec<IpAddr>,
    /// Answers a second to each address (IPv6: to each network of 64 bits)
    #[arg(long, value_name = "N", requires = "reflect", conflicts_with = "to", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=50_000))]
    max_pps: u32,
    /// Highest rate of packets and answers together
    #[arg(
        long,
        value_name = "RATE",
        requires = "reflect",
        conflicts_with = "to",
        default_value = "100Mbit/s"
    )]
    max_rate: RateBps,
    /// Answer with the sender's numbers, and keep no count: loss is then known of both directions together only
    #[arg(long, requires = "reflect", conflicts_with = "to")]
    stateless: bool,
    /// User to become, by name or number [default: nobody, when started as root]
    #[arg(long, value_name = "NAME|UID", requires = "reflect", conflicts_with = "to")]
    user: Option<String>,
    /// Do not say what goes on
    #[arg(long, short, requires = "reflect", conflicts_with = "to")]
    quiet: bool,
}

/// Reflects until interrupted.
pub(super) fn run(args: &ReflectArgs, port: u16, key: Option<Key>) -> ExitCode {
    if args.allow.is_empty() && !args.any {
        return exit::usage(
            "who is to be answered? name networks with --allow (--allow 192.0.2.0/24), or give --any to answer anybody",
        );
    }
    let user = match args.user.as_deref().map(Account::find).transpose() {
        Ok(user) => user,
        Err(error) => return exit::usage(&error.to_string()),
    };
    match serve(args, port, key, user) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::could_not_measure(&error.to_string()),
    }
}

fn serve(args: &ReflectArgs, port: u16, key: Option<Key>, user: Option<Account>) -> Result<(), NetError> {
    let server = bind(args, port, key)?;
    let restricted = restrict_reflector(user, &server.sockets())?;
    let os = |doing: &str, source| NetError::Os {
        doing: doing.to_owned(),
        source,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| os("starting the runtime", source))?;
    let quiet = args.quiet;
    runtime.block_on(async move {
        let cancel = CancellationToken::new();
        for kind in [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
        ] {
            let mut signals = signal(kind).map_err(|source| os("waiting for signals", source))?;
            let cancel = cancel.clone();
            tokio::spawn(async move {
                signals.recv().await;
                cancel.cancel();
            });
        }
        announce(&server.addresses(), &restricted).map_err(|source| os("writing", source))?;
        let watch = Watch::new(cancel, move |progress| {
            if !quiet {
                terminal::note(&progress.text);
            }
        });
        server.run(watch).await
    })
}

fn bind(args: &ReflectArgs, port: u16, key: Option<Key>) -> Result<ReflectorServer, NetError> {
    let bind = |addresses: &[IpAddr]| {
        ReflectorServer::bind(ServeConfig {
            listen: addresses.iter().map(|ip| SocketAddr::new(*ip, port)).collect(),
            key: key.clone(),
            stateful: !args.stateless,
            limits: ReflectLimits {
                allow: (!args.any).then(|| args.allow.clone()),
                per_peer_pps: args.max_pps,
                max_rate_bps: Some(args.max_rate.0),
            },
        })
    };
    if !args.listen.is_empty() {
        return bind(&args.listen);
    }
    let (v4, v6) = (Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into());
    match bind(&[v4, v6]) {
        // A host without IPv6 answers over what it has.
        Err(NetError::Os { source, .. }) if source.raw_os_error() == Some(Errno::EAFNOSUPPORT as i32) => {
            bind(&[v4])
        }
        bound => bound,
    }
}

/// The line that starts with "reflecting on" is the last: who waits for it may send.
fn announce(addresses: &[SocketAddr], restricted: &Restricted) -> io::Result<()> {
    let listed: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    let kept: String = restricted
        .not_applied
        .iter()
        .map(|what| format!("not given up: {what}\n"))
        .collect();
    output::try_print(&format!("{kept}reflecting on {} (UDP)\n", listed.join(" and ")))
}

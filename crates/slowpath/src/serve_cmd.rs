//! `slowpath serve`: the far end.

mod access_file;
mod addresses;
mod announce;
mod check;
mod keeper;
mod owner;
mod secret;
mod stdio;

pub(crate) use stdio::DIAL;

use crate::{exit, output, terminal};
use announce::announce;
use evidence::RateBps;
use keeper::Kept;
use net::far_end::{
    AllowedPeers, DEFAULT_PORT, Iperf3Clients, Limits, MetricsAt, Server, ServerConfig, new_token,
};
use net::rights::{Account, Connects, restrict_server};
use net::{NetError, Watch};
use owner::{Lines, Reloading};
use secret::Secret;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// Shown at the end of `serve --help`.
const HELP: &str = "\
One port serves everything, TCP and UDP. Clients authenticate with the token and all control traffic is encrypted; \
without the token nothing is answered. One bulk transfer runs at a time. Nothing is ever sent to an address other than \
the authenticated client's, and with --allow-peers those of other far ends there that answer to a key of the same client \
(`slowpath mesh`, and `slowpath diagnose --from A B`, measure between them). A test that comes while another runs waits for its turn, and its user is told for how long; older programs are told that the far end is busy.

Several users: --access names a file with a token for each, and limits, all of them optional:

    [holder.physics]
    token = \"slowpath_…\"          # `slowpath serve --new-token` prints one
    max-rate = \"200Mbit/s\"        # of all their tests together
    max-bytes-per-hour = \"20GB\"   # within any hour, both directions together
    max-duration = 30               # seconds of a test
    from = [\"192.0.2.0/24\", \"2001:db8::/32\"]   # where their hosts are
    allow-peers = []                # in place of --allow-peers
    hours = \"20:00-06:00\"         # UTC

Only its owner may be able to read that file (chmod 600); --check says what it allows, and to whom. SIGHUP has it read again: tests that run go on, unless their token is gone; a file with a mistake changes nothing, and the log says so. Whoever is refused is told which limit it was, and when to come again.

After opening its sockets, before anybody is answered, the program gives up what it does not need. Started as root it \
becomes the user nobody (--user), in no other group, and keeps raw sockets (CAP_NET_RAW) for path probes and no other \
capability. However started, it can start no program, become no other user, load nothing into the kernel, write or make \
no file, and read only /proc, the files of the host's resolver and the system's libraries; it opens TCP connections to \
port 53 (DNS) only, and with --allow-peers to other far ends. Where a kernel cannot refuse one of these, the program says so; --check shows what is left.";

/// Be the far end: let holders of the token measure between here and their host.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct ServeArgs {
    /// Address to listen on, TCP and UDP, at port 4820 or another; may be repeated [default: all addresses]
    #[arg(long, value_name = "ADDR[:PORT]", value_parser = addresses::listening)]
    listen: Vec<SocketAddr>,
    /// Open no port, and connect to the client that waits there instead (`slowpath diagnose --listen`): for a far end behind a firewall
    /// or an address translator. Tries again until it is there, and again when it is done
    #[arg(long, value_name = "HOST[:PORT]", conflicts_with_all = ["listen", "access", "stdio", "iperf3", "check"])]
    dial: Option<String>,
    /// File with the token; made with a fresh one when it does not exist. Without this option a fresh token is printed
    #[arg(long, value_name = "FILE", env = "SLOWPATH_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// File that names several users with a token and limits each, in place of --token-file (see below). SIGHUP has it read again
    #[arg(long, value_name = "FILE", conflicts_with = "stdio")]
    access: Option<PathBuf>,
    /// Write who came, what was asked, granted or refused and why, bytes and time as JSON lines to the end of this file; `-` is
    /// standard output. SIGHUP has the file opened anew
    #[arg(long, value_name = "FILE", conflicts_with = "stdio")]
    audit: Option<PathBuf>,
    /// Show metrics for Prometheus at http://ADDR:PORT/metrics, or on a Unix socket (/run/slowpath/metrics.sock). Whoever reaches that
    /// address reads them: 127.0.0.1:9820 keeps it on this host, a socket to those who may write to its file
    #[arg(long, value_name = "ADDR:PORT|PATH")]
    metrics: Option<MetricsAt>,
    /// Print a fresh token, for a file of users, and end
    #[arg(long)]
    new_token: bool,
    /// Serve whoever started this: the first line of standard input is the token, and the port if another is wanted; the far end
    /// ends with that input. A port that is taken is replaced by a free one (`diagnose user@host` starts it so)
    #[arg(long)]
    stdio: bool,
    /// Highest rate of a transfer, for example 1Gbit/s
    #[arg(long, value_name = "RATE")]
    max_rate: Option<RateBps>,
    /// Longest time of a transfer or measurement, seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    max_duration: u32,
    /// Most bytes of a transfer
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<u64>,
    /// Other far ends with which clients may have this one exchange probes and transfers (`slowpath mesh`): an address, a prefix such as
    /// 192.0.2.0/24, or `any`; may be repeated, or several with commas [default: none]
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    allow_peers: Vec<AllowedPeers>,
    /// Serve stock iperf3 clients of these networks as well: an address, a prefix, or `any`; may be repeated, or several with commas.
    /// They prove nothing, so name as few as you can; your limits hold for them too
    #[arg(long, value_name = "PREFIX", value_delimiter = ',')]
    iperf3: Vec<AllowedPeers>,
    /// Where they come to, TCP and UDP
    #[arg(long, value_name = "PORT", default_value_t = net::iperf3::DEFAULT_PORT, requires = "iperf3", value_parser = clap::value_parser!(u16).range(1024..))]
    iperf3_port: u16,
    /// User to become, by name or number [default: nobody, when started as root]
    #[arg(long, value_name = "NAME|UID")]
    user: Option<String>,
    /// Open the sockets, give up rights, show what is left of them as the kernel tells it, and end
    #[arg(long)]
    check: bool,
    /// Say what goes on as JSON, one object a line
    #[arg(long)]
    json: bool,
    /// Do not say who comes and goes
    #[arg(long, short)]
    quiet: bool,
}

/// Serves until interrupted. Must be called before any other thread is started: rights belong to threads.
pub(crate) fn run(args: &ServeArgs) -> ExitCode {
    if args.new_token {
        return match new_token() {
            Ok(token) => output::finish(output::try_print(&format!("{token}\n"))),
            Err(error) => exit::could_not_measure(&error.to_string()),
        };
    }
    if let Some(low) = args
        .listen
        .iter()
        .chain(args.metrics.as_ref().and_then(MetricsAt::address))
        .find(|address| (1..1024).contains(&address.port()))
    {
        return exit::usage(&format!(
            "port {} needs a privilege that `serve` gives up before it serves: choose one from 1024 upwards",
            low.port()
        ));
    }
    let user = match args.user.as_deref().map(Account::find).transpose() {
        Ok(user) => user,
        Err(error) => return exit::usage(&error.to_string()),
    };
    let client = match args.dial.as_deref().map(addresses::client).transpose() {
        Ok(client) => client,
        Err(error) => return exit::usage(&error),
    };
    let secret = match Secret::of(args) {
        Ok(secret) => secret,
        Err(error) => return exit::usage(&error),
    };
    match serve(args, client, user, &secret) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::could_not_measure(&error.to_string()),
    }
}

fn serve(
    args: &ServeArgs,
    client: Option<SocketAddr>,
    user: Option<Account>,
    secret: &Secret,
) -> Result<(), NetError> {
    let prints_audit = args.audit.as_deref() == Some(Path::new("-"));
    let kept = Kept {
        access: args.access.clone(),
        audit: args.audit.clone().filter(|_| !prints_audit),
    };
    // Before the sockets are open: the process that keeps files has no business with them.
    let keeper = if args.check { None } else { kept.start()? };
    let lines = Lines::new();
    let server = bind(args, secret, &lines)?;
    let connects = match client {
        // Who started it through ssh may tell later where it waits.
        _ if server.meets_others() || args.stdio => Connects::Anywhere,
        Some(client) => Connects::ToPort(client.port()),
        None => Connects::Nowhere,
    };
    let restricted = restrict_server(user, &server.sockets(), connects)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|source| NetError::Os {
            doing: "starting the runtime".to_owned(),
            source,
        })?;
    let (is_json, quiet, check, is_stdio) = (args.json, args.quiet, args.check, args.stdio);
    let unwritten = |source| NetError::Os {
        doing: "writing to standard output".to_owned(),
        source,
    };
    runtime.block_on(async move {
        let cancel = CancellationToken::new();
        let hangups = stop_on_signals(&cancel)?;
        if check {
            // Here, as all threads run by now.
            let allowed = args.access.is_some().then(|| access_file::told(&secret.access));
            return check::show(is_json, server.addresses(), restricted, allowed)?.map_err(unwritten);
        }
        announce(is_json, &secret.shown, (&server, client), &restricted).map_err(unwritten)?;
        let told = is_stdio.then(|| stdio::hear(cancel.clone()));
        let watch = Watch::new(cancel.clone(), move |progress| {
            if !quiet {
                log(is_json, &progress.text);
            }
        });
        let office = lines.start(keeper, args.access.clone(), server.access());
        let mut office = office.map_err(|source| NetError::Os {
            doing: "starting the audit".to_owned(),
            source,
        })?;
        // A mistake in a file is said to whoever wants to hear of nothing else.
        let owner = Watch::new(cancel, move |progress| log(is_json, &progress.text));
        let reloading = tokio::spawn(on_hangup(office.reloading.take(), hangups, owner));
        let dialer = server.dialer();
        let served = match (client, told) {
            (Some(client), _) => {
                dialer.dial(client, watch).await;
                Ok(())
            }
            (None, Some(mut told)) => {
                let dialing = async {
                    if let Some(client) = told.recv().await {
                        dialer.dial(client, watch.clone()).await;
                    }
                };
                tokio::join!(server.run(watch.clone()), dialing).0
            }
            (None, None) => server.run(watch).await,
        };
        reloading.abort();
        office.close().await;
        served
    })
}

/// With files to read again that is what it means; else the terminal is gone, and whoever sat at it.
async fn on_hangup(mut reloading: Option<Reloading>, mut hangups: Signal, watch: Watch) {
    while hangups.recv().await.is_some() {
        match &mut reloading {
            Some(reloading) => reloading.reload(&watch).await,
            None => return watch.cancel.cancel(),
        }
    }
}

fn bind(args: &ServeArgs, secret: &Secret, lines: &Lines) -> Result<Server, NetError> {
    let bind = |listen: Vec<SocketAddr>| {
        Server::bind(ServerConfig {
            limits: Limits {
                max_rate_bps: args.max_rate.map(|rate| rate.0),
                max_duration_ms: args.max_duration.saturating_mul(1_000),
                max_bytes: args.max_bytes,
            },
            allow_peers: [args.allow_peers.clone(), secret.allow_peers.clone()].concat(),
            iperf3: (!args.iperf3.is_empty()).then(|| Iperf3Clients {
                port: args.iperf3_port,
                allow: args.iperf3.clone(),
            }),
            audit: args.audit.as_ref().map(|_| lines.audit()),
            metrics: args.metrics.clone(),
            ..ServerConfig::on(listen, secret.access.clone())
        })
    };
    if !args.listen.is_empty() || args.dial.is_some() {
        return bind(args.listen.clone());
    }
    let anywhere = |port: u16| {
        let v4 = SocketAddr::from((Ipv4Addr::UNSPECIFIED, port));
        let v6 = SocketAddr::from((Ipv6Addr::UNSPECIFIED, port));
        match bind(vec![v4, v6]) {
            // A host without IPv6 serves what it has; a port that is taken is an error in either family.
            Err(error) if !is_taken(&error) => bind(vec![v4]),
            bound => bound,
        }
    };
    match anywhere(secret.port.unwrap_or(DEFAULT_PORT)) {
        // Whoever started us is told which port it is.
        Err(error) if args.stdio && is_taken(&error) => anywhere(0),
        bound => bound,
    }
}

fn is_taken(error: &NetError) -> bool {
    matches!(error, NetError::Os { source, .. } if source.kind() == io::ErrorKind::AddrInUse)
}

/// Gives those that say something else.
fn stop_on_signals(cancel: &CancellationToken) -> Result<Signal, NetError> {
    let listen = |kind| {
        signal(kind).map_err(|source| NetError::Os {
            doing: "waiting for signals".to_owned(),
            source,
        })
    };
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let mut signals = listen(kind)?;
        let cancel = cancel.clone();
        tokio::spawn(async move {
            signals.recv().await;
            cancel.cancel();
        });
    }
    listen(SignalKind::hangup())
}

/// What goes on is for whoever watches the terminal or the journal: standard error, or a JSON line.
fn log(is_json: bool, text: &str) {
    if is_json {
        let line = serde_json::json!({ "event": "log", "text": text });
        output::print_json(&format!("{line}\n"));
    } else {
        terminal::note(text);
    }
}

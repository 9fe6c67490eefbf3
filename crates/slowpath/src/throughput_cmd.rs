//! `slowpath throughput`: one transfer, and what limited it. It takes the options that fingers type for iperf3.

mod amount;
mod omit;
mod tuning;

use crate::asks;
use crate::config::Config;
use crate::console::Console;
use crate::far::{Far, TURNED};
use crate::far_end_args::{FarEndArgs, Reached};
use crate::http_args::{self, HttpArgs, Web};
use crate::iperf3_args::{LoginArgs, WITHOUT_OURS};
use crate::resolve::{self, FamilyArgs};
use crate::runtime::as_client;
use crate::ssh::{Session, SshArgs};
use crate::vantages::{Vantages, from_here};
use crate::{exit, output, terminal};
use clap::Args;
use evidence::{Ask, Complaint, End, Observation, Payload, RateBps};
use net::iperf3::Iperf3;
use net::rights::Client;
use std::fs::File;
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `slowpath throughput`.
#[derive(Args)]
pub(crate) struct ThroughputArgs {
    /// The host where `slowpath serve` runs, or `user@host` to start it there through ssh, or with --iperf3 an iperf3 server; or
    /// the URL of a file on a web server (https://...), which is downloaded from there to here and thrown away
    to: String,
    #[command(flatten)]
    far_end: FarEndArgs,
    #[command(flatten)]
    ssh: SshArgs,
    /// The other end is a stock iperf3 server (`iperf3 -s`); --port is 5201 then unless given
    #[arg(long, conflicts_with = "ssh")]
    iperf3: bool,
    #[command(flatten)]
    login: LoginArgs,
    #[command(flatten)]
    http: HttpArgs,
    #[command(flatten)]
    family: FamilyArgs,
    /// Transfer from the far end to this host
    #[arg(long, short = 'R')]
    reverse: bool,
    /// Transfer to the far end, then back from it: one after the other, as a far end serves one transfer at a time
    #[arg(long, conflicts_with = "reverse")]
    bidir: bool,
    /// Send UDP at this rate instead of TCP
    #[arg(long, value_name = "RATE", conflicts_with_all = ["streams", "mss", "buffer", "congestion_control", "max_bytes"])]
    udp: Option<RateBps>,
    /// Send UDP instead of TCP, at the rate of -b
    #[arg(short = 'u', conflicts_with_all = ["udp", "streams", "mss", "buffer", "congestion_control", "max_bytes"])]
    sends_udp: bool,
    /// Rate: of -u (default 1Mbit/s), or that TCP is held to, over all streams; 0 is no limit
    #[arg(long, short = 'b', value_name = "RATE", value_parser = tuning::rate)]
    bitrate: Option<RateBps>,
    /// IP packet size for UDP, bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1400, value_parser = clap::value_parser!(u32).range(96..=65_535))]
    size: u32,
    /// Parallel TCP connections
    #[arg(long, short = 'P', visible_alias = "parallel", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=128))]
    streams: u16,
    /// Maximum segment size, bytes
    #[arg(long, short = 'M', visible_alias = "set-mss", value_name = "BYTES")]
    mss: Option<u32>,
    /// Socket buffer at both ends, bytes; K, M and G mean powers of 1024 [default: the kernel's automatic tuning]
    #[arg(long, short = 'w', visible_alias = "window", value_name = "BYTES", value_parser = amount::buffer)]
    buffer: Option<u32>,
    /// Congestion control by name, for example cubic [default: the host's]
    #[arg(long, short = 'C', visible_alias = "congestion", value_name = "NAME")]
    congestion_control: Option<String>,
    /// Stop after so many seconds at the latest; earlier when the answer is stable [default: 10; with --max-bytes 60]
    #[arg(long, short = 't', visible_alias = "time", value_name = "SECONDS")]
    max_time: Option<f64>,
    /// Stop after so many bytes; K, M and G mean powers of 1024
    #[arg(long, short = 'n', visible_alias = "bytes", value_name = "BYTES", value_parser = amount::bytes)]
    max_bytes: Option<u64>,
    /// Transfer from or to this address of this host
    #[arg(long, short = 'B', value_name = "ADDRESS")]
    bind: Option<IpAddr>,
    /// Port of this host that it comes from or goes to; further streams take those after it [default: any free one]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    cport: Option<u16>,
    /// Mark what this host sends with this DSCP, a number or a name such as EF, AF41, CS1
    #[arg(long, value_name = "DSCP", value_parser = crate::dscp::dscp)]
    dscp: Option<u8>,
    /// The same as the whole octet, as iperf3 takes it: 0 to 255, or 0x..
    #[arg(long, short = 'S', value_name = "OCTET", conflicts_with = "dscp", value_parser = tuning::octet)]
    tos: Option<u8>,
    /// Leave this many seconds at the beginning out of the result; the transfer lasts longer by them
    #[arg(long, short = 'O', value_name = "SECONDS", default_value_t = 0)]
    omit: u32,
    /// Taken as iperf3's, and without effect: how bytes are sent with the least work is chosen here
    #[arg(long, short = 'Z')]
    zerocopy: bool,
    /// While it runs, a line on standard error every so many seconds
    #[arg(long, short = 'i', value_name = "SECONDS")]
    interval: Option<f64>,
    /// Print the observations as JSON, one a line
    #[arg(long, short = 'J')]
    json: bool,
    /// Append what is printed to this file instead
    #[arg(long, value_name = "FILE")]
    logfile: Option<PathBuf>,
}

/// Runs `slowpath throughput`.
pub(crate) fn run(mut args: ThroughputArgs, config: &Config) -> ExitCode {
    if let Err(message) = args.check() {
        return exit::usage(&message);
    }
    // Before rights are given up: nothing can be opened or started afterwards.
    let log = match args.logfile.as_ref().map(opened).transpose() {
        Ok(log) => log,
        Err(message) => return exit::usage(&message),
    };
    let web = match args.web() {
        Ok(web) => web,
        Err(message) => return exit::usage(&message),
    };
    let session = match &web {
        Some(web) => {
            args.to = web.host();
            Ok(None)
        }
        None => args.far_end.start(&args.ssh, &mut args.to, false, config),
    };
    // What is configured is about far ends of ours.
    if !args.iperf3 && web.is_none() {
        args.far_end.settle(config, &args.to);
    }
    match session {
        Ok(session) => as_client(&Client::default(), measure(args, session, web, log)),
        Err(error) => exit::could_not_measure(&error.to_string()),
    }
}

fn opened(path: &PathBuf) -> Result<File, String> {
    let log = File::options().append(true).create(true).open(path);
    log.map_err(|error| format!("cannot write to {}: {error}", path.display()))
}

async fn measure(
    args: ThroughputArgs,
    session: Option<Session>,
    web: Option<Web>,
    mut log: Option<File>,
) -> ExitCode {
    let found = match (&session, &web) {
        (Some(session), _) => session.address(args.family).map(|address| (address, None)),
        (None, Some(web)) => web.find(args.family),
        (None, None) => resolve::serving(&args.to, args.family, args.port()).map(|address| (address, None)),
    };
    let (destination, lookup) = match found {
        Ok(found) => found,
        Err(error) => return exit::could_not_measure(&error.to_string()),
    };
    if let Some(note) = web.as_ref().and_then(Web::proxy_note) {
        terminal::complain(&note);
    }
    let http = web
        .as_ref()
        .map(|web| web.server((destination, lookup), args.bind, args.family, false));
    let console = Console::start(false);
    let reached = args
        .reach(destination, session.as_ref(), web.is_some(), &console)
        .await;
    let far = match reached {
        Ok(far) => far,
        Err(code) => return code,
    };
    if far.as_ref().is_ok_and(Far::has_dialed) {
        console.line(TURNED);
    }
    let iperf3 = match args.iperf3_server(destination) {
        Ok(iperf3) => iperf3,
        Err(message) => return exit::usage(&message),
    };
    let complaint = from_here(&args.to, destination, args.bind);
    let mut vantages = Vantages::new(complaint.clone(), destination, args.bind, far, 1)
        .with_iperf3(iperf3)
        .tuned(args.tuning())
        .with_http(http);
    let mut seen = Vec::new();
    for ask in args.asks(&complaint, web.as_ref()) {
        if console.cancel.is_cancelled() {
            break;
        }
        let title = asks::title(&ask, &complaint);
        let watch = match args.interval {
            Some(seconds) => console.begin_telling(&title, Duration::from_secs_f64(seconds)),
            None => console.begin(&title),
        };
        seen.extend(vantages.perform(&ask, &watch).await);
    }
    drop(console);
    if args.omit > 0 && !args.json {
        terminal::note(&format!(
            "the first {} s are left out of the rates; what kernels count is of the whole",
            args.omit
        ));
    }
    for observation in &mut seen {
        omit::beginning(observation, args.omit);
    }
    let written = seen
        .iter()
        .try_for_each(|observation| args.tell(observation, &complaint, log.as_mut()));
    match written {
        Ok(()) => exit_code(&seen),
        Err(error) => exit::not_written(&error),
    }
}

impl ThroughputArgs {
    /// The file on a web server, where one is named; before rights are given up.
    fn web(&self) -> Result<Option<Web>, String> {
        let Some(web) = self.http.read(&self.to)? else {
            return Ok(None);
        };
        let uploads = web.local_end() == End::From;
        let wrong = [
            (
                self.iperf3,
                "--iperf3 is about a host: leave it out, or give a host instead of a URL",
            ),
            (
                self.udp.is_some() || self.sends_udp,
                "a web server takes part in TCP transfers alone: leave out UDP",
            ),
            (
                self.bidir,
                "a URL is transferred in one direction: leave out --bidir, and use --upload for the other one",
            ),
            (
                self.far_end.port.is_some(),
                "the port of a URL stands in it (https://host:8443/...): leave out --port",
            ),
            (
                self.is_tuned(),
                "a web transfer goes as the web server and this host's kernel have it: leave out --bitrate, --dscp, --tos and --cport",
            ),
            (
                uploads && self.reverse,
                "--upload sends to the web server, --reverse receives: leave one of them out",
            ),
            (
                uploads && self.streams > 1,
                "an upload to one place has one stream: leave out --streams",
            ),
            (
                !uploads && self.congestion_control.is_some(),
                "the sender chooses its congestion control, and that is the web server: leave out --congestion-control",
            ),
        ];
        match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, message)) => Err(message.to_owned()),
            None => Ok(Some(web)),
        }
    }

    /// The far end of ours; with --iperf3 or a URL there is none, and no need of one.
    async fn reach(
        &self,
        destination: IpAddr,
        session: Option<&Session>,
        is_web: bool,
        console: &Console,
    ) -> Result<Result<Far, String>, ExitCode> {
        if is_web {
            return Ok(Err(http_args::WITHOUT_OURS.to_owned()));
        }
        if self.iperf3 {
            return Ok(Err(WITHOUT_OURS.to_owned()));
        }
        let watch = console.begin("far end");
        match self
            .far_end
            .connect(destination, self.bind, session, &watch)
            .await
        {
            Reached::Yes(far) => Ok(Ok(*far)),
            Reached::Misused(message) => Err(exit::usage(&message)),
            Reached::No(why) => Err(exit::could_not_measure(&why)),
        }
    }

    /// The port that something listens on at the other end.
    fn port(&self) -> u16 {
        match self.iperf3 {
            true => self.far_end.port.unwrap_or(net::iperf3::DEFAULT_PORT),
            false => self.far_end.port(),
        }
    }

    fn iperf3_server(&self, destination: IpAddr) -> Result<Option<Iperf3>, String> {
        let login = self.login.login(self.iperf3)?;
        let server = || Iperf3::new(destination, self.port(), self.bind).by(login);
        Ok(self.iperf3.then(server))
    }

    fn check(&self) -> Result<(), String> {
        let seconds = |given: Option<f64>| given.is_none_or(|given| given > 0.0 && given <= 3_600.0);
        if !seconds(self.max_time) {
            return Err("--max-time takes seconds, more than 0 and at most 3600".to_owned());
        }
        if !seconds(self.interval) {
            return Err("--interval takes seconds, more than 0 and at most 3600".to_owned());
        }
        self.check_tuning()?;
        match self.bind.filter(|address| !resolve::is_local(*address)) {
            Some(address) => Err(format!("{address} is no address of this host")),
            None => Ok(()),
        }
    }

    /// One transfer, or two.
    fn asks(&self, complaint: &Complaint, web: Option<&Web>) -> Vec<Ask> {
        let downloads = web.is_some_and(|web| web.local_end() == End::To);
        let senders: &[End] = match (self.bidir, self.reverse || downloads) {
            (true, _) => &[End::From, End::To],
            (false, true) => &[End::To],
            (false, false) => &[End::From],
        };
        senders
            .iter()
            .map(|sender| self.ask(*sender, complaint))
            .collect()
    }

    fn ask(&self, sender: End, complaint: &Complaint) -> Ask {
        let (from, to) = (complaint.node(sender), complaint.node(sender.other()));
        // Who gives an amount wants it through; a far end allows a minute unless its owner says otherwise.
        let seconds = self
            .max_time
            .unwrap_or(if self.max_bytes.is_some() { 60.0 } else { 10.0 });
        let time_ms = ((seconds + f64::from(self.omit)) * 1_000.0) as u32;
        match self.udp_rate() {
            Some(rate_bps) => Ask::UdpStream {
                from,
                to,
                size_bytes: self.size,
                rate_bps,
                duration_ms: time_ms,
            },
            None => Ask::TcpThroughput {
                from,
                to,
                streams: self.streams,
                mss_bytes: self.mss,
                socket_buffer_bytes: self.buffer,
                congestion_control: self.congestion_control.clone(),
                max_time_ms: time_ms,
                max_bytes: self.max_bytes,
                watch_hops: false,
            },
        }
    }

    /// Writes an observation to where the user wants it.
    fn tell(&self, seen: &Observation, complaint: &Complaint, log: Option<&mut File>) -> io::Result<()> {
        let text = match self.json {
            true => report::json_escaped(&evidence::to_json_line(seen)),
            false => report::transfer_table(seen, complaint),
        };
        match log {
            Some(log) => log.write_all(report::clean_screen(&text).as_bytes()),
            None => output::try_print(&text),
        }
    }
}

fn exit_code(seen: &[Observation]) -> ExitCode {
    let failed = seen.iter().find_map(|observation| match &observation.payload {
        Payload::NotMeasured(missing) => Some(missing.detail.as_str()),
        _ => None,
    });
    failed.map_or(ExitCode::SUCCESS, exit::could_not_measure)
}

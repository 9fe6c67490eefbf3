//! `slowpath tcp`: what a TCP server of somebody's tells of the path to it.

mod args;
mod text;

pub(crate) use args::{TcpArgs, plan};

use crate::console::Console;
use crate::into_case::IntoCase;
use crate::runtime::as_client;
use crate::vantages::{from_here, now};
use crate::{exit, output, probing_args, resolve};
use evidence::{Complaint, NotMeasuredReason, Observation, Timestamp};
use net::tcp_port::{Plan, Ports, Session};
use net::{NetError, Watch};
use std::net::SocketAddr;
use std::process::ExitCode;

/// Runs `slowpath tcp`. Must be called before any other thread is started: rights belong to threads.
pub(crate) fn run(args: &TcpArgs) -> ExitCode {
    measure(args).unwrap_or_else(|code| code)
}

fn measure(args: &TcpArgs) -> Result<ExitCode, ExitCode> {
    let destination = resolve::serving(&args.to, args.probing.family, args.port);
    let destination = destination.map_err(|error| exit::could_not_measure(&error.to_string()))?;
    let source = args.probing.source()?;
    let plan = args.plan(SocketAddr::new(destination, args.port), source);
    if plan.probes > plan.most_probes() {
        return Err(exit::usage(&format!(
            "{} probes are more than a server is asked for at this pace: {} or fewer",
            plan.probes,
            plan.most_probes()
        )));
    }
    let complaint = from_here(&args.to, destination, source);
    let mut case = IntoCase::open(args.probing.case.as_deref(), &complaint)?;
    let port = TcpPort::open(plan).map_err(|error| exit::could_not_measure(&error.to_string()))?;
    Ok(as_client(&case.client(), async {
        match asked(args, port, &complaint, &mut case).await {
            Ok(code) | Err(code) => code,
        }
    }))
}

async fn asked(
    args: &TcpArgs,
    port: TcpPort,
    complaint: &Complaint,
    case: &mut IntoCase<'_>,
) -> Result<ExitCode, ExitCode> {
    let (at, plan) = (now(), port.plan);
    let console = Console::start(false);
    let session = port.measure(&console.begin(&port_title(plan.peer))).await;
    drop(console);
    let session = session.map_err(|error| exit::could_not_measure(&error.to_string()))?;
    let seen = observations(&session, complaint, (at, case.round()));
    case.add(&seen)?;
    let text = match args.probing.json {
        true => report::json_escaped(&text::json(&session, plan.peer, &seen)),
        false => text::summary(&session, plan.peer),
    };
    output::try_print(&text).map_err(|error| exit::not_written(&error))?;
    case.tell();
    match &session.loss {
        // Who may not, got what any user gets; all else that was asked for and is missing is told by the exit code too.
        Err((reason, why)) if plan.probes > 0 && *reason != NotMeasuredReason::Privilege => {
            Err(exit::could_not_measure(why))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn port_title(peer: SocketAddr) -> String {
    format!("TCP to {peer}")
}

/// A server's port that is to be measured with, for which everything was opened that needs the user's own rights.
pub(crate) struct TcpPort {
    plan: Plan,
    ports: Ports,
}

impl TcpPort {
    /// Before rights are given up.
    pub(crate) fn open(plan: Plan) -> Result<Self, NetError> {
        let ports = Ports::open(&plan)?;
        Ok(Self { plan, ports })
    }

    /// What goes on.
    pub(crate) fn title(&self) -> String {
        port_title(self.plan.peer)
    }

    pub(crate) async fn measure(self, watch: &Watch) -> Result<Session, NetError> {
        net::tcp_port::run(self.plan, self.ports, watch).await
    }
}

/// The evidence, with the names of the two ends: this host and the server, whichever way the data of the complaint go.
pub(crate) fn observations(
    session: &Session,
    complaint: &Complaint,
    when: (Timestamp, u32),
) -> Vec<Observation> {
    let remote = complaint.local_end.other();
    let (here, there) = (complaint.node(complaint.local_end), complaint.node(remote));
    let tables = session.probes(&here, &there);
    probing_args::observations(tables, &here, when, "a TCP port")
}

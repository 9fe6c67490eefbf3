//! The loop of plan, ask and observe: each observation is on disk before the next ask begins.

use super::DiagnoseArgs;
use crate::asks;
use crate::capture_cmd::own::OwnCapture;
use crate::console::Console;
use crate::tcp_cmd::{self, TcpPort};
use crate::vantages::{Vantages, now};
use crate::{exit, output, plan_view};
use casefile::CaseDir;
use evidence::{Ask, Case, Observation, Payload};
use net::Watch;
use std::process::ExitCode;
use std::time::Instant;

/// The case that observations are kept in as soon as they are made.
pub(super) struct Kept<'a> {
    pub(super) args: &'a DiagnoseArgs,
    pub(super) case: &'a mut Case,
    pub(super) dir: &'a mut CaseDir,
    pub(super) console: &'a Console,
    pub(super) start: Instant,
}

impl Kept<'_> {
    /// Shows an observation and writes it down.
    fn add(&mut self, observation: Observation) -> Result<(), ExitCode> {
        self.console.line(&format!(
            "{:>5.1} s  {}",
            self.start.elapsed().as_secs_f32(),
            report::payload_line(&observation.payload, Some(&self.case.complaint))
        ));
        if self.args.json_lines {
            output::print_json(&evidence::to_json_line(&observation));
        }
        self.dir
            .append(&observation)
            .map_err(|error| exit::could_not_measure(&error.to_string()))?;
        self.case.add(observation);
        Ok(())
    }

    /// What a TCP port of the other end tells: evidence like any other. One that tells nothing is no reason to stop.
    pub(super) async fn ask_port(&mut self, port: TcpPort, round: u32) -> Result<(), ExitCode> {
        let at = now();
        let watch = self.console.begin(&port.title());
        let session = match port.measure(&watch).await {
            Ok(session) => session,
            Err(error) => {
                self.console.warn(&error.to_string());
                return Ok(());
            }
        };
        if let Err((_, why)) = &session.loss {
            self.console
                .warn(&format!("loss in each direction is not known: {why}"));
        }
        let mut seen = tcp_cmd::observations(&session, &self.case.complaint, (at, round)).into_iter();
        seen.try_for_each(|observation| self.add(observation))
    }
}

/// Asks and observes until the planner has no further question, the budget is used up or the user stops it. Every
/// observation is on disk before the next ask begins.
pub(super) async fn investigate(
    kept: &mut Kept<'_>,
    (vantages, capture): (&mut Vantages, &mut Option<OwnCapture>),
    round: u32,
) -> Result<(), ExitCode> {
    let (args, console, start) = (kept.args, kept.console, kept.start);
    // A far end says itself what it may.
    let raw_sockets_here = vantages.is_elsewhere() || net::host::capabilities().raw_icmp.is_yes();
    while !console.cancel.is_cancelled() {
        let means = diagnosis::Means {
            far_end: vantages.is_two_ended(),
            far_end_probes: vantages.probes_there(),
            third_places: vantages.thirds(),
            raw_sockets_here,
            budget_time_ms: args.max_time.saturating_mul(1_000),
            spent_time_ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
            budget_bytes: args.max_bytes,
            spent_bytes: spent_bytes(kept.case, round),
        };
        let plan = diagnosis::explain_plan(kept.case, round, &means);
        if args.explain_plan {
            let table = plan_view::table(&plan, &kept.case.complaint);
            table.lines().for_each(|line| console.line(line));
            console.line("");
        }
        let Some(ask) = plan.next().cloned() else {
            break;
        };
        let watch = console.begin(&asks::title(&ask, &kept.case.complaint));
        let (observations, of_packets) = captured(vantages, capture, console, kept.dir, &ask, &watch).await;
        for observation in observations {
            kept.add(observation)?;
        }
        if let Some(text) = of_packets {
            console.line(&format!("         {text}"));
        }
    }
    Ok(())
}

/// Carries out an ask, and captures its packets if it is a transfer and that was wanted: then with what these tell.
async fn captured(
    vantages: &mut Vantages,
    capture: &mut Option<OwnCapture>,
    console: &Console,
    dir: &CaseDir,
    ask: &Ask,
    watch: &Watch,
) -> (Vec<Observation>, Option<String>) {
    let not_captured = |why: String| console.warn(&format!("the transfer was not captured: {why}"));
    let running = match capture {
        Some(own) if matches!(ask, Ask::TcpThroughput { .. }) => {
            own.begin(dir).map_err(&not_captured).ok().flatten()
        }
        _ => None,
    };
    let mut observations = vantages.perform(ask, watch).await;
    let (Some(own), Some(running)) = (capture, running) else {
        return (observations, None);
    };
    let told = own.end(running, dir, &mut observations).await;
    (observations, told.map_err(not_captured).ok())
}

/// Bytes that the transfers of this round put on the network; probes weigh nothing beside them.
fn spent_bytes(case: &Case, round: u32) -> u64 {
    let bytes = |observation: &Observation| match &observation.payload {
        Payload::Transfer(transfer) => {
            let packets = || Some((transfer.packets_sent?, transfer.packet_size_bytes?));
            let of_packets = || packets().map(|(sent, size)| sent.saturating_mul(u64::from(size)));
            transfer.bytes_received.or_else(of_packets).unwrap_or(0)
        }
        _ => 0,
    };
    case.round(round).map(bytes).sum()
}

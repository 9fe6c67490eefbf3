//! `slowpath path HOST --report`: so many rounds, and then the table.

use super::flows::Flows;
use super::rounds::Rounds;
use super::table::{self, Heading};
use crate::console::Console;
use crate::{exit, output};
use net::path::Pause;
use std::process::ExitCode;
use std::time::Instant;
use tokio::sync::mpsc;

/// How to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Json,
    Csv,
}

/// Measures, with progress on standard error, and prints. After Ctrl-C what was measured so far.
pub(super) async fn run(rounds: Rounds, heading: Heading<'_>, form: Form) -> ExitCode {
    let console = Console::start(false);
    let watch = console.begin(heading.to);
    let (sender, mut news) = mpsc::unbounded_channel();
    let began = Instant::now();
    let mut flows = Flows::new(rounds.target.destination, rounds.flows);
    let pause = Pause::default();
    let mut probing = std::pin::pin!(rounds.run(&pause, sender, &watch));
    let mut outcome = None;
    while outcome.is_none() {
        tokio::select! {
            biased;
            Some(one) = news.recv() => flows.take(one, began.elapsed()),
            done = &mut probing => outcome = Some(done),
        }
    }
    // What was told in the last moment.
    while let Ok(one) = news.try_recv() {
        flows.take(one, began.elapsed());
    }
    drop(console);
    if let Some(Err(error)) = outcome {
        return exit::could_not_measure(&error.to_string());
    }
    match form {
        Form::Text => output::print(&table::text(flows.all(), &heading, output::options().width)),
        Form::Json => output::print_json(&table::json(flows.all(), &heading)),
        Form::Csv => output::print(&table::csv(flows.all())),
    }
    ExitCode::SUCCESS
}

//! Runs a machine on an endpoint: a thread of its own, so that timing does not depend on what else the runtime does.

use super::endpoint::Endpoint;
use crate::budget::Budget;
use crate::sys::thread_time::monotonic_ns;
use crate::{NetError, Watch};
use probe::Machine;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How often a waiting thread looks whether it was cancelled.
const CANCEL_CHECK: Duration = Duration::from_millis(20);
/// Probes between two looks at the answers, so that receive stamps are read and buffers emptied during a burst.
const BURST: usize = 16;
/// How long a probe that the owner's budget does not allow yet waits before it asks again.
const BUDGET_WAIT: Duration = Duration::from_millis(1);

/// Runs `machine` until it is finished or the watch is cancelled, and gives both back. `each` sees the machine after
/// every round.
pub(super) async fn drive<M: Machine + Send + 'static>(
    machine: M,
    endpoint: Endpoint,
    watch: &Watch,
    what: &'static str,
    each: impl FnMut(&M) + Send + 'static,
) -> Result<(M, Endpoint), NetError> {
    let watch = watch.clone();
    // A caller that stops polling this future must not leave a thread behind that goes on sending.
    let cancel = watch.cancel.child_token();
    let abandoned = cancel.clone().drop_guard();
    let run = move || run(machine, endpoint, &watch, &cancel, what, each);
    let done = tokio::task::spawn_blocking(run).await;
    drop(abandoned);
    done.map_err(|error| NetError::os("running probes", std::io::Error::other(error)))?
}

fn run<M: Machine>(
    mut machine: M,
    mut endpoint: Endpoint,
    watch: &Watch,
    cancel: &CancellationToken,
    what: &'static str,
    mut each: impl FnMut(&M),
) -> Result<(M, Endpoint), NetError> {
    let clock = endpoint.clock();
    let mut reported_ns = 0;
    loop {
        let sent = send_due(&mut machine, &mut endpoint, watch.budget());
        endpoint.drain(|at_ns, reply| machine.handle_reply(at_ns, &reply));
        each(&machine);
        let now_ns = clock.now_ns();
        machine.handle_timeout(now_ns);
        if cancel.is_cancelled() || machine.is_finished() {
            return Ok((machine, endpoint));
        }
        if now_ns - reported_ns > 100_000_000 {
            reported_ns = now_ns;
            watch.report(what, Some(machine.fraction_done()));
        }
        let due_ns = machine.poll_timeout().unwrap_or(now_ns);
        let until_due = Duration::from_nanos(due_ns.saturating_sub(now_ns)).min(CANCEL_CHECK);
        let wait = match sent {
            Sent::All => until_due,
            Sent::Some => Duration::ZERO,
            Sent::OverBudget => BUDGET_WAIT,
        };
        if !wait.is_zero() {
            endpoint
                .wait(wait)
                .map_err(|error| NetError::os("waiting for answers", error))?;
        }
    }
}

/// How much of what was due was sent.
enum Sent {
    All,
    Some,
    OverBudget,
}

/// Sends up to a burst of what is due.
fn send_due(machine: &mut impl Machine, endpoint: &mut Endpoint, budget: Option<&Budget>) -> Sent {
    let clock = endpoint.clock();
    for _ in 0..BURST {
        if budget.is_some_and(|budget| !budget.may_probe(monotonic_ns())) {
            return Sent::OverBudget;
        }
        let Some(probe) = machine.poll_transmit(clock.now_ns()) else {
            return Sent::All;
        };
        if let Some(budget) = budget {
            budget.has_probed(u64::from(probe.size_bytes), monotonic_ns());
        }
        let at_ns = clock.now_ns();
        match endpoint.send(&probe) {
            Ok(()) => machine.handle_sent(probe.sequence, at_ns),
            Err(why) => machine.handle_refused(probe.sequence, why, clock.now_ns()),
        }
    }
    Sent::Some
}

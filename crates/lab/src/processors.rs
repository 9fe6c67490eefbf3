//! Hosts whose programs get only a share of the processor: their processes are stopped and continued by signals.
//!
//! Signals and not a control group, because they need no privilege over the machine and leave nothing behind. The
//! kernel of such a host goes on, as that of a real one does: it acknowledges, answers and drops what nobody reads.

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use scenario::{Change, Scenario, Settings};

use crate::error::{LabError, while_doing};
use crate::shared::Shared;

/// How soon a change of the settings, or a process that has just begun, is noticed.
const ATTENTION: Duration = Duration::from_millis(20);
const ALL_PERCENT: u8 = 100;

/// Dropping it stops the thread, which lets all programs run again.
#[derive(Debug)]
pub(crate) struct Processors {
    alive: Option<Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Processors {
    /// Begins, where the scenario limits processor time now or later.
    pub(crate) fn start(scenario: &Scenario, shared: &Arc<Shared>) -> Result<Option<Self>, LabError> {
        if !limits_processors(scenario) {
            return Ok(None);
        }
        if fs::read_link("/proc/self").is_ok_and(|own| own.as_os_str() == Pid::this().to_string().as_str()) {
            let inodes = shared
                .namespaces()
                .iter()
                .map(inode)
                .collect::<Result<Vec<u64>, _>>()?;
            let (alive, ended) = channel();
            let shared = Arc::clone(shared);
            let thread = std::thread::spawn(move || Turns::new(inodes, shared).run(&ended));
            return Ok(Some(Self {
                alive: Some(alive),
                thread: Some(thread),
            }));
        }
        Err(LabError::ForeignProc)
    }
}

impl Drop for Processors {
    fn drop(&mut self) {
        drop(self.alive.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn limits_processors(scenario: &Scenario) -> bool {
    let limited = |settings: &Settings| settings.cpu_percent < ALL_PERCENT;
    let later = |change: &Change| matches!(change, Change::Settings { set, .. } if set.cpu_percent.is_some());
    scenario.nodes.iter().any(|node| limited(&node.settings))
        || scenario.timeline.iter().any(|event| later(&event.change))
}

fn inode(namespace: &OwnedFd) -> Result<u64, LabError> {
    let path = format!("/proc/self/fd/{}", namespace.as_raw_fd());
    let metadata = fs::metadata(path).map_err(while_doing("looking at a network namespace"))?;
    Ok(metadata.ino())
}

/// What a host's programs do at this moment, and until when. A host without a limit always runs.
fn turn(settings: &Settings, since_start: Duration) -> (bool, Option<Duration>) {
    let period_ns = u128::from(settings.cpu_period_ns.max(1));
    let running_ns = period_ns * u128::from(settings.cpu_percent.min(ALL_PERCENT)) / u128::from(ALL_PERCENT);
    let phase_ns = since_start.as_nanos() % period_ns;
    let left = |end_ns: u128| Some(Duration::from_nanos((end_ns - phase_ns) as u64));
    match settings.cpu_percent {
        ALL_PERCENT.. => (true, None),
        0 => (false, None),
        _ if phase_ns < running_ns => (true, left(running_ns)),
        _ => (false, left(period_ns)),
    }
}

struct Turns {
    /// The inodes of the nodes' namespaces, in their order.
    inodes: Vec<u64>,
    shared: Arc<Shared>,
    start: Instant,
    /// Processes that stand still because of us.
    stopped: BTreeSet<(usize, i32)>,
    /// How this process was called.
    own_command: Option<Vec<u8>>,
}

impl Turns {
    fn new(inodes: Vec<u64>, shared: Arc<Shared>) -> Self {
        Self {
            inodes,
            shared,
            start: Instant::now(),
            stopped: BTreeSet::new(),
            own_command: command_line(Pid::this()),
        }
    }

    fn run(mut self, ended: &Receiver<()>) {
        let mut wait = Duration::ZERO;
        while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            wait = self.step();
        }
        (0..self.inodes.len()).for_each(|node| self.let_run(node));
    }

    /// Signals whoever must change, and says for how long that holds.
    fn step(&mut self) -> Duration {
        let now = self.start.elapsed();
        let turns: Vec<(bool, Option<Duration>)> = {
            let scenario = self.shared.scenario();
            scenario
                .nodes
                .iter()
                .map(|node| turn(&node.settings, now))
                .collect()
        };
        for (node, (runs, _)) in turns.iter().enumerate() {
            if *runs {
                self.let_run(node);
            }
        }
        if turns.iter().any(|(runs, _)| !runs) {
            self.stop(&turns);
        }
        let ends = turns.iter().filter_map(|(_, left)| *left);
        ends.chain([ATTENTION]).min().unwrap_or(ATTENTION)
    }

    fn let_run(&mut self, node: usize) {
        let of_node: Vec<(usize, i32)> = self.stopped.iter().copied().filter(|(n, _)| *n == node).collect();
        for stopped in of_node {
            let _ = kill(Pid::from_raw(stopped.1), Signal::SIGCONT);
            self.stopped.remove(&stopped);
        }
    }

    /// Stops the processes of the nodes whose turn is over, except those that are stopped already, and those that have not become
    /// the program that they are to run: whoever starts one waits for that (`Command::spawn`), and would wait for ever.
    fn stop(&mut self, turns: &[(bool, Option<Duration>)]) {
        for (pid, inode) in processes() {
            let node = self.inodes.iter().position(|i| *i == inode);
            let Some(node) = node.filter(|n| turns.get(*n).is_some_and(|(runs, _)| !runs)) else {
                continue;
            };
            let known = self.stopped.contains(&(node, pid.as_raw()));
            let has_begun = command_line(pid) != self.own_command;
            if !known && has_begun && kill(pid, Signal::SIGSTOP).is_ok() {
                self.stopped.insert((node, pid.as_raw()));
            }
        }
    }
}

/// How a process was called; until it executes another program, as its parent was.
fn command_line(pid: Pid) -> Option<Vec<u8>> {
    fs::read(format!("/proc/{pid}/cmdline")).ok()
}

/// All processes but this one, each with the inode of its network namespace. One that ends meanwhile is left out.
fn processes() -> impl Iterator<Item = (Pid, u64)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let others = pids.map(Pid::from_raw).filter(|pid| *pid != Pid::this());
    others.filter_map(|pid| {
        let namespace = fs::metadata(format!("/proc/{pid}/ns/net")).ok()?;
        Some((pid, namespace.ino()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(cpu_percent: u8) -> Settings {
        Settings {
            cpu_percent,
            ..Settings::default()
        }
    }

    #[test]
    fn turns_follow_the_share() {
        let ms = Duration::from_millis;
        let quarter = settings(25);
        assert_eq!(turn(&quarter, ms(0)), (true, Some(ms(25))));
        assert_eq!(turn(&quarter, ms(24)), (true, Some(ms(1))));
        assert_eq!(turn(&quarter, ms(25)), (false, Some(ms(75))));
        assert_eq!(turn(&quarter, ms(1_099)), (false, Some(ms(1))));
        assert_eq!(turn(&settings(0), ms(3)), (false, None));
        assert_eq!(turn(&settings(100), ms(3)), (true, None));
    }
}

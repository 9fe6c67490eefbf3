//! A scenario brought up with real kernels.

use std::ffi::OsStr;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};

use scenario::{Change, Scenario, Side, When};

use crate::build::{self, Built};
use crate::clock::Clock;
use crate::emulator::DirectionControl;
use crate::error::LabError;
use crate::processors::Processors;
use crate::shared::Shared;
use crate::traffic::Traffic;
use crate::validity::{DirectionReport, Validity};
use crate::{sandbox, sys};

/// Labs share the sandbox's file of host names, so there is one at a time.
static OCCUPIED: AtomicBool = AtomicBool::new(false);

/// A running network. Dropping it takes it down.
#[derive(Debug)]
pub struct Lab {
    /// Carries out the timed changes; ends with the lab.
    _clock: Option<Clock>,
    /// What others send; ends with the lab.
    _traffic: Option<Traffic>,
    /// Stops and continues the programs of hosts that lack processor time; ends with the lab.
    _processors: Option<Processors>,
    shared: Arc<Shared>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Lab {
    /// Brings a scenario up. `seed` decides what random loss and the like will do.
    ///
    /// # Errors
    /// Any [`LabError`]; outside of the sandbox always [`LabError::NotInSandbox`].
    pub fn up(scenario: &Scenario, seed: u64) -> Result<Self, LabError> {
        let sandbox = sandbox::current()?;
        if OCCUPIED.swap(true, Ordering::SeqCst) {
            return Err(LabError::Occupied);
        }
        let built = sandbox
            .names
            .write(scenario)
            .and_then(|()| build::build(scenario, seed));
        let Built {
            namespaces,
            controls,
            threads,
        } = built.inspect_err(|_| OCCUPIED.store(false, Ordering::SeqCst))?;
        let shared = Arc::new(Shared::new(scenario.clone(), namespaces, controls));
        let mut lab = Self {
            _processors: None,
            _traffic: None,
            _clock: None,
            shared: Arc::clone(&shared),
            threads,
        };
        build::assert_congestion_control(&shared, scenario)?;
        lab._processors = Processors::start(scenario, &shared)?;
        lab._traffic = Some(Traffic::start(&shared, scenario)?);
        lab._clock = Some(Clock::start(scenario, shared));
        Ok(lab)
    }

    /// The scenario with all changes so far.
    pub fn scenario(&self) -> MutexGuard<'_, Scenario> {
        self.shared.scenario()
    }

    /// A command that will run inside this host or router. It sees that node's interfaces, the scenario's names,
    /// and no other network.
    ///
    /// # Errors
    /// [`LabError::UnknownNode`].
    pub fn command(&self, node: &str, program: impl AsRef<OsStr>) -> Result<Command, LabError> {
        let namespace = self.shared.namespace_of(node)?;
        let mut command = Command::new(program);
        sys::run_in_namespace(&mut command, namespace, node);
        Ok(command)
    }

    /// Runs `work` on a thread inside this host or router: sockets that it opens belong there.
    ///
    /// # Errors
    /// [`LabError::UnknownNode`], or what `work` returns.
    pub fn inside<T: Send>(
        &self,
        node: &str,
        work: impl FnOnce() -> Result<T, LabError> + Send,
    ) -> Result<T, LabError> {
        self.shared.inside(node, work)
    }

    /// Takes a named step of the timeline.
    ///
    /// # Errors
    /// [`LabError::UnknownStep`], or what the system says to a change.
    pub fn step(&self, name: &str) -> Result<(), LabError> {
        let matching = |when: &When| matches!(when, When::Step(step) if step == name);
        let changes: Vec<Change> = {
            let scenario = self.shared.scenario();
            scenario
                .timeline
                .iter()
                .filter(|e| matching(&e.when))
                .map(|e| e.change.clone())
                .collect()
        };
        if changes.is_empty() {
            return Err(LabError::UnknownStep {
                name: name.to_owned(),
            });
        }
        changes.iter().try_for_each(|change| self.shared.apply(change))
    }

    /// What every direction of every emulated link has seen since the lab came up.
    #[must_use]
    pub fn counters(&self) -> Vec<DirectionReport> {
        let scenario = self.shared.scenario();
        let emulated = self
            .shared
            .controls()
            .iter()
            .enumerate()
            .filter_map(|(link, c)| Some((link, c.as_ref()?)));
        let report = |(link, controls): (usize, &[Arc<DirectionControl>; 2]), side: Side| {
            let control = &controls[side.index()];
            let (from, to) = DirectionReport::names(&scenario, link, side);
            let queue_time_ns = control.direction().queue_time_ns();
            DirectionReport {
                from,
                to,
                counters: control.counters.read(),
                queue_time_ns,
            }
        };
        emulated
            .flat_map(|pair| Side::BOTH.map(|side| report(pair, side)))
            .collect()
    }

    /// Whether what was measured in this lab may be believed.
    #[must_use]
    pub fn validity(&self) -> Validity {
        Validity {
            directions: self.counters(),
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for control in self.shared.controls().iter().flatten().flatten() {
            control.stop();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        OCCUPIED.store(false, Ordering::SeqCst);
    }
}

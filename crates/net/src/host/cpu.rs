//! The processors: how many, which, and how busy while looked at.

use super::proc_text::{self, CpuTicks};
use evidence::CpuFacts;
use std::time::{Duration, Instant};

/// How long the processors are watched. The kernel counts in ticks of 10 ms, so on one processor this is a
/// resolution of 20 %: enough to tell "busy" from "idle", which is what the reader wants to know.
const WATCH: Duration = Duration::from_millis(50);

/// A watch on the processors, from [`Self::start`] to [`Self::finish`].
pub(super) struct CpuWatch {
    since: Instant,
    ticks: Option<CpuTicks>,
}

impl CpuWatch {
    pub(super) fn start() -> Self {
        Self {
            since: Instant::now(),
            ticks: ticks(),
        }
    }

    /// Waits until [`WATCH`] has passed since the start. `None` when `/proc/stat` is not to be had.
    pub(super) async fn finish(self) -> Option<CpuFacts> {
        let before = self.ticks?;
        tokio::time::sleep(WATCH.saturating_sub(self.since.elapsed())).await;
        let after = ticks()?;
        Some(CpuFacts {
            online: after.online,
            model: proc_text::cpu_model(&read("/proc/cpuinfo")),
            // A processor that came or went in between brings its whole history into the sum.
            busy_ratio: (before.online == after.online)
                .then(|| proc_text::busy_ratio(before, after))
                .flatten(),
            load_1min: proc_text::load_1min(&read("/proc/loadavg")),
            ..CpuFacts::default()
        })
    }
}

/// The frequency governor of the first processor (`performance`, `powersave`…); `None` where there is none, as in
/// most virtual machines.
#[must_use]
pub fn governor() -> Option<String> {
    let text = read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    let name = text.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

fn ticks() -> Option<CpuTicks> {
    proc_text::cpu_ticks(&read("/proc/stat"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

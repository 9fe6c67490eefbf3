//! Ctrl-C while the lab's own processes run.

use super::failure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ctrl-C reaches every process of the terminal's group. The lab must outlive its children, or a diagnosis that is
/// interrupted could not finish writing its case. A handler is used because children do not inherit it.
pub(super) struct Interrupts {
    _runtime: tokio::runtime::Runtime,
    seen: Arc<AtomicBool>,
}

impl Interrupts {
    pub(super) fn leave_to_children() -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let seen = Arc::new(AtomicBool::new(false));
        let raised = Arc::clone(&seen);
        runtime.spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                raised.store(true, Ordering::SeqCst);
            }
        });
        Ok(Self {
            _runtime: runtime,
            seen,
        })
    }

    /// Whether somebody pressed Ctrl-C since the lab command began.
    pub(super) fn seen(&self) -> bool {
        self.seen.load(Ordering::SeqCst)
    }
}

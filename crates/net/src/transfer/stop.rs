//! How a transfer is stopped, and how its owner follows it.

use evidence::StopReason;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use tokio::sync::{mpsc, oneshot};

/// Set once, read by every thread of a transfer. The first reason given stays.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    reason: AtomicU8,
}

const REASONS: [StopReason; 6] = [
    StopReason::Stable,
    StopReason::Stalled,
    StopReason::MaxTime,
    StopReason::MaxBytes,
    StopReason::PeerGone,
    StopReason::Cancelled,
];

impl Stop {
    /// Asks all threads to end.
    pub(crate) fn request(&self, reason: StopReason) {
        let code = REASONS
            .iter()
            .position(|known| *known == reason)
            .unwrap_or(REASONS.len() - 1) as u8
            + 1;
        let _ = self
            .reason
            .compare_exchange(0, code, Ordering::Release, Ordering::Relaxed);
    }

    /// Why to end; `None` to go on.
    pub(crate) fn reason(&self) -> Option<StopReason> {
        let code = self.reason.load(Ordering::Acquire);
        REASONS.get(usize::from(code).checked_sub(1)?).copied()
    }

    /// Whether to end.
    #[inline]
    pub(crate) fn is_requested(&self) -> bool {
        self.reason.load(Ordering::Relaxed) != 0
    }
}

/// A transfer in progress. Dropping it stops the transfer.
pub(crate) struct Running<Slice, Half> {
    stop: Arc<Stop>,
    /// What happened, slice by slice.
    pub(crate) slices: mpsc::UnboundedReceiver<Slice>,
    /// The half that this end saw; an error when the thread died.
    pub(crate) done: oneshot::Receiver<Half>,
}

/// The transfer's own side of [`Running`].
pub(crate) struct Reporter<Slice> {
    /// Whether to end.
    pub(crate) stop: Arc<Stop>,
    slices: mpsc::UnboundedSender<Slice>,
}

impl<Slice> Reporter<Slice> {
    /// Tells the owner; an owner that no longer listens is no error.
    pub(crate) fn report(&self, slice: Slice) {
        let _ = self.slices.send(slice);
    }
}

impl<Slice: Send + 'static, Half: Send + 'static> Running<Slice, Half> {
    /// Runs `transfer` on a thread of its own, in the network namespace of the calling thread.
    pub(crate) fn start(
        name: &str,
        transfer: impl FnOnce(&Reporter<Slice>) -> Half + Send + 'static,
    ) -> std::io::Result<Self> {
        let stop = Arc::new(Stop::default());
        let (slice_sender, slices) = mpsc::unbounded_channel();
        let (done_sender, done) = oneshot::channel();
        let reporter = Reporter {
            stop: stop.clone(),
            slices: slice_sender,
        };
        // A thread's name holds 15 letters.
        std::thread::Builder::new()
            .name(name.chars().take(15).collect())
            .spawn(move || {
                let _ = done_sender.send(transfer(&reporter));
            })?;
        Ok(Self { stop, slices, done })
    }

    /// Asks it to end.
    pub(crate) fn stop(&self, reason: StopReason) {
        self.stop.request(reason);
    }
}

impl<Slice, Half> Drop for Running<Slice, Half> {
    fn drop(&mut self) {
        self.stop.request(StopReason::Cancelled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_stays() {
        let stop = Stop::default();
        assert_eq!((stop.reason(), stop.is_requested()), (None, false));
        for reason in REASONS {
            stop.request(reason);
            assert_eq!(stop.reason(), Some(StopReason::Stable));
        }
        assert!(stop.is_requested());
    }

    #[tokio::test]
    async fn a_dropped_handle_stops_the_transfer() {
        let (ended, end) = oneshot::channel();
        let running = Running::<(), ()>::start("test", move |reporter| {
            while !reporter.stop.is_requested() {
                std::thread::yield_now();
            }
            let _ = ended.send(reporter.stop.reason());
        })
        .unwrap();
        drop(running);
        assert_eq!(end.await.unwrap(), Some(StopReason::Cancelled));
    }
}

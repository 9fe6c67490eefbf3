//! What a person sees while slowpath works: one line per finished measurement, and a moving last line on a terminal.
//! All of it goes to standard error: standard output belongs to the result.

use crate::terminal;
use anstream::{AutoStream, ColorChoice};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use net::Watch;
use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The live view of a run.
pub(crate) struct Console {
    bar: ProgressBar,
    quiet: bool,
    /// Cancelled by Ctrl-C.
    pub cancel: CancellationToken,
}

impl Console {
    /// Starts to listen for Ctrl-C and, on a terminal, to draw. Must be called inside a runtime.
    pub(crate) fn start(quiet: bool) -> Self {
        let drawn = std::io::stderr().is_terminal() && !quiet;
        let target = if drawn {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(None, target);
        // indicatif asks the environment for itself, and knows nothing of --color and the configuration.
        let is_plain = AutoStream::choice(&std::io::stderr()) == ColorChoice::Never;
        let spinner = if is_plain { "{spinner}" } else { "{spinner:.cyan}" };
        if let Ok(style) =
            ProgressStyle::with_template(&format!("{spinner} {{prefix}} {{wide_msg}} {{elapsed:>5}}"))
        {
            bar.set_style(style);
        }
        let cancel = CancellationToken::new();
        // Before anything is shown: whoever sees us work may press Ctrl-C.
        if let (Ok(interrupt), Ok(terminate)) =
            (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
        {
            tokio::spawn(cancel_on_signals(cancel.clone(), interrupt, terminate));
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self { bar, quiet, cancel }
    }

    /// Announces the measurement that begins, and returns the watch to give it.
    pub(crate) fn begin(&self, what: &str) -> Watch {
        self.bar.set_prefix(report::clean(what).into_owned());
        self.bar.set_message("");
        let bar = self.bar.clone();
        Watch::new(self.cancel.clone(), move |progress| {
            // The far end's words, where it is the one that measures.
            let text = report::clean(&progress.text);
            match progress.fraction {
                Some(share) => bar.set_message(format!("{:>3.0} %  {text}", share * 100.0)),
                None => bar.set_message(text.into_owned()),
            }
        })
    }

    /// The same, and a line that stays every so often, with the time since it began.
    pub(crate) fn begin_telling(&self, what: &str, every: Duration) -> Watch {
        let shown = self.begin(what);
        let (bar, began) = (self.bar.clone(), Instant::now());
        let told = Mutex::new(began);
        Watch::new(self.cancel.clone(), move |progress| {
            let is_running = progress.fraction.is_some();
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if is_running && told.elapsed() >= every {
                *told += every;
                let text = report::clean(&progress.text);
                bar.suspend(|| terminal::note(&format!("{:>6.1} s  {text}", began.elapsed().as_secs_f32())));
            }
            shown.report(progress.text, progress.fraction);
        })
    }

    /// A line that stays: what a measurement gave.
    pub(crate) fn line(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| terminal::note(text));
        }
    }

    /// A line that stays even when the user asked for quiet: something is wrong.
    pub(crate) fn warn(&self, text: &str) {
        self.bar.suspend(|| terminal::complain(text));
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The first Ctrl-C (or SIGTERM) ends the measurement and keeps what there is; the second ends the program at once.
async fn cancel_on_signals(cancel: CancellationToken, mut interrupt: Signal, mut terminate: Signal) {
    for again in [false, true] {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if again {
            std::process::exit(130);
        }
        terminal::complain("stopping; what was measured is kept (again to leave at once)");
        cancel.cancel();
    }
}

/// How far a file is read, shown on a terminal once it takes longer than a second.
pub(crate) struct Meter {
    label: String,
    /// `None`: not known, a pipe.
    size_bytes: Option<u64>,
    done_bytes: u64,
    began: Instant,
    bar: Option<ProgressBar>,
}

impl Meter {
    /// Begins at zero of `size_bytes`.
    pub(crate) fn new(label: &str, size_bytes: Option<u64>) -> Self {
        Self {
            label: label.to_owned(),
            size_bytes,
            done_bytes: 0,
            began: Instant::now(),
            bar: None,
        }
    }

    /// So many bytes more are done.
    pub(crate) fn advance(&mut self, bytes: u64) {
        self.reach(self.done_bytes.saturating_add(bytes));
    }

    /// So many bytes are done in all.
    pub(crate) fn reach(&mut self, bytes: u64) {
        self.done_bytes = bytes;
        if self.bar.is_none() && self.began.elapsed() > Duration::from_secs(1) {
            self.bar = Some(self.draw());
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done_bytes);
        }
    }

    fn draw(&self) -> ProgressBar {
        let drawn = std::io::stderr().is_terminal();
        let target = if drawn {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(self.size_bytes, target).with_message(self.label.clone());
        let template = if self.size_bytes.is_some() {
            "{wide_msg} {percent:>3} % of {total_bytes}"
        } else {
            "{wide_msg} {bytes}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_far_ends_progress_cannot_lie_on_the_terminal() {
        let console = Console::start(true);
        let watch = console.begin("up\u{202e}load");
        assert_eq!(console.bar.prefix(), "up\u{FFFD}load");
        for fraction in [None, Some(0.5)] {
            watch.report("9\u{1b}[2J\u{202e} %\n\u{200b}done", fraction);
            let shown = console.bar.message();
            assert!(
                shown.ends_with("9\u{FFFD}[2J\u{FFFD} % \u{FFFD}done"),
                "{shown:?}"
            );
        }
    }
}

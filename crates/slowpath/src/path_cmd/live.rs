//! `slowpath path HOST --live`: the terminal view. Draws what is known four times a second, and at once after a key.

use super::draw::Picture;
use super::flows::Flows;
use super::rounds::{News, Rounds};
use super::screen::{self, Screen};
use super::view::{Action, View};
use crate::exit;
use net::path::Pause;
use net::{NetError, Watch};
use std::io;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

const DRAW_EVERY: Duration = Duration::from_millis(250);

/// Shows the path until somebody has seen enough.
pub(super) async fn run(rounds: Rounds, title: &str, has_colour: bool) -> ExitCode {
    match watch_path(rounds, title, has_colour).await {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => exit::could_not_measure(&error.to_string()),
        Err(error) => exit::could_not_measure(&format!("the terminal: {error}")),
    }
}

/// The outer error is the terminal's. By the time it is told, the terminal is given back.
async fn watch_path(rounds: Rounds, title: &str, has_colour: bool) -> io::Result<Result<(), NetError>> {
    let mut signals = Signals::listen()?;
    let mut live = Live::open(&rounds, title, has_colour)?;
    let (sender, mut news) = mpsc::unbounded_channel();
    let mut keys = screen::keys();
    let watch = Watch::new(CancellationToken::new(), |_| {});
    let pause = live.pause.clone();
    let mut probing = std::pin::pin!(rounds.run(&pause, sender, &watch));
    let mut tick = tokio::time::interval(DRAW_EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            Some(one) = news.recv() => live.take(one),
            Some(typed) = keys.recv() => {
                if live.press(&typed)? {
                    return Ok(Ok(()));
                }
            }
            _ = tick.tick() => live.draw()?,
            _ = signals.resize.recv() => live.draw()?,
            () = signals.ends.recv() => return Ok(Ok(())),
            done = &mut probing => return Ok(done),
        }
    }
}

struct Live<'a> {
    screen: Screen,
    view: View,
    flows: Flows,
    pause: Pause,
    title: &'a str,
    interval: Duration,
    began: Instant,
    is_tracing: bool,
}

impl<'a> Live<'a> {
    fn open(rounds: &Rounds, title: &'a str, has_colour: bool) -> io::Result<Self> {
        Ok(Self {
            screen: Screen::open()?,
            view: View::new(has_colour),
            flows: Flows::new(rounds.target.destination, rounds.flows),
            pause: Pause::default(),
            title,
            interval: rounds.interval_of_each(),
            began: Instant::now(),
            is_tracing: true,
        })
    }

    fn take(&mut self, news: News) {
        self.is_tracing &= !matches!(news, News::Trace(_));
        self.flows.take(news, self.began.elapsed());
    }

    /// Whether it was the last key.
    fn press(&mut self, typed: &[u8]) -> io::Result<bool> {
        match self.view.press(typed) {
            Some(Action::Quit) => return Ok(true),
            Some(Action::Reset) => self.flows.reset(),
            Some(Action::Redraw) => self.screen.clear()?,
            None => {}
        }
        self.pause.set(self.view.is_paused);
        self.draw()?;
        Ok(false)
    }

    fn draw(&mut self) -> io::Result<()> {
        let (route, place, count) = self.flows.chosen(self.view.flow);
        self.screen.draw(&Picture {
            title: self.title,
            route,
            flow: (place, count),
            view: self.view,
            interval: self.interval,
            now: self.began.elapsed(),
            is_tracing: self.is_tracing,
        })
    }
}

struct Signals {
    resize: Signal,
    ends: Ends,
}

/// Ctrl-C, whoever ends programs, and a terminal that is gone.
struct Ends([Signal; 3]);

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self {
            resize: signal(SignalKind::window_change())?,
            ends: Ends([
                signal(SignalKind::interrupt())?,
                signal(SignalKind::terminate())?,
                signal(SignalKind::hangup())?,
            ]),
        })
    }
}

impl Ends {
    async fn recv(&mut self) {
        let [interrupt, terminate, hang_up] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    }
}

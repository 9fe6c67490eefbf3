//! From the events of one half of a connection to [`Causes`].

use super::sender::{Sender, Told};
use super::{Causes, Setting};
use crate::flow::HalfEvent;

/// Follows one direction of a connection. Holds next to nothing before data come.
#[derive(Debug, Default)]
pub struct Tracker {
    setting: Setting,
    body: Option<Box<Body>>,
}

#[derive(Debug)]
struct Body {
    sender: Sender,
}

impl Tracker {
    /// Begins.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells what the handshake told; before the first data, or it is not heard.
    pub fn set(&mut self, setting: Setting) {
        self.setting = setting;
    }

    /// Takes the next event.
    pub fn take(&mut self, event: &HalfEvent) {
        let time = match event {
            HalfEvent::Sent(sent) => sent.time_ns,
            HalfEvent::Acked(acked) => acked.time_ns,
        };
        let setting = self.setting;
        let body = match &mut self.body {
            Some(body) => body,
            // Acknowledgements before any data answer nothing.
            None if matches!(event, HalfEvent::Acked(_)) => return,
            none => none.insert(Box::new(Body { sender: Sender::new(&setting, time.max(0)) })),
        };
        body.take(event);
    }

    /// Ends, at the time of the connection's last packet or the capture's.
    #[must_use]
    pub fn finish(self, end_ns: i64) -> Option<Causes> {
        let setting = self.setting;
        self.body.map(|body| body.finish(&setting, end_ns))
    }
}

impl Body {
    fn take(&mut self, event: &HalfEvent) {
        let told = match event {
            HalfEvent::Sent(sent) => self.sender.sent(sent),
            HalfEvent::Acked(acked) => self.sender.acked(acked),
        };
        self.hear(told);
    }

    fn hear(&mut self, _told: Told) {}

    fn finish(mut self, setting: &Setting, end_ns: i64) -> Causes {
        let told = self.sender.finish(end_ns);
        self.hear(told);
        let mean_flight_bytes = self.sender.mean_flight();
        let (intervals, shares) = std::mem::take(&mut self.sender.timeline).finish();
        Causes {
            intervals,
            shares,
            vantage: setting.vantage(),
            window_limited_ns: self.sender.window_ns,
            mean_flight_bytes,
            max_flight_bytes: self.sender.max_flight,
        }
    }
}

//! The control connection: which state follows which, and what is said in each.

use super::Cookie;
use super::error::Iperf3Error;
use super::parameters::Parameters;
use super::results::Results;
use super::state::State;

/// What a server may take for one step. It answers at once unless its host is overloaded, or its word stands behind the
/// test's own data in a long queue.
const STEP_NS: u64 = 10_000_000_000;
/// What the second half of an error may take to come; some versions leave it out.
const ERROR_NS: u64 = 500_000_000;
/// Results of 128 streams take 25 kB, and the server's own output, where it is asked for, some 40 kB.
const MOST_JSON_BYTES: u32 = 256 << 10;
/// iperf3's number for "test authorization failed".
const AUTHORIZATION: i32 = 142;

/// What the client has to do now.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Open the streams.
    OpenStreams,
    /// Send, or receive.
    Run,
    /// The server is done with the data; it waits for [`Control::report`].
    Report,
    /// What the server says of its end.
    Results(Results),
    /// The test is over: what is left to be sent says so, and the connection can be closed.
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Greeting,
    Preparing,
    Opening,
    Starting,
    Running,
    Ending,
    Reporting,
    Hearing,
    Displaying,
    Failing,
    Over,
}

impl Step {
    fn words(self) -> &'static str {
        match self {
            Self::Greeting => "it was asked for a test",
            Self::Preparing => "the parameters were exchanged",
            Self::Opening => "the streams were opened",
            Self::Starting => "the test was to begin",
            Self::Running => "the test ran",
            Self::Ending => "the test was ended",
            Self::Reporting | Self::Hearing => "the results were exchanged",
            Self::Displaying | Self::Over => "the test was closed",
            Self::Failing => "it told of an error",
        }
    }
}

/// The client's side of the control connection of one test. Times are nanoseconds of the caller's clock.
#[derive(Debug)]
pub struct Control {
    step: Step,
    parameters: Parameters,
    inbox: Vec<u8>,
    outbox: Vec<u8>,
    deadline_ns: Option<u64>,
}

impl Control {
    /// A test that begins now, on a connection that has just been opened.
    #[must_use]
    pub fn new(cookie: &Cookie, parameters: Parameters, now_ns: u64) -> Self {
        Self {
            step: Step::Greeting,
            parameters,
            inbox: Vec::new(),
            outbox: cookie.to_vec(),
            deadline_ns: Some(now_ns.saturating_add(STEP_NS)),
        }
    }

    /// What is to be sent, once.
    pub fn output(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.outbox)
    }

    /// When [`Self::expired`] is due; `None` while the server owes nothing.
    #[must_use]
    pub fn deadline_ns(&self) -> Option<u64> {
        self.deadline_ns
    }

    /// The error of a server that let the deadline pass.
    #[must_use]
    pub fn expired(&self) -> Iperf3Error {
        self.partial_error()
            .unwrap_or(Iperf3Error::Silent(self.step.words()))
    }

    /// The error of a server that closed the connection.
    #[must_use]
    pub fn closed(&self) -> Iperf3Error {
        self.partial_error()
            .unwrap_or(Iperf3Error::Closed(self.step.words()))
    }

    /// Takes what came, and gives what is to be done.
    ///
    /// # Errors
    /// The server refuses, gives up, or breaks the protocol: the connection is of no more use.
    pub fn heard(&mut self, bytes: &[u8], now_ns: u64) -> Result<Vec<Event>, Iperf3Error> {
        self.inbox.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some(event) = self.next(now_ns)? {
            events.extend(event);
        }
        Ok(events)
    }

    /// Ends the test: the server is to stop, and to tell of its end.
    pub fn end(&mut self, now_ns: u64) {
        if self.step == Step::Running {
            self.outbox.push(State::TestEnd.byte());
            self.go(Step::Ending, Some(now_ns));
        }
    }

    /// Tells the server of this end, after [`Event::Report`].
    pub fn report(&mut self, results: &Results, now_ns: u64) {
        if self.step == Step::Reporting {
            let text = results.to_json();
            self.say_json(&text);
            self.go(Step::Hearing, Some(now_ns));
        }
    }

    /// Breaks the test off: nothing more is expected of the server.
    pub fn terminate(&mut self) {
        if self.step != Step::Over {
            self.outbox.push(State::ClientTerminate.byte());
            self.go(Step::Over, None);
        }
    }

    fn go(&mut self, step: Step, now_ns: Option<u64>) {
        self.step = step;
        self.deadline_ns = now_ns.map(|now| now.saturating_add(STEP_NS));
    }

    fn say_json(&mut self, text: &[u8]) {
        // What this end says is a few kilobytes.
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.outbox.extend_from_slice(&length.to_be_bytes());
        self.outbox.extend_from_slice(text);
    }

    /// Takes one state or text from what came. The inner `None`: taken, and nothing is to be done. The outer: more is needed.
    fn next(&mut self, now_ns: u64) -> Result<Option<Option<Event>>, Iperf3Error> {
        match self.step {
            Step::Failing => match self.partial_error() {
                Some(error) if self.inbox.len() >= 8 => Err(error),
                _ => Ok(None),
            },
            Step::Hearing => self.hear_results(now_ns),
            // Nothing that may still come matters.
            Step::Over => Ok(None),
            _ if self.inbox.is_empty() => Ok(None),
            _ => {
                let byte = self.inbox.remove(0);
                self.take_state(byte, now_ns).map(Some)
            }
        }
    }

    fn take_state(&mut self, byte: u8, now_ns: u64) -> Result<Option<Event>, Iperf3Error> {
        let now = Some(now_ns);
        match (State::of(byte), self.step) {
            (Some(State::AccessDenied), Step::Greeting) => return Err(Iperf3Error::Busy),
            (Some(State::ServerTerminate), _) => return Err(Iperf3Error::Terminated),
            (Some(State::ServerError), _) => {
                self.step = Step::Failing;
                self.deadline_ns = Some(now_ns.saturating_add(ERROR_NS));
                return Ok(None);
            }
            (Some(State::ParameterExchange), Step::Greeting) => {
                let text = self.parameters.to_json();
                self.say_json(&text);
                self.go(Step::Preparing, now);
            }
            (Some(State::CreateStreams), Step::Preparing) => {
                self.go(Step::Opening, now);
                return Ok(Some(Event::OpenStreams));
            }
            (Some(State::TestStart), Step::Opening) => self.go(Step::Starting, now),
            (Some(State::TestRunning), Step::Starting) => {
                self.go(Step::Running, None);
                return Ok(Some(Event::Run));
            }
            (Some(State::ExchangeResults), Step::Ending) => {
                self.go(Step::Reporting, None);
                return Ok(Some(Event::Report));
            }
            (Some(State::DisplayResults), Step::Displaying) => {
                self.outbox.push(State::Done.byte());
                self.go(Step::Over, None);
                return Ok(Some(Event::Over));
            }
            (_, step) => {
                return Err(Iperf3Error::OutOfPlace {
                    byte,
                    step: step.words(),
                });
            }
        }
        Ok(None)
    }

    /// The server's results, when all of them are there. A server that fails here says so with a state where the length
    /// would stand, and such a length is none.
    fn hear_results(&mut self, now_ns: u64) -> Result<Option<Option<Event>>, Iperf3Error> {
        if self.inbox.first() == Some(&State::ServerError.byte()) {
            self.inbox.remove(0);
            return self.take_state(State::ServerError.byte(), now_ns).map(Some);
        }
        let Some(length) = self.inbox.first_chunk().copied().map(u32::from_be_bytes) else {
            return Ok(None);
        };
        if length > MOST_JSON_BYTES {
            return Err(Iperf3Error::TooLong(length));
        }
        let end = 4 + length as usize;
        let Some(text) = self.inbox.get(4..end) else {
            return Ok(None);
        };
        let results = Results::read(text, self.parameters.streams())?;
        self.inbox.drain(..end);
        self.go(Step::Displaying, Some(now_ns));
        Ok(Some(Some(Event::Results(results))))
    }

    /// The error that a failing server has told so far: iperf3's number, and its system's where it came.
    fn partial_error(&self) -> Option<Iperf3Error> {
        if self.step != Step::Failing {
            return None;
        }
        let code = i32::from_be_bytes(*self.inbox.first_chunk()?);
        if code == AUTHORIZATION {
            return Some(Iperf3Error::Authentication);
        }
        let errno = self.inbox.get(4..).and_then(<[u8]>::first_chunk);
        let errno = errno.map(|bytes| i32::from_be_bytes(*bytes));
        Some(Iperf3Error::Server {
            code,
            errno: errno.filter(|errno| *errno > 0),
        })
    }
}

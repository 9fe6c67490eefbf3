//! The states that the two ends announce to each other, a byte each.

/// What a byte on the control connection means. Several numbers of iperf3's list are never sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Server: the test begins.
    TestStart,
    /// Server: it runs.
    TestRunning,
    /// Client: it is over.
    TestEnd,
    /// Server: say what is to be tested.
    ParameterExchange,
    /// Server: open the streams.
    CreateStreams,
    /// Server: its owner stopped it.
    ServerTerminate,
    /// Client: its user stopped it.
    ClientTerminate,
    /// Server: say what you saw.
    ExchangeResults,
    /// Server: that is all.
    DisplayResults,
    /// Client: good bye.
    Done,
    /// Server: busy with another test.
    AccessDenied,
    /// Server: it failed; two numbers follow.
    ServerError,
}

const STATES: [(State, i8); 12] = [
    (State::TestStart, 1),
    (State::TestRunning, 2),
    (State::TestEnd, 4),
    (State::ParameterExchange, 9),
    (State::CreateStreams, 10),
    (State::ServerTerminate, 11),
    (State::ClientTerminate, 12),
    (State::ExchangeResults, 13),
    (State::DisplayResults, 14),
    (State::Done, 16),
    (State::AccessDenied, -1),
    (State::ServerError, -2),
];

impl State {
    /// The state that a byte means; `None`: none.
    #[must_use]
    pub fn of(byte: u8) -> Option<Self> {
        let code = byte.cast_signed();
        STATES
            .iter()
            .find(|(_, known)| *known == code)
            .map(|(state, _)| *state)
    }

    /// As it is sent.
    #[must_use]
    pub fn byte(self) -> u8 {
        let found = STATES.iter().find(|(state, _)| *state == self);
        // Every state is in the table; a test goes through all of them.
        found.map_or(0, |(_, code)| code.cast_unsigned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_states_agree() {
        for (state, code) in STATES {
            assert_eq!(state.byte(), code.cast_unsigned());
            assert_eq!(State::of(state.byte()), Some(state));
        }
        assert_eq!((State::of(0), State::of(3), State::of(b'S')), (None, None, None));
        assert_eq!(State::of(255), Some(State::AccessDenied));
    }
}

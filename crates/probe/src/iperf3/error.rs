//! Why a test with an iperf3 server came to nothing.

/// What went wrong, in words for the person at the client, with the next step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Iperf3Error {
    /// One test at a time (`ACCESS_DENIED`).
    #[error("the iperf3 server is busy with another test: try again when that is over")]
    Busy,
    /// The server wants a user's name and password.
    #[error(
        "the iperf3 server lets in only users that it knows: give --username, --rsa-public-key-path and the password in \
         IPERF3_PASSWORD. If you did, one of them is wrong, or the clocks of both ends differ by more than 10 seconds"
    )]
    Authentication,
    /// The server gave up (`SERVER_ERROR`).
    #[error("the iperf3 server gave up: {}", words(*code, *errno))]
    Server {
        /// iperf3's own number of the error.
        code: i32,
        /// Its system's; `None` where it did not tell, or had none.
        errno: Option<i32>,
    },
    /// Its owner stopped it.
    #[error("the iperf3 server was stopped during the test: start it again, and repeat the test")]
    Terminated,
    /// Nothing came for too long.
    #[error(
        "the iperf3 server says nothing while {0}: its host may be overloaded, or a firewall in between lets one connection through only"
    )]
    Silent(&'static str),
    /// The connection ended too early.
    #[error("the connection was closed while {0}: is what listens there an iperf3 server?")]
    Closed(&'static str),
    /// A state that has no place there.
    #[error("what listens there does not speak iperf3's protocol: byte {byte} came while {step}")]
    OutOfPlace {
        /// What came.
        byte: u8,
        /// What was going on.
        step: &'static str,
    },
    /// Results longer than any test's.
    #[error("the iperf3 server announces results of {0} bytes, which is more than any test needs")]
    TooLong(u32),
    /// Results that are none.
    #[error("the iperf3 server's results cannot be used: {0}")]
    Results(&'static str),
}

/// Errors of iperf3 that a server's settings or our wishes lead to; the numbers are the same in all versions.
fn words(code: i32, errno: Option<i32>) -> String {
    let known = match code {
        5 => "the test would last longer than it allows: give a shorter --max-time",
        6 => "more parallel connections than it allows: give fewer --streams",
        27 => "the rate is above its limit (--server-bitrate-limit): give a lower rate, or ask its owner",
        10 | 123 => "it cannot set that segment size: leave out --mss, or give another",
        124 | 130 | 141 => {
            "it cannot set that socket buffer: give a smaller --buffer, or raise net.core.rmem_max and wmem_max there"
        }
        134 => "it does not have that congestion control: leave out --congestion-control, or load it there",
        20 => "it does not take UDP packets of that size",
        102 | 202 => "it cannot listen for the streams: is another program on its port?",
        _ => return format!("error {code} of iperf3{}", system(errno)),
    };
    known.to_owned()
}

/// What the system says beside one of these errors is left over from something else.
fn system(errno: Option<i32>) -> String {
    errno.map_or_else(String::new, |errno| format!(" (error {errno} of its system)"))
}

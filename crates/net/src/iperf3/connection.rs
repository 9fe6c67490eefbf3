//! The control connection of one test: drives [`Control`] with a socket and a clock.

use crate::sys::thread_time::monotonic_ns;
use crate::{NetError, Watch};
use probe::iperf3::{Control, Cookie, Event, Iperf3Error, Parameters, Results, cookie};
use rand::TryRngCore;
use rand::rngs::OsRng;
use socket2::{Domain, Protocol, Socket, Type};
use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// Time for connecting: a SYN and two retransmissions of it after one and three seconds.
const CONNECT: Duration = Duration::from_secs(5);
/// How long a farewell may take to be handed to the kernel.
const FAREWELL: Duration = Duration::from_secs(1);
const READ_BYTES: usize = 16 << 10;

pub(super) struct Connection {
    stream: TcpStream,
    control: Control,
    events: VecDeque<Event>,
    unsent: Vec<u8>,
    pub(super) cookie: Cookie,
    pub(super) peer: SocketAddr,
    pub(super) local: IpAddr,
}

impl Connection {
    /// Connects, and asks for a test.
    pub(super) async fn open(
        peer: SocketAddr,
        source: Option<IpAddr>,
        parameters: Parameters,
    ) -> Result<Self, NetError> {
        let connecting = connect(peer, source);
        let stream = match tokio::time::timeout(CONNECT, connecting).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) if error.kind() == io::ErrorKind::AddrNotAvailable => {
                return Err(NetError::os("binding the local address", error));
            }
            Ok(Err(error)) => return Err(NetError::NoIperf3(format!("{peer} ({error})"))),
            Err(_) => return Err(NetError::NoIperf3(format!("{peer} (no answer in 5 seconds)"))),
        };
        let mut chance = [0; 36];
        OsRng
            .try_fill_bytes(&mut chance)
            .map_err(|error| NetError::os("drawing a cookie", io::Error::other(error)))?;
        let cookie = cookie(chance);
        let local = stream.local_addr().map(|address| address.ip());
        Ok(Self {
            stream,
            control: Control::new(&cookie, parameters, monotonic_ns()),
            events: VecDeque::new(),
            unsent: Vec::new(),
            cookie,
            peer,
            local: local.map_err(|error| NetError::os("looking up the local address", error))?,
        })
    }

    /// What is to be done next. Nothing is lost when the future is dropped.
    pub(super) async fn event(&mut self) -> Result<Event, NetError> {
        let mut bytes = [0; READ_BYTES];
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(event);
            }
            let late = self.control.deadline_ns();
            let reading = async {
                self.flush().await?;
                self.stream.read(&mut bytes).await
            };
            let read = match late {
                Some(late) => {
                    let left = Duration::from_nanos(late.saturating_sub(monotonic_ns()));
                    tokio::time::timeout(left, reading).await
                }
                None => Ok(reading.await),
            };
            match read {
                Ok(Ok(0) | Err(_)) => return Err(told(self.control.closed())),
                Ok(Ok(count)) => {
                    let heard = self
                        .control
                        .heard(bytes.get(..count).unwrap_or_default(), monotonic_ns());
                    self.events.extend(heard.map_err(told)?);
                }
                Err(_) => return Err(told(self.control.expired())),
            }
        }
    }

    /// Waits for `wanted`, and nothing else may come before.
    pub(super) async fn expect(&mut self, wanted: &Event, watch: &Watch) -> Result<(), NetError> {
        let event = tokio::select! {
            event = self.event() => event?,
            () = watch.cancel.cancelled() => {
                self.terminate().await;
                return Err(NetError::Cancelled);
            }
        };
        match event == *wanted {
            true => Ok(()),
            false => Err(NetError::Protocol(
                "iperf3 does something else than it was asked for".to_owned(),
            )),
        }
    }

    /// Ends the test: what this end sends goes with the next [`Self::event`].
    pub(super) fn end(&mut self) {
        self.control.end(monotonic_ns());
    }

    /// Tells the server of this end: goes with the next [`Self::event`].
    pub(super) fn report(&mut self, results: &Results) {
        self.control.report(results, monotonic_ns());
    }

    /// Breaks the test off, or says that it is over, and sends what is left to be sent.
    pub(super) async fn terminate(&mut self) {
        self.control.terminate();
        self.farewell().await;
    }

    /// Sends what is left to be sent. Whether it arrives is for the server to care.
    pub(super) async fn farewell(&mut self) {
        let _ = tokio::time::timeout(FAREWELL, self.flush()).await;
    }

    async fn flush(&mut self) -> io::Result<()> {
        self.unsent.extend(self.control.output());
        while !self.unsent.is_empty() {
            let count = self.stream.write(&self.unsent).await?;
            self.unsent.drain(..count);
        }
        Ok(())
    }
}

async fn connect(peer: SocketAddr, source: Option<IpAddr>) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(peer), Type::STREAM, Some(Protocol::TCP))?;
    if let Some(source) = source {
        socket.bind(&SocketAddr::new(source, 0).into())?;
    }
    socket.set_nonblocking(true)?;
    let stream = TcpSocket::from_std_stream(socket.into()).connect(peer).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// What went wrong, by who has to do something about it.
fn told(error: Iperf3Error) -> NetError {
    let text = error.to_string();
    match error {
        Iperf3Error::Busy => NetError::NoRoom(text),
        Iperf3Error::Authentication | Iperf3Error::Server { .. } => NetError::Refused(text),
        Iperf3Error::Terminated | Iperf3Error::Silent(_) | Iperf3Error::Closed(_) => NetError::PeerGone(text),
        Iperf3Error::OutOfPlace { .. } | Iperf3Error::TooLong(_) | Iperf3Error::Results(_) => {
            NetError::Protocol(text)
        }
    }
}

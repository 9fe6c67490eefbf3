//! What is said on the control connection of one test, from the server's side.

use crate::far_end::hub::plain;
use probe::iperf3::State;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What a client may take for one step.
const STEP: Duration = Duration::from_secs(10);
/// Parameters take a kilobyte, the results of 128 streams 25 of them.
const MOST_JSON_BYTES: u32 = 64 << 10;

/// The control connection. Nobody at its other end is trusted.
pub(super) struct Talk {
    stream: TcpStream,
}

impl Talk {
    pub(super) fn over(stream: TcpStream) -> Self {
        Self { stream }
    }

    pub(super) fn local_address(&self) -> io::Result<SocketAddr> {
        self.stream.local_addr().map(plain)
    }

    pub(super) async fn say(&mut self, state: State) -> io::Result<()> {
        self.send(&[state.byte()]).await
    }

    /// The two numbers of an error: iperf3's, and that of a system, which is nobody's business.
    pub(super) async fn fail(&mut self, code: i32) -> io::Result<()> {
        self.say(State::ServerError).await?;
        self.send(&[code.to_be_bytes(), [0; 4]].concat()).await
    }

    pub(super) async fn say_json(&mut self, text: &[u8]) -> io::Result<()> {
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes();
        self.send(&[&length[..], text].concat()).await
    }

    /// The next state that the client announces, whenever it does. Nothing is lost when the future is dropped.
    pub(super) async fn state(&mut self) -> io::Result<State> {
        let byte = self.stream.read_u8().await?;
        State::of(byte).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    pub(super) async fn json(&mut self) -> io::Result<Vec<u8>> {
        let reading = async {
            let length = self.stream.read_u32().await?;
            if length > MOST_JSON_BYTES {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let mut text = vec![0; length as usize];
            self.stream.read_exact(&mut text).await?;
            Ok(text)
        };
        tokio::time::timeout(STEP, reading)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Waits until the client is done with us, or tired.
    pub(super) async fn farewell(&mut self) {
        let _ = tokio::time::timeout(STEP, self.state()).await;
    }

    async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        tokio::time::timeout(STEP, self.stream.write_all(bytes))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

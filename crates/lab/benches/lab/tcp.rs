//! A plain TCP transfer between two hosts of a lab.

use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use lab::{Lab, LabError};
use nix::sys::socket::{setsockopt, sockopt};

const PORT: u16 = 5201;

pub(crate) struct Transfer<'a> {
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
    pub(crate) address: IpAddr,
    pub(crate) congestion_control: &'a str,
    /// Not counted, at the beginning.
    pub(crate) warm_up: Duration,
    /// Counted.
    pub(crate) counted: Duration,
}

impl Transfer<'_> {
    /// Goodput in bit/s, counted by the receiver.
    pub(crate) fn run(&self, lab: &Lab) -> Result<f64, LabError> {
        let io = |source| LabError::Io {
            doing: "transferring".to_owned(),
            source,
        };
        let listener = lab.inside(self.to, || TcpListener::bind(("0.0.0.0", PORT)).map_err(io))?;
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| lab.inside(self.from, || self.send().map_err(io)));
            let goodput = self.receive(&listener).map_err(io);
            let sent = sender
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let goodput = goodput?;
            sent.map(|()| goodput)
        })
    }

    fn receive(&self, listener: &TcpListener) -> io::Result<f64> {
        let (mut stream, _) = listener.accept()?;
        let begun = Instant::now();
        let mut buffer = vec![0; 1 << 18];
        let (mut counted_bytes, mut since) = (0, None);
        while begun.elapsed() < self.warm_up + self.counted {
            let length = stream.read(&mut buffer)?;
            if length == 0 {
                break;
            }
            match since {
                None if begun.elapsed() >= self.warm_up => since = Some(Instant::now()),
                None => {}
                Some(_) => counted_bytes += length,
            }
        }
        let elapsed_s = since.map_or(f64::INFINITY, |s: Instant| s.elapsed().as_secs_f64());
        Ok(counted_bytes as f64 * 8.0 / elapsed_s)
    }

    fn send(&self) -> io::Result<()> {
        let mut stream = TcpStream::connect((self.address, PORT))?;
        setsockopt(&stream, sockopt::TcpCongestion, &self.congestion_control.into())?;
        stream.set_write_timeout(Some(Duration::from_millis(500)))?;
        let buffer = vec![0; 1 << 17];
        let deadline = Instant::now() + self.warm_up + self.counted + Duration::from_millis(200);
        while Instant::now() < deadline {
            match stream.write(&buffer) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // The receiver has counted enough and closed.
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
                    ) =>
                {
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

//! The headers of our own test connections, captured while `diagnose` runs them.
//!
//! The ring is opened while the user's rights are still there, and read only while a transfer runs. What it caught lies among the
//! raw records of the case, and the transfer that it shows names it.

use super::ranking::main_way;
use super::recording::{Broke, PcapWriter, record};
use super::{records, text};
use capture::measured;
use casefile::{CaseDir, RawWriter};
use evidence::{Observation, Payload, Transport};
use net::capture::{Capture, Filter, Settings};
use std::io::{self, BufWriter, Write};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Headers with time stamps and SACK, below a tunnel or two.
const SNAP_BYTES: u32 = 128;
/// A second of 10 Gbit/s in packets of 1500 bytes is 120 MB of headers; a disk may stall that long.
const RING_BYTES: usize = 64 << 20;
/// A transfer's beginning tells what limits it; the case need not hold more.
const MOST_BYTES: u64 = 256 << 20;

/// A ring that is open, and nobody reads.
pub(crate) struct OwnCapture {
    /// Away while a transfer is captured.
    capture: Option<Capture>,
}

/// A transfer that is being captured.
pub(crate) struct Running {
    stop: Arc<AtomicBool>,
    thread: tokio::task::JoinHandle<(Capture, Result<RawWriter, String>)>,
}

impl OwnCapture {
    /// Opens a ring for the connections of this host's address with a far end's port.
    ///
    /// # Errors
    /// In words, when this host may not capture, or no interface has the address.
    pub(crate) fn open(local: IpAddr, remote: IpAddr, port: u16) -> Result<Self, String> {
        let interface =
            net::host::interface_of(local).ok_or_else(|| format!("no interface of this host has {local}"))?;
        let settings = Settings {
            interface,
            snap_bytes: SNAP_BYTES,
            ring_bytes: RING_BYTES,
            filter: Filter {
                hosts: vec![remote],
                ports: vec![port],
            },
        };
        let capture = Capture::begin(&settings).map_err(|error| error.to_string())?;
        Ok(Self {
            capture: Some(capture),
        })
    }

    /// Begins to write what passes into a raw record of the case. `None` while another transfer is captured, or after the
    /// interface went away.
    ///
    /// # Errors
    /// In words, when the case cannot be written to.
    pub(crate) fn begin(&mut self, dir: &CaseDir) -> Result<Option<Running>, String> {
        let raw = dir.raw_writer().map_err(|error| error.to_string())?;
        let Some(mut capture) = self.capture.take() else {
            return Ok(None);
        };
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = tokio::task::spawn_blocking(move || {
            let written = write(&mut capture, raw, &stopped);
            (capture, written)
        });
        Ok(Some(Running { stop, thread }))
    }

    /// Ends a capture. The transfers among the observations get what the packets tell beyond what the kernels told; returns
    /// what is to be said of it.
    ///
    /// # Errors
    /// In words, when it could not be kept or read: then the observations are as they were.
    pub(crate) async fn end(
        &mut self,
        running: Running,
        dir: &CaseDir,
        observations: &mut [Observation],
    ) -> Result<String, String> {
        running.stop.store(true, Ordering::Relaxed);
        let (capture, written) = running.thread.await.map_err(|error| error.to_string())?;
        let capture = self.capture.insert(capture);
        let dropped = capture.counts().map_or(0, |counts| counts.dropped);
        let raw = written?.finish();
        let sha256 = raw.sha256.clone();
        raw.keep().map_err(|error| error.to_string())?;
        let (flows, _) = records::largest(&dir.raw_path(&sha256))?;
        let Some(flow) = flows.first() else {
            return Ok("no packet of the transfer was captured".to_owned());
        };
        let seen = measured::transfer(flow, main_way(flow));
        for observation in observations {
            let Payload::Transfer(told) = &mut observation.payload else {
                continue;
            };
            if told.protocol != Some(Transport::Tcp) {
                continue;
            }
            if let Some(seen) = seen.as_ref().filter(|_| told.streams == Some(1)) {
                measured::complete(told, seen);
            }
            let mut provenance = observation.provenance.clone();
            provenance.raw_sha256 = Some(sha256.clone());
            *observation = Observation::new(provenance, observation.payload.clone());
        }
        Ok(text::captured(flow, &sha256, dropped))
    }
}

fn write(capture: &mut Capture, raw: RawWriter, stop: &AtomicBool) -> Result<RawWriter, String> {
    let link_type = capture.link_type();
    // What waits in the ring is older than the transfer.
    while capture
        .next(Duration::ZERO, &mut |_| {})
        .map_err(|error| error.to_string())?
    {}
    let out = BufWriter::with_capacity(1 << 18, Raw(raw));
    let mut file = PcapWriter::new(out, link_type, SNAP_BYTES).map_err(|error| error.to_string())?;
    let mut is_last = false;
    let recorded = record(capture, &mut file, |bytes| {
        // Once more after the end: the kernel hands blocks over late.
        let goes_on = !is_last && bytes < MOST_BYTES;
        is_last = stop.load(Ordering::Relaxed);
        goes_on.then_some(Duration::from_millis(100))
    });
    match recorded {
        Err(Broke::File(error)) => return Err(error.to_string()),
        // What was captured before is whole.
        Err(Broke::Interface(_)) | Ok(()) => {}
    }
    let raw = file.out.into_inner().map_err(|error| error.to_string())?;
    Ok(raw.0)
}

/// A raw record to write to.
struct Raw(RawWriter);

impl Write for Raw {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

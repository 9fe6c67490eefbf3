//! Packets that pass are written to a file, until there is reason to stop.

use net::capture::{Capture, Packet};
use std::io::{self, Write};
use std::time::Duration;

/// How long to wait for packets before it is asked again whether to stop.
const PATIENCE: Duration = Duration::from_millis(200);

/// Why writing what passes ended early.
pub(crate) enum Broke {
    /// The packets cannot be written.
    File(io::Error),
    /// The interface went away; what was captured is kept.
    Interface(io::Error),
}

/// Writes packets for as long as `goes_on` says, which is told how large the file is and says how long to wait at most.
pub(crate) fn record<W: Write>(
    capture: &mut Capture,
    file: &mut PcapWriter<W>,
    mut goes_on: impl FnMut(u64) -> Option<Duration>,
) -> Result<(), Broke> {
    while let Some(wait) = goes_on(file.bytes) {
        let mut failed = None;
        let mut keep = |packet: Packet<'_>| {
            if failed.is_none() {
                failed = file.packet(&packet).err();
            }
        };
        capture
            .next(wait.min(PATIENCE), &mut keep)
            .map_err(Broke::Interface)?;
        if let Some(error) = failed {
            return Err(Broke::File(error));
        }
    }
    file.out.flush().map_err(Broke::File)
}

/// pcap with nanoseconds, <https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcap/>.
pub(crate) struct PcapWriter<W> {
    pub(crate) out: W,
    bytes: u64,
}

impl<W: Write> PcapWriter<W> {
    /// Begins a file.
    pub(crate) fn new(mut out: W, link_type: u16, snap_bytes: u32) -> io::Result<Self> {
        const MAGIC_NS: u32 = 0xa1b2_3c4d;
        out.write_all(&MAGIC_NS.to_ne_bytes())?;
        out.write_all(&2_u16.to_ne_bytes())?;
        out.write_all(&4_u16.to_ne_bytes())?;
        out.write_all(&[0; 8])?;
        out.write_all(&snap_bytes.to_ne_bytes())?;
        out.write_all(&u32::from(link_type).to_ne_bytes())?;
        Ok(Self { out, bytes: 24 })
    }

    fn packet(&mut self, packet: &Packet<'_>) -> io::Result<()> {
        const SECOND_NS: i64 = 1_000_000_000;
        let length = u32::try_from(packet.bytes.len()).map_err(io::Error::other)?;
        let seconds = packet.time_ns.div_euclid(SECOND_NS) as u32;
        let nanoseconds = packet.time_ns.rem_euclid(SECOND_NS) as u32;
        for word in [seconds, nanoseconds, length, packet.wire_bytes] {
            self.out.write_all(&word.to_ne_bytes())?;
        }
        self.out.write_all(packet.bytes)?;
        self.bytes += 16 + u64::from(length);
        Ok(())
    }
}

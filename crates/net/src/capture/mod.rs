//! Packets of an interface, as they pass.

mod filter;

pub use filter::{Filter, MOST_HOSTS, MOST_PORTS};

use crate::NetError;
use crate::sys::packet_ring::{PacketRing, hardware};
use std::io;
use std::time::Duration;

/// One packet that was caught.
#[derive(Debug, Clone, Copy)]
pub struct Packet<'a> {
    /// When, nanoseconds since 1970, by this host's clock.
    pub time_ns: i64,
    /// What was kept of it.
    pub bytes: &'a [u8],
    /// Its length, bytes.
    pub wire_bytes: u32,
}

/// What the kernel counted since the capture began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Packets that passed the filter.
    pub packets: u64,
    /// Those among them for which the ring had no room.
    pub dropped: u64,
}

/// How a capture is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The interface: `eth0`.
    pub interface: String,
    /// Of each packet so many bytes are kept.
    pub snap_bytes: u32,
    /// Memory for what we have not looked at yet, bytes.
    pub ring_bytes: usize,
    /// Which packets.
    pub filter: Filter,
}

/// A live capture.
pub struct Capture {
    ring: PacketRing,
    counts: Counts,
    link_type: u16,
}

/// LINKTYPE_ETHERNET and LINKTYPE_RAW, <https://www.tcpdump.org/linktypes.html>.
const ETHERNET: u16 = 1;
const RAW: u16 = 101;

impl Capture {
    /// Begins to capture.
    ///
    /// # Errors
    /// [`NetError::Privilege`] without `CAP_NET_RAW`; [`NetError::Os`] where there is no such interface;
    /// [`NetError::Unsupported`] for links that are neither Ethernet-like nor raw IP, and for filters that are too large.
    pub fn begin(settings: &Settings) -> Result<Self, NetError> {
        let filter = &settings.filter;
        if filter.hosts.len() > MOST_HOSTS || filter.ports.len() > MOST_PORTS {
            let most = format!("a filter of more than {MOST_HOSTS} hosts or {MOST_PORTS} ports");
            return Err(NetError::Unsupported(most));
        }
        let name = &settings.interface;
        let doing = || format!("capturing on {name}");
        let index = nix::net::if_::if_nametoindex(name.as_str())
            .map_err(|error| NetError::os(doing(), error.into()))?;
        let link = Link::of(name)?;
        let program = filter.program(settings.snap_bytes);
        let ring = PacketRing::open(index, link.is_loopback, settings.ring_bytes, &program).map_err(|error| {
            if error.kind() == io::ErrorKind::PermissionDenied {
                NetError::Privilege {
                    doing: "capturing packets",
                    hint: "run as root, or give the program CAP_NET_RAW (`setcap cap_net_raw+ep slowpath`)",
                    source: error,
                }
            } else {
                NetError::os(doing(), error)
            }
        })?;
        Ok(Self {
            ring,
            counts: Counts::default(),
            link_type: link.link_type,
        })
    }

    /// What the bytes of its packets begin with (LINKTYPE_*).
    #[must_use]
    pub fn link_type(&self) -> u16 {
        self.link_type
    }

    /// Hands over the packets that are there, and waits for some for so long at most. Returns whether there were any.
    ///
    /// # Errors
    /// When the interface went away.
    pub fn next(&mut self, wait: Duration, sink: &mut dyn FnMut(Packet<'_>)) -> io::Result<bool> {
        let wait_ms = i32::try_from(wait.as_millis()).unwrap_or(i32::MAX);
        self.ring.next_block(wait_ms, &mut |caught| {
            sink(Packet {
                time_ns: caught.time_ns,
                bytes: caught.bytes,
                wire_bytes: caught.wire_bytes,
            });
        })
    }

    /// What the kernel counted so far.
    ///
    /// # Errors
    /// When the kernel does not say.
    pub fn counts(&mut self) -> io::Result<Counts> {
        // The kernel counts from zero again after each answer.
        let (packets, dropped) = self.ring.statistics()?;
        self.counts.packets += u64::from(packets);
        self.counts.dropped += u64::from(dropped);
        Ok(self.counts)
    }
}

/// What kind of link an interface is.
struct Link {
    link_type: u16,
    /// What it sends comes in again at once: each packet would be caught twice.
    is_loopback: bool,
}

impl Link {
    fn of(interface: &str) -> Result<Self, NetError> {
        let kind = hardware(interface)
            .map_err(|error| NetError::os(format!("asking what kind of link {interface} is"), error))?;
        let link_type = match kind {
            libc::ARPHRD_ETHER | libc::ARPHRD_LOOPBACK => ETHERNET,
            libc::ARPHRD_NONE
            | libc::ARPHRD_PPP
            | libc::ARPHRD_TUNNEL
            | libc::ARPHRD_TUNNEL6
            | libc::ARPHRD_SIT
            | libc::ARPHRD_IPGRE
            | libc::ARPHRD_VOID => RAW,
            _ => {
                let what = format!("capturing on {interface}, a link of kind {kind}");
                return Err(NetError::Unsupported(what));
            }
        };
        Ok(Self {
            link_type,
            is_loopback: kind == libc::ARPHRD_LOOPBACK,
        })
    }
}

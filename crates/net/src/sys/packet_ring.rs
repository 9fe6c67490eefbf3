//! Packets of an interface from a ring that the kernel shares with us (`packet(7)`, TPACKET_V3).

use super::tcp_socket::{get_bytes, set_u32};
use std::io;
use std::mem::{offset_of, size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicU32, Ordering};

/// Many packets for each wake-up.
const BLOCK_BYTES: usize = 1 << 20;
const FRAME_BYTES: u32 = 2_048;
/// A block that is not full is handed over after so long, milliseconds.
const RETIRE_MS: u32 = 50;

/// One packet of the ring.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caught<'a> {
    /// Nanoseconds since 1970, by the kernel's clock.
    pub(crate) time_ns: i64,
    /// What the filter left of it.
    pub(crate) bytes: &'a [u8],
    /// Its length, bytes.
    pub(crate) wire_bytes: u32,
}

/// The socket, and the memory that the kernel writes to.
pub(crate) struct PacketRing {
    socket: OwnedFd,
    memory: NonNull<u8>,
    blocks: usize,
    next: usize,
}

// SAFETY: the memory belongs to this value alone; only `&mut self` reads it.
unsafe impl Send for PacketRing {}

impl PacketRing {
    /// Opens a ring of about so many bytes on one interface, with this filter (classic BPF; its return value cuts packets).
    pub(crate) fn open(
        interface: u32,
        ignore_outgoing: bool,
        ring_bytes: usize,
        filter: &[libc::sock_filter],
    ) -> io::Result<Self> {
        // Protocol 0: nothing comes in before the filter is there.
        // SAFETY: no pointers are passed; the result is checked.
        let fd = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is open and nobody else's.
        let socket = unsafe { OwnedFd::from_raw_fd(fd) };
        attach(&socket, filter)?;
        let version = libc::tpacket_versions::TPACKET_V3 as u32;
        set_u32(socket.as_fd(), libc::SOL_PACKET, libc::PACKET_VERSION, version)?;
        if ignore_outgoing {
            set_u32(socket.as_fd(), libc::SOL_PACKET, libc::PACKET_IGNORE_OUTGOING, 1)?;
        }
        let blocks = (ring_bytes / BLOCK_BYTES).clamp(2, 4_096);
        request(&socket, blocks)?;
        let memory = map(&socket, blocks * BLOCK_BYTES)?;
        let ring = Self {
            socket,
            memory,
            blocks,
            next: 0,
        };
        bind(&ring.socket, interface)?;
        Ok(ring)
    }

    /// Waits until a block is there, for so long at most, milliseconds, and hands its packets over. Returns whether there
    /// was one.
    pub(crate) fn next_block(&mut self, wait_ms: i32, sink: &mut dyn FnMut(Caught<'_>)) -> io::Result<bool> {
        if !self.is_ready() {
            let mut poll = libc::pollfd {
                fd: self.socket.as_raw_fd(),
                events: libc::POLLIN | libc::POLLERR,
                revents: 0,
            };
            // SAFETY: one structure is passed, and its count.
            let ready = unsafe { libc::poll(&raw mut poll, 1, wait_ms) };
            if ready < 0 {
                return Err(io::Error::last_os_error());
            }
            if !self.is_ready() {
                // The interface went away, or was set down.
                return if poll.revents & libc::POLLERR != 0 {
                    Err(self.pending_error())
                } else {
                    Ok(false)
                };
            }
        }
        self.hand_over(sink);
        self.status().store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.next = (self.next + 1) % self.blocks;
        Ok(true)
    }

    /// (packets, drops) since it was asked last. The packets that were dropped are among the first.
    pub(crate) fn statistics(&self) -> io::Result<(u32, u32)> {
        let mut bytes = [0; size_of::<libc::tpacket_stats_v3>()];
        get_bytes(
            self.socket.as_fd(),
            libc::SOL_PACKET,
            libc::PACKET_STATISTICS,
            &mut bytes,
        )?;
        let word = |place: usize| {
            let word = bytes.get(place * 4..place * 4 + 4);
            word.and_then(|word| word.try_into().ok())
                .map_or(0, u32::from_ne_bytes)
        };
        Ok((word(0), word(1)))
    }

    fn pending_error(&self) -> io::Error {
        let mut bytes = [0; 4];
        let asked = get_bytes(self.socket.as_fd(), libc::SOL_SOCKET, libc::SO_ERROR, &mut bytes);
        match (asked, i32::from_ne_bytes(bytes)) {
            (Err(error), _) => error,
            (Ok(_), 0) => io::ErrorKind::NetworkDown.into(),
            (Ok(_), code) => io::Error::from_raw_os_error(code),
        }
    }

    fn block(&self) -> *mut u8 {
        // SAFETY: `next` is below the count of blocks that are mapped.
        unsafe { self.memory.as_ptr().add(self.next * BLOCK_BYTES) }
    }

    /// Whose the next block is: the kernel writes it at any time.
    fn status(&self) -> &AtomicU32 {
        const STATUS: usize =
            offset_of!(libc::tpacket_block_desc, hdr) + offset_of!(libc::tpacket_hdr_v1, block_status);
        // SAFETY: the word is in mapped memory, aligned as blocks are, and only ever used as an atomic one.
        unsafe { AtomicU32::from_ptr(self.block().add(STATUS).cast()) }
    }

    fn is_ready(&self) -> bool {
        self.status().load(Ordering::Acquire) & libc::TP_STATUS_USER != 0
    }

    fn hand_over(&mut self, sink: &mut dyn FnMut(Caught<'_>)) {
        // SAFETY: the block is ours until its status is given back, and it is as long as that.
        let block: &[u8] = unsafe { std::slice::from_raw_parts(self.block(), BLOCK_BYTES) };
        // SAFETY: a descriptor stands at the beginning of each block (packet(7)); reading it moves nothing.
        let head = unsafe {
            block
                .as_ptr()
                .cast::<libc::tpacket_block_desc>()
                .read_unaligned()
                .hdr
                .bh1
        };
        let mut place = head.offset_to_first_pkt as usize;
        for _ in 0..head.num_pkts {
            let Some(packet) = block
                .get(place..)
                .filter(|rest| rest.len() >= size_of::<libc::tpacket3_hdr>())
            else {
                return;
            };
            // SAFETY: as many bytes are there.
            let head = unsafe { packet.as_ptr().cast::<libc::tpacket3_hdr>().read_unaligned() };
            let start = usize::from(head.tp_mac);
            if let Some(bytes) = packet.get(start..start + head.tp_snaplen as usize) {
                sink(Caught {
                    time_ns: i64::from(head.tp_sec) * 1_000_000_000 + i64::from(head.tp_nsec),
                    bytes,
                    wire_bytes: head.tp_len,
                });
            }
            if head.tp_next_offset == 0 {
                return;
            }
            place += head.tp_next_offset as usize;
        }
    }
}

impl Drop for PacketRing {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and nothing borrows from it any more.
        unsafe { libc::munmap(self.memory.as_ptr().cast(), self.blocks * BLOCK_BYTES) };
    }
}

/// What kind of hardware an interface of this network namespace is (`ARPHRD_*`; `netdevice(7)`, SIOCGIFHWADDR).
pub(crate) fn hardware(interface: &str) -> io::Result<u16> {
    // SAFETY: all bytes zero are a valid request.
    let mut request: libc::ifreq = unsafe { zeroed() };
    // The name and a zero behind it.
    if interface.len() >= request.ifr_name.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (place, byte) in request.ifr_name.iter_mut().zip(interface.bytes()) {
        *place = byte as libc::c_char;
    }
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::DGRAM, None)?;
    // SAFETY: the kernel reads and writes one request.
    let done = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFHWADDR as _, &raw mut request) };
    if done < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: this call fills this member.
    Ok(unsafe { request.ifr_ifru.ifru_hwaddr.sa_family })
}

/// Has the kernel run a filter (classic BPF) on what comes to a socket.
pub(crate) fn attach(socket: &impl AsFd, filter: &[libc::sock_filter]) -> io::Result<()> {
    let length = u16::try_from(filter.len()).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let program = libc::sock_fprog {
        len: length,
        filter: filter.as_ptr().cast_mut(),
    };
    set(socket, libc::SOL_SOCKET, libc::SO_ATTACH_FILTER, &program)
}

fn request(socket: &OwnedFd, blocks: usize) -> io::Result<()> {
    let wanted = libc::tpacket_req3 {
        tp_block_size: BLOCK_BYTES as u32,
        tp_block_nr: blocks as u32,
        tp_frame_size: FRAME_BYTES,
        tp_frame_nr: (BLOCK_BYTES / FRAME_BYTES as usize * blocks) as u32,
        tp_retire_blk_tov: RETIRE_MS,
        tp_sizeof_priv: 0,
        tp_feature_req_word: 0,
    };
    set(socket, libc::SOL_PACKET, libc::PACKET_RX_RING, &wanted)
}

fn set<T>(socket: &impl AsFd, level: libc::c_int, name: libc::c_int, value: &T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the kernel reads as many bytes as the structure has.
    let done = unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            level,
            name,
            (&raw const *value).cast(),
            length,
        )
    };
    if done < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

fn map(socket: &OwnedFd, length: usize) -> io::Result<NonNull<u8>> {
    // SAFETY: a new mapping is made; nothing that exists is touched.
    let memory = unsafe {
        libc::mmap(
            null_mut(),
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            socket.as_raw_fd(),
            0,
        )
    };
    if memory == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    NonNull::new(memory.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
}

fn bind(socket: &OwnedFd, interface: u32) -> io::Result<()> {
    // SAFETY: all bytes zero are a valid address.
    let mut address: libc::sockaddr_ll = unsafe { zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex =
        i32::try_from(interface).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: the kernel reads as many bytes as the structure has.
    let done = unsafe { libc::bind(socket.as_raw_fd(), (&raw const address).cast(), length) };
    if done < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

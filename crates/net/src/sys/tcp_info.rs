//! What the kernel says of one TCP connection (`struct tcp_info`, include/uapi/linux/tcp.h).
//!
//! The structure has grown with almost every release: fields are read by their offset from the bytes that the kernel
//! returned, and one that lies beyond the returned length is `None`. Bit fields are single bytes, so that no
//! compiler's layout is relied on.

use evidence::TcpAccount;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Length of the structure on the newest kernel known (6.18), with room to grow.
const CAPACITY: usize = 512;
/// `TCP_INFINITE_SSTHRESH`: slow start never ended.
const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

const OPTION_TIMESTAMPS: u8 = 1;
const OPTION_SACK: u8 = 2;
const OPTION_WINDOW_SCALE: u8 = 4;
const OPTION_ECN: u8 = 8;

/// The bytes that the kernel returned.
#[derive(Debug, Clone)]
pub(crate) struct TcpInfo {
    bytes: Vec<u8>,
}

impl TcpInfo {
    /// Asks the kernel about a TCP socket.
    pub(crate) fn read(socket: BorrowedFd<'_>) -> io::Result<Self> {
        let mut bytes = vec![0u8; CAPACITY];
        let mut length = CAPACITY as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes into `bytes`, which are that long, and sets `length` to
        // what it wrote; any bytes are valid `u8`s.
        let result = unsafe {
            libc::getsockopt(
                socket.as_raw_fd(),
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                bytes.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        bytes.truncate(length as usize);
        Ok(Self { bytes })
    }

    fn u8(&self, offset: usize) -> Option<u8> {
        self.bytes.get(offset).copied()
    }

    fn u16(&self, offset: usize) -> Option<u16> {
        Some(u16::from_ne_bytes(
            self.bytes.get(offset..offset + 2)?.try_into().ok()?,
        ))
    }

    fn u32(&self, offset: usize) -> Option<u32> {
        Some(u32::from_ne_bytes(
            self.bytes.get(offset..offset + 4)?.try_into().ok()?,
        ))
    }

    fn u64(&self, offset: usize) -> Option<u64> {
        Some(u64::from_ne_bytes(
            self.bytes.get(offset..offset + 8)?.try_into().ok()?,
        ))
    }

    /// Bytes acknowledged, the SYN included.
    pub(crate) fn bytes_acked(&self) -> u64 {
        self.u64(120).unwrap_or(0)
    }

    /// Segments sent again so far.
    pub(crate) fn total_retransmits(&self) -> u32 {
        self.u32(100).unwrap_or(0)
    }

    /// Segment size in use for sending.
    pub(crate) fn send_mss_bytes(&self) -> u32 {
        self.u32(16).unwrap_or(0)
    }

    /// Congestion window in bytes.
    pub(crate) fn cwnd_bytes(&self) -> u64 {
        u64::from(self.u32(80).unwrap_or(0)) * u64::from(self.send_mss_bytes())
    }

    /// Smoothed round-trip time, microseconds.
    pub(crate) fn rtt_us(&self) -> u32 {
        self.u32(68).unwrap_or(0)
    }

    /// Delivery rate in bit/s; `None` before there is one.
    pub(crate) fn delivery_rate_bps(&self) -> Option<f64> {
        self.u64(160)
            .filter(|rate| *rate > 0)
            .map(|bytes| bytes as f64 * 8.0)
    }

    /// Window that the peer advertises now, bytes (Linux 5.4).
    pub(crate) fn peer_window_bytes(&self) -> Option<u64> {
        self.u32(228).map(u64::from)
    }

    /// Time limited by the peer's window, microseconds.
    pub(crate) fn receive_window_limited_us(&self) -> u64 {
        self.u64(176).unwrap_or(0)
    }

    /// The closing account of the connection.
    pub(crate) fn account(&self) -> TcpAccount {
        let options = self.u8(5);
        let has = |bit: u8| options.map(|options| options & bit != 0);
        let scales = self.u8(6).filter(|_| has(OPTION_WINDOW_SCALE) == Some(true));
        TcpAccount {
            data_segments_out: self.u32(156).map(u64::from),
            retransmitted_segments: self.u32(100).map(u64::from),
            retransmitted_bytes: self.u64(208),
            bytes_acked: self.u64(120),
            bytes_received: self.u64(128),
            out_of_order_segments: self.u32(224).map(u64::from),
            dsack_duplicates: self.u32(216).map(u64::from),
            timeouts: self.u16(240).map(u64::from),
            busy_us: self.u64(168),
            receive_window_limited_us: self.u64(176),
            send_buffer_limited_us: self.u64(184),
            send_mss_bytes: self.u32(16),
            path_mtu_bytes: self.u32(60),
            peer_window_bytes: self.peer_window_bytes(),
            receive_space_bytes: self.u32(96),
            // The kernel's "none yet" is the largest number.
            min_rtt_us: self.u32(148).filter(|rtt| *rtt != u32::MAX && *rtt != 0),
            rtt_us: self.u32(68).filter(|rtt| *rtt != 0),
            cwnd_segments: self.u32(80),
            ssthresh_segments: self.u32(76).filter(|threshold| *threshold < INFINITE_SSTHRESH),
            reordering_segments: self.u32(88),
            sack: has(OPTION_SACK),
            timestamps: has(OPTION_TIMESTAMPS),
            window_scale: scales.map(|scales| (scales & 0xf, scales >> 4)),
            ecn: has(OPTION_ECN),
            ecn_marked_segments: self.u32(196).map(u64::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;

    #[test]
    fn this_kernel_counts_what_was_sent() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut sender = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut receiver, _) = listener.accept().unwrap();
        sender.write_all(&[7; 5_000]).unwrap();
        receiver.read_exact(&mut [0; 5_000]).unwrap();
        let account = TcpInfo::read(receiver.as_fd()).unwrap().account();
        assert_eq!(account.bytes_received, Some(5_000));
        assert_eq!(
            (account.sack, account.timestamps, account.ecn),
            (Some(true), Some(true), Some(false))
        );
        assert!(account.window_scale.is_some());
        let info = TcpInfo::read(sender.as_fd()).unwrap();
        assert!(info.send_mss_bytes() > 1_000 && info.cwnd_bytes() > 0);
    }

    #[test]
    fn what_an_old_kernel_does_not_return_is_none() {
        // 104 bytes: Linux 2.6.
        let account = TcpInfo {
            bytes: vec![0xff; 104],
        }
        .account();
        assert_eq!(account.busy_us, None);
        assert_eq!(account.bytes_acked, None);
        assert_eq!(account.retransmitted_segments, Some(u64::from(u32::MAX)));
        assert_eq!(account.ssthresh_segments, None);
        assert_eq!(account.window_scale, Some((15, 15)));
        let nothing = TcpInfo { bytes: vec![] };
        assert_eq!(nothing.account(), TcpAccount::default());
        assert_eq!((nothing.bytes_acked(), nothing.delivery_rate_bps()), (0, None));
    }
}

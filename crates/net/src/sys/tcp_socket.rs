//! Socket options of bulk TCP connections that have no safe wrapper.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Sets an option of four bytes.
pub(crate) fn set_u32(socket: BorrowedFd<'_>, level: i32, name: i32, value: u32) -> io::Result<()> {
    set_bytes(socket, level, name, &value.to_ne_bytes())
}

/// Sets an option given as bytes.
pub(crate) fn set_bytes(socket: BorrowedFd<'_>, level: i32, name: i32, value: &[u8]) -> io::Result<()> {
    // SAFETY: the kernel reads `value.len()` bytes from `value`, which lives through the call.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            level,
            name,
            value.as_ptr().cast(),
            value.len() as libc::socklen_t,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Reads an option into `value`; returns how many bytes the kernel wrote.
pub(crate) fn get_bytes(
    socket: BorrowedFd<'_>,
    level: i32,
    name: i32,
    value: &mut [u8],
) -> io::Result<usize> {
    let mut length = value.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes into `value`, which is that long.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            level,
            name,
            value.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if result == 0 {
        Ok((length as usize).min(value.len()))
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Reads an option of four bytes.
pub(crate) fn get_u32(socket: BorrowedFd<'_>, level: i32, name: i32) -> io::Result<u32> {
    let mut value = [0; 4];
    get_bytes(socket, level, name, &mut value)?;
    Ok(u32::from_ne_bytes(value))
}

/// Name of the congestion control in use.
pub(crate) fn congestion_control(socket: BorrowedFd<'_>) -> io::Result<String> {
    let mut name = [0u8; 16];
    let length = get_bytes(socket, libc::IPPROTO_TCP, libc::TCP_CONGESTION, &mut name)?;
    let text = name.get(..length).unwrap_or(&[]);
    Ok(String::from_utf8_lossy(text.split(|byte| *byte == 0).next().unwrap_or(&[])).into_owned())
}

/// Asks for a congestion control by name.
pub(crate) fn set_congestion_control(socket: BorrowedFd<'_>, name: &str) -> io::Result<()> {
    set_bytes(socket, libc::IPPROTO_TCP, libc::TCP_CONGESTION, name.as_bytes())
}

/// Limits the rate at which the kernel lets this connection send. TCP paces itself, no queueing discipline needed.
pub(crate) fn set_max_pacing_rate(socket: BorrowedFd<'_>, bytes_per_second: u64) -> io::Result<()> {
    set_bytes(
        socket,
        libc::SOL_SOCKET,
        libc::SO_MAX_PACING_RATE,
        &bytes_per_second.to_ne_bytes(),
    )
}

/// Closing discards what was not sent and resets the connection at once.
pub(crate) fn reset_on_close(socket: BorrowedFd<'_>) -> io::Result<()> {
    set_linger(socket, 1)
}

/// Closing sends what is left and ends the connection in order, as it does where nothing else was asked for.
pub(crate) fn close_in_order(socket: BorrowedFd<'_>) -> io::Result<()> {
    set_linger(socket, 0)
}

/// Lingers for no time, if on.
fn set_linger(socket: BorrowedFd<'_>, on: i32) -> io::Result<()> {
    let mut value = [0u8; 8];
    value[..4].copy_from_slice(&on.to_ne_bytes());
    set_bytes(socket, libc::SOL_SOCKET, libc::SO_LINGER, &value)
}

/// Takes up to `most` bytes that have arrived, and throws them away: 0 at the end. They are not copied (tcp(7), `MSG_TRUNC`), which
/// takes a host that receives as fast as it can a tenth less time. The windows that TCP announces are as if they were read.
pub(crate) fn discard(socket: BorrowedFd<'_>, most: usize) -> io::Result<usize> {
    // SAFETY: nothing is written where nothing is copied; a kernel that tried could not write to a null pointer.
    let taken = unsafe { libc::recv(socket.as_raw_fd(), std::ptr::null_mut(), most, libc::MSG_TRUNC) };
    usize::try_from(taken).map_err(|_| io::Error::last_os_error())
}

//! Clocks and sleeping of the data plane's threads.

use std::io;

/// A clock's time in nanoseconds; 0 where the clock does not exist.
fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the kernel writes one `timespec` into `time`.
    let result = unsafe { libc::clock_gettime(clock, &raw mut time) };
    if result == 0 {
        (time.tv_sec as u64).saturating_mul(1_000_000_000) + time.tv_nsec as u64
    } else {
        0
    }
}

/// Processor time that the calling thread has used.
pub(crate) fn thread_cpu_ns() -> u64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The monotonic clock.
pub(crate) fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// The wall clock, nanoseconds since the Unix epoch: the clock of the kernel's packet stamps.
pub(crate) fn wall_ns() -> i64 {
    i64::try_from(clock_ns(libc::CLOCK_REALTIME)).unwrap_or(i64::MAX)
}

/// Whether the wall clock follows an external source, and how far it may be off at most, nanoseconds (adjtimex(2)). `None` where
/// the kernel does not tell.
pub(crate) fn wall_clock_state() -> Option<(bool, u64)> {
    // SAFETY: all-zero is a valid `timex`: with no mode set, the kernel only writes to it.
    let mut state: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: `state` lives through the call.
    let result = unsafe { libc::adjtimex(&raw mut state) };
    let error_us = u64::try_from(state.maxerror).ok()?;
    (result >= 0).then(|| {
        (
            state.status & libc::STA_UNSYNC == 0,
            error_us.saturating_mul(1_000),
        )
    })
}

/// Sleeps until the monotonic clock shows `at_ns`, or a signal comes.
pub(crate) fn sleep_until(at_ns: u64) {
    let time = libc::timespec {
        tv_sec: (at_ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (at_ns % 1_000_000_000) as libc::c_long,
    };
    // SAFETY: `time` is a valid `timespec`; a null remainder is allowed with an absolute time.
    unsafe {
        libc::clock_nanosleep(
            libc::CLOCK_MONOTONIC,
            libc::TIMER_ABSTIME,
            &raw const time,
            std::ptr::null_mut(),
        );
    }
}

/// Lets the calling thread's sleeps end when they should: by default the kernel may add 50 µs.
pub(crate) fn precise_sleeps() -> io::Result<()> {
    // SAFETY: PR_SET_TIMERSLACK takes one number and touches no memory.
    let result = unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_go_forward_and_sleeping_takes_time() {
        precise_sleeps().unwrap();
        let (start, cpu) = (monotonic_ns(), thread_cpu_ns());
        sleep_until(start + 2_000_000);
        assert!(monotonic_ns() >= start + 2_000_000);
        assert!(thread_cpu_ns() >= cpu);
        assert!(wall_ns() > 1_600_000_000_000_000_000);
    }
}

//! The right to write to a case, which one process at a time has.

use crate::error::{CaseDirError, at};
use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Asked each time that another process holds the case: lets some time go by and says whether to try again. This crate
/// has no clock.
pub type Wait<'a> = &'a mut dyn FnMut() -> bool;

/// The right to write to a case. It is on the directory itself, so that no lock file travels with a mailed case.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Of the directory.
    pub(crate) fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }
}

impl Drop for Lock {
    /// Closing the file would not do: a child that was forked meanwhile holds a copy of it until it ends, and the
    /// lock with it (flock(2)).
    fn drop(&mut self) {
        // What cannot be unlocked is unlocked by the kernel when the last copy is closed.
        let _ = self.0.unlock();
    }
}

/// Takes the lock of the directory at `path`.
pub(crate) fn lock(path: &Path, wait: Wait<'_>) -> Result<Lock, CaseDirError> {
    loop {
        if !path.is_dir() {
            return Err(CaseDirError::NotACase(path.to_owned()));
        }
        let directory = File::open(path).map_err(at(path, "open"))?;
        match directory.try_lock() {
            // While we waited the directory may have been moved away, and another one put in its place.
            Ok(()) if is_at(&directory, path) => return Ok(Lock(directory)),
            Ok(()) => {}
            Err(TryLockError::WouldBlock) if wait() => {}
            Err(TryLockError::WouldBlock) => return Err(CaseDirError::Busy(path.to_owned())),
            Err(TryLockError::Error(source)) => return Err(at(path, "lock")(source)),
        }
    }
}

fn is_at(directory: &File, path: &Path) -> bool {
    let place = |metadata: Metadata| (metadata.dev(), metadata.ino());
    let (held, there) = (directory.metadata().map(place), fs::metadata(path).map(place));
    matches!((held, there), (Ok(held), Ok(there)) if held == there)
}

/// The process that holds the case at `path`, as far as the kernel tells: its number, and the command that it was started with,
/// which may be a stranger's text.
#[must_use]
pub fn holder(path: &Path) -> Option<(u32, String)> {
    let inode = fs::metadata(path).ok()?.ino();
    let locks = fs::read_to_string("/proc/locks").ok()?;
    let process = locks.lines().find_map(|line| flock_on(inode, line))?;
    let command = fs::read(format!("/proc/{process}/cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    Some((process, command.trim_end().to_owned()))
}

/// Who holds the lock of a line of `/proc/locks` (proc_locks(5)), if it is an exclusive flock(2) on this inode:
/// `1: FLOCK  ADVISORY  WRITE 4242 fd:01:1177 0 EOF`. The device is left out: some file systems show another one there than in stat(2).
fn flock_on(inode: u64, line: &str) -> Option<u32> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let [_, "FLOCK", _, "WRITE", process, place, ..] = fields.as_slice() else {
        return None;
    };
    let (_, number) = place.rsplit_once(':')?;
    (number.parse() == Ok(inode)).then(|| process.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_of_a_lock_is_read_out_of_the_kernels_table() {
        let held = "1: FLOCK  ADVISORY  WRITE 4242 fd:01:1177 0 EOF";
        assert_eq!(flock_on(1177, held), Some(4242));
        for other in [
            "1: FLOCK  ADVISORY  WRITE 4242 fd:01:117 0 EOF",
            "1: -> FLOCK  ADVISORY  WRITE 4242 fd:01:1177 0 EOF",
            "1: POSIX  ADVISORY  WRITE 4242 fd:01:1177 0 EOF",
            "1: FLOCK  ADVISORY  READ  4242 fd:01:1177 0 EOF",
            "1: FLOCK  ADVISORY  WRITE x fd:01:1177 0 EOF",
            "",
        ] {
            assert_eq!(flock_on(1177, other), None, "{other}");
        }
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(holder(directory.path()), None);
        let _lock = lock(directory.path(), &mut || false).unwrap();
        if let Some((process, _)) = holder(directory.path()) {
            assert_eq!(process, std::process::id());
        }
    }

    #[test]
    fn a_copy_that_a_child_inherited_does_not_keep_the_lock() {
        let directory = tempfile::tempdir().unwrap();
        let held = lock(directory.path(), &mut || false).unwrap();
        let _inherited = held.0.try_clone().unwrap();
        drop(held);
        assert!(lock(directory.path(), &mut || false).is_ok());
    }

    #[test]
    fn whoever_waits_gets_the_directory_that_is_there_then() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("x.case");
        fs::create_dir(&path).unwrap();
        let mut held = Some(lock(&path, &mut || false).unwrap());
        let mut waits = 0;
        let got = lock(&path, &mut || {
            waits += 1;
            if waits == 3 {
                fs::rename(&path, parent.path().join("moved")).unwrap();
                fs::create_dir(&path).unwrap();
                held = None;
            }
            true
        });
        assert_eq!(
            got.unwrap().metadata().unwrap().ino(),
            fs::metadata(&path).unwrap().ino()
        );
        assert_eq!(waits, 3);
    }
}

//! A file that exists only as long as its processes.

use std::fs::{File, Permissions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use nix::sys::memfd::{MFdFlags, memfd_create};

/// A file in memory that child processes inherit. Programs of a lab exchange tokens through it: unlike a file in
/// a directory for temporary files, it cannot be left behind.
#[derive(Debug)]
pub struct InheritedFile(File);

impl InheritedFile {
    /// Makes one with this content.
    ///
    /// # Errors
    /// What the system says.
    pub fn new(content: &[u8]) -> io::Result<Self> {
        let mut file = File::from(memfd_create("slowpath-lab", MFdFlags::empty())?);
        // A memfd is born readable by everybody, and the far end refuses such tokens.
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(content)?;
        Ok(Self(file))
    }

    /// Its path, in this process and in those that it starts from now on.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.0.as_raw_fd()))
    }
}

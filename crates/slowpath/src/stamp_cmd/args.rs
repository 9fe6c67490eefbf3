//! The options of `slowpath stamp`.

use super::reflect::ReflectArgs;
use crate::dscp::dscp;
use crate::probing_args::{ProbingArgs, seconds};
use net::stamp::{Key, PORT};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A key file is not longer; what is, is something else.
const MOST_KEY_BYTES: u64 = 4_096;

/// Shown at the end of `stamp --help`.
const HELP: &str = "\
STAMP (RFC 8762, RFC 8972) is answered by routers of many makers, as is TWAMP Light (RFC 5357, appendix I); port 862 unless \
they are told otherwise. A reflector that counts for itself (stateful) tells loss in each direction. Delays in one direction \
need clocks that agree; how much they vary does not.

With --reflect this host answers. It answers the networks of --allow only, never with more bytes than came, within \
limits, and never another reflector's answer. With --key-file nothing is answered that is not authentic. Started as root \
it becomes the user nobody after opening its sockets, and keeps no capability.";

/// Measure loss in each direction, delay and its variation with a STAMP or TWAMP Light reflector, or be one.
#[derive(Debug, clap::Args)]
#[command(after_long_help = HELP)]
pub(crate) struct StampArgs {
    /// The host, or router, that reflects
    #[arg(required_unless_present = "reflect", conflicts_with = "reflect")]
    pub(super) to: Option<String>,
    /// The reflector's UDP port, there or here; 0 with --reflect: any that is free
    #[arg(long, short = 'p', value_name = "PORT", default_value_t = PORT)]
    pub(super) port: u16,
    /// Packets to send
    #[arg(long, short = 'c', value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub(super) count: u32,
    /// Pause between two packets, seconds
    #[arg(long, short = 'i', value_name = "SECONDS", default_value = "0.01", value_parser = interval)]
    pub(super) interval: f64,
    /// IP packet size, bytes [default: the smallest with all options]
    #[arg(long, short = 's', value_name = "BYTES", value_parser = clap::value_parser!(u32).range(72..=65_535))]
    pub(super) size: Option<u32>,
    /// File with the key of authenticated mode: hexadecimal digits, or any 16 bytes and more
    #[arg(long, value_name = "FILE")]
    pub(super) key_file: Option<PathBuf>,
    /// The session's number (SSID), where the reflector expects one; 0: none [default: random]
    #[arg(long, value_name = "N")]
    ssid: Option<u16>,
    /// DSCP of the packets, a number or a name such as EF, AF41, CS1
    #[arg(long, value_name = "DSCP", default_value = "0", value_parser = dscp)]
    pub(super) dscp: u8,
    #[command(flatten)]
    pub(super) probing: ProbingArgs,
    /// Print a line for each packet that was answered, with all times
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,
    #[command(flatten)]
    pub(super) reflector: ReflectArgs,
}

impl StampArgs {
    pub(super) fn ssid(&self) -> u16 {
        // Any number will do that another session of this host hardly has: the process's.
        self.ssid.unwrap_or((std::process::id() % 65_535) as u16 + 1)
    }

    pub(super) fn key(&self) -> Result<Option<Key>, String> {
        self.key_file.as_deref().map(read_key).transpose()
    }
}

fn read_key(path: &Path) -> Result<Key, String> {
    let about = |what: &dyn std::fmt::Display| format!("the key file {}: {what}", path.display());
    let metadata = fs::metadata(path).map_err(|error| about(&error))?;
    if !metadata.is_file() || metadata.len() > MOST_KEY_BYTES {
        return Err(about(&"it is no file, or too long for a key"));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(about(&"others may read it: chmod 600"));
    }
    let bytes = fs::read(path).map_err(|error| about(&error))?;
    Key::read(&bytes).map_err(|error| about(&error))
}

fn interval(text: &str) -> Result<f64, String> {
    seconds(text, 0.000_1..=60.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_others_may_read_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("key");
        fs::write(&path, "00112233445566778899aabbccddeeff\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(read_key(&path).unwrap_err().contains("chmod 600"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(read_key(&path).is_ok());
        fs::write(&path, "short").unwrap();
        assert!(read_key(&path).unwrap_err().contains("16"));
        assert!(read_key(directory.path()).unwrap_err().contains("no file"));
    }
}

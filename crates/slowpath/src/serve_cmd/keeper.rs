//! The process that keeps the access file and the audit: `serve` itself, which talks to strangers, may read and write no file.
//!
//! It is told lines over a connection of its own. One that begins with `{` is a line of the audit. [`RELOAD`] has it open the
//! audit anew (whoever rotates logs has moved the old file away) and answer with the text of the access file, or why that
//! cannot be read. It ends when the connection does.

use super::access_file::LONGEST;
use crate::terminal;
use net::NetError;
use net::far_end::private_text;
use net::rights::keep_apart;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// Asks for the access file.
pub(super) const RELOAD: &str = "reload";
/// The longest line: what was asked for is 16 kB at most, and its name.
const LONGEST_LINE: u64 = 64 << 10;

/// The files that are kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    pub(super) access: Option<PathBuf>,
    pub(super) audit: Option<PathBuf>,
}

impl Kept {
    /// Starts the process, if there is anything to keep. Before any other thread.
    ///
    /// # Errors
    /// The audit cannot be written, or the process not be started.
    pub(super) fn start(self) -> Result<Option<UnixStream>, NetError> {
        if self.access.is_none() && self.audit.is_none() {
            return Ok(None);
        }
        // Here, where its owner reads why it cannot be.
        let audit = self.audit.as_deref().map(open).transpose()?;
        // Directories, as editors and those who rotate logs put new files into the place of old ones.
        let [reads, writes] = [&self.access, &self.audit].map(|path| path.as_deref().map(directory));
        let work = move |stream| keep(&self, audit, stream);
        let connection = keep_apart(Vec::from_iter(reads), Vec::from_iter(writes), work)?;
        Ok(Some(connection))
    }
}

fn directory(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

fn open(path: &Path) -> Result<File, NetError> {
    let opened = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path);
    opened.map_err(|source| NetError::Os {
        doing: format!("opening the audit {}", path.display()),
        source,
    })
}

fn keep(kept: &Kept, mut audit: Option<File>, stream: UnixStream) {
    let Ok(mut answers) = stream.try_clone() else {
        return;
    };
    let mut lines = BufReader::new(stream);
    let mut is_told = false;
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = lines.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        if !matches!(read, Ok(length) if length > 0) {
            return;
        }
        if line.trim_ascii_end() == RELOAD.as_bytes() {
            if let Some(path) = &kept.audit {
                match open(path) {
                    Ok(file) => audit = Some(file),
                    Err(error) => terminal::complain(&format!("{error}: the old one is written on")),
                }
            }
            let text = kept.access.as_ref().map(|path| private_text(path, LONGEST));
            let told = match &text {
                Some(Ok(text)) => tell(&mut answers, "ok", text),
                Some(Err(error)) => tell(&mut answers, "error", &error.to_string()),
                None => tell(&mut answers, "ok", ""),
            };
            if told.is_err() {
                return;
            }
        } else if let Some(file) = &mut audit {
            match file.write_all(&line) {
                Ok(()) => is_told = false,
                // Once, until it can be written again: a full disk is not made better by lines.
                Err(error) if !is_told => {
                    is_told = true;
                    terminal::complain(&format!("the audit cannot be written: {error}"));
                }
                Err(_) => {}
            }
        }
    }
}

fn tell(to: &mut UnixStream, how: &str, text: &str) -> io::Result<()> {
    write!(to, "{how} {}\n{text}", text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::thread;

    fn answer(reader: &mut BufReader<UnixStream>) -> (String, String) {
        let mut head = String::new();
        reader.read_line(&mut head).unwrap();
        let (how, length) = head.trim().split_once(' ').unwrap();
        let mut text = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut text).unwrap();
        (how.to_owned(), String::from_utf8(text).unwrap())
    }

    #[test]
    fn lines_go_to_the_audit_and_a_reload_opens_both_files_anew() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let kept = Kept {
            access: Some(at("access.toml")),
            audit: Some(at("audit.jsonl")),
        };
        std::fs::write(at("access.toml"), "one").unwrap();
        std::fs::set_permissions(at("access.toml"), std::fs::Permissions::from_mode(0o600)).unwrap();
        let audit = open(&at("audit.jsonl")).unwrap();
        let (mut near, far) = UnixStream::pair().unwrap();
        let keeper = thread::spawn(move || keep(&kept, Some(audit), far));
        let mut answers = BufReader::new(near.try_clone().unwrap());
        writeln!(near, "{{\"n\":1}}\n{RELOAD}").unwrap();
        assert_eq!(answer(&mut answers), ("ok".to_owned(), "one".to_owned()));
        // As whoever rotates logs does, and as an editor.
        std::fs::rename(at("audit.jsonl"), at("audit.jsonl.1")).unwrap();
        std::fs::set_permissions(at("access.toml"), std::fs::Permissions::from_mode(0o640)).unwrap();
        writeln!(near, "{RELOAD}\n{{\"n\":2}}").unwrap();
        let (how, why) = answer(&mut answers);
        assert!(how == "error" && why.contains("chmod 600"), "{how}: {why}");
        near.shutdown(std::net::Shutdown::Both).unwrap();
        keeper.join().unwrap();
        let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();
        assert_eq!(
            (read("audit.jsonl.1").as_str(), read("audit.jsonl").as_str()),
            ("{\"n\":1}\n", "{\"n\":2}\n")
        );
    }
}

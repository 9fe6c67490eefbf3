//! The file that holds a token.

use super::token::{MAX_LETTERS, Token, new_token};
use crate::NetError;
use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use zeroize::Zeroizing;

/// The token in `path`; creates the file with a fresh token, readable by its owner only, when there is none. For the end
/// that serves: a file that others may read is refused. May take some tenths of a second, see [`Token::read`].
///
/// # Errors
/// Anything that is not a file of its owner's with a good token in it.
pub fn token_from_file(path: &Path) -> Result<Token, NetError> {
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
    {
        Ok(mut file) => {
            let token = new_token()?;
            writeln!(file, "{token}").map_err(|error| about(path, "writing", error))?;
            Token::read(&token)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let file = open(path)?;
            check_mode(path, &file)?;
            read(path, file)
        }
        Err(error) => Err(about(path, "creating", error)),
    }
}

/// The token in `path`, which must exist: for the end that connects. May take some tenths of a second, see
/// [`Token::read`].
///
/// # Errors
/// Anything that is not a file with a good token in it.
pub fn read_token_file(path: &Path) -> Result<Token, NetError> {
    read(path, open(path)?)
}

/// The text of a file that only its owner may read, `most` bytes at most.
///
/// # Errors
/// Anything else.
pub fn private_text(path: &Path, most: usize) -> Result<Zeroizing<String>, NetError> {
    let file = open(path)?;
    check_mode(path, &file)?;
    let mut text = Zeroizing::new(String::new());
    let read = file.take(most as u64 + 1).read_to_string(&mut text);
    read.map_err(|error| NetError::os(format!("reading {}", path.display()), error))?;
    if text.len() > most {
        let path = path.display();
        return Err(NetError::Token(format!(
            "file {path} is longer than {most} bytes: give a shorter one"
        )));
    }
    Ok(text)
}

/// Opens a regular file and nothing else, without waiting: a FIFO would hold the program until somebody writes.
fn open(path: &Path) -> Result<File, NetError> {
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY)
        .open(path);
    let file = match opened {
        Ok(file) => file,
        // What open says of a socket.
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => return Err(no_file(path, "a socket")),
        Err(error) => return Err(about(path, "reading", error)),
    };
    let metadata = file.metadata().map_err(|error| about(path, "reading", error))?;
    match kind(metadata.file_type()) {
        None => Ok(file),
        Some(kind) => Err(no_file(path, kind)),
    }
}

/// What it is instead of a regular file.
fn kind(of: FileType) -> Option<&'static str> {
    if of.is_file() {
        return None;
    }
    Some(match () {
        () if of.is_dir() => "a directory",
        () if of.is_fifo() => "a FIFO",
        () if of.is_char_device() || of.is_block_device() => "a device",
        () => "something else",
    })
}

fn no_file(path: &Path, kind: &str) -> NetError {
    let path = path.display();
    NetError::Token(format!(
        "cannot be read from {path}, which is {kind}: give a regular file"
    ))
}

fn check_mode(path: &Path, file: &File) -> Result<(), NetError> {
    let mode = file
        .metadata()
        .map_err(|error| about(path, "reading", error))?
        .mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let (mode, path) = (mode & 0o777, path.display());
    Err(NetError::Token(format!(
        "in {path} may be read by others (mode {mode:03o}): run `chmod 600 {path}` and change the token"
    )))
}

fn read(path: &Path, file: File) -> Result<Token, NetError> {
    let mut text = Zeroizing::new(String::with_capacity(MAX_LETTERS));
    // Enough to find a token that is too long, with spaces around it.
    file.take(4 * MAX_LETTERS as u64)
        .read_to_string(&mut text)
        .map_err(|error| about(path, "reading", error))?;
    Token::read(&text).map_err(|error| match error {
        NetError::Token(why) => NetError::Token(format!("in {} {why}", path.display())),
        other => other,
    })
}

fn about(path: &Path, doing: &str, error: io::Error) -> NetError {
    NetError::os(format!("{doing} the token file {}", path.display()), error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;
    use std::path::PathBuf;
    use std::sync::mpsc;
    use std::time::Duration;

    fn made() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("token");
        (directory, path)
    }

    fn refused(read: Result<Token, NetError>) -> String {
        match read {
            Err(error) => error.to_string(),
            Ok(_) => panic!("it was read"),
        }
    }

    #[test]
    fn a_token_file_is_made_once_and_for_its_owner_only() {
        let (_directory, path) = made();
        let token = token_from_file(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(token_from_file(&path).unwrap().key(), token.key());
        assert_eq!(read_token_file(&path).unwrap().key(), token.key());
        assert_eq!(
            Token::read(&std::fs::read_to_string(&path).unwrap())
                .unwrap()
                .key(),
            token.key()
        );
    }

    #[test]
    fn a_token_that_others_may_read_or_guess_is_refused() {
        let (_directory, path) = made();
        token_from_file(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let message = refused(token_from_file(&path));
        assert!(message.contains("chmod 600"), "{message}");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::write(&path, "aaaaaaaaaaaaaaaa\n").unwrap();
        for read in [token_from_file(&path), read_token_file(&path)] {
            let message = refused(read);
            assert!(
                message.contains("could be guessed") && message.contains("token in /"),
                "{message}"
            );
        }
    }

    /// Each would hang or be read as nothing if it were opened as a file.
    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let (directory, fifo) = made();
        nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let socket = directory.path().join("socket");
        let _listener = UnixListener::bind(&socket).unwrap();
        let cases = [
            (fifo, "a FIFO"),
            (socket, "a socket"),
            (directory.path().to_owned(), "a directory"),
            (PathBuf::from("/dev/zero"), "a device"),
        ];
        for (path, kind) in cases {
            for read in [token_from_file, read_token_file] {
                let (answer, answers) = mpsc::channel();
                let path = path.clone();
                std::thread::spawn(move || answer.send(refused(read(&path))));
                let message = answers.recv_timeout(Duration::from_secs(20)).expect(kind);
                assert!(message.contains(kind), "{message}");
            }
        }
    }
}

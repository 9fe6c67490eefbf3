//! What the owner of a far end does while it runs: reads its audit, and changes who may measure (SIGHUP).

use super::access_file;
use super::keeper::RELOAD;
use crate::output;
use jiff::Timestamp;
use net::Watch;
use net::far_end::{AccessControl, Audit, AuditEntry, Changes};
use serde::Serialize;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Lines that wait to be written. Beyond it they are counted: nobody's test waits for a disk.
const MOST_WAITING: usize = 1_024;
/// How long what is still to be written may take at the end.
const LAST_LINES: Duration = Duration::from_secs(1);
/// What the answer to a reload begins with, and how long it may be.
const LONGEST_ANSWER: usize = access_file::LONGEST + 4_096;

/// Lines on their way to the audit.
pub(super) struct Lines {
    sender: mpsc::Sender<String>,
    receiver: mpsc::Receiver<String>,
    lost: Arc<AtomicU64>,
}

#[derive(Serialize)]
struct Line<'a> {
    at: String,
    #[serde(flatten)]
    entry: &'a AuditEntry,
}

impl Lines {
    pub(super) fn new() -> Self {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        let lost = Arc::default();
        Self {
            sender,
            receiver,
            lost,
        }
    }

    /// Where a far end says what happens.
    pub(super) fn audit(&self) -> Audit {
        let (sender, lost) = (self.sender.clone(), self.lost.clone());
        Arc::new(move |entry| {
            let line = Line { at: now(), entry };
            let sent = serde_json::to_string(&line)
                .ok()
                .and_then(|line| sender.try_send(line).ok());
            if sent.is_none() {
                lost.fetch_add(1, Ordering::Relaxed);
            }
        })
    }

    /// Writes them, to the keeper or else to standard output, and has its hand on the access file.
    ///
    /// # Errors
    /// The runtime does not take the connection.
    pub(super) fn start(
        self,
        keeper: Option<UnixStream>,
        path: Option<PathBuf>,
        control: AccessControl,
    ) -> io::Result<Office> {
        let Self {
            sender,
            receiver,
            lost,
        } = self;
        let Some(keeper) = keeper else {
            let writer = tokio::spawn(print(receiver, lost));
            return Ok(Office {
                writer,
                reloading: None,
            });
        };
        keeper.set_nonblocking(true)?;
        let (answers, to_keeper) = tokio::net::UnixStream::from_std(keeper)?.into_split();
        let writer = tokio::spawn(hand_over(receiver, lost, to_keeper));
        let reloading = Reloading {
            answers: BufReader::new(answers),
            sender,
            path,
            control,
        };
        Ok(Office {
            writer,
            reloading: Some(reloading),
        })
    }
}

/// To the millisecond, which all of them have: lines sort by it.
fn now() -> String {
    format!("{:.3}", Timestamp::now())
}

/// A line of those that did not fit, after which the next ones are counted from nothing.
fn told_of_lost(lost: &AtomicU64) -> Option<String> {
    let count = lost.swap(0, Ordering::Relaxed);
    let line = serde_json::json!({ "at": now(), "event": "lost", "lines": count });
    (count > 0).then(|| line.to_string())
}

async fn print(mut lines: mpsc::Receiver<String>, lost: Arc<AtomicU64>) {
    while let Some(line) = lines.recv().await {
        output::print_json(&format!("{line}\n"));
        if let Some(line) = told_of_lost(&lost) {
            output::print_json(&format!("{line}\n"));
        }
    }
}

async fn hand_over(mut lines: mpsc::Receiver<String>, lost: Arc<AtomicU64>, mut to: OwnedWriteHalf) {
    while let Some(mut line) = lines.recv().await {
        if let Some(also) = told_of_lost(&lost) {
            line = format!("{also}\n{line}");
        }
        line.push('\n');
        if to.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// The owner's side of a far end that runs.
pub(super) struct Office {
    writer: JoinHandle<()>,
    /// `None` without a keeper: nothing to read again.
    pub(super) reloading: Option<Reloading>,
}

impl Office {
    /// Waits for the last lines, after the far end has ended.
    pub(super) async fn close(self) {
        drop(self.reloading);
        let _ = tokio::time::timeout(LAST_LINES, self.writer).await;
    }
}

/// Reads the files again.
pub(super) struct Reloading {
    answers: BufReader<OwnedReadHalf>,
    sender: mpsc::Sender<String>,
    path: Option<PathBuf>,
    control: AccessControl,
}

impl Reloading {
    /// Opens the audit anew, and lets measure whom the access file names now; what came of it goes to the log. A file with a
    /// mistake changes nothing.
    pub(super) async fn reload(&mut self, watch: &Watch) {
        let text = match self.ask().await {
            Ok(Ok(text)) => text,
            Ok(Err(why)) => return watch.report(kept_as_it_was(&why), None),
            Err(error) => {
                let why =
                    format!("the process that reads files does not answer ({error}): start `serve` anew");
                return watch.report(kept_as_it_was(&why), None);
            }
        };
        let Some(path) = self.path.clone() else {
            return watch.report("reload: the audit is open anew", None);
        };
        // Words take some tenths of a second each.
        let read = move || access_file::read(&path, &text).map_err(|error| error.to_string());
        let read = tokio::task::spawn_blocking(read).await;
        let said = match read.map_err(|error| error.to_string()).flatten() {
            Ok(access) => told(&self.control.replace(&access)),
            Err(why) => kept_as_it_was(&why),
        };
        watch.report(said, None);
    }

    /// The outer error is the connection's, the inner one what the keeper has to say.
    async fn ask(&mut self) -> io::Result<Result<String, String>> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.sender.send(RELOAD.to_owned()).await.map_err(|_| gone())?;
        let mut head = String::new();
        (&mut self.answers).take(64).read_line(&mut head).await?;
        let (how, length) = head.trim_end().split_once(' ').ok_or_else(gone)?;
        let length = length.parse().ok().filter(|length| *length <= LONGEST_ANSWER);
        let mut text = vec![0; length.ok_or_else(gone)?];
        self.answers.read_exact(&mut text).await?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(if how == "ok" { Ok(text) } else { Err(text) })
    }
}

fn kept_as_it_was(why: &str) -> String {
    format!("reload: who may measure stays as it was, because of a mistake. {why}")
}

fn told(changes: &Changes) -> String {
    let said: Vec<String> = [
        ("new", &changes.added),
        ("with other limits", &changes.changed),
        ("gone, and their tests ended", &changes.removed),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(what, names)| format!("{what}: {}", names.join(", ")))
    .collect();
    match said.as_slice() {
        [] => "reload: nothing has changed".to_owned(),
        said => format!("reload: {}", said.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reload_changed_is_told() {
        assert_eq!(told(&Changes::default()), "reload: nothing has changed");
        let changes = Changes {
            added: vec!["a".to_owned(), "b".to_owned()],
            changed: Vec::new(),
            removed: vec!["c".to_owned()],
        };
        assert_eq!(
            told(&changes),
            "reload: new: a, b; gone, and their tests ended: c"
        );
    }
}

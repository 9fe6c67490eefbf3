//! Waiting for a case that another process writes to. Nothing is held meanwhile, so Ctrl-C may end the program at once.

use crate::terminal;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Adding a file takes seconds; what takes longer (a diagnosis, a file that comes through a pipe) may take minutes, and the user
/// should know.
const LONGEST: Duration = Duration::from_secs(60);
/// Whoever waits longer than this wonders why.
const UNNOTICED: Duration = Duration::from_secs(1);
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// What a command does while another process writes to the case at `path`: it tries again for a minute, and after a second says
/// whom it waits for ([`casefile::Wait`]).
pub(crate) fn patience(path: &Path) -> impl FnMut() -> bool {
    let began = Instant::now();
    let mut told = false;
    move || {
        let waited = began.elapsed();
        if waited >= UNNOTICED && !told {
            told = true;
            terminal::complain(&whom(path, casefile::holder(path)));
        }
        thread::sleep(BETWEEN_TRIES);
        waited < LONGEST
    }
}

fn whom(path: &Path, holder: Option<(u32, String)>) -> String {
    let who = holder.map_or_else(
        || "another slowpath".to_owned(),
        |(process, command)| format!("process {process} (`{command}`)"),
    );
    format!(
        "{}: {who} is writing to this case; waiting up to {} s, Ctrl-C gives up",
        path.display(),
        LONGEST.as_secs()
    )
}

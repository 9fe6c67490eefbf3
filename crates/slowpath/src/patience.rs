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
    for_at_most(LONGEST, path)
}

fn for_at_most(longest: Duration, path: &Path) -> impl FnMut() -> bool {
    let began = Instant::now();
    let mut told = false;
    move || {
        let waited = began.elapsed();
        if waited >= UNNOTICED && !told {
            told = true;
            terminal::complain(&whom(path, casefile::holder(path)));
        }
        thread::sleep(BETWEEN_TRIES);
        waited < longest
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit;
    use casefile::CaseDir;
    use evidence::{CASE_SCHEMA_VERSION, Complaint, End, Party, Timestamp};
    use std::process::ExitCode;

    #[test]
    fn patience_ends_and_says_so_with_the_exit_code_of_what_could_be_done_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.case");
        let party = |name: &str| Party {
            name: name.to_owned(),
            address: None,
        };
        let complaint = Complaint {
            schema: CASE_SCHEMA_VERSION,
            from: party("a.example"),
            to: party("b.example"),
            local_end: End::From,
            expected_bps: None,
            since: None,
            said_by: None,
            opened_at: Timestamp(0),
            utc_offset_s: None,
        };
        CaseDir::create(&path, &complaint, &mut patience(&path)).unwrap();
        let _held = CaseDir::open(&path, &mut patience(&path)).unwrap();
        let began = Instant::now();
        let longest = Duration::from_millis(100);
        let error = CaseDir::open(&path, &mut for_at_most(longest, &path)).unwrap_err();
        assert!(began.elapsed() >= longest, "it did not wait");
        assert!(
            error
                .to_string()
                .contains("another slowpath is writing to this case"),
            "{error}"
        );
        let code = |code: ExitCode| format!("{code:?}");
        assert_eq!(code(exit::no_such_case(&error)), code(ExitCode::from(4)));
        let absent = CaseDir::open(&folder.path().join("absent"), &mut || false).unwrap_err();
        assert_eq!(code(exit::no_such_case(&absent)), code(ExitCode::from(2)));
    }
}

//! Why a case directory could not be used, in words that say what to do.

use evidence::CaseComplaint;
use std::io;
use std::path::{Path, PathBuf};

/// Why a case directory could not be used.
#[derive(Debug, thiserror::Error)]
pub enum CaseDirError {
    /// The operating system refused.
    #[error("{path}: cannot {doing}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// The operating system's word.
        source: io::Error,
    },
    /// Another slowpath is writing to it.
    #[error("{}: another slowpath is writing to this case; wait for it, or name another directory", .0.display())]
    Busy(PathBuf),
    /// There is nothing of that name.
    #[error("{}: no such case", .0.display())]
    NoSuchCase(PathBuf),
    /// A directory with other things in it, or a file.
    #[error("{}: this is no case (it has no case.json), and slowpath does not put one among other files", .0.display())]
    NotACase(PathBuf),
    /// A part of the case is a link, a device or a directory.
    #[error("{}: not a plain file; slowpath follows no links out of a case", .0.display())]
    NotAPlainFile(PathBuf),
    /// The case asks about another transfer. Both questions stand as the case has them: names in it may come from
    /// strangers, so that a terminal must not get them as they are.
    #[error("{}: this case is about {there}, not {asked}; name another directory", .path.display())]
    OtherQuestion {
        /// The case.
        path: PathBuf,
        /// Its question.
        there: String,
        /// The new question.
        asked: String,
    },
    /// There is a case of that name already.
    #[error("{}: there is a case already; name another directory", .0.display())]
    CaseExists(PathBuf),
    /// A raw record whose name is not the hash of its content.
    #[error("{}: content does not match its name: it was altered after it was written; nothing was added", .0.display())]
    RawAltered(PathBuf),
    /// `case.json` is broken or newer than this program.
    #[error("{}: {reason}", .path.display())]
    Header {
        /// The case.
        path: PathBuf,
        /// What is wrong with it.
        reason: CaseComplaint,
    },
}

impl CaseDirError {
    /// The same of a case that is going to lie at `to` instead of `from`.
    pub(crate) fn moved(mut self, from: &Path, to: &Path) -> Self {
        let path = match &mut self {
            Self::Io { path, .. } | Self::OtherQuestion { path, .. } | Self::Header { path, .. } => path,
            Self::Busy(path)
            | Self::NoSuchCase(path)
            | Self::NotACase(path)
            | Self::NotAPlainFile(path)
            | Self::CaseExists(path)
            | Self::RawAltered(path) => path,
        };
        if let Ok(below) = path.strip_prefix(from) {
            *path = if below == Path::new("") {
                to.to_owned()
            } else {
                to.join(below)
            };
        }
        self
    }
}

/// The operating system refused: where, and what was tried.
pub(crate) fn at(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> CaseDirError {
    let path = path.to_owned();
    move |source| CaseDirError::Io { path, doing, source }
}

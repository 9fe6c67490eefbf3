//! The case on disk: made, opened, locked, added to, joined with other copies, put under pseudonyms, packed into one
//! file and unpacked (`docs/case-format.md`).
//!
//! This crate exists so that whatever keeps cases, the command line, a page, an archive, does it in the same way: what
//! was gathered is only added to, never by two at once, and a case from a stranger is read as data that may be broken,
//! altered or made to do harm. It must never know rules, what a verdict or a report says (both come to it as text to be
//! stored), how anything was measured, or who asks: no terminal, no arguments, no clock.
//!
//! A [`CaseDir`] is the right to write to a case, and who asks for it says how long to wait ([`Wait`]); [`CaseDir::read`] needs none. [`merge`] joins copies. [`redact`] and
//! [`Archive`] make the file to mail, and [`unpack`] takes one from somebody we need not trust. Text in errors and
//! complaints stands as the case has it: who shows it cleans it.
#![forbid(unsafe_code)]

mod archive;
mod case_dir;
mod contradictions;
mod error;
mod files;
mod lock;
mod merge;
mod parts;
mod question;
mod raw;
mod redact;
mod rounds;
mod unpack;

pub use archive::{Archive, ArchiveError};
pub use case_dir::CaseDir;
pub use contradictions::{Contradiction, Said};
pub use error::CaseDirError;
pub use lock::{Wait, holder};
pub use merge::{MergeError, MergeRemark, Merged, merge};
pub use question::same_question;
pub use raw::{FinishedRaw, RawComplaint, RawWriter, check_raw, in_pieces};
pub use redact::{Key, KeyError, REDACTED, RedactError, What, redact};
pub use rounds::{SidesError, current_round, next_round, sides};
pub use unpack::{Refusal, SettleError, Settled, UnpackError, Unpacked, unpack};

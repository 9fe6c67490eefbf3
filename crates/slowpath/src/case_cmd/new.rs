//! `slowpath case new`: the question, before anything is measured.

use crate::exit;
use crate::patience::patience;
use crate::times::{GivenTime, UtcOffset};
use crate::vantages::now;
use casefile::{CaseDir, CaseDirError};
use clap::Args;
use evidence::{CASE_SCHEMA_VERSION, Complaint, End, Party, RateBps};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `slowpath case new`.
#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The directory to make
    dir: PathBuf,
    /// The host that sends the slow transfer
    #[arg(long, value_name = "NAME[=ADDR]", value_parser = read_party)]
    from: Party,
    /// The host that receives it
    #[arg(long, value_name = "NAME[=ADDR]", value_parser = read_party)]
    to: Party,
    /// The rate that is expected, for example `2Gbit/s`
    #[arg(long, value_name = "RATE")]
    expect: Option<RateBps>,
    /// Since when it is slow, in your words
    #[arg(long, value_name = "TEXT")]
    since: Option<String>,
    /// Who complains
    #[arg(long, value_name = "WHO")]
    said_by: Option<String>,
    /// When the complaint was made [default: now]
    #[arg(long, value_name = "TIME")]
    opened: Option<GivenTime>,
    /// The zone in which verdicts tell times, and in which times without a zone are meant [default: UTC]
    #[arg(long, value_name = "±HH:MM", allow_hyphen_values = true)]
    utc_offset: Option<UtcOffset>,
}

/// Runs `slowpath case new`.
pub(super) fn run(args: &NewArgs) -> Result<ExitCode, ExitCode> {
    let complaint = Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: args.from.clone(),
        to: args.to.clone(),
        // Nothing is measured here; this only says whose side keeps the case.
        local_end: End::From,
        expected_bps: args.expect,
        since: args.since.clone(),
        said_by: args.said_by.clone(),
        opened_at: args
            .opened
            .and_then(|at| at.instant(args.utc_offset))
            .unwrap_or_else(now),
        utc_offset_s: args.utc_offset.map(|offset| offset.0),
    };
    match CaseDir::create(&args.dir, &complaint, &mut patience(&args.dir)) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error @ CaseDirError::Io { .. }) => Err(exit::not_written(&error)),
        Err(error) => Err(exit::no_such_case(&error)),
    }
}

/// `NAME=ADDRESS`, `NAME`, or an address.
fn read_party(text: &str) -> Result<Party, String> {
    let (name, address) = match text.split_once('=') {
        Some((name, address)) => {
            let parsed = address.trim().parse();
            let wrong = |_| format!("`{address}` is no IP address: write NAME or NAME=ADDRESS");
            (name, Some(parsed.map_err(wrong)?))
        }
        None => (text, text.trim().parse().ok()),
    };
    let name = name.trim();
    if name.is_empty() {
        return Err("a host needs a name: write NAME or NAME=ADDRESS".to_owned());
    }
    Ok(Party {
        name: name.to_owned(),
        address,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parties_are_names_addresses_or_both() {
        let address = "192.0.2.1".parse().ok();
        for (text, name, expected) in [
            ("a.example", "a.example", None),
            ("a.example=192.0.2.1", "a.example", address),
            ("192.0.2.1", "192.0.2.1", address),
        ] {
            let party = read_party(text).unwrap();
            assert_eq!((party.name.as_str(), party.address), (name, expected), "{text}");
        }
        for wrong in ["", "=192.0.2.1", "a=b", "a="] {
            assert!(read_party(wrong).is_err(), "{wrong}");
        }
    }
}

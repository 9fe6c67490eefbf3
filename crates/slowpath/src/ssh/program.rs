//! The program as it is copied to another host: what the kernel loads of it, and nothing behind that.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

/// A 64-bit little-endian ELF header (System V ABI, "ELF header"), and where its fields are.
const HEADER_BYTES: usize = 64;
const MAGIC: [u8; 6] = [0x7f, b'E', b'L', b'F', 2, 1];
const MACHINE: Range<usize> = 18..20;
const SEGMENTS_AT: Range<usize> = 32..40;
const SECTIONS_AT: Range<usize> = 40..48;
const SEGMENT_BYTES: Range<usize> = 54..56;
const SEGMENT_COUNT: Range<usize> = 56..58;
/// Size, count and names of the sections.
const SECTIONS: Range<usize> = 58..64;
/// In a segment's header: where it is in the file, and how long it is there.
const OFFSET: Range<usize> = 8..16;
const FILE_SIZE: Range<usize> = 32..40;

/// A program that can be copied.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) bytes: Vec<u8>,
    /// As `uname -m` calls it; `None` if it is no ELF file of a machine that we know.
    pub(super) machine: Option<&'static str>,
}

impl Program {
    /// Reads a program.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn read(path: &Path) -> io::Result<Self> {
        let mut bytes = Vec::new();
        File::open(path)?.read_to_end(&mut bytes)?;
        Ok(Self::of(bytes))
    }

    fn of(mut bytes: Vec<u8>) -> Self {
        let is_elf = bytes.len() >= HEADER_BYTES && bytes.starts_with(&MAGIC);
        let machine = is_elf.then(|| number(&bytes, MACHINE)).flatten();
        if let Some(end) = is_elf.then(|| loaded_end(&bytes)).flatten() {
            // Symbols and tables for debuggers stand behind what is loaded; the header must not point at them any more.
            bytes.truncate(end);
            for field in [SECTIONS_AT, SECTIONS] {
                if let Some(field) = bytes.get_mut(field) {
                    field.fill(0);
                }
            }
        }
        Self {
            bytes,
            machine: match machine {
                Some(62) => Some("x86_64"),
                Some(183) => Some("aarch64"),
                _ => None,
            },
        }
    }
}

/// Where the last byte of a segment ends, if the file is whole.
fn loaded_end(bytes: &[u8]) -> Option<usize> {
    let table = usize::try_from(number(bytes, SEGMENTS_AT)?).ok()?;
    let size = usize::try_from(number(bytes, SEGMENT_BYTES)?).ok()?;
    let count = usize::try_from(number(bytes, SEGMENT_COUNT)?).ok()?;
    let table_end = table.checked_add(size.checked_mul(count)?)?;
    let mut end = table_end;
    for place in 0..count {
        let header = bytes.get(table + place * size..table_end)?;
        let (offset, length) = (number(header, OFFSET)?, number(header, FILE_SIZE)?);
        end = end.max(usize::try_from(offset.checked_add(length)?).ok()?);
    }
    (end <= bytes.len()).then_some(end)
}

fn number(bytes: &[u8], field: Range<usize>) -> Option<u64> {
    let field = bytes.get(field)?.iter().rev();
    Some(field.fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    #[test]
    fn what_is_copied_runs_and_is_smaller() {
        let own = std::env::current_exe().unwrap();
        let program = Program::read(&own).unwrap();
        assert_eq!(program.machine, Some(std::env::consts::ARCH));
        let whole = std::fs::metadata(&own).unwrap().len();
        assert!(
            (program.bytes.len() as u64) < whole,
            "nothing was left out of {whole} bytes"
        );

        let directory = tempfile::tempdir().unwrap();
        let copy = directory.path().join("copy");
        std::fs::write(&copy, &program.bytes).unwrap();
        std::fs::set_permissions(&copy, PermissionsExt::from_mode(0o700)).unwrap();
        let listed = Command::new(&copy)
            .args(["--list", "what_is_copied"])
            .output()
            .unwrap();
        assert!(String::from_utf8_lossy(&listed.stdout).contains("what_is_copied_runs"));
    }

    #[test]
    fn what_is_no_whole_program_stays_as_it_is() {
        let script = b"#!/bin/sh\nexit 0\n".to_vec();
        let mut cut = vec![0; 200];
        cut[..6].copy_from_slice(&MAGIC);
        cut[18] = 62;
        cut[32] = 100;
        cut[54] = 56;
        cut[56] = 9;
        let mut endless = cut.clone();
        endless[56] = 1;
        endless[100 + 8..100 + 16].fill(0xff);
        for (bytes, machine) in [
            (script, None),
            (Vec::new(), None),
            (cut, Some("x86_64")),
            (endless, Some("x86_64")),
        ] {
            assert_eq!(Program::of(bytes.clone()), Program { bytes, machine });
        }
    }
}

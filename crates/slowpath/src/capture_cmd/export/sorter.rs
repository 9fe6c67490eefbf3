//! Rows of bytes in their order, however many. Those that the memory does not hold wait in files without a name: each time it
//! is full it becomes a run that is sorted, and many runs become one. Whoever reads them merges the runs that are left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek as _, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// So many runs of a file are merged at once: each takes a buffer.
const MOST_RUNS: usize = 64;
/// For reading a run, and for writing one.
const BUFFER_BYTES: usize = 16 << 10;

/// Takes rows in any order.
pub(super) struct Sorter {
    memory_bytes: usize,
    memory: Memory,
    /// The runs of each are merged into one of the next.
    levels: Vec<Level>,
    directory: PathBuf,
}

/// All rows; they are less or more as their bytes are.
pub(super) struct Sorted {
    memory: Memory,
    levels: Vec<Level>,
}

impl Sorter {
    /// One that holds so much in memory, and writes what is more into files of a directory that end with it.
    pub(super) fn new(memory_bytes: usize, directory: &Path) -> Self {
        Self {
            memory_bytes,
            memory: Memory::default(),
            levels: Vec::new(),
            directory: directory.to_owned(),
        }
    }

    /// Takes a row.
    ///
    /// # Errors
    /// When it cannot be set aside.
    pub(super) fn push(&mut self, row: &[u8]) -> io::Result<()> {
        if !self.memory.places.is_empty() && self.memory.bytes_with(row) > self.memory_bytes {
            self.set_aside()?;
        }
        self.memory.push(row);
        Ok(())
    }

    /// All that was taken.
    pub(super) fn finish(mut self) -> Sorted {
        self.memory.sort();
        Sorted {
            memory: self.memory,
            levels: self.levels,
        }
    }

    fn set_aside(&mut self) -> io::Result<()> {
        self.memory.sort();
        if self.levels.is_empty() {
            self.levels.push(Level::new(&self.directory)?);
        }
        if let Some(first) = self.levels.first_mut() {
            first.append(vec![Run::Memory(self.memory.rows())])?;
        }
        self.memory.clear();
        let mut full = 0;
        while self.levels.get(full).is_some_and(Level::is_full) {
            if self.levels.len() == full + 1 {
                self.levels.push(Level::new(&self.directory)?);
            }
            if let Some([from, to]) = self.levels.get_mut(full..full + 2) {
                to.append(from.runs().collect())?;
                from.clear()?;
            }
            full += 1;
        }
        Ok(())
    }
}

impl Sorted {
    /// Each row, the least first.
    ///
    /// # Errors
    /// What `take` says, or why what was set aside cannot be read.
    pub(super) fn each(&self, take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let runs = self.levels.iter().flat_map(Level::runs);
        merge(runs.chain([Run::Memory(self.memory.rows())]).collect(), take)
    }
}

/// Rows one behind the other, and where each lies.
#[derive(Default)]
struct Memory {
    bytes: Vec<u8>,
    places: Vec<(usize, usize)>,
}

impl Memory {
    fn bytes_with(&self, row: &[u8]) -> usize {
        self.bytes.len() + row.len() + (self.places.len() + 1) * size_of::<(usize, usize)>()
    }

    fn push(&mut self, row: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(row);
        self.places.push((start, self.bytes.len()));
    }

    fn sort(&mut self) {
        let row = |place: &(usize, usize)| self.bytes.get(place.0..place.1);
        self.places
            .sort_unstable_by(|one, other| row(one).cmp(&row(other)));
    }

    fn rows(&self) -> Rows<'_> {
        Rows {
            bytes: &self.bytes,
            places: self.places.iter(),
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }
}

/// A file of runs, one behind the other.
struct Level {
    file: File,
    runs: Vec<Range<u64>>,
}

impl Level {
    fn new(directory: &Path) -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile_in(directory)?,
            runs: Vec::new(),
        })
    }

    fn is_full(&self) -> bool {
        self.runs.len() >= MOST_RUNS
    }

    fn append(&mut self, runs: Vec<Run<'_>>) -> io::Result<()> {
        let start = self.runs.last().map_or(0, |run| run.end);
        let mut end = start;
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, &self.file);
        merge(runs, |row| {
            let length = u32::try_from(row.len()).map_err(io::Error::other)?;
            out.write_all(&length.to_le_bytes())?;
            out.write_all(row)?;
            end += size_of::<u32>() as u64 + u64::from(length);
            Ok(())
        })?;
        out.flush()?;
        self.runs.push(start..end);
        Ok(())
    }

    fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        self.runs.iter().map(|run| {
            let part = Part {
                file: &self.file,
                rest: run.clone(),
            };
            Run::File(BufReader::with_capacity(BUFFER_BYTES, part))
        })
    }

    fn clear(&mut self) -> io::Result<()> {
        self.runs.clear();
        self.file.set_len(0)?;
        self.file.rewind()
    }
}

/// A part of a file that nobody moves through.
struct Part<'a> {
    file: &'a File,
    rest: Range<u64>,
}

impl Read for Part<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.rest.end - self.rest.start).unwrap_or(usize::MAX);
        let most = left.min(into.len());
        let count = self
            .file
            .read_at(into.get_mut(..most).unwrap_or_default(), self.rest.start)?;
        self.rest.start += count as u64;
        Ok(count)
    }
}

struct Rows<'a> {
    bytes: &'a [u8],
    places: std::slice::Iter<'a, (usize, usize)>,
}

/// Rows in their order.
enum Run<'a> {
    Memory(Rows<'a>),
    File(BufReader<Part<'a>>),
}

impl Run<'_> {
    /// Puts the next row in the place of the last; `false` behind all.
    fn next(&mut self, row: &mut Vec<u8>) -> io::Result<bool> {
        row.clear();
        match self {
            Self::Memory(rows) => {
                let next = rows.places.next();
                let next = next.and_then(|place| rows.bytes.get(place.0..place.1));
                row.extend_from_slice(next.unwrap_or_default());
                Ok(next.is_some())
            }
            Self::File(file) => {
                if file.buffer().is_empty() && file.get_ref().rest.is_empty() {
                    return Ok(false);
                }
                let mut length = [0; 4];
                file.read_exact(&mut length)?;
                row.resize(u32::from_le_bytes(length) as usize, 0);
                file.read_exact(row)?;
                Ok(true)
            }
        }
    }
}

/// The rows of all runs in their order.
fn merge(mut runs: Vec<Run<'_>>, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut heads = BinaryHeap::with_capacity(runs.len());
    for (place, run) in runs.iter_mut().enumerate() {
        let mut row = Vec::new();
        if run.next(&mut row)? {
            heads.push(Reverse((row, place)));
        }
    }
    while let Some(Reverse((mut row, place))) = heads.pop() {
        take(&row)?;
        if let Some(run) = runs.get_mut(place)
            && run.next(&mut row)?
        {
            heads.push(Reverse((row, place)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sorted(rows: &[Vec<u8>], memory_bytes: usize) -> (Vec<Vec<u8>>, usize) {
        let mut sorter = Sorter::new(memory_bytes, &std::env::temp_dir());
        for row in rows {
            sorter.push(row).unwrap();
        }
        let sorted = sorter.finish();
        let mut told = Vec::new();
        sorted
            .each(|row| {
                told.push(row.to_vec());
                Ok(())
            })
            .unwrap();
        (told, sorted.levels.len())
    }

    proptest! {
        #[test]
        fn rows_come_back_in_their_order(
            rows in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..300),
            memory_bytes in 1_usize..4_000,
        ) {
            let mut expected = rows.clone();
            expected.sort();
            prop_assert_eq!(sorted(&rows, memory_bytes).0, expected);
        }
    }

    /// Of a row each, so that runs of runs are merged twice.
    #[test]
    fn many_runs_become_few() {
        let rows: Vec<Vec<u8>> = (0..5_000_u32)
            .map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes().to_vec())
            .collect();
        let mut expected = rows.clone();
        expected.sort();
        let (told, levels) = sorted(&rows, 1);
        assert_eq!((told == expected, levels), (true, 3));
    }

    #[test]
    fn what_cannot_be_set_aside_is_told() {
        let mut sorter = Sorter::new(1, Path::new("/nowhere/at/all"));
        sorter.push(b"held").unwrap();
        assert!(sorter.push(b"too many").is_err());
    }
}

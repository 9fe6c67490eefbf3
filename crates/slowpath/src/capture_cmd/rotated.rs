//! Several files that are one capture: in which order they were written.
//!
//! tcpdump and dumpcap begin a new file by size or by time. How they name them (`a`, `a1`, `a2`, `a10` of `tcpdump -C`, used again
//! from the first with `-W`) is neither the order of a shell's pattern nor always that of the time, so names are not asked.

use super::reader::Reader;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::atomic::AtomicBool;

/// The files in the order of their first packets. As they were given where that is all there is to go by: one of them is no
/// file and can be read only once, or has no packet. What is wrong with a file is said when it is its turn.
pub(super) fn in_order(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut timed: Vec<_> = match paths {
        [_, _, ..] => paths
            .iter()
            .map_while(|path| Some((first_ns(path)?, path)))
            .collect(),
        _ => Vec::new(),
    };
    if timed.len() < paths.len() {
        return paths.to_vec();
    }
    timed.sort_by_key(|(ns, _)| *ns);
    timed.into_iter().map(|(_, path)| path.clone()).collect()
}

/// When the first packet of a file was captured, nanoseconds since 1970.
fn first_ns(path: &Path) -> Option<i64> {
    if !path.is_file() {
        return None;
    }
    let (path, stop) = (path.to_owned(), AtomicBool::new(false));
    let chunk = Reader::new(slice::from_ref(&path), &stop)
        .next(Vec::new())
        .ok()??;
    let (start, packets) = chunk.packets.first()?;
    let first = packets.frames(chunk.bytes.get(*start..)?).next();
    first.map(|frame| frame.time_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A capture with a packet at each of these seconds.
    fn capture(seconds: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut words = |words: &[u32]| bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        words(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 96, 1]);
        for second in seconds {
            words(&[*second, 0, 4, 60, 0]);
        }
        bytes
    }

    #[test]
    fn files_are_read_in_the_order_of_their_first_packets() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        // With -W the oldest was written over, and a pattern of the shell puts 10 before 2.
        let names = ["a", "a1", "a10", "a2"];
        let seconds: [&[u32]; 4] = [&[40, 41], &[10], &[30, 20], &[20, 29]];
        let paths: Vec<_> = names
            .iter()
            .zip(seconds)
            .map(|(name, seconds)| file(name, &capture(seconds)))
            .collect();
        let sorted = [1, 3, 2, 0].map(|place: usize| paths[place].clone());
        assert_eq!(in_order(&paths), sorted);

        // A file without a packet, one that is no capture, one that is not there: nobody knows where these belong.
        for odd in [
            file("none", &capture(&[])),
            file("text", b"no capture"),
            folder.path().join("gone"),
        ] {
            let with_odd = [&paths[..], &[odd]].concat();
            assert_eq!(in_order(&with_odd), with_odd);
        }
        assert_eq!(in_order(&[PathBuf::from("-")]), [PathBuf::from("-")]);
    }
}

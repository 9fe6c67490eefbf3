//! The statistics of every connection as a table for programs. A row is made when its connection ends, and there may be millions
//! of them: they are sorted beside the memory, and written in their order behind the last packet.

mod csv;
mod parquet;
mod rows;
mod sorter;

use super::{CaptureArgs, write};
use crate::exit;
use capture::flow::FlowReport;
use rows::{COLUMNS, Value, decode};
use sorter::Sorter;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// The part of the memory that rows which wait may take.
const PART: usize = 16;

/// Rows of connections that have ended, from any thread.
pub(super) struct Rows {
    /// Or why they could not be set aside: then there is nothing to be written.
    waiting: Mutex<io::Result<Sorter>>,
    pub(super) memory_bytes: usize,
}

impl Rows {
    /// Where rows are wanted, with their part of the memory.
    pub(super) fn wanted(args: &CaptureArgs, memory_bytes: usize) -> Option<Self> {
        let path = args.csv.as_ref().or(args.parquet.as_ref())?;
        // Where the table has room, its rows have.
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let memory_bytes = memory_bytes / PART;
        let sorter = Sorter::new(memory_bytes, directory.unwrap_or(Path::new(".")));
        Some(Self {
            waiting: Mutex::new(Ok(sorter)),
            memory_bytes,
        })
    }

    /// Takes the row of a connection; `bytes` is memory for it.
    pub(super) fn take(&self, flow: &FlowReport, bytes: &mut Vec<u8>) {
        bytes.clear();
        rows::encode(flow, bytes);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(sorter) = waiting.as_mut()
            && let Err(why) = sorter.push(bytes)
        {
            *waiting = Err(why);
        }
    }

    /// Writes the tables that are wanted. The connections are gone by now, but the allocator may not have given back their memory:
    /// a group of rows takes an eighth, and about as much while it is packed.
    pub(super) fn write(self, args: &CaptureArgs, memory_bytes: usize) -> Result<(), ExitCode> {
        let waiting = self.waiting.into_inner().unwrap_or_else(PoisonError::into_inner);
        let failed = |why: io::Error| exit::not_written(&format!("the rows of connections: {why}"));
        let rows = waiting.map_err(failed)?.finish();
        if let Some(path) = &args.csv {
            write(path, |file| csv::write(&rows, file))?;
        }
        if let Some(path) = &args.parquet {
            write(path, |file| parquet::write(&rows, file, memory_bytes / 8))?;
        }
        Ok(())
    }
}

fn values(bytes: &[u8]) -> io::Result<Vec<Value<'_>>> {
    let mut values = Vec::with_capacity(COLUMNS.len());
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "what was set aside is damaged");
    decode(bytes, &mut values).ok_or_else(damaged)?;
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::rows::encode;
    use super::sorter::Sorted;
    use super::*;
    use ::parquet::file::reader::{FileReader as _, SerializedFileReader};
    use ::parquet::record::Field;
    use capture::flow::{Ending, FlowReport, HalfReport};
    use capture::{Endpoint, FlowKey};

    /// The first opens with its data, the second carries none.
    fn rows() -> Sorted {
        let end = |address: &str, port| Endpoint {
            address: address.parse().unwrap(),
            port,
        };
        let of = |(low, high), first_ns, halves, ending| FlowReport {
            key: FlowKey { low, high },
            first_ns,
            last_ns: first_ns + 5,
            opened: None,
            handshake: None,
            ending,
            halves,
            clock_went_back: 0,
        };
        let data = HalfReport {
            packets: 12,
            data_packets: 10,
            unique_bytes: 10_000,
            retransmitted_packets: 1,
            window_bytes: Some((65_535, 100)),
            data_ns: Some((1_000_000_000, 3_000_000_000)),
            ..HalfReport::default()
        };
        let v4 = (end("192.0.2.1", 5001), end("192.0.2.2", 40_000));
        let v6 = (end("2001:db8::1", 1), end("2001:db8::2", 2));
        let flows = [
            of(
                v4,
                1_700_000_000_123_456_789,
                [HalfReport::default(), data],
                Ending::Closed,
            ),
            of(
                v6,
                -1,
                [HalfReport::default(), HalfReport::default()],
                Ending::Evicted,
            ),
        ];
        let mut sorter = Sorter::new(1 << 16, &std::env::temp_dir());
        for flow in &flows {
            let mut bytes = Vec::new();
            encode(flow, &mut bytes);
            sorter.push(&bytes).unwrap();
        }
        sorter.finish()
    }

    #[test]
    fn a_row_is_told_as_csv() {
        let mut text = Vec::new();
        csv::write(&rows(), &mut text).unwrap();
        insta::assert_snapshot!(String::from_utf8(text).unwrap());
    }

    #[test]
    fn parquet_says_what_csv_says() {
        let (rows, mut text, mut bytes) = (rows(), Vec::new(), Vec::new());
        csv::write(&rows, &mut text).unwrap();
        parquet::write(&rows, &mut bytes, 1 << 20).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let text = String::from_utf8(text).unwrap();
        let mut lines = text.lines().skip(1);
        for row in reader.get_row_iter(None).unwrap() {
            let row = row.unwrap();
            let told = row.get_column_iter().map(|(name, field)| match field {
                Field::Null => String::new(),
                Field::Str(word) => word.clone(),
                Field::Long(ns) if name == "first" && *ns < 0 => format!("-0.{:09}", -ns),
                Field::Long(ns) if name == "first" => {
                    format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
                }
                Field::Long(count) => count.to_string(),
                Field::Double(number) => number.to_string(),
                other => panic!("{name}: {other:?}"),
            });
            assert_eq!(told.collect::<Vec<_>>().join(","), lines.next().unwrap());
        }
        assert_eq!(lines.next(), None);
    }
}

//! Rows as Parquet.

use super::rows::{COLUMNS, Get, Value};
use super::sorter::Sorted;
use super::values;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

/// So many rows are a group at most: what is read at once of one column.
const MOST_OF_GROUP: usize = 1 << 20;

/// The columns of CSV, typed: moments as time stamps, counts as integers. What is not known is null. A group of rows takes so
/// much memory at most.
pub(super) fn write(rows: &Sorted, out: &mut (impl Write + Send), memory_bytes: usize) -> io::Result<()> {
    let mut file = SerializedFileWriter::new(out, Arc::new(schema()?), Arc::new(properties()))?;
    let mut group = Group::new();
    rows.each(|bytes| {
        group.add(&values(bytes)?);
        if group.rows >= MOST_OF_GROUP || group.bytes >= memory_bytes {
            group.write(&mut file)?;
        }
        Ok(())
    })?;
    group.write(&mut file)?;
    file.close()?;
    Ok(())
}

fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        // What is told of each page waits in memory until the end of the file; groups are small enough to be told of.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_created_by(concat!("slowpath ", env!("CARGO_PKG_VERSION")).to_owned())
        .build()
}

fn schema() -> Result<Type> {
    let columns = COLUMNS.iter().map(|(name, get)| {
        let (name, physical, logical) = match get {
            // A time stamp has a unit of its own.
            Get::Moment(_) => (
                name.trim_end_matches("_s"),
                Physical::INT64,
                Some(LogicalType::timestamp(true, TimeUnit::NANOS)),
            ),
            Get::Count(_) => (*name, Physical::INT64, None),
            Get::Number(_) => (*name, Physical::DOUBLE, None),
            Get::Word(_) => (*name, Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let column = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        column.build().map(Arc::new)
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    Type::group_type_builder("connections")
        .with_fields(columns)
        .build()
}

/// Rows that are written together, column by column.
struct Group {
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

/// The values that are known, and for each row whether it has one.
struct Column {
    values: Values,
    is_known: Vec<i16>,
}

enum Values {
    Whole(Vec<i64>),
    Broken(Vec<f64>),
    /// One behind the other, and where each ends.
    Words(Vec<u8>, Vec<usize>),
}

impl Group {
    fn new() -> Self {
        let column = |get: &Get| Column {
            values: match get {
                Get::Moment(_) | Get::Count(_) => Values::Whole(Vec::new()),
                Get::Number(_) => Values::Broken(Vec::new()),
                Get::Word(_) => Values::Words(Vec::new(), Vec::new()),
            },
            is_known: Vec::new(),
        };
        Self {
            columns: COLUMNS.iter().map(|(_, get)| column(get)).collect(),
            rows: 0,
            bytes: 0,
        }
    }

    fn add(&mut self, values: &[Value<'_>]) {
        self.rows += 1;
        for (column, value) in self.columns.iter_mut().zip(values) {
            self.bytes += column.add(*value);
        }
    }

    /// Writes what there is, and is empty.
    fn write(&mut self, file: &mut SerializedFileWriter<impl Write + Send>) -> Result<()> {
        let Self { columns, rows, .. } = std::mem::replace(self, Self::new());
        if rows == 0 {
            return Ok(());
        }
        let mut group = file.next_row_group()?;
        let mut columns = columns.into_iter();
        while let (Some(mut to), Some(from)) = (group.next_column()?, columns.next()) {
            from.write(&mut to)?;
            to.close()?;
        }
        group.close()?;
        Ok(())
    }
}

impl Column {
    /// Tells the bytes that it takes.
    fn add(&mut self, value: Value<'_>) -> usize {
        let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let (is_known, bytes) = match (&mut self.values, value) {
            (Values::Whole(all), Value::Moment(ns)) => put(all, Some(ns)),
            // A count that no signed number holds is none that was counted.
            (Values::Whole(all), Value::Count(count)) => put(all, count.map(whole)),
            (Values::Broken(all), Value::Number(number)) => put(all, number),
            (Values::Words(all, ends), Value::Word(word)) => {
                all.extend_from_slice(word.unwrap_or_default().as_bytes());
                let (is_known, bytes) = put(ends, word.map(|_| all.len()));
                (is_known, bytes + word.map_or(0, str::len))
            }
            // Values come in the order of the columns, each of the kind of its own.
            _ => (false, 0),
        };
        self.is_known.push(i16::from(is_known));
        bytes + size_of::<i16>()
    }

    fn write(self, to: &mut SerializedColumnWriter<'_>) -> Result<()> {
        let known = Some(self.is_known.as_slice());
        match self.values {
            Values::Whole(all) => to.typed::<Int64Type>().write_batch(&all, known, None)?,
            Values::Broken(all) => to.typed::<DoubleType>().write_batch(&all, known, None)?,
            Values::Words(all, ends) => {
                let all = bytes::Bytes::from(all);
                let mut start = 0;
                let words = ends.into_iter().map(|end| {
                    let word = all.slice(start..end);
                    start = end;
                    ByteArray::from(word)
                });
                let words: Vec<ByteArray> = words.collect();
                to.typed::<ByteArrayType>().write_batch(&words, known, None)?
            }
        };
        Ok(())
    }
}

fn put<T>(all: &mut Vec<T>, value: Option<T>) -> (bool, usize) {
    let is_known = value.is_some();
    all.extend(value);
    (is_known, usize::from(is_known) * size_of::<T>())
}

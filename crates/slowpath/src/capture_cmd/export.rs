//! Rows as CSV and as Parquet.

use super::rows::{COLUMNS, Get, Row};
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

/// A line of names, and a line for each row. What is not known is empty.
pub(super) fn csv(rows: &[Row], out: &mut impl Write) -> io::Result<()> {
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    writeln!(out, "{}", names.join(","))?;
    for row in rows {
        for (place, (_, get)) in COLUMNS.iter().enumerate() {
            if place > 0 {
                out.write_all(b",")?;
            }
            cell(get, row, out)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn cell(get: &Get, row: &Row, out: &mut impl Write) -> io::Result<()> {
    match get {
        Get::Moment(get) => {
            let ns = get(row);
            let sign = if ns < 0 { "-" } else { "" };
            let (seconds, rest) = (
                ns.unsigned_abs() / 1_000_000_000,
                ns.unsigned_abs() % 1_000_000_000,
            );
            write!(out, "{sign}{seconds}.{rest:09}")
        }
        Get::Count(get) => get(row).map_or(Ok(()), |count| write!(out, "{count}")),
        Get::Number(get) => get(row).map_or(Ok(()), |number| write!(out, "{number}")),
        Get::Word(get) => get(row).map_or(Ok(()), |word| out.write_all(word.as_bytes())),
    }
}

/// So many rows are a group: what is read at once of one column.
const GROUP: usize = 1 << 20;

/// The same columns, typed: moments as time stamps, counts as integers. What is not known is null.
pub(super) fn parquet(rows: &[Row], out: &mut (impl Write + Send)) -> io::Result<()> {
    write_parquet(rows, out).map_err(io::Error::other)
}

fn write_parquet(rows: &[Row], out: &mut (impl Write + Send)) -> Result<()> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(concat!("slowpath ", env!("CARGO_PKG_VERSION")).to_owned());
    let mut file = SerializedFileWriter::new(out, Arc::new(schema()?), Arc::new(properties.build()))?;
    for rows in rows.chunks(GROUP) {
        let mut group = file.next_row_group()?;
        let mut columns = COLUMNS.iter();
        while let (Some(mut column), Some((_, get))) = (group.next_column()?, columns.next()) {
            write_column(&mut column, rows, get)?;
            column.close()?;
        }
        group.close()?;
    }
    file.close()?;
    Ok(())
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

fn write_column(column: &mut SerializedColumnWriter<'_>, rows: &[Row], get: &Get) -> Result<()> {
    match get {
        Get::Moment(get) => write_values::<Int64Type>(column, rows, |row| Some(get(row))),
        Get::Count(get) => write_values::<Int64Type>(column, rows, |row| {
            // A count that no signed number holds is none that was counted.
            get(row).map(|count| i64::try_from(count).unwrap_or(i64::MAX))
        }),
        Get::Number(get) => write_values::<DoubleType>(column, rows, get),
        Get::Word(get) => write_values::<ByteArrayType>(column, rows, |row| {
            get(row).map(|word| ByteArray::from(word.as_bytes().to_vec()))
        }),
    }
}

fn write_values<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    rows: &[Row],
    get: impl Fn(&Row) -> Option<T::T>,
) -> Result<()> {
    let (mut values, mut is_known) = (Vec::with_capacity(rows.len()), Vec::with_capacity(rows.len()));
    for row in rows {
        let value = get(row);
        is_known.push(i16::from(value.is_some()));
        values.extend(value);
    }
    column.typed::<T>().write_batch(&values, Some(&is_known), None)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use capture::flow::{Ending, FlowReport, HalfReport};
    use capture::{Endpoint, FlowKey};
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    /// The first opens with its data, the second carries none.
    fn rows() -> Vec<Row> {
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
        flows.iter().map(Row::of).collect()
    }

    #[test]
    fn a_row_is_told_as_csv() {
        let mut text = Vec::new();
        csv(&rows(), &mut text).unwrap();
        insta::assert_snapshot!(String::from_utf8(text).unwrap());
    }

    #[test]
    fn parquet_says_what_csv_says() {
        let (rows, mut text, mut bytes) = (rows(), Vec::new(), Vec::new());
        csv(&rows, &mut text).unwrap();
        parquet(&rows, &mut bytes).unwrap();
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

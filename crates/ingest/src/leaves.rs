//! How many figures and words a record holds: what serializing it writes, counted instead of written.

use serde::Serialize;
use serde_json::ser::Formatter;
use std::io::{self, Write};

/// The values in it that are neither lists nor objects nor null; keys are none.
pub(crate) fn leaf_count(value: &impl Serialize) -> usize {
    let mut leaves = Leaves::default();
    let mut serializer = serde_json::Serializer::with_formatter(io::sink(), &mut leaves);
    // Writing nowhere does not fail, and what cannot be written as JSON holds nothing.
    match value.serialize(&mut serializer) {
        Ok(()) => leaves.count,
        Err(_) => 0,
    }
}

#[derive(Debug, Default)]
struct Leaves {
    count: usize,
    is_key: bool,
}

macro_rules! count {
    ($($write:ident: $value:ty),*) => {
        $(fn $write<W: ?Sized + Write>(&mut self, _: &mut W, _: $value) -> io::Result<()> {
            self.count += usize::from(!self.is_key);
            Ok(())
        })*
    };
}

impl Formatter for &mut Leaves {
    count!(write_bool: bool, write_i8: i8, write_i16: i16, write_i32: i32, write_i64: i64, write_i128: i128);
    count!(write_u8: u8, write_u16: u16, write_u32: u32, write_u64: u64, write_u128: u128, write_f32: f32, write_f64: f64);

    /// Numbers that are keys stand in strings too.
    fn begin_string<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.count += usize::from(!self.is_key);
        Ok(())
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, _: &mut W, _: bool) -> io::Result<()> {
        self.is_key = true;
        Ok(())
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_key = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_counted_and_keys_and_nothing_are_not() {
        let value = json!({"a": [1, 2.5, "x", null, true], "b": {"c": null, "d": {}}, "e": -3});
        assert_eq!(leaf_count(&value), 5);
        let keyed = std::collections::BTreeMap::from([(1_u8, Some("x")), (2, None)]);
        assert_eq!(leaf_count(&keyed), 1);
    }
}

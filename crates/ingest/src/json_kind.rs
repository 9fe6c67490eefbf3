//! Kinds of JSON documents: how one is told from the others and read, and how the values in it are reached.

use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::text::split;
use serde_json::Value;

/// A kind of document. `is` is asked of every document (and of every element of a top-level array) in the order of
/// the table of kinds; it should look at a key or two.
pub(crate) struct JsonKind {
    /// What people call it: `mtr --json`.
    pub(crate) name: &'static str,
    /// What is read of it, for `slowpath import --formats` and `docs/import.md`.
    pub(crate) reads: &'static str,
    /// Where `docs/import.md` lists it.
    pub(crate) group: Group,
    /// Whether the document is of this kind.
    pub(crate) is: fn(&Value) -> bool,
    /// Reads it. The lines are those of the whole block: an element of an array has none of its own.
    pub(crate) read: fn(&Value, (u64, u64), &Context, &mut Findings),
}

/// The value at a JSON pointer (RFC 6901) of keys without `~` and `/`, and of places in arrays. `Value::pointer` makes a text
/// of its own of each key.
pub(crate) fn value_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let mut steps = split(pointer, b'/').skip(1);
    steps.try_fold(value, |value, step| match value {
        Value::Array(elements) => elements.get(step.parse::<usize>().ok()?),
        _ => value.get(step),
    })
}

/// The text at a JSON pointer; `None` where it is absent or no text.
pub(crate) fn text_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value_at(value, pointer)?.as_str()
}

/// The number at a JSON pointer, also where a tool writes it as text, as mtr and RIPE Atlas did.
pub(crate) fn f64_at(value: &Value, pointer: &str) -> Option<f64> {
    let number = value_at(value, pointer)?;
    let written = || number.as_str()?.parse().ok();
    number
        .as_f64()
        .or_else(written)
        .filter(|number: &f64| number.is_finite())
}

/// The count at a JSON pointer, also where a tool writes it as `5.0`; `None` where it is negative or no whole number.
pub(crate) fn u64_at(value: &Value, pointer: &str) -> Option<u64> {
    value_at(value, pointer)?.as_u64().or_else(|| {
        let float = f64_at(value, pointer)?;
        // 2^53: above it a float is no exact count.
        (float.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&float)).then_some(float as u64)
    })
}

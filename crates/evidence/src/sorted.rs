//! JSON whose objects have their fields in the order of the fields' names, in whichever these are declared or were written.
//!
//! The fields of each object are put in order in the text, where the object ends: they take as much of it in any order. To sort a tree of
//! values takes twice as long as all else that an observation's name takes.

use memchr::{memchr, memchr2};
use serde::Serialize;
use std::borrow::Cow;

/// The value as JSON, without blanks.
pub(crate) fn sorted_json(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut text = serde_json::to_vec(value)?;
    sort(&mut text);
    Ok(text)
}

/// What is open at a place in the text.
enum Open {
    List,
    Object {
        begin: usize,
        /// How many fields the objects around it have so far.
        outer_fields: usize,
    },
}

/// Where a field stands in the text.
struct Field {
    begin: usize,
    name_end: usize,
    end: usize,
}

/// Sorts the fields of all objects in a text that is JSON without blanks.
fn sort(text: &mut [u8]) {
    let (mut open, mut fields) = (Vec::new(), Vec::<Field>::new());
    // Kept, so that it need not grow for each object.
    let mut in_order = Vec::new();
    let (mut at, mut is_name) = (0, false);
    while let Some(sign) = text.get(at) {
        let end = match sign {
            b'"' => string_end(text, at),
            _ => at + 1,
        };
        match sign {
            b'"' if is_name => {
                fields.push(Field {
                    begin: at,
                    name_end: end,
                    end,
                });
                is_name = false;
            }
            b'[' => open.push(Open::List),
            b'{' => {
                open.push(Open::Object {
                    begin: at,
                    outer_fields: fields.len(),
                });
                is_name = true;
            }
            b',' if matches!(open.last(), Some(Open::Object { .. })) => {
                end_field(&mut fields, at);
                is_name = true;
            }
            b']' => {
                open.pop();
            }
            b'}' => {
                if let Some(Open::Object { begin, outer_fields }) = open.pop()
                    && let Some(own) = fields.get_mut(outer_fields..)
                {
                    end_field(own, at);
                    put_in_order(text, (begin, at), own, &mut in_order);
                    fields.truncate(outer_fields);
                }
                is_name = false;
            }
            _ => {}
        }
        at = end;
    }
}

/// Behind the string that begins here.
fn string_end(text: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while let Some(found) = text.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        match text.get(at) {
            Some(b'"') => return at + 1,
            _ => at += 2,
        }
    }
    text.len()
}

fn end_field(fields: &mut [Field], end: usize) {
    if let Some(field) = fields.last_mut() {
        field.end = end;
    }
}

/// Puts the fields of one object in order, between its braces.
fn put_in_order(text: &mut [u8], (begin, end): (usize, usize), fields: &mut [Field], in_order: &mut Vec<u8>) {
    let name = |field: &Field| name(text.get(field.begin..field.name_end).unwrap_or_default());
    fields.sort_by(|one, other| name(one).cmp(&name(other)));
    in_order.clear();
    for (place, field) in fields.iter().enumerate() {
        if place > 0 {
            in_order.push(b',');
        }
        in_order.extend_from_slice(text.get(field.begin..field.end).unwrap_or_default());
    }
    if let Some(between) = text
        .get_mut(begin + 1..end)
        .filter(|between| between.len() == in_order.len())
    {
        between.copy_from_slice(in_order);
    }
}

/// A name as it is without its quotation marks and escapes.
fn name(quoted: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\\', quoted).is_some()
        && let Ok(name) = serde_json::from_slice::<String>(quoted)
    {
        return Cow::Owned(name.into_bytes());
    }
    Cow::Borrowed(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// Any JSON, with names of which one is the beginning of another, or that need escapes.
    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a\"\\\\ é\n]{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            let fields = proptest::collection::vec(("[aB!_\"\\\\ é\u{1}]{0,3}", inner.clone()), 0..6);
            prop_oneof![
                proptest::collection::vec(inner, 0..4).prop_map(Value::from),
                fields.prop_map(|fields| fields.into_iter().collect()),
            ]
        })
    }

    proptest! {
        #[test]
        fn it_is_what_a_sorted_tree_gives(value in json()) {
            let mut sorted = value.clone();
            sorted.sort_all_objects();
            prop_assert_eq!(String::from_utf8(sorted_json(&value).unwrap()).unwrap(), sorted.to_string());
        }
    }

    #[test]
    fn fields_are_sorted_as_they_are_not_declared() {
        #[derive(Serialize)]
        struct Inner {
            b: Option<u8>,
            a: f64,
        }
        #[derive(Serialize)]
        #[serde(tag = "type")]
        enum Outer {
            Kind { z: Vec<Inner>, ab: (), a: &'static str },
        }
        let inner = || Inner { b: Some(1), a: 0.1 };
        let outer = Outer::Kind {
            z: vec![inner(), inner()],
            ab: (),
            a: "{",
        };
        let text = r#"{"a":"{","ab":null,"type":"Kind","z":[{"a":0.1,"b":1},{"a":0.1,"b":1}]}"#;
        assert_eq!(sorted_json(&outer).unwrap(), text.as_bytes());
    }
}

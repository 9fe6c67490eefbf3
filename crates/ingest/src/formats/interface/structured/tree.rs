//! One view of a JSON document and of an XML one: elements with names, leaves with text.

use crate::text::{split, split_once};
use crate::xml_kind::Element;
use serde_json::Value;
use std::borrow::Cow;

/// An element of a document.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tree<'t> {
    Json(&'t Value),
    Xml(&'t Element<'t>),
}

/// Arrays in arrays are looked into so far.
const DEEPEST_ARRAY: usize = 4;

impl<'t> Tree<'t> {
    /// Visits the elements directly below, with their names as given; those of an array have its name.
    pub(super) fn each(self, visit: &mut dyn FnMut(&'t str, Self)) {
        match self {
            Self::Json(Value::Object(fields)) => {
                for (name, field) in fields {
                    each_of(name, field, 0, visit);
                }
            }
            Self::Json(array @ Value::Array(_)) => each_of("", array, 0, visit),
            Self::Json(_) => {}
            Self::Xml(element) => {
                for child in &element.children {
                    visit(child.name, Self::Xml(child));
                }
            }
        }
    }

    /// Visits the elements directly below with this name. It is asked for many names that are not there.
    fn each_named(self, wanted: &str, visit: &mut dyn FnMut(Self)) {
        // Behind a module stands a colon: with another sign there the name is another one.
        let may_be = |name: &str| match name.len().checked_sub(wanted.len()) {
            Some(0) | None => true,
            Some(before) => name.as_bytes().get(before - 1) == Some(&b':'),
        };
        let is_wanted = |name: &str| may_be(name) && name.ends_with(wanted) && local(name) == wanted;
        match self {
            Self::Json(Value::Object(fields)) => {
                for (name, field) in fields.iter().filter(|(name, _)| is_wanted(name)) {
                    each_of(name, field, 0, &mut |_, child| visit(child));
                }
            }
            // Those of an array have no name of their own.
            Self::Json(_) => {}
            Self::Xml(element) => {
                let children = element.children.iter();
                children
                    .filter(|child| is_wanted(child.name))
                    .for_each(|child| visit(Self::Xml(child)));
            }
        }
    }

    /// What the names of the elements directly below look like.
    pub(super) fn names(self) -> Names {
        let mut names = Names(0);
        match self {
            Self::Json(Value::Object(fields)) => fields.keys().for_each(|name| names.add(name)),
            Self::Json(_) => {}
            Self::Xml(element) => element.children.iter().for_each(|child| names.add(child.name)),
        }
        names
    }

    /// Whether it is a leaf.
    pub(super) fn is_leaf(self) -> bool {
        match self {
            Self::Json(Value::Object(_)) => self.leaf().is_some(),
            Self::Json(value) => !value.is_array(),
            Self::Xml(element) => element.children.is_empty(),
        }
    }

    /// The text of a leaf; `None` for what holds elements. Junos puts `[{"data": "5"}]` in the place of `5`.
    pub(super) fn leaf(self) -> Option<Cow<'t, str>> {
        match self {
            Self::Json(Value::String(text)) => Some(Cow::Borrowed(text.trim_ascii())),
            Self::Json(Value::Number(number)) => Some(Cow::Owned(number.to_string())),
            Self::Json(Value::Bool(is)) => Some(Cow::Borrowed(if *is { "true" } else { "false" })),
            Self::Json(Value::Null) => Some(Cow::Borrowed("")),
            Self::Json(Value::Object(fields)) => {
                let data = fields.get("data").or_else(|| fields.get("#text"))?;
                let plain = fields.len() == 1
                    || fields.keys().all(|key| {
                        matches!(key.as_str(), "data" | "attributes" | "#text") || key.starts_with('@')
                    });
                plain.then(|| Tree::Json(data).leaf()).flatten()
            }
            Self::Json(Value::Array(_)) => None,
            Self::Xml(element) => element
                .children
                .is_empty()
                .then(|| Cow::Borrowed(element.text.trim_ascii())),
        }
    }

    /// The element directly below with this name, where there is one only.
    fn only(self, name: &str) -> Option<Self> {
        let (mut first, mut count) = (None, 0);
        self.each_named(name, &mut |child| {
            first = first.or(Some(child));
            count += 1;
        });
        first.filter(|_| count == 1)
    }

    /// The first element directly below with this name.
    pub(super) fn first(self, name: &str) -> Option<Self> {
        let mut first = None;
        self.each_named(name, &mut |child| first = first.or(Some(child)));
        first
    }

    /// The one element at a path of names.
    pub(super) fn at(self, path: &str) -> Option<Self> {
        split(path, b'/').try_fold(self, |tree, name| tree.only(name))
    }

    /// First and last line, where the document tells.
    pub(super) fn lines(self) -> Option<(u64, u64)> {
        match self {
            Self::Json(_) => None,
            Self::Xml(element) => Some(element.lines),
        }
    }
}

/// Names by their ends and lengths, several in each bit: most that an element does not have are told without looking at its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names(u64);

impl Names {
    fn add(&mut self, name: &str) {
        self.0 |= Self::bit(local(name));
    }

    /// What paths begin with, of which one suffices.
    pub(super) fn of_paths(paths: &str) -> Self {
        let first = |path| split(path, b'/').next().map_or(0, Self::bit);
        Self(split(paths, b'|').fold(0, |bits, path| bits | first(path)))
    }

    /// Whether one of them may be this.
    pub(super) fn may_hold(self, name: &str) -> bool {
        self.0 & Self::bit(name) != 0
    }

    /// Whether one of them may be one of the others.
    pub(super) fn may_share(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    fn bit(name: &str) -> u64 {
        let sign = |at: Option<&u8>| at.copied().map_or(0, usize::from);
        let bytes = name.as_bytes();
        let middle = sign(bytes.get(bytes.len() / 2));
        let sum = 3 * bytes.len() + 5 * sign(bytes.first()) + 7 * middle + 11 * sign(bytes.last());
        1 << (sum % 64)
    }
}

fn each_of<'t>(name: &'t str, value: &'t Value, depth: usize, visit: &mut dyn FnMut(&'t str, Tree<'t>)) {
    match value {
        Value::Array(elements) if depth < DEEPEST_ARRAY => {
            for element in elements {
                each_of(name, element, depth + 1, visit);
            }
        }
        _ => visit(name, Tree::Json(value)),
    }
}

/// A key without the module that YANG's JSON puts before it (RFC 7951): `ietf-interfaces:interfaces`. Names of ports have
/// figures behind a colon.
pub(super) fn local(name: &str) -> &str {
    match split_once(name, b':') {
        Some((module, rest))
            if rest.starts_with(|c: char| c.is_ascii_lowercase())
                && module
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) =>
        {
            rest
        }
        _ => name,
    }
}

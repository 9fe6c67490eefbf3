//! Kinds of XML documents: how one is told from the others and read, and how the values in it are reached.

use crate::Context;
use crate::findings::Findings;
use crate::format::Group;
use crate::prompt::CommandLine;
use std::borrow::Cow;

/// A kind of document. `is` is asked of the root and, where no kind claims that, of the elements below it, in the order of
/// the table of kinds.
pub(crate) struct XmlKind {
    /// What people call it: `mtr --xml`.
    pub(crate) name: &'static str,
    /// What is read of it, for `slowpath import --formats` and `docs/import.md`.
    pub(crate) reads: &'static str,
    /// Where `docs/import.md` lists it.
    pub(crate) group: Group,
    /// Elements that documents of this kind begin with where no `<?xml …?>` does, also when they were cut at the top. Names
    /// that mark up text (`pre`, `output`) are none of them.
    pub(crate) roots: &'static [&'static str],
    /// Whether this command asks for such a document: it then stands above it.
    pub(crate) asked_by: fn(&CommandLine<'_>) -> bool,
    /// Whether the element is of this kind.
    pub(crate) is: fn(&Element<'_>) -> bool,
    /// Reads it, with the command that printed it, where that stands above.
    pub(crate) read: fn(&Element<'_>, Option<CommandLine<'_>>, &Context, &mut Findings),
}

/// An element, with all that is in it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Element<'t> {
    /// Without the prefix of a namespace.
    pub(crate) name: &'t str,
    /// Names, without prefixes, and values.
    pub(crate) attributes: Vec<(String, String)>,
    /// The elements in it, in their order.
    pub(crate) children: Vec<Element<'t>>,
    /// The text directly in it, with its references resolved.
    pub(crate) text: Cow<'t, str>,
    /// Comments directly in it, each with the number of elements before it.
    pub(crate) comments: Vec<(usize, &'t str)>,
    /// First and last line.
    pub(crate) lines: (u64, u64),
}

impl<'t> Element<'t> {
    /// The value of an attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        let mut all = self.attributes.iter();
        all.find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }

    /// The elements directly below with this name.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &Element<'t>> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The element at a path of names, `/`-separated. `None` where there is none, or several, of which it would be a guess
    /// to take one.
    pub(crate) fn at(&self, path: &str) -> Option<&Element<'t>> {
        path.split('/').try_fold(self, |element, name| {
            let mut found = element.all(name);
            let first = found.next()?;
            found.next().is_none().then_some(first)
        })
    }

    /// The text of the element at a path, trimmed; `None` where it is absent or empty.
    pub(crate) fn text_at(&self, path: &str) -> Option<&str> {
        Some(self.at(path)?.text.trim_ascii()).filter(|text| !text.is_empty())
    }

    #[allow(dead_code, reason = "for documents that hold numbers alone")]
    /// The number at a path, where it is a number and nothing else.
    pub(crate) fn f64_at(&self, path: &str) -> Option<f64> {
        let number: f64 = self.text_at(path)?.parse().ok()?;
        number.is_finite().then_some(number)
    }

    #[allow(dead_code, reason = "for documents that hold counts alone")]
    /// The count at a path.
    pub(crate) fn u64_at(&self, path: &str) -> Option<u64> {
        self.text_at(path)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_given_twice_is_not_guessed() {
        let leaf = |name: &'static str, text: &'static str| Element {
            name,
            text: Cow::Borrowed(text),
            ..Element::default()
        };
        let element = Element {
            name: "a",
            children: vec![leaf("b", " 1 "), leaf("c", "2"), leaf("c", "3"), leaf("d", " ")],
            ..Element::default()
        };
        assert_eq!(
            (element.u64_at("b"), element.text_at("c"), element.text_at("d")),
            (Some(1), None, None)
        );
        assert_eq!(element.all("c").count(), 2);
        assert_eq!((element.f64_at("b"), element.f64_at("b/e")), (Some(1.0), None));
    }
}

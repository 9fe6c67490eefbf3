//! An XML document as a tree of bounded depth and size.
//!
//! Of references the five of XML and those to characters are resolved; what a document type would define is not.

use crate::xml_kind::Element;
use memchr::memchr_iter;
use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;

/// Deeper documents are made to do harm.
const DEEPEST: usize = 64;
/// More elements than that are not held: each takes about a hundred bytes beside its text.
const MOST_ELEMENTS: usize = 1 << 20;
/// No element of a tool's has more.
const MOST_ATTRIBUTES: usize = 64;

/// A document, and what is wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Tree<'t> {
    /// The root. Where the text ends before the document does it holds all that was closed; elements that were not have
    /// no text of their own, which may be half a number. `None` where tags do not match: an element may then hold what
    /// belongs to another.
    pub(crate) root: Option<Element<'t>>,
    /// The line and the reason.
    pub(crate) error: Option<(u64, String)>,
    /// How many bytes were read.
    pub(crate) bytes: usize,
}

/// Reads the document that `text` begins with, of which the first line is this.
pub(crate) fn parse(text: &str, first_line: u64) -> Tree<'_> {
    let mut parser = Parser {
        text,
        reader: Reader::from_str(text),
        line: first_line,
        counted: 0,
        open: Vec::new(),
        elements: 0,
        root: None,
    };
    let error = parser.run().err();
    let bytes = parser.place();
    let error = error.map(|reason| (parser.line_at(bytes), reason));
    let error = error.or_else(|| parser.close_the_open());
    Tree {
        root: parser.root,
        error,
        bytes,
    }
}

struct Parser<'t> {
    text: &'t str,
    reader: Reader<&'t [u8]>,
    /// The line of the byte `counted`.
    line: u64,
    counted: usize,
    /// The elements that are not closed, the root first.
    open: Vec<Element<'t>>,
    elements: usize,
    root: Option<Element<'t>>,
}

impl<'t> Parser<'t> {
    fn run(&mut self) -> Result<(), String> {
        while self.root.is_none() {
            let start = self.place();
            match self.reader.read_event() {
                Ok(Event::Start(tag)) => self.start(start, &tag)?,
                Ok(Event::Empty(tag)) => {
                    self.start(start, &tag)?;
                    self.end();
                }
                Ok(Event::End(_)) => self.end(),
                Ok(Event::Text(_)) => self.add(self.text.get(start..self.place()).unwrap_or("")),
                Ok(Event::CData(data)) => self.add_owned(&data),
                Ok(Event::GeneralRef(reference)) => self.reference(&reference)?,
                Ok(Event::Eof) => return Ok(()),
                Ok(Event::Comment(_)) => self.comment(start),
                Ok(Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
                // A tag that the text ends in is the end of a cut document like any other.
                Err(quick_xml::Error::Syntax(_)) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    fn place(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX)
    }

    /// The line of a byte; asked of ascending ones.
    fn line_at(&mut self, byte: usize) -> u64 {
        let new = self.text.as_bytes().get(self.counted..byte).unwrap_or(&[]);
        self.line += memchr_iter(b'\n', new).count() as u64;
        self.counted = self.counted.max(byte.min(self.text.len()));
        self.line
    }

    fn start(&mut self, start: usize, tag: &BytesStart<'_>) -> Result<(), String> {
        self.elements += 1;
        if self.open.len() >= DEEPEST || self.elements > MOST_ELEMENTS {
            return Err(format!(
                "more than {DEEPEST} elements in each other, or {MOST_ELEMENTS} in all"
            ));
        }
        let name = self.text.get(start + 1..).unwrap_or("");
        let name = name.get(..tag.name().into_inner().len()).unwrap_or("");
        let mut element = Element {
            name: local(name),
            ..Element::default()
        };
        for attribute in tag.attributes().take(MOST_ATTRIBUTES) {
            let attribute = attribute.map_err(|error| error.to_string())?;
            let value = quick_xml::escape::unescape(&attribute.value).map_err(|error| error.to_string())?;
            let name = local(attribute.key.into_inner()).to_owned();
            element.attributes.push((name, value.into_owned()));
        }
        let line = self.line_at(start);
        element.lines = (line, line);
        self.open.push(element);
        Ok(())
    }

    /// Closes the innermost element.
    fn end(&mut self) {
        let Some(mut element) = self.open.pop() else {
            return;
        };
        element.lines.1 = self.line_at(self.place());
        self.put(element);
    }

    fn put(&mut self, element: Element<'t>) {
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => self.root = Some(element),
        }
    }

    /// Where the text ended too early: closes all that is open.
    fn close_the_open(&mut self) -> Option<(u64, String)> {
        if self.root.is_some() {
            return None;
        }
        let line = self.line_at(self.text.len());
        while let Some(mut element) = self.open.pop() {
            element.text = Cow::Borrowed("");
            element.lines.1 = line;
            self.put(element);
        }
        Some((
            line,
            "the XML document is cut: its elements are not closed".to_owned(),
        ))
    }

    /// Keeps a comment, with its place among the elements: RRDtool writes the time of a row into one.
    fn comment(&mut self, start: usize) {
        let text = self.text.get(start..self.place()).unwrap_or("");
        if let Some(element) = self.open.last_mut() {
            let text = text
                .trim_start_matches("<!--")
                .trim_end_matches("-->")
                .trim_ascii();
            element.comments.push((element.children.len(), text));
        }
    }

    fn add(&mut self, text: &'t str) {
        let Some(element) = self.open.last_mut() else {
            return;
        };
        if element.text.is_empty() {
            element.text = Cow::Borrowed(text);
        } else {
            element.text.to_mut().push_str(text);
        }
    }

    fn add_owned(&mut self, text: &str) {
        if let Some(element) = self.open.last_mut() {
            element.text.to_mut().push_str(text);
        }
    }

    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), String> {
        let character = reference.resolve_char_ref().map_err(|error| error.to_string())?;
        if let Some(character) = character {
            self.add_owned(character.encode_utf8(&mut [0; 4]));
            return Ok(());
        }
        match quick_xml::escape::resolve_xml_entity(reference) {
            Some(text) => self.add_owned(text),
            None => return Err(format!("the entity &{}; is not defined", &**reference)),
        }
        Ok(())
    }
}

/// A name without the prefix of its namespace.
pub(crate) fn local(name: &str) -> &str {
    name.split_once(':').map_or(name, |(_, local)| local)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_tree() {
        let tree = parse(
            "<?xml version='1.0'?>\n<n:a x:b='1 &lt; 2'>\n<c>a &amp; b&#10;</c>\n<d/>\n</n:a>]]>]]>",
            7,
        );
        assert_eq!(tree.error, None);
        let root = tree.root.unwrap();
        assert_eq!((root.name, root.lines), ("a", (8, 11)));
        assert_eq!(root.attribute("b"), Some("1 < 2"));
        assert_eq!(root.text_at("c"), Some("a & b"));
        assert_eq!(root.at("d").map(|d| d.lines), Some((10, 10)));
    }

    #[test]
    fn a_cut_document_keeps_what_was_closed() {
        let tree = parse("<a><b><c>12</c><d>34", 1);
        assert!(tree.error.is_some());
        let root = tree.root.unwrap();
        assert_eq!(
            (root.u64_at("b/c"), root.u64_at("b/d")),
            (Some(12), None),
            "of 345?"
        );
        let tree = parse("<a><c>1</c><d e=\"", 1);
        assert_eq!(tree.root.unwrap().u64_at("c"), Some(1));
    }

    #[test]
    fn tags_that_do_not_match_give_nothing() {
        for text in ["<a><b><c>1</c></a>", "<a><b>1</c></a>", "</a>"] {
            let tree = parse(text, 1);
            assert!(tree.error.is_some() && tree.root.is_none(), "{text}");
        }
    }

    #[test]
    fn what_does_harm_is_refused() {
        let deep = "<a>".repeat(100_000);
        assert!(parse(&deep, 1).error.unwrap().1.starts_with("more than"));
        let unknown = parse("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", 1);
        assert!(unknown.error.unwrap().1.contains("&b;"));
    }

    proptest! {
        #[test]
        fn anything_is_read_without_harm(text in "([<>/a-c!?&;'\"= \n-]|\\PC|<a>|</a>|<!--|-->|&#6;){0,60}") {
            let tree = parse(&text, 1);
            prop_assert!(tree.root.is_some() || tree.error.is_some());
        }

        #[test]
        fn what_a_cut_document_keeps_stood_there(cut in 0_usize..63) {
            let whole = "<a><b><c>123</c><d>456</d></b><b><c>789</c><d f='1'>10</d></b></a>";
            let tree = parse(whole.get(..cut).unwrap_or(whole), 1);
            let values = tree.root.iter().flat_map(|root| root.all("b"));
            for (b, (c, d)) in values.zip([(123, 456), (789, 10)]) {
                prop_assert!(b.u64_at("c").is_none_or(|value| value == c));
                prop_assert!(b.u64_at("d").is_none_or(|value| value == d));
            }
        }
    }
}

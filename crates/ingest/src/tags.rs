//! Where an XML document ends, told by its tags before anything of it is parsed.

use memchr::{memchr, memchr3, memmem};

/// What the end of a line stands in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    /// Text, or nothing.
    #[default]
    Text,
    /// A tag that opens an element.
    Opening,
    /// A tag that closes one, a document type.
    Other,
    /// `<!-- … -->`
    Comment,
    /// `<![CDATA[ … ]]>`
    Data,
    /// `<? … ?>`
    Instruction,
}

/// How far tags are balanced after some lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tags {
    depth: u32,
    inside: Inside,
    has_root: bool,
    /// The last tag closed an element: no tool prints text beside elements, so text means that the document was cut.
    is_behind_element: bool,
    /// The last line holds what cannot stand there.
    pub(crate) broken: bool,
}

impl Tags {
    /// After one more line.
    pub(crate) fn after(mut self, line: &str) -> Self {
        let mut rest = line;
        while !self.broken && !rest.is_empty() && !self.is_over() {
            rest = match self.inside {
                Inside::Text => self.text(rest),
                Inside::Opening | Inside::Other => self.tag(rest),
                Inside::Comment => self.skip(rest, "-->"),
                Inside::Data => self.skip(rest, "]]>"),
                Inside::Instruction => self.skip(rest, "?>"),
            };
        }
        self
    }

    /// The root was closed.
    fn is_over(self) -> bool {
        self.has_root && self.depth == 0 && self.inside == Inside::Text
    }

    pub(crate) fn is_open(self) -> bool {
        !self.is_over() && !self.broken
    }

    /// The next line begins in a tag.
    pub(crate) fn is_in_tag(self) -> bool {
        matches!(self.inside, Inside::Opening | Inside::Other)
    }

    fn text<'t>(&mut self, text: &'t str) -> &'t str {
        let end = memchr(b'<', text.as_bytes()).unwrap_or(text.len());
        let (before, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        let may_stand = self.depth > 0 && !self.is_behind_element;
        self.broken |= !may_stand && !before.trim_ascii().is_empty();
        let behind = |start: &str| rest.strip_prefix(start);
        if rest.is_empty() {
            return rest;
        }
        let (inside, rest) = if let Some(rest) = behind("<!--") {
            (Inside::Comment, rest)
        } else if let Some(rest) = behind("<![CDATA[") {
            self.broken |= !may_stand;
            (Inside::Data, rest)
        } else if let Some(rest) = behind("<?") {
            // A further declaration begins a further document.
            self.broken |= self.depth > 0;
            (Inside::Instruction, rest)
        } else if let Some(rest) = behind("<!DOCTYPE ") {
            // Definitions inside of it are not read: they are how a small document becomes a large one.
            self.broken |= self.has_root || rest.contains('[');
            (Inside::Other, rest)
        } else if let Some(rest) = behind("</") {
            self.close();
            (Inside::Other, rest)
        } else {
            let rest = rest.get(1..).unwrap_or("");
            self.broken |= !rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
            self.depth = self.depth.saturating_add(1);
            self.has_root = true;
            self.is_behind_element = false;
            (Inside::Opening, rest)
        };
        self.inside = inside;
        rest
    }

    fn close(&mut self) {
        match self.depth.checked_sub(1) {
            Some(less) => self.depth = less,
            None => self.broken = true,
        }
        self.is_behind_element = true;
    }

    /// Goes behind the tag, or the next value of an attribute in it.
    fn tag<'t>(&mut self, text: &'t str) -> &'t str {
        let bytes = text.as_bytes();
        let Some(at) = memchr3(b'>', b'"', b'\'', bytes) else {
            self.broken |= text.contains('<');
            return "";
        };
        let (before, rest) = (text.get(..at).unwrap_or(""), text.get(at + 1..).unwrap_or(""));
        self.broken |= before.contains('<');
        match bytes.get(at) {
            Some(b'>') => {
                if self.inside == Inside::Opening && before.ends_with('/') {
                    self.close();
                }
                self.inside = Inside::Text;
                rest
            }
            // A value may hold a line feed, but no tool writes one.
            Some(quote) => match memchr(*quote, rest.as_bytes()) {
                Some(end) => rest.get(end + 1..).unwrap_or(""),
                None => {
                    self.broken = true;
                    ""
                }
            },
            None => "",
        }
    }

    fn skip<'t>(&mut self, text: &'t str, end: &str) -> &'t str {
        match memmem::find(text.as_bytes(), end.as_bytes()) {
            Some(at) => {
                self.inside = Inside::Text;
                text.get(at + end.len()..).unwrap_or("")
            }
            None => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends_at(text: &str) -> Option<usize> {
        let mut tags = Tags::default();
        for (number, line) in (1..).zip(text.lines()) {
            tags = tags.after(line);
            assert!(!tags.broken, "line {number} of {text}");
            if !tags.is_open() {
                return Some(number);
            }
        }
        None
    }

    #[test]
    fn a_document_ends_with_its_root() {
        for (text, line) in [
            ("<a/>", Some(1)),
            ("<a>\n<b c='>' d=\"</a>\"/>\n</a>\nprose", Some(3)),
            (
                "<?xml version=\"1.0\"?>\n<!DOCTYPE a SYSTEM \"a.dtd\">\n\n<a>1</a>",
                Some(4),
            ),
            ("<!-- <a> --><a>\n<!-- </a>\n</a> -->\n</a>]]>]]>", Some(4)),
            ("<a>\nof two\nlines</a>", Some(3)),
            ("<a>\n<![CDATA[ </a>\n]]></a>", Some(3)),
            ("<a\n  b='1'\n>\n</a>", Some(4)),
            ("<a><b></b>", None),
        ] {
            assert_eq!(ends_at(text), line, "{text}");
        }
    }

    #[test]
    fn what_no_document_holds_ends_a_cut_one() {
        for (above, line) in [
            ("<a><b>1</b>", "and then I tried this"),
            ("<a>", "<?xml version='1.0'?>"),
            ("<a><b c=\"", "x"),
            ("<a><b", "<c>"),
            ("<a>", "< 5 ms"),
            ("<?xml version='1.0'?>", "prose"),
            ("", "<!DOCTYPE a [<!ENTITY b \"c\">]>"),
        ] {
            let tags = Tags::default().after(above);
            assert!(tags.broken || tags.after(line).broken, "{above} {line}");
        }
    }
}

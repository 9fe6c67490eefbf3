//! Where a JSON document ends, told by its brackets before anything of it is parsed.

/// How far brackets are balanced after some lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Brackets {
    depth: u32,
    /// The last line ended, or began, with what no JSON document contains.
    pub(crate) broken: bool,
}

impl Brackets {
    /// After one more line. A string never goes on over the end of a line (RFC 8259 section 7: control characters are
    /// escaped), so nothing but the depth is carried on.
    pub(crate) fn after(self, line: &str) -> Self {
        let mut depth = self.depth;
        let mut bytes = line.bytes();
        let mut broken = false;
        while let Some(byte) = bytes.next() {
            match byte {
                // Strings of Python have either quote.
                b'"' | b'\'' => broken |= !skip_string(&mut bytes, byte),
                b'{' | b'[' | b'(' => depth = depth.saturating_add(1),
                b'}' | b']' | b')' => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => broken = true,
                },
                b' ' | b'\t' | b':' | b',' | b'+' | b'-' | b'.' | b'0'..=b'9' => {}
                // What `true`, `false`, `null` and an exponent are made of; NaN and Infinity, which some tools print,
                // are left for the parser to complain about.
                b'T' | b'F' | b'o' | b'L' => {}
                b'a' | b'e' | b'f' | b'l' | b'n' | b'r' | b's' | b't' | b'u' | b'E' | b'N' | b'I' | b'i'
                | b'y' => {}
                _ => broken = true,
            }
            if broken {
                break;
            }
        }
        Self { depth, broken }
    }

    pub(crate) fn is_open(self) -> bool {
        self.depth > 0 && !self.broken
    }
}

/// Goes behind the closing quote; `false` when the line ends before it.
fn skip_string(bytes: &mut std::str::Bytes<'_>, quote: u8) -> bool {
    while let Some(byte) = bytes.next() {
        match byte {
            _ if byte == quote => return true,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    false
}

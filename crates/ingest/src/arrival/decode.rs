//! Bytes as UTF-8 lines: what `>` writes in PowerShell is UTF-16, and some files end their lines with a carriage return alone.

use std::borrow::Cow;

/// How the bytes are written, which their first ones tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// UTF-8, or any other in which ASCII is itself.
    Utf8,
    Utf16 {
        little_endian: bool,
    },
}

/// Bytes that come in pieces, as UTF-8 with line feeds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Decoder {
    encoding: Option<Encoding>,
    /// The first bytes, until there are enough to tell.
    held: Vec<u8>,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    /// Whether lines end with a carriage return alone; told by the first line that ends.
    is_cr: Option<bool>,
    /// Carriage returns at the end of the last piece, while it is not known whether a line feed follows the first ones.
    returns: usize,
}

/// So many bytes tell the encoding.
const TELLING: usize = 4;

impl Decoder {
    /// The next piece. What is UTF-8 with line feeds already, as nearly all is, comes back as it is.
    pub(crate) fn take<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        let Some(encoding) = self.encoding else {
            self.held.extend_from_slice(bytes);
            if self.held.len() < TELLING {
                return Cow::Borrowed(&[]);
            }
            let held = std::mem::take(&mut self.held);
            return Cow::Owned(self.begin(&held));
        };
        self.decode(encoding, Cow::Borrowed(bytes))
    }

    /// Whether what follows comes back as it is, wherever it is cut.
    pub(crate) fn is_plain(&self) -> bool {
        self.encoding == Some(Encoding::Utf8) && self.is_cr == Some(false)
    }

    /// What was held back at the end.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        let mut rest = match self.encoding {
            None => self.begin(&held),
            Some(_) => held,
        };
        rest.extend(std::iter::repeat_n(
            b'\n',
            std::mem::take(&mut self.returns).min(1),
        ));
        rest
    }

    fn begin(&mut self, bytes: &[u8]) -> Vec<u8> {
        let (encoding, mark) = match bytes {
            [0xef, 0xbb, 0xbf, ..] => (Encoding::Utf8, 3),
            [0xff, 0xfe, ..] => (Encoding::Utf16 { little_endian: true }, 2),
            [0xfe, 0xff, ..] => (Encoding::Utf16 { little_endian: false }, 2),
            // Without a mark: ASCII letters have a zero beside them.
            [1..=127, 0, 1..=127, 0, ..] => (Encoding::Utf16 { little_endian: true }, 0),
            [0, 1..=127, 0, 1..=127, ..] => (Encoding::Utf16 { little_endian: false }, 0),
            _ => (Encoding::Utf8, 0),
        };
        self.encoding = Some(encoding);
        let rest = bytes.get(mark..).unwrap_or_default().to_vec();
        self.decode(encoding, Cow::Owned(rest)).into_owned()
    }

    fn decode<'b>(&mut self, encoding: Encoding, bytes: Cow<'b, [u8]>) -> Cow<'b, [u8]> {
        let bytes = match encoding {
            Encoding::Utf8 => bytes,
            Encoding::Utf16 { little_endian } => Cow::Owned(self.utf16(&bytes, little_endian).into_bytes()),
        };
        self.lines(bytes)
    }

    fn utf16(&mut self, bytes: &[u8], little_endian: bool) -> String {
        self.held.extend_from_slice(bytes);
        let odd = self.held.len() % 2;
        let rest = self.held.split_off(self.held.len() - odd);
        let whole = std::mem::replace(&mut self.held, rest);
        let unit = |pair: &[u8]| match *pair {
            [first, second] if little_endian => u16::from_le_bytes([first, second]),
            [first, second] => u16::from_be_bytes([first, second]),
            _ => 0xfffd,
        };
        let mut units: Vec<u16> = self.high.take().into_iter().collect();
        units.extend(whole.chunks_exact(2).map(unit));
        if let Some(last) = units.last().copied()
            && (0xd800..0xdc00).contains(&last)
        {
            units.pop();
            self.high = Some(last);
        }
        let characters = char::decode_utf16(units);
        characters
            .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    }

    /// Line feeds for carriage returns, where these alone end lines.
    fn lines<'b>(&mut self, mut bytes: Cow<'b, [u8]>) -> Cow<'b, [u8]> {
        if self.returns > 0 && bytes.iter().all(|byte| *byte == b'\r') {
            self.returns += bytes.len();
            return Cow::Borrowed(&[]);
        }
        if self.returns > 0 {
            bytes = Cow::Owned([&vec![b'\r'; std::mem::take(&mut self.returns)], &*bytes].concat());
        }
        if self.is_cr.is_none()
            && let Some(end) = memchr::memchr2(b'\r', b'\n', &bytes)
        {
            // A terminal in raw mode writes several before the line feed.
            let mut behind = bytes.get(end..).unwrap_or_default().iter();
            match behind.find(|byte| **byte != b'\r') {
                Some(next) => self.is_cr = Some(*next != b'\n'),
                None => {
                    self.returns = bytes.len() - end;
                    bytes.to_mut().truncate(end);
                }
            }
        }
        if self.is_cr == Some(true) && bytes.contains(&b'\r') {
            for byte in bytes.to_mut().iter_mut().filter(|byte| **byte == b'\r') {
                *byte = b'\n';
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8], piece: usize) -> String {
        let mut decoder = Decoder::default();
        let mut all = Vec::new();
        for piece in bytes.chunks(piece) {
            all.extend_from_slice(&decoder.take(piece));
        }
        all.extend(decoder.finish());
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn every_encoding_gives_the_same_text_in_pieces_of_any_size() {
        let text = "Réponse de 192.0.2.1\r\n𝄞 and more\r\n";
        let utf16 = |to_bytes: fn(u16) -> [u8; 2], mark: bool| -> Vec<u8> {
            let marked = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
            marked.flat_map(to_bytes).collect()
        };
        let marked = [&[0xef, 0xbb, 0xbf], text.as_bytes()].concat();
        for bytes in [
            text.as_bytes().to_vec(),
            marked,
            utf16(u16::to_le_bytes, true),
            utf16(u16::to_be_bytes, true),
        ] {
            for piece in [1, 2, 3, 7, 1000] {
                assert_eq!(decoded(&bytes, piece), text, "{piece}");
            }
        }
        assert_eq!(decoded(b"P\0I\0N\0G\0\n\0", 3), "PING\n");
    }

    #[test]
    fn a_carriage_return_alone_ends_lines_where_it_ended_the_first() {
        for piece in [2, 5, 100] {
            assert_eq!(decoded(b"first\rsecond\r", piece), "first\nsecond\n");
            assert_eq!(decoded(b"first\n 10%\r 20%\n", piece), "first\n 10%\r 20%\n");
            assert_eq!(
                decoded(b"first\r\r\nsecond\r\r\n", piece),
                "first\r\r\nsecond\r\r\n"
            );
        }
        assert_eq!(decoded(b"ab", 1), "ab");
    }

    #[test]
    fn carriage_returns_without_end_are_kept_once() {
        let mut text = vec![b'\r'; 1 << 20];
        text.push(b'a');
        let lines = decoded(&text, 16);
        assert_eq!(lines.len(), text.len());
        assert!(lines.starts_with("\n\n") && lines.ends_with("\na"));
    }
}

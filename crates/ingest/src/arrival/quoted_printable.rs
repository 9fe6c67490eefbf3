//! Mails as they are sent: quoted-printable (RFC 2045, 6.7) writes `=` as `=3D`, bytes beyond ASCII as `=E2=80=93`, blanks at the
//! end of a line as `=20`, and breaks long lines behind an `=`. `time=3D22.1 ms` is no time that a tool printed.
//!
//! A header says so, or the text itself does: in such a text no `=` stands but as one of these. Tools print `ttl=20` and `id=3D`,
//! pages have addresses with `?a=3D`, keys end with an `=`: a line alone says little, so lines that may be meant so wait until
//! others show that they are, or that they are not.

/// Lines that wait are given up as what they are when there are more, or when they hold more bytes.
const MOST_HELD: usize = 400;
const MOST_HELD_BYTES: usize = 32 << 10;
/// Encoders break lines to at most 76 characters (RFC 2045), and hardly before a word would have ended there.
const BROKEN: std::ops::RangeInclusive<usize> = 60..=76;
/// So many signs convince, if not all of them are lines that end with `=`; and so many if they are: keys that end so are few.
const CONVINCING: usize = 2;
const CONVINCING_BREAKS: usize = 3;

/// Undoes quoted-printable, where a text is written so.
#[derive(Debug, Default)]
pub(crate) struct QuotedPrintable {
    is_encoded: bool,
    /// The header of the mail says that its body is written so, and has not ended.
    is_in_header: bool,
    /// Lines that wait.
    held: Vec<String>,
    held_bytes: usize,
    seen: Signs,
    /// A line that was broken, and how many further lines it stood on so far.
    broken: Option<(String, u64)>,
}

/// What lines show.
#[derive(Debug, Default, Clone, Copy)]
struct Signs {
    count: usize,
    /// Something but lines that end with `=`.
    has_codes: bool,
    /// An `=` that would have been written otherwise.
    is_contrary: bool,
}

impl Signs {
    /// One is enough: nothing else that the line shows is asked then.
    const CONTRARY: Self = Self {
        count: 0,
        has_codes: false,
        is_contrary: true,
    };
}

/// Whether any line of the text may be written so. Asked of large pieces at once.
pub(crate) fn may_be_quoted_printable(text: &[u8]) -> bool {
    let is_code = |at: usize| {
        matches!(
            text.get(at + 1..).unwrap_or_default(),
            [] | [b'\r' | b'\n' | b'A'..=b'F', ..]
                | [b'3', b'D', ..]
                | [b'2', b'0' | b'D' | b'E', ..]
                | [b'0', b'9', ..]
                | [b'4', b'6', ..]
        )
    };
    memchr::memchr_iter(b'=', text).any(is_code) || memchr::memmem::find(text, b"uoted-").is_some()
}

impl QuotedPrintable {
    /// Whether lines without an `=` are what they are.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_encoded && !self.is_in_header && self.held.is_empty() && self.broken.is_none()
    }

    /// How many lines were taken and not given yet.
    pub(crate) fn waiting_count(&self) -> u64 {
        let broken = self.broken.as_ref().map_or(0, |(_, further)| further + 1);
        self.held.len() as u64 + broken
    }

    /// Takes a line without its end. Lines that are known go to `sink`, each with the number of further lines that it stood on.
    pub(crate) fn take(&mut self, line: &str, sink: &mut dyn FnMut(&str, u64)) {
        if self.take_header(line) {
            self.finish(sink);
            sink(line, 0);
        } else if self.is_encoded {
            self.take_encoded(line, sink);
        } else {
            self.weigh(line, sink);
        }
    }

    /// Gives what waits.
    pub(crate) fn finish(&mut self, sink: &mut dyn FnMut(&str, u64)) {
        self.give_up(sink);
        self.end_broken(sink);
    }

    fn take_encoded(&mut self, line: &str, sink: &mut dyn FnMut(&str, u64)) {
        // The next part of a mail, or the next mail of a folder, has a header with words that no such text holds.
        if signs(line).is_contrary {
            self.end_broken(sink);
            self.is_encoded = false;
            return sink(line, 0);
        }
        let (text, is_broken) = decoded(line);
        let (whole, count) = match self.broken.take() {
            Some((before, count)) => (before.clone() + behind_quotes(&before, &text), count + 1),
            None => (text, 0),
        };
        match is_broken {
            true if whole.len() <= MOST_HELD_BYTES => self.broken = Some((whole, count)),
            _ => sink(&whole, count),
        }
    }

    /// Takes a line of a text of which it is not known how it is written.
    fn weigh(&mut self, line: &str, sink: &mut dyn FnMut(&str, u64)) {
        let signs = signs(line);
        if signs.is_contrary || self.held.is_empty() && signs.count == 0 {
            self.give_up(sink);
            return sink(line, 0);
        }
        self.held.push(line.to_owned());
        self.held_bytes += line.len();
        self.seen.count += signs.count;
        self.seen.has_codes |= signs.has_codes;
        let least = if self.seen.has_codes {
            CONVINCING
        } else {
            CONVINCING_BREAKS
        };
        if self.seen.count >= least {
            let held = self.forget();
            self.is_encoded = true;
            held.iter().for_each(|line| self.take(line, sink));
        } else if self.held.len() > MOST_HELD || self.held_bytes > MOST_HELD_BYTES {
            self.give_up(sink);
        }
    }

    fn forget(&mut self) -> Vec<String> {
        (self.seen, self.held_bytes) = (Signs::default(), 0);
        std::mem::take(&mut self.held)
    }

    /// What waited is what it is.
    fn give_up(&mut self, sink: &mut dyn FnMut(&str, u64)) {
        self.forget().iter().for_each(|line| sink(line, 0));
    }

    fn end_broken(&mut self, sink: &mut dyn FnMut(&str, u64)) {
        if let Some((line, count)) = self.broken.take() {
            sink(&line, count);
        }
    }

    /// Whether the line is one of a mail's header that says how the body is written, or stands in the same header below that.
    fn take_header(&mut self, line: &str) -> bool {
        const ENCODING: &str = "content-transfer-encoding:";
        let name = line.get(..ENCODING.len()).unwrap_or_default();
        if name.eq_ignore_ascii_case(ENCODING) {
            let value = line.get(ENCODING.len()..).unwrap_or_default();
            self.is_in_header = value.trim_ascii().eq_ignore_ascii_case("quoted-printable");
            self.is_encoded = false;
            return true;
        }
        let was_in_header = self.is_in_header;
        if was_in_header && line.trim_ascii().is_empty() {
            (self.is_in_header, self.is_encoded) = (false, true);
        }
        was_in_header
    }
}

/// What stands in the place of an `=`.
enum Code {
    /// The byte, or those of a character, and how much of the text they take.
    Bytes(Vec<u8>, usize),
    /// The line was broken here.
    Break,
    /// It may be one, and may be none: `ttl=80`.
    Unsure,
    /// It is what it is.
    Itself,
}

/// Reads from the `=` at the start of `rest` on.
fn code(rest: &str, is_first: bool) -> Code {
    // Most are told by the sign behind them.
    let next = rest.as_bytes().get(1);
    if next.is_some_and(|next| !next.is_ascii_hexdigit() && !next.is_ascii_whitespace()) {
        return Code::Itself;
    }
    if rest.trim_ascii_end() == "=" {
        return Code::Break;
    }
    let Some(byte) = byte(rest) else {
        return Code::Itself;
    };
    let behind = || rest.trim_ascii_end().strip_suffix('=').unwrap_or(rest);
    let is_last = || {
        behind()
            .split('=')
            .all(|code| matches!(code.trim_ascii(), "" | "20" | "09"))
    };
    match byte {
        b'=' => Code::Bytes(vec![byte], 3),
        b' ' | b'\t' if is_last() => Code::Bytes(vec![byte], 3),
        // What ends mails and begins others (`.`, `From `) is written so where a line begins with it.
        b'.' | b'F' | b'-' if is_first => Code::Bytes(vec![byte], 3),
        0xa0.. => character(rest),
        0x80.. => Code::Unsure,
        _ => Code::Itself,
    }
}

/// `=E2`, in capital letters, as the standard has it.
fn byte(rest: &str) -> Option<u8> {
    let code = rest.strip_prefix('=')?.get(..2)?;
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte);
    code.bytes()
        .all(is_hex)
        .then(|| u8::from_str_radix(code, 16).ok())
        .flatten()
}

/// A character beyond ASCII: its bytes in UTF-8, or else one in Latin-1.
fn character(rest: &str) -> Code {
    let mut bytes = Vec::new();
    while let Some(next) = rest
        .get(3 * bytes.len()..)
        .and_then(byte)
        .filter(|_| bytes.len() < 4)
    {
        bytes.push(next);
        if std::str::from_utf8(&bytes).is_ok() {
            let length = 3 * bytes.len();
            return Code::Bytes(bytes, length);
        }
    }
    let latin = bytes.first().copied().map(char::from).unwrap_or_default();
    Code::Bytes(latin.to_string().into_bytes(), 3)
}

/// What a line shows.
fn signs(line: &str) -> Signs {
    let mut signs = Signs::default();
    for at in memchr::memchr_iter(b'=', line.as_bytes()) {
        let (before, rest) = line.split_at(at);
        match code(rest, at == 0) {
            Code::Itself if !is_within_code(before, rest) => return Signs::CONTRARY,
            Code::Break if BROKEN.contains(&line.len()) && !before.ends_with('=') => signs.count += 1,
            Code::Bytes(bytes, length)
                if (length > 3 || is_telling(before, &bytes)) && !is_of_address(before, rest) =>
            {
                let stands_alone = bytes == b"=" && is_blank_or_end(rest.get(3..)) && before.ends_with(' ');
                signs.has_codes = true;
                signs.count += if length > 3 || stands_alone { CONVINCING } else { 1 };
            }
            _ => {}
        }
    }
    signs
}

/// Whether the `=` is one of a longer code, which the one before it began: `=80` in `=E2=80=93`.
fn is_within_code(before: &str, rest: &str) -> bool {
    byte(rest).is_some_and(|byte| byte >= 0x80)
        && before.len() >= 3
        && before.get(before.len() - 3..).and_then(self::byte).is_some()
}

fn is_blank_or_end(behind: Option<&str>) -> bool {
    behind.is_none_or(|behind| behind.is_empty() || behind.starts_with(' '))
}

/// `=3D` tells; all else does where no word stands before it: `ttl=20` and `a=C2` are what tools print.
fn is_telling(before: &str, bytes: &[u8]) -> bool {
    bytes == b"=" || !before.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '_')
}

/// Addresses of pages hold values of their own: `http://a.example/?b=3D`.
fn is_of_address(before: &str, rest: &str) -> bool {
    let begin = before.rsplit(' ').next().unwrap_or_default();
    let end = rest.split(' ').next().unwrap_or_default();
    begin.contains("://") || [begin, end].iter().any(|part| part.contains(['?', '&']))
}

/// The line as it was before it was encoded, and whether it goes on with the next.
fn decoded(line: &str) -> (String, bool) {
    let mut bytes = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('=') {
        let (before, from) = rest.split_at(at);
        bytes.extend_from_slice(before.as_bytes());
        let is_first = at == 0 && rest.len() == line.len();
        let length = match code(from, is_first) {
            Code::Break => return (String::from_utf8_lossy(&bytes).into_owned(), true),
            Code::Bytes(code, length) => {
                bytes.extend(code);
                length
            }
            Code::Unsure | Code::Itself => {
                bytes.push(b'=');
                1
            }
        };
        rest = from.get(length..).unwrap_or_default();
    }
    bytes.extend_from_slice(rest.as_bytes());
    (String::from_utf8_lossy(&bytes).into_owned(), false)
}

/// The rest of a broken line without the marks of a quote, where who quoted it put them before each line.
fn behind_quotes<'r>(before: &str, rest: &'r str) -> &'r str {
    if before.starts_with('>') {
        rest.strip_prefix("> ").or(rest.strip_prefix('>')).unwrap_or(rest)
    } else {
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines, each with the number of further ones that it stood on.
    fn lines(text: &str) -> Vec<(String, u64)> {
        let mut quoted = QuotedPrintable::default();
        let mut all = Vec::new();
        let mut sink = |line: &str, further: u64| all.push((line.to_owned(), further));
        text.lines().for_each(|line| quoted.take(line, &mut sink));
        quoted.finish(&mut sink);
        all
    }

    fn text(text: &str) -> String {
        lines(text).into_iter().map(|(line, _)| line + "\n").collect()
    }

    #[test]
    fn what_shows_that_it_is_written_so_is_decoded() {
        let broken = format!("{}mode =", "x".repeat(64));
        for (written, meant) in [
            (
                "icmp_seq=3D1 ttl=3D52 time=3D22.1 ms\n",
                "icmp_seq=1 ttl=52 time=22.1 ms\n",
            ),
            ("rtt min/avg =3D 1/2 ms\n", "rtt min/avg = 1/2 ms\n"),
            ("5 =E2=80=93 6=20\nseq=3D1\n", "5 \u{2013} 6 \nseq=1\n"),
            ("a =C2=B5s\n", "a \u{b5}s\n"),
            (
                "Content-Transfer-Encoding: quoted-printable\n\na=3D1 =B5s\n",
                "Content-Transfer-Encoding: quoted-printable\n\na=1 \u{b5}s\n",
            ),
        ] {
            assert_eq!(text(written), meant);
        }
        let all = lines(&format!("{broken}\nDEFAULT\nttl=3D1\nend"));
        let joined = format!("{}mode DEFAULT", "x".repeat(64));
        assert_eq!(all, [(joined, 1), ("ttl=1".to_owned(), 0), ("end".to_owned(), 0)]);
        let quoted = lines(&format!("> {broken}\n> DEFAULT\n> a=3D1"));
        assert_eq!(quoted[0], (format!("> {}mode DEFAULT", "x".repeat(64)), 1));
    }

    #[test]
    fn what_is_not_written_so_stays() {
        for plain in [
            "http://a.example/?a=3D&b=3D2\nhttp://b.example/x=3D/y=3D\n",
            "icmp_seq=80 ttl=20 time=99.1 ms\nicmp_seq=10 ttl=20\n",
            "id=3D\n",
            "id=3D seq=3D mark=1\n",
            "0x3D 3D=\nMIIB3DCC=\n==\n",
            "a=20\nb=20\nc=C2\n",
            "Content-Transfer-Encoding: 7bit\n\na=3D\n",
            "Content-Transfer-Encoding: quoted-printable\n\nttl=52 id=3D\n",
        ] {
            assert_eq!(text(plain), plain);
        }
    }

    #[test]
    fn a_part_or_a_line_that_is_written_otherwise_ends_it() {
        let mail = "Content-Transfer-Encoding: quoted-printable\nContent-Type: text/plain; charset=\"utf-8\"\n\n\
                    a=3D1\n--xyz\nContent-Type: text/plain; charset=\"utf-8\"\n\nb=3D\n";
        assert_eq!(text(mail), mail.replace("a=3D1", "a=1"));
        assert_eq!(text("a=3D1 b=3D2\nttl=5\nc=3D\n"), "a=1 b=2\nttl=5\nc=3D\n");
        let forever = "x=3D\n".to_owned() + &"line\n".repeat(2_000);
        assert_eq!(text(&forever), forever);
    }
}

//! The head of an answer: what it promises, and whether that is what was asked for.

use super::{HttpError, Target};

/// Longest text of a server that is kept.
const MOST_TEXT: usize = 100;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The whole file.
    Whole,
    /// Its bytes from the first to the last one named, both included (RFC 9110 section 14.1.2).
    Part {
        /// The first byte.
        first: u64,
        /// The last byte.
        last: u64,
    },
    /// To store what is sent.
    Store,
}

impl Asked {
    /// The value of `Range`.
    #[must_use]
    pub fn range(self) -> Option<String> {
        match self {
            Self::Part { first, last } => Some(format!("bytes={first}-{last}")),
            Self::Whole | Self::Store => None,
        }
    }
}

/// What an answer's head says, as far as it matters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Head {
    /// The status.
    pub status: u16,
    /// Its usual words.
    pub reason: &'static str,
    location: Option<String>,
    encoding: Option<String>,
    length: Option<u64>,
    range: Option<(u64, u64, Option<u64>)>,
    /// What the server says that it is.
    pub server: Option<String>,
    /// How long the content was in a cache, seconds.
    pub age_s: Option<u64>,
}

/// What an answer leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The content follows.
    Content,
    /// It is elsewhere: `Location`.
    Elsewhere(String),
}

impl Head {
    /// Reads fields of a head, each by its name in small letters. What cannot be read says nothing.
    pub fn read<'a>(
        status: u16,
        reason: &'static str,
        fields: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Self {
        let mut head = Self {
            status,
            reason,
            ..Self::default()
        };
        for (name, value) in fields {
            let Ok(value) = std::str::from_utf8(value) else {
                continue;
            };
            let value = value.trim();
            match name {
                "location" => head.location = Some(value.to_owned()),
                "content-encoding" => head.encoding = Some(value.chars().take(MOST_TEXT).collect()),
                "content-length" => head.length = value.parse().ok(),
                "content-range" => head.range = content_range(value),
                "server" => head.server = Some(value.chars().take(MOST_TEXT).collect()),
                "age" => head.age_s = value.parse().ok().filter(|age| *age > 0),
                _ => {}
            }
        }
        head
    }

    /// Length of the whole content, bytes.
    #[must_use]
    pub fn whole_bytes(&self) -> Option<u64> {
        match self.range {
            Some((.., whole)) => whole,
            None => self.length,
        }
    }

    /// What follows, where the answer is to what was `asked` of `target`.
    ///
    /// # Errors
    /// It is no success, or another content than was asked for.
    pub fn next(&self, target: &Target, asked: Asked) -> Result<Next, HttpError> {
        let url = || target.to_string();
        if let (301 | 302 | 303 | 307 | 308, Some(location)) = (self.status, &self.location) {
            return Ok(Next::Elsewhere(location.clone()));
        }
        if !(200..300).contains(&self.status) {
            return Err(HttpError::Status {
                url: url(),
                status: format!("{} {}", self.status, self.reason).trim_end().to_owned(),
                hint: hint(self.status, asked),
            });
        }
        if asked == Asked::Store {
            return Ok(Next::Content);
        }
        let identity = |encoding: &String| encoding.is_empty() || encoding.eq_ignore_ascii_case("identity");
        if let Some(encoding) = self.encoding.clone().filter(|encoding| !identity(encoding)) {
            return Err(HttpError::Compressed { url: url(), encoding });
        }
        if let Asked::Part { first, last } = asked {
            match (self.status, self.range) {
                (206, Some((from, to, _))) if (from, to) == (first, last) => {}
                (206, _) => return Err(HttpError::WrongPart(url())),
                _ => return Err(HttpError::NoRanges(url())),
            }
        }
        if self.length == Some(0) || matches!(self.status, 204 | 205) {
            return Err(HttpError::Empty(url()));
        }
        Ok(Next::Content)
    }
}

/// `bytes 0-499/1234` (RFC 9110 section 14.4); the whole may be `*`.
fn content_range(text: &str) -> Option<(u64, u64, Option<u64>)> {
    let (range, whole) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (first, last) = range.trim().split_once('-')?;
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((first, last, whole.trim().parse().ok()))
}

/// `whole` bytes in as many parts as there are streams, none of them empty; `None` where there are too few.
#[must_use]
pub fn parts(whole: u64, streams: u16) -> Option<Vec<Asked>> {
    let streams = u64::from(streams.max(1));
    if whole < streams {
        return None;
    }
    let begin = |stream: u64| (u128::from(whole) * u128::from(stream) / u128::from(streams)) as u64;
    let part = |stream| Asked::Part {
        first: begin(stream),
        last: begin(stream + 1) - 1,
    };
    Some((0..streams).map(part).collect())
}

fn hint(status: u16, asked: Asked) -> &'static str {
    match (status, asked) {
        (401 | 403 | 407, _) => "who is not logged in may not; name a file that is open to everybody",
        (404 | 410, Asked::Store) => "there is no such place; check the URL",
        (404 | 410, _) => "there is no such file; check the URL",
        (405 | 501, Asked::Store) => "the server stores no uploads (PUT) there",
        (409, Asked::Store) => "the server cannot store it there: is the directory missing?",
        (411, Asked::Store) => "the server wants to know the length beforehand: give --max-bytes",
        (413, Asked::Store) => "more than the server takes: give less with --max-bytes",
        (416, _) => "the server has no such part of the file; leave out --streams",
        (429 | 503, _) => "the server wants to be asked later",
        (300..=399, _) => "that is no file; check the URL with a browser",
        (500.., _) => "the server failed; its log tells why",
        _ => "check the URL with a browser",
    }
}

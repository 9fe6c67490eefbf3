//! The file in which an owner names who may measure, and how much: its text, and what is wrong with it, by line.

use evidence::RateBps;
use net::far_end::{Access, AllowedPeers, Holder, HolderLimits, Hours, Token};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use toml::Spanned;

/// Longer files are none of these: as many holders as there may be take a hundredth of it.
pub(super) const LONGEST: usize = 256 << 10;
const EXAMPLE: &str = "[holder.physics]\ntoken = \"…\" (`slowpath serve --new-token` prints one)";

/// What is wrong with a file, for its owner.
#[derive(Debug, thiserror::Error)]
pub(super) enum AccessFileError {
    /// Something on a line.
    #[error("{path}, line {line}: {what}")]
    Line { path: String, line: usize, what: String },
    /// The whole.
    #[error("{path}: {what}")]
    Whole { path: String, what: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default)]
    holder: BTreeMap<Spanned<String>, RawHolder>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawHolder {
    token: Option<Spanned<String>>,
    max_rate: Option<Spanned<String>>,
    max_bytes_per_hour: Option<Spanned<String>>,
    max_duration: Option<Spanned<u32>>,
    #[serde(default)]
    from: Vec<Spanned<String>>,
    allow_peers: Option<Vec<Spanned<String>>>,
    hours: Option<Spanned<String>>,
}

/// Reads `text`, which stands in `path`. May take some tenths of a second for each token that is words.
///
/// # Errors
/// What is wrong, on which line, and what to write instead. Never what stands there: it could be a token.
pub(super) fn read(path: &Path, text: &str) -> Result<Access, AccessFileError> {
    let reading = Reading { path, text };
    let raw: Raw = toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        reading.mistake(at, error.message().trim().replace('\n', "; "))
    })?;
    // In the order of the file.
    let mut tables: Vec<(Spanned<String>, RawHolder)> = raw.holder.into_iter().collect();
    tables.sort_by_key(|(name, _)| name.span().start);
    let holders: Result<Vec<Holder>, AccessFileError> = tables
        .into_iter()
        .map(|(name, holder)| reading.holder(&name, holder))
        .collect();
    let holders = holders?;
    let is_empty = holders.is_empty();
    Access::new(holders).map_err(|error| AccessFileError::Whole {
        path: path.display().to_string(),
        what: if is_empty {
            format!("{error}. Begin with\n{EXAMPLE}")
        } else {
            error.to_string()
        },
    })
}

struct Reading<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reading<'_> {
    fn mistake(&self, at: usize, what: String) -> AccessFileError {
        let before = self.text.as_bytes().get(..at).unwrap_or(self.text.as_bytes());
        AccessFileError::Line {
            path: self.path.display().to_string(),
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            what,
        }
    }

    fn holder(&self, name: &Spanned<String>, raw: RawHolder) -> Result<Holder, AccessFileError> {
        let Some(token) = raw.token else {
            let what = format!(
                "`{}` has no `token`: `slowpath serve --new-token` prints one",
                name.as_ref()
            );
            return Err(self.mistake(name.span().start, what));
        };
        let read = Token::read(token.as_ref());
        let limits = HolderLimits {
            max_rate_bps: self.parsed::<RateBps>(raw.max_rate)?.map(|rate| rate.0),
            max_bytes_per_hour: self.parsed::<Bytes>(raw.max_bytes_per_hour)?.map(|bytes| bytes.0),
            max_duration_ms: self.seconds(raw.max_duration)?,
            from: self.all(raw.from)?,
            allow_peers: raw.allow_peers.map(|peers| self.all(peers)).transpose()?,
            hours: self.parsed::<Hours>(raw.hours)?,
        };
        Ok(Holder {
            name: name.as_ref().clone(),
            token: read.map_err(|error| self.mistake(token.span().start, error.to_string()))?,
            limits,
        })
    }

    fn seconds(&self, given: Option<Spanned<u32>>) -> Result<Option<u32>, AccessFileError> {
        let Some(given) = given else { return Ok(None) };
        match *given.as_ref() {
            seconds @ 1..=86_400 => Ok(Some(seconds * 1_000)),
            other => Err(self.mistake(
                given.span().start,
                format!("`max-duration` is {other}: write seconds, 1 to 86400"),
            )),
        }
    }

    fn parsed<T: FromStr<Err: ToString>>(
        &self,
        given: Option<Spanned<String>>,
    ) -> Result<Option<T>, AccessFileError> {
        given.map(|given| self.one(&given)).transpose()
    }

    fn all(&self, given: Vec<Spanned<String>>) -> Result<Vec<AllowedPeers>, AccessFileError> {
        given.iter().map(|given| self.one(given)).collect()
    }

    fn one<T: FromStr<Err: ToString>>(&self, given: &Spanned<String>) -> Result<T, AccessFileError> {
        let parsed = given.as_ref().parse();
        parsed.map_err(|error: T::Err| self.mistake(given.span().start, error.to_string()))
    }
}

/// A number of bytes with a decimal unit: `20GB`, `500 MB`.
struct Bytes(u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let not =
            || format!("`{text}` is no number of bytes: write a number and a unit, for example \"20GB\"");
        let text_only = text.trim();
        let split = text_only
            .find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
            .unwrap_or(text_only.len());
        let (number, unit) = text_only.split_at(split);
        let scale = match unit.trim() {
            "kB" => 1e3,
            "MB" => 1e6,
            "GB" => 1e9,
            "TB" => 1e12,
            _ => return Err(not()),
        };
        let bytes = number.parse::<f64>().map_err(|_| not())? * scale;
        if (1.0..=1e18).contains(&bytes) {
            Ok(Self(bytes as u64))
        } else {
            Err(not())
        }
    }
}

/// What each holder may, a line for each; never the token.
pub(super) fn told(access: &Access) -> Vec<(String, String)> {
    let holders = access.holders().iter();
    holders
        .map(|holder| (holder.name.clone(), limits(&holder.limits)))
        .collect()
}

fn limits(limits: &HolderLimits) -> String {
    let HolderLimits {
        max_rate_bps,
        max_bytes_per_hour,
        max_duration_ms,
        from,
        allow_peers,
        hours,
    } = limits;
    let listed = |peers: &[AllowedPeers]| {
        let peers: Vec<String> = peers.iter().map(ToString::to_string).collect();
        peers.join(" ")
    };
    let said: Vec<String> = [
        max_rate_bps.map(|rate| RateBps(rate).to_string()),
        max_bytes_per_hour.map(|bytes| format!("{} an hour", words::bytes(bytes))),
        max_duration_ms.map(|ms| format!("tests of {} s", ms / 1_000)),
        (!from.is_empty()).then(|| format!("from {}", listed(from))),
        hours.map(|hours| hours.to_string()),
        allow_peers.as_ref().map(|peers| match peers.as_slice() {
            [] => "no third places".to_owned(),
            peers => format!("third places {}", listed(peers)),
        }),
    ]
    .into_iter()
    .flatten()
    .collect();
    if said.is_empty() {
        "what is allowed to all".to_owned()
    } else {
        said.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use net::far_end::new_token;

    fn read(text: &str) -> Result<Access, String> {
        super::read(Path::new("access.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn limits_are_read_and_told_without_the_token() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        let access = read(&format!(
            "# mine\n[holder.physics]\ntoken = \"{one}\"\nmax-rate = \"200Mbit/s\"\nmax-bytes-per-hour = \"20 GB\"\n\
             max-duration = 30\nfrom = [\"192.0.2.0/24\", \"2001:db8::/32\"]\nallow-peers = []\nhours = \"20:00-06:00\"\n\
             [holder.ops]\ntoken = \"{other}\"\n"
        ))
        .unwrap();
        let told = told(&access);
        assert_eq!(
            told[0],
            (
                "physics".to_owned(),
                "200 Mbit/s; 20.00 GB an hour; tests of 30 s; from 192.0.2.0/24 2001:db8::/32; 20:00 to 06:00 UTC; no third \
                 places"
                    .to_owned()
            )
        );
        assert_eq!(told[1], ("ops".to_owned(), "what is allowed to all".to_owned()));
        assert!(!format!("{told:?}").contains(&one));
    }

    #[test]
    fn mistakes_are_named_with_their_line_and_what_to_write() {
        let token = new_token().unwrap();
        let with = |line: &str| format!("[holder.a]\ntoken = \"{token}\"\n{line}\n");
        for (text, at, named) in [
            (with("max-rat = 1"), 3, "`max-rate`"),
            (with("max-rate = \"fast\""), 3, "2Gbit/s"),
            (with("max-rate = 7"), 3, "string"),
            (with("max-bytes-per-hour = \"20\""), 3, "20GB"),
            (with("max-bytes-per-hour = \"0GB\""), 3, "20GB"),
            (with("max-duration = 0"), 3, "1 to 86400"),
            (with("from = [\"192.0.2.0/33\"]"), 3, "192.0.2.0/24"),
            (with("from = [\n\"::1\",\n\"all\"]"), 5, "`any`"),
            (with("hours = \"20-6\""), 3, "20:00-06:00"),
            (with("[holder.b]\nhours = \"20:00-06:00\""), 3, "--new-token"),
            (
                "[holder.a]\ntoken = \"slowpath_12\"\n".to_owned(),
                2,
                "copy all of it",
            ),
            (
                "[holder.a]\ntoken = \"aaaaaaaaaaaaa\"\n".to_owned(),
                2,
                "could be guessed",
            ),
            ("\n[holders.a]\n".to_owned(), 2, "`holder`"),
            ("[holder.a\n".to_owned(), 1, ""),
        ] {
            let mistake = read(&text).map(|_| ()).expect_err(&text);
            assert!(
                mistake.contains(&format!("access.toml, line {at}: ")) && mistake.contains(named),
                "{text}: {mistake}"
            );
        }
        assert!(read("").map(|_| ()).unwrap_err().contains("[holder.physics]"));
        let twice = format!("[holder.a]\ntoken = \"{token}\"\n[holder.b]\ntoken = \"{token}\"\n");
        assert!(read(&twice).map(|_| ()).unwrap_err().contains("`a` and `b`"));
        let spaced = format!("[holder.\"a b\"]\ntoken = \"{token}\"\n");
        assert!(read(&spaced).map(|_| ()).unwrap_err().contains("no name"));
    }

    #[test]
    fn what_stands_on_a_wrong_line_is_not_repeated() {
        for text in [
            "[holder.a]\ntokn = \"orbit-velvet-cactus-61\"\n",
            "[holder.a]\ntoken = \"orbit-velvet\" cactus\n",
            "token = \"orbit-velvet-cactus-61\"\n",
        ] {
            let mistake = read(text).map(|_| ()).unwrap_err();
            assert!(!mistake.contains("orbit"), "{mistake}");
        }
    }
}

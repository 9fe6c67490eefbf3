//! The text of the configuration, and what is wrong with it, by line.

use super::{Given, Settings};
use crate::color::When;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// What a file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) color: Option<Given<When>>,
    /// For all far ends that have no table, or no such line in it.
    pub(super) common: Settings,
    /// By name as [`same_name`] spells it.
    pub(super) hosts: BTreeMap<String, Settings>,
}

/// A mistake, and the line it is on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    pub(super) line: usize,
    pub(super) what: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Raw {
    token_file: Option<Spanned<String>>,
    port: Option<Spanned<NonZero<u16>>>,
    color: Option<Spanned<When>>,
    #[serde(default)]
    host: BTreeMap<Spanned<String>, RawHost>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawHost {
    token_file: Option<Spanned<String>>,
    port: Option<Spanned<NonZero<u16>>>,
}

/// Reads the text of a file in `directory`, from which the paths in it count; `~/` is `home`.
pub(super) fn read(text: &str, directory: &Path, home: Option<&Path>) -> Result<Contents, Mistake> {
    let raw: Raw = toml::from_str(text).map_err(|error| {
        // The message alone: what stands on the line could be a token that somebody put there.
        let at = error.span().map_or(0, |span| span.start);
        mistake(text, at, error.message().trim().replace('\n', "; "))
    })?;
    let settings = |token_file: Option<Spanned<String>>, port: Option<Spanned<NonZero<u16>>>| {
        let token_file = token_file.map(|given| {
            let path = path(given.as_ref(), directory, home);
            let path = path.map_err(|what| mistake(text, given.span().start, what.to_owned()))?;
            Ok(Given {
                value: path,
                line: line(text, given.span().start),
            })
        });
        Ok(Settings {
            token_file: token_file.transpose()?,
            port: port.map(|given| Given {
                value: given.as_ref().get(),
                line: line(text, given.span().start),
            }),
        })
    };
    let mut hosts = BTreeMap::new();
    // In the order of the file: of two tables the later one is the second.
    let mut tables: Vec<(Spanned<String>, RawHost)> = raw.host.into_iter().collect();
    tables.sort_by_key(|(name, _)| name.span().start);
    for (name, host) in tables {
        let at = name.span().start;
        let key = same_name(name.as_ref());
        if key.is_empty() {
            return Err(mistake(text, at, "a host without a name".to_owned()));
        }
        if hosts.insert(key, settings(host.token_file, host.port)?).is_some() {
            return Err(mistake(
                text,
                at,
                format!("a second table for the host `{}`", name.as_ref()),
            ));
        }
    }
    let color = raw.color.map(|given| Given {
        value: *given.as_ref(),
        line: line(text, given.span().start),
    });
    Ok(Contents {
        color,
        common: settings(raw.token_file, raw.port)?,
        hosts,
    })
}

/// A name as two people would write it: DNS knows no case, and a full stop at the end is the root.
pub(super) fn same_name(name: &str) -> String {
    name.trim().trim_end_matches('.').to_ascii_lowercase()
}

/// Counted from the file and not from where a command happens to run: the file is the same everywhere.
fn path(given: &str, directory: &Path, home: Option<&Path>) -> Result<PathBuf, &'static str> {
    match given.split_once('/') {
        _ if given.is_empty() => Err("`token-file` is empty: name a file"),
        Some(("~", rest)) => home
            .map(|home| home.join(rest))
            .ok_or("`~/` without a home (HOME is not set): write the whole path"),
        _ if given.starts_with('~') => {
            Err("`~` stands for your home only before a `/`: write the whole path")
        }
        _ => Ok(directory.join(given)),
    }
}

fn mistake(text: &str, at: usize, what: String) -> Mistake {
    Mistake {
        line: line(text, at),
        what,
    }
}

/// Counted from 1.
fn line(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Contents, Mistake> {
        super::read(text, Path::new("/etc/sp"), Some(Path::new("/home/me")))
    }

    fn given<T>(value: T, line: usize) -> Option<Given<T>> {
        Some(Given { value, line })
    }

    #[test]
    fn all_settings_are_read_with_their_lines() {
        let text = "# mine\ntoken-file = \"~/far.token\"\nport = 4821\ncolor = \"never\"\n\n\
            [host.\"DTN.example.org.\"]\ntoken-file = \"dtn.token\"\n[host.\"2001:db8::7\"]\nport = 5000\n";
        let contents = read(text).unwrap();
        assert_eq!(contents.color, given(When::Never, 4));
        assert_eq!(
            contents.common.token_file,
            given(PathBuf::from("/home/me/far.token"), 2)
        );
        assert_eq!(contents.common.port, given(4821, 3));
        let hosts: Vec<&str> = contents.hosts.keys().map(String::as_str).collect();
        assert_eq!(hosts, ["2001:db8::7", "dtn.example.org"]);
        assert_eq!(
            contents.hosts["dtn.example.org"].token_file,
            given(PathBuf::from("/etc/sp/dtn.token"), 7)
        );
        assert_eq!(contents.hosts["dtn.example.org"].port, None);
        assert_eq!(contents.hosts["2001:db8::7"].port, given(5000, 9));
        assert_eq!(read("").unwrap(), Contents::default());
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, at, named) in [
            ("port = 4820\nprot = 4820\n", 2, "`prot`"),
            ("\nport = \"4820\"\n", 2, "u16"),
            ("port = 0\n", 1, "0"),
            ("port = 70000\n", 1, "70000"),
            ("color = \"sometimes\"\n", 1, "`never`"),
            ("token-file = \"\"\n", 1, "empty"),
            ("token-file = 7\n", 1, "string"),
            ("token-file = \"~you/token\"\n", 1, "whole path"),
            ("[host.a]\n\n[host.b]\ncolour = 1\n", 4, "`colour`"),
            ("[host.a]\n[host.A]\nport = 1\n", 2, "second table"),
            ("[host.\".\"]\n", 1, "without a name"),
            ("host = 3\n", 1, "map"),
            ("port = \n", 1, ""),
            ("port = 1\nport = 2\n", 2, "duplicate"),
        ] {
            let mistake = read(text).expect_err(text);
            assert!(
                mistake.what.contains(named) && !mistake.what.is_empty(),
                "{text:?}: {mistake:?}"
            );
            assert_eq!(mistake.line, at, "{text:?}: {mistake:?}");
        }
        assert!(super::read("token-file = \"~/x\"", Path::new("/"), None).is_err());
    }

    #[test]
    fn what_stands_on_a_wrong_line_is_not_repeated() {
        let mistake = read("token = \"orbit-velvet-cactus-61\"\n").unwrap_err();
        assert!(!mistake.what.contains("orbit"), "{mistake:?}");
    }
}

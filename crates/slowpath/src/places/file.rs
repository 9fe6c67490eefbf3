//! The file of places (`docs/mesh.md`), and what is wrong with it, by line.

use super::{At, Place, Secret};
use crate::exit;
use evidence::RateBps;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::num::NonZero;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;
use toml::Spanned;

/// Places of one file at most: each is a third place for all others, and a question has room for so many.
pub(crate) const MOST_PLACES: usize = 64;

/// What a file says.
#[derive(Debug, PartialEq)]
pub(crate) struct PlacesFile {
    pub(crate) name: Option<String>,
    pub(crate) capacity: Option<RateBps>,
    pub(crate) places: Vec<Place>,
    /// Whether a token stands in the file itself.
    holds_token: bool,
}

/// A mistake, and the line it is on.
#[derive(Debug, PartialEq, Eq)]
struct Mistake {
    line: usize,
    what: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawFile {
    name: Option<Spanned<String>>,
    capacity: Option<Spanned<String>>,
    #[serde(default)]
    place: Vec<Spanned<RawPlace>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawPlace {
    name: Spanned<String>,
    address: Option<Spanned<String>>,
    port: Option<NonZero<u16>>,
    #[serde(default)]
    here: bool,
    site: Option<String>,
    token: Option<Spanned<String>>,
    token_file: Option<Spanned<String>>,
}

/// Reads a file that names at least so many places. A token in it is private.
pub(crate) fn read(path: &Path, fewest: usize) -> Result<PlacesFile, ExitCode> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| exit::usage(&format!("{shown}: {error}"));
    let text = std::fs::read_to_string(path).map_err(unreadable)?;
    let whole = std::path::absolute(path).map_err(unreadable)?;
    let file = parse(&text, whole.parent().unwrap_or(Path::new("/")), fewest)
        .map_err(|mistake| exit::usage(&format!("{shown}:{}: {}", mistake.line, mistake.what)))?;
    let mode = std::fs::metadata(path).map_err(unreadable)?.permissions().mode();
    if file.holds_token && mode & 0o077 != 0 {
        return Err(exit::usage(&format!(
            "{shown} holds a token, and others may read it: `chmod 600 {shown}`, or name files with `token-file`"
        )));
    }
    Ok(file)
}

/// Reads the text of a file in `directory`, from which the paths in it count.
fn parse(text: &str, directory: &Path, fewest: usize) -> Result<PlacesFile, Mistake> {
    let mistake = |at: usize, what: String| Mistake {
        line: line(text, at),
        what,
    };
    let raw: RawFile = toml::from_str(text).map_err(|error| {
        // The message alone: what stands on the line could be a token.
        let at = error.span().map_or(0, |span| span.start);
        mistake(at, error.message().trim().replace('\n', "; "))
    })?;
    let capacity = raw.capacity.map(|given| {
        let rate = given.as_ref().parse::<RateBps>();
        rate.map_err(|error| mistake(given.span().start, error.to_string()))
    });
    let capacity = capacity.transpose()?;
    let (mut places, mut names, mut holds_token) = (Vec::new(), BTreeSet::new(), false);
    for raw in raw.place {
        let at = raw.span().start;
        let raw = raw.into_inner();
        let name_at = raw.name.span().start;
        let name = raw.name.into_inner();
        if name.trim().is_empty() || name != name.trim() {
            return Err(mistake(
                name_at,
                "a place needs a name, without blanks around it".to_owned(),
            ));
        }
        if !names.insert(name.to_lowercase()) {
            return Err(mistake(name_at, format!("a second place called `{name}`")));
        }
        holds_token |= raw.token.is_some();
        let secret = match (raw.token, raw.token_file) {
            (Some(_), Some(file)) => {
                let what = "`token` and `token-file` at one place: leave one out".to_owned();
                return Err(mistake(file.span().start, what));
            }
            (Some(token), None) => Some((token.span().start, Secret::Token(token.into_inner()))),
            (None, Some(file)) => {
                let path = directory.join(file.as_ref());
                Some((file.span().start, Secret::File(path)))
            }
            (None, None) => None,
        };
        let is_login = |address: &str| address.contains('@') || address.starts_with("ssh://");
        let place_at = match (raw.here, raw.address) {
            (true, address) => {
                let other = places.iter().any(|place: &Place| matches!(place.at, At::Here(_)));
                if let Some((at, _)) = secret {
                    return Err(mistake(at, "this host needs no token".to_owned()));
                }
                if other {
                    return Err(mistake(
                        at,
                        "a second place with `here`: there is one of this host".to_owned(),
                    ));
                }
                At::Here(address.map(Spanned::into_inner))
            }
            (false, None) => {
                let what =
                    format!("`{name}` needs an `address` (a host, host:port or user@host), or `here = true`");
                return Err(mistake(name_at, what));
            }
            (false, Some(address)) if is_login(address.as_ref()) => {
                if let Some((at, _)) = secret {
                    let what =
                        "a far end that ssh starts needs no token: it gets one for that time".to_owned();
                    return Err(mistake(at, what));
                }
                At::Ssh(address.into_inner())
            }
            (false, Some(address)) => {
                let address_at = address.span().start;
                let (host, port) =
                    host_and_port(address.as_ref()).map_err(|what| mistake(address_at, what))?;
                At::Served {
                    host,
                    port: raw.port.map(NonZero::get).or(port),
                    secret: secret.map_or(Secret::Configured, |(_, secret)| secret),
                }
            }
        };
        places.push(Place {
            name,
            site: raw.site,
            at: place_at,
        });
    }
    if !(fewest..=MOST_PLACES).contains(&places.len()) {
        let what = format!(
            "{} places: {fewest} to {MOST_PLACES} tables [[place]] are needed",
            places.len()
        );
        return Err(mistake(text.len(), what));
    }
    Ok(PlacesFile {
        name: raw.name.map(Spanned::into_inner),
        capacity,
        places,
        holds_token,
    })
}

/// `host`, `host:port`, `192.0.2.1:4820`, `2001:db8::1`, `[2001:db8::1]:4820`.
pub(crate) fn host_and_port(text: &str) -> Result<(String, Option<u16>), String> {
    let port = |port: &str| match port.parse::<NonZero<u16>>() {
        Ok(port) => Ok(Some(port.get())),
        Err(_) => Err(format!("`{port}` is no port: 1 to 65535")),
    };
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((host, "")) => (host, None),
            Some((host, behind)) if behind.starts_with(':') => (host, port(&behind[1..])?),
            _ => return Err(format!("`{text}` is no address: write [2001:db8::1]:4820")),
        },
        None => match text.split_once(':') {
            Some((host, digits)) if !digits.contains(':') => (host, port(digits)?),
            // Several colons: an IPv6 address without a port.
            _ => (text, None),
        },
    };
    match host.is_empty() {
        true => Err("an address without a host".to_owned()),
        false => Ok((host.to_owned(), port)),
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

    fn read(text: &str) -> Result<PlacesFile, Mistake> {
        parse(text, Path::new("/etc/mesh"), 2)
    }

    #[test]
    fn places_are_read_as_people_write_them() {
        let mesh = read(
            "name = \"sites\"\ncapacity = \"10 Gbit/s\"\n\
             [[place]]\nname = \"a\"\nhere = true\nsite = \"DESY\"\n\
             [[place]]\nname = \"b\"\naddress = \"dtn.example.org:4821\"\ntoken-file = \"b.token\"\n\
             [[place]]\nname = \"c\"\naddress = \"[2001:db8::1]:5000\"\ntoken = \"secret\"\n\
             [[place]]\nname = \"d\"\naddress = \"2001:db8::2\"\n\
             [[place]]\nname = \"e\"\naddress = \"me@dtn.example.org\"\n",
        )
        .unwrap();
        assert_eq!(mesh.capacity, Some(RateBps(1e10)));
        assert!(mesh.holds_token);
        let served = |host: &str, port, secret| At::Served {
            host: host.to_owned(),
            port,
            secret,
        };
        let at: Vec<At> = mesh.places.iter().map(|place| place.at.clone()).collect();
        let file = Secret::File(std::path::PathBuf::from("/etc/mesh/b.token"));
        assert_eq!(
            at,
            [
                At::Here(None),
                served("dtn.example.org", Some(4821), file),
                served("2001:db8::1", Some(5000), Secret::Token("secret".to_owned())),
                served("2001:db8::2", None, Secret::Configured),
                At::Ssh("me@dtn.example.org".to_owned()),
            ]
        );
        assert_eq!(mesh.places[0].site.as_deref(), Some("DESY"));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let two = "[[place]]\nname = \"a\"\nhere = true\n[[place]]\nname = \"b\"\n";
        for (text, at, named) in [
            ("places = 1\n".to_owned(), 1, "`places`"),
            (format!("{two}adress = \"x\"\n"), 6, "`adress`"),
            (two.to_owned(), 5, "address"),
            (format!("{two}here = true\n"), 4, "second"),
            (format!("{two}address = \"x:0\"\n"), 6, "port"),
            (format!("{two}address = \":7\"\n"), 6, "host"),
            (
                format!("{two}address = \"x\"\ntoken = \"t\"\ntoken-file = \"f\"\n"),
                8,
                "leave one out",
            ),
            (format!("{two}address = \"me@x\"\ntoken = \"t\"\n"), 7, "ssh"),
            (
                "[[place]]\nname = \"a\"\nhere = true\ntoken = \"t\"\n".to_owned(),
                4,
                "no token",
            ),
            (
                "[[place]]\nname = \"a\"\nhere = true\n[[place]]\nname = \"A\"\n".to_owned(),
                5,
                "second place",
            ),
            ("[[place]]\nname = \" \"\n".to_owned(), 2, "name"),
            ("[[place]]\nname = \"a\"\nhere = true\n".to_owned(), 4, "1 places"),
            ("capacity = \"fast\"\n".to_owned(), 1, "not a rate"),
        ] {
            let mistake = read(&text).expect_err(&text);
            assert!(mistake.what.contains(named), "{text:?}: {mistake:?}");
            assert_eq!(mistake.line, at, "{text:?}: {mistake:?}");
        }
    }

    #[test]
    fn a_token_on_a_wrong_line_is_not_repeated() {
        let mistake = read("[[place]]\nname = \"a\"\ntokn = \"orbit-velvet-cactus-61\"\n").unwrap_err();
        assert!(!mistake.what.contains("orbit"), "{mistake:?}");
    }
}

//! Where the configuration is looked for.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// Names another file. `/dev/null` is an empty one.
pub(crate) const VARIABLE: &str = "SLOWPATH_CONFIG";

/// The file that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    /// Somebody named it: then it has to be there.
    pub(super) is_named: bool,
}

/// In the order of the XDG base directory specification; `None` where there is no home either.
pub(super) fn of_this_process() -> Option<Place> {
    find(|name| env::var_os(name))
}

/// An empty variable counts as none, and so does a relative `XDG_CONFIG_HOME`: the specification says so.
fn find(variable: impl Fn(&str) -> Option<OsString>) -> Option<Place> {
    let path = |name: &str| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(path) = path(VARIABLE) {
        return Some(Place { path, is_named: true });
    }
    let directory = path("XDG_CONFIG_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| Some(path("HOME")?.join(".config")))?;
    Some(Place {
        path: directory.join("slowpath/config.toml"),
        is_named: false,
    })
}

/// The user's home.
pub(super) fn home() -> Option<PathBuf> {
    env::var_os("HOME")
        .filter(|home| !home.is_empty())
        .map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_looked_for_in_one_place() {
        let found = |set: &[(&str, &str)]| {
            let place = find(|name| {
                set.iter()
                    .find(|(n, _)| *n == name)
                    .map(|(_, value)| OsString::from(value))
            })?;
            Some((place.path.display().to_string(), place.is_named))
        };
        let is = |path: &str, is_named| Some((path.to_owned(), is_named));
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("HOME", "")]), None);
        assert_eq!(
            found(&[("HOME", "/h")]),
            is("/h/.config/slowpath/config.toml", false)
        );
        assert_eq!(
            found(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")]),
            is("/x/slowpath/config.toml", false)
        );
        assert_eq!(
            found(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "x")]),
            is("/h/.config/slowpath/config.toml", false)
        );
        assert_eq!(
            found(&[("XDG_CONFIG_HOME", "/x"), ("SLOWPATH_CONFIG", "c.toml")]),
            is("c.toml", true)
        );
        assert_eq!(
            found(&[("HOME", "/h"), ("SLOWPATH_CONFIG", "")]),
            is("/h/.config/slowpath/config.toml", false)
        );
    }
}

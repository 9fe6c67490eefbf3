//! The user's configuration: what is the same each time need not be typed each time.
//!
//! It is read before anything else, while the process may still read the user's files: commands that talk to strangers give
//! that up ([`crate::runtime::as_client`]). Only the end that connects has settings. `serve` takes none of them: which token
//! it accepts must not follow from one that somebody uses elsewhere.

mod file;
mod place;

use crate::color::When;
use file::Contents;
use place::Place;
use std::fmt;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

pub(crate) use place::VARIABLE;

/// A setting as the file gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Given<T> {
    value: T,
    line: usize,
}

/// What can be said of a far end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Settings {
    token_file: Option<Given<PathBuf>>,
    port: Option<Given<u16>>,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The command line, by the option's name.
    Option(&'static str),
    /// A variable, by name.
    Environment(&'static str),
    /// A line of the configuration.
    File {
        /// As it was found.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    /// Nobody said anything.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option(name) | Self::Environment(name) => f.write_str(name),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value, and who gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

/// A configuration that cannot be used. It is never passed over: whoever wrote it relies on it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("{path}: {source}: make the file readable, or name another with {VARIABLE} (/dev/null for none)")]
    Unreadable { path: String, source: io::Error },
    #[error(
        "{path}:{line}: {what}: correct or remove the line; `slowpath config --help` shows what a file may hold"
    )]
    Wrong { path: String, line: usize, what: String },
}

/// The configuration of this run.
#[derive(Debug, Default)]
pub(crate) struct Config {
    path: Option<PathBuf>,
    /// `None`: there is no such file.
    contents: Option<Contents>,
}

impl Config {
    /// Reads the user's file, if there is one.
    ///
    /// # Errors
    /// It cannot be read or says what cannot be meant, or a file that was named is not there.
    pub(crate) fn load() -> Result<Self, ConfigError> {
        place::of_this_process().map_or_else(|| Ok(Self::default()), Self::read)
    }

    fn read(Place { path, is_named }: Place) -> Result<Self, ConfigError> {
        let shown = || path.display().to_string();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if !is_named && is_missing(&error, &path) => {
                return Ok(Self {
                    path: Some(path),
                    contents: None,
                });
            }
            Err(source) => {
                return Err(ConfigError::Unreadable {
                    path: shown(),
                    source,
                });
            }
        };
        // Absolute: a process may go to another directory before it reads the token.
        let whole = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
        let directory = whole.parent().unwrap_or(Path::new("/"));
        let contents = file::read(&text, directory, place::home().as_deref());
        let contents = contents.map_err(|mistake| ConfigError::Wrong {
            path: shown(),
            line: mistake.line,
            what: mistake.what,
        })?;
        Ok(Self {
            path: Some(path),
            contents: Some(contents),
        })
    }

    /// The file that is looked for, whether it is there or not.
    pub(crate) fn looked_for() -> Option<PathBuf> {
        place::of_this_process().map(|place| place.path)
    }

    /// The file that was read.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.contents.as_ref().and(self.path.as_deref())
    }

    /// When there is colour.
    pub(crate) fn color(&self) -> Option<Setting<When>> {
        self.setting(self.contents.as_ref()?.color.as_ref())
    }

    /// The file with the token for `host`, as the command line names it; `None` for what holds for all.
    pub(crate) fn token_file(&self, host: Option<&str>) -> Option<Setting<PathBuf>> {
        self.setting(self.of_far_end(host, |settings| settings.token_file.as_ref()))
    }

    /// The port of `host`, likewise.
    pub(crate) fn port(&self, host: Option<&str>) -> Option<Setting<u16>> {
        self.setting(self.of_far_end(host, |settings| settings.port.as_ref()))
    }

    /// The hosts that have a table.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = &str> {
        self.contents
            .iter()
            .flat_map(|contents| contents.hosts.keys())
            .map(String::as_str)
    }

    /// A host's own line goes before that for all.
    fn of_far_end<'a, T>(
        &'a self,
        host: Option<&str>,
        pick: impl Fn(&'a Settings) -> Option<&'a Given<T>>,
    ) -> Option<&'a Given<T>> {
        let contents = self.contents.as_ref()?;
        let own = host.and_then(|host| contents.hosts.get(&file::same_name(host)));
        own.and_then(&pick).or_else(|| pick(&contents.common))
    }

    fn setting<T: Clone>(&self, given: Option<&Given<T>>) -> Option<Setting<T>> {
        let Given { value, line } = given?;
        let path = self.path.clone()?;
        Some(Setting {
            value: value.clone(),
            origin: Origin::File { path, line: *line },
        })
    }
}

/// No file, or a directory on the way to it is none, or is closed: who runs us as another user (`setpriv`, a service) often
/// leaves HOME as it was, and what lies in somebody else's home is not our user's configuration. A file that can be seen and
/// not be read is another matter.
fn is_missing(error: &io::Error, path: &Path) -> bool {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => true,
        ErrorKind::PermissionDenied => fs::metadata(path).is_err(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        let contents = file::read(text, Path::new("/c"), None).expect("a sound file");
        Config {
            path: Some(PathBuf::from("/c/config.toml")),
            contents: Some(contents),
        }
    }

    #[test]
    fn a_hosts_own_line_goes_before_the_common_one() {
        let config = config("port = 1\ntoken-file = \"t\"\n[host.\"dtn.example.org\"]\nport = 2\n");
        let port = |host| config.port(host).map(|set| (set.value, set.origin.to_string()));
        assert_eq!(port(None), Some((1, "/c/config.toml:1".to_owned())));
        assert_eq!(
            port(Some("dtn.example.org")),
            Some((2, "/c/config.toml:4".to_owned()))
        );
        assert_eq!(
            port(Some("DTN.Example.Org.")),
            Some((2, "/c/config.toml:4".to_owned()))
        );
        assert_eq!(
            port(Some("example.org")),
            Some((1, "/c/config.toml:1".to_owned()))
        );
        let token = config
            .token_file(Some("dtn.example.org"))
            .expect("the common one");
        assert_eq!(token.value, Path::new("/c/t"));
        assert_eq!(Config::default().port(None), None);
    }

    #[test]
    fn only_a_file_that_nobody_named_may_be_missing() {
        let path = PathBuf::from("/nonexistent/config.toml");
        let read = |is_named| {
            Config::read(Place {
                path: path.clone(),
                is_named,
            })
        };
        assert!(read(false).is_ok_and(|config| config.file().is_none()));
        assert!(matches!(read(true), Err(ConfigError::Unreadable { .. })));
        let directory = Config::read(Place {
            path: PathBuf::from("/"),
            is_named: false,
        });
        assert!(matches!(directory, Err(ConfigError::Unreadable { .. })));
    }
}

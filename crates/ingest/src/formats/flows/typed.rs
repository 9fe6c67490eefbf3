//! The command above a tool's output: which host is at the other end, and which way the data go.

use super::web::CURL_UPLOADS;
use crate::arrival::is_timed;
use crate::command::{Run, divided};
use crate::host::host;
use evidence::Node;

/// Which way the data go, seen from the host that ran the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::formats) enum Way {
    /// To it.
    Fetched,
    /// From it.
    Sent,
}

/// What a command says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::formats) struct Ends {
    /// Where the tool ran.
    pub(in crate::formats) local: Node,
    /// The other end.
    pub(in crate::formats) remote: Node,
    pub(super) way: Option<Way>,
    /// Both ends, where neither is where the tool ran.
    pub(super) pair: Option<(Node, Node)>,
    /// Data go over no network, or nobody knows over which.
    pub(super) stays: bool,
    /// The program runs at both ends, and each prints what it did: the sender's first, as the receiver is done after it.
    pub(super) is_told_by_both: bool,
    /// Data go both ways at once, and what is told is their sum.
    pub(super) is_sum: bool,
}

impl Ends {
    /// Sender and receiver; unknown where the way is.
    pub(super) fn in_order(&self) -> (Node, Node) {
        match (&self.pair, self.way) {
            (Some((from, to)), _) => (from.clone(), to.clone()),
            (None, Some(Way::Sent)) => (self.local.clone(), self.remote.clone()),
            (None, Some(Way::Fetched)) => (self.remote.clone(), self.local.clone()),
            (None, None) => Default::default(),
        }
    }
}

/// A command with its words.
#[derive(Debug, Clone)]
pub(in crate::formats) struct Typed<'l> {
    /// The program without its folder.
    pub(super) program: &'l str,
    pub(in crate::formats) words: Vec<&'l str>,
    /// All of it.
    pub(in crate::formats) command: &'l str,
    pub(super) device: Option<&'l str>,
}

/// Programs that may hand what they fetch to the next one of a pipeline.
pub(super) const FETCHERS: &[&str] = &["curl", "wget", "wget2"];

/// The command of a line that runs one of these programs.
pub(in crate::formats) fn typed<'l>(line: &'l str, programs: &[&str]) -> Option<Typed<'l>> {
    command(line, |program| programs.contains(&program))
}

/// The command of a line that runs a program that is known. Without a prompt, prose may begin with the name of a program: then
/// an option, an address or a path has to follow.
pub(super) fn command(line: &str, is_known: impl Fn(&str) -> bool) -> Option<Typed<'_>> {
    let run = Run::find(line, is_known)?;
    // zsh's `time` puts the command before what it took.
    if !run.is_prompted && is_timed(line) {
        return None;
    }
    let words: Vec<&str> = run.words().collect();
    let telling = |word: &&str| word.starts_with('-') && word.len() > 1 || word.contains(['/', ':', '=']);
    (run.is_prompted || words.iter().any(telling)).then_some(Typed {
        program: run.program,
        words,
        command: run.typed,
        device: run.device,
    })
}

impl<'l> Typed<'l> {
    fn local(&self) -> Node {
        self.device.map(Node::named).unwrap_or_default()
    }

    /// The words that are no options, nor values of these options.
    pub(super) fn plain(&self, valued: &[&str]) -> Vec<&'l str> {
        let mut plain = Vec::new();
        let mut words = self.words.iter().copied();
        while let Some(word) = words.next() {
            if valued.contains(&word) {
                words.next();
            } else if !word.starts_with('-') {
                plain.push(word);
            }
        }
        plain
    }

    /// The host that a client is given: the first word that is no option, no value of these options, and no figure. An option that nobody
    /// told of here may have one behind it, and no host is called `10` or `64K`.
    pub(super) fn server(&self, valued: &[&str]) -> Option<&'l str> {
        self.plain(valued).into_iter().find(|word| !is_figure(word))
    }

    /// Whether one of these options is there, also glued to its value or to other letters of one dash.
    pub(in crate::formats) fn has(&self, options: &[&str]) -> bool {
        self.words.iter().any(|word| {
            options.iter().any(|option| {
                word == option
                    || option.starts_with("--")
                        && word.strip_prefix(option).is_some_and(|r| r.starts_with('='))
            })
        })
    }

    /// Of a program that fetches what a URL names, unless an option sends.
    pub(in crate::formats) fn of_url(&self, sending: &[&str]) -> Ends {
        let mut hosts = self
            .words
            .iter()
            .filter_map(|word| url_host(word.trim_matches(['\'', '"'])));
        let remote = hosts.next().unwrap_or_default();
        let same = hosts.all(|other| other == remote);
        let sends = self.has(sending);
        Ends {
            local: self.local(),
            remote: if same { remote } else { Node::default() },
            way: Some(if sends { Way::Sent } else { Way::Fetched }),
            ..Ends::default()
        }
    }

    /// Of a program that copies sources to a destination, the last word.
    pub(super) fn of_copy(&self, valued: &[&str]) -> Ends {
        self.of_copy_by(valued, remote_of)
    }

    /// The same, where a word's host is told by rules of its own.
    pub(super) fn of_copy_by(&self, valued: &[&str], remote_of: fn(&str) -> Option<Node>) -> Ends {
        let mut words = self.plain(valued);
        let Some(destination) = words.pop() else {
            return Ends::default();
        };
        if words.is_empty() {
            return Ends {
                local: self.local(),
                ..Ends::default()
            };
        }
        let to = remote_of(destination);
        let mut sources: Vec<Option<Node>> = words.iter().map(|word| remote_of(word)).collect();
        sources.dedup();
        let [from] = sources.as_slice() else {
            return Ends::default();
        };
        let local = self.local();
        match (from.clone(), to) {
            (Some(from), Some(to)) => Ends {
                pair: Some((from, to)),
                ..Ends::default()
            },
            (Some(remote), None) => Ends {
                local,
                remote,
                way: Some(Way::Fetched),
                ..Ends::default()
            },
            (None, Some(remote)) => Ends {
                local,
                remote,
                way: Some(Way::Sent),
                ..Ends::default()
            },
            (None, None) => Ends {
                local,
                stays: true,
                ..Ends::default()
            },
        }
    }

    /// The commands of a pipeline.
    pub(super) fn parts(&self) -> impl Iterator<Item = &'l str> {
        divided(self.command, &["|"])
    }

    /// Whether it is a command of this program, or a pipeline that it is in.
    pub(super) fn runs(&self, program: &str) -> bool {
        let first = |part: &'l str| part.split_ascii_whitespace().next();
        self.program == program || self.parts().any(|part| first(part) == Some(program))
    }

    /// Of a pipeline in which data go to or come from `nc`, `ssh` and their like: `dd … | nc host 5001`, `nc -l 5001 | dd of=…`,
    /// `curl URL | pv >…`.
    pub(super) fn of_pipeline(&self) -> Ends {
        let mut parts: Vec<&str> = self.parts().collect();
        if FETCHERS.contains(&self.program) {
            return Ends {
                // What comes back from an upload is its answer.
                stays: self.has(CURL_UPLOADS),
                ..self.of_url(&[])
            };
        }
        if let Some(first) = parts.first_mut() {
            let wrapped = ["sudo ", "time "];
            *first = wrapped
                .iter()
                .fold(*first, |text, word| text.strip_prefix(word).unwrap_or(text));
        }
        let place = parts.iter().position(|part| network_program(part).is_some());
        let host_of = |at: usize| {
            parts
                .get(at)
                .and_then(|part| network_program(part))
                .unwrap_or_default()
        };
        match place {
            None => Ends {
                stays: true,
                ..Ends::default()
            },
            Some(0) if parts.len() == 1 => Ends {
                stays: true,
                ..Ends::default()
            },
            Some(0) => Ends {
                local: self.local(),
                remote: host_of(0),
                way: Some(Way::Fetched),
                ..Ends::default()
            },
            Some(at) => Ends {
                local: self.local(),
                remote: host_of(at),
                way: Some(Way::Sent),
                ..Ends::default()
            },
        }
    }
}

impl Typed<'_> {
    /// `mbuffer -O host:port` sends, `mbuffer -I port` receives; in a pipeline something else may do so.
    pub(super) fn of_mbuffer(&self) -> Ends {
        let behind = |option: &str| {
            let mut words = self.command.split_ascii_whitespace();
            words.find(|word| *word == option).and(words.next())
        };
        let local = self.local();
        match (behind("-O"), behind("-I")) {
            (Some(to), None) => Ends {
                local,
                remote: to
                    .rsplit_once(':')
                    .map(|(name, _)| host(name))
                    .unwrap_or_default(),
                way: Some(Way::Sent),
                ..Ends::default()
            },
            (None, Some(_)) => Ends {
                local,
                way: Some(Way::Fetched),
                ..Ends::default()
            },
            _ => Ends {
                stays: true,
                ..Ends::default()
            },
        }
    }
}

/// `10`, `2.5`, `64K`, `100ms`: a number, perhaps with a unit.
fn is_figure(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let unit = unit
        .strip_prefix('.')
        .unwrap_or(unit)
        .trim_start_matches(|c: char| c.is_ascii_digit());
    let is_unit = unit.len() <= 3 && unit.bytes().all(|byte| byte.is_ascii_alphabetic());
    is_unit && word.starts_with(|c: char| c.is_ascii_digit())
}

/// The host that a part of a pipeline talks to, unknown for one that listens; `None` where it is no program of the network.
fn network_program(part: &str) -> Option<Node> {
    let mut words = part.split_ascii_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    let mut rest = words.filter(|word| !word.starts_with('-'));
    match program {
        "nc" | "ncat" | "netcat" if part.split_ascii_whitespace().any(listens) => Some(Node::default()),
        "nc" | "ncat" | "netcat" | "mbuffer" => {
            let named = |word: &&str| {
                word.bytes()
                    .any(|b| b.is_ascii_alphabetic() || matches!(b, b'.' | b':'))
            };
            Some(
                rest.find(named)
                    .filter(|_| program != "mbuffer")
                    .map(host)
                    .unwrap_or_default(),
            )
        }
        "ssh" => {
            let mut words = part.split_ascii_whitespace().skip(1);
            while let Some(word) = words.next() {
                match word {
                    "-p" | "-i" | "-o" | "-c" | "-l" | "-F" | "-J" | "-m" | "-L" | "-R" | "-b" => {
                        words.next();
                    }
                    _ if word.starts_with('-') => {}
                    _ => return Some(host(word.rsplit('@').next().unwrap_or(word))),
                }
            }
            None
        }
        "socat" => {
            let target = rest.find_map(|word| {
                word.split_once(':')
                    .filter(|(kind, _)| kind.to_ascii_uppercase().starts_with("TCP"))
            })?;
            Some(
                target
                    .1
                    .rsplit_once(':')
                    .map(|(name, _)| host(name))
                    .unwrap_or_default(),
            )
        }
        _ => None,
    }
}

fn listens(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains('l') || word == "--listen"
}

/// The host of `scheme://user@host:port/path`.
pub(in crate::formats) fn url_host(url: &str) -> Option<Node> {
    let (scheme, rest) = url.split_once("://")?;
    let is_scheme = !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+');
    if !is_scheme || scheme == "file" {
        return None;
    }
    let place = rest.split(['/', '?', '#']).next()?;
    let place = place.rsplit('@').next()?;
    let name = match place.strip_prefix('[') {
        Some(inner) => inner.split(']').next()?,
        None => place.split(':').next()?,
    };
    // What a shell put there is not known here.
    (!name.is_empty() && !name.contains('$')).then(|| host(name))
}

/// The host of `user@host:path`, `[2001:db8::1]:path`, `host::module/path` or a URL; `None` for a local path.
pub(super) fn remote_of(word: &str) -> Option<Node> {
    if word.contains("://") {
        return url_host(word);
    }
    let bare = word.rsplit_once('@').map_or(word, |(_, rest)| rest);
    if let Some(inner) = bare.strip_prefix('[') {
        let (address, rest) = inner.split_once(']')?;
        return rest.starts_with(':').then(|| host(address));
    }
    // A letter alone is a drive.
    named_host(bare).filter(|name| name.len() > 1).map(host)
}

/// The same where no word can be a drive, as both ends are other hosts.
pub(super) fn surely_remote_of(word: &str) -> Option<Node> {
    remote_of(word).or_else(|| named_host(word.rsplit_once('@').map_or(word, |(_, rest)| rest)).map(host))
}

/// The name before the first colon; a folder before it is a path.
fn named_host(bare: &str) -> Option<&str> {
    let (name, _) = bare.split_once(':')?;
    (!name.is_empty() && !name.contains(['/', '\\', '='])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str, programs: &[&str]) -> Typed<'static> {
        typed(Box::leak(line.to_owned().into_boxed_str()), programs).unwrap()
    }

    #[test]
    fn copies_have_a_way() {
        let scp = |line: &str| of(line, &["scp"]).of_copy(&["-P", "-i"]).in_order();
        let (a, none) = (Node::named("b.example"), Node::default());
        assert_eq!(scp("$ scp -P 22 f b.example:/tmp"), (none.clone(), a.clone()));
        assert_eq!(scp("$ scp u@b.example:f ."), (a.clone(), none.clone()));
        assert_eq!(scp("x$ scp f [2001:db8::1]:/tmp").1, Node::read("2001:db8::1"));
        assert!(of("$ scp C:\\f d", &["scp"]).of_copy(&[]).stays);
        assert_eq!(
            scp("$ scp b.example:f c.example:g"),
            (a, Node::named("c.example"))
        );
    }

    #[test]
    fn pipelines_reach_hosts() {
        let dd = |line: &str| of(line, &["dd", "nc", "ssh", "pv"]).of_pipeline();
        assert_eq!(
            dd("$ dd if=/dev/zero bs=1M | nc b.example 5001").remote,
            Node::named("b.example")
        );
        assert_eq!(
            dd("$ dd if=x | ssh -p 22 u@b.example 'cat >y'").way,
            Some(Way::Sent)
        );
        assert_eq!(dd("$ nc -l 5001 | dd of=x").way, Some(Way::Fetched));
        assert!(dd("$ dd if=/dev/zero of=/tmp/x").stays);
        assert!(typed("dd is slow", &["dd"]).is_none(), "prose");
    }
}

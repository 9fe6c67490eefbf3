//! On which host a command prints.

use super::runners::{self, Where, runner};
use super::{MININET, Words, commands, divided, first_program, name, options};
use crate::prompt::CommandLine;

/// The host that prints what was typed: not that of the prompt where it runs through a login, and nobody knows which where it runs in
/// a network of its own, or where several print.
pub(crate) fn place<'l>(typed: &CommandLine<'l>) -> Option<&'l str> {
    let device = typed.device();
    let mut places = commands(typed.command)
        .filter(|command| !command.is_empty())
        .map(|command| place_of(command, device));
    let first = places.next()?;
    places.all(|other| other == first).then_some(first)?
}

/// The place of what a pipeline prints: that of its first program, which those behind it filter, unless one of these runs elsewhere.
fn place_of<'l>(pipeline: &'l str, device: Option<&'l str>) -> Option<&'l str> {
    let mut commands = divided(pipeline, &["|"]);
    let first = commands.next()?;
    if shows_file(first) {
        return None;
    }
    let place = place_of_one(first, device);
    commands
        .all(|command| place_of_one(command, device) == device)
        .then_some(place)?
}

/// Whether a command shows a file, which may have been written anywhere; those of the kernel, and settings, say how this host is.
pub(crate) fn shows_file(command: &str) -> bool {
    const VIEWERS: [&str; 8] = ["cat", "zcat", "tac", "less", "more", "head", "tail", "bat"];
    const OF_HOST: [&str; 4] = ["/proc/", "/sys/", "/etc/", "net/"];
    let Some((_, words)) = first_program(command).filter(|(name, _)| VIEWERS.contains(name)) else {
        return false;
    };
    let is_file =
        |word: &str| !options::is_option(word) && word.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_of_host = |word: &str| OF_HOST.iter().any(|folder| word.starts_with(folder));
    words.filter(|word| is_file(word)).any(|word| !is_of_host(word))
}

fn place_of_one<'l>(command: &'l str, mut device: Option<&'l str>) -> Option<&'l str> {
    let mut words = Words::of(command);
    if device == Some(MININET) {
        device = words.next();
    }
    let (mut is_run, mut may_be_value) = (false, false);
    while let Some(word) = words.next() {
        let name = name(word);
        match runner(name) {
            // `timeout 30 sudo -u x ssh …`: options, their values and figures come in between.
            Some(Where::Here) => (is_run, may_be_value) = (true, false),
            // `ssh gw ssh b1 …`: from one to the next.
            Some(Where::Login) => {
                let user = user(words.clone())?;
                device = Some(host_of(user)?);
                while words.next().is_some_and(|word| !std::ptr::eq(word, user)) {}
                is_run = true;
            }
            // `ip -s link` runs nothing.
            Some(Where::Elsewhere) if name != "ip" || words.any(|word| word == "exec") => return None,
            None if is_run && options::is_option(word) => may_be_value = true,
            None if is_run && (may_be_value || word.starts_with(|c: char| c.is_ascii_digit())) => {
                may_be_value = false;
            }
            _ => return device,
        }
    }
    device
}

/// The host that one logs in to.
pub(super) fn login(words: Words<'_>) -> Option<&str> {
    host_of(user(words)?)
}

/// `user@host`, as it was typed.
fn user(words: Words<'_>) -> Option<&str> {
    options::operand(words.apart(), runners::LOGIN)
}

fn host_of(user: &str) -> Option<&str> {
    let host = user.rsplit('@').next().unwrap_or(user);
    (!host.is_empty() && !host.contains('$')).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::command_line;

    #[test]
    fn a_command_prints_where_it_runs() {
        let place = |line| place(&command_line(line).unwrap());
        assert_eq!(place("a1# sysctl a; sysctl b"), Some("a1"));
        assert_eq!(place("a1# sysctl a && ssh b1 sysctl b"), None);
        assert_eq!(place("a1# ssh b1 sysctl a; ssh root@b1 sysctl b"), Some("b1"));
        assert_eq!(place("a1# cd /proc; cat net/dev;"), Some("a1"));
        assert_eq!(place("a1# cat /proc/net/dev | tail -1"), Some("a1"));
        assert_eq!(place("a1# cat /tmp/b1/ss.txt"), None);
        assert_eq!(place("a1# ssh -o \"StrictHostKeyChecking no\" b1 ss"), Some("b1"));
        assert_eq!(place("a1# ssh $HOST ss"), None);
        assert_eq!(place("a1# ssh -A gw ssh b1 ss -tin"), Some("b1"));
        assert_eq!(place("mininet> h1 ss -tin"), Some("h1"));
        for line in [
            "a1# ssh b1 ip -s link | head",
            "a1# ssh -p 22 ops@b1 'sysctl -a | grep tcp' | sort",
            "a1# time sudo ssh b1 sysctl -a",
            "a1# sshpass -p x ssh b1 sysctl -a",
        ] {
            assert_eq!(place(line), Some("b1"), "{line}");
        }
        for line in [
            "a1# sysctl -a | ssh b1 sort",
            "a1# pdsh -w b[1-9] sysctl -a",
            "a1# gcloud compute ssh b1 --command 'sysctl -a'",
            "a1# sudo docker exec b1 sysctl -a",
        ] {
            assert_eq!(place(line), None, "{line}");
        }
        assert_eq!(place("a1# sudo sysctl -a | grep 'a|b' | sort"), Some("a1"));
        assert_eq!(place("a1# sudo ss -tin dport = ssh or sport = ssh"), Some("a1"));
        assert_eq!(place("a1# timeout 30 sudo -u x ssh -p 22 b1 ss -tin"), Some("b1"));
    }
}

//! Command lines as they stand in a copied terminal: often the only place that names the device, the interface or the
//! packet size of the output below.

use crate::command::bare;
use crate::text::{holds, split_once};

/// A command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandLine<'a> {
    host: Host<'a>,
    /// What was typed.
    pub(crate) command: &'a str,
}

/// Who typed: most who ask for the command never ask whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Host<'a> {
    /// The prompt, which may name it.
    At(&'a str),
    Known(Option<&'a str>),
}

impl<'a> CommandLine<'a> {
    /// What was typed on this host.
    pub(crate) fn on(device: Option<&'a str>, command: &'a str) -> Self {
        let host = Host::Known(device);
        Self { host, command }
    }

    /// The host that the prompt names.
    pub(crate) fn device(&self) -> Option<&'a str> {
        match self.host {
            // VRP and Comware put it between angle brackets.
            Host::At(prompt) => match remote(prompt) {
                Some((host, _)) => device(host),
                None => device(without_count(unframed(prompt.trim_ascii()), prompt)),
            },
            Host::Known(device) => device,
        }
    }
}

/// No prompt is longer.
const LONGEST_PROMPT: usize = 80;

/// Reads `rtr-dmz>show interface`, `user@router> show interfaces`, `[root@host ~]# ethtool -S eth0`, `$ ping host`,
/// `14cottrell@flora01:~>ping -s 1473`, and what only a device takes without a prompt (`show interfaces`); `None` for any other line.
pub(crate) fn command_line(line: &str) -> Option<CommandLine<'_>> {
    let Some(end) = sign(line) else {
        return bare(line).map(|command| CommandLine::on(None, command));
    };
    let (prompt, rest) = (line.get(..end)?, line.get(end + 1..)?.trim_ascii());
    // "<anna@example.org> wrote:" stands above what a mail quotes.
    if prompt.starts_with('<') && prompt.contains('@') {
        return None;
    }
    let typed = rest
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.'));
    // `iperf-3.13-win64>iperf3.exe …`: Windows' own shell names a folder, and never a host.
    let is_of_windows = || {
        let program = split_once(rest, b' ').map_or(rest, |(program, _)| program);
        line.as_bytes().get(end) == Some(&b'>') && program.ends_with(".exe")
    };
    typed.then(|| CommandLine {
        host: match is_of_windows() {
            true => Host::Known(None),
            false => Host::At(prompt),
        },
        command: without_mode(rest),
    })
}

/// EXOS counts the commands behind its name, `X440.7 # show …`, and a stack says its slot before it.
fn without_count<'p>(name: &'p str, prompt: &str) -> &'p str {
    let name = exos_name(name);
    let counted = name.rsplit_once('.').filter(|(_, count)| is_number(count));
    counted
        .filter(|_| prompt.ends_with(' '))
        .map_or(name, |(name, _)| name)
}

fn is_counted(name: &[u8]) -> bool {
    let end = name.iter().rposition(|byte| !byte.is_ascii_digit());
    end.is_some_and(|end| name[end] == b'.' && end + 1 < name.len() && name[0].is_ascii_alphabetic())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What stands behind the star for what is not saved, and behind the slot of a stack.
fn exos_name(text: &str) -> &str {
    let text = text.strip_prefix("* ").unwrap_or(text);
    let slot = text.strip_prefix("Slot-").and_then(|rest| split_once(rest, b' '));
    slot.filter(|(slot, _)| is_number(slot))
        .map_or(text, |(_, name)| name)
}

/// Where the sign stands behind such a name.
fn exos_sign(line: &str) -> Option<usize> {
    let name = exos_name(line);
    let begin = line.len() - name.len();
    let end = name.find(" # ").filter(|_| begin > 0)?;
    let (_, count) = name.get(..end)?.rsplit_once('.')?;
    (is_number(count) && !name.get(..end)?.contains(' ')).then_some(begin + end + 1)
}

/// A prompt without the signs around it; most have none.
fn unframed(prompt: &str) -> &str {
    let is_sign = |byte: Option<&u8>| matches!(byte, Some(b'[' | b']' | b'<' | b'~' | b'*' | b'-'));
    if !is_sign(prompt.as_bytes().first()) && !is_sign(prompt.as_bytes().last()) {
        return prompt;
    }
    // Behind the brackets of RouterOS stands the menu that it is in.
    let prompt = split_once(prompt, b']').map_or(
        prompt,
        |(name, menu)| {
            if menu.starts_with(" /") { name } else { prompt }
        },
    );
    prompt
        .trim_matches(['[', ']', '<'])
        .trim_start_matches(['~', '*'])
        // AOS points at what is typed: `core-1-> show linkagg`.
        .trim_end_matches('-')
}

/// Without the word by which a router takes a command of another mode: `do show …` of IOS, `run show …` of Junos.
fn without_mode(command: &str) -> &str {
    let inner = command
        .strip_prefix("do ")
        .or_else(|| command.strip_prefix("run "));
    let is_asked = |inner: &&str| {
        ["sh", "ping ", "traceroute ", "monitor "]
            .iter()
            .any(|verb| inner.starts_with(verb))
    };
    inner
        .map(str::trim_ascii_start)
        .filter(is_asked)
        .unwrap_or(command)
}

/// Where the sign stands that ends the prompt. Asked of every line of prose by several formats: it looks no further than
/// the first word, as prose has blanks before such a sign and a prompt has them only in brackets.
fn sign(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let begin = bytes.get(..LONGEST_PROMPT).unwrap_or(bytes);
    if begin.first() == Some(&b'[') {
        if let Some((_, behind)) = remote(line) {
            let end = behind.find('>')?;
            return Some(line.len() - behind.len() + end);
        }
        let mut bytes = begin.iter().copied();
        let close = bytes.position(|byte| byte == b']')?;
        // RouterOS puts a blank before it.
        let next = bytes.next()?;
        let is_spaced = next == b' ' && bytes.next() == Some(b'>');
        // RouterOS names the menu that it is in: `[admin@gw] /interface ethernet> print`.
        if next == b' '
            && let Some((menu, _)) = line.get(close + 2..)?.split_once('>')
            && menu.starts_with('/')
            && menu
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || b"/ -".contains(&byte))
        {
            return Some(close + 2 + menu.len());
        }
        // ESXi has no sign behind the brackets: `[root@esx:~] esxcli …`.
        if next == b' ' && !is_spaced && is_place(begin.get(1..close)?) {
            return Some(close);
        }
        // BIG-IP has the folder behind them: `[root@lb1:Active:In Sync] config # …`.
        if next == b' '
            && begin.get(..close)?.contains(&b'@')
            && let Some((folder, _)) = line.get(close + 2..)?.split_once(" # ")
            && !folder.contains(' ')
        {
            return Some(close + 3 + folder.len());
        }
        // Nor has VRP in its system view.
        if line.get(close + 1..).is_some_and(is_of_vrp) {
            return Some(close);
        }
        return (is_sign(next) || is_spaced).then_some(close + 1 + usize::from(is_spaced));
    }
    // FASTPATH, of Netgear, Ubiquiti and others: `(M4300) #show …`.
    if begin.first() == Some(&b'(') {
        let close = begin.iter().position(|byte| *byte == b')')?;
        let sign = begin.get(close + 1..)?;
        return matches!(sign, [b' ', b'#' | b'>', next, ..] if next.is_ascii_lowercase())
            .then_some(close + 2);
    }
    if begin.starts_with(b"* ") || begin.starts_with(b"Slot-") {
        return exos_sign(line);
    }
    let end = begin.iter().position(|byte| MAY_END[usize::from(*byte)])?;
    if is_sign(begin[end]) {
        // `dev.em.0.%desc`, as FreeBSD's sysctl has it: no name ends in a dot.
        return (!begin.get(..end)?.ends_with(b".")).then_some(end);
    }
    // FortiGate: `host # get …`, `host (global) # get …`, with a dollar for who may only read, and in prose there is `Test # 5`.
    let rest = line.get(end..)?;
    // BIG-IP's own shell tells much behind the name: `admin@(lb1)(cfg-sync In Sync)(Active)(/Common)(tmos)# show …`.
    if holds(
        begin.get(..end).and_then(|name| std::str::from_utf8(name).ok())?,
        "@(",
    ) {
        return line.find(")# ").map(|at| at + 1);
    }
    if let Some(at) = sign_behind_role(rest) {
        return Some(end + at);
    }
    let within = rest.strip_prefix(" (").and_then(|inner| split_once(inner, b')'));
    let is_domain = |name: &str| !name.is_empty() && !name.contains(' ');
    let behind = within
        .filter(|(name, _)| is_domain(name))
        .map_or(rest, |(_, behind)| behind);
    let typed = behind
        .strip_prefix(" # ")
        .or_else(|| behind.strip_prefix(" $ "))?;
    let at = end + (rest.len() - behind.len());
    let is_typed = ["get ", "diagnose ", "diag ", "show ", "execute ", "fnsysctl "]
        .iter()
        .any(|verb| typed.starts_with(verb));
    // Root of SUSE and FreeBSD: `host:~ # …`, `root@host:/var/log # …`.
    let is_host = |name: &[u8]| is_at_folder(name) || is_counted(name);
    (is_typed || begin.get(..end).is_some_and(is_host)).then_some(at + 1)
}

/// Where the sign stands behind the part that a switch has in a group of several: `host [standalone: master] (config) # show …` of Onyx.
fn sign_behind_role(rest: &str) -> Option<usize> {
    let (role, behind) = rest.strip_prefix(" [")?.split_once(']')?;
    role.split_once(": ").filter(|(group, _)| !group.contains(' '))?;
    let mode = behind.strip_prefix(" (").and_then(|mode| mode.split_once(')'));
    let typed = mode.map_or(behind, |(_, typed)| typed);
    let is_at_sign = typed.starts_with(" # ") || typed.starts_with(" > ");
    is_at_sign.then_some(rest.len() - typed.len() + 1)
}

/// PowerShell in a session on another host: `[srv1]: PS C:\Users\anna> …`; the host and what is behind `PS`.
fn remote(line: &str) -> Option<(&str, &str)> {
    let (host, behind) = line.strip_prefix('[')?.split_once("]: PS ")?;
    (!host.contains(' ')).then_some((host, behind))
}

/// What was typed at a prompt of PowerShell, of whichever host.
pub(crate) fn typed_in_powershell(line: &str) -> Option<&str> {
    let behind = line
        .strip_prefix("PS ")
        .or_else(|| remote(line).map(|(_, behind)| behind))?;
    behind.split_once('>').map(|(_, typed)| typed)
}

/// Whether it is `user@host:/folder`, as prose in brackets is not.
fn is_place(bytes: &[u8]) -> bool {
    is_at_folder(bytes) && bytes.contains(&b'@') && !bytes.contains(&b' ')
}

/// `host:~`, `user@host:/folder`; an address of the web has two strokes there.
fn is_at_folder(bytes: &[u8]) -> bool {
    let mut halves = bytes.splitn(2, |byte| *byte == b':');
    let (Some(host), Some(folder)) = (halves.next(), halves.next()) else {
        return false;
    };
    !host.is_empty() && matches!(folder.first(), Some(b'~' | b'/')) && !folder.starts_with(b"//")
}

fn is_of_vrp(typed: &str) -> bool {
    ["display ", "dis ", "ping ", "tracert "]
        .iter()
        .any(|verb| typed.starts_with(verb))
}

const fn is_sign(byte: u8) -> bool {
    matches!(byte, b'>' | b'#' | b'$' | b'%')
}

/// What the first word of a line ends at, a prompt or not.
static MAY_END: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        ends[byte] = is_sign(byte as u8) || matches!(byte as u8, b' ' | b'|');
        byte += 1;
    }
    ends
};

/// A prompt at which nothing was typed.
pub(crate) fn is_bare_prompt(line: &str) -> bool {
    let text = line.trim_ascii();
    match text.as_bytes().last() {
        Some(b'>' | b'#') => behind_prompt(text) == Some("") || is_spaced(text),
        Some(b'$' | b'%') => behind_prompt(text) == Some(""),
        Some(b']') => is_view(text),
        // SR Linux says mode and place above its prompt: `--{ + running }--[ interface mgmt0 ]--`.
        Some(b'-') => text.starts_with("--{") && text.contains("}--[") && text.ends_with("]--"),
        _ => text.strip_prefix('\u{279c}').is_some_and(is_folder_of_theme),
    }
}

/// What a theme of zsh shows behind its arrow where nothing is typed: `  ~`, `  src git:(main) ✗`.
fn is_folder_of_theme(behind: &str) -> bool {
    let mut words = behind.split_ascii_whitespace().skip(1);
    behind.starts_with(' ')
        && words.next().is_none_or(|branch| branch.starts_with("git:("))
        && words.all(|word| matches!(word, "\u{2717}" | "\u{2718}"))
}

/// `FGT (root) #`, `X440.7 #`, `host [standalone: master] #`, `(Cisco Controller) >`, `->`: a name, what stands in brackets, and the sign.
/// With a command behind it, most of these could be prose.
fn is_spaced(text: &str) -> bool {
    let is_of_name = |sign: char| sign.is_ascii_alphanumeric() || "_-.:@*/~ ".contains(sign);
    let mut depth = 0_u32;
    let is_such = text.char_indices().all(|(at, sign)| {
        match sign {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return false,
            ')' | ']' => depth -= 1,
            _ => return depth > 0 || is_of_name(sign) || at + 1 == text.len(),
        }
        true
    });
    is_such && depth == 0 && text.len() <= LONGEST_PROMPT && text.matches(' ').count() <= 4
}

/// The view of VRP and Comware (`[~CE6800-10GE1/0/1]`), the level of Junos (`{master}[edit interfaces]`) and of SR OS (`*(ex)[/configure]`,
/// `[A:admin@pe1]`), which stand above a prompt or are one.
fn is_view(text: &str) -> bool {
    let Some((before, view)) = text.split_once('[') else {
        return false;
    };
    let view = view.strip_suffix(']').unwrap_or(view);
    let is_before = before.is_empty() || before.starts_with(['*', '(', '{']) && !before.contains(' ');
    let is_level =
        view == "edit" || view.starts_with("edit ") || view.starts_with('/') || view.contains(":/");
    let is_name = || {
        let name = view.trim_start_matches(['~', '*']);
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.len() > 1
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_./:@".contains(&byte))
    };
    is_before && (is_level || before.is_empty() && is_name())
}

/// What was typed at a prompt, if anything was; `None` without a prompt.
pub(crate) fn behind_prompt(line: &str) -> Option<&str> {
    line.get(sign(line)? + 1..).map(str::trim_ascii)
}

/// The host that the first line of a prompt of two lines names: `┌──(kali㉿dtn1)-[~]`, `user@dtn1 MINGW64 ~`.
pub(crate) fn first_of_two(line: &str) -> Option<&str> {
    let text = line.trim_ascii();
    let user = match text.strip_prefix('\u{250c}') {
        Some(drawn) => drawn.split_once('(')?.1.split_once(')')?.0,
        None => {
            let (user, behind) = text.split_once(' ')?;
            behind.starts_with("MINGW").then_some(user)?
        }
    };
    let (_, host) = user.split_once(['@', '\u{327f}'])?;
    device(host)
}

fn device(prompt: &str) -> Option<&str> {
    // `(M4300) #`, `(wlc2) >`; several words are a model's.
    let inner = prompt.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let prompt = inner.filter(|inner| !inner.contains(' ')).unwrap_or(prompt);
    // IOS XR puts the route processor before the name.
    let prompt = match split_once(prompt, b':') {
        Some((slot, name)) if slot.starts_with("RP/") => name,
        // SR OS the control module, with a star where its configuration is not saved.
        Some(("A" | "B" | "*A" | "*B", name)) if !name.is_empty() => name,
        // `C:>` of Windows, in its topmost folder or without its strokes: a capital alone is a drive.
        Some((drive, _)) if matches!(drive.as_bytes(), [b'A'..=b'Z']) => return None,
        _ => prompt,
    };
    // A drive and a folder of Windows, an address of the web, an arrow, a tag, what a change adds.
    let is_odd = |byte: u8| matches!(byte, b'\\' | b'=' | b'<' | b'>' | b'+');
    if prompt.bytes().any(is_odd) || holds(prompt, "://") {
        return None;
    }
    let user = prompt.bytes().rposition(|byte| byte == b'@');
    let host = user.and_then(|at| prompt.get(at + 1..)).unwrap_or(prompt);
    let inner = host.strip_prefix('(').and_then(|inner| split_once(inner, b')'));
    let host = inner
        .filter(|_| user.is_some())
        .map_or(without_role(host), |(name, _)| name);
    let end = host
        .bytes()
        .position(|byte| matches!(byte, b':' | b' ' | b'(' | b'['));
    let host = end.and_then(|end| host.get(..end)).unwrap_or(host).trim_ascii();
    // `a->b` is no prompt: no name ends like this.
    let is_address = || user.is_some() && host.parse::<std::net::Ipv4Addr>().is_ok();
    // `8325-1#`: a model, and which of them.
    let is_model = || {
        split_once(host, b'-')
            .is_some_and(|(model, which)| model.len() > 2 && is_number(model) && is_number(which))
    };
    let named = host.bytes().any(|byte| byte.is_ascii_alphabetic()) && !host.ends_with('-')
        || is_address()
        || is_model();
    let is_nobodys = is_nobodys(host) || host == "root" && user.is_none();
    (named && !host.contains('/') && !is_shell(host) && !is_tag(host) && !is_nobodys).then_some(host)
}

/// Whether every host calls itself so.
pub(crate) fn is_nobodys(host: &str) -> bool {
    host == "localhost" || host.starts_with("localhost.")
}

/// `fw1` of `fw1/act`, `fw1/pri/act`: which of two ASAs it is.
fn without_role(host: &str) -> &str {
    let Some((name, roles)) = split_once(host, b'/') else {
        return host;
    };
    let are_roles = roles
        .split('/')
        .all(|part| matches!(part, "act" | "stby" | "pri" | "sec" | "actNoFailover"));
    if are_roles { name } else { host }
}

/// What `<pre>ping …` of a web page looks like a prompt with.
pub(crate) fn is_tag(prompt: &str) -> bool {
    [
        "pre",
        "code",
        "p",
        "br",
        "tt",
        "samp",
        "kbd",
        "td",
        "li",
        "div",
        "span",
        "blockquote",
        "b",
        "i",
        "em",
        "strong",
        "u",
        "h2",
        "h3",
        "h4",
    ]
    .contains(&prompt)
}

/// Programs with a prompt of their own, on whichever host.
static SHELLS: [&str; 10] = [
    "PS",
    "crosh",
    "nsh",
    "msh",
    "testpmd",
    "ftp",
    "sftp",
    "smbclient",
    "lftp",
    "mysql",
];

/// `bash-5.1`, `sh-4.2`, `PS`: a shell without a prompt of its own shows its name and version, not the host.
pub(crate) fn is_shell(prompt: &str) -> bool {
    if SHELLS.contains(&prompt) {
        return true;
    }
    // A stroke before it tells a shell of a login.
    let prompt = prompt.trim_start_matches('-');
    let version = ["bash-", "sh-", "dash-", "ksh-", "zsh-"]
        .iter()
        .find_map(|shell| prompt.strip_prefix(shell));
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_name_devices() {
        for (line, device, command) in [
            ("rtr-dmz>show interface", Some("rtr-dmz"), "show interface"),
            ("user@router> show interfaces", Some("router"), "show interfaces"),
            ("[root@host ~]# ethtool -S eth0", Some("host"), "ethtool -S eth0"),
            ("root@host:~# ethtool eth0", Some("host"), "ethtool eth0"),
            (
                "RP/0/RSP0/CPU0:core1#show interfaces",
                Some("core1"),
                "show interfaces",
            ),
            (
                "14cottrell@flora01:~>ping -s 1473 10",
                Some("flora01"),
                "ping -s 1473 10",
            ),
            ("elaine41:~> traceroute", Some("elaine41"), "traceroute"),
            ("bash-4.4$ netstat -i", None, "netstat -i"),
            ("-bash-4.2$ netstat -i", None, "netstat -i"),
            ("C:\\Users\\x>ping -f host", None, "ping -f host"),
            ("C:>ping -f host", None, "ping -f host"),
            ("crosh> ping host", None, "ping host"),
            ("$ ping -s 8972 host", None, "ping -s 8972 host"),
            ("% sudo sting", None, "sudo sting"),
            ("[admin@mt] > /interface print", Some("mt"), "/interface print"),
            (
                "[admin@mt] /interface ethernet> print stats",
                Some("mt"),
                "print stats",
            ),
            (
                "[root@esx7:~] esxcli network nic list",
                Some("esx7"),
                "esxcli network nic list",
            ),
            ("dtn1:~ # ethtool -i eth2", Some("dtn1"), "ethtool -i eth2"),
            ("root@fb1:/var/log # sysctl -a", Some("fb1"), "sysctl -a"),
            (
                "fw-2 # get hardware nic port1",
                Some("fw-2"),
                "get hardware nic port1",
            ),
        ] {
            let typed = command_line(line).map(|typed| (typed.device(), typed.command));
            assert_eq!(typed, Some((device, command)), "{line}");
        }
        for (line, host) in [
            ("root@truenas[~]# ping gw", "truenas"),
            ("fw1/pri/act# show interface", "fw1"),
            ("[~sw1]display interface", "sw1"),
            ("R1(config)#do show interfaces", "R1"),
            ("anna@10.1.2.3:~$ ping gw", "10.1.2.3"),
            ("[srv1]: PS C:\\Users\\anna> ping gw", "srv1"),
        ] {
            assert_eq!(
                command_line(line).and_then(|typed| typed.device()),
                Some(host),
                "{line}"
            );
        }
        for (line, host) in [
            ("\u{250c}\u{2500}\u{2500}(kali\u{327f}dtn1)-[~]", Some("dtn1")),
            ("anna@dtn1 MINGW64 ~", Some("dtn1")),
            ("anna@dtn1 wrote", None),
        ] {
            assert_eq!(first_of_two(line), host, "{line}");
        }
        for nobodys in [
            "root@localhost:~# ping gw",
            "root# ping gw",
            "PS> ping gw",
            "http://a.example/b#c",
            "a=>b",
        ] {
            assert_eq!(
                command_line(nobodys).and_then(|typed| typed.device()),
                None,
                "{nobodys}"
            );
        }
        for prose in [
            "<anna@a.example> wrote:",
            "",
            "In one case > 5 % were lost",
            "[me@example.org] wrote that it was slow",
            "[2:/x] is no prompt",
            "[srv1]: PS we go on",
            "0%",
            "a%",
            "Test # 5 was slow",
            "http://a.example/b # c",
            "note: # c",
            "| a | b -> c |",
            "5 packets transmitted, 0 received, 100% packet loss",
        ] {
            assert_eq!(command_line(prose), None, "{prose}");
        }
    }
}

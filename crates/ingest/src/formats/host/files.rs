//! Files of a Linux kernel as people copy them: `cat`, `head` and `tail` of several, `grep .` with the file before each
//! line, or the bare contents. A line's file says what it is; without one its shape does.

use super::command::{arguments, begins_again, facts, is_noise, is_only};
use super::file_tables::{
    Counted, group_of_names, is_counted_once, is_of_one_interface, is_of_other_memory, is_of_softnet,
    is_part_of_softnet, is_processor_again, is_shaped, is_stat_head,
};
use super::sysctl;
use crate::Context;
use crate::arrival::is_fence;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::formats::host::given::Given;
use evidence::{HostFacts, Interface, Payload};
use std::collections::BTreeMap;

pub(crate) static FORMAT: Format = Format {
    name: "/proc and /sys",
    group: Group::Hosts,
    reads: "/proc/net/dev, snmp, snmp6, netstat, softnet_stat and sockstat, /proc/sys/net, /sys/class/net/*/statistics and the node of a card's memory, as \
            `cat`, `head`, `tail` and `grep` print them",
    first: "=/FIRTUa-z0-9",
    has_command: true,
    marks: Some(|| Marks::of(FOLDERS).or(is_telling)),
    starts: |line| {
        let names_file = FOLDERS.iter().any(|folder| line.contains(folder));
        names_file && (heading(line).is_some() || prefixed(line).is_some() || is_command(line))
            || is_telling(line)
    },
    continues,
    takes_in: Some(is_value_of_file),
    read,
};

/// Where files are that are read.
const FOLDERS: [&str; 3] = ["/proc/net/", "/proc/sys/", "/sys/class/net/"];

fn is_known(path: &str) -> bool {
    FOLDERS.iter().any(|folder| path.starts_with(folder)) && !path.starts_with("/proc/net/bonding/")
}

/// `==> /proc/net/snmp <==`
fn heading(line: &str) -> Option<&str> {
    let path = line.trim_ascii_end().strip_prefix("==> ")?.strip_suffix(" <==")?;
    is_known(path).then_some(path)
}

/// `/proc/net/snmp:Tcp: 1 200`: the file and its line.
fn prefixed(line: &str) -> Option<(&str, &str)> {
    let (path, rest) = line.split_once(':')?;
    (is_known(path) && !path.contains(' ')).then_some((path, rest))
}

fn is_command(line: &str) -> bool {
    // How many words may stand before a file's name; "more" begins sentences too.
    let programs = [("cat", 4), ("head", 4), ("tail", 4), ("grep", 4), ("more", 0)];
    programs.iter().any(|(program, before)| {
        arguments(line, program).is_some_and(|words| words.take(before + 1).any(is_known))
    })
}

/// The one file that the command names; `None` where it names several.
fn only_file(line: &str) -> Option<&str> {
    ["cat", "head", "tail", "grep", "more"]
        .iter()
        .find_map(|program| {
            let mut files = arguments(line, program)?.filter(|word| is_known(word));
            let first = files.next()?;
            (files.next().is_none() && !first.contains('*')).then_some(first)
        })
}

/// The files of one value that `cat` shows one behind the other; none where there is but one, or where something else is among them.
fn files_of_values(line: &str) -> Vec<&str> {
    let words = arguments(line, "cat").into_iter().flatten();
    let files: Vec<&str> = words.take_while(|word| *word != "|").collect();
    let is_one = |file: &&str| is_value(file) && !file.contains(['*', '?', '{', '[']);
    match files.len() > 1 && files.iter().all(is_one) {
        true => files,
        false => Vec::new(),
    }
}

/// Whether a line is the value of another one of the files that a command shows, or one too many.
fn is_value_of_next(block: &Block) -> bool {
    let count = block.first().map_or(0, |first| files_of_values(first).len());
    count > 0 && block.len() <= count + 1
}

/// Whether the contents tell by themselves what they are.
fn is_telling(line: &str) -> bool {
    is_shaped(line) && !is_of_other_memory(line) || is_of_one_interface(line)
}

fn continues(block: &Block, line: &str) -> bool {
    if heading(line).is_some() || prefixed(line).is_some() {
        return true;
    }
    let Some(last) = block.last() else { return false };
    if is_of_dev_snmp6(block) {
        return is_noise(line);
    }
    if line.trim_ascii().is_empty() {
        return !last.trim_ascii().is_empty()
            && block
                .first()
                .is_some_and(|first| heading(first).is_some() || is_command(first));
    }
    if is_of_one_interface(line) {
        return is_only(block, is_command) || heading(last).is_some();
    }
    if begins_again(block, line, is_counted_once) || is_processor_again(block, line) {
        return false;
    }
    if !is_shaped(line) {
        return is_part_of_softnet(line) && (is_part_of_softnet(last) || is_stat_head(last));
    }
    // The names of a group that the block has already: the file is printed once more.
    match group_of_names(line) {
        Some(group) => !block.lines().any(|before| group_of_names(before) == Some(group)),
        None => true,
    }
}

/// Whether a line is the value of a file of one value, or a second line of such a file, which is complained about there.
fn is_value_of_file(block: &Block, line: &str) -> bool {
    let is_nothing = line.trim_ascii().is_empty() || is_fence(line);
    let Some(last) = block.last().filter(|_| !is_nothing) else {
        return false;
    };
    let before = block.len().checked_sub(2).and_then(|place| block.get(place));
    heading(last).is_some_and(is_value)
        || is_only(block, |first| only_file(first).is_some_and(is_value))
        || is_value_of_next(block)
        || before.and_then(heading).is_some_and(is_value) && !last.trim_ascii().is_empty()
}

/// Whether a command shows so many lines, and no more: `head` and `tail` stop at 10.
fn may_cut(line: &str, rows: usize) -> bool {
    let is_end = ["head", "tail"]
        .iter()
        .any(|program| arguments(line, program).is_some());
    let asked = line
        .rsplit("-n")
        .next()
        .and_then(|rest| rest.trim_ascii().split(' ').next()?.parse().ok());
    let piped = line.contains("| head") || line.contains("| tail") || line.contains("| grep");
    rows > 0 && (is_end || piped) && rows == asked.unwrap_or(10)
}

/// The file of each line below a command that shows several files of one value: where there are more or fewer lines than files, or
/// one is a complaint of `cat`, nobody knows which line is of which.
fn files_in_turn<'b>(block: &'b Block, findings: &mut Findings) -> Vec<&'b str> {
    let files = block.first().map(files_of_values).unwrap_or_default();
    let values = block.lines().skip(1).filter(|line| !line.trim_ascii().is_empty());
    if files.is_empty() || values.clone().count() == 0 {
        return Vec::new();
    }
    let is_its = |(file, line): (&&str, &str)| !line.starts_with("cat: ") && may_be_value(file, line);
    if values.clone().count() == files.len() && files.iter().zip(values).all(is_its) {
        return files;
    }
    let lines = (block.first_line, block.last_written_line());
    findings.complain_of(
        lines,
        "as many values as files are not there: which is of which is not told",
    );
    Vec::new()
}

/// How many words the value of a setting has (ip-sysctl.rst in Linux), where that is known.
fn words_of(file: &str) -> Option<usize> {
    let name = file.rsplit('/').next().unwrap_or(file);
    match name {
        "tcp_rmem" | "tcp_wmem" | "tcp_mem" | "udp_mem" => Some(3),
        "ip_local_port_range" | "ping_group_range" => Some(2),
        _ if name.contains("available") || name.contains("allowed") => None,
        _ => Some(1),
    }
}

/// Whether a setting may have this value: as many words as it has.
fn may_be_value(file: &str, value: &str) -> bool {
    words_of(file).is_none_or(|words| words == value.split_ascii_whitespace().count())
}

/// Whether the block is a file of `/proc/net/dev_snmp6`, as its first line says.
fn is_of_dev_snmp6(block: &Block) -> bool {
    block
        .first()
        .is_some_and(|first| first.contains("/proc/net/dev_snmp6/"))
}

/// Files that hold one value.
fn is_value(path: &str) -> bool {
    path.starts_with("/proc/sys/") || path.starts_with("/sys/class/net/")
}

/// The interface and what is told of where its card sits: the node of memory (-1 where there is but one) and the processors there.
fn card(path: &str) -> Option<(&str, &'static str)> {
    let (name, file) = path.strip_prefix("/sys/class/net/")?.split_once("/device/")?;
    let known = [("numa_node", "numa-node"), ("local_cpulist", "local-cpus")];
    let (_, key) = known.into_iter().find(|(known, _)| *known == file)?;
    Some((name, key))
}

fn read(block: &Block, context: &Context, findings: &mut Findings) {
    if is_of_dev_snmp6(block) || block.lines().any(is_of_one_interface) {
        for (number, line) in block
            .numbered()
            .filter(|(_, line)| !is_shaped(line) && !is_of_one_interface(line))
        {
            if number != block.first_line && heading(line).is_none() {
                findings.unread(number, line);
            }
        }
        // What one interface saw of IPv6 is not what the host did.
        findings.nothing_to_say();
        return;
    }
    let mut settings = Given::default();
    let mut counted = Counted::default();
    // The line that gave the value of the file.
    let mut valued = None;
    let mut file = block.first().and_then(only_file);
    let mut files = files_in_turn(block, findings).into_iter();
    let (mut cards, mut has_card) = (BTreeMap::new(), false);
    for (number, line) in block.numbered() {
        if let Some(path) = heading(line) {
            file = Some(path);
            valued = None;
            continue;
        }
        if line.trim_ascii().is_empty() || number == block.first_line && is_command(line) {
            continue;
        }
        if let Some(next) = files.next() {
            (file, valued) = (Some(next), None);
        }
        let (path, text) = match prefixed(line) {
            Some((path, text)) => (Some(path), text),
            None => (file, line),
        };
        match path {
            Some(path) if path.starts_with("/proc/sys/") => {
                let name = path.trim_start_matches("/proc/sys/").replace('/', ".");
                if prefixed(line).is_none() {
                    if let Some(first) = valued.replace(number) {
                        findings.complain_of((first, number), "two lines of a file of one value");
                        settings.put(findings, first, name.clone(), "?".to_owned());
                    }
                    if is_command(text) {
                        findings.complain(number, "a command in the place of a value");
                        continue;
                    }
                }
                match text.trim_ascii() {
                    "" => findings.complain(number, format!("{name} has no value")),
                    value if !may_be_value(path, value) => findings.unread(number, line),
                    value => settings.put(findings, number, name, value.to_owned()),
                }
            }
            Some(path) if card(path).is_some() => {
                has_card = true;
                let value = text.trim_ascii();
                let is_list = value
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b','));
                if !is_list {
                    findings.unread(number, line);
                } else if let Some((name, key)) = card(path).filter(|_| !value.starts_with('-')) {
                    let told = cards.entry(name).or_insert_with(BTreeMap::new);
                    told.insert(format!("pci.{key}"), value.to_owned());
                }
            }
            Some(path) if path.starts_with("/sys/class/net/") => {
                counted.take_of_interface(findings, number, path, text.trim_ascii());
            }
            _ => counted.take(findings, number, text),
        }
    }
    counted.close(findings);
    if block
        .first()
        .is_some_and(|first| may_cut(first, block.lines().filter(|line| is_of_softnet(line)).count()))
    {
        counted.forget_processors();
        findings.complain(
            block.first_line,
            "perhaps not all processors are shown: nothing is summed",
        );
    }
    let (counters, interfaces) = counted.into_records(block, context);
    let settings = settings.into_values();
    if !(settings.is_empty() && counters.is_empty()) {
        let mut facts = HostFacts {
            counters,
            ..facts(block)
        };
        for (name, value) in settings {
            sysctl::keep(&mut facts, &name, &value);
        }
        findings.record(block, "/proc", context.at, Payload::HostFacts(facts));
    }
    if has_card && cards.is_empty() {
        findings.nothing_to_say();
    }
    for (name, other) in cards {
        let facts = HostFacts {
            interface: Some(Interface {
                name: name.to_owned(),
                other,
                ..Interface::default()
            }),
            ..facts(block)
        };
        findings.record(block, "/sys", context.at, Payload::HostFacts(facts));
    }
    for interface in interfaces {
        findings.record(block, "/proc", context.at, Payload::InterfaceCounters(interface));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_several_files_in_their_order() {
        let read = |values: &str| {
            let text = format!("$ cat /proc/sys/net/ipv4/tcp_rmem /proc/sys/net/core/rmem_max\n{values}");
            let (records, complaints) = crate::import(text.as_bytes(), &Context::default());
            (records.len(), complaints.is_empty())
        };
        assert_eq!(read("4096 131072 6291456\n212992\n"), (1, true));
        // One is missing, one too many, they stand in another order, or one is not there.
        for odd in [
            "212992\n",
            "4096 131072 6291456\n212992\n1\n",
            "212992\n4096 131072 6291456\n",
            "4096 131072 6291456\ncat: /proc/sys/net/core/rmem_max: No such file or directory\n",
        ] {
            assert_eq!(read(odd), (0, false), "{odd}");
        }
    }

    #[test]
    fn files_and_their_lines() {
        assert_eq!(heading("==> /proc/net/snmp <=="), Some("/proc/net/snmp"));
        assert_eq!(
            prefixed("/proc/net/snmp:Tcp: 1"),
            Some(("/proc/net/snmp", "Tcp: 1"))
        );
        assert_eq!(
            only_file("$ cat /proc/net/softnet_stat"),
            Some("/proc/net/softnet_stat")
        );
        assert_eq!(only_file("$ cat /proc/net/snmp /proc/net/dev"), None);
        assert!(heading("==> /etc/passwd <==").is_none() && prefixed("/proc/net and: x").is_none());
        assert!(!is_command("$ cat /etc/hosts") && is_command("grep . /proc/sys/net/ipv4/*"));
    }
}

//! The report as people set it in a table of Markdown or Jira: its columns, with bars between them.

use super::report;
use crate::Context;
use crate::block::Block;
use crate::findings::Findings;
use crate::format::{Format, Group, Marks};
use crate::markdown::cells;

pub(crate) static FORMAT: Format = Format {
    name: "mtr in a table",
    group: Group::Paths,
    reads: "the report with bars between its columns, as Markdown and Jira have tables",
    first: "|",
    has_command: false,
    marks: Some(|| Marks::of(["Loss%"])),
    starts: |line| head(line).is_some(),
    continues: |block, line| {
        let is_row = line.trim_ascii_start().starts_with('|') && head(line).is_none();
        is_row && block.last().is_some_and(|last| !last.trim_ascii().is_empty())
    },
    takes_in: None,
    read,
};

/// The columns behind the host, and whether the number of the hop has one before it.
fn head(line: &str) -> Option<(bool, Vec<&str>)> {
    let mut names = cells(line).filter(|name| !name.is_empty()).peekable();
    let has_number = names
        .next_if(|name| matches!(*name, "Hop" | "#" | "TTL"))
        .is_some();
    names.next().filter(|name| name.eq_ignore_ascii_case("host"))?;
    let columns: Vec<_> = names.collect();
    let is_one_word = |name: &&str| !name.contains(' ');
    (columns.contains(&"Loss%") && columns.iter().all(is_one_word)).then_some((has_number, columns))
}

/// Reads the lines that mtr would have printed.
fn read(block: &Block, context: &Context, findings: &mut Findings) {
    let mut printed = Block::default();
    let mut has_number = false;
    for (number, line) in block.numbered() {
        let text = match head(line) {
            Some((has, columns)) => {
                has_number = has;
                format!("HOST: {}", columns.join(" "))
            }
            None => row(line, has_number),
        };
        if number == block.first_line {
            printed.begin(number, &text);
        } else {
            printed.push(&text);
        }
    }
    report::read(&printed, context, findings);
}

/// `|1|192.0.2.1|0.0%|`, `| 1. 192.0.2.1 | 0.0% |`; nothing of the rule below the head.
fn row(line: &str, has_number: bool) -> String {
    if crate::markdown::is_rule(line) {
        return String::new();
    }
    let text = cells(line).collect::<Vec<_>>().join(" ");
    match text.split_once(' ').filter(|_| has_number) {
        Some((number, rest)) => format!("{}. {rest}", number.trim_end_matches('.')),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Context, import};

    #[test]
    fn tables_say_what_the_report_says() {
        let report = "HOST: Loss% Snt Last Avg Best Wrst StDev\n  1.|-- 192.0.2.1 0.0% 10 0.4 0.5 0.4 0.9 0.1\n  2.|-- 192.0.2.9 10.0% 10 1.4 1.5 1.4 1.9 0.1\n";
        let read = |text: &str| {
            let (records, complaints) = import(text.as_bytes(), &Context::default());
            assert_eq!(complaints, [], "{text}");
            records
                .into_iter()
                .map(|record| record.payload)
                .collect::<Vec<_>>()
        };
        for text in [
            "| Hop | Host | Loss% | Snt | Last | Avg | Best | Wrst | StDev |\n|---|:---|---:|---|---|---|---|---|---|\n\
             | 1 | 192.0.2.1 | 0.0% | 10 | 0.4 | 0.5 | 0.4 | 0.9 | 0.1 |\n| 2 | 192.0.2.9 | 10.0% | 10 | 1.4 | 1.5 | 1.4 | 1.9 | 0.1 |\n",
            "||Host||Loss%||Snt||Last||Avg||Best||Wrst||StDev||\n|1. 192.0.2.1|0.0%|10|0.4|0.5|0.4|0.9|0.1|\n\
             |2. 192.0.2.9|10.0%|10|1.4|1.5|1.4|1.9|0.1|\n",
        ] {
            assert_eq!(read(text), read(report), "{text}");
        }
        // A figure that is missing leaves no row that stands below its columns.
        let text = "||Hop||Host||Loss%||Snt||\n|1|192.0.2.1||10|\n|2|192.0.2.9|0.0%||\n";
        let (records, complaints) = import(text.as_bytes(), &Context::default());
        assert_eq!((records.len(), complaints.is_empty()), (0, false), "{records:?}");
    }
}

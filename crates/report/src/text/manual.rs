//! A manual page for a terminal: the little Markdown in which faults describe themselves, wrapped and coloured.

use super::paper::{Paper, Role, Span, TextOptions};

/// Renders headings, paragraphs, lists (`- `, one level), code blocks, `**strong**` and `` `code` ``. Anything else
/// stays as it is written.
#[must_use]
pub fn manual_text(markdown: &str, options: TextOptions) -> String {
    let mut paper = Paper::new(options.width, options.style);
    let mut paragraph = String::new();
    let mut code = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            flush(&mut paper, &mut paragraph);
            code = !code;
        } else if code {
            verbatim(&mut paper, line);
        } else if line.trim().is_empty() {
            flush(&mut paper, &mut paragraph);
            paper.blank();
        } else if line.starts_with('#') {
            flush(&mut paper, &mut paragraph);
            heading(&mut paper, line);
        } else {
            if line.trim_start().starts_with("- ") {
                flush(&mut paper, &mut paragraph);
            }
            paragraph.push_str(line.trim());
            paragraph.push(' ');
        }
    }
    flush(&mut paper, &mut paragraph);
    paper.finish()
}

fn heading(paper: &mut Paper, line: &str) {
    let title = line.trim_start_matches('#').trim();
    write(paper, 0, "", 0, vec![(Role::Strong, title.to_owned())]);
}

fn verbatim(paper: &mut Paper, line: &str) {
    // The label is neither wrapped nor are its spaces joined.
    write(paper, 4, line, 0, Vec::new());
}

fn flush(paper: &mut Paper, paragraph: &mut String) {
    let text = std::mem::take(paragraph);
    let text = text.trim();
    if let Some(item) = text.strip_prefix("- ") {
        write(paper, 2, "-", 4, spans(item));
    } else if !text.is_empty() {
        write(paper, 0, "", 2, spans(text));
    }
}

fn write(paper: &mut Paper, offset: usize, label: &str, indent: usize, spans: Vec<Span>) {
    paper.line(offset, (Role::Plain, label), indent, spans);
}

/// Splits at `**` and backticks. Marks that have no partner are text. Punctuation that touches a marked piece goes with
/// it, for spans are set apart by spaces.
fn spans(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut rest = text;
    while let Some((before, mark, inside, after)) = next_marked(rest) {
        let (before, prefix) = before.split_at(last_word(before));
        let (suffix, after) = after.split_at(after.find(char::is_whitespace).unwrap_or(after.len()));
        // Code keeps its backticks: without colour nothing else would set it apart.
        let quote = if mark == "`" { "`" } else { "" };
        spans.push((Role::Plain, before.to_owned()));
        spans.push((Role::Strong, format!("{prefix}{quote}{inside}{quote}{suffix}")));
        rest = after;
    }
    spans.push((Role::Plain, rest.to_owned()));
    spans
}

/// Where the last word begins; the end where the text ends in white space.
fn last_word(text: &str) -> usize {
    let space = text.char_indices().rev().find(|(_, c)| c.is_whitespace());
    space.map_or(0, |(at, c)| at + c.len_utf8())
}

fn next_marked(text: &str) -> Option<(&str, &'static str, &str, &str)> {
    let first = ["**", "`"]
        .into_iter()
        .filter_map(|mark| Some((text.find(mark)?, mark)))
        .min()?;
    let (at, mark) = first;
    let (before, opened) = text.split_at(at);
    let opened = opened.get(mark.len()..)?;
    let (inside, after) = opened.split_once(mark)?;
    Some((before, mark, inside, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;

    #[test]
    fn a_page_is_readable_without_its_marks() {
        let page = "# MTU-001: a title\n\nSome **strong words**, and `code` (`more`) in a paragraph\nof two lines.\n\n\
                    - **First**: point\n  goes on\n- second with 2 ** 3\n\n```\nping   -M do\n```\n";
        let options = TextOptions {
            width: 44,
            style: Style::Plain,
        };
        let shown = [
            "MTU-001: a title",
            "",
            "  Some strong words, and `code` (`more`) in",
            "  a paragraph of two lines.",
            "",
            "  - First: point goes on",
            "  - second with 2 ** 3",
            "",
            "    ping   -M do",
        ];
        assert_eq!(manual_text(page, options), shown.join("\n") + "\n");
    }
}

//! What `curl -w '…'` was told to print: words of whoever typed it, and the places of curl's variables between them. The line that comes out
//! tells which figure is which only together with the command.

use crate::prompt::is_bare_prompt;

/// A format, line by line.
pub(super) struct Template {
    lines: Vec<Vec<Piece>>,
    /// Whether the last line ends in the terminal as well: else the prompt stands behind it.
    is_ended: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Words(String),
    Variable(String),
}

impl Template {
    /// That of a command, where it stands there itself and not in a file.
    pub(super) fn of(command: &str) -> Option<Self> {
        let (text, mark) = quoted(command)?;
        let text = text.replace("\\t", " ").replace("\\r", "").replace("\\n", "\n");
        // Between single marks the shell leaves everything as it is.
        let lines: Vec<_> = text.lines().map(|line| pieces(line, mark == '"')).collect();
        // Documents are read by their names.
        let is_document =
            |piece: &Piece| matches!(piece, Piece::Variable(name) if name == "json" || name == "header_json");
        let has = |is: &dyn Fn(&Piece) -> bool| lines.iter().flatten().any(is);
        let is_read = has(&|piece| matches!(piece, Piece::Variable(_))) && !has(&is_document);
        let is_ended = text.ends_with('\n');
        is_read.then_some(Self { lines, is_ended })
    }

    /// That of rows of figures below the names of their variables.
    pub(super) fn of_names(names: &[&str]) -> Self {
        let mut pieces = Vec::new();
        for name in names {
            if !pieces.is_empty() {
                pieces.push(Piece::Words(" ".to_owned()));
            }
            pieces.push(Piece::Variable((*name).to_owned()));
        }
        Self {
            lines: vec![pieces],
            is_ended: true,
        }
    }

    pub(super) fn without_blank_lines(mut self) -> Self {
        self.lines.retain(|pieces| !pieces.is_empty());
        self
    }

    /// How many lines it prints at a time.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The variables that are in the line of this place, with their values; `None` for a line that has other words.
    pub(super) fn read<'t>(&'t self, place: usize, line: &'t str) -> Option<Vec<(&'t str, String)>> {
        let pieces = self.lines.get(place)?;
        let text = squeezed(line);
        let mut rest = text.as_str();
        let mut values = Vec::new();
        let mut pieces = pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            match piece {
                Piece::Words(words) => rest = rest.strip_prefix(words.as_str())?,
                Piece::Variable(name) => {
                    let end = match pieces.peek() {
                        None => rest.len(),
                        Some(Piece::Words(words)) => rest.find(words.as_str())?,
                        // Nothing shows where the one ends and the other begins.
                        Some(Piece::Variable(_)) => return None,
                    };
                    let (value, behind) = rest.split_at_checked(end)?;
                    if value.is_empty() {
                        return None;
                    }
                    values.push((name.as_str(), value.to_owned()));
                    rest = behind;
                }
            }
        }
        let is_last = !self.is_ended && place + 1 == self.len();
        if let Some((_, value)) = values.last_mut().filter(|_| is_last && rest.is_empty()) {
            value.truncate(before_prompt(value).len());
        }
        (rest.is_empty() || is_last && is_prompt(rest)).then_some(values)
    }
}

/// A figure without the prompt behind it.
fn before_prompt(value: &str) -> &str {
    let figure = value.trim_start_matches(|sign: char| sign.is_ascii_digit() || matches!(sign, '.' | ','));
    let is_figure = figure.len() < value.len() && is_prompt(figure);
    value.strip_suffix(figure).filter(|_| is_figure).unwrap_or(value)
}

/// A prompt, or the sign with which zsh shows that no line ended above its own.
fn is_prompt(text: &str) -> bool {
    text == "%" || is_bare_prompt(text)
}

/// What stands in quotation marks around the first variable, and which they are.
fn quoted(command: &str) -> Option<(&str, char)> {
    let at = command.find("%{")?;
    let (before, _) = command.split_at_checked(at)?;
    let (open, mark) = before
        .char_indices()
        .rev()
        .find(|(_, sign)| matches!(sign, '\'' | '"'))?;
    let behind = command.get(open + 1..)?;
    Some((behind.get(..behind.find(mark)?)?, mark))
}

fn pieces(line: &str, is_expanded: bool) -> Vec<Piece> {
    let text = squeezed(line);
    let mut rest = text.as_str();
    let mut pieces = Vec::new();
    let is_place = |text: &str| text.starts_with("%{") || is_expanded && text.starts_with('$');
    while let Some(at) = (0..rest.len()).find(|at| rest.get(*at..).is_some_and(is_place)) {
        let (words, place) = rest.split_at(at);
        let end = match place.as_bytes() {
            [b'%' | b'$', b'{', ..] => place.find('}').map(|end| end + 1),
            [b'$', b'(', ..] => place.find(')').map(|end| end + 1),
            _ => place
                .get(1..)
                .map(|name| 1 + name.bytes().take_while(|byte| is_of_name(*byte)).count()),
        };
        let Some((place, behind)) = end.and_then(|end| place.split_at_checked(end)) else {
            break;
        };
        if !words.is_empty() {
            pieces.push(Piece::Words(words.to_owned()));
        }
        // What the shell puts there has no name that is read.
        let name = place.strip_prefix("%{").and_then(|name| name.strip_suffix('}'));
        pieces.push(Piece::Variable(name.unwrap_or(place).to_owned()));
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Words(rest.to_owned()));
    }
    pieces
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// With one blank where there are several, and none around.
fn squeezed(line: &str) -> String {
    line.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_which_figure_is_which() {
        let template = Template::of(
            r"curl -so /dev/null -w 'connect %{time_connect}s\ttotal: %{time_total}\n%{speed_download}\n' http://a.example/",
        );
        let template = template.unwrap();
        let value = |text: &str| text.to_owned();
        assert_eq!(
            template.read(0, "connect 0.024911s\ttotal: 88.12"),
            Some(vec![
                ("time_connect", value("0.024911")),
                ("time_total", value("88.12"))
            ])
        );
        assert_eq!(
            template.read(1, "12184989"),
            Some(vec![("speed_download", value("12184989"))])
        );
        for other in ["connect 0.024911s", "total: 88.12", "connect 1s total: ", ""] {
            assert_eq!(template.read(0, other), None, "{other}");
        }
        assert!(template.read(2, "12184989").is_none());
        assert!(Template::of("curl -w @curl-format.txt http://a.example/").is_none());
        // Without words between them nothing tells the figures apart.
        let glued = Template::of(r#"curl -w "%{time_connect}%{time_total}" http://a.example/"#).unwrap();
        assert_eq!(glued.read(0, "0.10.2"), None);
    }
}

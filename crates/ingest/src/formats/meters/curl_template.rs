//! What `curl -w '…'` was told to print: words of whoever typed it, and the places of curl's variables between them. The line that comes out
//! tells which figure is which only together with the command.

/// A format, line by line.
pub(super) struct Template(Vec<Vec<Piece>>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Words(String),
    Variable(String),
}

impl Template {
    /// That of a command, where it stands there itself and not in a file.
    pub(super) fn of(command: &str) -> Option<Self> {
        let text = quoted(command)?
            .replace("\\t", " ")
            .replace("\\r", "")
            .replace("\\n", "\n");
        let lines: Vec<_> = text.lines().map(pieces).collect();
        // Documents are read by their names.
        let is_document =
            |piece: &Piece| matches!(piece, Piece::Variable(name) if name == "json" || name == "header_json");
        let has = |is: &dyn Fn(&Piece) -> bool| lines.iter().flatten().any(is);
        (has(&|piece| matches!(piece, Piece::Variable(_))) && !has(&is_document)).then_some(Self(lines))
    }

    /// The variables that are in the line of this place, with their values; `None` for a line that has other words.
    pub(super) fn read<'t>(&'t self, place: usize, line: &'t str) -> Option<Vec<(&'t str, String)>> {
        let pieces = self.0.get(place)?;
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
        (rest.is_empty() && !values.is_empty()).then_some(values)
    }
}

/// What stands in quotation marks around the first variable.
fn quoted(command: &str) -> Option<&str> {
    let at = command.find("%{")?;
    let (before, _) = command.split_at_checked(at)?;
    let (open, mark) = before
        .char_indices()
        .rev()
        .find(|(_, sign)| matches!(sign, '\'' | '"'))?;
    let behind = command.get(open + 1..)?;
    behind.get(..behind.find(mark)?)
}

fn pieces(line: &str) -> Vec<Piece> {
    let text = squeezed(line);
    let mut rest = text.as_str();
    let mut pieces = Vec::new();
    while let Some((words, (name, behind))) = rest
        .split_once("%{")
        .and_then(|(words, behind)| Some((words, behind.split_once('}')?)))
    {
        if !words.is_empty() {
            pieces.push(Piece::Words(words.to_owned()));
        }
        pieces.push(Piece::Variable(name.to_owned()));
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Words(rest.to_owned()));
    }
    pieces
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

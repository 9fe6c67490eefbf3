//! Rows of comma-separated values (RFC 4180), a line each: a quoted field does not span lines here.

/// The fields of a row, trimmed; `""` within quotes is one quote.
pub(crate) fn fields(line: &str) -> Vec<String> {
    fields_by(line, ',')
}

/// The fields of a row that something else than a comma divides.
pub(crate) fn fields_by(line: &str, delimiter: char) -> Vec<String> {
    let mut fields = Vec::new();
    let mut field = String::new();
    let mut quoted = false;
    let mut bytes = line.chars().peekable();
    while let Some(c) = bytes.next() {
        match c {
            '"' if quoted && bytes.peek() == Some(&'"') => {
                bytes.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            _ if c == delimiter && !quoted => fields.push(take_trimmed(&mut field)),
            _ => field.push(c),
        }
    }
    fields.push(take_trimmed(&mut field));
    fields
}

/// Whether every quote of a row is closed: a row that was cut within one is not whole.
pub(crate) fn is_closed(line: &str) -> bool {
    line.bytes()
        .filter(|byte| *byte == b'"')
        .count()
        .is_multiple_of(2)
}

fn take_trimmed(field: &mut String) -> String {
    let trimmed = field.trim_ascii().to_owned();
    field.clear();
    trimmed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_commas() {
        assert_eq!(fields(r#"a, "b, ""c""" ,"#), ["a", r#"b, "c""#, ""]);
        assert_eq!(fields(""), [""]);
        assert_eq!(fields("\"open, end"), ["open, end"]);
        assert_eq!(fields_by("a;\"b;c\";1,5", ';'), ["a", "b;c", "1,5"]);
        assert!(!is_closed("\"open, end") && is_closed(r#"a,"b, ""c""""#));
    }
}

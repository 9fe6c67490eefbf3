//! Classes of traffic, as people name them.

/// A DSCP by number or name (RFC 2474, 2597, 3246, 5865, 8622).
///
/// # Errors
/// In words, when it is none.
pub(crate) fn dscp(text: &str) -> Result<u8, String> {
    let upper = text.to_ascii_uppercase();
    let class = |digits: &str| digits.parse::<u8>().ok().filter(|class| *class < 8);
    let named = match upper.as_str() {
        "BE" | "DF" => Some(0),
        "LE" => Some(1),
        "VA" => Some(44),
        "EF" => Some(46),
        name => match (name.strip_prefix("CS"), name.strip_prefix("AF")) {
            (Some(digit), _) => class(digit).map(|class| class * 8),
            (_, Some(digits)) => class(digits.get(..1).unwrap_or(""))
                .zip(class(digits.get(1..).unwrap_or("")))
                .filter(|(class, drop)| (1..=4).contains(class) && (1..=3).contains(drop))
                .map(|(class, drop)| class * 8 + drop * 2),
            _ => name.parse().ok().filter(|number| *number < 64),
        },
    };
    named.ok_or_else(|| format!("`{text}` is no DSCP: give 0 to 63, or a name such as EF, AF41, CS1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_go_by_number_or_name() {
        let read =
            ["0", "63", "ef", "AF41", "af13", "CS1", "cs7", "LE", "BE"].map(|text| dscp(text).unwrap());
        assert_eq!(read, [0, 63, 46, 34, 14, 8, 56, 1, 0]);
        for text in ["64", "-1", "AF5", "AF51", "AF40", "CS8", "gold", ""] {
            assert!(dscp(text).is_err(), "{text}");
        }
    }
}

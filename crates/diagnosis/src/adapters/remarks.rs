//! What people wrote beside their figures, read for the few words that bear on a fault.

/// The number of packets that a text says were lost: the first number of one that says so.
pub(crate) fn lost(text: &str) -> Option<u64> {
    let folded = text.to_lowercase();
    let says = ["packets lost", "packets were lost", "packets are lost"];
    let says = says.iter().any(|words| folded.contains(words));
    integers(text).first().copied().filter(|_| says)
}

/// Whether a text names a number, with or without separators of thousands.
pub(crate) fn names(text: &str, number: u64) -> bool {
    integers(text).contains(&number)
}

/// Whole numbers in a text: "5,074,727 packets, a ratio of 0.0000108" has one. A number with a decimal point is none, nor
/// are the parts of a footnote's number ("2.2.4.1").
fn integers(text: &str) -> Vec<u64> {
    text.split(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | '.')))
        .map(|word| word.trim_matches([',', '.']))
        .filter(|word| !word.is_empty() && !word.contains('.'))
        .filter(|word| is_grouped(word))
        .filter_map(|word| word.replace(',', "").parse().ok())
        .collect()
}

/// Commas only between groups of three digits.
fn is_grouped(word: &str) -> bool {
    word.split(',').skip(1).all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_prose() {
        assert_eq!(
            integers("2 packets were lost due to framing errors (loss rate of 0.0000108)."),
            [2]
        );
        assert_eq!(
            integers("^{2.2.4.2} 1,584 packets, then 12,5 and 98035"),
            [1_584, 98_035]
        );
        assert_eq!(integers("none"), Vec::<u64>::new());
    }
}

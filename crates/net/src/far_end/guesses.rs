//! How many tries it takes at least to guess words that somebody chose.
//!
//! There is no list of words here: whatever letters stand together are taken for a word that is in everybody's list. That
//! is wrong for many words, and always to the safe side. Lists that would know better (zxcvbn's) are a tenth of a program
//! that is copied to other hosts, and what they would let in besides is not worth that.

/// Rows of keys and of the alphabet, which nobody has to search for. Read backwards as well.
const ROWS: [&str; 7] = [
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "1234567890-=",
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "!@#$%^&*()",
];

/// The fewest letters of what is told as a part of a row, or as something that stood before.
const FEWEST_KNOWN: usize = 3;
/// Which row, where it begins and how long it is; or where it stood before.
const KNOWN_LOG10: f64 = 2.0;
/// One of the 2,000 commonest words: people who choose words choose these.
const WORD_LOG10: f64 = 3.3;
/// Two letters: there are fewer than 100 such words.
const SHORT_WORD_LOG10: f64 = 2.0;
/// A letter of a long text. Shannon, "Prediction and entropy of printed English" (1951): 1.3 bits are its upper bound.
const LETTER_OF_TEXT_LOG10: f64 = 0.39;
/// A digit behind the fourth of a number: dates, telephone numbers.
const DIGIT_OF_NUMBER_LOG10: f64 = 0.5;
/// One of 33 characters of a keyboard that are neither letters nor digits.
const SIGN_LOG10: f64 = 1.5;

/// The tries that guess `text`, as a power of ten: the cheapest way of putting it together from pieces that a guesser tries
/// first. Time is the square of the length.
pub(super) fn guesses_log10(text: &str) -> f64 {
    let letters: Vec<char> = text.chars().collect();
    let plain: Vec<char> = letters.iter().map(char::to_ascii_lowercase).collect();
    let known = known_from(&plain);
    let mut cheapest = vec![f64::INFINITY; letters.len() + 1];
    cheapest[0] = 0.0;
    for (at, &known) in known.iter().enumerate() {
        let mut offer = |length: usize, price: f64| {
            cheapest[at + length] = cheapest[at + length].min(cheapest[at] + price);
        };
        for length in FEWEST_KNOWN..=known {
            offer(length, KNOWN_LOG10);
        }
        if letters[at].is_ascii_digit() {
            let number = letters[at..].iter().take_while(|c| c.is_ascii_digit()).count();
            (1..=number).for_each(|length| offer(length, price_of_digits(length)));
        } else if letters[at].is_alphabetic() {
            (1..=word_from(&letters[at..])).for_each(|length| offer(length, price_of_letters(length)));
        } else {
            // Between words stands the same sign everywhere.
            let stood_before = plain[..at].contains(&plain[at]);
            offer(1, if stood_before { 0.0 } else { SIGN_LOG10 });
        }
    }
    cheapest.last().copied().unwrap_or_default()
}

/// Of each place: how many characters from there on stand in a row, or stood before.
fn known_from(plain: &[char]) -> Vec<usize> {
    let reversed = ROWS.map(|row| row.chars().rev().collect::<String>());
    let rows = ROWS.iter().copied().chain(reversed.iter().map(String::as_str));
    let mut known = vec![0; plain.len()];
    for row in rows {
        let row: Vec<char> = row.chars().collect();
        common_starts(plain, &row, |at, _, length| known[at] = known[at].max(length));
    }
    common_starts(plain, plain, |at, before, length| {
        if before < at {
            known[at] = known[at].max(length);
        }
    });
    known
}

/// Tells of each pair of places how many characters from there on are the same.
fn common_starts(left: &[char], right: &[char], mut tell: impl FnMut(usize, usize, usize)) {
    let mut behind = vec![0; right.len() + 1];
    for (i, a) in left.iter().enumerate().rev() {
        let mut here = vec![0; right.len() + 1];
        for (j, b) in right.iter().enumerate() {
            if a == b {
                here[j] = behind[j + 1] + 1;
                tell(i, j, here[j]);
            }
        }
        behind = here;
    }
}

/// Letters of the word that begins here: small ones, capitals, or small ones behind one capital.
fn word_from(letters: &[char]) -> usize {
    let run = |from: usize, is: fn(&char) -> bool| letters.iter().skip(from).take_while(|c| is(c)).count();
    let small = |c: &char| c.is_alphabetic() && !c.is_uppercase();
    match run(0, |c| c.is_uppercase()) {
        1 => 1 + run(1, small),
        0 => run(0, small),
        capitals => capitals,
    }
}

fn price_of_letters(count: usize) -> f64 {
    match count {
        1 => 26f64.log10(),
        2 => SHORT_WORD_LOG10,
        _ => WORD_LOG10.max(LETTER_OF_TEXT_LOG10 * count as f64),
    }
}

fn price_of_digits(count: usize) -> f64 {
    let first = count.min(4);
    first as f64 + DIGIT_OF_NUMBER_LOG10 * (count - first) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use proptest::prelude::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    fn about(text: &str, expected: f64) {
        let guesses = guesses_log10(text);
        assert!((guesses - expected).abs() < 0.05, "{text}: {guesses}");
    }

    #[test]
    fn pieces_have_their_prices() {
        about("", 0.0);
        about("velvet", 3.3);
        about("Velvet", 3.3);
        about("VELVET", 3.3);
        about("to", 2.0);
        about("1906", 4.0);
        // The same sign between words; a word of a length that no word has is text.
        about("velvet-lantern-mule", 3.0 * 3.3 + 1.5);
        about("velvet-lantern-mule-orbit", 4.0 * 3.3 + 1.5);
        about("velvetlanternquarrymuleorbit", 28.0 * 0.39);
        // Rows, forwards and backwards, and what stood before.
        about("qwertyuiop", 2.0);
        about("9876543210", 2.0);
        about("velvetvelvetvelvet", 3.3 + 2.0);
        about("aaaaaaaaaaaaaaaaaaaaaaaaaaa", 1.4 + 2.0);
        // Capitals in the middle are of no word.
        about("xKqJ", 1.415 + 2.0 + 1.415);
    }

    /// `openssl rand -hex 16`, `uuidgen`, `openssl rand -base64 16`.
    #[test]
    fn what_other_programs_make_at_random_is_taken() {
        let mut random = StdRng::seed_from_u64(1);
        let mut easiest = f64::INFINITY;
        for _ in 0..5_000 {
            let bytes: [u8; 16] = random.random();
            let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            let uuid = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-");
            let base64 = base64::engine::general_purpose::STANDARD.encode(bytes);
            for made in [hex, uuid, base64] {
                easiest = easiest.min(guesses_log10(&made));
            }
        }
        println!("the easiest takes 10^{easiest:.1} tries");
        assert!(easiest > 14.0);
    }

    proptest! {
        /// Never more than every character by itself, and hardly less for having something behind it: a piece that is known may be longer by that.
        #[test]
        fn more_is_not_easier(text in "\\PC{0,40}", more in "\\PC{0,10}") {
            let guesses = guesses_log10(&text);
            prop_assert!(guesses <= 1.6 * text.chars().count() as f64);
            let longer = guesses_log10(&format!("{text}{more}"));
            prop_assert!(longer >= guesses - 1.01, "{guesses} {longer}");
        }
    }
}

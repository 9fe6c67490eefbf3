//! Lines of an interface that no pattern knows: whether a figure stands in them that somebody may miss. Addresses, hardware
//! addresses, times, names of interfaces and of standards have digits and are no figures.

/// Whether there is a figure in the line.
pub(super) fn has_figure(line: &str) -> bool {
    !is_list(line) && words(line).any(|word| !is_name(word) && !is_address(word))
}

/// `111-112, 114-115, 116`: what a list of VLANs goes on with on its next line.
fn is_list(line: &str) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    line.contains(',') && line.split(',').map(str::trim_ascii).all(is_number)
}

/// Whether there is a figure, or a name of which figures may follow.
pub(super) fn has_figure_or_name(line: &str) -> bool {
    words(line).any(|word| !is_address(word))
}

/// Words with a digit.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split([
        ' ', '\t', ',', ';', '(', ')', '[', ']', '<', '>', '"', '\'', '=', '|',
    ]);
    words
        .map(|word| {
            word.trim_end_matches([':', '.', '-'])
                .trim_start_matches(['.', '-'])
        })
        .filter(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
}

/// `Ethernet1/1`, `xe-0/0/0.0`, `IPv6`, `dot1q`: two letters at least, and then no more digits than numbers of ports have.
fn is_name(word: &str) -> bool {
    let letters = word.bytes().take_while(|byte| byte.is_ascii_alphabetic()).count();
    // "1000baseT/Full"
    let is_medium = word.to_ascii_lowercase().contains("base");
    (letters >= 2 || is_medium) && word.len() < 48 && !word.contains(['=', '%']) && !has_value(word)
}

/// `Age:12`: a name with its value behind a colon, which is no port.
fn has_value(word: &str) -> bool {
    let behind = word
        .split_once(':')
        .map(|(name, value)| (name.bytes().any(|b| b.is_ascii_digit()), value));
    behind.is_some_and(|(is_numbered, value)| !is_numbered && value.starts_with(|c: char| c.is_ascii_digit()))
}

/// Addresses of IP with their prefixes, of hardware and of Fibre Channel, times of the day, hexadecimal numbers.
fn is_address(word: &str) -> bool {
    let plain = word.split(['/', '%']).next().unwrap_or(word);
    plain.parse::<std::net::IpAddr>().is_ok()
        || is_hex(word)
        || is_grouped(word, ':', 2)
        || is_grouped(word, '-', 2)
        || is_grouped(word, '.', 4)
        || is_grouped(word, '-', 4)
        || word.starts_with("802.")
}

fn is_hex(word: &str) -> bool {
    let digits = word.strip_prefix("0x").or(word.strip_prefix("0X"));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// `00:1c:73:00:00:01`, `001c.7300.0001`, `12:34:56`: three groups or more.
fn is_grouped(word: &str, sign: char, digits: usize) -> bool {
    let mut groups = 0;
    let fits = word.split(sign).all(|group| {
        groups += 1;
        (1..=digits).contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    fits && groups >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_no_figures() {
        for line in [
            "Local: 192.0.2.1",
            "IPv6 link-local address is fe80::21c:73ff:fe38:71c7/64",
            "MLAG Shared Router MAC is 001c.7300.0001",
            "Active: Gi1/2 Gi1/3",
            "Port WWN is 20:2b:54:7f:ee:64:66:80",
            "EtherType is 0x8100",
            "Encapsulation 802.1Q",
            "1000baseT/Full 10baseT/Half",
            "IPv6 address is ::1/128",
            "111-112, 114-115, 131",
        ] {
            assert!(!has_figure(line), "{line}");
        }
        for line in [
            "zorkmids 4711 of 17",
            "0 rate limit drops",
            "RX packets:3 errors:0",
            "x11 packets",
            "99 of 192.0.2.1",
            "x234567 packets input",
        ] {
            assert!(has_figure(line), "{line}");
        }
        assert!(has_figure_or_name("Wlan1 is strange") && !has_figure_or_name("Source 192.0.2.1"));
    }
}

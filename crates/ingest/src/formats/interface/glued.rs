//! A head that became one line with the command above it: pages set the command in a paragraph or in bold, and who copies them loses
//! the break behind it (`show interfaces fastEthernet 0/1FastEthernet0/1 is up, line protocol is up`).

use super::asked::is_command;
use super::heads::is_head;
use super::places::is_alone;

/// No command has more bytes, with its prompt and a head behind it.
const LONGEST: usize = 240;

/// The command, and the head behind it.
pub(super) fn glued(line: &str) -> Option<(&str, &str)> {
    let line = line
        .get(..LONGEST.min(line.len()))
        .filter(|begin| *begin == line)?;
    let is_asked = ["sh", "disp"].iter().any(|verb| line.contains(verb));
    let verb = [" is ", " current state"].iter().find_map(|verb| line.find(verb));
    let named = line.get(..verb.filter(|_| is_asked)?)?;
    // The name is the last word before its verb, and begins within it.
    let word = named.rfind(' ').map_or(0, |at| at + 1);
    let begins = |at: &usize| {
        let (before, behind) = named.split_at(*at);
        let is_ended = before.ends_with(|sign: char| sign.is_ascii_digit() || sign.is_ascii_lowercase());
        is_ended && behind.starts_with(|first: char| first.is_ascii_uppercase()) && is_alone(behind)
    };
    let mut places = named.char_indices().map(|(at, _)| at).filter(|at| *at > word);
    // Of `FastEthernet0/1` the whole, and not `Ethernet0/1`.
    let at = places.find(begins)?;
    let (command, head) = line.split_at(at);
    (is_command(command) && is_head(head)).then_some((command, head))
}

#[cfg(test)]
mod tests {
    use super::glued;

    #[test]
    fn a_head_behind_its_command() {
        for (line, head) in [
            (
                "show interfaces fastEthernet 0/1FastEthernet0/1 is up, line protocol is up",
                Some("FastEthernet0/1 is up, line protocol is up"),
            ),
            (
                "sw1#show interfacesGigabitEthernet0/1 is up, line protocol is up",
                Some("GigabitEthernet0/1 is up, line protocol is up"),
            ),
            ("show interfaces FastEthernet0/1 is up, line protocol is up", None),
            ("FastEthernet0/1 is up, line protocol is up", None),
            (
                "The show that 0/1FastEthernet0/1 is up, line protocol is up",
                None,
            ),
        ] {
            assert_eq!(glued(line).map(|(_, head)| head), head, "{line}");
        }
    }
}

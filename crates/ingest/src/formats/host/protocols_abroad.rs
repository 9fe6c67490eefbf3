//! `netstat -s` of Windows in other languages than English: the names of the protocols are the same in all, and the stem of a word tells
//! what a row of TCP or UDP counts. Prose names protocols too, so that such a heading counts below the command alone.

use super::given::Given;
use super::protocols::two_columns;
use super::protocols_words::WINDOWS;
use crate::block::Block;
use crate::findings::Findings;

/// A counter, and the stems of the words for it, in small letters: German, French, Spanish, Italian, Portuguese, Polish, Russian, Chinese,
/// Japanese.
type Stems = [(&'static str, &'static [&'static str])];

const SENT: &[&str] = &[
    "gesend",
    "envoy",
    "enviad",
    "inviat",
    "wys\u{142}an",
    "\u{43e}\u{442}\u{43f}\u{440}\u{430}\u{432}\u{43b}",
    "\u{53d1}\u{9001}",
    "\u{9001}\u{4fe1}",
];
const RECEIVED: &[&str] = &[
    "empfang",
    "re\u{e7}us",
    "recib",
    "ricevut",
    "recebid",
    "odebran",
    "\u{43f}\u{43e}\u{43b}\u{443}\u{447}",
    "\u{63a5}\u{6536}",
    "\u{53d7}\u{4fe1}",
];

/// The first that fits counts: attempts are told of where they failed alone, and they are `tentativas` in Portuguese, where `ativas` are the
/// active ones.
const TCP: &Stems = &[
    (
        "RetransSegs",
        &[
            "erneut",
            "retransm",
            "ritrasm",
            "ponownie",
            "\u{43f}\u{43e}\u{432}\u{442}\u{43e}\u{440}\u{43d}",
            "\u{91cd}\u{65b0}\u{4f20}",
            "\u{518d}\u{9001}",
        ],
    ),
    (
        "AttemptFails",
        &[
            "versuch",
            "tentativ",
            "intento",
            "pr\u{f3}b",
            "\u{441}\u{431}\u{43e}\u{435}\u{432}",
            "\u{5931}\u{8d25}",
            "\u{5931}\u{6557}",
        ],
    ),
    (
        "PassiveOpens",
        &[
            "passiv",
            "pasiv",
            "pasyw",
            "\u{43f}\u{430}\u{441}\u{441}\u{438}\u{432}",
            "\u{88ab}\u{52a8}",
            "\u{30d1}\u{30c3}\u{30b7}\u{30d6}",
        ],
    ),
    (
        "ActiveOpens",
        &[
            "activ",
            "aktiv",
            "attiv",
            "ativ",
            "aktyw",
            "\u{430}\u{43a}\u{442}\u{438}\u{432}",
            "\u{4e3b}\u{52a8}",
            "\u{30a2}\u{30af}\u{30c6}\u{30a3}\u{30d6}",
        ],
    ),
    (
        "EstabResets",
        &[
            "zur\u{fc}ckges",
            "r\u{e9}init",
            "restabl",
            "reimpost",
            "redefin",
            "zresetow",
            "\u{441}\u{431}\u{440}\u{43e}\u{448}",
            "\u{91cd}\u{7f6e}",
            "\u{30ea}\u{30bb}\u{30c3}\u{30c8}",
        ],
    ),
    (
        "CurrEstab",
        &[
            "aktuell",
            "courant",
            "actuel",
            "actual",
            "corrent",
            "atuais",
            "bie\u{17c}\u{105}c",
            "\u{442}\u{435}\u{43a}\u{443}\u{449}",
            "\u{5f53}\u{524d}",
            "\u{73fe}\u{5728}",
        ],
    ),
    ("OutSegs", SENT),
    ("InSegs", RECEIVED),
];

const UDP: &Stems = &[
    (
        "InErrors",
        &[
            "fehler",
            "erreur",
            "erro",
            "b\u{142}\u{119}d",
            "\u{43e}\u{448}\u{438}\u{431}",
            "\u{9519}\u{8bef}",
            "\u{30a8}\u{30e9}\u{30fc}",
        ],
    ),
    (
        "NoPorts",
        &[
            "port",
            "anschl",
            "puert",
            "\u{43f}\u{43e}\u{440}\u{442}",
            "\u{7aef}\u{53e3}",
            "\u{30dd}\u{30fc}\u{30c8}",
        ],
    ),
    ("OutDatagrams", SENT),
    ("InDatagrams", RECEIVED),
];

/// The group that a heading announces, as records call it: `TCP-Statistik f\u{fc}r IPv4`; nothing for ICMP.
pub(super) fn heading(line: &str) -> Option<&'static str> {
    if line.starts_with([' ', '\t']) || line.contains(['=', ':', '.']) {
        return None;
    }
    let family = ["Pv4", "Pv6"].into_iter().find(|family| line.contains(family))?;
    let protocol = ["TCP", "UDP", "ICMP"]
        .into_iter()
        .find(|name| line.contains(name));
    let is_meant = |heading: &str| heading.starts_with(protocol.unwrap_or("IPv")) && heading.contains(family);
    let meant = WINDOWS.iter().find(|(heading, ..)| is_meant(heading));
    meant.map(|(_, group, _)| *group)
}

/// Whether the first that stands below the command is such a heading, and none of English.
pub(super) fn is_such(block: &Block) -> bool {
    let mut below = block.lines().skip(1).filter(|line| !line.trim_ascii().is_empty());
    let is_english = |line: &str| WINDOWS.iter().any(|(known, ..)| *known == line.trim_ascii_end());
    below
        .next()
        .is_some_and(|line| heading(line).is_some() && !is_english(line))
}

pub(super) fn continues(line: &str) -> bool {
    // Sockets follow: their head has this word in every language.
    let is_row = line.starts_with([' ', '\t']) && !line.trim_ascii_start().starts_with("Proto ");
    is_row || heading(line).is_some()
}

pub(super) fn read(block: &Block, given: &mut Given<u64>, findings: &mut Findings) {
    let mut open = "";
    for (number, line) in block.numbered().skip(1) {
        if let Some(group) = heading(line) {
            open = group;
            if open.starts_with("Ip") {
                findings.complain(number, "counters of IP in a language that is not understood");
            }
        } else if let Some((text, figure)) = line.split_once('=') {
            let known = counter(open, text).zip(figure.trim_ascii().parse().ok());
            match known {
                Some((name, value)) => given.put(findings, number, format!("{open}.{name}"), value),
                None if open.starts_with("Ip") => {}
                None => findings.unread(number, line),
            }
        } else if two_columns(line).is_none() && line.bytes().any(|byte| byte.is_ascii_digit()) {
            findings.unread(number, line);
        }
    }
}

/// What a row counts.
fn counter(group: &str, text: &str) -> Option<&'static str> {
    let stems = match group {
        "Tcp" | "Tcp6" => TCP,
        "Udp" | "Udp6" => UDP,
        _ => return None,
    };
    let text = text.to_lowercase();
    let is_meant = |stems: &[&str]| stems.iter().any(|stem| text.contains(stem));
    let meant = stems.iter().find(|(_, stems)| is_meant(stems));
    meant.map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_none_of_what_came() {
        for (group, row, name) in [
            ("Udp", "Erros recebidos", "InErrors"),
            ("Udp", "Datagramas recebidos", "InDatagrams"),
            ("Udp", "Empfangsfehler", "InErrors"),
            (
                "Tcp",
                "Tentatives de connexion ayant \u{e9}chou\u{e9}",
                "AttemptFails",
            ),
            ("Tcp", "Tentativas de conex\u{e3}o malsucedidas", "AttemptFails"),
            ("Tcp", "Fehlgeschlagene Verbindungsversuche", "AttemptFails"),
            ("Tcp", "Ouvertures actives", "ActiveOpens"),
        ] {
            assert_eq!(counter(group, row), Some(name), "{row}");
        }
    }
}

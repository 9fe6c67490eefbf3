//! What Windows' tracert and pathping print around the hops, in the languages that desks hold, and where a code page broke the
//! letters.

use memchr::memchr2;
use std::sync::LazyLock;

/// What stands before and behind the host in the heading.
static HEADINGS: &[(&str, &str)] = &[
    ("Tracing route to ", ""),
    ("Routenverfolgung zu ", ""),
    ("Détermination de l'itinéraire vers ", ""),
    ("Traza a la dirección ", ""),
    ("Traza a ", ""),
    ("Seguimiento de la ruta a ", ""),
    ("Seguimiento de ruta a ", ""),
    ("Traccia instradamento verso ", ""),
    ("Rilevazione instradamento verso ", ""),
    ("Rastreando a rota para ", ""),
    ("A rastrear a rota para ", ""),
    ("A rastrear o encaminhamento para ", ""),
    ("Traceren van de route naar ", ""),
    ("Bezig met het traceren van de route naar ", ""),
    ("Śledzenie trasy do ", ""),
    ("Výpis trasy k ", ""),
    ("Trasování cesty k ", ""),
    ("Sledování trasy k ", ""),
    ("Spårar väg till ", ""),
    ("Spårar vägen till ", ""),
    ("Sporer rute til ", ""),
    ("Sporer ruten til ", ""),
    ("Jäljitetään reitti kohteeseen ", ""),
    ("Útvonal követése a következőhöz: ", ""),
    ("Трассировка маршрута к ", ""),
    ("Трасування маршруту до ", ""),
    ("到 ", "的路由"),
    ("通过最多 ", "的路由"),
    ("追蹤 ", "的路由"),
    ("", "へのルートをトレースしています"),
    ("", "경로 추적"),
    ("", "giden yol izleniyor"),
];

/// What stands above the hosts where a language puts the bound first, so that the host is on the line below.
static BOUNDS: &[&str] = &[
    "over a maximum of ",
    "über maximal ",
    "avec un maximum de ",
    "sobre un máximo de ",
    "sobre caminos de ",
    "su un massimo di ",
    "com no máximo ",
    "até um máximo de ",
    "num máximo de ",
    "via maximaal ",
    "over maximaal ",
    "z maksymalną liczbą ",
    "przewyższający maksymalną liczbę ",
    "s nejvýše ",
    "maximálně ",
    "över högst ",
    "over maksimum ",
    "over maksimalt ",
    "с максимальным числом прыжков ",
    "经过最多 ",
    "通过最多 ",
    "在上限 ",
    "経由するホップ数は最大 ",
    "최대 ",
    "En fazla ",
];

/// The last line.
static ENDS: &[&str] = &[
    "Trace complete.",
    "Ablaufverfolgung beendet.",
    "Itinéraire déterminé.",
    "Traza completa.",
    "Traccia completata.",
    "Rilevazione completata.",
    "Rastreamento concluído.",
    "Rastreio concluído.",
    "De trace is voltooid.",
    "Śledzenie zakończone.",
    "Trasování bylo dokončeno.",
    "Trasování dokončeno.",
    "Spårning utförd.",
    "Spårning slutförd.",
    "Трассировка завершена.",
    "Трасування завершено.",
    "トレースを完了しました。",
    "跟踪完成。",
    "追蹤完成。",
    "추적을 완료했습니다.",
    "İzleme tamamlandı.",
    "Sporing fullført.",
    "Sporingen er fuldført.",
];

/// A letter that code pages break, or a sign that comes in several shapes.
fn is_fragile(c: char) -> bool {
    !c.is_ascii() || matches!(c, '?' | '\'')
}

/// What follows a phrase, of which letters beyond ASCII may be broken; a phrase without a letter of ASCII must stand as it is.
fn behind<'t>(text: &'t str, phrase: &str) -> Option<&'t str> {
    // Most phrases are ruled out by their first letter.
    let first = phrase.bytes().next().filter(|byte| byte.is_ascii_alphabetic());
    if first.is_some() && first != text.bytes().next() {
        return None;
    }
    if !phrase.contains(|c: char| c.is_ascii_alphabetic()) {
        return text.strip_prefix(phrase);
    }
    let mut rest = text;
    let mut wanted = phrase.chars().peekable();
    while let Some(c) = wanted.next() {
        if is_fragile(c) {
            while wanted.next_if(|next| is_fragile(*next)).is_some() {}
            rest = rest.trim_start_matches(is_fragile);
        } else {
            rest = rest.strip_prefix(c)?;
        }
    }
    Some(rest)
}

/// The first bytes of texts that begin with one of some phrases, however letters beyond ASCII are broken.
type FirstBytes = [bool; 256];

static BOUNDS_BEGIN: LazyLock<FirstBytes> = LazyLock::new(|| first_bytes(BOUNDS));
static ENDS_BEGIN: LazyLock<FirstBytes> = LazyLock::new(|| first_bytes(ENDS));

fn first_bytes(phrases: &[&str]) -> FirstBytes {
    let mut first = [false; 256];
    first[usize::from(b'?')] = true;
    first[usize::from(b'\'')] = true;
    first[128..].fill(true);
    for letter in phrases
        .iter()
        .filter_map(|phrase| phrase.chars().find(|c| !is_fragile(*c)))
    {
        first[letter as usize & 0x7f] = true;
    }
    first
}

fn may_begin(first: &FirstBytes, text: &str) -> bool {
    text.bytes().next().is_some_and(|byte| first[usize::from(byte)])
}

/// A line that begins with a figure and has no letter that may be a broken one is no phrase: most lines of a trace are hops.
pub(super) fn is_figures(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_digit) && text.is_ascii() && memchr2(b'?', b'\'', bytes).is_none()
}

/// What headings hold however their letters beyond ASCII are broken: the longest part between these, or all of one without a letter
/// of ASCII.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    HEADINGS.iter().map(|(before, after)| {
        let parts = before
            .split(is_fragile)
            .filter(|part| part.contains(|c: char| c.is_ascii_alphabetic()));
        let whole = if before.is_empty() { after } else { before };
        parts.max_by_key(|part| part.len()).unwrap_or(whole)
    })
}

/// What a heading says of the host, and what else stands there.
pub(super) fn heading(line: &str) -> Option<&str> {
    let text = line.trim_ascii();
    // What stands behind the host ends with the line.
    let may_be = || text.starts_with(['T', 'R', 'D', 'S', 'A', 'B', 'J', 'V']) || text.ends_with(':');
    if text.len() > 400 || (line.is_ascii() && !may_be()) {
        return None;
    }
    let is_ascii = text.is_ascii();
    HEADINGS.iter().find_map(|(before, after)| {
        if is_ascii && !after.is_ascii() {
            return None;
        }
        let rest = behind(text, before)?;
        if after.is_empty() {
            return rest.contains(|c: char| c.is_ascii_alphanumeric()).then_some(rest);
        }
        rest.split_once(after).map(|(host, _)| host)
    })
}

/// A heading of which the words are broken altogether: letters beyond ASCII or question marks alone, but for the host.
pub(super) fn is_broken_heading(line: &str) -> bool {
    let text = line.trim_ascii().trim_end_matches(':');
    let Some((before, address)) = text.split_once('[') else {
        return false;
    };
    let (address, after) = address.split_once(']').unwrap_or((address, ""));
    let mut words = before.split_whitespace().rev();
    let name = words
        .next()
        .is_some_and(|name| name.is_ascii() && name.contains('.'));
    let is_broken = |word: &str| word.chars().all(is_fragile);
    name && address.parse::<std::net::IpAddr>().is_ok()
        && (words.clone().next().is_some() || !after.trim_ascii().is_empty())
        && words.chain(after.split_whitespace()).all(is_broken)
}

/// The bound of a line that tells how many hops there may be: the one number in it.
pub(super) fn bound(line: &str) -> Option<u8> {
    let text = line.trim_ascii();
    if text.len() > 200 || is_figures(text) {
        return None;
    }
    let is_known =
        may_begin(&BOUNDS_BEGIN, text) && BOUNDS.iter().any(|phrase| behind(text, phrase).is_some());
    // Broken letters: one number and nothing else to read.
    let is_broken = || {
        text.chars()
            .all(|c| is_fragile(c) || matches!(c, ' ' | ':' | '0'..='9'))
            && text.contains(is_fragile)
    };
    (is_known || is_broken()).then(|| only_number(text)).flatten()
}

/// The one number of a line.
pub(super) fn only_number(text: &str) -> Option<u8> {
    let mut numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty());
    let number = numbers.next()?.parse().ok().filter(|number| *number > 0)?;
    numbers.next().is_none().then_some(number)
}

/// Whether the line says that the trace is over.
pub(super) fn is_end(line: &str) -> bool {
    let text = line.trim_ascii();
    if is_figures(text) {
        return false;
    }
    may_begin(&ENDS_BEGIN, text) && ENDS.iter().any(|end| behind(text, end) == Some(""))
        || (text.len() <= 80
            && text.contains('\u{fffd}')
            && text.chars().all(|c| is_fragile(c) || matches!(c, ' ' | '.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_many_languages() {
        for (line, host) in [
            ("Tracing route to a.example [192.0.2.1]", "a.example [192.0.2.1]"),
            (
                "D\u{fffd}termination de l\u{2019}itin\u{fffd}raire vers a.example [192.0.2.1]",
                "a.example [192.0.2.1]",
            ),
            (
                "Traza a la direcci?n a.example [192.0.2.1]",
                "a.example [192.0.2.1]",
            ),
            (
                "a.example [192.0.2.1] へのルートをトレースしています",
                "a.example [192.0.2.1] ",
            ),
            ("到 a.example [192.0.2.1] 的路由:", "a.example [192.0.2.1] "),
            (
                "通过最多 30 个跃点跟踪到 192.0.2.1 的路由",
                "30 个跃点跟踪到 192.0.2.1 ",
            ),
        ] {
            assert_eq!(heading(line), Some(host), "{line}");
        }
        assert!(heading("Tracing is slow").is_none() && heading("Traza").is_none());
    }

    #[test]
    fn broken_letters() {
        assert!(is_broken_heading(
            "\u{fffd}\u{fffd}\u{fffd} ?? a.example [192.0.2.1]:"
        ));
        for no in [
            "a.example [192.0.2.1]",
            "1 a.example [192.0.2.1]",
            "Pinging a.example [192.0.2.1]",
        ] {
            assert!(!is_broken_heading(no), "{no}");
        }
        assert_eq!(bound("\u{fffd}\u{fffd}\u{fffd} 30 ???:"), Some(30));
        assert_eq!(bound("?ber maximal 30 Hops:"), Some(30));
        assert_eq!(bound("30 hops"), None);
        assert!(is_end("Itin?raire d?termin?.") && !is_end("Trace it"));
    }
}

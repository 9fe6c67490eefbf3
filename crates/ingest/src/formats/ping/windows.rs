//! Windows' ping, in any language: lines are told by their shape, as only the figures, `TTL=` and the order of the
//! statistics are the same everywhere.

use super::run::Run;
use crate::block::Block;
use crate::findings::Findings;
use crate::host::{delay, leading_host, rtt_ms};
use crate::masked::is_masked;
use crate::stray::Strays;
use evidence::{DelayStatistics, Node};
use memchr::memchr;
use std::net::IpAddr;

/// What headers say that do not say "ping": Portuguese of Brazil and Portugal, Polish, Russian.
const HEADERS: [&str; 4] = ["Disparando ", "A enviar ", "Badanie ", "Обмен пакетами "];

/// `Pinging host [240.0.0.1] with 32 bytes of data:` in any language: an address, one other figure, and a colon at the end.
pub(super) fn is_header(line: &str) -> bool {
    let text = line.trim_ascii_end();
    // Old versions wrap it behind the bytes.
    let ends = text.ends_with([':', '：']) || text.starts_with("Pinging ") && text.ends_with(" bytes of");
    ends && (has_ping(text) || HEADERS.iter().any(|words| text.starts_with(words)))
        && payload(text).is_some()
        && (addresses(text).next().is_some() || named_alone(text).is_some())
        // What is left of an answer: `192.0.2.1 64 byte ping:`.
        && super::line::of_old_routeros(text).is_none()
}

/// The host of a header of which somebody took the address out: `Pinging host.example with 32 bytes of data:`.
fn named_alone(text: &str) -> Option<&str> {
    let (name, rest) = text.strip_prefix("Pinging ")?.split_once(" with ")?;
    (rest.ends_with(" bytes of data:") && !name.contains(' ')).then_some(name)
}

fn has_ping(text: &str) -> bool {
    text.as_bytes()
        .windows(4)
        .any(|four| four.eq_ignore_ascii_case(b"ping"))
}

/// What a line of the output is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Line {
    /// A reply, with its time where one is printed.
    Reply(Option<u64>),
    /// A host, where its address was not hidden, and what it says instead.
    Error(Option<IpAddr>),
    /// The own host refused.
    Refused,
    /// Sent, received, lost.
    Counts(u64, u64, u64),
    /// Sent and received, where a language needs a line more for what is lost.
    TwoCounts(u64, u64),
    /// Smallest, largest, mean.
    Times([Option<u64>; 3]),
    /// What heads statistics, and what stands in brackets.
    Heading,
    /// A sentence without a figure: the request timed out.
    Silence,
}

/// Whether a block may begin with this line: a header, or, where that was not copied, a reply or what heads the statistics.
pub(super) fn begins(line: &str) -> bool {
    is_header(line) || is_reply(line) || statistics_of(line).is_some()
}

/// `Reply from 240.0.0.1: bytes=32 time=11ms TTL=57`: nothing else says `TTL=` behind other figures.
fn is_reply(line: &str) -> bool {
    line.len() < 200 && memchr(b'=', line.as_bytes()).is_some() && line.contains("TTL=") && {
        let text = line.trim_ascii();
        let signs = text.bytes().filter(|byte| matches!(byte, b'=' | b'<')).count();
        (2..=3).contains(&signs) && matches!(kind(text), Some(Line::Reply(_)))
    }
}

/// `Ping statistics for 240.0.0.1:`, in the languages that say "ping" there.
fn statistics_of(line: &str) -> Option<Option<IpAddr>> {
    let text = line.trim_ascii_end();
    let words = || text.split_ascii_whitespace();
    let is_one = text.len() < 100
        && text.ends_with(':')
        && words().any(|word| {
            word.len() >= 4
                && word
                    .get(..4)
                    .is_some_and(|four| four.eq_ignore_ascii_case("ping"))
        })
        && words().any(|word| word.contains("tatist") || word.contains("tadíst"));
    // In English the words are known, and the address may have been taken out.
    let is_english = || text.starts_with("Ping statistics for ");
    let address = addresses(text).next();
    address
        .or_else(|| is_english().then_some(None))
        .filter(|_| is_one)
}

/// Whether a block is of Windows' ping.
pub(super) fn is_of(block: &Block) -> bool {
    block.begins_with(super::PREAMBLE_LINES, begins)
}

/// Whether the statistics are there.
pub(super) fn is_over(block: &Block) -> bool {
    let is_times = |line: &str| matches!(kind(line.trim_ascii()), Some(Line::Times(_)));
    block.last().is_some_and(is_times)
}

/// Whether the line goes on with a block of Windows' ping.
pub(super) fn goes_on(block: &Block, text: &str) -> bool {
    if !is_of(block) {
        return false;
    }
    // The times end the statistics; whoever broke the run off stands below them.
    let is_ended = || block.has(|line| matches!(kind(line.trim_ascii()), Some(Line::Times(_))));
    match kind(text) {
        None => false,
        // Sentences behind a blank line are somebody's.
        Some(Line::Silence | Line::Refused) => block.last().is_some_and(|last| !last.trim_ascii().is_empty()),
        Some(Line::Heading) => {
            text.len() < 10 && !text.ends_with(':') || !is_ended() && is_headed_here(block, text)
        }
        // The same line, of a copy that has it twice.
        Some(Line::Times(_)) => {
            block.last_written().is_none_or(|last| last.trim_ascii() == text) || !is_ended()
        }
        Some(_) => !is_ended(),
    }
}

/// Whether an answer is of another run: behind the counts and a blank line, as there are no times where nothing came back.
pub(super) fn is_of_another(block: &Block, text: &str) -> bool {
    let is_counted = |line: &str| {
        matches!(
            kind(line.trim_ascii()),
            Some(Line::Counts(..) | Line::TwoCounts(..))
        )
    };
    block.last().is_some_and(|last| last.trim_ascii().is_empty())
        && matches!(kind(text), Some(Line::Reply(_) | Line::Error(_)))
        && is_of(block)
        && block.has(is_counted)
}

/// Whether a heading stands in its place: those that name the host anywhere, those above the times below the counts. Elsewhere it is
/// somebody's.
fn is_headed_here(block: &Block, text: &str) -> bool {
    let last = block.last_written().map(str::trim_ascii).unwrap_or_default();
    let is_summed = matches!(kind(last), Some(Line::Counts(..) | Line::TwoCounts(..)))
        || last.contains('%') && last.contains(['(', '（']);
    let names_host = || addresses(text).next().is_some() || statistics_of(text).is_some();
    !text.ends_with([':', '：']) || names_host() || is_summed
}

/// Whether a line says what became of a request, or sums up.
pub(super) fn is_result(text: &str) -> bool {
    matches!(
        kind(text),
        Some(Line::Reply(_) | Line::Error(_) | Line::Counts(..) | Line::TwoCounts(..) | Line::Times(_))
    )
}

fn kind(text: &str) -> Option<Line> {
    // Set in bold by somebody.
    let text = match text.strip_prefix("**") {
        Some(bold) => bold.trim_end_matches('*'),
        None => text,
    };
    let address = addresses(text).next();
    let figures = || text.split(['=', '＝']).skip(1).map(leading);
    let ends = |marks: &[char]| text.ends_with(marks);
    // What a host says stands behind a colon in every language.
    let says = text.contains(": ") || text.contains('：');
    match figures().count() {
        2 | 3 if address.is_none() && is_nobodys(text) => Some(Line::Reply(time(text))),
        3 if address.is_none() => {
            let figures: Vec<_> = figures().collect();
            let times = figures.iter().all(|(_, unit)| unit.starts_with(['m', 'м']));
            let [sent, received, lost] = [0, 1, 2].map(|at| figures.get(at).and_then(|(figure, _)| *figure));
            match (sent, received, lost) {
                (Some(min), Some(max), Some(mean)) if times => {
                    Some(Line::Times([min, max, mean].map(|ms| rtt_ms(&ms.to_string()))))
                }
                (Some(sent), Some(received), Some(lost)) if received.checked_add(lost) == Some(sent) => {
                    Some(Line::Counts(sent, received, lost))
                }
                _ => None,
            }
        }
        2 if address.is_none() && ends(&[',']) => {
            let figures: Vec<_> = figures()
                .filter_map(|(figure, unit)| figure.filter(|_| !unit.starts_with(['m', 'м'])))
                .collect();
            match figures.as_slice() {
                [sent, received] if received <= sent => Some(Line::TwoCounts(*sent, *received)),
                _ => None,
            }
        }
        // `Persi = 0 (0% persi),` below these.
        1 if address.is_none() && ends(&[',', ')']) && text.contains("%") && text.contains('(') => {
            Some(Line::Heading)
        }
        0 if matches!(text, "Control-C" | "^C" | "STRG-C" | "Ctrl-C") => Some(Line::Heading),
        0 if text.contains('<') && address.is_some() && says => Some(Line::Reply(None)),
        0 => match address {
            Some(from) if ends(&['.', '。']) && says => Some(Line::Error(from)),
            Some(_) => ends(&[':', '：']).then_some(Line::Heading),
            None if text.starts_with(['(', '（']) => Some(Line::Heading),
            None if ends(&[':', '：']) => Some(Line::Heading),
            None if text.contains("DF") && !text.contains(": ")
                || REFUSALS.iter().any(|words| text.starts_with(words)) =>
            {
                Some(Line::Refused)
            }
            None if ends(&['.', '。']) && !text.contains(|c: char| c.is_ascii_digit()) => {
                Some(Line::Silence)
            }
            None => None,
        },
        _ if address.is_some() && says => Some(Line::Reply(time(text))),
        _ => None,
    }
}

/// `Reply from : bytes=32 time=9ms TTL=64`, with a name or nothing where the address was: no other line ends with `TTL=` behind a time.
fn is_nobodys(text: &str) -> bool {
    let Some((before, ttl)) = text.rsplit_once(" TTL=") else {
        return false;
    };
    let is_number = (1..=3).contains(&ttl.len()) && ttl.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = |word: &str| {
        let figure = word.rsplit(['=', '<']).next().map(leading);
        word.contains(['=', '<'])
            && figure.is_some_and(|(figure, unit)| figure.is_some() && unit.starts_with(['m', 'м']))
    };
    let mut words = before.split_ascii_whitespace().rev();
    is_number && words.next().is_some_and(is_time) && words.any(|word| word.contains('='))
}

/// What stands before the figures of a reply, and the host that it names there in English.
fn who(text: &str) -> (&str, Node) {
    let before = text.split_once('=').map_or("", |(before, _)| before);
    let before = before.rsplit_once(' ').map_or("", |(before, _)| before);
    let before = before.trim_end_matches([':', ' ']);
    let name = before.strip_prefix("Reply from ");
    let name = name.filter(|name| !name.is_empty() && !name.contains(' '));
    (before, name.map(leading_host).unwrap_or_default().0)
}

/// What the own host says in English instead of sending.
const REFUSALS: [&str; 4] = ["Packet needs", "Destination ", "General failure", "PING: "];

/// The time of a reply: the last figure before `TTL=`, which IPv6 has not; `<1ms` is no time.
fn time(text: &str) -> Option<u64> {
    let before = text.split("TTL").next()?;
    let sign = before.rfind(['=', '<', '＝'])?;
    let (figure, unit) = leading(before.get(sign..)?.trim_start_matches(['=', '＝']));
    unit.starts_with(['m', 'м'])
        .then(|| rtt_ms(&figure?.to_string()))
        .flatten()
}

/// The figure that a text begins with, and what stands behind it; blanks aside.
fn leading(text: &str) -> (Option<u64>, &str) {
    let text = text.trim_ascii_start();
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let (figure, unit) = text.split_at(end);
    (figure.parse().ok(), unit.trim_ascii_start())
}

/// The addresses in a line, with the word before each, and whether it stands in brackets; `None` for one that was hidden.
fn named_addresses(text: &str) -> impl Iterator<Item = (Option<&str>, Option<IpAddr>, bool)> {
    let mut before = None;
    text.split_ascii_whitespace().filter_map(move |word| {
        let inner = word
            .split_once('[')
            .map(|(_, rest)| rest.split(']').next().unwrap_or(rest));
        let whole = inner.unwrap_or(word);
        // Most words are told by having neither sign of an address.
        let may_be = inner.is_some() || whole.bytes().any(|byte| matches!(byte, b'.' | b':'));
        let found = may_be.then(|| address(whole)).flatten();
        let found = found.map(|address| (before, address, inner.is_some()));
        before = Some(word);
        found
    })
}

/// The address that a word is, whatever stands around it.
fn address(word: &str) -> Option<Option<IpAddr>> {
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != ':');
    let bare = bare.split('%').next().unwrap_or(bare);
    let parsed = |text: &str| text.parse::<IpAddr>().ok();
    let known = parsed(bare).or_else(|| parsed(bare.trim_end_matches(':')));
    known.map(Some).or_else(|| {
        let shown = word.trim_end_matches([':', ',', '.', '\u{ff1a}', '\u{3002}']);
        is_masked(shown).then_some(None)
    })
}

fn addresses(text: &str) -> impl Iterator<Item = Option<IpAddr>> {
    named_addresses(text).map(|(_, address, _)| address)
}

/// The only whole number among the words of a header: the bytes that ICMP carries. An address of IPv6 may begin like one: `2a00:…`.
fn payload(text: &str) -> Option<u32> {
    let words = text.split_ascii_whitespace();
    let numbers = words.filter(|word| address(word).is_none()).filter_map(|word| {
        let word = word.trim_start_matches(['(', '（']);
        let (figure, unit) = leading(word);
        figure.filter(|_| !unit.starts_with(['.', ':', '-']))
    });
    let mut numbers = numbers.fuse();
    let only = numbers.next()?;
    numbers
        .next()
        .is_none()
        .then(|| u32::try_from(only).ok())
        .flatten()
}

pub(super) fn read(block: &Block, findings: &mut Findings) -> Run {
    let mut run = Run {
        tool: "Windows ping",
        ..Run::default()
    };
    let mut strays = Strays::default();
    for (number, line) in block.numbered() {
        let text = line.trim_ascii();
        if is_header(text) {
            header(text, &mut run);
        } else if let Some(address) = statistics_of(text) {
            run.tally.has_statistics = true;
            if run.to.is_unknown() {
                run.to = at(address);
            }
        } else if !body(text, &mut run) && !text.is_empty() && number > block.first_line {
            strays.push(number, text);
        }
    }
    strays.tell(block, findings);
    if run.are_several {
        findings.complain(block.first_line, super::SEVERAL);
        run.tally.forget_replies();
    } else if run.to.is_unknown() {
        run.to = run.answerer.take().unwrap_or_default();
    }
    run
}

/// Takes a line below the header; whether it was understood.
fn body(text: &str, run: &mut Run) -> bool {
    let Some(line) = kind(text) else { return false };
    match line {
        Line::Reply(ns) => {
            let from = addresses(text).next().flatten();
            if from.is_none() {
                let (before, named) = who(text);
                // Two names are two hosts, be they hidden or not.
                run.are_several |= run.to.is_unknown() && !run.last.is_empty() && run.last != before;
                before.clone_into(&mut run.last);
                run.answerer.get_or_insert(named);
            }
            if run.to.is_unknown() {
                run.to = at(from);
            }
            run.are_several |= from.is_some() && run.to.address.is_some() && from != run.to.address;
            run.tally.reply(ns);
        }
        Line::Error(from) => {
            let said = text.split_once(": ").map_or(text, |(_, said)| said);
            run.tally.error(from.map(|from| at(Some(from))), said, 1);
        }
        Line::Refused => run.tally.error(None, text, 1),
        Line::Silence => run.tally.silent += 1,
        Line::Counts(sent, received, _) => {
            run.tally.has_statistics = true;
            run.tally.sent = Some(sent);
            received_of(received, run);
        }
        Line::TwoCounts(sent, received) => {
            run.tally.has_statistics = true;
            run.tally.sent = Some(sent);
            received_of(received, run);
        }
        Line::Times([min, max, mean]) => {
            run.tally.has_statistics = true;
            // 0 ms stands for "less than one", which is no figure.
            let ms = |ns: Option<u64>| delay(ns.filter(|ns| *ns > 0));
            run.tally.summary = Some(DelayStatistics {
                min_ns: ms(min),
                mean_ns: ms(mean),
                max_ns: ms(max),
                ..DelayStatistics::default()
            });
        }
        Line::Heading => {}
    }
    true
}

/// Windows counts an "unreachable" as received: only the lines tell it from a reply, where they are all there.
fn received_of(printed: u64, run: &mut Run) {
    let tally = &mut run.tally;
    let (replies, errors) = (tally.replies(), tally.errors());
    tally.received = if errors == 0 {
        Some(printed)
    } else if replies + errors >= printed && replies <= printed {
        Some(replies)
    } else {
        tally.contradictions.push(format!(
            "{replies} replies and {errors} refusals are not the {printed} packets received that are counted below: a line is missing"
        ));
        None
    };
}

fn at(address: Option<IpAddr>) -> Node {
    Node { name: None, address }
}

/// `Pinging host.example [240.0.0.1] from 240.0.0.9 with 32 bytes of data:`
fn header(text: &str, run: &mut Run) {
    let (to, from) = text.split_once(" from ").unwrap_or((text, ""));
    if let Some((before, address, is_bracketed)) = named_addresses(to).next() {
        let name = before.filter(|_| is_bracketed);
        run.to = Node {
            name: name.map(str::to_owned),
            address,
        };
    } else if let Some((named, _)) = named_alone(text)
        .filter(|name| !is_masked(name))
        .map(leading_host)
    {
        run.to = named;
    }
    run.from = addresses(from).next().map(at).unwrap_or_default();
    // Which of the two protocols it was no line says.
    if addresses(text).next().is_none() {
        return;
    }
    let overhead = match run.to.address.or(run.from.address) {
        Some(IpAddr::V6(_)) => 48,
        _ => 28,
    };
    run.tally.size_bytes = payload(text).and_then(|bytes| bytes.checked_add(overhead));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_every_language() {
        for header in [
            "Pinging host.example [192.0.2.7] with 32 bytes of data:",
            "Ping wird ausgeführt für host.example [192.0.2.7] mit 32 Bytes Daten:",
            "Envoi d'une requête 'ping' sur host.example [192.0.2.7] avec 32 octets de données :",
            "Haciendo ping a host.example [192.0.2.7] con 32 bytes de datos:",
            "Esecuzione di Ping host.example [192.0.2.7] con 32 byte di dati:",
            "Disparando host.example [192.0.2.7] com 32 bytes de dados:",
            "Pingen naar host.example [192.0.2.7] met 32 bytes aan gegevens:",
            "Badanie host.example [192.0.2.7] z 32 bajtami danych:",
            "Обмен пакетами с host.example [192.0.2.7] с 32 байтами данных:",
            "host.example [192.0.2.7]に ping を送信しています 32 バイトのデータ:",
            "正在 Ping host.example [192.0.2.7] 具有 32 字节的数据:",
            "Ping host.example [192.0.2.7] (使用 32 位元組的資料):",
            "Ping host.example [192.0.2.7] 32바이트 데이터 사용:",
            "P??kaz PING na host.example [192.0.2.7] - 32 bajt\u{fffd} dat:",
        ] {
            assert!(is_header(header), "{header}");
            let mut run = Run::default();
            super::header(header, &mut run);
            assert_eq!(run.tally.size_bytes, Some(60), "{header}");
            assert_eq!(run.to.name.as_deref(), Some("host.example"), "{header}");
        }
        for other in [
            "Ping statistics for 192.0.2.7:",
            "Routenverfolgung zu host.example [192.0.2.7] über maximal 30 Hops:",
            "I pinged 192.0.2.7 for 3 days, at 2 sites:",
            "pinging works:",
        ] {
            assert!(!is_header(other), "{other}");
        }
    }

    #[test]
    fn lines_are_told_by_their_shape() {
        let ms = 1_000_000;
        let address = IpAddr::from([192, 0, 2, 7]);
        for (line, expected) in [
            (
                "Antwort von 192.0.2.7: Bytes=32 Zeit=11ms TTL=57",
                Line::Reply(Some(11 * ms)),
            ),
            (
                "Réponse de 192.0.2.7 : octets=32 temps=11 ms TTL=57",
                Line::Reply(Some(11 * ms)),
            ),
            (
                "Respuesta desde 192.0.2.7: bytes=32 tiempo<1m TTL=57",
                Line::Reply(None),
            ),
            (
                "Ответ от 192.0.2.7: число байт=32 время=11мс TTL=57",
                Line::Reply(Some(11 * ms)),
            ),
            (
                "192.0.2.7 からの応答: バイト数 =32 時間 =11ms TTL=57",
                Line::Reply(Some(11 * ms)),
            ),
            (
                "来自 192.0.2.7 的回复: 字节=32 时间=11ms TTL=57",
                Line::Reply(Some(11 * ms)),
            ),
            (
                "Antwort von 192.0.2.7: Zielhost nicht erreichbar.",
                Line::Error(Some(address)),
            ),
            ("Reply from 2001:db8::1: time=3ms", Line::Reply(Some(3 * ms))),
            ("Zeitüberschreitung der Anforderung.", Line::Silence),
            ("请求超时。", Line::Silence),
            (
                "    Pakete: Gesendet = 4, Empfangen = 3, Verloren = 1".trim_ascii(),
                Line::Counts(4, 3, 1),
            ),
            (
                "数据包: 已发送 = 4，已接收 = 4，丢失 = 0 (0% 丢失)，",
                Line::Counts(4, 4, 0),
            ),
            (
                "Минимальное = 11мсек, Максимальное = 12 мсек, Среднее = 11 мсек",
                Line::Times([Some(11 * ms), Some(12 * ms), Some(11 * ms)]),
            ),
            ("(25% Verlust),", Line::Heading),
        ] {
            assert_eq!(kind(line), Some(expected), "{line}");
        }
        for other in [
            "Packets: Sent = 4, Received = 9, Lost = 1",
            "a = 1, b = 2",
            "5 packets",
        ] {
            assert_eq!(kind(other), None, "{other}");
        }
    }
}

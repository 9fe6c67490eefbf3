//! What the command line and the verbose lines of nuttcp say.

use crate::host::host;
use crate::text::parted;
use crate::units::{Kilo, ns_of_seconds, rate_bps};
use evidence::{Node, RateBps};

/// What the command line and the verbose lines say.
#[derive(Default)]
pub(super) struct Setting {
    /// The host that ran it.
    pub(super) own: Node,
    pub(super) other: Node,
    pub(super) receives: bool,
    /// The command may ask for either way.
    pub(super) is_way_unsure: bool,
    pub(super) udp: Option<bool>,
    pub(super) streams: Option<u16>,
    pub(super) window_bytes: Option<u64>,
    pub(super) mss_bytes: Option<u32>,
    pub(super) rtt_ns: Option<u64>,
    pub(super) sent: Option<RateBps>,
    pub(super) received: Option<RateBps>,
    pub(super) length_ns: Option<u64>,
    pub(super) retransmits: Option<u64>,
    pub(super) lost: Option<u64>,
    pub(super) packets: Option<u64>,
    /// Whether the first half, which is of the host that printed, is the sender's.
    pub(super) own_sends: Option<bool>,
    pub(super) tool: Option<String>,
}

/// Options whose figure may be a word of its own: `-T 10`.
const WITH_FIGURE: [&str; 11] = ["-T", "-P", "-p", "-w", "-l", "-n", "-i", "-R", "-c", "-M", "-a"];

/// `-r -u -N4 -T10 host`: the host is the first word that is no option, nor the figure of one. `false`: there is none, so the
/// command is not whole, and says nothing.
pub(super) fn typed<'t>(into: &mut Setting, own: Node, words: impl Iterator<Item = &'t str>) -> bool {
    let mut setting = Setting {
        own,
        ..Setting::default()
    };
    let mut words = words.peekable();
    let is_figure = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && !word.contains([':'])
            && word.matches('.').count() < 3
    };
    while let Some(word) = words.next() {
        match word {
            "-N" => setting.streams = words.next_if(is_figure).and_then(|n| n.parse().ok()),
            _ if WITH_FIGURE.contains(&word) => {
                words.next_if(is_figure);
            }
            "-u" => setting.udp = Some(true),
            // nuttcp looks at the first letter; what others behind one dash are taken for differs by version.
            _ if word.starts_with("-r") => setting.receives = true,
            _ if is_cluster_with_r(word) => setting.is_way_unsure = true,
            _ if word.starts_with("-N") => setting.streams = word.get(2..).and_then(|n| n.parse().ok()),
            _ if word.starts_with('-') => {}
            _ if setting.other.is_unknown() => setting.other = host(word),
            _ => {}
        }
    }
    let is_whole = !setting.other.is_unknown();
    if is_whole {
        *into = setting;
    }
    is_whole
}

/// Whether letters without a figure stand behind one dash, and one of them asks for the other way: not `-fparse`.
fn is_cluster_with_r(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|letters| {
        letters.contains('r') && letters.chars().all(|letter| "rtuvFDBI46".contains(letter))
    })
}

/// What `-vv` prints for the sender (`nuttcp-t`) and the receiver (`nuttcp-r`).
pub(super) fn verbose(setting: &mut Setting, sender: bool, text: &str) {
    let after = |mark: &str| parted(text, mark).map(|(_, rest)| rest);
    let word = |text: &str| text.split([' ', ',']).next().unwrap_or("").to_owned();
    if let Some(version) = text.strip_prefix('v').and_then(|rest| rest.split_once(':')) {
        setting.tool = Some(format!("nuttcp {}", version.0));
    }
    if let Some(streams) = after("nstream=") {
        setting.streams = word(streams).parse().ok();
        setting.udp = after("port=").map(|port| port.contains(" udp")).or(setting.udp);
    }
    // The one who names the other is the client; what the other host says names this one.
    if let Some(to) = after(" -> ") {
        if *setting.own_sends.get_or_insert(sender) {
            setting.other = host(&word(to));
        }
    } else if let Some(from) = after(" <- ") {
        (setting.other, setting.receives) = (host(&word(from)), true);
    }
    if let Some(mss) = after(" with mss=") {
        setting.mss_bytes = word(mss).parse().ok();
        let ms: Option<f64> = after("RTT=").and_then(|ms| word(ms).parse().ok());
        setting.rtt_ns = ms.and_then(|ms| ns_of_seconds(ms / 1e3));
    }
    // `0 / 611 drop/pkt 0.00% data loss`
    if let Some((lost, of)) = text
        .split_once(" drop/pkt")
        .and_then(|(counts, _)| parted(counts, " / "))
    {
        (setting.lost, setting.packets) = (lost.trim_ascii().parse().ok(), of.trim_ascii().parse().ok());
    }
    // What the receiver accepted the connection from sends.
    let own = *setting.own_sends.get_or_insert(sender);
    if let (false, false, Some(from)) = (own, sender, text.strip_prefix("accept from ")) {
        (setting.other, setting.receives) = (host(&word(from)), true);
    }
    if let Some(retransmits) = text.strip_prefix("retrans = ") {
        setting.retransmits = retransmits.trim_ascii().parse().ok();
    }
    if let Some(length) = after(" MB in ").filter(|rest| rest.contains("real seconds")) {
        let seconds: Option<f64> = word(length).parse().ok();
        setting.length_ns = seconds.and_then(ns_of_seconds);
        let mbps: Option<f64> = text
            .trim_ascii_end()
            .rsplit(" = ")
            .next()
            .and_then(|rate| rate.strip_suffix(" Mbps"))
            .and_then(|mbps| mbps.trim_ascii().parse().ok());
        let rate = mbps.and_then(|mbps| rate_bps(mbps, "Mbps", Kilo::Thousand));
        match sender {
            true => setting.sent = rate,
            false => setting.received = rate,
        }
    }
}

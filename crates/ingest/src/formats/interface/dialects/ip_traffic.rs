//! Cisco IOS, `show ip traffic`: what the router's own IP received, sent, forwarded, took apart and dropped. What other protocols say below
//! is of what the router itself talks.

use super::super::dialect::{Cut, Dialect, Rule, SECTION, Section, Word, any, own};

pub(super) static DIALECT: Dialect = Dialect {
    name: "Cisco IOS, traffic of IP",
    reads: "`show ip traffic`: packets received, sent and forwarded, fragments, drops by reason",
    is_flat: false,
    has_units: false,
    heads: &["IP {stack}"],
    rules: &[&[]],
    sections: &[
        Section {
            cut: Cut::FigureFirst,
            words: &[WORDS],
            is_closed: true,
            rules: LINES,
            ..SECTION
        },
        Section {
            titles: &["{w} statistics:", "{w} statistics: Sent/Received"],
            rules: &[any("{n} {*}"), any("{*}: {*}"), any("Last clearing {*}")],
            ..SECTION
        },
    ],
};

static WORDS: &[Word] = &[
    own("format errors"),
    own("checksum errors"),
    own("bad hop count"),
    own("unknown protocol"),
    own("not a gateway"),
    own("security failures"),
    own("bad options"),
    own("with options"),
    own("timestamp"),
    own("extended security"),
    own("record route"),
    own("stream ID"),
    own("strict source route"),
    own("alert"),
    own("cipso"),
    own("ump"),
    own("other"),
    own("ignored"),
    own("reassembled"),
    own("timeouts"),
    own("couldn't reassemble"),
    own("fragmented"),
    own("fragments"),
    own("couldn't fragment"),
    own("invalid hole"),
    own("encapsulation failed"),
    own("unresolved"),
    own("no adjacency"),
    own("no route"),
    own("unicast RPF"),
    own("forced drop"),
    own("unsupported-addr"),
    own("options denied"),
    own("source IP address zero"),
    own("physical broadcast"),
    own("packets with source IP address zero"),
    own("packets with internal loop back IP address"),
];

static LINES: &[Rule] = &[
    any("Rcvd: {packets received} total, {packets received for this device} local destination"),
    any("Sent: {packets sent} generated, {packets forwarded} forwarded"),
    any("Frags: {list}"),
    any("Drop: {list}"),
    any("Opts: {*}"),
    any("Bcast: {*}"),
    any("Mcast: {*}"),
];

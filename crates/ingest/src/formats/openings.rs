//! Which formats a line is offered to: the first byte of a line, and whether it looks like a command, rule out nearly all
//! of them. Most lines that begin no block are prose, and prose is what there may be gigabytes of. What was found of a line is
//! remembered: headings and commands come again and again.

mod lately;

use super::FORMATS;
use super::words::{SHORTEST, Words};
use crate::command::{runs_another, with_blanks};
use crate::format::{Format, Marks, Shape};
use crate::prompt::command_line;
use std::cell::{LazyCell, OnceCell};
use std::sync::LazyLock;

/// A bit for each of [`FORMATS`].
pub(super) type Set = u128;

const _: () = assert!(FORMATS.len() <= Set::BITS as usize);

/// Those whose first lines may begin with a byte.
static BY_BYTE: [Set; 256] = by_byte();

/// Those that a command line begins.
static OF_COMMANDS: Set = of_commands();

const fn by_byte() -> [Set; 256] {
    let mut sets = [0; 256];
    let mut place = 0;
    while place < FORMATS.len() {
        let classes = FORMATS[place].first.as_bytes();
        let mut at = 0;
        while at < classes.len() {
            let is_range = at + 2 < classes.len() && classes[at + 1] == b'-';
            let last = if is_range { classes[at + 2] } else { classes[at] };
            let mut byte = classes[at];
            while byte <= last {
                sets[byte as usize] |= 1 << place;
                byte += 1;
            }
            at += if is_range { 3 } else { 1 };
        }
        place += 1;
    }
    sets
}

const fn of_commands() -> Set {
    let (mut set, mut place) = (0, 0);
    while place < FORMATS.len() {
        if FORMATS[place].has_command {
            set |= 1 << place;
        }
        place += 1;
    }
    set
}

/// What rules formats out.
struct Marked {
    words: Words,
    /// Formats without marks.
    free: Set,
    /// Those that a prompt with a command may begin.
    prompted: Set,
    /// Those that a shape may begin.
    shaped: Set,
    shapes: Vec<Option<Shape>>,
}

static MARKED: LazyLock<Marked> = LazyLock::new(|| {
    let mut words = Vec::<(&'static str, Set)>::new();
    let (mut free, mut prompted, mut shaped, mut shapes) = (0, 0, 0, Vec::new());
    for (place, format) in FORMATS.iter().enumerate() {
        let marks = format.marks.map(|marks| marks());
        // What is too short to be looked for may be in any line.
        let is_found = |marks: &Marks| marks.words.iter().all(|word| word.len() >= SHORTEST);
        let marks = marks.filter(is_found);
        free |= Set::from(marks.is_none()) << place;
        prompted |= Set::from(marks.as_ref().is_some_and(|marks| marks.at_prompt)) << place;
        let shape = marks.as_ref().and_then(|marks| marks.shape);
        shaped |= Set::from(shape.is_some()) << place;
        shapes.push(shape);
        let known = marks.into_iter().flat_map(|marks| marks.words);
        words.extend(known.map(|word| (word, 1 << place)));
    }
    Marked {
        words: Words::new(words),
        free,
        prompted,
        shaped,
        shapes,
    }
});

/// What ends the first word of a line, or shows that it is a prompt or has a folder.
static ENDS_WORD: [bool; 256] = {
    let mut ends = [false; 256];
    let signs = b" >#$%/@";
    let mut place = 0;
    while place < signs.len() {
        ends[signs[place] as usize] = true;
        place += 1;
    }
    ends
};

/// Whether this may be a prompt with a command, or a command that is run by another or by its path: nearly all of them show in
/// the first word, or begin with a bracket.
fn may_be_command(text: &str, has_prompt: impl Fn() -> bool) -> bool {
    let first = text.bytes().position(|byte| ENDS_WORD[usize::from(byte)]);
    // What takes longest to find out is asked last.
    (match first.and_then(|at| text.get(at..)) {
        // FortiGate: `fw1 # execute ping …`; Onyx: `sw1 [standalone: master] # show …`
        Some(rest) => !rest.starts_with(' ') || rest.starts_with(" # ") || rest.starts_with(" ["),
        None => false,
    }) || text.starts_with('[') && text.bytes().any(|byte| matches!(byte, b'>' | b'#' | b'$' | b'%'))
        || runs_another(text)
        || has_prompt()
        || with_blanks(text).is_some()
}

/// A line that may begin a block, as it is or behind what stands before it: what its words tell is looked at once, however many of
/// its ends are tried.
pub(crate) struct Opening<'l> {
    line: &'l str,
    /// The formats that its words do not rule out.
    marked: OnceCell<Set>,
    /// The first that begins with the line as it is.
    whole: OnceCell<Option<&'static Format>>,
}

impl<'l> Opening<'l> {
    pub(crate) fn new(line: &'l str) -> Self {
        Self {
            line,
            marked: OnceCell::new(),
            whole: OnceCell::new(),
        }
    }

    pub(crate) fn line(&self) -> &'l str {
        self.line
    }

    /// The format of which a block begins with the line.
    pub(crate) fn begins(&self) -> Option<&'static Format> {
        let find = || self.starting(self.line).next();
        *self.whole.get_or_init(|| lately::known(self.line, find))
    }

    /// The format of which a block begins with a part of the line.
    pub(crate) fn begins_with(&self, part: &str) -> Option<&'static Format> {
        if part.len() == self.line.len() {
            return self.begins();
        }
        lately::known(part, || self.starting(part).next())
    }

    /// Whether a block of another format than this may begin with a part of the line.
    pub(crate) fn begins_another(&self, format: &Format, part: &str) -> bool {
        let is_other = |other: &&Format| !std::ptr::eq(*other, format);
        match self.begins_with(part) {
            None => false,
            Some(first) => is_other(&first) || self.starting(part).any(|other| is_other(&other)),
        }
    }

    fn marked(&self) -> Set {
        *self
            .marked
            .get_or_init(|| MARKED.free | MARKED.words.found(self.line))
    }

    /// The formats of which a block begins with a part of the line, in their order.
    fn starting(&self, part: &str) -> impl Iterator<Item = &'static Format> {
        let offered = self.offered(part);
        offered.filter(move |format| (format.starts)(part))
    }

    /// The formats that may begin with a part of the line, in their order.
    fn offered(&self, part: &str) -> impl Iterator<Item = &'static Format> {
        let mut text = part.trim_ascii_start();
        let first = text.bytes().next().unwrap_or(b' ');
        let mut set = BY_BYTE.get(usize::from(first)).copied().unwrap_or(0);
        if !first.is_ascii() {
            // Other blanks than those of ASCII may stand before it, and some formats look past these.
            text = text.trim_start();
            let behind = text.bytes().next().unwrap_or(b' ');
            set |= BY_BYTE.get(usize::from(behind)).copied().unwrap_or(0);
        }
        let has_prompt = LazyCell::new(|| command_line(text).is_some());
        if may_be_command(text, || *has_prompt) {
            set |= OF_COMMANDS;
        }
        let mut marked = self.marked();
        let is_indented = text.len() < part.len();
        if set & !marked & MARKED.prompted != 0
            && (*has_prompt || is_indented && command_line(part).is_some())
        {
            marked |= MARKED.prompted;
        }
        set &= marked | MARKED.shaped;
        std::iter::from_fn(move || {
            loop {
                let place = set.trailing_zeros() as usize;
                let format = FORMATS.get(place).copied()?;
                // Takes the lowest bit away; an empty set has no format at 128.
                set &= set.wrapping_sub(1);
                let shape = MARKED.shapes.get(place).copied().flatten();
                let has_mark = marked & 1 << place != 0;
                if !format.group.may_have(part) {
                    continue;
                }
                if has_mark || shape.is_some_and(|shape| shape(part)) {
                    return Some(format);
                }
            }
        })
    }
}

/// The formats that say that a line begins a block of theirs, but are not asked: none, of any line. Marks and first bytes that rule out
/// too much show here.
#[must_use]
pub fn overlooked(line: &str) -> Vec<&'static str> {
    let asked: Vec<&Format> = Opening::new(line).starting(line).collect();
    let is_asked = |format: &Format| asked.iter().any(|asked| std::ptr::eq(*asked, format));
    let overlooked = FORMATS
        .iter()
        .filter(|format| (format.starts)(line) && !is_asked(format));
    overlooked.map(|format| format.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    /// First lines of many formats, and command lines, to be altered.
    const LINES: &[&str] = &[
        "08/27/2003 06:05:00 12 1061989500 3 (192.0.2.1,192.0.2.2)",
        "2.2.1 Test 1: 16:44 GMT, TCP, 10 parallel streams, 10s",
        "| Network | Description of Counter | Packets |",
        "test,network,description,packets",
        "ATM5/0 is up, line protocol is up",
        "  Logical interface so-6-2-0.0 (Index 67)",
        "Physical interface: so-6-2-0, Enabled, Physical link is Up",
        "2: eth0: <UP,LOWER_UP> mtu 1500",
        "Settings for eth0:",
        "NIC statistics:",
        "pathchar to a.example (240.0.0.1)",
        "pchar to a.example (240.0.0.1) using UDP/IPv4",
        "pings/node=4   100 byte packets   1473 byte packets",
        "Monitoring-Site Remote-Site 1 2 3 31",
        "[  5]   0.00-1.00   sec  1.10 GBytes  9.42 Gbits/sec    0   3.00 MBytes",
        "------------------------------------------------------------",
        "Connecting to host a.example, port 5201",
        "iperf3 -c a.example",
        "20260823170538,192.0.2.1,45270,192.0.2.2,5001,2,0.0-1.0,2215379004,17723032032",
        "pscheduler task throughput --dest a.example",
        "Interval       Throughput     Retransmits    Current Window",
        " 3053.4375 MB /   1.00 sec = 25603.6695 Mbps     0 retrans    168 KB-cwnd",
        "nuttcp -t a.example",
        "--- owping statistics from [a.example]:8915 to [b.example]:9000 ---",
        "Connection setup took 81 ms",
        "ESTAB 0 1510243 127.0.0.1:37098 127.0.0.1:5201",
        "tcp ESTAB 0 1510243 127.0.0.1:37098 127.0.0.1:5201",
        "TcpRetransSegs                  108                0.0",
        "#kernel",
        "<?xml version=\"1.0\"?>",
        "<MTR SRC=\"a\" DST=\"b\">",
        "root@a:~# mtr --xml b.example",
        "Port        Align-Err     FCS-Err    Xmit-Err",
        "Port      Name               Status       Vlan       Duplex  Speed Type",
        "sw1#show interfaces counters errors",
        " *: interface is up",
        "IF-MIB::ifInOctets.1 = Counter32: 5",
        ".1.3.6.1.2.1.2.2.1.10.1 = Counter32: 5",
        "ifInOctets.1 5",
        "GigabitEthernet0/0/1 current state : UP",
        "Ten-GigabitEthernet1/0/1",
        "Eth1/1:",
        "Name: ethernet1/1, ID: 16",
        "Ethernet Interface",
        "SNMP table: IF-MIB::ifTable",
        "nms$ snmpwalk -v2c -c public rtr1 ifTable",
        "Timeout: No Response from 192.0.2.1",
        "time,from,to,rate",
        "from,to,rate",
        "quantity,from,to,subject,value",
        "{\"event\":\"start\"}",
        "[{",
        "PING a.example (240.0.0.1) 56(84) bytes of data.",
        "64 bytes from a.example (240.0.0.1): icmp_seq=1 ttl=57 time=1.0 ms",
        "packet seq=552 bounced at a.example",
        "Type escape sequence to abort.",
        "ping -c 4 a.example",
        "host> ping a.example",
        "[root@host ~]# traceroute a.example",
        "sudo /usr/bin/tracepath -n a.example",
        "C:\\Users\\x>tracert a.example",
        "traceroute to a.example (240.0.0.1), 30 hops max, 60 byte packets",
        "Tracing route to a.example [240.0.0.1]",
        "Routenverfolgung zu a.example [240.0.0.1]",
        " 4  a.example (240.0.0.1)  1.2 ms  1.3 ms  *",
        "traceroute a.example",
        "Tracepath: A to B, 1509 bytes",
        " 8:  192.0.2.14  8.522ms asymm  7",
        "Start: 2026-11-21T11:11:52+0000",
        "HOST: a.example                   Loss%   Snt   Last   Avg  Best  Wrst StDev",
        "Mtr_Version,Start_Time,Status,Host,Hop,Ip",
        "x 0 33000",
        "h 3 240.0.0.1",
        "| Traceroute from A to B | Traceroute from B to C |",
        "| | | | |",
        "| 1 | a.example (240.0.0.1) | 0.3 ms | 0.3 ms |",
        "r#sh int",
        "$ ethtool -S eth0",
        "% ss -ti",
        "sw1#show interfaces | json",
        "ok: [sw1] => {",
        "   Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes",
        "<rpc-reply xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\">",
        "  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current",
        "--2026-11-21 10:11:12--  http://a.example/f",
        "run42.tar    100% 1024MB   1.2MB/s   14:13",
        "sent 104 bytes  received 35 bytes  11.42 bytes/sec",
        "1000+0 records in",
        "node_network_receive_bytes_total{device=\"eth0\"} 5",
        "Transferred:   1.2 GiB / 1.2 GiB, 100%, 11.2 MiB/s, ETA 0s",
        "   Speedtest by Ookla",
        "ifHCInOctets{ifIndex=\"1\",ifName=\"Gi0/1\"} 5",
        "# TYPE ifHCInOctets counter",
        "smokeping_requests_total{host=\"a.example\"} 5",
        "                       INOCTETS           OUTOCTETS",
        "1704067200: 1.0000000000e+00 nan",
        "$ rrdtool fetch a.rrd AVERAGE",
        "\"Time\",\"In\",\"Out\"",
        "Series;Time;Value",
        "sep=;",
        "\"Title:\",\"a - Traffic - b\"",
        "net,host=a,interface=eth0 bytes_recv=5i 1704067200000000000",
        "name: net",
        "#datatype,string,long",
        ",result,table,_time,_value,_field,_measurement",
        "[{\"ts\": 1704067200, \"val\": 5}]",
        "TCP connection 1:",
        "#fields\tts\tuid",
        "Date first seen          Duration Proto      Src IP Addr:Port          Dst IP Addr:Port   Packets    Bytes Flows",
        "TCP Conversations",
        "| IO Statistics |",
        "14 packets captured",
        "File name:           a.pcap",
        "Source: gsiftp://a.example/data/",
        "MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to a.example () port 0 AF_INET",
        "netperf -H a.example",
        "NTTTCP for Linux 1.4.0",
        "Copyright Version 5.33",
        "#####  Totals:  #####",
        "C:\\tools>ntttcp.exe -s -m 2,*,192.0.2.1 -t 60",
        "    time_connect:  0.025s",
        "$ curl -s -o /dev/null -w '%{time_total}' http://a.example/",
        "DATE=20261102081600.5 HOST=a.example NBYTES=5 TYPE=RETR CODE=226",
        "--- twping statistics from [a.example]:9706 to [b.example]:19642 ---",
        "owping -c 10 a.example",
        "Approximately 13.1 seconds until results available",
        "tcp_bw:",
        "sockperf: Summary: BandWidth is 1052.390 MBps (8419.119 Mbps)",
        "Total 1.25GB / 10.00(s) = 1.07Gb/s 16384op/s",
        "Task ID:                      0c7a11de-0000-4000-8000-00000000beef",
    ];

    fn check(line: &str) {
        assert_eq!(overlooked(line), [""; 0], "{line:?}");
    }

    #[test]
    fn first_lines_reach_their_formats() {
        for line in LINES {
            assert!(Opening::new(line).begins().is_some(), "{line} begins nothing");
            check(line);
        }
        check("");
        let asked = |line| Opening::new(line).offered(line).count();
        assert!(asked("Some prose, such as this") < 4, "few are asked");
        assert_eq!(asked("\u{2014} and this"), 0);
    }

    #[test]
    fn marks_are_long_enough_to_be_looked_for() {
        for format in FORMATS {
            let words = format.marks.map(|marks| marks().words).unwrap_or_default();
            assert!(words.iter().all(|word| word.len() >= SHORTEST), "{}", format.name);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn no_format_misses_a_line(
            line in prop::sample::select(LINES),
            from in 0_usize..6,
            before in "([ \t\u{3000}\u{a0}]|[-\\[|a-z/>#$%0-9+.]|sudo |host> ){0,3}",
        ) {
            check(&(before + line.get(from..).unwrap_or(line)));
        }

        #[test]
        fn nor_anything_else(line in "\\PC{0,3}[ -~\t]{0,40}") {
            check(&line);
        }
    }
}

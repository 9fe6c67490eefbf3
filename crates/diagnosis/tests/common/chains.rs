//! FNAL to DESY, 2005, as its document prints it: four tests counted in five networks, and what was tried before.
//! Addresses are those of the document's traces; times that it does not print are unknown.

use super::add;
use evidence::v1::{
    CASE_SCHEMA_VERSION, Case, Complaint, CounterChain, CounterPoint, End, MplsLabel, Node, Observation,
    Party, Payload, Provenance, Quantity, RateBps, Statement, ThroughputRecord, Timestamp, Trace,
    TraceAnswer, TraceHop, Transport, Vantage,
};

pub const FROM: &str = "fntst-1.fnal.gov";
pub const TO: &str = "dcache33.desy.de";
/// As the captions of the counters' tables write it.
const FROM_IN_TABLES: &str = "fntst-1-fnal.gov";

pub fn complaint() -> Complaint {
    let party = |name: &str| Party {
        name: name.into(),
        address: None,
    };
    Complaint {
        schema: CASE_SCHEMA_VERSION,
        from: party(FROM),
        to: party(TO),
        local_end: End::To,
        expected_bps: Some(RateBps(600e6)),
        since: Some("for quite a while".into()),
        said_by: None,
        opened_at: Timestamp(1_132_906_920_000_000_000),
        utc_offset_s: None,
    }
}

/// Adds a record of which nobody knows when it was made.
pub fn import(case: &mut Case, round: u32, place: &str, payload: Payload) {
    let provenance = Provenance {
        vantage: Vantage::Elsewhere { place: place.into() },
        at: Timestamp(1_000),
        at_is_import_time: true,
        round,
        tool: "import".into(),
        raw_sha256: None,
        raw_lines: None,
    };
    case.add(Observation::new(provenance, payload));
}

const OUT: [(&str, &str); 10] = [
    ("ESnet", "FNAL (US) -> ESnet (US)"),
    ("ESnet", "ESnet (US) -> GEANT (US)"),
    ("GEANT", "ESnet (US) -> GEANT (US)"),
    ("GEANT", "GEANT (US) -> GEANT (UK)"),
    ("GEANT", "GEANT (UK) -> GEANT (France)"),
    ("GEANT", "GEANT (France) -> GEANT (Switzerland)"),
    ("GEANT", "GEANT (Switzerland) -> GEANT (Germany)"),
    ("GEANT", "GEANT (Germany) -> DFN (Germany)"),
    ("DFN", "GEANT (Germany) -> DFN (Germany)"),
    ("DFN", "DFN (Germany) -> DESY (Germany)"),
];

const BACK: [(&str, &str); 10] = [
    ("DFN", "DESY (Germany) -> DFN (Germany)"),
    ("DFN", "DFN (Germany) -> GEANT (Germany)"),
    ("GEANT", "DFN (Germany) -> GEANT (Germany)"),
    ("GEANT", "GEANT (Germany) -> GEANT (Switzerland)"),
    ("GEANT", "GEANT (Switzerland) -> GEANT (France)"),
    ("GEANT", "GEANT (France) -> GEANT (UK)"),
    ("GEANT", "GEANT (UK) -> GEANT (US)"),
    ("GEANT", "GEANT (US) -> ESnet (US)"),
    ("ESnet", "GEANT (US) -> ESnet (US)"),
    ("ESnet", "ESnet (US) -> FNAL (US)"),
];

fn points(places: &[(&str, &str)], counts: &[u64]) -> Vec<CounterPoint> {
    let point = |((network, description), packets): (&(&str, &str), &u64)| CounterPoint {
        network: (*network).into(),
        description: (*description).into(),
        packets: Some(*packets),
    };
    places.iter().zip(counts).map(point).collect()
}

/// Five counters before the stretch that loses, five behind it.
fn out(before: u64, behind: u64) -> Vec<CounterPoint> {
    points(
        &OUT,
        &[
            before, before, before, before, behind, behind, behind, behind, behind, behind,
        ],
    )
}

pub fn tcp_test(label: &str, seconds: u64, mbps: f64, sent: u64, behind: u64, remark: &str) -> CounterChain {
    CounterChain {
        label: label.into(),
        from: Node::named(FROM_IN_TABLES),
        to: Node::named(TO),
        protocol: Some(Transport::Tcp),
        streams: Some(10),
        duration_ns: Some(seconds * 1_000_000_000),
        received_bps: Some(RateBps(mbps * 1e6)),
        packets_sent: Some(sent),
        points: out(sent, behind),
        remarks: vec![
            remark.into(),
            "Results: 2 packets lost on the way from FNAL to DESY".into(),
        ],
        ..CounterChain::default()
    }
}

fn acknowledgements(label: &str, seconds: u64, mbps: f64, counts: &[u64], remark: &str) -> CounterChain {
    CounterChain {
        from: Node::named(TO),
        to: Node::named(FROM_IN_TABLES),
        packets_sent: counts.first().copied(),
        points: points(&BACK, counts),
        remarks: if remark.is_empty() {
            vec![]
        } else {
            vec![remark.into()]
        },
        ..tcp_test(label, seconds, mbps, 0, 0, "")
    }
}

/// (length in seconds, Mbit/s sent, Mbit/s received), (sent, before the stretch, behind it), (lost, out of order).
pub fn udp_test(
    label: &str,
    (seconds, sent_mbps, received_mbps): (u64, f64, f64),
    (sent, before, behind): (u64, u64, u64),
    (lost, reordered): (u64, u64),
    remarks: &[&str],
) -> CounterChain {
    CounterChain {
        label: label.into(),
        from: Node::named(FROM_IN_TABLES),
        to: Node::named(TO),
        protocol: Some(Transport::Udp),
        streams: Some(1),
        duration_ns: Some(seconds * 1_000_000_000),
        sent_bps: Some(RateBps(sent_mbps * 1e6)),
        received_bps: Some(RateBps(received_mbps * 1e6)),
        packets_sent: Some(sent),
        reported_lost: Some(lost),
        reported_reordered: Some(reordered),
        points: out(before, behind),
        remarks: remarks.iter().map(|remark| (*remark).to_owned()).collect(),
    }
}

pub fn tests() -> Vec<CounterChain> {
    let mut back_1 = [103_682; 10];
    back_1[9] = 0;
    vec![
        tcp_test(
            "Test 1",
            10,
            30.0,
            183_783,
            183_781,
            "2 packets were lost due to SDH framing errors (loss rate of 0.0000108).",
        ),
        acknowledgements(
            "Test 1",
            10,
            30.0,
            &back_1,
            "Due to misconfiguration, packets at the ESnet -> FNAL border were not counted.",
        ),
        tcp_test(
            "Test 2",
            180,
            150.0,
            2_498_589,
            2_498_543,
            "46 packets were lost due to SDH framing errors (loss rate of 0.0000184)",
        ),
        acknowledgements("Test 2", 180, 150.0, &[1_277_772; 10], ""),
        udp_test(
            "Test 3",
            (190, 265.0, 264.0),
            (2_787_179, 2_787_179, 2_787_074),
            (10_352, 63),
            &[
                "10,247 packets lost between DFN and dcache33.desy.de",
                "105 packets were lost due to SDH framing errors (loss rate of 0.0000377)",
            ],
        ),
        udp_test(
            "Test 4",
            (120, 497.0, 486.0),
            (5_076_311, 5_074_727, 5_076_088),
            (98_035, 41_304),
            &[
                "96,228 packets were lost between DFN and dcache33.desy.de",
                "1,584 packets were lost between fntst-1.fnal.gov and ESnet",
                "223 packets are lost due to SDH framing errors (loss rate of 0.0000439)",
            ],
        ),
    ]
}

/// A trace from (name, address or `*`, milliseconds) per hop.
pub fn trace(from: &str, to: &str, hops: &[(&str, &str, f64)]) -> Trace {
    let hop = |(index, (name, address, ms)): (usize, &(&str, &str, f64))| TraceHop {
        ttl: u8::try_from(index + 1).unwrap(),
        answers: (*name != "*")
            .then(|| TraceAnswer {
                node: Node {
                    name: Some((*name).to_owned()).filter(|name| !name.is_empty()),
                    address: address.parse().ok(),
                },
                rtt_ns: Some((ms * 1e6) as u64),
                ..TraceAnswer::default()
            })
            .into_iter()
            .collect(),
        unanswered: if *name == "*" { 3 } else { 0 },
        mpls: Vec::new(),
    };
    Trace {
        from: Node::named(from),
        to: Node::named(to),
        hops: hops.iter().enumerate().map(hop).collect(),
        ..Trace::default()
    }
}

pub fn label(trace: &mut Trace, ttl: u8, label: u32) {
    let hop = trace.hops.iter_mut().find(|hop| hop.ttl == ttl).unwrap();
    hop.mpls.push(MplsLabel {
        label,
        traffic_class: 0,
        bottom: false,
        ttl: Some(127),
    });
}

/// Table 2.1.3.
pub fn desy_to_fnal() -> Trace {
    let mut back = trace(
        TO,
        FROM,
        &[
            ("rt-80-4", "131.169.80.4", 0.232),
            ("rt-11-16", "131.169.11.16", 3.854),
            ("cr-hamburg1-ge5-3.x-win.dfn.de", "188.1.47.41", 2.192),
            ("cr-berlin1-po0-0.x-win.dfn.de", "188.1.18.109", 39.140),
            ("cr-frankfurt1-po13-0.x-win.dfn.de", "188.1.18.54", 14.450),
            ("dfn.rt1.fra.de.geant2.net", "62.40.124.33", 15.016),
            ("so-6-2-0.rt1.gen.ch.geant2.net", "62.40.112.21", 21.775),
            ("ch.fr1.fr.geant.net", "62.40.96.30", 31.101),
            ("fr.uk1.uk.geant.net", "62.40.96.90", 36.944),
            ("uk.ny1.ny.geant.net", "62.40.96.169", 106.461),
            ("esnet-gw.ny1.ny.geant.net", "62.40.105.26", 106.962),
            ("chislsdn1-chicr1.es.net", "134.55.207.34", 126.421),
            ("chicr1-chislsdn1.es.net", "134.55.207.33", 126.489),
            ("fnal-pos-chi.es.net", "134.55.209.37", 177.842),
            ("ge2-1.r-s-bdr.fnal.gov", "198.49.208.4", 127.525),
            ("vlan313.r-s-hub-fcc.fnal.gov", "131.225.15.62", 126.979),
            ("vlan302.r-s-starlight-cd.fnal.gov", "131.225.15.29", 127.473),
            (FROM, "131.225.2.49", 127.097),
        ],
    );
    label(&mut back, 4, 476);
    back
}

const DFN: &str = "ws-stu2.g-win.dfn.de";
const SWITCH: &str = "cemp1.switch.ch";
const ESNET: &str = "chi-pt1.es.net";

/// Tables 2.1.1 and 2.1.2.
pub fn matrix_traces() -> Vec<Trace> {
    let stuttgart = ("cr-stuttgart1-ge5-1", "188.1.76.69", 0.109);
    let frankfurt = ("cr-frankfurt1-po3-0", "188.1.18.69", 3.531);
    let silent = ("*", "", 0.0);
    let tail = |behind: f64| {
        [
            ("ch.fr1.fr.geant.net", "62.40.96.30", 8.601 + behind),
            ("fr.uk1.uk.geant.net", "62.40.96.90", 15.623 + behind),
            ("uk.ny1.ny.geant.net", "62.40.96.169", 85.466 + behind),
            ("esnet-gw.ny1.ny.geant.net", "62.40.105.26", 84.319 + behind),
            ("chicr1-oc192-aoacr1.es.net", "134.55.209.57", 104.320 + behind),
            ("perf-if1-ge-chi.es.net", "198.124.238.26", 104.203 + behind),
        ]
    };
    let gate = [
        ("swiCE2-G5-2", "130.59.35.129", 0.254),
        ("switch.rt1.gen.ch.geant2.net", "62.40.124.21", 0.250),
    ];
    let head = [stuttgart, frankfurt, silent, silent];
    let at_switch = [
        ("swiCE2-10GE-1-1.switch.ch", "62.40.124.22", 11.533),
        ("cemp1-eth1.switch.ch", "130.59.35.130", 11.397),
    ];
    let home = [
        ("swiCE2-G5-2", "130.59.35.129", 0.260),
        ("switch.rt1.gen.ch.geant2.net", "62.40.124.21", 0.244),
        ("so-7-2-0.rt1.fra.de.geant2.net", "62.40.112.22", 8.341),
        ("dfn-gw.rt1.fra.de.geant2.net", "62.40.124.34", 8.274),
        ("cr-stuttgart1-po3-0.g-win.dfn.de", "188.1.18.70", 11.599),
        (DFN, "195.37.209.114", 11.387),
    ];
    let over_sea = [
        ("chi-ge-perf-if1", "198.124.238.25", 0.258),
        ("aoacr1-oc192-chicr1", "134.55.209.58", 20.236),
        ("esnet.ny1.ny.geant.net", "62.40.105.25", 20.318),
        ("ny.uk1.uk.geant.net", "62.40.96.170", 88.990),
        ("uk.fr1.fr.geant.net", "62.40.96.89", 96.028),
        ("fr.ch1.ch.geant.net", "62.40.96.29", 104.270),
    ];
    let to_dfn = [
        ("so-7-2-0.rt1.fra.de.geant2.net", "62.40.112.22", 112.355),
        ("dfn-gw.rt1.fra.de.geant2.net", "62.40.124.34", 112.294),
        silent,
        (DFN, "195.37.209.114", 115.422),
    ];
    let join = |parts: &[&[(&'static str, &'static str, f64)]]| parts.concat();
    vec![
        trace(DFN, SWITCH, &join(&[&head, &at_switch])),
        trace(SWITCH, ESNET, &join(&[&gate, &tail(0.0)])),
        trace(DFN, ESNET, &join(&[&head, &tail(11.19)])),
        trace(SWITCH, DFN, &home),
        trace(ESNET, SWITCH, &join(&[&over_sea, &at_switch])),
        trace(ESNET, DFN, &join(&[&over_sea, &to_dfn])),
    ]
}

pub fn transfer(from: &str, to: &str, mbps: f64) -> ThroughputRecord {
    ThroughputRecord {
        from: Node::named(from),
        to: Node::named(to),
        protocol: Some(Transport::Tcp),
        received_bps: Some(RateBps(mbps * 1e6)),
        ..ThroughputRecord::default()
    }
}

/// The throughputs of 28 November to 5 December.
pub fn matrix_transfers() -> Vec<ThroughputRecord> {
    vec![
        ThroughputRecord {
            streams: Some(10),
            window_bytes: Some(2_097_152),
            ..transfer("ezmp3.switch.ch", ESNET, 837.0)
        },
        transfer(SWITCH, ESNET, 983.0),
        transfer(SWITCH, DFN, 933.0),
        transfer(DFN, SWITCH, 930.0),
        transfer(DFN, ESNET, 84.0),
        transfer("lxshare220d.cern.ch", "dcache31.desy.de", 776.0),
        transfer(DFN, ESNET, 83.9),
    ]
}

pub fn lightly_used() -> Statement {
    Statement {
        quantity: Quantity::Utilisation,
        from: Node::default(),
        to: Node::default(),
        subject: Some("the links from Frankfurt to Berlin and from Berlin to Hamburg".into()),
        value: 0.1,
        range: None,
        text: "they were both 10 Gbs links, with link utilization of only about 10%".into(),
    }
}

/// Only the tables of counters.
pub fn counters_only() -> Case {
    let mut case = Case::new(complaint());
    for test in tests() {
        import(&mut case, 1, "", Payload::CounterChain(test));
    }
    case
}

/// With the trace that tells the round-trip time.
pub fn counters_and_trace() -> Case {
    let mut case = counters_only();
    import(&mut case, 1, TO, Payload::Trace(desy_to_fnal()));
    case
}

/// The whole document: before the repair (round 1), over the detour (2), over the new line (3).
pub fn fnal_desy() -> Case {
    let mut case = counters_and_trace();
    for trace in matrix_traces() {
        import(&mut case, 1, "", Payload::Trace(trace));
    }
    for transfer in matrix_transfers() {
        import(&mut case, 1, "", Payload::Throughput(transfer));
    }
    import(&mut case, 1, "", Payload::Statement(lightly_used()));
    import(&mut case, 2, "", Payload::Throughput(transfer(FROM, TO, 160.0)));
    let mut detour = trace(
        FROM,
        TO,
        &[
            ("vlan200.r-s-starlight-cd.fnal.gov", "131.225.2.200", 0.220),
            ("chicr1-chislsdn1.es.net", "134.55.207.33", 1.419),
            ("esnet.ny1.ny.geant.net", "62.40.105.25", 21.649),
            ("ny.at1.at.geant.net", "62.40.96.110", 127.871),
            ("de.it1.it.geant.net", "62.40.96.62", 149.532),
            ("dfn-gw.rt1.fra.de.geant2.net", "62.40.124.34", 164.803),
            ("cr-berlin1-po1-0.x-win.dfn.de", "188.1.18.53", 177.757),
            ("cr-hamburg1-po10-0.x-win.dfn.de", "188.1.18.110", 178.001),
        ],
    );
    detour.reached = Some(false);
    label(&mut detour, 7, 444);
    import(&mut case, 2, FROM, Payload::Trace(detour));
    import(&mut case, 3, "", Payload::Throughput(transfer(FROM, TO, 650.0)));
    let mut new_line = trace(
        "chi-sl-sdn1.es.net",
        TO,
        &[
            ("chicr1-chislsdn1.es.net", "134.55.207.33", 0.517),
            ("esnet.ny1.ny.geant.net", "62.40.105.25", 20.638),
            ("so-7-0-0.rt1.ams.nl.geant2.net", "62.40.112.133", 103.777),
            ("dfn-gw.rt1.fra.de.geant2.net", "62.40.124.34", 110.914),
            ("cr-berlin1-po1-0.x-win.dfn.de", "188.1.18.53", 128.016),
            ("cr-hamburg1-po10-0.x-win.dfn.de", "188.1.18.110", 128.225),
            ("", "188.1.47.42", 128.287),
            ("*", "", 0.0),
            ("*", "", 0.0),
            ("*", "", 0.0),
        ],
    );
    new_line.reached = Some(false);
    label(&mut new_line, 5, 556);
    import(&mut case, 3, "chi-sl-sdn1.es.net", Payload::Trace(new_line));
    case
}

/// A case of these chains alone, in round 1.
pub fn of_chains(chains: Vec<CounterChain>) -> Case {
    let mut case = Case::new(complaint());
    for chain in chains {
        add(
            &mut case,
            Vantage::Elsewhere { place: String::new() },
            Payload::CounterChain(chain),
        );
    }
    case
}

/// Five tests at rates of `mbps`, each losing `lost` of a million packets in front of the counter number `place`
/// (10: behind the last), and the trace that tells the round-trip time.
fn losing(place: usize, tests: &[(f64, u64)]) -> Case {
    let chain = |(index, (mbps, lost)): (usize, &(f64, u64))| {
        let sent = 1_000_000 + index as u64;
        let mut test = udp_test(
            &format!("Test {index}"),
            (60, *mbps, *mbps),
            (sent, sent, sent),
            (*lost, 0),
            &[],
        );
        for point in test.points.iter_mut().skip(place) {
            point.packets = Some(sent - lost);
        }
        test
    };
    let mut case = of_chains(tests.iter().enumerate().map(chain).collect());
    import(&mut case, 1, TO, Payload::Trace(desy_to_fnal()));
    case
}

/// A plain transfer as slow as the loss makes it.
fn with_transfer(mut case: Case, mbps: f64) -> Case {
    let slow = ThroughputRecord {
        streams: Some(1),
        duration_ns: Some(300_000_000_000),
        ..transfer(FROM, TO, mbps)
    };
    import(&mut case, 1, "", Payload::Throughput(slow));
    case
}

pub fn errors_behind_the_last_counter() -> Case {
    with_transfer(losing(10, &[(50.0, 95), (200.0, 102), (400.0, 99)]), 15.0)
}

pub fn errors_without_a_round_trip_time() -> Case {
    of_chains(
        tests()
            .into_iter()
            .filter(|test| test.protocol == Some(Transport::Tcp))
            .collect(),
    )
}

pub fn only_under_load() -> Case {
    losing(4, &[(50.0, 0), (200.0, 3), (400.0, 900)])
}

pub fn on_the_way_back() -> Case {
    let back = |label: &str, lost: u64| {
        let count = |index: usize| if index < 6 { 1_000_000 } else { 1_000_000 - lost };
        let counts: Vec<u64> = (0..10).map(count).collect();
        acknowledgements(label, 60, 100.0, &counts, "")
    };
    of_chains(vec![back("Test 1", 31), back("Test 2", 25)])
}

/// Test 4 without its sender's count and its receiver's: what is missing before is counted behind.
pub fn rising_only() -> Case {
    let mut test = tests().pop().unwrap();
    (test.packets_sent, test.reported_lost, test.remarks) = (None, None, vec![]);
    of_chains(vec![test])
}

pub fn one_packet() -> Case {
    losing(4, &[(50.0, 1)])
}

pub fn one_counter() -> Case {
    let mut test = tests().remove(0);
    test.packets_sent = None;
    test.points.truncate(1);
    of_chains(vec![test])
}

pub fn receiver_drops_alone() -> Case {
    with_transfer(losing(10, &[(100.0, 20), (264.0, 3_700), (486.0, 19_300)]), 150.0)
}

pub fn receiver_misses_a_handful() -> Case {
    losing(10, &[(100.0, 0), (400.0, 7)])
}

pub fn receiver_does_not_report() -> Case {
    let mut case = of_chains(
        tests()
            .into_iter()
            .map(|test| CounterChain {
                reported_lost: None,
                ..test
            })
            .collect(),
    );
    import(&mut case, 1, TO, Payload::Trace(desy_to_fnal()));
    case
}

pub fn receiver_drops_in_one_test() -> Case {
    with_transfer(losing(10, &[(486.0, 19_300)]), 150.0)
}

/// Two readings of a router's interface on the way, an hour apart, or the second alone; and a transfer as slow as its
/// checksum errors make it.
pub fn errored_interface(readings: u8) -> Case {
    use evidence::v1::{CounterKind, InterfaceCounters};
    let mut case = Case::new(complaint());
    let reading = |hour: u64| InterfaceCounters {
        device: Node::named("fr.uk1.uk.geant.net"),
        interface: "so-1/0/0".into(),
        counting_for_s: Some(9 * 86_400),
        counters: [
            (CounterKind::InputPackets, 4_000_000_000 + hour * 10_000_000),
            (CounterKind::InputCrc, 90_000 + hour * 250),
        ]
        .into_iter()
        .collect(),
        ..InterfaceCounters::default()
    };
    for hour in u64::from(2 - readings)..2 {
        let provenance = Provenance::measured(
            End::To,
            Timestamp(3_600_000_000_000 * (1 + hour as i64)),
            1,
            "import",
        );
        case.add(Observation::new(
            provenance,
            Payload::InterfaceCounters(reading(hour)),
        ));
    }
    import(&mut case, 1, TO, Payload::Trace(desy_to_fnal()));
    with_transfer(case, 22.0)
}

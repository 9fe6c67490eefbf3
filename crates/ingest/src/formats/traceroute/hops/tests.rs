use super::*;

fn hops(text: &str) -> Vec<TraceHop> {
    let mut hops = Hops::default();
    (1..)
        .zip(text.lines())
        .for_each(|(number, line)| hops.line(number, line));
    hops.finish().hops
}

/// What one line gives: host, microseconds, AS, TTL of the reply and mark of each answer; stars.
fn short(line: &str) -> String {
    let [hop] = &hops(line)[..] else {
        return "no hop".to_owned();
    };
    let mut all: Vec<String> = hop
        .answers
        .iter()
        .map(|a| {
            let rtt = a.rtt_ns.map_or("-".to_owned(), |ns| (ns / 1000).to_string());
            let asn = a.asn.map_or(String::new(), |n| format!(" AS{n}"));
            let ttl = a.reply_ttl.map_or(String::new(), |n| format!(" ttl{n}"));
            let mark = a.mark.as_ref().map_or(String::new(), |m| format!(" {m}"));
            format!("{} {rtt}{asn}{ttl}{mark}", a.node)
        })
        .collect();
    all.extend((0..hop.unanswered).map(|_| "*".to_owned()));
    all.join("; ")
}

#[test]
fn what_lines_of_hops_say() {
    for (line, says) in [
        (
            " 1  240.0.0.1 (240.0.0.1)  0.5 ms *  0.7 ms",
            "240.0.0.1 500; 240.0.0.1 700; *",
        ),
        (
            " 1  a (240.0.0.1)  1 ms b (240.0.0.2)  2 ms",
            "a (240.0.0.1) 1000; b (240.0.0.2) 2000",
        ),
        (
            " 2  240.0.0.1  0.5 ms  0.6 ms !H",
            "240.0.0.1 500; 240.0.0.1 600 !H",
        ),
        (" 3  * * *", "*; *; *"),
        (
            " 3  RTR-DMZ ( [AS3671 - SU-SLAC]  1.13 ms (ttl=253)",
            "RTR-DMZ 1130 AS3671 ttl253",
        ),
        (
            " 2  router  (w.x.y.z     ) [AS32 - A B C]  1.06 ms (ttl=254!)",
            "router 1060 AS32 ttl254",
        ),
        (
            "  4    <1 ms    2 ms     *     240.0.0.1",
            "240.0.0.1 -; 240.0.0.1 2000; *",
        ),
        (
            "  4    <1 \u{fffd}\u{fffd}    2 \u{fffd}\u{fffd}   12 \u{fffd}\u{fffd}  a.example [240.0.0.1]",
            "a.example (240.0.0.1) -; a.example (240.0.0.1) 2000; a.example (240.0.0.1) 12000",
        ),
        ("  5     *        *        *     Request timed out.", "*; *; *"),
        (
            "  5     *        *        *     要求がタイムアウトしました。",
            "*; *; *",
        ),
        (
            "  5  240.0.0.1  meldet: Zielhost nicht erreichbar.",
            "240.0.0.1 - meldet: Zielhost nicht erreichbar",
        ),
        (
            "  5  12 ms  11 ms  *  a.example (240.0.0.1)",
            "a.example (240.0.0.1) 12000; a.example (240.0.0.1) 11000; *",
        ),
        (" 7  a (240.0.0.1) [AS1/AS2]  5.5 ms", "a (240.0.0.1) 5500 AS1"),
        (
            " 7  240.0.0.1  5.5 ms  *  AS64500  Example Net Berlin",
            "240.0.0.1 5500 AS64500; *",
        ),
        (" 8  a (240.0.0.1)", "a (240.0.0.1) -"),
        (
            " 8   240.0.0.1 (gw)  3.025ms  2.5ms",
            "gw (240.0.0.1) 3025; gw (240.0.0.1) 2500",
        ),
        (" 8  240.0.0.1 54 bytes to 240.0.0.9  1.5 ms", "240.0.0.1 1500"),
        (" 8  0.0.0.0  * * *", "*; *; *"),
        ("  6 240.0.0.1 !A  *", "240.0.0.1 - !A; *"),
        ("  6 240.0.0.1 !A  *  !A", "240.0.0.1 - !A; 240.0.0.1 - !A; *"),
        (
            "  4 a (240.0.0.1) [AS 65000] 4 msec *  8 msec",
            "a (240.0.0.1) 4000 AS65000; a (240.0.0.1) 8000 AS65000; *",
        ),
        (
            "  5 240.0.0.1 [MPLS: Label 24001 Exp 0] 12 msec !H",
            "240.0.0.1 12000 !H",
        ),
        (" 9  w.x.y.z  4294967.255 ms", "an unnamed host -"),
    ] {
        assert_eq!(short(line), says, "{line}");
    }
}

#[test]
fn times_on_the_next_line_and_labels() {
    let wrapped = hops(
        " 4  a (240.0.0.1)  2.323 ms  2.327 \nms\n    b (240.0.0.2) 3 ms\n MPLS Label=476 CoS=0 TTL=127 S=0",
    );
    let rtts: Vec<Option<u64>> = wrapped[0].answers.iter().map(|answer| answer.rtt_ns).collect();
    assert_eq!(rtts, [Some(2_323_000), Some(2_327_000), Some(3_000_000)]);
    let label = MplsLabel {
        label: 476,
        traffic_class: 0,
        bottom: false,
        ttl: Some(127),
    };
    assert_eq!(wrapped[0].answers[0].mpls, [label]);
    let cisco =
        hops("  5 240.0.0.1 [MPLS: Labels 24001/17 Exp 4] 12 msec 8 msec 12 msec\n    240.0.0.2 8 msec");
    assert_eq!(cisco[0].answers.len(), 4);
    let labels: Vec<(u32, u8)> = cisco[0].answers[0]
        .mpls
        .iter()
        .map(|l| (l.label, l.traffic_class))
        .collect();
    assert_eq!(labels, [(24_001, 4), (17, 4)]);
    let linux = hops(" 1  a (240.0.0.1) <MPLS:L=24001,E=0,S=1,T=1/L=3,E=0,S=1,T=1>  1 ms");
    assert_eq!(linux[0].answers[0].mpls.len(), 2);
}

#[test]
fn stars_of_a_cut_line_are_not_counted() {
    let cut = hops(" 1  240.0.0.1  1 ms  2 ms  3 ms\n 2  240.0.0.2  1 ms  *\n 3  * * *\n 4  *");
    let stars: Vec<(u8, usize, u16)> = cut
        .iter()
        .map(|h| (h.ttl, h.answers.len(), h.unanswered))
        .collect();
    assert_eq!(stars, [(1, 3, 0), (2, 1, 0), (3, 0, 3)]);
}

#[test]
fn lines_of_a_hop_that_was_lost_are_not_the_last_ones() {
    let labels =
        hops(" 1  240.0.0.1  1 ms  2 ms\n   MPLS Label=476 CoS=0 TTL=1 S=1\n 3  240.0.0.3  2 ms  2 ms");
    assert_eq!(labels[0].answers[0].mpls, []);
    let further =
        hops(" 1  240.0.0.1  1 ms  2 ms\n    240.0.0.9  2 ms *\n 2  240.0.0.3  2 ms  2 ms\n 3  * *");
    assert_eq!(further[0].answers.len(), 2);
}

#[test]
fn a_hop_that_stands_twice() {
    let same = hops(" 1  240.0.0.1  1 ms\n 1  240.0.0.1  1 ms\n 2  240.0.0.2  1 ms");
    assert_eq!(same.len(), 2);
    let other = hops(" 1  240.0.0.1  1 ms\n 1  240.0.0.1  2 ms\n 2  240.0.0.2  1 ms");
    assert_eq!(other.len(), 1);
}

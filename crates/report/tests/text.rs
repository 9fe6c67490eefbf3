//! What a person sees in a terminal and in a ticket.

mod cases;

use cases::{path_table, payload_line, transfer_table};
use evidence::{
    Case, EchoMode, End, HostFacts, Observation, Payload, ProbeRow, Probes, Provenance, Trace, TraceAnswer,
    TraceFlow, TraceHop, VerdictFile,
};
use proptest::prelude::*;
use report::{
    Detail, Style, TextOptions, case_text, comparison_text, html, json, markdown, operator_message,
    verdict_text,
};

fn plain(width: usize) -> TextOptions {
    TextOptions {
        width,
        style: Style::Plain,
    }
}

fn verdict((case, verdicts): (Case, VerdictFile)) -> String {
    verdict_text(&case, &verdicts, plain(100))
}

#[test]
fn slow_with_a_cause() {
    insta::assert_snapshot!(verdict(cases::nrao()));
}

#[test]
fn repaired_between_two_rounds() {
    insta::assert_snapshot!(verdict(cases::nrao_repaired()));
}

#[test]
fn healthy() {
    insta::assert_snapshot!(verdict(cases::healthy()));
}

#[test]
fn inconclusive_because_single_ended() {
    insta::assert_snapshot!(verdict(cases::single_ended()));
}

#[test]
fn nothing_measured() {
    insta::assert_snapshot!(verdict(cases::empty()));
}

#[test]
fn the_whole_case() {
    let (case, verdicts) = cases::nrao_repaired();
    insta::assert_snapshot!(case_text(&case, &verdicts, Detail::Records, plain(100)));
}

#[test]
fn a_table_of_hops_names_a_routing_loop() {
    let (case, _) = cases::nrao();
    let mut seen = case.observations()[2..3].to_vec();
    let evidence::Payload::Trace(trace) = &mut seen[0].payload else {
        panic!("{:?}", seen[0].payload);
    };
    assert!(!path_table(&case.observations()[2..3]).contains("loop"));
    let answered = trace.flows[0].hops.iter().filter(|hop| !hop.answers.is_empty());
    let [one, other] = [0, 1].map(|place| answered.clone().nth(place).unwrap().answers.clone());
    for hop in trace
        .flows
        .iter_mut()
        .flat_map(|flow| &mut flow.hops)
        .filter(|hop| hop.ttl > 2)
    {
        hop.answers = if hop.ttl % 2 == 0 {
            one.clone()
        } else {
            other.clone()
        };
    }
    trace.reached = Some(false);
    trace.flows.iter_mut().for_each(|flow| flow.reached_ttl = None);
    let last = trace.flows[0].hops.last().unwrap().ttl;
    let text = path_table(&seen).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains(&format!("a routing loop: hops 3 to {last} are")),
        "{text}"
    );
}

#[test]
fn probes_that_a_report_tells_as_a_trace_too_are_counted_once() {
    let (case, _) = cases::nrao();
    let (from, to) = (case.complaint.node(End::From), case.complaint.node(End::To));
    let hop = |ttl| TraceHop {
        ttl,
        answers: vec![TraceAnswer {
            node: to.clone(),
            ..TraceAnswer::default()
        }],
        unanswered: 20,
    };
    let trace = Payload::Trace(Trace {
        from: from.clone(),
        to: to.clone(),
        size_bytes: Some(64),
        flows: vec![TraceFlow::of(vec![hop(1), hop(2)])],
        ..Trace::default()
    });
    let row = |ttl| ProbeRow {
        ttl: Some(ttl),
        to: to.clone(),
        size_bytes: Some(64),
        mode: Some(EchoMode::Expiring),
        sent: Some(100),
        received: Some(80),
        ..ProbeRow::default()
    };
    let probes = Payload::Probes(Probes {
        from: from.clone(),
        destination: Some(to.clone()),
        rows: vec![row(1), row(2)],
        ..Probes::default()
    });
    // mtr's report: both are read from the same lines; else they are two measurements.
    for (lines, shown) in [([(1, 9), (1, 9)], "80/100"), ([(1, 9), (11, 19)], "81/121")] {
        let seen: Vec<Observation> = [trace.clone(), probes.clone()]
            .into_iter()
            .zip(lines)
            .map(|(payload, lines)| {
                let mut provenance = Provenance::measured(from.clone(), cases::START, 1, "mtr");
                (provenance.raw_sha256, provenance.raw_lines) = (Some("00".to_owned()), Some(lines));
                Observation::new(provenance, payload)
            })
            .collect();
        let table = path_table(&seen);
        assert!(table.contains(shown), "{shown}: {table}");
    }
}

#[test]
fn a_host_of_which_settings_alone_are_known_shows_them() {
    let line = |count: usize| {
        let settings = (0..count).map(|n| (format!("net.core.s{n}"), format!("{n}\t1")));
        payload_line(&Payload::HostFacts(HostFacts {
            sysctls: settings.collect(),
            ..HostFacts::default()
        }))
    };
    assert_eq!(line(0), "host: nothing could be read");
    assert_eq!(line(2), "host: net.core.s0 0 1; net.core.s1 1 1");
    assert!(
        line(5).ends_with("net.core.s2 2 1; 2 other settings"),
        "{}",
        line(5)
    );
}

#[test]
fn a_ticket() {
    let (case, verdicts) = cases::nrao_repaired();
    insta::assert_snapshot!("ticket_repaired", markdown(&case, &verdicts));
    let (case, verdicts) = cases::nrao();
    insta::assert_snapshot!("ticket_slow", markdown(&case, &verdicts));
}

#[test]
fn one_measurement_without_a_case() {
    let (case, _) = cases::nrao();
    insta::assert_snapshot!("path", path_table(&case.observations()[2..5]));
    let tables: Vec<String> = case.observations()[5..].iter().map(transfer_table).collect();
    insta::assert_snapshot!("transfer", tables.join("\n"));
    let lines: Vec<String> = case
        .observations()
        .iter()
        .map(|o| payload_line(&o.payload))
        .collect();
    insta::assert_snapshot!("lines", lines.join("\n"));
}

#[test]
fn nobody_is_written_to_without_a_fault_on_the_path() {
    let (case, verdicts) = cases::nrao();
    assert!(operator_message(&case, &verdicts).is_some());
    for (case, verdicts) in [cases::nrao_repaired(), cases::single_ended(), cases::empty()] {
        assert_eq!(operator_message(&case, &verdicts), None);
    }
}

#[test]
fn colour_changes_nothing_but_colour() {
    for (case, verdicts) in [cases::nrao_repaired(), cases::single_ended()] {
        let coloured = case_text(
            &case,
            &verdicts,
            Detail::Records,
            TextOptions {
                width: 72,
                style: Style::Ansi,
            },
        );
        assert!(coloured.contains('\u{1b}'));
        let mut stripped = String::new();
        let mut rest = coloured.as_str();
        while let Some((before, code)) = rest.split_once('\u{1b}') {
            stripped.push_str(before);
            rest = code.split_once('m').map_or("", |(_, after)| after);
        }
        stripped.push_str(rest);
        assert_eq!(stripped, case_text(&case, &verdicts, Detail::Records, plain(72)));
    }
}

#[test]
fn lines_keep_to_the_width() {
    for width in [40, 60, 80, 132] {
        for (case, verdicts) in [cases::nrao(), cases::nrao_repaired(), cases::single_ended()] {
            for line in case_text(&case, &verdicts, Detail::Records, plain(width)).lines() {
                assert!(line.chars().count() <= width, "{width}: {line:?}");
            }
        }
    }
}

#[test]
fn the_same_case_gives_the_same_bytes() {
    let twice = || {
        let (case, verdicts) = cases::nrao_repaired();
        (
            html(&case, &verdicts),
            markdown(&case, &verdicts),
            json(&verdicts),
        )
    };
    assert_eq!(twice(), twice());
}

/// Characters that act without being seen; a line feed is layout.
fn acts_unseen(c: char) -> bool {
    (c.is_control() && c != '\n')
        || ('\u{200b}'..='\u{200f}').contains(&c)
        || ('\u{2028}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
        || c == '\u{feff}'
        || ('\u{e0000}'..='\u{e007f}').contains(&c)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_name_takes_hold_of_the_reader(
        letters in proptest::collection::vec(prop_oneof![any::<char>(), proptest::char::range('\u{0}', '\u{a0}'),
            proptest::char::range('\u{2000}', '\u{206f}'), Just('\u{1b}'), Just('<'), Just('"'), Just('`')], 0..120),
        width in 0_usize..150,
    ) {
        let name: String = letters.into_iter().collect();
        for (case, verdicts) in [cases::hostile(&name), cases::records::hostile(&name)] {
        for shown in [
            verdict_text(&case, &verdicts, plain(width)),
            case_text(&case, &verdicts, Detail::Records, plain(width)),
            comparison_text(&case, 1, 2, &verdicts, plain(width)),
            operator_message(&case, &verdicts).unwrap_or_default(),
            markdown(&case, &verdicts),
            json(&verdicts),
            html(&case, &verdicts),
        ] {
            prop_assert!(!shown.contains(acts_unseen), "{:?}", shown.chars().find(|c| acts_unseen(*c)));
        }
        let back: VerdictFile = serde_json::from_str(&json(&verdicts)).expect("still JSON");
        prop_assert_eq!(back, verdicts);
        }
    }
}

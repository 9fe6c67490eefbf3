//! Both directions of the path on one map.
#![allow(clippy::expect_used)]

mod cases;

use cases::records::ways::{BACK, THERE, ways};
use evidence::{Direction, VerdictFile};
use report::{html, markdown};

type Case = (evidence::Case, VerdictFile);

/// The rows of the first table of the Markdown, without their numbers.
fn rows((case, verdicts): &Case) -> Vec<String> {
    let page = markdown(case, verdicts);
    let measured = page.split("## Measured in round 1").nth(1).expect("tables");
    let lines = measured
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let rows = lines.filter(|(number, _)| number.parse::<u8>().is_ok());
    rows.map(|(_, rest)| rest.trim_end_matches(" |").to_owned())
        .collect()
}

/// The pieces of the map, one per row.
fn drawn((case, verdicts): &Case) -> Vec<String> {
    let page = html(case, verdicts);
    let map = page
        .split("<ol class=\"route ")
        .nth(1)
        .and_then(|rest| rest.split("</ol>").next());
    map.expect("a map")
        .split("<li")
        .skip(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_two_sides_of_a_router_are_one_row_where_the_links_tell() {
    let both = ways(&THERE, &BACK, Direction::Forward);
    assert_eq!(
        rows(&both),
        [
            "0 a.example (10.0.0.1) | 4 10.0.0.1, 4.4 ms | ",
            "1 10.0.0.2, 400 µs | 3 10.1.0.1, 3.9 ms | ",
            "2 10.1.0.2, 2.1 ms | 2 10.2.0.1, 1.2 ms | **LOSS-001**",
            "3 10.2.0.2, 3.3 ms | 1 10.9.0.2, 300 µs | **LOSS-001**",
            "4 10.9.0.1, 4.2 ms | 0 b.example (10.9.0.1) | ",
        ]
    );
    assert_eq!(drawn(&both).len(), 6, "five routers and hosts, and the fault");
}

#[test]
fn other_routers_on_the_way_back_keep_rows_of_their_own() {
    let other = ["172.16.0.1 0.3", "172.16.7.9 2.2", "10.0.0.1 4.4"];
    let both = ways(&THERE, &other, Direction::Forward);
    let shared = rows(&both)
        .iter()
        .filter(|row| !row.contains(" |  |") && !row.starts_with(" | "))
        .count();
    assert_eq!((rows(&both).len(), shared), (7, 2), "{:?}", rows(&both));
}

#[test]
fn a_fault_is_drawn_on_the_direction_that_it_hurts() {
    for (direction, hurts) in [
        (Direction::Forward, [true, false]),
        (Direction::Reverse, [false, true]),
        (Direction::Both, [true, true]),
    ] {
        let map = drawn(&ways(&THERE, &BACK, direction));
        let fault = map
            .get(3)
            .expect("a fault between the second and the third router");
        assert!(fault.contains("class=\"fault\""), "{direction:?}: {map:?}");
        let (down, up) = fault.split_once("class=\"where\"").expect("its words");
        assert_eq!(
            [down, up].map(|side| side.contains("rail hurt")),
            hurts,
            "{direction:?}"
        );
    }
}

#[test]
fn what_no_record_shows_is_unknown() {
    let alone = ways(&THERE, &[], Direction::Reverse);
    let page = markdown(&alone.0, &alone.1);
    assert!(page.contains("No trace shows the way from the receiver to the sender."));
    for row in drawn(&alone) {
        assert!(row.contains("unknown"), "{row}");
    }
    let silent = ways(&["10.0.0.2 0.4", "*", "*"], &BACK, Direction::Forward);
    let rows = rows(&silent);
    assert!(rows.iter().any(|row| row == "2 no answer | "), "{rows:?}");
    let last = rows.last().expect("rows");
    assert!(
        last.starts_with("? b.example (10.9.0.1), not seen | 0 b.example"),
        "{rows:?}"
    );
}

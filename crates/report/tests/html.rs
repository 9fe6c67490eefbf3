//! The page holds together: links lead somewhere, nothing is loaded, nothing a stranger wrote becomes markup.

mod cases;

use data_encoding::BASE64;
use evidence::{Case, VerdictFile};
use report::html;
use sha2::{Digest, Sha256};

use std::collections::BTreeSet;

fn both_ways() -> (Case, VerdictFile) {
    use cases::records::ways::{BACK, THERE, ways};
    ways(&THERE, &BACK, evidence::Direction::Reverse)
}

fn all() -> Vec<(&'static str, (Case, VerdictFile))> {
    vec![
        ("slow", cases::nrao()),
        ("repaired", cases::nrao_repaired()),
        ("healthy", cases::healthy()),
        ("single-ended", cases::single_ended()),
        ("empty", cases::empty()),
        ("stanford", cases::records::stanford()),
        ("caltech", cases::records::caltech()),
        ("desy", cases::records::desy()),
        ("oak-ridge", cases::records::oak_ridge()),
        ("ways", both_ways()),
        (
            "hostile",
            cases::records::hostile("\"><script>alert(1)</script><img src=//x>"),
        ),
        (
            "hostile",
            cases::hostile("\"><script>alert(1)</script><img src=//x>"),
        ),
    ]
}

/// The values of all `name="…"` in `page`.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let pattern = format!(" {name}=\"");
    page.split(&pattern)
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect()
}

#[test]
fn links_lead_to_one_place_each() {
    for (name, (case, verdicts)) in all() {
        let page = html(&case, &verdicts);
        let ids = attributes(&page, "id");
        let distinct: BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), distinct.len(), "{name}: an id is there twice");
        for link in attributes(&page, "href") {
            // A raw record lies beside the page and is named by its hash, nothing else.
            if let Some(hash) = link.strip_prefix("raw/") {
                assert!(
                    hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()),
                    "{name}: {link}"
                );
                continue;
            }
            let target = link
                .strip_prefix('#')
                .unwrap_or_else(|| panic!("{name}: {link} leaves the page"));
            assert!(distinct.contains(target), "{name}: {link} leads nowhere");
        }
    }
}

#[test]
fn every_observation_is_there_and_every_citation_is_a_link() {
    let (case, verdicts) = cases::nrao_repaired();
    let page = html(&case, &verdicts);
    for (index, observation) in case.observations().iter().enumerate() {
        assert!(page.contains(&format!("<details id=\"o{}\" ", index + 1)));
        assert!(page.contains(&observation.id.0));
    }
    for text in [
        "packets over 1508 bytes vanish",
        "MTU raised from 1518 to 9192",
        "153 times faster than round 1",
        "href=\"#o4\"",
        "◂ MTU-002",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn nothing_is_loaded_and_nothing_runs_but_the_pages_own_script() {
    for (name, (case, verdicts)) in all() {
        let page = html(&case, &verdicts);
        let scripts: Vec<&str> = page.split("<script>").skip(1).collect();
        let [own] = scripts.as_slice() else {
            panic!("{name}: {} scripts", scripts.len());
        };
        let (own, rest) = own.split_once("</script>").unwrap();
        assert_eq!(rest, "</body></html>", "{name}");
        let hash = BASE64.encode(&Sha256::digest(own));
        assert!(page.contains(&format!("script-src 'sha256-{hash}';")), "{name}");
        for forbidden in [
            "<script ",
            "<img",
            "<link",
            "<iframe",
            " src=",
            "url(",
            "@import",
            "javascript:",
            " onclick",
            "http://",
            "https://",
        ] {
            assert!(
                !page.contains(forbidden) || (name == "hostile" && forbidden == " src="),
                "{name}: {forbidden}"
            );
        }
        assert!(page.contains("default-src 'none'"));
    }
}

#[test]
fn what_strangers_wrote_stays_text() {
    let (case, verdicts) = cases::hostile("\"><b id=x>&lt;'");
    let page = html(&case, &verdicts);
    assert!(!page.contains("<b id=x>"));
    assert!(page.contains("&quot;&gt;&lt;b id=x&gt;&amp;lt;'"));
}

/// The maps of a page, up to their ends.
fn routes(page: &str) -> Vec<&str> {
    let drawn = page.split("<ol class=\"route ").skip(1);
    drawn.filter_map(|rest| rest.split("</ol>").next()).collect()
}

#[test]
fn the_located_link_is_drawn_between_its_hops() {
    let (case, verdicts) = cases::nrao();
    let page = html(&case, &verdicts);
    let routes = routes(&page);
    let route = routes.first().copied().unwrap_or_default();
    let place = |text: &str| {
        route
            .find(text)
            .unwrap_or_else(|| panic!("{text} is not on the route"))
    };
    assert!(place("192.122.175.14") < place("class=\"fault\""));
    assert!(place("class=\"fault\"") < place("192.35.48.33</span>"), "{route}");
}

#[test]
fn a_long_run_stays_a_small_page() {
    let (mut case, verdicts) = cases::nrao();
    for second in 0..20 {
        case.add(cases::long_run(second));
    }
    let page = html(&case, &verdicts);
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
}

/// Elements that have no end tag in HTML.
const VOID: [&str; 2] = ["meta", "br"];

#[test]
fn every_element_is_closed_where_it_was_opened() {
    for (name, (case, verdicts)) in all() {
        let page = html(&case, &verdicts);
        let page = page.replace("<!DOCTYPE html>", "");
        let (before, script) = page.split_once("<script>").unwrap();
        let page = format!("{before}{}", script.split_once("</script>").unwrap().1);
        let mut open: Vec<String> = Vec::new();
        for piece in page.split('<').skip(1) {
            let (tag, _) = piece
                .split_once('>')
                .unwrap_or_else(|| panic!("{name}: <{piece}"));
            let element = tag
                .trim_start_matches('/')
                .split_whitespace()
                .next()
                .unwrap_or_default();
            if tag.starts_with('/') {
                assert_eq!(open.pop().as_deref(), Some(element), "{name}: </{element}>");
            } else if !VOID.contains(&element) {
                open.push(element.to_owned());
            }
        }
        assert!(open.is_empty(), "{name}: {open:?}");
    }
}

#[test]
fn every_picture_says_what_it_shows() {
    for (name, (case, verdicts)) in all() {
        let page = html(&case, &verdicts);
        for picture in page.split("<svg").skip(1) {
            let head = picture.split('>').next().unwrap_or_default();
            let label = head
                .split("aria-label=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            assert!(label.is_some_and(|label| label.len() > 8), "{name}: {head}");
        }
    }
}

/// The pictures of a page, without the observations that repeat every figure.
fn pictures((case, verdicts): (Case, VerdictFile)) -> String {
    let page = html(&case, &verdicts);
    page.split("id=\"time\"").next().unwrap_or_default().to_owned()
}

#[test]
fn both_directions_are_one_map_with_the_located_interface_on_the_side_of_the_sender() {
    let page = pictures(cases::records::stanford());
    let routes = routes(&page);
    let [route] = routes.as_slice() else {
        panic!("{} maps", routes.len());
    };
    let place = |text: &str| route.find(text).unwrap_or_else(|| panic!("{text}: {route}"));
    // Between the router and its neighbour on the sender's side.
    assert!(place("RTR-SUNET47") < place("class=\"fault\""));
    assert!(place("class=\"fault\"") < place("RTR-DMZ.SLAC"));
    for (text, rows) in [
        // Routers that both traces show stand on one row, those of one of them on one of their own.
        ("RTR-DMZ.SLAC", 1),
        ("leland-gateway", 1),
        ("Core1-gateway", 1),
        // The fault hurts one direction only.
        ("rail hurt", 1),
    ] {
        assert_eq!(route.matches(text).count(), rows, "{text}: {route}");
    }
}

#[test]
fn a_series_lies_on_bands_of_routes_and_carries_what_people_did() {
    let page = pictures(cases::records::caltech());
    assert_eq!(page.matches("<rect class=\"band").count(), 5);
    assert!(
        page.contains("route 31, 2003-08-27 13:35 to 2003-09-10 14:05 UTC</title>"),
        "{page}"
    );
    assert!(
        page.contains("<line class=\"done\""),
        "the intervention within the picture"
    );
    assert!(
        !page.contains("<b>2</b> 2003-10-04"),
        "the one outside of it is not drawn"
    );
    // The pause of two and a half days is not bridged.
    assert_eq!(page.matches("<path class=\"thread\"").count(), 2);
}

#[test]
fn counters_are_drawn_test_by_test() {
    let page = pictures(cases::records::desy());
    for text in [
        "-10,247",
        "-97,812",
        "-1,584?",
        "+1,361",
        "rect class=\"suspect\"",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn an_unknown_time_is_said_to_be_unknown() {
    let (case, verdicts) = cases::records::stanford();
    let page = html(&case, &verdicts);
    assert!(page.contains("Time not recorded:"));
    assert!(
        !page.contains("Round 1, 2001"),
        "the time of import is not when anything happened"
    );
}

/// A table behind each chart: the number of its values is that of the points drawn.
#[test]
fn every_chart_has_its_values_in_a_table() {
    let mut charts = 0;
    for (name, (case, verdicts)) in all() {
        let page = html(&case, &verdicts);
        for group in page.split("<div class=\"charted\">").skip(1) {
            let (drawn, behind) = group.split_once("<details class=\"values\">").expect(name);
            let tables: Vec<&str> = behind
                .split("</details>")
                .next()
                .unwrap()
                .split("<table")
                .skip(1)
                .collect();
            for figure in drawn.split("<figure").skip(1) {
                let number = |attribute| attributes(figure, attribute)[0].parse::<usize>().unwrap();
                let row = tables[number("data-table")].split("<tr data-x=").nth(1).unwrap();
                assert!(
                    row.split("<td").count() > number("data-column"),
                    "{name}: {figure}"
                );
                charts += 1;
            }
        }
    }
    assert!(charts > 10, "{charts}");
}

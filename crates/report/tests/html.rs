//! The page holds together: links lead somewhere, nothing is loaded, nothing a stranger wrote becomes markup.

mod cases;

use evidence::{Case, VerdictFile};
use report::html;
use std::collections::BTreeSet;

fn all() -> Vec<(&'static str, (Case, VerdictFile))> {
    vec![
        ("slow", cases::nrao()),
        ("repaired", cases::nrao_repaired()),
        ("healthy", cases::healthy()),
        ("single-ended", cases::single_ended()),
        ("empty", cases::empty()),
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
        assert!(page.contains(&format!("<details id=\"o{}\">", index + 1)));
        assert!(page.contains(&observation.id.0));
    }
    for text in [
        "packets over 1508 bytes vanish",
        "MTU raised from 1518 to 9192",
        "153 times faster than round 1",
        "href=\"#o4\"",
        "hop 8 → 9",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn nothing_is_loaded_and_nothing_runs() {
    for (name, (case, verdicts)) in all() {
        let page = html(&case, &verdicts);
        for forbidden in [
            "<script",
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

#[test]
fn the_located_link_is_drawn_between_its_hops() {
    let (case, verdicts) = cases::nrao();
    let page = html(&case, &verdicts);
    let route = page
        .split("<ol class=\"route\">")
        .nth(1)
        .and_then(|rest| rest.split("</ol>").next())
        .unwrap_or_default();
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

use super::super::samples::{after, healthy, ipv6_with_long_names, limiting, losing};
use super::*;

fn heading() -> Heading<'static> {
    Heading {
        from: "a.example".to_owned(),
        to: "b.example",
        interval: Duration::from_millis(500),
    }
}

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn the_table_as_text() {
    let shown = [
        after(60, &limiting()),
        after(200, &losing()),
        after(40, &ipv6_with_long_names()),
    ]
    .map(|route| plain(&text(&route, &heading(), 100)));
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn red_is_for_loss_alone() {
    let red = |route: &Route| {
        let lines = text(route, &heading(), 100);
        lines.lines().filter(|line| line.contains("\u{1b}[31m")).count()
    };
    assert_eq!(red(&after(60, &limiting())), 0);
    assert_eq!(red(&after(200, &losing())), 2);
}

#[test]
fn the_json() {
    insta::assert_snapshot!(json(&after(200, &losing()), &heading()));
}

#[test]
fn the_csv() {
    insta::assert_snapshot!(csv(&after(60, &limiting())));
    assert_eq!(quoted("a,\"b\"\n"), "\"a,\"\"b\"\" \"");
    let text = csv(&after(3, &healthy()));
    let commas = |line: &str| line.matches(',').count();
    assert!(text.lines().all(|line| commas(line) == 15), "{text}");
}

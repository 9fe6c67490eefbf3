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
    .map(|route| plain(&text(&[route], &heading(), 100)));
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn red_is_for_loss_alone() {
    let red = |route: &Route| {
        let lines = text(std::slice::from_ref(route), &heading(), 100);
        lines.lines().filter(|line| line.contains("\u{1b}[31m")).count()
    };
    assert_eq!(red(&after(60, &limiting())), 0);
    assert_eq!(red(&after(200, &losing())), 2);
}

#[test]
fn the_json() {
    insta::assert_snapshot!(json(&[after(200, &losing())], &heading()));
}

#[test]
fn the_csv() {
    insta::assert_snapshot!(csv(&[after(60, &limiting())]));
    assert_eq!(quoted("a,\"b\"\n"), "\"a,\"\"b\"\" \"");
    let text = csv(&[after(3, &healthy())]);
    let commas = |line: &str| line.matches(',').count();
    assert!(text.lines().all(|line| commas(line) == 17), "{text}");
}

#[test]
fn flows_and_systems_are_told_apart() {
    use net::path::PathEvent;
    let mut flows = [after(30, &healthy()), after(30, &limiting())];
    let system = PathEvent::System("203.0.113.7".parse().unwrap(), 64_496);
    flows
        .iter_mut()
        .for_each(|route| route.take(system.clone(), Duration::ZERO));
    let text = plain(&text(&flows, &heading(), 100));
    assert!(
        text.starts_with("Flow 1 of 2: a.example -> ") && text.contains("\nFlow 2 of 2: "),
        "{text}"
    );
    assert_eq!(
        text.matches("AS64496 core.isp.example (203.0.113.7)").count(),
        2,
        "{text}"
    );
    let told: serde_json::Value = serde_json::from_str(&json(&flows, &heading())).unwrap();
    assert_eq!(
        (&told[0]["hops"][1]["asn"], &told[1]["hops"][1]["asn"]),
        (&64_496.into(), &64_496.into())
    );
    assert_eq!(told[0]["hops"][0].get("asn"), None);
    assert_ne!(told[0]["hops"][1]["answered"], told[1]["hops"][1]["answered"]);
    let csv = csv(&flows);
    let ends = |end: &str| csv.lines().filter(|line| line.ends_with(end)).count();
    assert_eq!(
        (ends(",64496,1"), ends(",64496,2"), ends(",,1"), ends(",,2")),
        (1, 1, 3, 3),
        "{csv}"
    );
}

use super::super::samples::{after, healthy, ipv6_with_long_names, limiting, losing};
use super::super::view::Display;
use super::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

fn picture<'a>(route: &'a Route, view: View) -> Picture<'a> {
    Picture {
        title: "a.example -> b.example (198.51.100.2)",
        route,
        flow: (1, 1),
        view,
        interval: Duration::from_secs(1),
        now: Duration::from_secs(72),
        is_tracing: false,
    }
}

fn drawn(route: &Route, view: View, width: u16, height: u16) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| picture(route, view).draw(frame))
        .unwrap()
        .buffer
        .clone()
}

/// The letters, and of each line whether any of them is red.
fn text(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width);
    let lines = buffer.content.chunks(width).map(|cells| {
        let is_red = cells.iter().any(|cell| cell.fg == Color::Red);
        let letters: String = cells.iter().map(|cell| cell.symbol()).collect();
        let red = if is_red { "red" } else { "   " };
        format!("{red}|{}", letters.trim_end())
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// At 60, 80 and 160 columns.
fn widths(route: &Route) -> String {
    let at = |width| text(&drawn(route, View::new(true), width, 14));
    [60, 80, 160].map(at).join("\n\n")
}

#[test]
fn a_healthy_path() {
    insta::assert_snapshot!(widths(&after(40, &healthy())));
}

#[test]
fn a_hop_that_limits_its_answers_and_one_that_never_answers() {
    insta::assert_snapshot!(widths(&after(60, &limiting())));
}

#[test]
fn loss_from_a_hop_on() {
    insta::assert_snapshot!(widths(&after(200, &losing())));
}

#[test]
fn ipv6_and_long_names() {
    insta::assert_snapshot!(widths(&after(40, &ipv6_with_long_names())));
}

#[test]
fn other_displays() {
    let route = after(200, &losing());
    let with = |display, names, jitter| View {
        display,
        names,
        jitter,
        ..View::new(true)
    };
    let views = [
        with(Display::Numbers, true, true),
        with(Display::Numbers, false, false),
        with(Display::Sparkline, true, true),
    ];
    let shown = views.map(|view| text(&drawn(&route, view, 80, 14)));
    insta::assert_snapshot!(shown.join("\n\n"));
}

#[test]
fn help_pause_and_a_low_terminal() {
    let route = after(200, &losing());
    let help = View {
        help: true,
        ..View::new(true)
    };
    let paused = View {
        is_paused: true,
        ..View::new(true)
    };
    let shown = [
        text(&drawn(&route, help, 80, 26)),
        text(&drawn(&route, paused, 80, 9)),
    ];
    insta::assert_snapshot!(shown.join("\n\n"));
}

#[test]
fn a_changed_route_is_said() {
    let mut samples = healthy();
    let mut route = after(20, &samples);
    samples[1].address = "203.0.113.77";
    let other = after(4, &samples);
    for _ in 0..3 {
        let answer = net::path::Answered {
            from: other.rows()[1].address.unwrap(),
            rtt_ns: 1_000_000,
        };
        let event = net::path::RoundEvent::Outcome {
            asked: net::path::Asked::Hop(2),
            round: 20,
            answer: Some(answer),
        };
        route.take(net::path::PathEvent::Round(event), Duration::from_secs(60));
    }
    let shown = text(&drawn(&route, View::new(true), 80, 14));
    assert!(
        shown.contains("route changed at hop 2: 203.0.113.7 -> 203.0.113.77, 0:12 ago"),
        "{shown}"
    );
}

#[test]
fn without_colour_there_is_none() {
    let buffer = drawn(&after(200, &losing()), View::new(false), 80, 14);
    assert!(
        buffer
            .content
            .iter()
            .all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset)
    );
    assert!(text(&buffer).contains("loss from here on"));
}

#[test]
fn no_size_is_too_small() {
    let route = after(60, &limiting());
    for width in 1..40 {
        for height in 1..12 {
            drawn(&route, View::new(true), width, height);
            drawn(&Route::new(route.destination()), View::new(true), width, height);
        }
    }
}

#[test]
fn systems_and_flows() {
    use net::path::PathEvent;
    let mut route = after(40, &healthy());
    for (address, system) in [("203.0.113.7", 64_496), ("198.51.100.2", 4_200_000_000)] {
        let address = address.parse().unwrap();
        route.take(PathEvent::System(address, system), Duration::ZERO);
    }
    let at = |view| {
        let shown = Picture {
            flow: (2, 4),
            ..picture(&route, view)
        };
        let mut terminal = Terminal::new(TestBackend::new(80, 10)).unwrap();
        text(terminal.draw(|frame| shown.draw(frame)).unwrap().buffer)
    };
    let without = View {
        systems: false,
        ..View::new(true)
    };
    insta::assert_snapshot!([at(View::new(true)), at(without)].join("\n\n"));
}

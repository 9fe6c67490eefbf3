//! URLs, redirects and heads as servers and attackers write them.

use super::*;
use evidence::{StopReason, Transfer};
use proptest::prelude::*;
use std::net::IpAddr;

fn target(url: &str) -> Target {
    Target::parse(url).unwrap()
}

fn head(status: u16, fields: &[(&'static str, &'static str)]) -> Head {
    Head::read(
        status,
        "",
        fields.iter().map(|(name, value)| (*name, value.as_bytes())),
    )
}

#[test]
fn a_url_is_read_as_browsers_read_it() {
    let plain = target("http://Data.Example/a b?x=1#part");
    assert_eq!(plain.host(), "data.example");
    assert_eq!((plain.port(), plain.is_secure()), (80, false));
    assert_eq!(plain.path_and_query(), "/a%20b?x=1");
    assert_eq!(plain.authority(), "data.example");
    assert_eq!(
        plain.to_string(),
        "http://data.example/a%20b?...",
        "a query may be a secret"
    );
    let six = target("https://[2001:db8::1]:8443");
    assert_eq!((six.host().as_str(), six.port()), ("2001:db8::1", 8443));
    assert_eq!(six.authority(), "[2001:db8::1]:8443");
    assert_eq!(six.address(), Some("2001:db8::1".parse().unwrap()));
    assert_eq!(six.path_and_query(), "/");
    assert!(
        Target::is_url("https://h/") && !Target::is_url("host.example") && !Target::is_url("2001:db8::1")
    );
}

#[test]
fn what_is_no_url_is_refused_without_its_password() {
    assert!(matches!(Target::parse("ftp://h/f"), Err(HttpError::Scheme(_))));
    assert!(matches!(Target::parse("https://"), Err(HttpError::NotAUrl(..))));
    let error = Target::parse("https://me:secret@h/").unwrap_err();
    assert_eq!(error, HttpError::Credentials);
    let error = Target::parse("ftp://me:secret@h/?key=hidden")
        .unwrap_err()
        .to_string();
    assert!(!error.contains("secret") && !error.contains("hidden"), "{error}");
}

#[test]
fn a_redirect_is_followed_where_it_may_lead() {
    let from = target("https://a.example/x/y?q");
    let to = |location| follow(&from, location, 0);
    assert_eq!(to("../z").unwrap(), target("https://a.example/z"));
    assert_eq!(to("//b.example/z").unwrap(), target("https://b.example/z"));
    assert!(matches!(
        to("http://a.example/z"),
        Err(HttpError::Downgrade { .. })
    ));
    assert!(matches!(to("file:///etc/passwd"), Err(HttpError::Scheme(_))));
    assert!(matches!(
        to("https://u:p@b.example/"),
        Err(HttpError::Credentials)
    ));
    assert!(matches!(to("https://[::/"), Err(HttpError::BadRedirect(..))));
    assert!(matches!(
        follow(&from, "/z", MOST_REDIRECTS),
        Err(HttpError::TooManyRedirects(..))
    ));
    // To TLS, and within plain text.
    let plain = target("http://a.example/");
    assert!(follow(&plain, "https://a.example/", 0).is_ok() && follow(&plain, "/b", 9).is_ok());
}

#[test]
fn a_public_server_leads_into_no_private_network() {
    let ip = |text: &str| -> IpAddr { text.parse().unwrap() };
    let public = ip("8.8.8.8");
    for private in [
        "10.0.0.1",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.3.4",
        "192.168.1.1",
        "100.64.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1",
        "198.18.0.1",
        "::1",
        "::",
        "fe80::1",
        "fd00::1",
        "ff02::1",
        "::ffff:10.0.0.1",
        "64:ff9b::10.0.0.1",
        "2002:a00:1::",
    ] {
        assert!(!may_lead(public, ip(private)), "{private}");
        assert!(
            may_lead(ip(private), ip("127.0.0.1")),
            "{private}: the user named it"
        );
    }
    for to in [
        "9.9.9.9",
        "2606:4700::1111",
        "::ffff:9.9.9.9",
        "100.128.0.1",
        "172.32.0.1",
    ] {
        assert!(may_lead(public, ip(to)), "{to}");
    }
}

#[test]
fn an_answer_has_to_be_what_was_asked_for() {
    let file = target("https://h/f");
    let next = |head: Head, asked| head.next(&file, asked);
    assert_eq!(
        next(head(200, &[("content-length", "5")]), Asked::Whole),
        Ok(Next::Content)
    );
    assert_eq!(
        next(head(200, &[]), Asked::Whole),
        Ok(Next::Content),
        "the length need not be told"
    );
    assert_eq!(
        next(head(302, &[("location", "/g")]), Asked::Whole),
        Ok(Next::Elsewhere("/g".to_owned()))
    );
    for status in [100, 302, 304, 404, 500, 999] {
        assert!(
            matches!(
                next(head(status, &[]), Asked::Whole),
                Err(HttpError::Status { .. })
            ),
            "{status}"
        );
    }
    let gzip = head(200, &[("content-encoding", "gzip")]);
    assert!(matches!(
        next(gzip, Asked::Whole),
        Err(HttpError::Compressed { .. })
    ));
    assert_eq!(
        next(head(200, &[("content-encoding", "Identity")]), Asked::Whole),
        Ok(Next::Content)
    );
    assert!(matches!(
        next(head(200, &[("content-length", "0")]), Asked::Whole),
        Err(HttpError::Empty(_))
    ));
    assert_eq!(
        next(head(201, &[("content-length", "0")]), Asked::Store),
        Ok(Next::Content)
    );

    let part = Asked::Part { first: 0, last: 9 };
    assert_eq!(part.range().as_deref(), Some("bytes=0-9"));
    let answer = head(206, &[("content-range", "bytes 0-9/1234")]);
    assert_eq!(answer.whole_bytes(), Some(1234));
    assert_eq!(next(answer, part), Ok(Next::Content));
    assert!(matches!(next(head(200, &[]), part), Err(HttpError::NoRanges(_))));
    let other = head(206, &[("content-range", "bytes 10-19/1234")]);
    assert!(matches!(next(other, part), Err(HttpError::WrongPart(_))));
    let unknown = head(206, &[("content-range", "bytes 0-9/*")]);
    assert_eq!(unknown.whole_bytes(), None);
}

proptest! {
    #[test]
    fn parts_are_the_whole(whole in 0u64.., streams in 1u16..=128) {
        let Some(parts) = parts(whole, streams) else {
            prop_assert!(whole < u64::from(streams));
            return Ok(());
        };
        prop_assert_eq!(parts.len(), usize::from(streams));
        let mut next = 0;
        for part in parts {
            let Asked::Part { first, last } = part else { panic!("{part:?}") };
            prop_assert!(first == next && last >= first);
            next = last + 1;
        }
        prop_assert_eq!(next, whole);
    }

    #[test]
    fn nothing_that_a_server_says_breaks_anything(status in any::<u16>(), value in ".{0,300}", name in 0usize..6) {
        let names = ["location", "content-encoding", "content-length", "content-range", "server", "age"];
        let head = Head::read(status, "", [(names[name], value.as_bytes())]);
        let file = target("https://h/f");
        if let Ok(Next::Elsewhere(location)) = head.next(&file, Asked::Whole) {
            let _ = follow(&file, &location, 0);
        }
        prop_assert!(head.server.is_none_or(|server| server.chars().count() <= 100));
    }
}

#[test]
fn a_transfer_that_ended_within_slow_start_judges_no_path() {
    let lasting = |duration_ns, rtt_ns, stop| Transfer {
        duration_ns: Some(duration_ns),
        rtt_ns: Some(rtt_ns),
        bytes_received: Some(1_000_000),
        stop,
        ..Transfer::default()
    };
    let (ms, s) = (1_000_000, 1_000_000_000);
    assert!(
        why_too_short(&lasting(900 * ms, ms, None))
            .unwrap()
            .contains("larger file")
    );
    assert_eq!(why_too_short(&lasting(1_100 * ms, ms, None)), None);
    assert!(
        why_too_short(&lasting(2 * s, 100 * ms, None)).is_some(),
        "32 round trips"
    );
    assert_eq!(why_too_short(&lasting(4 * s, 100 * ms, None)), None);
    // Who stopped it knows how long it was.
    assert_eq!(
        why_too_short(&lasting(900 * ms, ms, Some(StopReason::Cancelled))),
        None
    );
    assert_eq!(
        why_too_short(&lasting(900 * ms, ms, Some(StopReason::MaxTime))),
        None
    );
}

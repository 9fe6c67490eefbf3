//! What nginx serves.

use crate::support::*;
use evidence::StopReason;
use net::far_end::Side;
use net::http::{Trust, Wishes};
use net::{NetError, Watch};
use probe::http::HttpError;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_download_is_measured_as_any_transfer() {
    let Some(nginx) = Nginx::start("a_download_is_measured_as_any_transfer") else {
        return;
    };
    let seen = download(&nginx.url("big"), &ask(1, 1_500, None)).await.unwrap();
    assert_eq!(seen.stop, Some(StopReason::MaxTime));
    assert_eq!(seen.application.as_deref(), Some("HTTP/1.1 download"));
    assert_eq!((seen.from.address, seen.ports[0].0), (Some(HERE), nginx.plain));
    assert!(
        seen.steady_bps.unwrap().0 > 1e6 && seen.intervals.len() >= 10,
        "{seen:?}"
    );
    let total: u64 = seen
        .intervals
        .iter()
        .filter_map(|slice| slice.bytes_received)
        .sum();
    assert_eq!(seen.bytes_received, Some(total));
    // Of the server's kernel nothing is known; of ours as much as ever.
    assert_eq!(seen.sender, None);
    let account = &seen.receiver.unwrap().accounts[0];
    assert!(
        account.bytes_received.unwrap() > total && account.min_rtt_us.is_some(),
        "{account:?}"
    );
    let http = seen.http.unwrap();
    assert_eq!((http.status, http.content_bytes), (Some(200), Some(BIG_BYTES)));
    assert!(http.server.unwrap().starts_with("nginx"));
    assert!(http.connect_ns.is_some() && http.first_byte_ns.is_some() && http.tls_ns.is_none());
}

#[tokio::test]
async fn tls_brings_http_2_where_the_certificate_is_good() {
    let Some(nginx) = Nginx::start("tls_brings_http_2_where_the_certificate_is_good") else {
        return;
    };
    for (http1_only, version) in [(false, "HTTP/2"), (true, "HTTP/1.1")] {
        let wishes = Wishes {
            http1_only,
            ..wishes()
        };
        let server = http(&nginx.tls_url("big"), nginx.trust(), wishes);
        let seen = perform(&server, &ask(1, 1_200, None), Side::There).await.unwrap();
        let exchange = seen.http.unwrap();
        assert_eq!(exchange.version.as_deref(), Some(version));
        assert!(exchange.tls.unwrap().starts_with("TLS 1."));
        assert!(exchange.tls_ns.is_some() && !exchange.is_unchecked);
        assert!(seen.bytes_received.unwrap() > 1_000_000);
    }
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    let Some(nginx) = Nginx::start("a_certificate_that_nobody_vouches_for_is_refused") else {
        return;
    };
    let refused = |url: String, trust: Trust| async move {
        let server = http(&url, trust, wishes());
        match perform(&server, &ask(1, 1_000, None), Side::There).await {
            Err(NetError::Tls(text)) => text,
            other => panic!("{other:?}"),
        }
    };
    let text = refused(nginx.tls_url("small"), Trust::of_system()).await;
    assert!(
        text.contains("--ca-file") || text.contains("no certificate authorities"),
        "{text}"
    );
    // The right authority, another name.
    let other = nginx.tls_url("small").replace("localhost", "other.example");
    let text = refused(other, nginx.trust()).await;
    assert!(
        text.contains("not to be trusted") && text.contains("other.example"),
        "{text}"
    );
    // No TLS there.
    let text = refused(nginx.url("small").replace("http:", "https:"), nginx.trust()).await;
    assert!(text.contains("http://"), "{text}");
    let seen = download(&nginx.tls_url("small"), &ask(1, 1_000, None))
        .await
        .unwrap();
    assert!(seen.http.unwrap().is_unchecked);
}

#[tokio::test]
async fn redirects_are_followed_and_named() {
    let Some(nginx) = Nginx::start("redirects_are_followed_and_named") else {
        return;
    };
    let seen = download(&nginx.url("moved"), &ask(1, 1_000, None)).await.unwrap();
    let exchange = seen.http.unwrap();
    assert_eq!(
        (exchange.url, exchange.redirects),
        (nginx.url("small"), vec![nginx.url("moved")])
    );
    let seen = download(&nginx.url("secure"), &ask(1, 1_000, None))
        .await
        .unwrap();
    assert!(seen.http.unwrap().url.starts_with("https://localhost"));
    let out_of_tls = download(&nginx.tls_url("plain"), &ask(1, 1_000, None)).await;
    assert!(
        matches!(out_of_tls, Err(NetError::Web(HttpError::Downgrade { .. }))),
        "{out_of_tls:?}"
    );
    let circle = download(&nginx.url("circle"), &ask(1, 1_000, None)).await;
    assert!(
        matches!(circle, Err(NetError::Web(HttpError::TooManyRedirects(..)))),
        "{circle:?}"
    );
}

#[tokio::test]
async fn what_is_no_file_is_an_error_that_names_the_status() {
    let Some(nginx) = Nginx::start("what_is_no_file_is_an_error_that_names_the_status") else {
        return;
    };
    for (name, words) in [
        ("nothing", "404 Not Found"),
        ("fails", "503"),
        ("empty", "larger file"),
        ("put/", "403"),
    ] {
        let error = download(&nginx.url(name), &ask(1, 1_000, None))
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(words) && error.contains(name), "{error}");
    }
    let gone = format!("http://{HERE}:{}/", free_port());
    let error = download(&gone, &ask(1, 1_000, None)).await.unwrap_err();
    assert!(matches!(error, NetError::NoWebServer(_)), "{error}");
}

#[tokio::test]
async fn several_streams_have_a_part_of_the_file_each() {
    let Some(nginx) = Nginx::start("several_streams_have_a_part_of_the_file_each") else {
        return;
    };
    let server = http(&nginx.tls_url("big"), nginx.trust(), wishes());
    let seen = perform(&server, &ask(4, 1_200, None), Side::There).await.unwrap();
    let accounts = seen.receiver.unwrap().accounts;
    assert_eq!((seen.streams, accounts.len(), seen.ports.len()), (Some(4), 4, 4));
    assert!(
        accounts
            .iter()
            .all(|account| account.bytes_received > Some(10_000)),
        "{accounts:?}"
    );
    let exchange = seen.http.unwrap();
    assert_eq!(
        (exchange.status, exchange.content_bytes),
        (Some(206), Some(BIG_BYTES))
    );
    let whole = download(&nginx.url("whole/big"), &ask(4, 1_000, None)).await;
    assert!(
        matches!(whole, Err(NetError::Web(HttpError::NoRanges(_)))),
        "{whole:?}"
    );
}

#[tokio::test]
async fn a_transfer_keeps_to_its_bytes_and_can_be_stopped() {
    let Some(nginx) = Nginx::start("a_transfer_keeps_to_its_bytes_and_can_be_stopped") else {
        return;
    };
    let seen = download(&nginx.url("big"), &ask(1, 20_000, Some(5_000_000)))
        .await
        .unwrap();
    assert_eq!(seen.stop, Some(StopReason::MaxBytes));
    let bytes = seen.bytes_received.unwrap();
    assert!((5_000_000..8_000_000).contains(&bytes), "{bytes}");

    let cancel = CancellationToken::new();
    let watch = Watch::new(cancel.clone(), move |progress| {
        if progress.fraction.is_some() {
            cancel.cancel();
        }
    });
    let server = http(&nginx.url("slow/big"), Trust::unchecked(), wishes());
    let seen = perform_watched(&server, &ask(1, 60_000, None), Side::There, &watch)
        .await
        .unwrap();
    assert_eq!(seen.stop, Some(StopReason::Cancelled));
}

#[tokio::test]
async fn a_server_that_is_slow_by_itself_shows_its_pauses() {
    let Some(nginx) = Nginx::start("a_server_that_is_slow_by_itself_shows_its_pauses") else {
        return;
    };
    // nginx sends what its limit allows at once, and then waits.
    let seen = download(&nginx.url("slow/big"), &ask(1, 3_000, None))
        .await
        .unwrap();
    let rate = seen.received_bps.unwrap().0;
    assert!(rate < 60e6, "{rate}");
    assert!(seen.http.unwrap().longest_pause_ns.unwrap() > 50_000_000);
}

#[tokio::test]
async fn a_file_that_is_too_short_judges_nothing() {
    let Some(nginx) = Nginx::start("a_file_that_is_too_short_judges_nothing") else {
        return;
    };
    let seen = download(&nginx.url("small"), &ask(1, 5_000, None)).await.unwrap();
    assert_eq!((seen.bytes_received, seen.stop), (Some(SMALL_BYTES), None));
    assert!(seen.note.unwrap().contains("too short"), "said");
    let evidence = Wishes {
        is_evidence: true,
        ..wishes()
    };
    let server = http(&nginx.url("small"), Trust::unchecked(), evidence);
    let refused = perform(&server, &ask(1, 5_000, None), Side::There)
        .await
        .unwrap_err();
    assert!(
        matches!(refused, NetError::Web(HttpError::TooShort(_))),
        "{refused}"
    );
}

#[tokio::test]
async fn uploads_are_stored() {
    let Some(nginx) = Nginx::start("uploads_are_stored") else {
        return;
    };
    let up = Wishes {
        uploads: true,
        ..wishes()
    };
    for (url, version) in [
        (nginx.url("put/a"), "HTTP/1.1"),
        (nginx.tls_url("put/b"), "HTTP/2"),
    ] {
        let server = http(&url, nginx.trust(), up.clone());
        let seen = perform(&server, &ask(1, 20_000, Some(8_000_000)), Side::Here)
            .await
            .unwrap();
        let name = url.rsplit('/').next().unwrap();
        let stored = std::fs::metadata(nginx.path("files/put").join(name))
            .unwrap()
            .len();
        assert_eq!(stored, 8_000_000, "{url}");
        let exchange = seen.http.unwrap();
        assert_eq!(
            (exchange.status, exchange.version.as_deref()),
            (Some(201), Some(version))
        );
        assert!(seen.sender.unwrap().accounts[0].bytes_acked.unwrap() >= 8_000_000);
        assert!(seen.receiver.is_none());
    }
    // Of no certain length: ended in order when the time is over.
    let server = http(&nginx.url("put/c"), nginx.trust(), up.clone());
    let seen = perform(&server, &ask(1, 1_000, None), Side::Here).await.unwrap();
    let stored = std::fs::metadata(nginx.path("files/put/c")).unwrap().len();
    assert!(stored > 0 && seen.http.unwrap().status == Some(201));
    assert_eq!(seen.stop, Some(StopReason::MaxTime));

    let server = http(&nginx.url("little/a"), nginx.trust(), up.clone());
    let refused = perform(&server, &ask(1, 5_000, Some(8_000_000)), Side::Here)
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("413"), "{refused}");
    let server = http(&nginx.url("a"), nginx.trust(), up);
    let refused = perform(&server, &ask(1, 5_000, Some(1_000)), Side::Here)
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("405"), "{refused}");
}

/// Printed; the bound is wide, as machines are loaded.
#[tokio::test]
async fn the_rate_is_that_of_curl() {
    let Some(nginx) = Nginx::start("the_rate_is_that_of_curl") else {
        return;
    };
    for url in [nginx.url("big"), nginx.tls_url("big")] {
        let server = http(&url, nginx.trust(), wishes());
        let seen = perform(&server, &ask(1, 3_000, None), Side::There).await.unwrap();
        let ours = seen.received_bps.unwrap().0;
        let ran = tokio::process::Command::new("curl")
            .args([
                "-sk",
                "-o",
                "/dev/null",
                "-m",
                "3",
                "-w",
                "%{speed_download}",
                &url,
            ])
            .output();
        let Ok(Ok(ran)) = tokio::time::timeout(Duration::from_secs(30), ran).await else {
            println!("SKIPPED the_rate_is_that_of_curl: curl is not installed");
            return;
        };
        let theirs: f64 = String::from_utf8_lossy(&ran.stdout).trim().parse().unwrap();
        let version = seen.http.unwrap().version.unwrap();
        println!(
            "{version}: {:.2} Gbit/s, curl {:.2} Gbit/s",
            ours / 1e9,
            theirs * 8e-9
        );
        assert!(ours > theirs * 8.0 / 5.0, "{ours} and {}", theirs * 8.0);
    }
}

use crate::network::{RunningReflector, incident, links, measure, target, up};
use SizeProbeMode::{DontFragment, MayFragment};
use evidence::{ProbeProtocol, ProbeRow, Probes, SizeProbeMode};
use net::path::{PathTarget, Sockets, path_mtu_with};

fn search(lab: &lab::Lab, from: &str, to: PathTarget, sockets: Sockets) -> Probes {
    measure(lab, from, |watch| async move {
        path_mtu_with(&to, None, sockets, &watch).await
    })
    .unwrap()
}

fn rows(found: &Probes, mode: SizeProbeMode) -> impl Iterator<Item = &ProbeRow> {
    let whole = Some(mode == DontFragment);
    found.rows.iter().filter(move |row| row.dont_fragment == whole)
}

fn is_answered(row: &ProbeRow) -> bool {
    row.received > Some(0)
}

fn cell(found: &Probes, mode: SizeProbeMode, ttl: Option<u8>, size: u32) -> &ProbeRow {
    rows(found, mode)
        .find(|row| (row.ttl, row.size_bytes) == (ttl, Some(size)))
        .unwrap_or_else(|| panic!("no cell {mode:?} {ttl:?} {size}: {found:#?}"))
}

fn passes(found: &Probes) -> u32 {
    let to_the_end = rows(found, DontFragment).filter(|row| row.ttl.is_none());
    to_the_end
        .filter(|row| is_answered(row))
        .filter_map(|row| row.size_bytes)
        .max()
        .unwrap_or(0)
}

/// The last hop that answered packets of `size` or more.
fn last_hop(found: &Probes, size: u32) -> u8 {
    let whole = rows(found, DontFragment).filter(|row| row.size_bytes >= Some(size));
    whole
        .filter(|row| is_answered(row))
        .filter_map(|row| row.ttl)
        .max()
        .unwrap_or(0)
}

fn is_gone(row: &ProbeRow) -> bool {
    row.sent >= Some(3) && !is_answered(row) && row.errors.is_empty()
}

pub(crate) fn the_incident_is_found() {
    let lab = up(&incident("nrao-sarao-2021"));
    let to = target(&lab, "perfsonar-10.cv.nrao.edu", false);
    for sockets in [Sockets::Best, Sockets::Unprivileged] {
        let found = search(&lab, "esnet-perfsonar.example", to, sockets);
        assert_eq!(
            (found.interface_mtu_bytes, found.destination_ttl, passes(&found)),
            (Some(9000), Some(12), 1500)
        );
        // Hop 11 has the campus's 1500 bytes and says so; what is longer than 1508 never gets that far.
        let told = |size| &cell(&found, DontFragment, None, size).errors;
        assert!(
            [1501, 1508]
                .iter()
                .all(|size| told(*size).iter().any(|word| word.mtu_bytes == Some(1500)))
        );
        assert!(is_gone(cell(&found, DontFragment, None, 1509)));
        assert_eq!(last_hop(&found, 1509), 8);
        assert!(is_answered(cell(&found, DontFragment, Some(9), 1508)));
        assert!(is_gone(cell(&found, DontFragment, Some(9), 1509)));
        assert!(is_gone(cell(&found, MayFragment, Some(9), 1509)));
        assert!(
            found.elapsed_ns.unwrap() < 3_000_000_000,
            "{:?} ns",
            found.elapsed_ns
        );
    }
}

pub(crate) fn lost_fragmentation_needed_is_told_from_a_lossy_link() {
    let lab = up(&incident("pmtud-icmp-filtered"));
    let to = target(&lab, "perfsonar-10.cv.nrao.edu", false);
    let found = search(&lab, "esnet-perfsonar.example", to, Sockets::Best);
    let edge = passes(&found) + 1;
    let last = last_hop(&found, edge);
    assert!(is_gone(cell(&found, DontFragment, Some(last + 1), edge)));
    assert!(is_answered(cell(&found, MayFragment, Some(last + 1), edge)));
    assert!(is_answered(cell(&found, MayFragment, None, edge)));
}

pub(crate) fn first_and_last_link() {
    for link in [1usize, 3] {
        let lab = up(&links(
            3,
            "",
            &[(
                link,
                "both = { delay = '2 ms' }\na_to_b = { accept_bytes = 1508 }",
            )],
        ));
        let found = search(&lab, "a", target(&lab, "b", false), Sockets::Best);
        assert_eq!(
            (passes(&found), last_hop(&found, 1509)),
            (1508, link as u8 - 1),
            "link {link}"
        );
        assert!(is_gone(cell(&found, DontFragment, None, 1509)));
    }
}

pub(crate) fn ipv6_is_searched_too() {
    let lab = up(&links(
        4,
        "",
        &[(3, "both = { delay = '2 ms' }\na_to_b = { accept_bytes = 1400 }")],
    ));
    for sockets in [Sockets::Best, Sockets::Unprivileged] {
        let found = search(&lab, "a", target(&lab, "b", true), sockets);
        if found.protocol == Some(ProbeProtocol::Udp) {
            continue; // No ping sockets here: a destination that answers once a second takes a minute.
        }
        assert_eq!((passes(&found), last_hop(&found, 1401)), (1400, 2), "{sockets:?}");
        assert!(found.rows.iter().all(|row| row.dont_fragment == Some(true)));
    }
}

pub(crate) fn a_healthy_path_passes_everything() {
    let lab = up(&incident("healthy-red-herrings"));
    let found = search(
        &lab,
        "sender.example",
        target(&lab, "receiver.example", false),
        Sockets::Best,
    );
    assert_eq!(passes(&found), 9000);
    assert!(found.rows.iter().all(|row| row.errors.is_empty()));
    assert!(found.packets_sent.unwrap() < 60, "{:?}", found.packets_sent);
}

pub(crate) fn the_reflector_answers_for_the_destination() {
    // Large packets get there; large answers would not get back. The reflector's answers are small.
    let lab = up(&links(
        3,
        "",
        &[(2, "both = { delay = '2 ms' }\nb_to_a = { accept_bytes = 1500 }")],
    ));
    let to = target(&lab, "b", false);
    let reflector = RunningReflector::start(&lab, "b", to.destination);
    let to = PathTarget {
        reflector: Some(reflector.reflector),
        ..to
    };
    let found = search(&lab, "a", to, Sockets::Best);
    assert_eq!((found.protocol, passes(&found)), (Some(ProbeProtocol::Udp), 9000));
}

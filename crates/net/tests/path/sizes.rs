use crate::network::{RunningReflector, incident, links, measure, target, up};
use SizeProbeMode::{DontFragment, MayFragment};
use evidence::v1::{PathMtu, ProbeProtocol, SizeCell, SizeProbeMode};
use net::path::{PathTarget, Sockets, path_mtu_with};

fn search(lab: &lab::Lab, from: &str, to: PathTarget, sockets: Sockets) -> PathMtu {
    measure(lab, from, |watch| async move {
        path_mtu_with(&to, None, sockets, &watch).await
    })
    .unwrap()
}

fn cell(found: &PathMtu, mode: SizeProbeMode, ttl: Option<u8>, size: u32) -> &SizeCell {
    let mut cells = found.cells.iter();
    cells
        .find(|cell| (cell.mode, cell.ttl, cell.size_bytes) == (mode, ttl, size))
        .unwrap_or_else(|| panic!("no cell {mode:?} {ttl:?} {size}: {found:#?}"))
}

fn passes(found: &PathMtu) -> u32 {
    let to_the_end = found
        .cells
        .iter()
        .filter(|cell| cell.mode == DontFragment && cell.ttl.is_none());
    to_the_end
        .filter(|cell| cell.answered > 0)
        .map(|cell| cell.size_bytes)
        .max()
        .unwrap_or(0)
}

/// The last hop that answered packets of `size` or more.
fn last_hop(found: &PathMtu, size: u32) -> u8 {
    let whole = found
        .cells
        .iter()
        .filter(|cell| cell.mode == DontFragment && cell.size_bytes >= size);
    whole
        .filter(|cell| cell.answered > 0)
        .filter_map(|cell| cell.ttl)
        .max()
        .unwrap_or(0)
}

fn is_gone(cell: &SizeCell) -> bool {
    cell.sent >= 3 && cell.answered == 0 && cell.fragmentation_needed.is_empty()
}

pub(crate) fn the_incident_is_found() {
    let lab = up(&incident("nrao-sarao-2021"));
    let to = target(&lab, "perfsonar-10.cv.nrao.edu", false);
    for sockets in [Sockets::Best, Sockets::Unprivileged] {
        let found = search(&lab, "esnet-perfsonar.example", to, sockets);
        assert_eq!(
            (found.interface_mtu_bytes, found.destination_ttl, passes(&found)),
            (9000, Some(12), 1500)
        );
        // Hop 11 has the campus's 1500 bytes and says so; what is longer than 1508 never gets that far.
        let told = |size| &cell(&found, DontFragment, None, size).fragmentation_needed;
        assert!(
            [1501, 1508]
                .iter()
                .all(|size| told(*size).iter().any(|word| word.mtu_bytes == Some(1500)))
        );
        assert!(is_gone(cell(&found, DontFragment, None, 1509)));
        assert_eq!(last_hop(&found, 1509), 8);
        assert!(cell(&found, DontFragment, Some(9), 1508).answered > 0);
        assert!(is_gone(cell(&found, DontFragment, Some(9), 1509)));
        assert!(is_gone(cell(&found, MayFragment, Some(9), 1509)));
        assert!(
            found.elapsed_ns < 3_000_000_000,
            "{} ms",
            found.elapsed_ns / 1_000_000
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
    assert!(cell(&found, MayFragment, Some(last + 1), edge).answered > 0);
    assert!(cell(&found, MayFragment, None, edge).answered > 0);
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
        if found.protocol == ProbeProtocol::Udp {
            continue; // No ping sockets here: a destination that answers once a second takes a minute.
        }
        assert_eq!((passes(&found), last_hop(&found, 1401)), (1400, 2), "{sockets:?}");
        assert!(found.cells.iter().all(|cell| cell.mode == DontFragment));
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
    assert!(
        found
            .cells
            .iter()
            .all(|cell| cell.fragmentation_needed.is_empty())
    );
    assert!(found.packets_sent < 60, "{}", found.packets_sent);
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
    assert_eq!((found.protocol, passes(&found)), (ProbeProtocol::Udp, 9000));
}

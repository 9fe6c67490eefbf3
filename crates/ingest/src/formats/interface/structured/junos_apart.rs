//! What Junos counts of an interface in elements of their own: queues, the coding below the frames, forward error correction. Each counter
//! has the name that it has where the device prints text.

use super::tree::{Tree, local};

/// Queues of one way stand together, and a name, of the elements that are looked into.
const QUEUES: &str = "queue-counters";

/// Counters of an element, and their names.
type Names = &'static [(&'static str, &'static str)];

const CODING: Names = &[
    ("bit-error-seconds", "PCS Bit errors seconds"),
    ("errored-blocks-seconds", "PCS Errored blocks seconds"),
];

const CORRECTION: Names = &[
    ("fec_ccw_count", "FEC Corrected Errors"),
    ("fec_nccw_count", "FEC Uncorrected Errors"),
    ("fec_ccw_error_rate", "FEC Corrected Errors Rate"),
    ("fec_nccw_error_rate", "FEC Uncorrected Errors Rate"),
];

/// Of a queue in `extensive`, behind the way.
const BRIEF: Names = &[
    ("queue-counters-trans-packets", "transmitted packets"),
    ("queue-counters-total-drop-packets", "dropped packets"),
];

/// Of a queue in `show interfaces queue`.
const DETAIL: Names = &[
    ("queue-counters-queued-packets", "queued packets"),
    ("queue-counters-queued-bytes", "queued bytes"),
    ("queue-counters-trans-packets", "transmitted packets"),
    ("queue-counters-trans-bytes", "transmitted bytes"),
    (
        "queue-counters-tail-drop-packets",
        "transmitted tail-dropped packets",
    ),
    ("queue-counters-rl-drop-packets", "transmitted RL-dropped packets"),
    ("queue-counters-rl-drop-bytes", "transmitted RL-dropped bytes"),
    (
        "queue-counters-rate-limit-drop-packets",
        "transmitted RL-dropped packets",
    ),
    (
        "queue-counters-rate-limit-drop-bytes",
        "transmitted RL-dropped bytes",
    ),
    ("queue-counters-red-packets", "transmitted RED-dropped packets"),
    ("queue-counters-red-bytes", "transmitted RED-dropped bytes"),
    (
        "queue-counters-total-drop-packets",
        "transmitted total-dropped packets",
    ),
    (
        "queue-counters-total-drop-bytes",
        "transmitted total-dropped bytes",
    ),
];

/// Tells each counter of such an element: its name, and the figure as it is written.
pub(super) fn tell(element: &str, tree: Tree<'_>, tell: &mut dyn FnMut(String, &str)) {
    match element {
        "ethernet-pcs-statistics" => named(tree, CODING, "", tell),
        "ethernet-fec-statistics" => named(tree, CORRECTION, "", tell),
        QUEUES => queues(tree, tell),
        _ => {}
    }
}

fn named(tree: Tree<'_>, names: Names, before: &str, tell: &mut dyn FnMut(String, &str)) {
    tree.each(&mut |name, child| {
        let known = names.iter().find(|(known, _)| *known == local(name));
        if let (Some((_, name)), Some(value)) = (known, child.leaf()) {
            tell(format!("{before}{name}"), &value);
        }
    });
}

fn queues(tree: Tree<'_>, tell: &mut dyn FnMut(String, &str)) {
    let way = match text_of(tree, "intf-cos-queue-type").as_deref() {
        Some("Egress queues") => "egress ",
        Some("Ingress queues") => "ingress ",
        _ => "",
    };
    tree.each(&mut |name, queue| {
        let Some(number) = (local(name) == "queue")
            .then(|| text_of(queue, "queue-number"))
            .flatten()
        else {
            return;
        };
        match text_of(queue, "queue-counters-queued-bytes") {
            Some(_) => named(queue, DETAIL, &format!("queue {number} "), tell),
            None => named(queue, BRIEF, &format!("queue {number} {way}"), tell),
        }
    });
}

/// The first leaf of this name, in the element or in one right below it.
fn text_of(tree: Tree<'_>, wanted: &str) -> Option<String> {
    let mut found = None;
    tree.each(&mut |name, child| {
        if found.is_some() {
            return;
        }
        found = match child.leaf() {
            Some(value) => (local(name) == wanted).then(|| value.trim_ascii().to_owned()),
            None if local(name) == "queue" => None,
            None => text_of(child, wanted),
        };
    });
    found
}

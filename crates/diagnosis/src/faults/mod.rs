//! The faults that the program knows, a folder each: declaration with manual page, and scenarios. What a folder says beside it
//! are figures and words; what they weigh is the model's to say.

mod adapter;
mod application_rhythm;
mod as_fast_as_it_can;
mod asymmetric_route;
mod cross_traffic;
pub(crate) mod detour;
mod errored_link;
mod families;
mod flow_limit;
mod fragments_dropped;
mod interface_drops;
mod interruption;
mod link_capacity;
mod link_mtu_mismatch;
mod load_loss;
mod pmtud_blackhole;
mod policer;
mod processor;
mod queue_overflow;
mod random_loss;
mod receive_window;
mod receiver_drops;
mod reordering;
mod send_buffer;
mod short_queue;
mod slow_reader;
mod slow_writer;
mod told;
pub(crate) mod words;

pub(crate) use as_fast_as_it_can::{ENOUGH, FAULT as OK, judge as fast_enough};
pub(crate) use queue_overflow::step_down;
pub(crate) use told::Told;

use crate::Fault;
use crate::facts::Facts;
use evidence::Finding;
use model::{Family, Kind};

/// Every fault, in the order in which they are looked at.
static REGISTRY: &[&Fault] = &[
    &pmtud_blackhole::FAULT,
    &link_mtu_mismatch::FAULT,
    &fragments_dropped::FAULT,
    &receive_window::FAULT,
    &receiver_drops::FAULT,
    &random_loss::FAULT,
    &interface_drops::FAULT,
    &queue_overflow::FAULT,
    &errored_link::FAULT,
    &link_capacity::FAULT,
    &application_rhythm::FAULT,
    &detour::FAULT,
    &asymmetric_route::FAULT,
    &as_fast_as_it_can::FAULT,
    &load_loss::FAULT,
    &interruption::FAULT,
    &short_queue::FAULT,
    &cross_traffic::FAULT,
    &policer::FAULT,
    &send_buffer::FAULT,
    &slow_reader::FAULT,
    &processor::FAULT,
    &slow_writer::FAULT,
    &flow_limit::FAULT,
    &adapter::FAULT,
    &reordering::FAULT,
    &families::LOSS,
    &families::CAPACITY,
    &families::MTU,
    &families::HOST,
    &families::APPLICATION,
];

/// Every fault that this program knows.
#[must_use]
pub fn registry() -> &'static [&'static Fault] {
    REGISTRY
}

/// The fault with this code, in whatever case the letters are: `mtu-001`.
#[must_use]
pub fn explain(code: &str) -> Option<&'static Fault> {
    REGISTRY
        .iter()
        .copied()
        .find(|fault| fault.code.eq_ignore_ascii_case(code.trim()))
}

/// Faults of the places that counters show: an interface, or what lies between two counters along a path. The same
/// parameters anywhere else are other faults.
const COUNTED: [&Fault; 2] = [&interface_drops::FAULT, &errored_link::FAULT];

/// Whether a fault is one of a place that counters show.
pub(crate) fn is_counted(fault: &Fault) -> bool {
    COUNTED.iter().any(|counted| counted.code == fault.code)
}

/// The fault that perturbs a kind of parameter. Every kind has one (tested); "unknown" is told as a family.
pub(crate) fn of_kind(kind: Kind) -> &'static Fault {
    let mut others = REGISTRY.iter().filter(|fault| !is_counted(fault));
    others.find(perturbs(kind)).copied().unwrap_or(&families::HOST)
}

/// The fault that perturbs a kind of parameter at a place that counters show.
pub(crate) fn of_counted(kind: Kind) -> &'static Fault {
    COUNTED
        .iter()
        .find(perturbs(kind))
        .copied()
        .unwrap_or_else(|| of_kind(kind))
}

fn perturbs(kind: Kind) -> impl Fn(&&&'static Fault) -> bool {
    move |fault| fault.parameters.iter().any(|parameter| parameter.kind == kind)
}

/// Whether two kinds of parameters are told as one fault.
pub(crate) fn told_alike(a: Kind, b: Kind) -> bool {
    a == b || of_kind(a).code == of_kind(b).code
}

/// The page of a family whose members the evidence cannot tell apart.
pub(crate) fn of_family(family: Family) -> &'static Fault {
    match family {
        Family::Loss => &families::LOSS,
        Family::Capacity => &families::CAPACITY,
        Family::Mtu => &families::MTU,
        Family::Application => &families::APPLICATION,
        Family::Route => &reordering::FAULT,
        Family::Host | Family::Unknown => &families::HOST,
    }
}

/// What figures that people state tell of these faults, however little it convinces.
pub(crate) fn told(facts: &Facts) -> Vec<Finding> {
    let overflow = queue_overflow::told(facts).into_iter();
    overflow.chain(application_rhythm::told(facts)).collect()
}

/// What figures that people state, and interfaces' own averages, tell beside these findings.
pub(crate) fn told_beside(facts: &Facts, findings: &[Finding]) -> Vec<Told> {
    let all = [
        receive_window::told::told(facts),
        link_capacity::room(facts).map(Told::Excluded),
        queue_overflow::missing(facts),
        asymmetric_route::told(facts),
        detour::open(facts),
    ];
    let is_named = |beside: &Told| {
        let code = match beside {
            Told::Limit(finding) => &finding.code,
            Told::Excluded(excluded) => &excluded.code,
            Told::Missing(code, _) => *code,
        };
        findings.iter().any(|finding| finding.code == code)
    };
    all.into_iter()
        .flatten()
        .filter(|beside| !is_named(beside))
        .collect()
}

//! Where the faults of a world lie on the way of a measurement.

use crate::{Fault, Measurement};

/// The faults of a world that lie where the packets of a measurement pass.
pub(super) fn on_way<'a>(
    faults: &'a [Fault],
    measurement: &'a Measurement,
) -> impl Iterator<Item = &'a Fault> {
    faults
        .iter()
        .filter(|fault| measurement.out.contains(&fault.element))
}

/// Whether a fault of a host sits at the sender or the receiver of the packets: the element's place among those
/// crossed says so.
pub(super) fn is_at_receiver(fault: &Fault, measurement: &Measurement) -> bool {
    measurement.out.last() == Some(&fault.element)
}

pub(super) fn is_at_sender(fault: &Fault, measurement: &Measurement) -> bool {
    measurement.out.first() == Some(&fault.element)
}

//! What a case asks, and when two cases ask the same.

use evidence::{Complaint, Party};

/// Whether two complaints are about the same transfer: the same two parties in the same direction.
#[must_use]
pub fn same_question(a: &Complaint, b: &Complaint) -> bool {
    same_party(&a.from, &b.from) && same_party(&a.to, &b.to)
}

/// A host keeps its name when its address changes, and its address when it is called by another name.
fn same_party(a: &Party, b: &Party) -> bool {
    a.name.eq_ignore_ascii_case(&b.name) || (a.address.is_some() && a.address == b.address)
}

/// The question in a line, with the names as the case has them.
pub(crate) fn question(complaint: &Complaint) -> String {
    let party = |party: &Party| match party.address {
        Some(address) if address.to_string() != party.name => format!("{} ({address})", party.name),
        _ => party.name.clone(),
    };
    format!("{} -> {}", party(&complaint.from), party(&complaint.to))
}

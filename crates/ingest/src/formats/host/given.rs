//! What a block gives by name. Nothing is overwritten: of a name that is given twice with different values nobody knows
//! which one stands, so neither does.

use crate::findings::Findings;
use std::collections::{BTreeMap, BTreeSet};

/// Values by name.
#[derive(Debug)]
pub(in crate::formats) struct Given<V> {
    values: BTreeMap<String, V>,
    disputed: BTreeSet<String>,
}

impl<V> Default for Given<V> {
    fn default() -> Self {
        Self {
            values: BTreeMap::new(),
            disputed: BTreeSet::new(),
        }
    }
}

impl<V: PartialEq> Given<V> {
    /// Takes what this line gives.
    pub(in crate::formats) fn put(
        &mut self,
        findings: &mut Findings,
        line: u64,
        name: impl Into<String>,
        value: V,
    ) {
        let name = name.into();
        if self.disputed.contains(&name) {
            return;
        }
        match self.values.get(&name) {
            Some(known) if *known != value => {
                findings.complain(line, format!("{name} is given twice, with different values"));
                self.values.remove(&name);
                self.disputed.insert(name);
            }
            Some(_) => {}
            None => {
                self.values.insert(name, value);
            }
        }
    }

    /// Takes a value away, to be kept elsewhere.
    pub(in crate::formats) fn take(&mut self, name: &str) -> Option<V> {
        self.values.remove(name)
    }

    /// What is known of a name.
    pub(in crate::formats) fn get(&self, name: &str) -> Option<&V> {
        self.values.get(name)
    }

    /// What has a value that stands.
    pub(in crate::formats) fn names(&self) -> impl Iterator<Item = &String> {
        self.values.keys()
    }

    /// Whether anything was given, a disputed value too.
    pub(in crate::formats) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.disputed.is_empty()
    }

    /// Whether a name was given twice, with different values.
    pub(in crate::formats) fn has_disputes(&self) -> bool {
        !self.disputed.is_empty()
    }

    /// What stands.
    pub(in crate::formats) fn into_values(self) -> BTreeMap<String, V> {
        self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_overwritten() {
        let (mut given, mut findings) = (Given::default(), Findings::default());
        for (line, name, value) in [(1, "a", 1), (2, "b", 2), (3, "a", 1), (4, "b", 3), (5, "b", 3)] {
            given.put(&mut findings, line, name, value);
        }
        assert_eq!(given.into_values(), BTreeMap::from([("a".to_owned(), 1)]));
        assert_eq!(findings.events.len(), 1, "told once");
    }
}

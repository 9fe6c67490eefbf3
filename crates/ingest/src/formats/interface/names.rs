//! A section's names of counters, found without regard to the case of letters. Every figure of an interface is looked up here, by each
//! dialect that it may be in.

use super::dialect::{Section, Word};
use crate::dictionary::hash;
use std::borrow::Cow;

/// What is known of a name.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    /// What it counts.
    pub(super) word: Option<&'static Word>,
    /// It is no name, but the first words of one: the line was cut.
    pub(super) is_beginning: bool,
}

/// Names in so many groups, by what their letters add up to.
pub(super) struct Names {
    groups: Vec<Vec<(&'static str, Known)>>,
}

impl Names {
    /// Of several equal ones the first counts.
    pub(super) fn of(section: &Section) -> Self {
        let words = || section.words.iter().flat_map(|words| words.iter());
        let mut names = Self {
            groups: vec![Vec::new(); (2 * words().count()).next_power_of_two()],
        };
        for word in words() {
            names.add(word.name).word.get_or_insert(word);
        }
        for word in words() {
            for (end, _) in word.name.match_indices(' ') {
                let known = names.add(word.name.get(..end).unwrap_or_default());
                known.is_beginning = known.word.is_none();
            }
        }
        names
    }

    /// What is known of a name; nothing of one that is none.
    pub(super) fn get(&self, name: &str) -> Known {
        let group = self.groups.get(self.group_of(name));
        let mut names = group.into_iter().flatten();
        let known = names.find(|(known, _)| *known == name || known.eq_ignore_ascii_case(name));
        known.map(|(_, known)| *known).unwrap_or_default()
    }

    /// Whether one of them begins with these letters, and goes on.
    pub(super) fn is_part(&self, letters: &str) -> bool {
        let mut names = self.groups.iter().flatten().map(|(name, _)| name);
        names.any(|name| {
            let begin = name.get(..letters.len());
            name.len() > letters.len() && begin.is_some_and(|begin| begin.eq_ignore_ascii_case(letters))
        })
    }

    fn add(&mut self, name: &'static str) -> &mut Known {
        let group = self.group_of(name);
        let group = &mut self.groups[group];
        let place = group
            .iter()
            .position(|(known, _)| known.eq_ignore_ascii_case(name));
        let place = place.unwrap_or_else(|| {
            group.push((name, Known::default()));
            group.len() - 1
        });
        &mut group[place].1
    }

    fn group_of(&self, name: &str) -> usize {
        hash(name) & (self.groups.len() - 1)
    }
}

/// The name of a counter. Most are compared where they stand: a copy in small letters of every name costs more than reading it.
#[derive(Debug)]
pub(super) enum Name<'l> {
    /// As it is printed, small and large letters alike.
    Printed(&'l str),
    /// Put together of several parts, the maker's in small letters.
    Made(Cow<'l, str>),
}

impl<'l> Name<'l> {
    pub(super) fn of(name: Cow<'l, str>) -> Self {
        match name {
            Cow::Borrowed(name) => Self::Printed(name),
            Cow::Owned(name) => Self::Made(name.to_ascii_lowercase().into()),
        }
    }

    /// The same for all that are equal.
    pub(super) fn hash(&self) -> u32 {
        match self {
            Self::Printed(text) => hash(text) as u32,
            Self::Made(text) => hash(text) as u32,
        }
    }

    /// As it is told of.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Printed(name) => name.to_ascii_lowercase(),
            Self::Made(name) => name.clone().into_owned(),
        }
    }
}

impl PartialEq for Name<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Printed(one), Self::Printed(other)) => one.eq_ignore_ascii_case(other),
            (Self::Made(one), Self::Made(other)) => one == other,
            (Self::Printed(printed), Self::Made(made)) | (Self::Made(made), Self::Printed(printed)) => {
                let small = printed.bytes().map(|byte| byte.to_ascii_lowercase());
                small.eq(made.bytes())
            }
        }
    }
}

impl Eq for Name<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::interface::dialect::{SECTION, own};

    #[test]
    fn letters_of_a_printed_name_are_compared_as_small_ones() {
        let printed = |name| Name::of(Cow::Borrowed(name));
        assert!(printed("CRC errors") == printed("crc Errors") && printed("CRC") != printed("crc errors"));
        assert!(printed("CRC") == Name::Made("crc".into()) && printed("CRC") != Name::Made("CRC".into()));
        assert_eq!(printed("In_A").shown(), "in_a");
    }

    #[test]
    fn names_and_their_beginnings() {
        const SECTION_OF_TWO: Section = Section {
            words: &[&[own("input errors"), own("input"), own("CRC align errors")]],
            ..SECTION
        };
        let names = Names::of(&SECTION_OF_TWO);
        let of = |name: &str| {
            let known = names.get(name);
            (known.word.map(|word| word.name), known.is_beginning)
        };
        assert_eq!(of("Input Errors"), (Some("input errors"), false));
        assert_eq!(of("input"), (Some("input"), false));
        assert_eq!(of("crc"), (None, true));
        assert_eq!(of("CRC align"), (None, true));
        for none in ["", "CRC al", "errors", "input errors "] {
            assert_eq!(of(none), (None, false), "{none}");
        }
    }
}

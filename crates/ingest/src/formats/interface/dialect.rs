//! What a dialect of `show interfaces` is: data. A maker's file says how an interface begins, what its lines look like and
//! what its words for counters mean; the engine in `reader.rs` is the same for all.

use evidence::CounterKind;

/// One maker's or system's way to print interfaces.
pub(super) struct Dialect {
    /// What it is a dialect of: `Cisco NX-OS`.
    pub(super) name: &'static str,
    /// What is read, as `docs/import.md` lists it.
    pub(super) reads: &'static str,
    /// Its lines have no indentation, those of counters neither.
    pub(super) is_flat: bool,
    /// Below a port it prints the units of that, which count the same under the same titles.
    pub(super) has_units: bool,
    /// First lines of an interface.
    pub(super) heads: &'static [&'static str],
    /// Lines that may stand anywhere in it.
    pub(super) rules: &'static [&'static [Rule]],
    /// Its parts; the first is what stands below the head, and has no title.
    pub(super) sections: &'static [Section],
}

/// A pattern of a line, and where such lines stand.
pub(super) struct Rule {
    pub(super) pattern: &'static str,
    pub(super) place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Above the counters of an interface: one below them is of an interface whose head is missing.
    Above,
    /// Above the counters, and once: so is a second one with another text.
    Once,
    /// Above the counters, and not again, be it with the same text: nothing else tells two interfaces apart.
    Sole,
    /// Anywhere, several times.
    Any,
    /// Not here: the title or the head that it stands below is missing.
    Never,
}

/// A rule for a line above the counters.
pub(super) const fn above(pattern: &'static str) -> Rule {
    Rule {
        pattern,
        place: Place::Above,
    }
}

/// A rule for a line above the counters that every interface has once.
pub(super) const fn once(pattern: &'static str) -> Rule {
    Rule {
        pattern,
        place: Place::Once,
    }
}

/// A rule for a line that every interface has once, and that may be the same for the next.
pub(super) const fn sole(pattern: &'static str) -> Rule {
    Rule {
        pattern,
        place: Place::Sole,
    }
}

/// A rule for a line that may stand anywhere.
pub(super) const fn any(pattern: &'static str) -> Rule {
    Rule {
        pattern,
        place: Place::Any,
    }
}

/// A rule for a line that shows here that the title or the head above it is missing.
pub(super) const fn never(pattern: &'static str) -> Rule {
    Rule {
        pattern,
        place: Place::Never,
    }
}

/// Which direction figures have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    In,
    Out,
    /// A column of each, received first.
    Both,
    /// The words themselves tell, or nothing does.
    Unsaid,
}

/// How lines of counters are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// `12 packets input, 345 bytes`, also with blanks for commas.
    FigureFirst,
    /// `CRC: 12, Giants: 345`, also with blanks for commas.
    NameFirst,
    /// One or the other, as the line has colons or not.
    Either,
    /// `In_Bytes 12 In_Packets 345`: names of one word.
    Alternating,
    /// `Input drop overrun = 12`: names that may hold sizes, `Input pkts 65-127 bytes = 345`.
    Equated,
    /// `CRC errors   12   345`: so many columns, a third one for sums.
    Columns(usize),
    /// SONET: seconds, count and state, or seconds alone.
    Seconds,
    /// There are none.
    No,
}

/// Lines under a title.
pub(super) struct Section {
    /// Lines that it begins with.
    pub(super) titles: &'static [&'static str],
    pub(super) way: Way,
    pub(super) cut: Cut,
    pub(super) words: &'static [&'static [Word]],
    /// What the names of counters without a meaning across makers become, received and sent: `RX {}`.
    pub(super) own: [&'static str; 2],
    /// No other words stand here: one is a sign that a title is missing.
    pub(super) is_closed: bool,
    /// It is one of several alike: of a class, of a queue.
    pub(super) is_of_group: bool,
    /// Lines that stand only here.
    pub(super) rules: &'static [Rule],
    /// They come in pairs, packets and bytes: one alone may belong below the next title.
    pub(super) in_pairs: bool,
    /// It counts all that passed the port, and these in parts: traffic that other sections count is not the port's.
    pub(super) sums: &'static [(CounterKind, &'static [&'static str])],
}

/// A section with nothing in it, to be filled.
pub(super) const SECTION: Section = Section {
    titles: &[],
    way: Way::Unsaid,
    cut: Cut::No,
    words: &[],
    own: ["{}", "{}"],
    is_closed: false,
    is_of_group: false,
    rules: &[],
    in_pairs: false,
    sums: &[],
};

/// What a word counts in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Kind(CounterKind),
    /// A thing of its maker's own.
    Own,
}

/// A maker's word for a counter. Without a meaning in a direction it does not stand there: under a title of that direction it
/// is a sign that a title is missing.
pub(super) struct Word {
    pub(super) name: &'static str,
    pub(super) input: Option<Meaning>,
    pub(super) output: Option<Meaning>,
}

/// Counts what is received.
pub(super) const fn input(name: &'static str, kind: CounterKind) -> Word {
    Word {
        name,
        input: Some(Meaning::Kind(kind)),
        output: None,
    }
}

/// Counts what is sent.
pub(super) const fn output(name: &'static str, kind: CounterKind) -> Word {
    Word {
        name,
        input: None,
        output: Some(Meaning::Kind(kind)),
    }
}

/// Counts either, as the direction is told.
pub(super) const fn both(name: &'static str, received: CounterKind, sent: CounterKind) -> Word {
    Word {
        name,
        input: Some(Meaning::Kind(received)),
        output: Some(Meaning::Kind(sent)),
    }
}

/// Counts the same wherever it stands.
pub(super) const fn either(name: &'static str, kind: CounterKind) -> Word {
    both(name, kind, kind)
}

/// The maker's own, of whichever direction it stands in.
pub(super) const fn own(name: &'static str) -> Word {
    Word {
        name,
        input: Some(Meaning::Own),
        output: Some(Meaning::Own),
    }
}

/// The maker's own, of what is received.
pub(super) const fn own_input(name: &'static str) -> Word {
    Word {
        name,
        input: Some(Meaning::Own),
        output: None,
    }
}

/// The maker's own, of what is sent.
pub(super) const fn own_output(name: &'static str) -> Word {
    Word {
        name,
        input: None,
        output: Some(Meaning::Own),
    }
}

//! What the person at the terminal chose to see, and the keys that change it: those of mtr.

/// What stands beside the loss of a hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Display {
    /// Figures and, where there is room, a sparkline.
    #[default]
    Both,
    Numbers,
    Sparkline,
}

/// The choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    pub(super) display: Display,
    pub(super) names: bool,
    pub(super) jitter: bool,
    /// Numbers of autonomous systems, where these are known.
    pub(super) systems: bool,
    /// Which flow is shown: grows with each key.
    pub(super) flow: usize,
    pub(super) help: bool,
    pub(super) is_paused: bool,
    pub(super) has_colour: bool,
}

/// What a key asks of others than the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Quit,
    Reset,
    /// Draw everything again: another program wrote on the terminal.
    Redraw,
}

/// Ctrl-C and Ctrl-L, where the terminal hands them on.
const INTERRUPT: u8 = 3;
const FORM_FEED: u8 = 12;
const ESCAPE: u8 = 27;

impl View {
    pub(super) fn new(has_colour: bool) -> Self {
        Self {
            display: Display::default(),
            names: true,
            jitter: true,
            systems: true,
            flow: 0,
            help: false,
            is_paused: false,
            has_colour,
        }
    }

    /// What was typed, as the terminal gave it at once. The first key that concerns others ends it.
    pub(super) fn press(&mut self, typed: &[u8]) -> Option<Action> {
        // An arrow or a function key: its letters are no keys of ours. Escape alone closes the help.
        if typed.first() == Some(&ESCAPE) {
            self.help = false;
            return None;
        }
        typed.iter().find_map(|key| self.press_one(*key))
    }

    fn press_one(&mut self, key: u8) -> Option<Action> {
        match key.to_ascii_lowercase() {
            b'q' | INTERRUPT => return Some(Action::Quit),
            b'r' => return Some(Action::Reset),
            FORM_FEED => return Some(Action::Redraw),
            b'p' => self.is_paused = true,
            b' ' => self.is_paused = false,
            b'n' => self.names = !self.names,
            b'j' => self.jitter = !self.jitter,
            b'z' => self.systems = !self.systems,
            b'f' => self.flow = self.flow.wrapping_add(1),
            b'h' | b'?' => self.help = !self.help,
            b'd' => {
                self.display = match self.display {
                    Display::Both => Display::Numbers,
                    Display::Numbers => Display::Sparkline,
                    Display::Sparkline => Display::Both,
                }
            }
            _ => {}
        }
        None
    }
}

/// The help, line by line.
pub(super) const HELP: &[&str] = &[
    "q        quit (Ctrl-C as well)",
    "p        pause: nothing is sent",
    "space    resume",
    "r        reset: count anew",
    "d        display: both, numbers, sparkline",
    "n        names or addresses",
    "j        jitter column on or off",
    "z        AS numbers on or off (with --asn)",
    "f        the next flow (with --flows)",
    "h or ?   this help",
    "",
    "Sent: probes answered, or not within 2 s. Times are round trips, ms.",
    "Jitter: running mean of the difference of successive ones (RFC 3550).",
    "Sparkline: 0 to the hop's own largest; a dot is a probe unanswered.",
    "",
    "answers limited: the hop loses more than one behind it, so what it",
    "  forwards passes; it answers seldom. Nothing is wrong.",
    "loss from here on: this hop and all behind it, to the destination,",
    "  lose more than the hop in front of it. Packets vanish there, on",
    "  the way there or on the way back.",
    "No mark: nothing to say, or not sure yet.",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_mtr() {
        let mut view = View::new(true);
        assert_eq!(view.press(b"p"), None);
        assert!(view.is_paused);
        view.press(b" ");
        assert!(!view.is_paused);
        view.press(b"nj?");
        assert!(!view.names && !view.jitter && view.help);
        view.press(b"zff");
        assert_eq!((view.systems, view.flow), (false, 2));
        let displays: Vec<Display> = (0..3)
            .map(|_| {
                view.press(b"d");
                view.display
            })
            .collect();
        assert_eq!(displays, [Display::Numbers, Display::Sparkline, Display::Both]);
        assert_eq!(view.press(b"xr"), Some(Action::Reset));
        assert_eq!(view.press(b"q"), Some(Action::Quit));
        assert_eq!(view.press(&[INTERRUPT]), Some(Action::Quit));
        assert_eq!(view.press(&[FORM_FEED]), Some(Action::Redraw));
    }

    #[test]
    fn arrows_are_no_letters() {
        let mut view = View::new(true);
        view.press(b"h");
        // Up, and Alt-q.
        for typed in [&b"\x1b[A"[..], b"\x1bq", b"\x1bOD"] {
            assert_eq!(view.press(typed), None);
        }
        assert_eq!(view, View::new(true));
    }

    #[test]
    fn help_fits_a_narrow_terminal_but_for_a_few_words() {
        assert!(HELP.iter().all(|line| line.len() <= 72), "{HELP:?}");
    }
}

//! A terminal to run the program on.

use nix::pty::{Winsize, openpty};
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::Stdio;

/// The side that a person looks at; the other goes to the program.
pub(crate) fn open() -> (Screen, OwnedFd) {
    let size = Winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    let pty = openpty(Some(&size), None).unwrap();
    (Screen(File::from(pty.master)), pty.slave)
}

/// What is on it.
pub(crate) struct Screen(File);

impl Screen {
    /// Waits until something is shown, and returns it.
    fn first(&mut self) -> String {
        let mut buffer = [0; 4096];
        // The last writer's end gives an error and no end of file.
        let read = self.0.read(&mut buffer).unwrap_or(0);
        String::from_utf8_lossy(&buffer[..read]).into_owned()
    }

    /// Waits until this is shown.
    pub(crate) fn until(&mut self, text: &str) {
        let mut shown = String::new();
        while !shown.contains(text) {
            let more = self.first();
            assert!(!more.is_empty(), "it ended before it showed `{text}`: {shown}");
            shown.push_str(&more);
        }
    }

    /// All that is shown until nobody writes any more.
    pub(crate) fn rest(mut self) -> String {
        let mut shown = String::new();
        loop {
            let more = self.first();
            if more.is_empty() {
                return shown;
            }
            shown.push_str(&more);
        }
    }
}

pub(crate) fn stdio(side: &OwnedFd) -> Stdio {
    Stdio::from(side.try_clone().unwrap())
}

//! The terminal while the live view has it: the one way by which the view writes, reads keys, and gives it back as it was,
//! whatever ends the program.

use super::draw::Picture;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr};
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::io::{self, IsTerminal, Stdout};
use std::os::fd::AsFd;
use std::sync::{Mutex, Once, PoisonError};
use tokio::sync::mpsc;

/// How the terminal was, while it is ours: a panic on any thread gives it back before it says what happened.
static BORROWED: Mutex<Option<Borrowed>> = Mutex::new(None);

struct Borrowed {
    /// `None`: keys come from somewhere else.
    keyboard: Option<Termios>,
}

/// The terminal, until it is dropped.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// # Errors
    /// When the terminal cannot be written to.
    pub(super) fn open() -> io::Result<Self> {
        restore_on_panic();
        let keyboard = borrow_keyboard();
        *lock() = Some(Borrowed { keyboard });
        // From here on `give_back` undoes it, also when the rest fails.
        let opened = execute!(io::stdout(), EnterAlternateScreen, Hide).and_then(|()| empty());
        match opened {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                give_back();
                Err(error)
            }
        }
    }

    /// Draws what changed.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub(super) fn draw(&mut self, picture: &Picture<'_>) -> io::Result<()> {
        let size = size();
        if self.terminal.get_frame().area() != size {
            self.clear()?;
        }
        let draw = |frame: &mut ratatui::Frame<'_>| {
            picture.draw(frame);
            clean(frame.buffer_mut());
        };
        self.terminal.draw(draw).map(|_| ())
    }

    /// Has all drawn anew the next time. The library's own way asks the terminal where its cursor is, and would take the answer
    /// from among the keys.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.terminal = empty()?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// An empty screen. Of a fixed size that we set: to ask for it, the library opens /dev/tty and starts a program, and may do
/// neither.
fn empty() -> io::Result<Terminal<CrosstermBackend<Stdout>>> {
    execute!(io::stdout(), Clear(ClearType::All))?;
    let viewport = Viewport::Fixed(size());
    Terminal::with_options(CrosstermBackend::new(io::stdout()), TerminalOptions { viewport })
}

/// The door: whatever was forgotten on the way here does not reach the terminal.
fn clean(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let cleaned = report::clean(cell.symbol());
        if cleaned != cell.symbol() {
            let cleaned = cleaned.into_owned();
            cell.set_symbol(&cleaned);
        }
    }
}

/// The usual size where the terminal does not tell.
fn size() -> Rect {
    let (width, height) = terminal_size::terminal_size_of(io::stdout()).map_or((80, 24), |(w, h)| (w.0, h.0));
    Rect::new(0, 0, width.max(1), height.max(1))
}

/// Keys come at once and are not shown. Ctrl-C stays a signal, so that it works whatever the program is doing; Ctrl-Z would
/// leave the terminal as it is now to the shell.
fn borrow_keyboard() -> Option<Termios> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return None;
    }
    let was = tcgetattr(stdin.as_fd()).ok()?;
    let mut keys = was.clone();
    keys.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
    let suspend = SpecialCharacterIndices::VSUSP as usize;
    // _POSIX_VDISABLE
    keys.control_chars[suspend] = 0;
    tcsetattr(stdin.as_fd(), SetArg::TCSANOW, &keys).ok()?;
    Some(was)
}

fn give_back() {
    let Some(borrowed) = lock().take() else { return };
    // Nobody is left to be told that it cannot be written to.
    let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
    if let Some(keyboard) = borrowed.keyboard {
        let _ = tcsetattr(io::stdin().as_fd(), SetArg::TCSANOW, &keyboard);
    }
}

fn lock() -> std::sync::MutexGuard<'static, Option<Borrowed>> {
    BORROWED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            report(panic);
        }));
    });
}

/// What is typed, as it comes. Ends when standard input does, and then no keys come any more.
pub(super) fn keys() -> mpsc::UnboundedReceiver<Vec<u8>> {
    let (sender, receiver) = mpsc::unbounded_channel();
    if io::stdin().is_terminal() {
        // Not on the runtime's pool, which is waited for at the end: a key may never come.
        let read = move || {
            while let Some(typed) = read_keys(&sender) {
                if sender.send(typed).is_err() {
                    return;
                }
            }
        };
        let _ = std::thread::Builder::new().name("keys".to_owned()).spawn(read);
    }
    receiver
}

fn read_keys(sender: &mpsc::UnboundedSender<Vec<u8>>) -> Option<Vec<u8>> {
    const LOOK_MS: u8 = 200;
    let stdin = io::stdin();
    loop {
        let mut waited = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        match poll(&mut waited, PollTimeout::from(LOOK_MS)) {
            Ok(0) | Err(nix::Error::EINTR) if sender.is_closed() => return None,
            Ok(0) | Err(nix::Error::EINTR) => {}
            Ok(_) => break,
            Err(_) => return None,
        }
    }
    let mut typed = [0; 64];
    let count = nix::unistd::read(stdin.as_fd(), &mut typed).ok()?;
    // Nothing though it was readable: the terminal is gone.
    (count > 0).then(|| typed[..count].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_unseen_reaches_the_terminal() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 1));
        for (cell, symbol) in buffer.content.iter_mut().zip(["a", "\u{1b}", "\u{202e}"]) {
            cell.set_symbol(symbol);
        }
        clean(&mut buffer);
        let symbols: Vec<&str> = buffer.content.iter().map(|cell| cell.symbol()).collect();
        assert_eq!(symbols, ["a", "\u{FFFD}", "\u{FFFD}"]);
    }
}

//! Ctrl-C ends what runs, without noise.

use crate::common::{Desk, interruptible};
use crate::pty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::time::Duration;

fn interrupt(child: &Child) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGINT).unwrap();
}

#[test]
fn a_measurement_ends_with_one_line_and_shows_what_it_has() {
    let desk = Desk::new();
    let (mut screen, side) = pty::open();
    let mut command = desk.command(&["path", "127.0.0.1", "--echo", "100000"]);
    command.env("TERM", "xterm").env("NO_COLOR", "1");
    let child = command
        .stdout(Stdio::piped())
        .stderr(pty::stdio(&side))
        .spawn()
        .unwrap();
    drop((command, side));
    // By now the hops are known, and something is there to be shown.
    screen.until("loss and delay per hop");
    interrupt(&child);
    let shown = screen.rest();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.code().is_some(), "{:?}: {shown}", output.status);
    assert!(shown.contains("stopping; what was measured is kept"), "{shown}");
    assert!(!shown.contains("panicked"), "{shown}");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains("127.0.0.1"),
        "{shown}"
    );
}

#[test]
fn a_command_that_waits_for_input_ends_as_others_do() {
    let desk = Desk::new();
    for command in [&["import", "-"][..], &["capture", "-"]] {
        let mut child = interruptible(&desk.command(command))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let held = child.stdin.take();
        // Until the program runs, what starts it may still ignore the signal.
        while child.try_wait().unwrap().is_none() {
            interrupt(&child);
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child.wait_with_output().unwrap();
        drop(held);
        assert_eq!(
            output.status.signal(),
            Some(Signal::SIGINT as i32),
            "{command:?}: {}",
            output.status
        );
        assert!(
            output.stdout.is_empty() && output.stderr.is_empty(),
            "{command:?}"
        );
    }
}

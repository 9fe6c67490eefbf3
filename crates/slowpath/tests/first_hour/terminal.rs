//! Colours, progress and closed pipes.

use crate::common::Desk;
use crate::pty;
use std::process::Stdio;

const ESCAPE: char = '\u{1b}';

/// A page with bold headings.
const PAGE: [&str; 2] = ["explain", "MTU-001"];

#[test]
fn a_pipe_gets_colours_only_from_who_asks_for_them() {
    let desk = Desk::new();
    desk.write("always.toml", "color = \"always\"\n");
    let always = ("SLOWPATH_CONFIG", "always.toml");
    let (force, no_color) = (("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1"));
    for (environment, option, is_coloured) in [
        (&[][..], None, false),
        (&[force], None, true),
        (&[("CLICOLOR_FORCE", "0")], None, false),
        (&[("CLICOLOR", "1")], None, false),
        (&[force, no_color], None, false),
        (&[force], Some("never"), false),
        (&[no_color], Some("always"), true),
        (&[always], None, true),
        (&[always, no_color], None, false),
        (&[always, ("TERM", "dumb")], None, false),
        (&[always], Some("auto"), false),
    ] {
        let option: Vec<&str> = option.into_iter().flat_map(|when| ["--color", when]).collect();
        let environment = [&[("TERM", "xterm")], environment].concat();
        let run = desk.run_in(&environment, &[&PAGE[..], &option].concat());
        assert_eq!(
            run.exits(0).stdout.contains(ESCAPE),
            is_coloured,
            "{environment:?} {option:?}"
        );
    }
}

#[test]
fn a_terminal_gets_colours_unless_somebody_says_no() {
    let desk = Desk::new();
    desk.write("never.toml", "color = \"never\"\n");
    for (environment, option, is_coloured) in [
        (("TERM", "xterm"), "auto", true),
        (("NO_COLOR", ""), "auto", true),
        (("TERM", "xterm"), "never", false),
    ] {
        let shown = on_terminal(&desk, &[environment], &[&PAGE[..], &["--color", option]].concat());
        assert_eq!(shown.contains(ESCAPE), is_coloured, "{environment:?} {option}");
    }
    for variable in [
        ("NO_COLOR", "1"),
        ("CLICOLOR", "0"),
        ("TERM", "dumb"),
        ("SLOWPATH_CONFIG", "never.toml"),
    ] {
        let shown = on_terminal(&desk, &[variable], &PAGE);
        assert!(
            shown.contains("MTU-001") && !shown.contains(ESCAPE),
            "{variable:?}: {shown}"
        );
        // With CI set, libraries take any terminal for one with colours.
        for environment in [&[variable][..], &[variable, ("CI", "true")]] {
            let help = on_terminal(&desk, environment, &["path", "--help"]);
            assert!(
                help.contains("Examples:") && !help.contains(ESCAPE),
                "{environment:?}: {help}"
            );
        }
    }
    assert!(on_terminal(&desk, &[], &["path", "--help"]).contains(ESCAPE));
    let help = on_terminal(&desk, &[], &["path", "--help", "--color", "never"]);
    assert!(!help.contains(ESCAPE), "{help}");
}

/// Standard output is a terminal.
fn on_terminal(desk: &Desk, environment: &[(&str, &str)], args: &[&str]) -> String {
    let (screen, side) = pty::open();
    let mut command = desk.command(args);
    command
        .env("TERM", "xterm")
        .envs(environment.iter().copied())
        .stdin(Stdio::null());
    let mut child = command
        .stdout(pty::stdio(&side))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop((command, side));
    let shown = screen.rest();
    child.wait().unwrap();
    shown
}

#[test]
fn progress_moves_on_a_terminal_that_can_and_nowhere_else() {
    let desk = Desk::new();
    let progress = |environment: &[(&str, &str)]| {
        let (screen, side) = pty::open();
        let mut command = desk.command(&["path", "127.0.0.1", "--echo", "3"]);
        command.env("TERM", "xterm").envs(environment.iter().copied());
        let mut child = command
            .stdout(Stdio::null())
            .stderr(pty::stdio(&side))
            .spawn()
            .unwrap();
        drop((command, side));
        let shown = screen.rest();
        assert!(child.wait().unwrap().success(), "{shown}");
        shown
    };
    let cyan = "\u{1b}[36m";
    assert!(progress(&[]).contains(cyan));
    let without_colour = progress(&[("NO_COLOR", "1")]);
    assert!(
        without_colour.contains(ESCAPE) && !without_colour.contains(cyan),
        "{without_colour:?}"
    );
    assert_eq!(progress(&[("TERM", "dumb")]), "");
    let run = desk.run_in(
        &[("TERM", "xterm"), ("CLICOLOR_FORCE", "1")],
        &["path", "127.0.0.1", "--echo", "3"],
    );
    assert_eq!(run.exits(0).stderr, "");
}

#[test]
fn a_reader_who_has_seen_enough_changes_nothing() {
    let desk = Desk::new();
    for args in [
        &["--help"][..],
        &["help", "diagnose"],
        &["--version"],
        &["explain"],
        &["explain", "MTU-001"],
        &["import", "--formats"],
        &["lab", "list"],
        &["config"],
        &["config", "--json"],
        &["man"],
        &["completions", "bash"],
        &["path", "127.0.0.1"],
        &["path", "127.0.0.1", "--json"],
        &["doctor"],
        &["serve", "--check", "--listen", "127.0.0.1:0"],
    ] {
        // Nobody reads any more when the first byte is written.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = desk.command(args);
        let output = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), said.as_ref()), (Some(0), ""), "{args:?}");
    }
    // A result that is bad news stays bad news.
    desk.new_case("x.case");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let verify = desk
        .command(&["case", "verify", "x.case"])
        .stdout(writer)
        .output()
        .unwrap();
    assert_eq!(verify.status.code(), Some(4));
}

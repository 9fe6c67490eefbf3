//! Help, manual pages and completions, as shells and readers of pages take them.

use crate::common::Desk;
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn help_tells_how_to_begin() {
    let desk = Desk::new();
    insta::assert_snapshot!("help", desk.run(&["--help"]).exits(0).stdout);
    insta::assert_snapshot!("help_of_config", desk.run(&["config", "--help"]).exits(0).stdout);
    insta::assert_snapshot!(
        "help_of_case_amend",
        desk.run(&["case", "amend", "--help"]).exits(0).stdout
    );
}

/// Feeds `text` to a program; `None` where it is not installed.
fn fed(program: &str, args: &[&str], text: &str) -> Option<(bool, String)> {
    let mut command = Command::new(program);
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        println!("SKIPPED what {program} says: not installed");
        return None;
    };
    let mut input = child.stdin.take().unwrap();
    let text = text.to_owned();
    let feeding = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = feeding.join();
    let said = [output.stdout, output.stderr].concat();
    Some((
        output.status.success(),
        String::from_utf8_lossy(&said).into_owned(),
    ))
}

#[test]
fn a_page_for_each_command_and_each_is_sound() {
    let desk = Desk::new();
    desk.run(&["man", "--to", "pages/man1"]).exits(0);
    let names = desk.names("pages/man1");
    for name in [
        "slowpath.1",
        "slowpath-diagnose.1",
        "slowpath-case-add.1",
        "slowpath-lab-exec.1",
        "slowpath-man.1",
    ] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("help")), "{names:?}");
    for name in &names {
        let page = desk.read(&format!("pages/man1/{name}"));
        let title = format!(".TH {} 1", name.trim_end_matches(".1"));
        assert!(
            page.contains(&title) && page.contains(".SH EXAMPLES"),
            "{name}:\n{page}"
        );
        if let Some((ended_well, said)) = fed("groff", &["-k", "-man", "-Tutf8", "-ww", "-z"], &page) {
            assert!(ended_well && said.is_empty(), "{name}: {said}");
        }
    }
    assert_eq!(
        desk.run(&["man"]).exits(0).stdout,
        desk.read("pages/man1/slowpath.1")
    );
    let page = desk.read("pages/man1/slowpath-case-amend.1");
    insta::assert_snapshot!(
        "page_of_case_amend",
        page.replace(env!("CARGO_PKG_VERSION"), "VERSION")
    );
    desk.write("file", "");
    desk.run(&["man", "--to", "file/below"])
        .exits(2)
        .err("file/below")
        .err("--to");
}

#[test]
fn shells_take_the_completions() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = desk.run(&["completions", shell]);
        let script = &script
            .exits(0)
            .out("diagnose")
            .out("token-file")
            .out("amend")
            .stdout;
        assert!(!script.contains('\u{fffd}'), "{shell}");
        if let Some((ended_well, said)) = fed(shell, &["-n"], script) {
            assert!(ended_well && said.is_empty(), "{shell}: {said}");
        }
    }
    desk.run(&["completions", "tcsh"]).exits(2).err("bash, zsh, fish");
}

#[test]
fn bash_completes_commands_options_and_values() {
    let desk = Desk::new();
    let script = desk.run(&["completions", "bash"]).exits(0).stdout.clone();
    for (typed, wanted) in [
        (&["slowpath", "comp"][..], "completions"),
        (&["slowpath", "case", "am"], "amend"),
        (&["slowpath", "diagnose", "--tok"], "--token-file"),
        (&["slowpath", "config", "--color", "al"], "always"),
    ] {
        let last = typed.len() - 1;
        let ask = format!(
            "{script}\nCOMP_WORDS=({})\nCOMP_CWORD={last}\n_slowpath slowpath '{}' '{}'\necho \"${{COMPREPLY[*]}}\"\n",
            typed.join(" "),
            typed[last],
            typed[last - 1]
        );
        if let Some((_, said)) = fed("bash", &["--norc"], &ask) {
            assert_eq!(said.trim(), wanted, "{typed:?}");
        }
    }
}

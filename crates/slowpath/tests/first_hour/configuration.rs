//! The configuration file, as `slowpath config` tells of it.

use crate::common::Desk;
use net::far_end::new_token;
use nix::unistd::Uid;
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;

const CONFIG: (&str, &str) = ("SLOWPATH_CONFIG", "config.toml");

const FILE: &str = "\
# of the storage group
token-file = \"far.token\"
color = \"never\"

[host.\"dtn.example.org\"]
port = 5000
";

#[test]
fn each_setting_says_where_it_comes_from() {
    let desk = Desk::new();
    desk.write("config.toml", &FILE.replace("far.token", "/etc/far.token"));
    let all = desk.run_in(&[CONFIG], &["config"]).exits(0).stdout.clone();
    let own = desk.run_in(
        &[CONFIG, ("NO_COLOR", "1")],
        &["config", "dtn.example.org", "--port", "7"],
    );
    insta::assert_snapshot!(format!("{all}----\n{}", own.exits(0).stdout));
}

#[test]
fn the_file_that_help_shows_can_be_used() {
    let desk = Desk::new();
    let help = desk.run(&["config", "--help"]).exits(0).stdout.clone();
    let (_, rest) = help.split_once("It may hold:").unwrap();
    let (file, _) = rest.split_once("A relative path").unwrap();
    desk.write("config.toml", file);
    let environment = [CONFIG, ("HOME", "/home/me")];
    let run = desk.run_in(&environment, &["config", "dtn.example.org"]);
    run.exits(0).out("5000").out("/dtn.token");
    desk.run_in(&environment, &["config", "b"])
        .exits(0)
        .out("4820")
        .out("/home/me/far.token");
}

#[test]
fn the_command_line_goes_first_then_the_environment_then_the_host_then_the_rest() {
    let desk = Desk::new();
    desk.write(
        "config.toml",
        "port = 1001\ntoken-file = \"common\"\n[host.a]\nport = 1002\ntoken-file = \"own\"\n",
    );
    let origin = |environment: &[(&str, &str)], args: &[&str], setting: &str| {
        let environment = [&[CONFIG], environment].concat();
        let run = desk.run_in(&environment, &[&["config", "--json"], args].concat());
        let page: Value = serde_json::from_str(&run.exits(0).stdout).unwrap();
        let setting = page["settings"][setting].clone();
        let value = setting["value"]
            .as_str()
            .map(|path| path.rsplit('/').next().unwrap_or_default().to_owned());
        let value = value.map_or(setting["value"].clone(), Value::from);
        (value, setting)
    };
    let token = ("SLOWPATH_TOKEN_FILE", "of-env");
    for (environment, args, setting, value, place) in [
        (
            &[][..],
            &["a", "--port", "7"][..],
            "port",
            json!(7),
            ("option", "--port"),
        ),
        (&[], &["a"], "port", json!(1002), ("line", "4")),
        (&[], &["b"], "port", json!(1001), ("line", "1")),
        (
            &[token],
            &["a", "--token-file", "t"],
            "token-file",
            json!("t"),
            ("option", "--token-file"),
        ),
        (
            &[token],
            &["a"],
            "token-file",
            json!("of-env"),
            ("variable", "SLOWPATH_TOKEN_FILE"),
        ),
        (&[], &["a"], "token-file", json!("own"), ("line", "5")),
        (&[], &[], "token-file", json!("common"), ("line", "2")),
        (
            &[("NO_COLOR", "1")],
            &["--color", "always"],
            "color",
            json!("always"),
            ("option", "--color"),
        ),
        (
            &[("NO_COLOR", "1")],
            &[],
            "color",
            json!("never"),
            ("variable", "NO_COLOR"),
        ),
        (
            &[("TERM", "xterm")],
            &[],
            "color",
            json!("auto"),
            ("origin", "default"),
        ),
    ] {
        let (found, told) = origin(environment, args, setting);
        assert_eq!(found, value, "{args:?}: {told}");
        assert_eq!(
            told[place.0].to_string().trim_matches('"'),
            place.1,
            "{args:?}: {told}"
        );
    }
}

#[test]
fn without_a_file_everything_is_as_ever() {
    let desk = Desk::new();
    let home = desk.path("home").display().to_string();
    let nothing = [
        ("SLOWPATH_CONFIG", ""),
        ("XDG_CONFIG_HOME", ""),
        ("HOME", home.as_str()),
        ("TERM", "xterm"),
    ];
    let file = format!("{home}/.config/slowpath/config.toml");
    desk.run_in(&nothing, &["config"])
        .exits(0)
        .out(&format!("{file} (none found)"))
        .out("4820")
        .out("default");
    let path = desk.run_in(&nothing, &["config", "--path"]);
    assert_eq!(path.exits(0).stdout, format!("{file}\n"));
    let homeless = [("SLOWPATH_CONFIG", ""), ("XDG_CONFIG_HOME", ""), ("HOME", "")];
    desk.run_in(&homeless, &["config"]).exits(0).out("none");
    desk.run_in(&homeless, &["config", "--path"])
        .exits(2)
        .err("SLOWPATH_CONFIG");
}

#[test]
fn a_mistake_is_named_with_file_and_line_and_never_passed_over() {
    let desk = Desk::new();
    for (text, named) in [
        ("port = 4820\nprot = 1\n", "config.toml:2: unknown field `prot`"),
        ("port = \"4820\"\n", "config.toml:1: invalid type"),
        (
            "\n[host.a]\ncolor = \"never\"\n",
            "config.toml:3: unknown field `color`",
        ),
        ("color = \"green\"\n", "config.toml:1: unknown variant `green`"),
        ("port 4820\n", "config.toml:1: "),
    ] {
        desk.write("config.toml", text);
        for command in [
            &["config"][..],
            &["explain"],
            &["diagnose", "127.0.0.1"],
            &["lab", "list"],
        ] {
            let run = desk.run_in(&[CONFIG], command);
            run.exits(2).err(named).err("slowpath config --help");
            assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
        }
        // What helps to repair it, and what is made where nobody has settings.
        for command in [
            &["config", "--path"][..],
            &["config", "--help"],
            &["man"],
            &["completions", "bash"],
        ] {
            desk.run_in(&[CONFIG], command).exits(0);
        }
    }
    assert!(!desk.exists("127.0.0.1.case"));
    let absent = ("SLOWPATH_CONFIG", "absent.toml");
    desk.run_in(&[absent], &["explain"])
        .exits(2)
        .err("absent.toml")
        .err("/dev/null for none");
}

#[test]
fn what_lies_in_a_home_that_is_closed_to_us_is_not_our_configuration() {
    let desk = Desk::new();
    desk.write("home/.config/slowpath/config.toml", "port = 4820\n");
    let mode = |name: &str, bits| fs::set_permissions(desk.path(name), Permissions::from_mode(bits)).unwrap();
    let home = desk.path("home");
    let explain = || {
        let mut command = desk.command(&["explain"]);
        command
            .env_remove("SLOWPATH_CONFIG")
            .env_remove("XDG_CONFIG_HOME")
            .env("HOME", &home);
        if Uid::effective().is_root() {
            // Root may read everything.
            command.uid(54_321).gid(54_321);
        }
        command.output()
    };
    mode("", 0o755);
    mode("home", 0o000);
    let closed = explain();
    mode("home", 0o755);
    mode("home/.config/slowpath/config.toml", 0o000);
    let unreadable = explain();
    let (Ok(closed), Ok(unreadable)) = (closed, unreadable) else {
        println!("SKIPPED a home that is closed: others may not run the program");
        return;
    };
    assert_eq!(
        closed.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&closed.stderr)
    );
    let said = String::from_utf8_lossy(&unreadable.stderr);
    assert_eq!(unreadable.status.code(), Some(2), "{said}");
    assert!(
        said.contains("config.toml") && said.contains("make the file readable"),
        "{said}"
    );
}

#[test]
fn a_token_is_never_printed() {
    let desk = Desk::new();
    let token = new_token().unwrap();
    desk.write("far.token", &token);
    desk.write("config.toml", FILE);
    for command in [
        &["config"][..],
        &["config", "--json"],
        &["config", "dtn.example.org"],
    ] {
        let run = desk.run_in(&[CONFIG], command);
        run.exits(0).out("far.token");
        assert!(!run.stdout.contains(token.trim()), "{command:?}");
    }
    // Put into the wrong file, it is not repeated by the error either.
    desk.write("config.toml", &format!("token = \"{}\"\n", token.trim()));
    let run = desk.run_in(&[CONFIG], &["config"]);
    run.exits(2).err("unknown field `token`").not_err(token.trim());
}

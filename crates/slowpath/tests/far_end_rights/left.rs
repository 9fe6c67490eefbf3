//! What `serve --check` tells, however it was started.

use crate::server::{NOBODY, is_root};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A number as user or group: real, effective, saved, of files.
fn four(id: u32) -> Value {
    Value::from(vec![id; 4])
}

/// `serve --check --json` by way of `wrapper`, which ends with the program and its arguments.
fn check(wrapper: &[&str], more: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_slowpath");
    let line = [
        wrapper,
        &[program, "serve", "--check", "--listen", "127.0.0.1:0"],
        more,
    ]
    .concat();
    Command::new(line[0])
        .args(&line[1..])
        .env_remove("SLOWPATH_TOKEN_FILE")
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", line[0]))
}

#[track_caller]
fn told(output: &Output) -> Value {
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{}: {out}{err}", output.status);
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

/// What holds however it was started.
#[track_caller]
fn confined(told: &Value) {
    assert_eq!(told["capabilities"]["ambient"], json!([]), "{told}");
    assert_eq!(told["capabilities"]["inheritable"], json!([]), "{told}");
    assert_eq!(told["no_new_privs"], true, "{told}");
    assert_eq!(told["dumpable"], false, "{told}");
    assert_eq!(told["seccomp"]["mode"], 2, "{told}");
    // The runtime's threads are there, and are like the first.
    assert!(told["threads"].as_u64() >= Some(3), "{told}");
    assert_eq!(told["differing_threads"], json!([]), "{told}");
    let has_landlock = told["landlock"]["abi"].as_u64() >= Some(1);
    for tried in told["tried"].as_array().unwrap() {
        if tried["what"] == "list the directory /" && !has_landlock {
            println!("SKIPPED list the directory /: this kernel has no Landlock");
        } else {
            assert_eq!(tried["allowed"], "no", "{tried}");
        }
    }
    assert_eq!(told["tried"].as_array().unwrap().len(), 3, "{told}");
    assert_eq!(told["landlock"]["writes"], json!([]), "{told}");
}

#[test]
fn started_as_root_it_is_nobody_with_raw_sockets() {
    if !is_root() {
        println!("SKIPPED started_as_root_it_is_nobody_with_raw_sockets: not root");
        return;
    }
    let told = told(&check(&[], &["--json"]));
    confined(&told);
    assert_eq!(told["uid"], four(NOBODY), "{told}");
    assert_eq!(told["gid"], four(NOBODY), "{told}");
    assert_eq!(told["groups"], json!([]), "{told}");
    assert_eq!(
        told["capabilities"]["effective"],
        json!(["CAP_NET_RAW"]),
        "{told}"
    );
    assert_eq!(
        told["capabilities"]["permitted"],
        json!(["CAP_NET_RAW"]),
        "{told}"
    );
    assert_eq!(told["capabilities"]["bounding"], json!([]), "{told}");
    assert_eq!(told["raw_sockets"], true, "{told}");
    if told["landlock"]["abi"].as_u64() >= Some(6) {
        assert_eq!(told["not_applied"], json!([]), "{told}");
    }
    assert!(!told.to_string().contains("token"), "{told}");
}

#[test]
fn another_user_can_be_chosen_and_root_cannot() {
    let output = check(&[], &["--user", "root"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`root` is root"));
    let output = check(&[], &["--user", "no-such-user-here"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-user-here"));
    let output = check(&[], &["--user", "54321", "--json"]);
    if is_root() {
        assert_eq!(told(&output)["uid"], four(54_321));
        assert_eq!(told(&output)["gid"], four(54_321));
    } else {
        // What cannot be done is not passed over when it was asked for.
        assert_eq!(output.status.code(), Some(4));
        assert!(String::from_utf8_lossy(&output.stderr).contains("--user"));
    }
}

#[test]
fn started_by_a_user_it_stays_that_user_and_is_confined() {
    let wrapper: &[&str] = if is_root() {
        &["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"]
    } else {
        &[]
    };
    if is_root() && !has(&["setpriv", "--version"]) {
        println!("SKIPPED started_by_a_user_it_stays_that_user_and_is_confined: no setpriv");
        return;
    }
    let program = Path::new(env!("CARGO_BIN_EXE_slowpath"));
    if is_root() && !others_may_run(program) {
        println!(
            "SKIPPED started_by_a_user_it_stays_that_user_and_is_confined: others may not run the program"
        );
        return;
    }
    let told = told(&check(wrapper, &["--json"]));
    confined(&told);
    assert_eq!(told["capabilities"]["effective"], json!([]), "{told}");
    assert_eq!(told["capabilities"]["permitted"], json!([]), "{told}");
    if is_root() {
        assert_eq!(told["uid"], four(54_321), "{told}");
    }
    // An ordinary user cannot empty the bounding set, and is told so.
    let words = told["not_applied"].to_string();
    let bounding = told["capabilities"]["bounding"].as_array().unwrap();
    assert_eq!(bounding.is_empty(), !words.contains("bounding set"), "{told}");
}

#[test]
fn in_a_namespace_without_other_users_it_keeps_the_uid_and_says_so() {
    let wrapper = ["unshare", "--user", "--map-root-user"];
    if !has(&[&wrapper[..], &["true"]].concat()) {
        println!(
            "SKIPPED in_a_namespace_without_other_users_it_keeps_the_uid_and_says_so: no user namespaces"
        );
        return;
    }
    let told = told(&check(&wrapper, &["--json"]));
    confined(&told);
    assert_eq!(told["uid"], four(0), "{told}");
    assert_eq!(
        told["capabilities"]["effective"],
        json!(["CAP_NET_RAW"]),
        "{told}"
    );
    assert_eq!(told["capabilities"]["bounding"], json!([]), "{told}");
    let words = told["not_applied"].to_string();
    assert!(
        words.contains("uid 0 is kept") && words.contains("65534"),
        "{told}"
    );
    let page = check(&wrapper, &[]);
    let page = String::from_utf8_lossy(&page.stdout);
    assert!(page.contains("NOT GIVEN UP  uid 0 is kept"), "{page}");
}

#[test]
fn a_check_leaves_no_token_behind() {
    let directory = tempfile::tempdir().unwrap();
    let token = directory.path().join("token");
    let output = check(&[], &["--token-file", token.to_str().unwrap()]);
    let page = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && page.contains("no_new_privs  yes"),
        "{page}"
    );
    assert!(!token.exists(), "{page}");
}

fn has(line: &[&str]) -> bool {
    let mut command = Command::new(line[0]);
    command
        .args(&line[1..])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn others_may_run(program: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).map_or(0, |data| data.permissions().mode());
    program.ancestors().all(|path| mode(path) & 0o001 != 0)
}

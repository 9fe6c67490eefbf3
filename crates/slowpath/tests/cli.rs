//! The command line as a user meets it: bad input gets a clear error and a documented exit code.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use net::far_end::new_token;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use std::io::{BufRead, BufReader};
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

fn slowpath(args: &[&str], directory: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slowpath"));
    command
        .args(args)
        .current_dir(directory)
        .env_remove("SLOWPATH_TOKEN_FILE")
        .env("SLOWPATH_CONFIG", "/dev/null")
        .env("NO_COLOR", "1");
    command.output().expect("the program starts")
}

/// Runs, and checks the exit code and that the error names the cause.
#[track_caller]
fn refused(args: &[&str], directory: &Path, code: i32, named: &[&str]) {
    let output = slowpath(args, directory);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
    for text in named {
        assert!(stderr.contains(text), "{args:?} does not say `{text}`:\n{stderr}");
    }
    assert!(!stderr.contains("panicked"), "{stderr}");
}

/// `slowpath serve` on a free loopback port; killed when dropped.
struct Server {
    child: Child,
    port: String,
}

impl Server {
    fn start(token_file: &Path) -> Self {
        let port = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut child = Command::new(env!("CARGO_BIN_EXE_slowpath"))
            .args(["serve", "--listen", &format!("127.0.0.1:{port}"), "--token-file"])
            .arg(token_file)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let ready = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok);
        assert!(
            ready.into_iter().any(|line| line.starts_with("listening on ")),
            "the far end did not start"
        );
        Self {
            child,
            port: port.to_string(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn arguments_that_make_no_sense_are_usage_errors() {
    let here = tempfile::tempdir().unwrap();
    let cases: [(&[&str], &[&str]); 8] = [
        (&["serve", "--listen", "127.0.0.1:482"], &["482", "1024"]),
        (&["diagnose"], &["TO"]),
        (
            &["diagnose", "127.0.0.1", "--expect", "fast"],
            &["fast", "2Gbit/s"],
        ),
        (&["diagnose", "127.0.0.1", "-4", "-6"], &["cannot be used with"]),
        (&["throughput", "127.0.0.1", "--max-time", "0"], &["--max-time"]),
        (
            &["path", "127.0.0.1", "--source", "240.0.0.1"],
            &["240.0.0.1", "no address of this host"],
        ),
        (&["explain", "MTU-01"], &["MTU-001"]),
        (
            &["diagnose", "240.0.0.1", "--from", "240.0.0.2"],
            &["a far end is needed at both", "user@240.0.0.2"],
        ),
    ];
    for (args, named) in cases {
        refused(args, here.path(), 2, named);
    }
}

#[test]
fn urls_that_make_no_sense_are_usage_errors() {
    let here = tempfile::tempdir().unwrap();
    let url = "http://127.0.0.1:9/f";
    let cases: [(&[&str], &[&str]); 10] = [
        (&["throughput", "ftp://h/f"], &["ftp://h/f", "http and https"]),
        (&["throughput", "https://me:secret@h/f"], &["user or password"]),
        (&["throughput", url, "--bidir"], &["--bidir", "--upload"]),
        (&["throughput", url, "-u"], &["TCP"]),
        (&["throughput", url, "--port", "80"], &["--port"]),
        (&["throughput", url, "--upload", "-P", "2"], &["one stream"]),
        (&["throughput", "127.0.0.1", "--insecure"], &["URL"]),
        (
            &["throughput", "https://h/", "--ca-file", "missing"],
            &["missing"],
        ),
        (&["diagnose", url, "--from", "127.0.0.1"], &["--from"]),
        (&["diagnose", "here", "--from", url], &["in place of TO"]),
    ];
    for (args, named) in cases {
        refused(args, here.path(), 2, named);
    }
    // Nobody is there.
    refused(
        &["throughput", url],
        here.path(),
        4,
        &["no web server answers", "127.0.0.1:9"],
    );
}

#[test]
fn throughput_takes_what_fingers_type_for_iperf3() {
    let here = tempfile::tempdir().unwrap();
    let token = here.path().join("token");
    let server = Server::start(&token);
    let run = |options: &[&str]| {
        let ends = [
            "throughput",
            "127.0.0.1",
            "-p",
            &server.port,
            "--token-file",
            "token",
        ];
        let output = slowpath(&[&ends[..], options].concat(), here.path());
        let [out, err] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert_eq!(output.status.code(), Some(0), "{options:?}: {out}{err}");
        (out, err)
    };
    let (out, err) = run(&[
        "-n",
        "4M",
        "-M",
        "1400",
        "-w",
        "2M",
        "-P",
        "2",
        "-B",
        "127.0.0.1",
        "--bidir",
    ]);
    let words: Vec<&str> = out.split_whitespace().collect();
    assert_eq!(
        words.join(" ").matches("ended at the byte limit").count(),
        2,
        "{out}"
    );
    assert!(out.contains("2 streams") && out.contains("MSS 1400"), "{out}");
    assert_eq!(err, "");
    let (out, err) = run(&["-u", "-b", "8M", "-t", "0.9", "-i", "0.3"]);
    assert!(out.contains("Mbit/s sent"), "{out}");
    assert!(
        err.lines().count() >= 2 && err.lines().all(|line| line.contains("bit/s sent")),
        "{err}"
    );
    // The last half second of one and a half, at a rate that loopback holds with ease.
    let (out, err) = run(&["-b", "80M", "-t", "0.5", "-O", "1", "-Z", "-S", "0x28"]);
    assert!(out.contains("TCP with") && out.contains("0.0-0."), "{out}");
    assert!(!out.contains("1.0-"), "{out}");
    assert!(err.contains("first 1 s are left out"), "{err}");
    let (out, _) = run(&["-n", "1M", "-J", "--logfile", "log"]);
    assert_eq!(out, "");
    let log = std::fs::read_to_string(here.path().join("log")).unwrap();
    let observation: serde_json::Value = serde_json::from_str(&log).unwrap();
    assert!(
        observation["payload"].to_string().contains("bytes_received"),
        "{log}"
    );

    let ends = ["throughput", "127.0.0.1"];
    for (options, named) in [
        (&["-b", "fast"][..], &["fast"][..]),
        (&["--udp", "1M", "-b", "1M"], &["--bitrate"]),
        (&["-R", "--dscp", "ef"], &["--reverse"]),
        (&["-S", "300"], &["300", "255"]),
        (&["--dscp", "gold"], &["gold", "EF"]),
        (&["-P", "9", "--cport", "65530"], &["--cport"]),
        (&["-n", "5X"], &["5X", "K, M, G"]),
        (&["-w", "3G"], &["2 GB"]),
        (&["-B", "240.0.0.1"], &["240.0.0.1", "no address of this host"]),
        (&["-i", "0"], &["--interval"]),
        (&["--bidir", "-R"], &["cannot be used with"]),
        (&["--logfile", "missing/log"], &["missing/log"]),
    ] {
        refused(&[&ends[..], options].concat(), here.path(), 2, named);
    }
}

#[test]
fn hosts_that_cannot_be_tested_are_named() {
    let here = tempfile::tempdir().unwrap();
    refused(
        &["diagnose", "no-such-host.invalid"],
        here.path(),
        4,
        &["unknown host `no-such-host.invalid`"],
    );
    refused(
        &["path", "0.0.0.0"],
        here.path(),
        4,
        &["no address that can be tested"],
    );
    refused(&["path", "127.0.0.1", "-6"], here.path(), 4, &["no IPv6 address"]);
    assert_eq!(
        std::fs::read_dir(here.path()).unwrap().count(),
        0,
        "no case for a host that was never tested"
    );
}

#[test]
fn a_diagnosis_is_printed_in_the_form_that_is_asked_for() {
    let here = tempfile::tempdir().unwrap();
    let run = |form: &str| {
        let output = slowpath(
            &["diagnose", "127.0.0.1", "--max-time", "2", "-q", form],
            here.path(),
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let lines = run("--json-lines");
    let read = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let lines: Vec<_> = lines.lines().map(read).collect();
    let (verdict, observations) = lines.split_last().unwrap();
    assert!(verdict["rounds"][0]["summary"].is_string(), "{verdict}");
    assert!(!observations.is_empty());
    assert!(
        observations.iter().all(|line| line["payload"].is_object()),
        "{observations:?}"
    );
    let brief = run("--brief");
    assert!(brief.contains("NEXT") && !brief.contains("NOT TESTED"), "{brief}");
}

#[test]
fn tokens_are_checked() {
    let here = tempfile::tempdir().unwrap();
    let token = here.path().join("token");
    let server = Server::start(&token);
    let wrong = here.path().join("wrong");
    std::fs::write(&wrong, new_token().unwrap()).unwrap();
    std::fs::write(here.path().join("weak"), "aaaaaaaaaaaaaaaa\n").unwrap();
    // As words that go through a slow derivation.
    std::fs::write(
        here.path().join("words"),
        "orbit-velvet-cactus-61-lantern-quarry-mule\n",
    )
    .unwrap();
    mkfifo(&here.path().join("fifo"), Mode::S_IRWXU).unwrap();
    let port = server.port.as_str();
    let with = |file: &str| {
        let path = here.path().join(file).display().to_string();
        ["throughput", "127.0.0.1", "--port", port, "--token-file", &path].map(str::to_owned)
    };
    let strs = |args: &[String]| {
        args.iter()
            .map(String::as_str)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let run = |file: &str, code: i32, named: &[&str]| {
        let args = strs(&with(file));
        refused(
            &args.iter().map(String::as_str).collect::<Vec<_>>(),
            here.path(),
            code,
            named,
        );
    };
    run("wrong", 2, &["the token is wrong"]);
    run("words", 2, &["the token is wrong"]);
    run("weak", 2, &["could be guessed", "slowpath serve --token-file"]);
    run("fifo", 2, &["a FIFO", "regular file"]);
    run("absent", 2, &["absent"]);
    refused(
        &["throughput", "127.0.0.1", "--port", port],
        here.path(),
        4,
        &["--token-file"],
    );
}

#[test]
fn a_missing_far_end_is_named() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(here.path().join("token"), new_token().unwrap()).unwrap();
    refused(
        &["throughput", "127.0.0.1", "--port", "9", "--token-file", "token"],
        here.path(),
        4,
        &["slowpath serve"],
    );
}

#[test]
fn a_scenario_with_a_mistake_is_refused_with_its_line() {
    let here = tempfile::tempdir().unwrap();
    std::fs::write(
        here.path().join("broken.toml"),
        "title = \"x\"\ndescription = \"y\"\nnonsense = 3\n",
    )
    .unwrap();
    refused(
        &["lab", "run", "broken.toml"],
        here.path(),
        2,
        &["broken.toml", "line 3", "nonsense"],
    );
    refused(
        &["lab", "run", "no-such-scenario"],
        here.path(),
        2,
        &["no-such-scenario"],
    );
}

#[test]
fn a_directory_that_is_no_case_is_refused() {
    let here = tempfile::tempdir().unwrap();
    refused(&["case", "show", "."], here.path(), 2, &["case.json"]);
    std::fs::write(here.path().join("case.json"), "{\"schema\": 999}").unwrap();
    refused(&["case", "show", "."], here.path(), 2, &["999", "newer"]);
}

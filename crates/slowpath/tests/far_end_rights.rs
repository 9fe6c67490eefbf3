//! The far end as it runs: what is left of its rights, and that it measures all the same.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use evidence::{Ask, Node, Payload, ProbeProtocol, RateBps};
use net::Watch;
use net::far_end::{FarEnd, Side, connect};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

const NOBODY: u32 = 65_534;
/// The program's own traffic and nothing else; the token is of no account to anybody.
const TOKEN: &str = "a token of sixteen letters";
/// `CAP_NET_RAW` (linux/capability.h).
const RAW: u64 = 1 << 13;
/// `CAP_NET_ADMIN`.
const ADMIN: u64 = 1 << 12;

/// A number as user or group: real, effective, saved, of files.
fn four(id: u32) -> Value {
    Value::from(vec![id; 4])
}

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
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

/// `slowpath serve`, killed when dropped.
struct Server {
    process: Child,
    port: u16,
    directory: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let token = directory.path().join("token");
        fs::write(&token, TOKEN).unwrap();
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
        // Another address of this host, so that results tell the two ends.
        let mut process = Command::new(env!("CARGO_BIN_EXE_slowpath"))
            .args(["serve", "--json", "--listen", "127.0.0.2:0", "--token-file"])
            .arg(&token)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap();
        let address = ready["addresses"][0].as_str().unwrap();
        let port = address.rsplit(':').next().unwrap().parse().unwrap();
        Self {
            process,
            port,
            directory,
        }
    }

    async fn client(&self) -> FarEnd {
        let address = [127, 0, 0, 2].into();
        connect(address, self.port, TOKEN, None, &Watch::quiet())
            .await
            .unwrap()
    }

    /// A field of every thread's status, as the kernel shows it to others.
    fn of_all_threads(&self, field: &str) -> Vec<String> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process.id())).unwrap();
        tasks
            .map(|task| fs::read_to_string(task.unwrap().path().join("status")).unwrap())
            .map(|status| value(&status, field))
            .collect()
    }

    /// The program with the port and the token.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_slowpath"));
        let directory = self.directory.path();
        command
            .args(args)
            .args(["--port", &self.port.to_string(), "--token-file"])
            .arg(directory.join("token"))
            .current_dir(directory);
        command
    }
}

/// A field of a thread's status.
fn value(status: &str, field: &str) -> String {
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    line.unwrap_or("").trim_start_matches(':').trim().to_owned()
}

fn nodes(vantage: Side) -> (Node, Node) {
    let (here, there) = (Node::named("here"), Node::named("there"));
    match vantage {
        Side::Here => (here, there),
        Side::There => (there, here),
    }
}

async fn perform(far: &FarEnd, ask: &Ask, vantage: Side) -> Payload {
    let done = far.perform(ask, vantage, &Watch::quiet()).await;
    done.unwrap_or_else(|error| panic!("{ask:?}: {error}")).remove(0)
}

async fn transfers_both_ways(far: &FarEnd) {
    for sender in [Side::Here, Side::There] {
        let (from, to) = nodes(sender);
        let tcp = Ask::TcpThroughput {
            from: from.clone(),
            to: to.clone(),
            streams: 2,
            mss_bytes: None,
            socket_buffer_bytes: Some(1 << 20),
            congestion_control: Some("reno".to_owned()),
            max_time_ms: 300,
            max_bytes: None,
            watch_hops: false,
        };
        let udp = Ask::UdpStream {
            from,
            to,
            size_bytes: 1_400,
            rate_bps: RateBps(20e6),
            duration_ms: 300,
        };
        for ask in [tcp, udp] {
            match perform(far, &ask, sender).await {
                // A stream counts packets, a connection bytes.
                Payload::Transfer(transfer) => {
                    let arrived = transfer.packets_received.or(transfer.bytes_received);
                    assert!(arrived > Some(0), "{ask:?}: {arrived:?}");
                }
                other => panic!("{ask:?}: {other:?}"),
            }
        }
    }
}

/// Path probes from the far end: TCP ones exist as raw sockets only.
async fn probes_from_there(far: &FarEnd) {
    let mut protocols = vec![ProbeProtocol::Udp];
    if is_root() {
        protocols.extend([ProbeProtocol::Icmp, ProbeProtocol::TcpSyn]);
    } else {
        println!("SKIPPED raw probes from the far end: not root");
    }
    for protocol in protocols {
        let (from, to) = nodes(Side::There);
        let route = Ask::Route {
            from,
            to,
            protocol,
            flows: 1,
        };
        match perform(far, &route, Side::There).await {
            Payload::Trace(trace) => assert_eq!(trace.reached, Some(true), "{protocol:?}: {trace:?}"),
            other => panic!("{other:?}"),
        }
    }
}

/// Both ends are this host: the restricted one sees of it what this process sees.
async fn the_same_host_from_there(far: &FarEnd) {
    let there = perform(
        far,
        &Ask::HostFacts {
            at: nodes(Side::There).0,
        },
        Side::There,
    )
    .await;
    let Payload::HostFacts(there) = there else {
        panic!("{there:?}");
    };
    let here = net::host::facts([127, 0, 0, 2].into(), None).await.unwrap();
    assert_eq!(there.hostname, here.hostname);
    assert_eq!(there.kernel, here.kernel);
    assert_eq!(there.sysctls, here.sysctls);
    assert_eq!(there.congestion_control, here.congestion_control);
    assert!(there.counters.keys().eq(here.counters.keys()));
    let [there_by, here_by] = [&there.interface, &here.interface].map(|one| one.as_ref().unwrap());
    assert_eq!(there_by.name, here_by.name);
    assert_eq!(there_by.offloads, here_by.offloads);
    assert_eq!(there_by.driver, here_by.driver);
    assert!(there_by.counters.keys().eq(here_by.counters.keys()));
    let [there_cpu, here_cpu] = [&there.cpu, &here.cpu].map(|one| one.as_ref().unwrap());
    assert_eq!(
        (there_cpu.online, &there_cpu.model),
        (here_cpu.online, &here_cpu.model)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restricted_far_end_measures_as_before() {
    let server = Server::start();
    let far = server.client().await;
    transfers_both_ways(&far).await;
    probes_from_there(&far).await;
    the_same_host_from_there(&far).await;
    // Threads came and went meanwhile: those that are there now have what the first was left with.
    let all = |field: &str, wanted: &str| {
        let values = server.of_all_threads(field);
        assert!(values.len() >= 3, "{values:?}");
        assert!(values.iter().all(|value| value == wanted), "{field}: {values:?}");
    };
    all("NoNewPrivs", "1");
    all("Seccomp", "2");
    if is_root() {
        all("Uid", &[NOBODY; 4].map(|id| id.to_string()).join("\t"));
        all("Groups", "");
        all("CapBnd", "0000000000000000");
        all("CapEff", &format!("{RAW:016x}"));
        all("CapPrm", &format!("{RAW:016x}"));
    }
}

/// What the kernel shows of a client while it measures.
fn status_while_measuring(client: &mut Child) -> String {
    let path = format!("/proc/{}/status", client.id());
    loop {
        let status = fs::read_to_string(&path).unwrap();
        if value(&status, "Seccomp") == "2" {
            return status;
        }
        assert!(
            client.try_wait().unwrap().is_none(),
            "it ended unfiltered: {status}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn clients_measure_and_keep_a_case_with_few_rights() {
    let server = Server::start();
    let mut client = server
        .command(&["throughput", "127.0.0.2", "--max-time", "1"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let status = status_while_measuring(&mut client);
    assert!(client.wait().unwrap().success());
    assert_eq!(value(&status, "NoNewPrivs"), "1");
    if is_root() {
        assert_eq!(value(&status, "CapBnd"), "0000000000000000");
        assert_eq!(value(&status, "CapEff"), format!("{:016x}", RAW | ADMIN));
        assert_eq!(
            value(&status, "Uid").split('\t').next(),
            Some("0"),
            "a client stays the user's"
        );
    }

    let diagnose = [
        "diagnose",
        "127.0.0.2",
        "--max-time",
        "4",
        "--expect",
        "1Mbit/s",
        "--case",
        "a.case",
    ];
    for round in 1..=2 {
        let output = server.command(&diagnose).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{round}: {said}");
    }
    let case = server.directory.path().join("a.case");
    let observations = fs::read_to_string(case.join("observations.jsonl")).unwrap();
    for kind in ["host-facts", "trace", "transfer"] {
        assert!(
            observations.contains(&format!("\"type\":\"{kind}\"")),
            "no {kind} in {observations:.2000}"
        );
    }
    let verdict: Value = serde_json::from_slice(&fs::read(case.join("verdict.json")).unwrap()).unwrap();
    assert_eq!(verdict["rounds"].as_array().unwrap().len(), 2, "{verdict}");
    assert!(case.join("report.html").exists());
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

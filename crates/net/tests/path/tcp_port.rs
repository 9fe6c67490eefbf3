//! Loss in each direction with TCP servers that know nothing of it, behind a link of which one direction loses.

use crate::network::{address_of, links, measure, up};
use lab::Lab;
use net::tcp_port::{Direction, End, Outcome, Plan, Ports, Reverse, Session, run};
use net::{NetError, Watch};
use std::io::Read;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const PROBES: u32 = 1_000;
const MS: u64 = 1_000_000;

/// A program in `b`; ended when dropped.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs `command` in `b`, and waits until it listens.
fn listening(lab: &Lab, at: SocketAddr, mut command: Command) -> Program {
    let child = command.stdin(Stdio::null()).spawn().unwrap();
    let program = Program(child);
    let until = Instant::now() + Duration::from_secs(20);
    while lab.inside("b", || Ok(TcpStream::connect(at))).unwrap().is_err() {
        assert!(Instant::now() < until, "nobody listens at {at}");
        std::thread::sleep(Duration::from_millis(50));
    }
    program
}

/// `None`, loudly, where the program is not here.
fn found(program: &'static str) -> Option<&'static str> {
    let is_here = Path::new(program).exists();
    if !is_here {
        println!("SKIPPED: no {program} here");
    }
    is_here.then_some(program)
}

fn sshd(lab: &Lab, at: SocketAddr, directory: &Path) -> Option<Program> {
    let program = found("/usr/sbin/sshd")?;
    let key = directory.join("host").display().to_string();
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f", &key])
        .status();
    assert!(made.unwrap().success());
    std::fs::create_dir_all("/run/sshd").ok();
    let config = directory.join("sshd_config");
    let ip = match at.ip() {
        IpAddr::V6(v6) => format!("[{v6}]"),
        v4 => v4.to_string(),
    };
    let text = format!(
        "ListenAddress {ip}:{}\nHostKey {key}\nUsePAM no\nPidFile none\n",
        at.port()
    );
    std::fs::write(&config, text).unwrap();
    let mut command = lab.command("b", program).unwrap();
    command
        .args(["-D", "-f"])
        .arg(config)
        .arg("-E")
        .arg(directory.join("log"));
    Some(listening(lab, at, command))
}

fn nginx(lab: &Lab, at: SocketAddr, directory: &Path) -> Option<Program> {
    let program = found("/usr/sbin/nginx")?;
    let path = |name: &str| directory.join(name).display().to_string();
    let text = format!(
        "daemon off; master_process off; pid {}; error_log {};\nevents {{}}\nhttp {{ access_log {}; client_body_temp_path {}; \
         proxy_temp_path {}; fastcgi_temp_path {}; uwsgi_temp_path {}; scgi_temp_path {};\nserver {{ listen {at} deferred; }} }}\n",
        path("pid"),
        path("errors"),
        path("accesses"),
        path("t1"),
        path("t2"),
        path("t3"),
        path("t4"),
        path("t5"),
    );
    std::fs::write(path("nginx.conf"), text).unwrap();
    let mut command = lab.command("b", program).unwrap();
    command.args(["-c", &path("nginx.conf")]).stderr(Stdio::null());
    Some(listening(lab, at, command))
}

fn session(lab: &Lab, peer: SocketAddr, probes: u32, interval_ns: u64) -> Result<Session, NetError> {
    let plan = Plan {
        peer,
        source: None,
        handshakes: 3,
        probes,
        interval_ns,
    };
    measure(lab, "a", |watch: Watch| async move {
        let ports = Ports::open(&plan)?;
        run(plan, ports, &watch).await
    })
}

fn directions(outcome: &Outcome) -> (Direction, Direction) {
    let Reverse::Counted(reverse) = outcome.reverse else {
        panic!("{outcome:?}");
    };
    (outcome.forward.unwrap(), reverse)
}

/// What a link with these properties loses in each direction, with the server that `start` starts.
fn lost(
    properties: &str,
    v6: bool,
    start: fn(&Lab, SocketAddr, &Path) -> Option<Program>,
) -> Option<(Direction, Direction)> {
    let lab = up(&links(2, "", &[(2, properties)]));
    let peer = SocketAddr::new(address_of(&lab, "b", v6), 443);
    let directory = tempfile::tempdir().unwrap();
    let _server = start(&lab, peer, directory.path())?;
    let seen = session(&lab, peer, PROBES, 2 * MS).unwrap();
    let outcome = seen.loss.as_ref().unwrap();
    let (there, back) = directions(outcome);
    println!(
        "{properties}: {there:?} {back:?}, {:?}, {} at the end",
        seen.handshakes, outcome.lost_at_the_end
    );
    assert_eq!((outcome.end, outcome.connections), (Some(End::Done), 1));
    assert_eq!(there.sent + outcome.lost_at_the_end, u64::from(PROBES));
    assert!(outcome.rtt().unwrap().p50_ns.unwrap() > 9_500_000, "{outcome:?}");
    let mss = if v6 { 8_940 } else { 8_960 };
    assert_eq!(outcome.offer.unwrap().mss_bytes, Some(mss));
    assert!(seen.handshakes.answered == 3 && seen.handshakes.rtt().unwrap().min_ns.unwrap() > 9_500_000);
    assert_eq!(
        (seen.account.sack, seen.account.timestamps),
        (Some(true), Some(true))
    );
    // Nobody is left with a connection of ours.
    let until = Instant::now() + Duration::from_secs(20);
    while established(&lab) > 0 {
        assert!(Instant::now() < until, "connections are left at the server");
        std::thread::sleep(Duration::from_millis(50));
    }
    Some((there, back))
}

/// Connections that the kernel of `b` holds for established.
fn established(lab: &Lab) -> usize {
    let tables = ["/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"];
    let text = lab.inside("b", || {
        Ok(tables.map(|table| std::fs::read_to_string(table).unwrap_or_default()))
    });
    let is_established = |line: &&str| line.split_whitespace().nth(3) == Some("01");
    text.unwrap()
        .iter()
        .flat_map(|table| table.lines())
        .filter(is_established)
        .count()
}

pub(crate) fn loss_with_sshd_is_told_by_direction() {
    let Some((there, back)) = lost(
        "both = { delay = '5 ms' }\na_to_b = { loss = { every = 50 } }",
        false,
        sshd,
    ) else {
        return;
    };
    assert!(
        (18..=22).contains(&there.lost()) && back.lost() == 0,
        "{there:?} {back:?}"
    );
    let Some((there, back)) = lost(
        "both = { delay = '5 ms' }\nb_to_a = { loss = { every = 50 } }",
        true,
        sshd,
    ) else {
        return;
    };
    assert!(
        there.lost() == 0 && (18..=22).contains(&back.lost()),
        "{there:?} {back:?}"
    );
}

pub(crate) fn loss_with_nginx_is_told_by_direction() {
    let both = "both = { delay = '5 ms', loss = { every = 40 } }";
    let Some((there, back)) = lost(both, true, nginx) else {
        return;
    };
    assert!(
        (22..=28).contains(&there.lost()) && (22..=28).contains(&back.lost()),
        "{there:?} {back:?}"
    );
    let Some((there, back)) = lost("both = { delay = '5 ms' }", false, nginx) else {
        return;
    };
    assert_eq!((there.lost(), back.lost()), (0, 0));
    assert_eq!(
        (there.duplicates, there.reordered, back.duplicates, back.reordered),
        (0, 0, 0, 0)
    );
}

/// A server of the test's: what it does with each connection.
fn serve(lab: &Lab, at: SocketAddr, each: impl Fn(TcpStream) + Send + 'static) -> JoinHandle<()> {
    let listener = lab.inside("b", || Ok(TcpListener::bind(at).unwrap())).unwrap();
    std::thread::spawn(move || {
        // As many as the session opens: handshakes, and a few on raw sockets. Then the test ends.
        listener.incoming().for_each(|stream| stream.map_or((), &each));
    })
}

pub(crate) fn a_kernel_that_joins_acknowledgements_loses_none() {
    // A twentieth of 100 ms is longer than the pause between probes: Linux would join two and three.
    let lab = up(&links(1, "", &[(1, "both = { delay = '50 ms' }")]));
    for (name, value) in [
        ("tcp_comp_sack_delay_ns", "100000000"),
        ("tcp_comp_sack_nr", "255"),
    ] {
        let set = || std::fs::write(format!("/proc/sys/net/ipv4/{name}"), value);
        if let Err(error) = lab.inside("b", || Ok(set())).unwrap() {
            println!("SKIPPED: {name} cannot be set: {error}");
            return;
        }
    }
    let peer = SocketAddr::new(address_of(&lab, "b", false), 7);
    let (told, read) = std::sync::mpsc::channel();
    let _server = serve(&lab, peer, move |mut stream| {
        let told = told.clone();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes);
            let _ = told.send(bytes.len());
        });
    });
    let seen = session(&lab, peer, 500, 2 * MS).unwrap();
    let (there, back) = directions(seen.loss.as_ref().unwrap());
    assert_eq!((there.sent, there.lost(), back.lost()), (500, 0, 0), "{seen:?}");
    // Three handshakes, and the probes: the program gets not one byte.
    let bytes: Vec<usize> = (0..4)
        .map(|_| read.recv_timeout(Duration::from_secs(20)).unwrap())
        .collect();
    assert_eq!(bytes, [0; 4]);
}

pub(crate) fn a_server_that_ends_connections_is_counted_up_to_there() {
    let lab = up(&links(1, "", &[(1, "both = { delay = '5 ms' }")]));
    for (port, resets) in [(7_001, false), (7_002, true)] {
        let peer = SocketAddr::new(address_of(&lab, "b", false), port);
        let _server = serve(&lab, peer, move |stream| {
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs(1));
                let linger = resets.then_some(Duration::ZERO);
                socket2::SockRef::from(&stream).set_linger(linger).unwrap();
            });
        });
        let seen = session(&lab, peer, PROBES, 5 * MS).unwrap();
        let outcome = seen.loss.as_ref().unwrap();
        println!("{outcome:?}");
        let (there, back) = directions(outcome);
        assert_eq!((there.lost(), back.lost()), (0, 0));
        // The first connections of those that it may open; none of them lasts long enough.
        assert!(outcome.connections > 1 && there.sent < u64::from(PROBES));
        assert!(
            matches!(
                outcome.end,
                Some(
                    End::Closed
                        | End::Reset {
                            other_ttl: Some(false)
                        }
                )
            ),
            "{outcome:?}"
        );
    }
}

pub(crate) fn who_does_not_answer_or_refuses_is_told() {
    let lab = up(&links(2, "", &[(2, "a_to_b = { loss = { every = 1 } }")]));
    let closed = SocketAddr::new(address_of(&lab, "r1", false), 9);
    let refused = session(&lab, closed, 10, MS).unwrap_err().to_string();
    assert!(refused.contains("refuses"), "{refused}");
    let silent = SocketAddr::new(address_of(&lab, "b", false), 9);
    let silent = session(&lab, silent, 10, MS).unwrap_err().to_string();
    assert!(silent.contains("nothing answered"), "{silent}");
}

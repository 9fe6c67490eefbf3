//! Things to try: what must not work, and what must.

use evidence::{Ask, Node, Payload, ProbeProtocol};
use net::path::PathTarget;
use net::{LocalVantage, Watch, perform_local};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files that everybody may read and write, were it not for Landlock, and a port that somebody listens on.
pub(crate) struct Desk {
    pub(crate) case: PathBuf,
    pub(crate) token: PathBuf,
    outside: PathBuf,
    port: u16,
    /// Removed when the process that made it is through.
    _directory: Option<tempfile::TempDir>,
}

impl Desk {
    pub(crate) fn new() -> (Self, TcpListener) {
        let directory = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let [case, outside] = ["case", "outside"].map(|name| directory.path().join(name));
        for path in [&case, &outside] {
            fs::create_dir(path).unwrap();
            fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
        }
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).unwrap();
        for name in ["file", "token"] {
            fs::write(outside.join(name), "of somebody").unwrap();
            fs::set_permissions(outside.join(name), Permissions::from_mode(0o666)).unwrap();
        }
        let port = listener.local_addr().unwrap().port();
        let desk = Self {
            case,
            token: outside.join("token"),
            outside,
            port,
            _directory: Some(directory),
        };
        (desk, listener)
    }

    pub(crate) fn to_text(&self) -> String {
        format!(
            "{}\n{}\n{}",
            self.case.display(),
            self.outside.display(),
            self.port
        )
    }

    pub(crate) fn from_text(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        Self {
            case: lines[0].into(),
            token: Path::new(lines[1]).join("token"),
            outside: lines[1].into(),
            port: lines[2].parse().unwrap(),
            _directory: None,
        }
    }
}

/// What only the filter of system calls refuses.
pub(crate) const SYSTEM_CALLS: &[&str] = &[
    "start a program",
    "execve",
    "ptrace",
    "mount",
    "umount2",
    "chroot",
    "pivot_root",
    "init_module",
    "finit_module",
    "delete_module",
    "bpf",
    "keyctl",
    "add_key",
    "request_key",
    "kexec_load",
    "reboot",
    "unshare",
    "setns",
    "setuid",
    "setresuid",
    "setresgid",
    "setgroups",
    "capset",
    "process_vm_readv",
    "process_vm_writev",
    "userfaultfd",
    "io_uring_setup",
    "perf_event_open",
    "open_by_handle_at",
    "memfd_create",
    "pidfd_open",
    "personality",
    "sethostname",
    "settimeofday",
    "swapon",
    "seccomp",
    "landlock_create_ruleset",
    "become dumpable",
    "signal the parent",
    "signal a thread of the parent",
    "raise a limit",
    "run what was written",
    "write what can run",
    "attach a filter to a socket",
    "type on a terminal",
    "see everybody's packets",
    "use the kernel's ciphers",
    "load a protocol",
    "talk to the firewall",
    "clone3",
    "openat2",
    "a call of the future",
];

/// What is not measuring's business.
pub(crate) const READS: &[&str] = &[
    "list the root directory",
    "read a file of the user",
    "read /etc/passwd",
];

/// What changes files.
pub(crate) const WRITES: &[&str] = &[
    "write a file",
    "make a file",
    "write into the case",
    "remove a file",
];

/// What a server and a client do.
pub(crate) const WORK: &[&str] = &[
    "start a thread",
    "exchange datagrams",
    "read a setting",
    "read a counter",
    "find localhost",
    "accept no connection",
    "read the host's facts",
    "trace with UDP",
    "trace with raw ICMP",
    "trace with raw TCP",
];

/// What root can do on every machine: if it is refused to everybody, the test is at fault.
pub(crate) const ALWAYS_FREE: &[&str] = &[
    "start a program",
    "execve",
    "ptrace",
    "mount",
    "unshare",
    "setns",
    "setuid",
    "process_vm_readv",
    "become dumpable",
    "signal the parent",
    "run what was written",
    "see everybody's packets",
    "list the root directory",
    "read a file of the user",
    "read /etc/passwd",
    "read the token",
    "connect to a port of this host",
    "write a file",
    "make a file",
];

/// Refused in a way that makes a libc take an older call. The last is unknown to everybody.
pub(crate) fn is_said_not_to_exist(name: &str) -> bool {
    ["clone3", "openat2", "a call of the future"].contains(&name)
}

pub(crate) fn needs_root(name: &str) -> bool {
    name.starts_with("trace with raw")
}

/// The Landlock that refuses it, where the filter of system calls does not.
pub(crate) fn landlock_since(name: &str) -> Option<i32> {
    match name {
        "list the root directory" | "read a file of the user" | "read /etc/passwd" | "read the token" => {
            Some(1)
        }
        "connect to a port of this host" => Some(4),
        _ => None,
    }
}

/// Tries everything.
pub(crate) fn all(desk: &Desk) -> Vec<(&'static str, io::Result<()>)> {
    let mut tried = files(desk);
    tried.extend(work());
    tried.extend(crate::calls::all());
    tried
}

fn files(desk: &Desk) -> Vec<(&'static str, io::Result<()>)> {
    let [file, made] = ["file", "made"].map(|name| desk.outside.join(name));
    let into_case = || {
        let [new, old] = ["new", "old"].map(|name| desk.case.join(name));
        fs::write(&new, "evidence")?;
        File::open(&new)?.sync_all()?;
        fs::rename(&new, &old)?;
        fs::remove_file(old)
    };
    let removable = desk.case.join("removable");
    let _ = File::create(&removable);
    vec![
        ("list the root directory", fs::read_dir("/").map(drop)),
        ("read a file of the user", File::open(&file).map(drop)),
        ("read /etc/passwd", File::open("/etc/passwd").map(drop)),
        ("read the token", File::open(&desk.token).map(drop)),
        (
            "write a file",
            OpenOptions::new().append(true).open(&file).map(drop),
        ),
        ("make a file", File::create(made).map(drop)),
        ("write into the case", into_case()),
        ("remove a file", fs::remove_file(removable)),
        ("start a program", Command::new("/bin/true").status().map(drop)),
        (
            "connect to a port of this host",
            TcpStream::connect(("127.0.0.1", desk.port)).map(drop),
        ),
    ]
}

fn work() -> Vec<(&'static str, io::Result<()>)> {
    let datagrams = || {
        let [a, b] = [UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?];
        a.send_to(b"there", b.local_addr()?)?;
        let (_, from) = b.recv_from(&mut [0; 8])?;
        b.send_to(b"back", from)?;
        a.recv_from(&mut [0; 8]).map(drop)
    };
    let listen = || {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        match listener.accept() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            other => other.map(drop),
        }
    };
    let thread = std::thread::Builder::new().spawn(|| 1);
    let setting = fs::read_to_string("/proc/sys/net/ipv4/tcp_rmem");
    let facts = measure(&Ask::HostFacts {
        at: Node::named("here"),
    });
    let facts =
        facts.map(|payload| matches!(payload, Payload::HostFacts(facts) if facts.interface.is_some()));
    vec![
        ("start a thread", thread.map(|thread| drop(thread.join()))),
        ("exchange datagrams", datagrams()),
        ("read a setting", setting.map(drop)),
        (
            "read a counter",
            fs::read_to_string("/proc/thread-self/net/snmp").map(drop),
        ),
        ("find localhost", ("localhost", 0).to_socket_addrs().map(drop)),
        ("accept no connection", listen()),
        ("read the host's facts", done(facts)),
        ("trace with UDP", trace(ProbeProtocol::Udp)),
        ("trace with raw ICMP", trace(ProbeProtocol::Icmp)),
        ("trace with raw TCP", trace(ProbeProtocol::TcpSyn)),
    ]
}

/// An answer of the destination, or an error.
fn trace(protocol: ProbeProtocol) -> io::Result<()> {
    let (from, to) = (Node::named("here"), Node::named("there"));
    let payload = measure(&Ask::Route {
        from,
        to,
        protocol,
        flows: 1,
    });
    done(payload.map(|payload| matches!(payload, Payload::Trace(trace) if trace.reached == Some(true))))
}

/// As the far end measures: on a runtime of several threads.
fn measure(ask: &Ask) -> io::Result<Payload> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let mut vantage = LocalVantage {
        target: PathTarget {
            destination: [127, 0, 0, 1].into(),
            source: None,
            reflector: None,
        },
        known_route: None,
    };
    let done = runtime.block_on(perform_local(ask, &mut vantage, &Watch::quiet()));
    done.map_err(|error| io::Error::other(error.to_string()))
}

fn done(found: io::Result<bool>) -> io::Result<()> {
    match found {
        Ok(true) => Ok(()),
        Ok(false) => Err(io::Error::other("nothing was found")),
        Err(error) => {
            eprintln!("{error}");
            Err(error)
        }
    }
}

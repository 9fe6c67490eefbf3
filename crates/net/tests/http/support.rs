//! Servers of tests, and asks to them.

use evidence::{Ask, Node, Payload, Transfer};
use net::far_end::Side;
use net::http::{Http, Trust, Wishes};
use net::{NetError, Watch};
use probe::http::Target;
use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

pub(crate) fn wishes() -> Wishes {
    Wishes {
        uploads: false,
        http1_only: false,
        source: None,
        admits: |_| true,
        is_evidence: false,
    }
}

pub(crate) fn ask(streams: u16, time_ms: u32, max_bytes: Option<u64>) -> Ask {
    Ask::TcpThroughput {
        from: Node::named("a"),
        to: Node::named("b"),
        streams,
        mss_bytes: None,
        socket_buffer_bytes: None,
        congestion_control: None,
        max_time_ms: time_ms,
        max_bytes,
        watch_hops: false,
    }
}

pub(crate) fn http(url: &str, trust: Trust, wishes: Wishes) -> Arc<Http> {
    let target = Target::parse(url).unwrap();
    let address = target.address().unwrap_or(HERE);
    Arc::new(Http::new(target, (address, None), trust, wishes))
}

/// A download of `url` that trusts nobody in particular.
pub(crate) async fn download(url: &str, ask: &Ask) -> Result<Transfer, NetError> {
    perform(&http(url, Trust::unchecked(), wishes()), ask, Side::There).await
}

pub(crate) async fn perform(http: &Arc<Http>, ask: &Ask, sender: Side) -> Result<Transfer, NetError> {
    perform_watched(http, ask, sender, &Watch::quiet()).await
}

pub(crate) async fn perform_watched(
    http: &Arc<Http>,
    ask: &Ask,
    sender: Side,
    watch: &Watch,
) -> Result<Transfer, NetError> {
    match http.perform(ask, sender, watch).await?.payload {
        Payload::Transfer(transfer) => Ok(*transfer),
        other => panic!("a transfer was expected: {other:?}"),
    }
}

/// Length of the file `big`: sparse, so that it takes no room.
pub(crate) const BIG_BYTES: u64 = 64 << 30;
/// Length of the file `small`.
pub(crate) const SMALL_BYTES: u64 = 3_000_000;

/// A running nginx, in a directory of its own.
pub(crate) struct Nginx {
    child: Child,
    directory: tempfile::TempDir,
    pub(crate) plain: u16,
    pub(crate) secure: u16,
}

impl Nginx {
    /// `None`, loudly, where it is missing.
    pub(crate) fn start(test: &str) -> Option<Self> {
        let Some(program) = program() else {
            println!("SKIPPED {test}: nginx is not installed");
            return None;
        };
        let directory = tempfile::tempdir().unwrap();
        let (plain, secure) = (free_port(), free_port());
        let at = |name: &str| directory.path().join(name);
        let files = at("files");
        std::fs::create_dir_all(files.join("put")).unwrap();
        std::fs::File::create(files.join("big"))
            .unwrap()
            .set_len(BIG_BYTES)
            .unwrap();
        std::fs::write(files.join("small"), vec![7; SMALL_BYTES as usize]).unwrap();
        std::fs::write(files.join("empty"), b"").unwrap();
        certificate(directory.path());
        std::fs::write(at("nginx.conf"), config(directory.path(), plain, secure)).unwrap();
        let child = Command::new(program)
            .arg("-c")
            .arg(at("nginx.conf"))
            .arg("-e")
            .arg(at("error.log"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let nginx = Self {
            child,
            directory,
            plain,
            secure,
        };
        for _ in 0..200 {
            if TcpStream::connect((HERE, secure)).is_ok() && TcpStream::connect((HERE, plain)).is_ok() {
                return Some(nginx);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!(
            "nginx does not listen: {:?}",
            std::fs::read_to_string(nginx.path("error.log"))
        );
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// `http://127.0.0.1:PORT/name`
    pub(crate) fn url(&self, name: &str) -> String {
        format!("http://{HERE}:{}/{name}", self.plain)
    }

    /// The same over TLS, by the name that the certificate holds.
    pub(crate) fn tls_url(&self, name: &str) -> String {
        format!("https://localhost:{}/{name}", self.secure)
    }

    /// Whoever believes the test's own certificate.
    pub(crate) fn trust(&self) -> Trust {
        Trust::of_file(&self.path("cert.pem")).unwrap()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // In order, so that the master takes its workers along.
        let pid = nix::unistd::Pid::from_raw(self.child.id() as i32);
        let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM);
        let _ = self.child.wait();
    }
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = ["/usr/sbin", "/usr/local/sbin", "/sbin"].map(PathBuf::from);
    let all = std::env::split_paths(&path).chain(usual);
    all.map(|directory| directory.join("nginx"))
        .find(|path| path.exists())
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind((HERE, 0)).unwrap().local_addr().unwrap().port()
}

fn certificate(directory: &Path) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), HERE.to_string()]).unwrap();
    std::fs::write(directory.join("cert.pem"), made.cert.pem()).unwrap();
    std::fs::write(directory.join("key.pem"), made.signing_key.serialize_pem()).unwrap();
}

fn config(directory: &Path, plain: u16, secure: u16) -> String {
    let dir = directory.display();
    let mut text = format!(
        "user root; daemon off; pid {dir}/pid; worker_processes 1;\n\
         events {{ worker_connections 256; }}\n\
         http {{\n access_log off; default_type application/octet-stream; sendfile on;\n"
    );
    for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
        let _ = writeln!(text, " {name}_temp_path {dir}/{name};");
    }
    let _ = write!(
        text,
        " server {{\n\
           listen 127.0.0.1:{plain}; listen 127.0.0.1:{secure} ssl http2;\n\
           ssl_certificate {dir}/cert.pem; ssl_certificate_key {dir}/key.pem;\n\
           root {dir}/files; client_max_body_size 0;\n\
           location /put/ {{ dav_methods PUT; }}\n\
           location /little/ {{ dav_methods PUT; client_max_body_size 1m; }}\n\
           location /slow/ {{ alias {dir}/files/; limit_rate 2m; }}\n\
           location /whole/ {{ alias {dir}/files/; max_ranges 0; }}\n\
           location = /moved {{ return 302 /small; }}\n\
           location = /secure {{ return 301 https://localhost:{secure}/small; }}\n\
           location = /plain {{ return 301 http://localhost:{plain}/small; }}\n\
           location = /circle {{ return 302 /circle; }}\n\
           location = /fails {{ return 503; }}\n\
         }}\n}}\n"
    );
    text
}

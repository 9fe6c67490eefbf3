//! A far end that is started through ssh, and ends with us.
//!
//! The user's own ssh logs in, with its keys, agent, jump hosts and configuration, and runs a small script ([`SCRIPT`]) in `sh`. That
//! runs the `slowpath` which is installed there if it has our version, else a copy of ours that has no name in any directory by
//! the time it has content. The token of the far end is made here for this one time and goes through ssh's standard input, never
//! onto a command line. The far end serves for as long as it hears us there: it ends when ssh does, for whatever reason.
//!
//! All of this happens before rights are given up: afterwards nothing can be started.

mod login;
mod program;
mod said;

pub(crate) use login::Login;

use crate::resolve::{self, FamilyArgs, ResolveError};
use crate::serve_cmd::DIAL;
use crate::terminal;
use crate::vantages::TOOL;
use net::NetError;
use net::far_end::{Token, new_token};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use program::Program;
use said::{Greeting, Said};
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What runs at the other host.
const SCRIPT: &str = include_str!("script.sh");
/// A far end that hears nothing for 60 seconds ends: often enough that some of these may be late.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// How long the far end may take to be gone when we are done: longer than a session there needs to notice.
const FAREWELL: Duration = Duration::from_secs(3);
/// While a copy is sent, how often that is told.
const PROGRESS: Duration = Duration::from_secs(5);
/// Bytes of a copy between two looks at the clock.
const PIECE_BYTES: usize = 256 << 10;

/// How to use ssh.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SshArgs {
    /// Start the far end through ssh; `user@host` and `ssh://user@host:port` mean that by themselves
    #[arg(long)]
    ssh: bool,
    /// The ssh program with its options, separated by blanks
    #[arg(long, value_name = "COMMAND", env = "SLOWPATH_SSH", default_value = "ssh")]
    ssh_command: String,
    /// The program to copy to a host where slowpath is not installed, for one of another kind [default: this one]
    #[arg(long, value_name = "FILE")]
    ssh_copy: Option<PathBuf>,
}

/// Why there is no far end through ssh.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SshError {
    #[error("cannot run `{command}` ({source}): install ssh, or name it with --ssh-command")]
    NotStarted { command: String, source: io::Error },
    #[error(
        "ssh to {target} ended before the far end was ready; its own message stands above. Try `{command} {target} true`"
    )]
    Ended { target: String, command: String },
    #[error("{target} runs {system}: a far end needs Linux")]
    OtherSystem { target: String, system: String },
    #[error(
        "{target} is {there}, and this program is for {here}: install slowpath there, or give a program of its kind with \
         --ssh-copy"
    )]
    OtherMachine {
        target: String,
        there: String,
        here: String,
    },
    #[error(
        "{target}: {why}. Install slowpath there, or give a program that runs there (linked statically) with --ssh-copy"
    )]
    NotRun { target: String, why: String },
    #[error("cannot read {path} to copy it ({source})")]
    NotRead { path: PathBuf, source: io::Error },
    #[error("the copy to {target} broke off ({source}); ssh's own message stands above")]
    NotCopied { target: String, source: io::Error },
    #[error(transparent)]
    Token(#[from] NetError),
}

impl SshArgs {
    /// The login that a host on the command line is, if it is one.
    pub(crate) fn login(&self, host: &str) -> Option<Login> {
        Login::named(host, self.ssh)
    }

    fn command(&self) -> Command {
        let mut words = self.ssh_command.split_ascii_whitespace();
        let mut command = Command::new(words.next().unwrap_or("ssh"));
        command.args(words);
        command
    }

    /// What ssh's configuration makes of the host's name, if it tells.
    fn host_name(&self, login: &Login) -> Option<String> {
        let mut asked = self.command();
        asked
            .args(["-G", "--", &login.target])
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        let output = asked.output().ok().filter(|output| output.status.success())?;
        let text = String::from_utf8(output.stdout).ok()?;
        text.lines()
            .find_map(|line| line.strip_prefix("hostname ").map(str::to_owned))
    }

    /// Starts the far end, which is there when this returns: at `port`, or a free one. One that `meets_others` may exchange probes
    /// with other far ends: nobody but us has its token, and we know with whom.
    ///
    /// # Errors
    /// ssh does not come through, or nothing of ours runs there.
    pub(crate) fn start(&self, login: Login, port: u16, meets_others: bool) -> Result<Session, SshError> {
        let name = self.host_name(&login).unwrap_or_else(|| login.host.clone());
        let mut talk = Talk::open(self, &login)?;
        let greeting = talk.greeting()?;
        if greeting.installed == TOOL {
            talk.say("installed 0\n")?;
        } else {
            talk.copy(self, &greeting)?;
        }
        let token = new_token()?;
        let peers = if meets_others { " any" } else { "" };
        talk.say(&format!("{token} {port}{peers}\n"))?;
        let ports = talk.ports()?;
        let Talk { input, said, .. } = talk;
        Ok(Session {
            login,
            name,
            server: greeting.server,
            ports,
            token: Token::read(&token)?,
            line: Line {
                input: Arc::new(Mutex::new(Some(input))),
                output: said,
            },
        })
    }
}

/// What is said to the script and heard of it, until the far end serves.
struct Talk<'a> {
    target: &'a str,
    command: &'a str,
    input: ChildStdin,
    said: Said<ChildStdout>,
}

impl<'a> Talk<'a> {
    fn open(args: &'a SshArgs, login: &'a Login) -> Result<Self, SshError> {
        let not_started = |source| SshError::NotStarted {
            command: args.ssh_command.clone(),
            source,
        };
        let mut command = args.command();
        // Without a terminal there: bytes go through as they are, and the far end's end is seen.
        command.args([
            "-T",
            "-o",
            "ServerAliveInterval=15",
            "--",
            &login.target,
            "exec sh -s",
        ]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(not_started)?;
        let piped = child.stdin.take().zip(child.stdout.take());
        let (input, output) =
            piped.ok_or_else(|| not_started(io::Error::other("it has no standard input and output")))?;
        let mut talk = Self {
            target: &login.target,
            command: &args.ssh_command,
            input,
            said: Said::of(output),
        };
        talk.say(SCRIPT)?;
        Ok(talk)
    }

    fn ended(&self) -> SshError {
        SshError::Ended {
            target: self.target.to_owned(),
            command: self.command.to_owned(),
        }
    }

    fn say(&mut self, text: &str) -> Result<(), SshError> {
        let said = self.input.write_all(text.as_bytes());
        said.map_err(|_| self.ended())
    }

    fn greeting(&mut self) -> Result<Greeting, SshError> {
        let greeting = self.said.greeting().ok_or_else(|| self.ended())?;
        if greeting.system != "Linux" {
            return Err(SshError::OtherSystem {
                target: self.target.to_owned(),
                system: greeting.system,
            });
        }
        Ok(greeting)
    }

    /// Sends the program, and waits until it runs there.
    fn copy(&mut self, args: &SshArgs, greeting: &Greeting) -> Result<(), SshError> {
        let path = args
            .ssh_copy
            .clone()
            .unwrap_or_else(|| PathBuf::from("/proc/self/exe"));
        let program = Program::read(&path).map_err(|source| SshError::NotRead { path, source })?;
        if let Some(here) = program.machine.filter(|here| *here != greeting.machine) {
            return Err(SshError::OtherMachine {
                target: self.target.to_owned(),
                there: greeting.machine.clone(),
                here: here.to_owned(),
            });
        }
        terminal::note(&format!(
            "ssh {}: slowpath {} is not installed there; a copy runs for this time ({})",
            self.target,
            env!("CARGO_PKG_VERSION"),
            words::bytes(program.bytes.len() as u64)
        ));
        self.say(&format!("copied {}\n", program.bytes.len()))?;
        let sent = send(&mut self.input, &program.bytes);
        // Where the script gave up, it said why, and that tells more than a broken pipe.
        match (self.said.copied(), sent) {
            (Some(Err(why)), _) => Err(SshError::NotRun {
                target: self.target.to_owned(),
                why,
            }),
            (_, Err(source)) => Err(SshError::NotCopied {
                target: self.target.to_owned(),
                source,
            }),
            (Some(Ok(())), Ok(())) => Ok(()),
            (None, Ok(())) => Err(self.ended()),
        }
    }

    fn ports(&mut self) -> Result<said::Ports, SshError> {
        self.said.ports().ok_or_else(|| self.ended())
    }
}

fn send(input: &mut ChildStdin, bytes: &[u8]) -> io::Result<()> {
    let mut told = Instant::now();
    let mut sent = 0;
    for piece in bytes.chunks(PIECE_BYTES) {
        input.write_all(piece)?;
        sent += piece.len();
        if told.elapsed() >= PROGRESS {
            told = Instant::now();
            let all = words::bytes(bytes.len() as u64);
            terminal::note(&format!("copied {} of {all}", words::bytes(sent as u64)));
        }
    }
    input.flush()
}

/// A far end that runs for us, and ends when this is dropped.
pub(crate) struct Session {
    login: Login,
    /// The host's name as ssh's configuration has it.
    name: String,
    /// The address under which that host was reached by ssh's last step.
    server: Option<IpAddr>,
    ports: said::Ports,
    token: Token,
    line: Line,
}

impl Session {
    /// The host as the user named it.
    pub(crate) fn host(&self) -> &str {
        &self.login.host
    }

    /// The address to test: that of the host's name; where only a jump host knows the name, the one that ssh came in at.
    ///
    /// # Errors
    /// There is none of the wanted family.
    pub(crate) fn address(&self, family: FamilyArgs) -> Result<IpAddr, ResolveError> {
        resolve::host(&self.name, family).or_else(|error| {
            let admitted = self.server.filter(|server| family.admits(*server));
            admitted.ok_or(error)
        })
    }

    pub(crate) fn token(&self) -> &Token {
        &self.token
    }

    /// From now on the far end stays until this is dropped. It starts a thread: after rights were given up, and within
    /// a minute.
    pub(crate) fn keep_alive(&self) {
        self.line.keep_alive();
    }

    /// Tells the far end to connect to this host at `client`, and whether that was heard.
    pub(crate) fn has_it_dial(&self, client: SocketAddr) -> bool {
        self.line.say(&format!("{DIAL}{client}\n"))
    }

    /// The port of the far end for this address.
    pub(crate) fn port(&self, address: IpAddr) -> u16 {
        let port = match address {
            IpAddr::V4(_) => self.ports.v4,
            IpAddr::V6(_) => self.ports.v6,
        };
        port.or(self.ports.v4).unwrap_or(net::far_end::DEFAULT_PORT)
    }
}

/// What a far end hears: it serves for as long as that goes on.
struct Line {
    /// Empty when we are done.
    input: Arc<Mutex<Option<ChildStdin>>>,
    output: Said<ChildStdout>,
}

impl Line {
    fn say(&self, text: &str) -> bool {
        say(&self.input, text)
    }

    /// Speaks from time to time, from a thread of its own.
    fn keep_alive(&self) {
        let input = Arc::downgrade(&self.input);
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(HEARTBEAT);
                let Some(input) = input.upgrade() else { return };
                if !say(&input, "\n") {
                    return;
                }
            }
        });
    }
}

fn say(input: &Mutex<Option<ChildStdin>>, text: &str) -> bool {
    let mut input = input.lock().unwrap_or_else(PoisonError::into_inner);
    let spoken = input.as_mut().map(|input| input.write_all(text.as_bytes()));
    matches!(spoken, Some(Ok(())))
}

impl Drop for Line {
    /// Hangs up, and waits until ssh ends: then the far end is gone. ssh itself cannot be waited for without rights.
    fn drop(&mut self) {
        *self.input.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let until = Instant::now() + FAREWELL;
        let output = self.output.source();
        let mut rest = [0; 512];
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::ZERO);
            let mut polled = [PollFd::new(output.as_fd(), PollFlags::POLLIN)];
            let is_ready = matches!(poll(&mut polled, timeout), Ok(ready) if ready > 0);
            if !is_ready || !matches!(output.read(&mut rest), Ok(count) if count > 0) {
                return;
            }
        }
    }
}

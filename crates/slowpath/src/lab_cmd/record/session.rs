//! Carries a plan out: starts commands in the lab's nodes, writes what they print, and ends what does not end.

use lab::Lab;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::manifest::{RecordedFile, seconds_since_1970};
use super::plan::{Job, Plan, Step};
use crate::lab_cmd::failure::Failure;
use crate::lab_cmd::interrupts::Interrupts;
use crate::terminal;

/// How often children are looked at.
const GLANCE: Duration = Duration::from_millis(20);
/// How long a server may take to listen.
const LISTEN_PATIENCE: Duration = Duration::from_secs(10);
/// How long a server may take to end once its client did, and any tool after Ctrl-C.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// TCP's state LISTEN in /proc/net/tcp (include/net/tcp_states.h).
const LISTENS: &str = "0A";

/// A recording under way.
pub(super) struct Session<'a> {
    lab: &'a Lab,
    out: &'a Path,
    interrupts: &'a Interrupts,
    files: Vec<RecordedFile>,
    number: usize,
}

/// A command that was started. Dropping it ends it.
struct Running {
    process: Child,
    begun: Instant,
    at: u64,
    job: Job,
    file: Option<String>,
    ended: Option<String>,
    seconds: f64,
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended.is_none() {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(lab: &'a Lab, out: &'a Path, interrupts: &'a Interrupts) -> Self {
        Self {
            lab,
            out,
            interrupts,
            files: Vec::new(),
            number: 0,
        }
    }

    /// What was recorded, in the order in which it was started; `None` after Ctrl-C.
    pub(super) fn carry_out(mut self, plan: &Plan) -> Result<Option<Vec<RecordedFile>>, Failure> {
        let begun = Instant::now();
        for (number, step) in plan.steps.iter().enumerate() {
            let elapsed_s = begun.elapsed().as_secs();
            terminal::note(&format!(
                "[{:>2}/{}] {:>3} s  {}",
                number + 1,
                plan.steps.len(),
                elapsed_s,
                step.what
            ));
            self.step(step)?;
            if self.interrupts.seen() {
                return Ok(None);
            }
        }
        Ok(Some(self.files))
    }

    fn step(&mut self, step: &Step) -> Result<(), Failure> {
        let mut running: Vec<Running> = Vec::new();
        for job in step.jobs.iter().filter(|job| job.listens_on.is_some()) {
            running.push(self.start(job)?);
        }
        for job in step.jobs.iter() {
            if let Some(port) = job.listens_on {
                self.wait_until_listening(&job.host, port)?;
            }
        }
        let begun = Instant::now();
        let mut waiting: Vec<&Job> = step.jobs.iter().filter(|job| job.listens_on.is_none()).collect();
        while !self.interrupts.seen() {
            let (due, later): (Vec<&Job>, Vec<&Job>) =
                waiting.into_iter().partition(|job| begun.elapsed() >= job.after);
            waiting = later;
            for job in due {
                running.push(self.start(job)?);
            }
            running.iter_mut().try_for_each(Running::glance)?;
            let busy = |one: &Running| one.job.listens_on.is_none() && one.ended.is_none();
            if waiting.is_empty() && !running.iter().any(busy) {
                break;
            }
            std::thread::sleep(GLANCE);
        }
        self.finish(running)
    }

    /// Ends the servers, or after Ctrl-C everything, and takes what was recorded.
    fn finish(&mut self, mut running: Vec<Running>) -> Result<(), Failure> {
        for one in &mut running {
            one.end_within(LAST_WORDS)?;
        }
        running.retain(|one| one.file.is_some());
        self.files.extend(running.iter().filter_map(Running::recorded));
        Ok(())
    }

    fn start(&mut self, job: &Job) -> Result<Running, Failure> {
        let mut command = self.lab.command(&job.host, job.program)?;
        command
            .args(&job.arguments)
            .env("LC_ALL", "C")
            .stdin(Stdio::null());
        let file = match &job.label {
            Some(label) => {
                self.number += 1;
                let name = format!("{:02}-{label}.txt", self.number);
                let mut text = File::options()
                    .create_new(true)
                    .append(true)
                    .open(self.out.join(&name))?;
                // As a terminal shows it: often the command is all that names the host or the size of the packets.
                writeln!(text, "root@{}:~# {}", job.host, job.command_line())?;
                command.stdout(text.try_clone()?).stderr(text);
                Some(name)
            }
            None => {
                command.stdout(Stdio::null()).stderr(Stdio::null());
                None
            }
        };
        let at = seconds_since_1970();
        let process = command
            .spawn()
            .map_err(|error| Failure::Lab(format!("cannot run {}: {error}", job.program)))?;
        Ok(Running {
            process,
            begun: Instant::now(),
            at,
            job: job.clone(),
            file,
            ended: None,
            seconds: 0.0,
        })
    }

    /// Looks into the host's table of sockets: to connect would use up a server that serves once.
    fn wait_until_listening(&self, host: &str, port: u16) -> Result<(), Failure> {
        let deadline = Instant::now() + LISTEN_PATIENCE;
        loop {
            if self.lab.inside(host, || Ok(is_listening(port)))? {
                return Ok(());
            }
            if Instant::now() > deadline || self.interrupts.seen() {
                return Err(Failure::Lab(format!("nobody listens on port {port} of {host}")));
            }
            std::thread::sleep(GLANCE);
        }
    }
}

impl Running {
    /// Takes note of its end, or brings it about when a person would have lost patience.
    fn glance(&mut self) -> Result<(), Failure> {
        if self.ended.is_none() {
            match self.process.try_wait()? {
                Some(status) => self.note(shown(status)),
                None if self.job.listens_on.is_none() && self.begun.elapsed() > self.job.patience => {
                    self.interrupt()?;
                }
                None => {}
            }
        }
        Ok(())
    }

    fn end_within(&mut self, patience: Duration) -> Result<(), Failure> {
        let deadline = Instant::now() + patience;
        while self.ended.is_none() && Instant::now() < deadline {
            match self.process.try_wait()? {
                Some(status) => self.note(shown(status)),
                None => std::thread::sleep(GLANCE),
            }
        }
        if self.ended.is_none() {
            self.interrupt()?;
        }
        Ok(())
    }

    /// Ctrl-C, upon which most tools print what they have; whoever does not end on that is killed.
    fn interrupt(&mut self) -> Result<(), Failure> {
        let after = format!("Ctrl-C after {} s", self.begun.elapsed().as_secs());
        // A process that nobody has waited for keeps its number, so this hits no other.
        let _ = kill(Pid::from_raw(self.process.id().cast_signed()), Signal::SIGINT);
        let deadline = Instant::now() + LAST_WORDS;
        while self.process.try_wait()?.is_none() {
            if Instant::now() > deadline {
                self.process.kill()?;
                self.process.wait()?;
                break;
            }
            std::thread::sleep(GLANCE);
        }
        self.note(after);
        Ok(())
    }

    fn note(&mut self, how: String) {
        self.seconds = self.begun.elapsed().as_secs_f64();
        self.ended = Some(how);
    }

    fn recorded(&self) -> Option<RecordedFile> {
        Some(RecordedFile {
            name: self.file.clone()?,
            host: self.job.host.clone(),
            command: self.job.command_line(),
            at: self.at,
            seconds: (self.seconds * 10.0).round() / 10.0,
            ended: self.ended.clone()?,
            by_operator: self.job.by_operator,
        })
    }
}

fn shown(status: ExitStatus) -> String {
    status
        .code()
        .map_or_else(|| status.to_string(), |code| format!("exit {code}"))
}

/// Whether a socket of the calling thread's network namespace listens on this TCP port.
fn is_listening(port: u16) -> bool {
    let wanted = format!(":{port:04X}");
    ["tcp", "tcp6"].iter().any(|table| {
        let path = format!("/proc/thread-self/net/{table}");
        std::fs::read_to_string(path).is_ok_and(|text| listens(&text, &wanted))
    })
}

/// `  0: 0100007F:1451 00000000:0000 0A …`: number, own end, peer, state.
fn listens(table: &str, wanted: &str) -> bool {
    table.lines().skip(1).any(|line| {
        let mut words = line.split_ascii_whitespace().skip(1);
        words.next().is_some_and(|own| own.ends_with(wanted)) && words.nth(1) == Some(LISTENS)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_listens_or_does_not() {
        let table = "  sl  local_address rem_address   st tx_queue\n   \
            0: 00000000:1451 00000000:0000 0A 00000000:00000000\n   \
            1: 0100007F:1388 0100007F:9C40 01 00000000:00000000\n";
        assert!(listens(table, ":1451"));
        assert!(!listens(table, ":1388"), "it is connected, not listening");
        assert!(!listens(table, ":0A00"));
        assert!(!listens("", ":1451"));
    }
}

//! Programs of hosts that lack processor time.

use std::os::unix::process::CommandExt;
use std::process::Child;
use std::time::{Duration, Instant};

use lab::Lab;

use crate::{parsed, up};

/// `a` and `b`; the programs of `b` have this share.
fn with_share(share: &str) -> Lab {
    up(&parsed(&format!(
        "title = 't'\n[[host]]\nname = 'a'\n[[host]]\nname = 'b'\n{share}\n\
         [[link]]\na = {{ node = 'a' }}\nb = {{ node = 'b' }}\n\
         [[timeline]]\nstep = 'go'\nnode = 'b'\nsettings = {{ cpu_percent = 100 }}\n"
    )))
}

fn sleeper(lab: &Lab, host: &str) -> Child {
    lab.command(host, "sleep").unwrap().arg("60").spawn().unwrap()
}

/// Whether the process is stopped by a signal (proc(5): state T).
fn is_stopped(child: &Child) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    behind_name.trim_start().starts_with('T')
}

fn soon(condition: impl Fn() -> bool) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(3) {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    false
}

pub(crate) fn programs_of_a_starved_host_stand_still() {
    let lab = with_share("cpu_percent = 0");
    let [mut starved, mut fed] = [sleeper(&lab, "b"), sleeper(&lab, "a")];
    assert!(soon(|| is_stopped(&starved)));
    assert!(!is_stopped(&fed));
    lab.step("go").unwrap();
    assert!(soon(|| !is_stopped(&starved)));
    for child in [&mut starved, &mut fed] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// Between fork and exec a program is in its host already. Stopped there, it would keep whoever starts it waiting for ever.
pub(crate) fn a_program_that_begins_slowly_is_not_stopped_before_it_runs() {
    let lab = with_share("cpu_percent = 0");
    let mut command = lab.command("b", "sleep").unwrap();
    let late = || {
        std::thread::sleep(Duration::from_millis(200));
        Ok(())
    };
    // SAFETY: between fork and exec the closure only sleeps.
    unsafe { command.arg("60").pre_exec(late) };
    let (begun, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || begun.send(command.spawn()));
    let child = told.recv_timeout(Duration::from_secs(10));
    let mut child = child.expect("the program never began").unwrap();
    assert!(soon(|| is_stopped(&child)));
    child.kill().unwrap();
    child.wait().unwrap();
}

pub(crate) fn turns_come_and_go() {
    let lab = with_share("cpu_percent = 50\ncpu_period = '200 ms'");
    let mut child = sleeper(&lab, "b");
    for _ in 0..2 {
        assert!(soon(|| is_stopped(&child)));
        assert!(soon(|| !is_stopped(&child)));
    }
    assert!(soon(|| is_stopped(&child)));
    drop(lab);
    assert!(!is_stopped(&child), "a lab that ends lets everybody go on");
    child.kill().unwrap();
    child.wait().unwrap();
}

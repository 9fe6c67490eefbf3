//! Programs that run another one.

use super::options::Options;
use crate::text::split_once;

/// Where the other one runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    /// On the same host, in the same network.
    Here,
    /// On the host that one logs in to.
    Login,
    /// In a network of its own, whatever that is called.
    Elsewhere,
}

/// Options of ssh with a value (ssh(1)); what follows them is the host.
pub(super) static LOGIN: &Options = &Options {
    letters: "BbcDEeFIiJLlmOoPpRSWw",
    words: &[],
};

/// Where a program runs another one, if that is what it does; also words that routers and shells put before a command.
pub(super) fn runner(name: &str) -> Option<Where> {
    match name {
        "sudo" | "doas" | "su" | "env" | "time" | "timeout" | "gtimeout" | "nohup" | "nice" | "ionice"
        | "chrt" | "taskset" | "numactl" | "stdbuf" | "unbuffer" | "setsid" | "flock" | "watch"
        | "strace" | "perf" | "sshpass" | "expect" | "proxychains" | "proxychains4" | "torsocks"
        | "busybox" | "bash" | "sh" | "script" | "command" | "execute" | "exec" | "run" | "do" | "while"
        | "until" | "if" | "then" | "tool" | "java" | "npx" | "pipx" | "uvx" | "bunx" => Some(Where::Here),
        "ssh" | "slogin" | "rsh" | "mosh" | "autossh" => Some(Where::Login),
        "ip" | "nsenter" | "docker" | "docker-compose" | "podman" | "kubectl" | "oc" | "crictl" | "lxc"
        | "incus" | "jexec" | "vagrant" | "adb" | "chroot" | "machinectl" | "virsh" | "lxc-attach"
        | "pct" | "nerdctl" | "k" | "k3s" | "microk8s" | "tsh" | "xargs" | "parallel" => {
            Some(Where::Elsewhere)
        }
        name if asks_many(name) => Some(Where::Elsewhere),
        // On a host whose name stands among words of their own.
        "knife" | "fab" | "srun" | "mpirun" | "mpiexec" | "plink" | "winrs" | "psexec" | "gcloud" | "az"
        | "aws" => Some(Where::Elsewhere),
        // `LC_ALL=C`
        _ => is_assignment(name).then_some(Where::Here),
    }
}

/// Whether a program runs another one on several hosts at once, and names each before what it says.
pub(super) fn asks_many(name: &str) -> bool {
    matches!(
        name,
        "pdsh"
            | "dsh"
            | "clush"
            | "pssh"
            | "parallel-ssh"
            | "mussh"
            | "psh"
            | "xdsh"
            | "ansible"
            | "salt"
            | "salt-ssh"
    )
}

fn is_assignment(word: &str) -> bool {
    split_once(word, b'=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

//! The table: each command in the order of `slowpath --help`, with what people run first.

mod groups;

use super::Example;

/// A line, and what it shows.
pub(super) const fn example(line: &'static str, shows: &'static str) -> Example {
    Example { line, shows }
}

/// The words of a command behind `slowpath`, and its examples.
pub(super) type Entry = (&'static str, &'static [Example]);

/// All commands.
pub(super) fn all() -> impl Iterator<Item = &'static Entry> {
    OTHERS.iter().chain(groups::OF_CASE_AND_LAB)
}

/// All but those of the groups.
const OTHERS: &[Entry] = &[
    (
        "",
        &[
            example(
                "slowpath serve --token-file far.token",
                "at the other end: wait for tests",
            ),
            example(
                "slowpath diagnose you@dtn.example.org --expect 2Gbit/s",
                "from here to a host where you have an ssh account and nothing is installed",
            ),
            example(
                "slowpath explain MTU-002",
                "what a code in a verdict means, and how we know",
            ),
            example(
                "slowpath doctor",
                "what this host's settings cost, and what slowpath may do here",
            ),
        ],
    ),
    (
        "diagnose",
        &[
            example(
                "slowpath diagnose you@dtn.example.org --expect 2Gbit/s",
                "from here to a host where you have an ssh account and nothing is installed",
            ),
            example(
                "slowpath diagnose you@b.example.org --from you@a.example.org",
                "between two other hosts, with an ssh account at both",
            ),
            example(
                "slowpath diagnose dtn.example.org --token-file far.token --expect 2Gbit/s",
                "from here to the far end, where `slowpath serve` runs",
            ),
            example(
                "slowpath diagnose https://data.example.org/file.tar --expect 1Gbit/s",
                "the download that is slow, from the web server to here",
            ),
            example(
                "slowpath diagnose dtn.example.org --token-file far.token --note 'MTU 9000'",
                "again after a repair: the case shows before and after",
            ),
        ],
    ),
    (
        "path",
        &[
            example(
                "slowpath path dtn.example.org --mtu --echo",
                "hops, packet sizes that pass, loss and delay per hop",
            ),
            example(
                "slowpath path dtn.example.org --live",
                "round after round on the terminal, with the keys of mtr",
            ),
            example(
                "slowpath path dtn.example.org --flows 8",
                "whether packets take several routes",
            ),
            example(
                "slowpath path dtn.example.org --protocol tcp -6",
                "over IPv6, with packets that firewalls let through more often",
            ),
        ],
    ),
    (
        "throughput",
        &[
            example(
                "slowpath throughput dtn.example.org --token-file far.token",
                "one TCP connection to the far end, and what limited it",
            ),
            example(
                "slowpath throughput dtn.example.org --token-file far.token -R -P 4",
                "four connections towards this host",
            ),
            example(
                "slowpath throughput you@dtn.example.org -t 5 -i 1",
                "the far end is started through ssh; a line each second",
            ),
            example(
                "slowpath throughput dtn.example.org --token-file far.token -u -b 500M",
                "UDP at a steady rate: loss and reordering",
            ),
            example(
                "slowpath throughput https://data.example.org/file.tar -P 4",
                "a download: four ranges of the file, from the web server to here",
            ),
        ],
    ),
    (
        "stamp",
        &[
            example(
                "slowpath stamp router.example.org",
                "loss there and back, delay and its variation, in ten seconds",
            ),
            example(
                "slowpath stamp router.example.org -c 60000 -i 0.02 --dscp EF --size 1500",
                "large packets of a class, for twenty minutes",
            ),
            example(
                "slowpath stamp router.example.org --case slow.case",
                "as evidence of a case: slowpath case show slow.case",
            ),
            example(
                "slowpath stamp --reflect --allow 192.0.2.0/24 --key-file stamp.key",
                "a reflector here, for one network and holders of a key",
            ),
        ],
    ),
    (
        "tcp",
        &[
            example(
                "slowpath tcp www.example.org",
                "loss there and back with a web server (port 443), handshake times, options",
            ),
            example(
                "slowpath tcp dtn.example.org -p 22 -c 8000",
                "more probes, with sshd: smaller losses are seen",
            ),
            example(
                "slowpath tcp dtn.example.org -p 22 --case slow.case",
                "as evidence of a case: slowpath case show slow.case",
            ),
            example(
                "slowpath tcp www.example.org -c 0 --handshakes 20",
                "handshakes alone, as any user may",
            ),
        ],
    ),
    (
        "mesh",
        &[
            example(
                "slowpath mesh sites.toml",
                "loss and delay between any two places, and the link that bad pairs share",
            ),
            example(
                "slowpath mesh sites.toml --capacity 10Gbit/s --seconds 60",
                "faster links and more time: smaller losses are seen",
            ),
            example(
                "slowpath mesh sites.toml --full",
                "then a TCP transfer each way between this host and each far end",
            ),
            example(
                "slowpath mesh sites.toml --json",
                "matrix and verdict for programs",
            ),
        ],
    ),
    (
        "serve",
        &[
            example(
                "slowpath serve --token-file far.token",
                "port 4820; the token is made if the file is not there",
            ),
            example(
                "slowpath serve --token-file far.token --listen 192.0.2.7:5000",
                "on one address, and another port",
            ),
            example(
                "slowpath serve --token-file far.token --allow-peers 192.0.2.0/24",
                "a place of a mesh: others there may be tested against",
            ),
            example(
                "slowpath serve --access users.toml --audit audit.jsonl",
                "several users with limits each, and a record of their tests",
            ),
            example(
                "slowpath serve --access users.toml --check",
                "who may do what, and which rights are left to it; nothing is served",
            ),
        ],
    ),
    (
        "explain",
        &[
            example("slowpath explain", "all faults that can be named"),
            example(
                "slowpath explain LOSS-001",
                "the page of one: how we know, what looks like it, whom to ask",
            ),
        ],
    ),
    (
        "capture",
        &[
            example(
                "slowpath capture slow.pcap",
                "what limited the largest connections, and when",
            ),
            example(
                "slowpath capture slow.pcap --flow 1 --html slow.html",
                "one connection in detail, and its picture for the browser",
            ),
            example(
                "slowpath capture --live eth0 --for 30s --port 5001",
                "capture here, then tell",
            ),
            example(
                "slowpath capture --point sender=a.pcap --point receiver=b.pcap",
                "what was lost between two places",
            ),
        ],
    ),
    (
        "import",
        &[
            example(
                "slowpath import iperf.json traceroute.txt",
                "what is understood of two files",
            ),
            example(
                "mtr -wb dtn.example.org | slowpath import -",
                "of what another tool prints",
            ),
            example("slowpath import --formats", "which formats are recognised"),
        ],
    ),
    (
        "power",
        &[
            example("slowpath power", "how small and how early a step is found"),
            example(
                "slowpath power --seed 7 --series 1000",
                "other series, and more of them",
            ),
        ],
    ),
    (
        "grade",
        &[
            example(
                "slowpath grade --worlds 200",
                "how often the diagnosis is right in 200 random worlds",
            ),
            example(
                "slowpath grade --show 17",
                "one world: its truth, its records, the verdict",
            ),
        ],
    ),
    (
        "doctor",
        &[
            example(
                "slowpath doctor",
                "this host, and the interface of its default route",
            ),
            example(
                "slowpath doctor dtn.example.org",
                "the interface that leads there",
            ),
        ],
    ),
    (
        "config",
        &[
            example("slowpath config", "each setting, and where it comes from"),
            example("slowpath config dtn.example.org", "the settings for this far end"),
            example("slowpath config --path", "the file that is looked for"),
        ],
    ),
    (
        "completions",
        &[
            example(
                "slowpath completions bash > /etc/bash_completion.d/slowpath",
                "bash, for all users, as root",
            ),
            example(
                "slowpath completions zsh > ~/.zfunc/_slowpath",
                "zsh, with ~/.zfunc in fpath",
            ),
            example(
                "slowpath completions fish > ~/.config/fish/completions/slowpath.fish",
                "fish",
            ),
        ],
    ),
    (
        "man",
        &[
            example("slowpath man | man -l -", "read the page of slowpath"),
            example(
                "slowpath man --to ~/.local/share/man/man1",
                "a page for each command",
            ),
        ],
    ),
];

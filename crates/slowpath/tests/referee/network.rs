//! The network, tools run in it, and our own probes in the same hosts.

use evidence::{Ask, Node, Payload};
use ingest::Record;
use lab::Lab;
use net::path::PathTarget;
use net::{LocalVantage, Watch, perform_local};
use scenario::Scenario;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

pub(crate) const SENDER: &str = "sender";
pub(crate) const RECEIVER: &str = "receiver";

/// `sender` - `r1` - `r2` - `r3` - `receiver`, where the link between `r2` and `r3` has these properties.
pub(crate) fn network(middle: &str) -> Scenario {
    let nodes = [SENDER, "r1", "r2", "r3", RECEIVER];
    let mut text = "title = 't'\n".to_owned();
    for (at, name) in nodes.iter().enumerate() {
        let kind = if at % 4 == 0 { "host" } else { "router" };
        text += &format!("[[{kind}]]\nname = '{name}'\n");
    }
    for (at, pair) in nodes.windows(2).enumerate() {
        let properties = ["", "", middle, ""][at];
        text += &format!(
            "[[link]]\na = {{ node = '{}' }}\nb = {{ node = '{}' }}\n{properties}\n",
            pair[0], pair[1]
        );
    }
    scenario::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

pub(crate) fn up(middle: &str) -> Lab {
    Lab::up(&network(middle), 1).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares in a network with this link between `r2` and `r3`. What was seen counts only where the machine kept up with
/// the emulation: else it is tried again, and in the end skipped, loudly. Runs differ by chance as well, more on a host that
/// stalls now and then: a difference counts when it is there in three valid runs one after the other, as what is read wrong
/// is, and one that goes away is told.
pub(crate) fn in_network(middle: &str, compare: impl Fn(&Lab)) {
    let mut differences = 0;
    for _ in 0..5 {
        let lab = up(middle);
        let outcome = catch_unwind(AssertUnwindSafe(|| compare(&lab)));
        let validity = lab.validity();
        match outcome {
            Ok(()) => return,
            Err(failure) if validity.is_valid() && differences == 2 => resume_unwind(failure),
            Err(_) if validity.is_valid() => {
                differences += 1;
                println!("TRIED AGAIN referee in `{middle}`: a difference, told above, that may be chance");
            }
            Err(_) => println!("the machine was too busy to emulate links: {validity}"),
        }
    }
    assert!(
        differences == 0,
        "{differences} of 5 runs in `{middle}` were valid, with a difference in each"
    );
    println!("SKIPPED referee in `{middle}`: the machine was too busy to emulate links, five times");
}

/// The address of a node that the sender's packets meet.
pub(crate) fn address(lab: &Lab, node: &str) -> IpAddr {
    let scenario = lab.scenario();
    scenario.addresses_of(scenario.node_id(node).unwrap())[0]
}

/// Whether this is the node: by address, or where only its name was printed, by that.
pub(crate) fn is_node(lab: &Lab, node: &Node, address: IpAddr) -> bool {
    let scenario = lab.scenario();
    let has_address = |name: &str| {
        let id = scenario.node_id(name);
        id.is_some_and(|id| scenario.addresses_of(id).contains(&address))
    };
    match (node.address, &node.name) {
        (Some(printed), _) => printed == address,
        (None, Some(name)) => has_address(name),
        (None, None) => false,
    }
}

/// Whether all these programs are here; says loudly that the referee is missing where one is not.
pub(crate) fn are_installed(programs: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let is_missing = |program: &&&str| !places.iter().any(|place| place.join(program).exists());
    match programs.iter().find(is_missing) {
        Some(missing) => {
            println!("SKIPPED referee {missing}: it is not installed");
            false
        }
        None => true,
    }
}

/// What a command prints in a host, errors among it as on a terminal.
pub(crate) fn printed(lab: &Lab, host: &str, command: &str) -> String {
    let mut shell = lab.command(host, "/bin/sh").unwrap();
    // Programs in /usr/sbin are not everybody's.
    let script = format!("PATH=$PATH:/usr/sbin:/sbin LC_ALL=C {command}");
    let output = shell.args(["-c", &script]).output().unwrap();
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// What is read of it, as pasted: with the prompt and the command above. Everything has to be understood. iperf3 greets with one
/// datagram, does not repeat it where it is lost, and ends with this error: then it is started again.
pub(crate) fn imported(lab: &Lab, host: &str, command: &str) -> Vec<Payload> {
    const GREETING_LOST: &str = "unable to read from stream socket";
    let mut text = printed(lab, host, command);
    for _ in 0..2 {
        if text.contains(GREETING_LOST) {
            text = printed(lab, host, command);
        }
    }
    read(host, command, &text)
}

/// What is read of a text that this command printed at this host.
pub(crate) fn read(host: &str, command: &str, text: &str) -> Vec<Payload> {
    let pasted = format!("root@{host}:~# {command}\n{text}");
    let (records, complaints) = ingest::import(pasted.as_bytes(), &ingest::Context::default());
    let begin: String = pasted.lines().take(30).flat_map(|line| [line, "\n"]).collect();
    assert!(complaints.is_empty(), "{complaints:?}\n{begin}");
    assert!(!records.is_empty(), "nothing is read of:\n{begin}");
    for record in &records {
        assert_eq!(record.place.name.as_deref(), Some(host), "{command}: {record:?}");
    }
    records
        .into_iter()
        .map(|Record { payload, .. }| payload)
        .collect()
}

/// Our own measurement at the sender.
pub(crate) fn own(lab: &Lab, ask: &Ask) -> Payload {
    let target = PathTarget {
        destination: address(lab, RECEIVER),
        source: None,
        reflector: None,
    };
    let measure = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let mut vantage = LocalVantage {
            target,
            known_route: None,
        };
        Ok(runtime.block_on(perform_local(ask, &mut vantage, &Watch::quiet())))
    };
    lab.inside(SENDER, measure).unwrap().unwrap()
}

pub(crate) fn node(name: &str) -> Node {
    Node {
        name: Some(name.to_owned()),
        address: None,
    }
}

/// Whether two figures differ by no more than this share of the second.
pub(crate) fn is_close(figure: f64, to: f64, share: f64) -> bool {
    (figure - to).abs() <= share * to.abs()
}

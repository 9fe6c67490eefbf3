//! A far end on the loopback, reached with what a configuration says.

use crate::common::Desk;
use net::far_end::new_token;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Stdio};

struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// With a token that it makes, in the file `far.token` of the desk.
    fn start(desk: &Desk) -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let listen = format!("127.0.0.1:{port}");
        let mut child = desk
            .command(&["serve", "--listen", &listen, "--token-file", "far.token"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap())
            .lines()
            .map_while(Result::ok);
        assert!(
            lines.any(|line| line.starts_with("listening on ")),
            "the far end did not start"
        );
        Self { child, port }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const CONFIG: (&str, &str) = ("SLOWPATH_CONFIG", "config.toml");

#[test]
fn token_and_port_of_the_host_come_from_the_configuration() {
    let desk = Desk::new();
    let server = Server::start(&desk);
    desk.write("wrong", &new_token().unwrap());
    let config = format!(
        "port = 9\ntoken-file = \"wrong\"\n[host.\"127.0.0.1\"]\nport = {}\ntoken-file = \"far.token\"\n",
        server.port
    );
    desk.write("config.toml", &config);
    let throughput = ["throughput", "127.0.0.1", "--max-bytes", "100000"];
    desk.run_in(&[CONFIG], &throughput).exits(0);
    // The environment goes before the file, and the command line before both.
    let wrong = ("SLOWPATH_TOKEN_FILE", "wrong");
    desk.run_in(&[CONFIG, wrong], &throughput)
        .exits(2)
        .err("the token is wrong");
    let with_token = [&throughput[..], &["--token-file", "far.token"]].concat();
    desk.run_in(&[CONFIG, wrong], &with_token).exits(0);
    let elsewhere = [&throughput[..], &["--port", "9"]].concat();
    desk.run_in(&[CONFIG], &elsewhere).exits(4);
}

#[test]
fn diagnose_still_reads_the_configured_token_after_it_gave_up_rights() {
    let desk = Desk::new();
    let server = Server::start(&desk);
    desk.write(
        "config/slowpath/config.toml",
        &format!("port = {}\ntoken-file = \"far.token\"\n", server.port),
    );
    std::fs::rename(desk.path("far.token"), desk.path("config/slowpath/far.token")).unwrap();
    let home = desk.path("config").display().to_string();
    let environment = [("SLOWPATH_CONFIG", ""), ("XDG_CONFIG_HOME", home.as_str())];
    let arguments = ["diagnose", "127.0.0.1", "--max-time", "0", "--case", "x.case"];
    let run = desk.run_in(&environment, &arguments);
    run.not_err("testing from this end only").not_err("token");
    // With another's token it does say so: the far end was asked.
    desk.write(
        "config/slowpath/config.toml",
        &format!("port = {}\ntoken-file = \"../../wrong\"\n", server.port),
    );
    desk.write("wrong", &new_token().unwrap());
    desk.run_in(&environment, &arguments)
        .exits(2)
        .err("the token is wrong");
}

//! A stock iperf3 server as our far end, beside iperf3's own client.

use crate::network::{RECEIVER, SENDER, are_installed, imported, in_network, is_close, printed};
use crate::rates::{loss_ratio, own_transfer_with, start};
use evidence::{Payload, Transfer, VerdictFile};
use lab::Lab;
use rsa::Generate;
use rsa::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding};
use sha2::Digest;
use std::path::Path;

const SLOWPATH: &str = env!("CARGO_BIN_EXE_slowpath");

/// The transfer of iperf3's own client.
fn theirs(lab: &Lab, options: &str) -> Transfer {
    match imported(lab, SENDER, &format!("iperf3 -J -c {RECEIVER} {options}")).as_slice() {
        [Payload::Transfer(transfer)] => (**transfer).clone(),
        other => panic!("{options}: one transfer was expected: {other:?}"),
    }
}

pub(crate) fn with_an_iperf3_server_the_rate_is_that_of_its_own_client() {
    if !are_installed(&["iperf3"]) {
        return;
    }
    in_network(
        "both = { delay = '5 ms', rate = '50 Mbit/s', queue_bytes = 125000 }",
        |lab| {
            let _server = start(lab, RECEIVER, &["iperf3", "-s"]);
            for options in ["-t 4", "-t 4 -R", "-t 4 -P 8"] {
                let ours = own_transfer_with(lab, "--iperf3", options);
                let rates =
                    [ours.clone(), theirs(lab, options)].map(|transfer| transfer.received_bps.unwrap().0);
                println!("{options}: {} and {} bit/s", rates[0], rates[1]);
                assert!(is_close(rates[0], rates[1], 0.05), "{options}: {rates:?}");
                let kernel = if options.contains("-R") {
                    ours.receiver
                } else {
                    ours.sender
                };
                assert!(
                    kernel
                        .unwrap()
                        .accounts
                        .iter()
                        .all(|account| account.min_rtt_us > Some(9_000))
                );
            }
        },
    );
}

pub(crate) fn with_an_iperf3_server_a_stream_loses_what_its_own_client_loses() {
    if !are_installed(&["iperf3"]) {
        return;
    }
    in_network("both = { delay = '5 ms', loss = { every = 50 } }", |lab| {
        let _server = start(lab, RECEIVER, &["iperf3", "-s"]);
        for reverse in ["", " -R"] {
            let ours = own_transfer_with(
                lab,
                "--iperf3",
                &format!("-t 4 --udp 8Mbit/s --size 1028{reverse}"),
            );
            // Its own client loses packets in a busy host as well, and does not count them apart: ours does. One of three
            // tries without that is enough.
            let ours = loss_ratio(&ours);
            let agrees = (0..3).any(|_| {
                let theirs = loss_ratio(&theirs(lab, &format!("-t 4 -u -b 8M -l 1000{reverse}")));
                println!("UDP{reverse}: {ours} and {theirs}");
                (ours - theirs).abs() < 0.001
            });
            assert!(agrees && (ours - 0.02).abs() < 0.001, "{reverse}: {ours}");
        }
    });
}

/// The keys of a server, and the one user that it knows, in files: as iperf3's manual says, with the SHA-256 of {user}password.
fn lay_keys(directory: &Path) {
    let private = rsa::PrivateKey::generate();
    let public = private.to_public_key();
    let hash = sha2::Sha256::digest("{kirsten}correct-horse");
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    for (name, text) in [
        (
            "private.pem",
            private.to_pkcs8_pem(LineEnding::LF).unwrap().to_string(),
        ),
        ("public.pem", public.to_public_key_pem(LineEnding::LF).unwrap()),
        ("users.csv", format!("kirsten,{hash}\n")),
    ] {
        std::fs::write(directory.join(name), text).unwrap();
    }
}

pub(crate) fn with_an_iperf3_server_that_has_users_a_diagnosis_logs_in() {
    if !are_installed(&["iperf3"]) {
        return;
    }
    in_network(
        "both = { delay = '5 ms', rate = '50 Mbit/s', queue_bytes = 125000 }",
        |lab| {
            let directory = tempfile::tempdir().unwrap();
            lay_keys(directory.path());
            let at = |name: &str| directory.path().join(name).display().to_string();
            let (private, users) = (at("private.pem"), at("users.csv"));
            let server = [
                "iperf3",
                "-s",
                "--rsa-private-key-path",
                &private,
                "--authorized-users-path",
                &users,
            ];
            let _server = start(lab, RECEIVER, &server);
            for (password, case, is_let_in) in
                [("correct-horse", "in.case", true), ("wrong", "out.case", false)]
            {
                let command = format!(
                    "IPERF3_PASSWORD={password} {SLOWPATH} diagnose {RECEIVER} --iperf3 --username kirsten \
                 --rsa-public-key-path {} --expect '50 Mbit/s' --case {} --json --quiet 2>{}",
                    at("public.pem"),
                    at(case),
                    at("errors")
                );
                let shown = printed(lab, SENDER, &command);
                let errors = std::fs::read_to_string(at("errors")).unwrap_or_default();
                let verdicts = serde_json::from_str::<VerdictFile>(&shown);
                let measured_bps = verdicts.ok().and_then(|file| file.rounds.last()?.measured_bps);
                assert_eq!(measured_bps.is_some(), is_let_in, "{shown}\n{errors}");
                let is_told = format!("{shown}{errors}").contains("--username");
                assert_eq!(is_told, !is_let_in, "{shown}\n{errors}");
            }
        },
    );
}

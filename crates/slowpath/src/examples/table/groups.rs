//! The commands that are groups of others.

use super::{Entry, example};

/// `slowpath case …` and `slowpath lab …`.
pub(super) const OF_CASE_AND_LAB: &[Entry] = &[
    (
        "case",
        &[
            example(
                "slowpath case new slow.case --from dtn1.example.org --to dtn2.example.net",
                "open a case for records of other tools",
            ),
            example(
                "slowpath case add slow.case iperf.json traceroute.txt",
                "add records to it",
            ),
            example("slowpath case show slow.case", "the verdict"),
        ],
    ),
    (
        "case new",
        &[
            example(
                "slowpath case new slow.case --from dtn1.example.org --to dtn2.example.net",
                "a case for the transfer between these hosts",
            ),
            example(
                "slowpath case new old.case --from a.example=192.0.2.1 --to b.example",
                "with an address that the name no longer has",
            ),
        ],
    ),
    (
        "case add",
        &[
            example(
                "slowpath case add slow.case iperf.json traceroute.txt",
                "two records; their formats are recognised",
            ),
            example(
                "slowpath case add slow.case if.txt --place RTR-DMZ --at '2026-03-02 22:00'",
                "what the record does not say: where and when it was made",
            ),
            example(
                "slowpath case add slow.case slow.pcap",
                "a capture, as evidence beside other records",
            ),
        ],
    ),
    (
        "case amend",
        &[
            example(
                "slowpath case amend slow.case o3 --place RTR-CGB",
                "observation o3 was made elsewhere",
            ),
            example(
                "slowpath case amend slow.case o4 --from dtn1.example.org --to dtn2.example.net",
                "between whom it was measured",
            ),
        ],
    ),
    (
        "case note",
        &[
            example(
                "slowpath case note slow.case 'cable replaced' --network campus --intervention",
                "a repair: what is added from now on is judged apart",
            ),
            example(
                "slowpath case note slow.case 'backups run at 02:00' --who 'the storage group'",
                "what somebody told",
            ),
        ],
    ),
    (
        "case merge",
        &[example(
            "slowpath case merge slow.case theirs.case",
            "what another party added to its copy, and what contradicts ours",
        )],
    ),
    (
        "case verify",
        &[
            example(
                "slowpath case verify slow.case",
                "before and after the last intervention",
            ),
            example(
                "slowpath case verify slow.case --before 1 --after 3",
                "two rounds of your choice",
            ),
        ],
    ),
    (
        "case export",
        &[
            example("slowpath case export slow.case", "slow.case.tar.gz, to mail"),
            example(
                "slowpath case export slow.case --redact addresses,names -o public.tar.gz",
                "with pseudonyms; routes keep their shape",
            ),
        ],
    ),
    (
        "case import",
        &[
            example(
                "slowpath case import slow.case.tar.gz",
                "unpack it under the name that it has",
            ),
            example(
                "slowpath case import slow.case.tar.gz theirs.case",
                "under another name",
            ),
        ],
    ),
    (
        "case show",
        &[
            example(
                "slowpath case show slow.case",
                "how slow, why, where, how sure, what to do; then what speaks for it",
            ),
            example(
                "slowpath case show slow.case --records",
                "every observation as well",
            ),
            example("slowpath case show slow.case --json", "the verdicts for programs"),
        ],
    ),
    (
        "case plan",
        &[
            example(
                "slowpath case plan slow.case",
                "what would be measured next, and why",
            ),
            example(
                "slowpath case plan slow.case --single-ended",
                "if nobody can run a far end",
            ),
        ],
    ),
    (
        "case report",
        &[
            example(
                "slowpath case report slow.case -o slow.html",
                "one page that needs no network, to mail",
            ),
            example("slowpath case report slow.case --format markdown", "for a ticket"),
        ],
    ),
    (
        "lab",
        &[
            example("slowpath lab list", "the networks that come with slowpath"),
            example(
                "slowpath lab run nrao-sarao-2021",
                "bring one up, diagnose it, compare with the truth",
            ),
        ],
    ),
    (
        "lab list",
        &[example("slowpath lab list", "names and titles of all scenarios")],
    ),
    (
        "lab run",
        &[
            example(
                "slowpath lab run nrao-sarao-2021",
                "an incident of 2021: each traceroute was clean",
            ),
            example(
                "slowpath lab run policer-20m --keep",
                "leave the network up to look at it",
            ),
            example(
                "slowpath lab run loss-10ms --runs 5 --json",
                "five fresh networks, counted",
            ),
        ],
    ),
    (
        "lab record",
        &[example(
            "slowpath lab record mtu-last-link --out mtu.records",
            "what iperf3, ping, traceroute and others print there",
        )],
    ),
    (
        "lab shell",
        &[example(
            "slowpath lab shell healthy-150ms sender.example",
            "a shell in the sender, to try tools on a known network",
        )],
    ),
    (
        "lab exec",
        &[example(
            "slowpath lab exec healthy-150ms r1.example -- ip route",
            "one command in a router",
        )],
    ),
];

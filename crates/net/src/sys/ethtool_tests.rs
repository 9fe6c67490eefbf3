use super::*;
use proptest::prelude::*;

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn speeds_that_mean_unknown_are_none() {
    let answer = |speed, duplex: u8| {
        let mut bytes = bytes(&[GLINKSETTINGS, speed, 0]);
        bytes[8] = duplex;
        link_from(&bytes).unwrap()
    };
    assert_eq!(
        answer(25_000, 1),
        Link {
            speed_mbps: Some(25_000),
            duplex: Some("full")
        }
    );
    assert_eq!(
        answer(100, 0),
        Link {
            speed_mbps: Some(100),
            duplex: Some("half")
        }
    );
    for unknown in [0, 0xffff, u32::MAX] {
        assert_eq!(
            answer(unknown, 0xff),
            Link {
                speed_mbps: None,
                duplex: None
            }
        );
    }
}

#[test]
fn a_ring_without_a_maximum_does_not_exist() {
    let answer = bytes(&[GRINGPARAM, 4096, 0, 0, 0, 256, 0, 0, 0]);
    assert_eq!(
        rings_from(&answer),
        Some(Rings {
            rx: Some((256, 4096)),
            tx: None
        })
    );
    assert_eq!(rings_from(&answer[..35]), None);
}

#[test]
fn offloads_off_for_good_are_absent() {
    let all = names(&["tx-checksum-ipv4", "rx-gro", "rx-lro", "highdma"]);
    // available: bits 0 and 1; active: bits 1 and 3; bit 2 in neither
    let answer = bytes(&[GFEATURES, 1, 0b0011, 0, 0b1010, 0]);
    let expected = BTreeMap::from([
        ("tx-checksum-ipv4".to_owned(), false),
        ("rx-gro".to_owned(), true),
    ]);
    assert_eq!(offloads_from(&all, &answer), expected);
}

#[test]
fn counters_of_a_driver_that_changed_meanwhile_are_not_guessed() {
    let mut answer = bytes(&[GSTATS, 2]);
    answer.extend([7u64, 9].iter().flat_map(|value| value.to_ne_bytes()));
    let expected = BTreeMap::from([("rx_drops".to_owned(), 7), ("tx_drops".to_owned(), 9)]);
    assert_eq!(
        counters_from(&names(&["rx_drops", "tx_drops"]), &answer),
        expected
    );
    assert_eq!(counters_from(&names(&["rx_drops"]), &answer), BTreeMap::new());
}

#[test]
fn strings_end_at_their_zero_and_keep_their_places() {
    let mut answer = bytes(&[GSTRINGS, STRINGS_STATS, 3]);
    for name in [
        &b"rx_drops"[..],
        &[0xff, 0xfe],
        b"an-entry-that-fills-all-32-bytes",
    ] {
        let mut entry = name.to_vec();
        entry.resize(STRING_BYTES, 0);
        answer.extend(entry);
    }
    assert_eq!(
        strings_from(&answer),
        names(&["rx_drops", "", "an-entry-that-fills-all-32-bytes"])
    );
}

#[test]
fn a_name_too_long_for_the_kernel_is_refused_before_it_is_asked() {
    let ethtool = Ethtool::open().unwrap();
    let error = ethtool
        .ask("an-interface-name-of-many-bytes", &[GDRVINFO], 196)
        .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    assert_eq!(ethtool.driver("no-such-if"), None);
    assert_eq!(ethtool.link("no-such-if"), None);
    assert!(ethtool.counters("no-such-if").is_empty());
}

proptest! {
    #[test]
    fn no_answer_breaks_a_decoder(
        answer in prop::collection::vec(any::<u8>(), 0..300),
        count in 0usize..100,
    ) {
        let names: Vec<String> = (0..count).map(|index| format!("tx-{index}")).collect();
        link_from(&answer);
        rings_from(&answer);
        strings_from(&answer);
        prop_assert!(offloads_from(&names, &answer).len() <= count);
        prop_assert!(counters_from(&names, &answer).len() <= count);
    }
}

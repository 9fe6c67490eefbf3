//! The programs, run by a small machine that does what the kernel does.

use super::*;

const SNAP: u32 = 128;

/// What the program returns for a packet that begins with its network layer.
fn run(program: &[sock_filter], packet: &[u8]) -> u32 {
    let (mut a, mut x, mut place) = (0_u32, 0_u32, 0_usize);
    let load = |k: u32, width: usize| -> Option<u32> {
        let start = k.wrapping_sub(NET) as usize;
        let bytes = packet.get(start..start + width)?;
        Some(bytes.iter().fold(0, |all, byte| all << 8 | u32::from(*byte)))
    };
    for _ in 0..program.len() {
        let step = program[place];
        place += 1;
        let loaded = match step.code {
            LOAD_BYTE => load(step.k, 1),
            LOAD_HALF => load(step.k, 2),
            LOAD_WORD => load(step.k, 4),
            LOAD_HALF_X => load(step.k.wrapping_add(x), 2),
            HEADER_TO_X => {
                let Some(byte) = load(step.k, 1) else { return 0 };
                x = 4 * (byte & 15);
                continue;
            }
            SHIFT => Some(a >> step.k),
            EQUAL => {
                place += usize::from(if a == step.k { step.jt } else { step.jf });
                continue;
            }
            ANY_BIT => {
                place += usize::from(if a & step.k != 0 { step.jt } else { step.jf });
                continue;
            }
            RETURN => return step.k,
            code => panic!("unknown code {code}"),
        };
        // A load behind the end rejects the packet.
        let Some(loaded) = loaded else { return 0 };
        a = loaded;
    }
    panic!("no end");
}

fn v4(from: [u8; 4], to: [u8; 4], protocol: u8, ports: (u16, u16)) -> Vec<u8> {
    // With an option, so that the header is longer than usual.
    let mut packet = vec![0x46, 0, 0, 44, 0, 1, 0x40, 0, 64, protocol, 0, 0];
    packet.extend(from);
    packet.extend(to);
    packet.extend([1, 1, 1, 0]);
    packet.extend(ports.0.to_be_bytes());
    packet.extend(ports.1.to_be_bytes());
    packet.extend([0; 16]);
    packet
}

fn v6(from: u128, to: u128, next: u8, ports: (u16, u16)) -> Vec<u8> {
    let mut packet = vec![0x60, 0, 0, 0, 0, 20, next, 64];
    packet.extend(from.to_be_bytes());
    packet.extend(to.to_be_bytes());
    packet.extend(ports.0.to_be_bytes());
    packet.extend(ports.1.to_be_bytes());
    packet.extend([0; 16]);
    packet
}

const A: [u8; 4] = [192, 0, 2, 1];
const B: [u8; 4] = [198, 51, 100, 7];
const A6: u128 = 0x2001_0db8_0000_0000_0000_0000_0000_0001;
const B6: u128 = 0x2001_0db8_0000_0000_0000_0000_0000_0002;

#[test]
fn without_wishes_all_tcp_passes_and_what_routers_say_of_it() {
    let program = Filter::default().program(SNAP);
    assert_eq!(run(&program, &v4(A, B, 6, (1, 2))), SNAP);
    assert_eq!(run(&program, &v4(A, B, 1, (1, 2))), SNAP);
    assert_eq!(run(&program, &v4(A, B, 17, (1, 2))), 0);
    assert_eq!(run(&program, &v6(A6, B6, 6, (1, 2))), SNAP);
    assert_eq!(run(&program, &v6(A6, B6, 58, (1, 2))), SNAP);
    assert_eq!(run(&program, &[0x08, 0x00, 1, 2]), 0, "no IP");
    assert_eq!(run(&program, &[]), 0);
}

#[test]
fn hosts_and_ports_are_those_of_either_end() {
    let filter = Filter {
        hosts: vec![A.into(), std::net::Ipv6Addr::from_bits(B6).into()],
        ports: vec![5001, 443],
    };
    let program = filter.program(SNAP);
    for (packet, wanted) in [
        (v4(A, B, 6, (5001, 2)), true),
        (v4(B, A, 6, (9, 443)), true),
        (v4(B, A, 6, (9, 444)), false),
        (v4(B, [192, 0, 2, 2], 6, (5001, 443)), false),
        (v4([9, 9, 9, 9], A, 1, (0, 0)), true),
        (v6(A6, B6, 6, (1, 443)), true),
        (v6(B6, A6, 6, (5001, 1)), true),
        (v6(B6, A6, 6, (1, 1)), false),
        (v6(A6, A6, 6, (1, 443)), false),
    ] {
        assert_eq!(run(&program, &packet) == SNAP, wanted, "{packet:02x?}");
    }
    // A later fragment has no ports.
    let mut fragment = v4(A, B, 6, (1, 1));
    fragment[7] = 9;
    assert_eq!(run(&program, &fragment), SNAP);
}

#[test]
fn the_largest_wish_fits() {
    let host = |n: u8| std::net::IpAddr::from([192, 0, 2, n]);
    let host6 = |n: u8| std::net::Ipv6Addr::from_bits(A6 + u128::from(n)).into();
    for filter in [host as fn(u8) -> std::net::IpAddr, host6].map(|host| Filter {
        hosts: (0..MOST_HOSTS as u8).map(host).collect(),
        ports: (0..MOST_PORTS as u16).collect(),
    }) {
        let program = filter.program(SNAP);
        assert!(program.iter().all(|step| step.jt < u8::MAX && step.jf < u8::MAX));
        let last = (MOST_HOSTS - 1) as u8;
        assert_eq!(
            run(&program, &v4(B, [192, 0, 2, last], 6, (99, 15))) == SNAP,
            filter.hosts[0].is_ipv4()
        );
        let last6 = A6 + u128::from(last);
        assert_eq!(
            run(&program, &v6(B6 + 99, last6, 6, (99, 15))) == SNAP,
            filter.hosts[0].is_ipv6()
        );
    }
}

//! Shares of time as the sending kernel counts them beside those that its packets tell.
//!
//! Linux counts how long a connection was busy, and how long of that the receiver's window held it back (`TCP_INFO`). Its third
//! count, of the send buffer, is no referee: it runs only where a write fills a segment partly, with nothing unsent beside it, and told
//! 0 to 60 % of transfers that a send buffer held back all the time. So the kernel is asked each millisecond whether it holds
//! something unsent: if not, the sender waits for its program, or, where a write finds no room, for the send buffer. A write that
//! had none, has it now and does not go on yet waits for a processor: its packets cannot tell which of both that is.

use crate::network::{RECEIVER, SENDER, are_installed, in_network};
use crate::transfer::{Captured, Running, json, main_half, share, start};
use lab::Lab;
use std::process::{Child, Stdio};
use std::time::Duration;

const FIRST_PORT: u32 = 6001;

/// `port buffer congestion block pause seconds`: writes, waits until all is acknowledged, and prints parts of that time: what the
/// kernel counted as busy and as held back by the window, and the looks that found the program, the send buffer, and either.
const WRITER: &str = "\
import fcntl,select,socket,struct,sys,termios,threading,time
port,buffer,congestion,block,pause,seconds=sys.argv[1:]
s=socket.socket()
if int(buffer): s.setsockopt(socket.SOL_SOCKET,socket.SO_SNDBUF,int(buffer))
s.setsockopt(socket.IPPROTO_TCP,socket.TCP_CONGESTION,congestion.encode())
s.connect(('receiver',int(port)))
began=time.monotonic()
data=b'x'*int(block)
writes,looks,program,buffer,either=False,0,0,0,0
in_write=[0,0]
was_full=False
room=select.poll()
room.register(s,select.POLLOUT)
def queued(which): return struct.unpack('i',fcntl.ioctl(s,which,b'0000'))[0]
def look():
 global looks,program,was_full
 while looks>=0:
  looks+=1
  is_full=not room.poll(0)
  was_full|=is_full
  if queued(0x894B)<1448:
   if writes: in_write[is_full]+=1
   else: program+=1
  time.sleep(0.001)
threading.Thread(target=look,daemon=True).start()
while time.monotonic()<began+float(seconds):
 in_write[:]=0,0
 was_full,writes=False,True
 s.sendall(data)
 writes=False
 buffer+=in_write[True]
 if was_full: either+=in_write[False]
 else: program+=in_write[False]
 if float(pause): time.sleep(float(pause))
while queued(termios.TIOCOUTQ): time.sleep(0.0005)
took=time.monotonic()-began
told=struct.unpack_from('QQ',s.getsockopt(socket.IPPROTO_TCP,socket.TCP_INFO,232),168)
print(*(us/1e6/took for us in told),program/looks,buffer/looks,either/looks)
looks=-2
";

/// `port buffer rate`: reads, no faster than the rate, bytes per second, where there is one.
const READER: &str = "\
import socket,sys,time
port,buffer,rate=sys.argv[1:]
l=socket.socket()
l.setsockopt(socket.SOL_SOCKET,socket.SO_REUSEADDR,1)
if int(buffer): l.setsockopt(socket.SOL_SOCKET,socket.SO_RCVBUF,int(buffer))
l.bind(('',int(port)))
l.listen()
c,_=l.accept()
rate=float(rate)
while True:
 got=len(c.recv(1<<14 if rate else 1<<20))
 if not got: break
 if rate: time.sleep(got/rate)
";

/// A transfer of a sweep. Buffers of 0 are the kernel's own.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    send_buffer: u32,
    receive_buffer: u32,
    congestion: &'static str,
    block: u32,
    pause_s: f64,
    reads_bytes_per_s: u32,
}

const BULK: Kind = Kind {
    name: "bulk",
    send_buffer: 0,
    receive_buffer: 0,
    congestion: "cubic",
    // Larger than any send buffer.
    block: 1 << 24,
    pause_s: 0.0,
    reads_bytes_per_s: 0,
};

const fn window(name: &'static str, receive_buffer: u32) -> Kind {
    Kind {
        name,
        receive_buffer,
        ..BULK
    }
}

const fn buffer(name: &'static str, send_buffer: u32) -> Kind {
    Kind {
        name,
        send_buffer,
        ..BULK
    }
}

const fn blocks(name: &'static str, block: u32, pause_s: f64) -> Kind {
    Kind {
        name,
        block,
        pause_s,
        ..BULK
    }
}

const fn slow(name: &'static str, receive_buffer: u32, reads_bytes_per_s: u32) -> Kind {
    Kind {
        name,
        receive_buffer,
        reads_bytes_per_s,
        ..BULK
    }
}

/// Parts of the time of a transfer.
#[derive(Debug)]
struct Parts {
    busy: f64,
    window: f64,
    program: f64,
    send_buffer: f64,
    /// Of the program or of the send buffer.
    either: f64,
}

impl Parts {
    fn counted(printed: &[u8]) -> Self {
        let text = String::from_utf8_lossy(printed);
        let parts: Vec<f64> = text
            .split_whitespace()
            .map(|part| part.parse().unwrap())
            .collect();
        let [busy, window, program, send_buffer, either] = parts[..] else {
            panic!("the writer failed: {text}");
        };
        Self {
            busy,
            window,
            program,
            send_buffer,
            either,
        }
    }

    fn told(half: &serde_json::Value) -> Self {
        let causes = &half["causes"];
        let shares = causes["shares"].as_array().unwrap();
        let all: f64 = shares
            .iter()
            .map(|share| share["time_ns"].as_f64().unwrap())
            .sum();
        Self {
            busy: causes["busy_ns"].as_f64().unwrap() / all,
            window: share(half, "receiver-window"),
            program: share(half, "application") + share(half, "idle"),
            send_buffer: share(half, "send-buffer"),
            either: 0.0,
        }
    }
}

/// All of them at once, for some seconds: what was captured, and what the kernel counted of each.
fn sweep(lab: &Lab, kinds: &[Kind]) -> (Captured, Vec<Parts>) {
    Captured::during(lab, |_| {
        let numbered = || (FIRST_PORT..).zip(kinds);
        let readers: Vec<Running> = numbered()
            .map(|(port, kind)| {
                let arguments =
                    [port, kind.receive_buffer, kind.reads_bytes_per_s].map(|number| number.to_string());
                let arguments = arguments.each_ref().map(String::as_str);
                start(
                    lab,
                    RECEIVER,
                    &[&["python3", "-c", READER][..], &arguments].concat(),
                )
            })
            .collect();
        std::thread::sleep(Duration::from_secs(1)); // until they listen
        let writers: Vec<Child> = numbered()
            .map(|(port, kind)| {
                let mut writer = lab.command(SENDER, "python3").unwrap();
                writer.args([
                    "-c",
                    WRITER,
                    &port.to_string(),
                    &kind.send_buffer.to_string(),
                    kind.congestion,
                ]);
                writer.args([kind.block.to_string(), kind.pause_s.to_string(), "6".to_owned()]);
                writer.stdout(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        let counted = writers
            .into_iter()
            .map(|writer| Parts::counted(&writer.wait_with_output().unwrap().stdout));
        let counted = counted.collect();
        drop(readers);
        counted
    })
}

/// Five points. At the receiver no capture tells a send buffer from a queue; where it holds a transfer back, that is not the program's
/// time nor the window's.
fn is_near(host: &str, told: &Parts, kernel: &Parts) -> bool {
    let is_within = |told: f64, least: f64, more: f64| (least - 0.05..=least + more + 0.05).contains(&told);
    is_within(told.busy, kernel.busy, 0.0)
        && is_within(told.window, kernel.window, 0.0)
        && is_within(told.program, kernel.program, kernel.either)
        && (host == RECEIVER || is_within(told.send_buffer, kernel.send_buffer, kernel.either))
}

/// What the packets tell beside what the kernel counted: whether all is near, and a table of it.
fn table(captured: &Captured, kinds: &[Kind], counted: &[Parts]) -> (bool, String) {
    let (mut all_near, mut table) = (true, String::new());
    for ((port, kind), kernel) in (FIRST_PORT..).zip(kinds).zip(counted) {
        for host in [SENDER, RECEIVER] {
            let file = captured.file(host);
            let file = file.to_str().unwrap();
            let flow = json(&["capture", file, "--json", "--port", &port.to_string()]);
            let told = Parts::told(main_half(&flow));
            let is_near = is_near(host, &told, kernel);
            all_near &= is_near;
            let mark = if is_near { "" } else { "WRONG" };
            table += &format!(
                "{mark:5} {:22} {host:8} {kernel:.3?} told {told:.3?}\n",
                kind.name
            );
        }
    }
    (all_near, table)
}

/// The share of their time that the processors had nothing to do meanwhile. Alone these transfers leave them 60 to 80 %, beside one
/// busy program 30; beside two, where nobody gets a processor when he wants it, the shares are no longer those of the network.
const LEAST_IDLE: f64 = 0.2;

/// Time of all processors since they started: nothing to do, and all.
fn processor_time() -> [u64; 2] {
    let counted = std::fs::read_to_string("/proc/stat").unwrap();
    let first = counted.lines().next().unwrap().split_whitespace();
    // user, nice, system, idle, iowait, irq, softirq, steal; what guests took is within the first two (proc_stat(5)).
    let ticks: Vec<u64> = first
        .skip(1)
        .take(8)
        .map(|ticks| ticks.parse().unwrap())
        .collect();
    [ticks[3], ticks.iter().sum()]
}

fn compare(link: &str, kinds: &[Kind]) {
    if !are_installed(&["python3"]) {
        return;
    }
    in_network(link, |lab| {
        for _ in 0..3 {
            let before = processor_time();
            let (captured, counted) = sweep(lab, kinds);
            let [idle, all] = processor_time();
            let idle = (idle - before[0]) as f64 / (all - before[1]) as f64;
            let (all_near, table) = table(&captured, kinds, &counted);
            if all_near {
                return;
            }
            assert!(idle < LEAST_IDLE, "{link}, processors idle {idle:.2}\n{table}");
            println!("the machine was too busy, idle {idle:.2}:\n{table}");
        }
        println!("SKIPPED shares in `{link}`: the machine was too busy, three times");
    });
}

pub(crate) fn shares_are_those_of_the_kernel() {
    compare(
        "both = { delay = '20 ms' }",
        &[
            window("window 60 kB", 60_000),
            window("window 400 kB", 400_000),
            buffer("send buffer 60 kB", 60_000),
            buffer("send buffer 300 kB", 300_000),
            blocks("blocks 100 kB", 100_000, 0.05),
            blocks("blocks 400 kB", 400_000, 0.3),
            slow("slow reader", 200_000, 1_000_000),
        ],
    );
}

pub(crate) fn shares_over_a_short_path_are_those_of_the_kernel() {
    compare(
        "both = { delay = '1 ms' }",
        &[
            window("window 30 kB", 30_000),
            buffer("send buffer 30 kB", 30_000),
            Kind {
                // A block fits: else the buffer that the kernel begins with holds the program back as well.
                send_buffer: 131_072,
                ..blocks("blocks 32 kB", 32_768, 0.0033)
            },
            slow("slow reader", 300_000, 4_000_000),
        ],
    );
}

pub(crate) fn shares_on_a_narrow_link_are_those_of_the_kernel() {
    compare(
        "both = { delay = '10 ms', rate = '100 Mbit/s', queue_bytes = 500000 }",
        &[
            BULK,
            window("window 60 kB", 60_000),
            blocks("blocks 20 kB", 20_000, 0.2),
        ],
    );
}

/// With losses only what is clear: while the last of a block is repaired the kernel has nothing unsent, and from afar a congestion
/// window that losses leave up to a third below the receiver's looks like that one.
pub(crate) fn shares_with_losses_are_those_of_the_kernel() {
    compare(
        "both = { delay = '10 ms', rate = '200 Mbit/s' }\na_to_b = { loss = { every = 311 } }",
        &[
            BULK,
            Kind {
                name: "reno",
                congestion: "reno",
                ..BULK
            },
        ],
    );
}

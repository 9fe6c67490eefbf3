//! The sockets of one run of probes: raw where the system allows, else datagram sockets with the error queue.
//!
//! Raw sockets see whole quotes and choose every header field. Datagram sockets need no privilege; where a router
//! quotes too little they cannot tell which probe it means, and the machine then asks one hop at a time.

mod queued;
mod raw;
mod socket;

pub(crate) use raw::strip_ip_header;
pub(crate) use socket::{domain_of, receiver};

use super::clock::Clock;
use super::flow::FlowSpec;
use crate::NetError;
use crate::sys::message;
use probe::wire::{Flow, Recogniser};
use probe::{Probe, Refusal, Reply};
use queued::QueuedSockets;
use raw::RawSockets;
use socket2::Socket;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::time::Duration;

/// Which sockets to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sockets {
    /// Raw sockets where permitted, else unprivileged ones.
    #[default]
    Best,
    /// Unprivileged ones only: what a user without rights would get.
    Unprivileged,
}

/// Sockets that send probes and recognise their answers.
pub(super) struct Endpoint {
    sockets: Kind,
    recogniser: Recogniser,
    clock: Clock,
    /// Longest possible answer.
    buffer: Vec<u8>,
}

enum Kind {
    Raw(RawSockets),
    Queued(QueuedSockets),
}

impl Endpoint {
    /// Opens sockets for `specs`, whose order gives the flow index.
    pub(super) fn open(
        source: IpAddr,
        specs: &[FlowSpec],
        wanted: Sockets,
        clock: Clock,
    ) -> Result<Self, NetError> {
        let raw = match wanted {
            Sockets::Best => RawSockets::open(source, specs),
            Sockets::Unprivileged => Err(io::Error::from(io::ErrorKind::PermissionDenied)),
        };
        let (sockets, flows) = match raw {
            Ok((raw, flows)) => (Kind::Raw(raw), flows),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let (queued, flows) = QueuedSockets::open(source, specs)?;
                (Kind::Queued(queued), flows)
            }
            Err(error) => return Err(NetError::os(format!("opening raw sockets on {source}"), error)),
        };
        Ok(Self {
            sockets,
            recogniser: Recogniser::new(flows),
            clock,
            buffer: vec![0; 0x1_0000],
        })
    }

    pub(super) fn flows(&self) -> &[Flow] {
        self.recogniser.flows()
    }

    pub(super) fn clock(&self) -> Clock {
        self.clock
    }

    /// Sends `probe`.
    pub(super) fn send(&mut self, probe: &Probe) -> Result<(), Refusal> {
        let flow = self
            .recogniser
            .flows()
            .get(usize::from(probe.flow))
            .ok_or(Refusal::NotSent)?;
        match &mut self.sockets {
            Kind::Raw(raw) => raw.send(flow, probe),
            Kind::Queued(queued) => queued.send(flow, probe),
        }
    }

    /// Hands every waiting answer to `take`, with the time of its arrival.
    pub(super) fn drain(&mut self, mut take: impl FnMut(u64, Reply)) {
        let Self {
            sockets,
            recogniser,
            clock,
            buffer,
        } = self;
        let mut stamped = |stamp: Option<u64>, reply: Reply| take(clock.of_stamp(stamp), reply);
        match sockets {
            Kind::Raw(raw) => raw.drain(recogniser, buffer, &mut stamped),
            Kind::Queued(queued) => queued.drain(recogniser, buffer, &mut stamped),
        }
    }

    /// Waits for something to drain, at most `timeout`.
    pub(super) fn wait(&self, timeout: Duration) -> io::Result<()> {
        message::wait_readable(&self.descriptors(), timeout)
    }

    /// Answers lost because our buffers were full; `None` when the kernel does not tell.
    pub(super) fn dropped(&self) -> Option<u64> {
        self.receivers()
            .map(|socket| message::dropped_by_socket(socket.as_fd()))
            .sum()
    }

    fn descriptors(&self) -> Vec<RawFd> {
        self.receivers().map(AsRawFd::as_raw_fd).collect()
    }

    fn receivers(&self) -> Box<dyn Iterator<Item = &Socket> + '_> {
        match &self.sockets {
            Kind::Raw(raw) => Box::new(raw.receivers()),
            Kind::Queued(queued) => Box::new(queued.receivers()),
        }
    }
}

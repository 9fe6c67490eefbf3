//! What a request carries: nothing, or an upload's made-up bytes.

use crate::transfer::tcp_send::incompressible;
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

/// Bytes that are handed over at once.
const CHUNK_BYTES: usize = 256 << 10;

/// The body of a request.
#[derive(Debug)]
pub(super) struct Feed {
    /// `None`: a request without a body.
    content: Option<Bytes>,
    /// What is still to be sent; `None`: until it is ended.
    left: Option<u64>,
    ended: Arc<AtomicBool>,
}

impl Feed {
    /// A request without a body.
    pub(super) fn nothing() -> Self {
        Self {
            content: None,
            left: Some(0),
            ended: Arc::default(),
        }
    }

    /// So many bytes, or as many as go through until [`Self::end`]'s switch is set.
    pub(super) fn bytes(limit: Option<u64>) -> Self {
        let mut content = incompressible();
        content.truncate(CHUNK_BYTES);
        Self {
            content: Some(content.into()),
            left: limit,
            ended: Arc::default(),
        }
    }

    /// The switch that ends an upload of no certain length.
    pub(super) fn end(&self) -> Arc<AtomicBool> {
        self.ended.clone()
    }

    fn is_over(&self) -> bool {
        let ended = self.left.is_none() && self.ended.load(Ordering::Relaxed);
        self.content.is_none() || self.left == Some(0) || ended
    }
}

impl Body for Feed {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.is_over() {
            return Poll::Ready(None);
        }
        let Some(content) = &self.content else {
            return Poll::Ready(None);
        };
        let most = self
            .left
            .map_or(content.len(), |left| usize::try_from(left).unwrap_or(usize::MAX));
        let chunk = content.slice(..content.len().min(most));
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(chunk.len() as u64);
        }
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.is_over()
    }

    fn size_hint(&self) -> SizeHint {
        match self.left {
            Some(left) => SizeHint::with_exact(left),
            None => SizeHint::default(),
        }
    }
}

//! How a person follows a measurement while it runs, and stops it.

use crate::budget::Budget;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Where a running measurement is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// What is going on, in a few words: "2.1 Gbit/s, 3 retransmits".
    pub text: String,
    /// Share done, 0 to 1; `None` when the end is not known.
    pub fraction: Option<f32>,
}

/// Handed to every measurement: where to report progress, and whether to stop. Cheap to clone.
///
/// A measurement that is cancelled ends at once and returns what it has (`StopReason::Cancelled`), or
/// [`crate::NetError::Cancelled`] when it has nothing.
#[derive(Clone)]
pub struct Watch {
    /// Cancelled when the user presses Ctrl-C or the budget is used up.
    pub cancel: CancellationToken,
    sink: Arc<dyn Fn(Progress) + Send + Sync>,
    budget: Option<Arc<Budget>>,
}

impl Watch {
    /// A watch whose progress goes to `sink`.
    pub fn new(cancel: CancellationToken, sink: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self {
            cancel,
            sink: Arc::new(sink),
            budget: None,
        }
    }

    /// The same watch over a measurement that draws on `budget`.
    pub(crate) fn within(self, budget: Arc<Budget>) -> Self {
        let budget = Some(budget);
        Self { budget, ..self }
    }

    /// What the owner of this end allows; `None` where nobody limits it.
    pub(crate) fn budget(&self) -> Option<&Budget> {
        self.budget.as_deref()
    }

    /// A watch that nobody looks at.
    #[must_use]
    pub fn quiet() -> Self {
        Self::new(CancellationToken::new(), |_| {})
    }

    /// Reports progress.
    pub fn report(&self, text: impl Into<String>, fraction: Option<f32>) {
        (self.sink)(Progress {
            text: text.into(),
            fraction,
        });
    }
}

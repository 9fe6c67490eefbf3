//! The error of all lab commands: which errors of others are the user's mistake, and which this machine's refusal.

/// Why a lab command could not do its work.
#[derive(Debug)]
pub(super) enum Failure {
    /// The user's mistake: a wrong name, a broken file.
    Usage(String),
    /// This machine's refusal.
    Lab(String),
}

impl From<lab::LabError> for Failure {
    fn from(error: lab::LabError) -> Self {
        match error {
            lab::LabError::UnknownNode { .. } | lab::LabError::UnknownStep { .. } => {
                Self::Usage(error.to_string())
            }
            _ => Self::Lab(format!(
                "cannot bring the lab up, which needs namespaces and TUN devices: {error}"
            )),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Lab(error.to_string())
    }
}

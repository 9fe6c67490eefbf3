//! How a command that exchanges packets with strangers runs: with few rights, on an asynchronous runtime.

use crate::exit;
use net::rights::{Client, restrict_client};
use std::process::ExitCode;

/// Gives up rights and runs a command that exchanges packets with strangers. In this order: the runtime's threads inherit
/// what is left.
pub(crate) fn as_client(client: &Client<'_>, command: impl Future<Output = ExitCode>) -> ExitCode {
    match restrict_client(client) {
        Ok(()) => with_runtime(command),
        Err(error) => exit::could_not_measure(&error.to_string()),
    }
}

/// Runs an asynchronous command. The runtime is made here, not around `main`: the lab has to enter namespaces while
/// the process has a single thread.
fn with_runtime(command: impl Future<Output = ExitCode>) -> ExitCode {
    match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => {
            let code = runtime.block_on(command);
            // A name lookup that hangs must not keep a finished program from ending.
            runtime.shutdown_background();
            code
        }
        Err(error) => exit::could_not_measure(&format!("cannot start: {error}")),
    }
}

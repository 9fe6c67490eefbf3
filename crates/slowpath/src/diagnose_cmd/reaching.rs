//! The far ends of a diagnosis, or why there are none.

use super::DiagnoseArgs;
use super::ends::Ends;
use crate::console::Console;
use crate::exit;
use crate::far::Far;
use crate::far_end_args::Reached;
use crate::http_args::{self, Web};
use crate::iperf3_args::WITHOUT_OURS;
use crate::places::Found;
use crate::ssh::Session;
use crate::vantages::may_meet;
use evidence::End;
use net::NetError;
use net::http::Http;
use std::process::ExitCode;
use std::sync::Arc;

/// The far ends at both ends, with what keeps them running, where neither end is this host. Without one of them nothing can be
/// measured.
pub(super) async fn reach_others(
    found: Option<[Found; 2]>,
    console: &Console,
) -> Result<Option<[(Far, Option<Session>); 2]>, ExitCode> {
    let Some([from, to]) = found else {
        return Ok(None);
    };
    let watch = console.begin("far ends");
    let reach = |found: Found| async {
        let name = found.name.clone();
        let reached = found.reach(&watch).await.into_far();
        reached.map_err(|why| exit::could_not_measure(&format!("{name}: {why}")))
    };
    let (from, to) = tokio::join!(reach(from), reach(to));
    let ends = [from?, to?];
    may_meet(&ends[0].0.end, &ends[1].0.end, &watch)
        .await
        .map_err(|error| exit::could_not_measure(&error.to_string()))?;
    Ok(Some(ends))
}

/// The far end of ours, or why there is none.
pub(super) async fn reach(
    args: &DiagnoseArgs,
    ends: &Ends,
    http: Option<&Arc<Http>>,
    console: &Console,
) -> Result<Result<Far, String>, ExitCode> {
    if let (Some((web, _)), Some(http)) = (&ends.web, http) {
        return look_at(web, http, console).await;
    }
    let watch = console.begin("far end");
    let reached = args
        .far_end
        .connect(ends.remote, ends.bind, ends.session.as_ref(), &watch)
        .await;
    match reached {
        Reached::Yes(far) => Ok(Ok(*far)),
        Reached::Misused(message) => Err(exit::usage(&message)),
        Reached::No(why) if args.iperf3.is_given() => {
            if args.far_end.token_file.is_some() {
                console.warn(&format!("no far end of slowpath takes part: {why}"));
            }
            console.line(&args.iperf3.role());
            Ok(Err(WITHOUT_OURS.to_owned()))
        }
        Reached::No(why) => {
            console.warn(&format!("testing from this end only: {why}"));
            Ok(Err(why))
        }
    }
}

/// A wrong URL is told at once. A server that does not answer is no reason to stop: why it does not is the question.
async fn look_at(web: &Web, http: &Arc<Http>, console: &Console) -> Result<Result<Far, String>, ExitCode> {
    if let Some(note) = web.proxy_note() {
        console.warn(&note);
    }
    if web.local_end() == End::To {
        match http.look(&console.begin("web server")).await {
            Ok(what) => console.line(&what),
            Err(error @ (NetError::Web(_) | NetError::Tls(_))) => {
                return Err(exit::could_not_measure(&error.to_string()));
            }
            Err(error) => console.warn(&error.to_string()),
        }
    }
    console.line(&web.role());
    Ok(Err(http_args::WITHOUT_OURS.to_owned()))
}

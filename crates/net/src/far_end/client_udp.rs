use super::channel::Channel;
use super::client::{Answer, Ends};
use crate::{NetError, Watch};
use evidence::{Ask, Payload};
pub(super) async fn run(_: &mut Channel, _: Ends, _: &Ask, _: &Watch) -> Answer<Vec<Payload>> {
    Ok(Err(NetError::Unsupported("UDP".into())))
}

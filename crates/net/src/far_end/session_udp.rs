use super::channel::{Channel, ChannelError};
use super::session::{Client, refuse};
use probe::session::{Refusal, UdpPlan};
pub(super) async fn run(channel: &mut Channel, _: &Client, _: &UdpPlan) -> Result<(), ChannelError> {
    refuse(channel, Refusal::Limits, "UDP").await
}

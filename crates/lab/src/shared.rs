//! The nodes and links of a running lab, as all its threads see them: they ask what holds now, and change it.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scenario::{Change, NodeId, Scenario};

use crate::emulator::DirectionControl;
use crate::error::{LabError, while_doing};
use crate::{namespace, nft, sysctl, wiring};

/// What the lab and its threads share.
#[derive(Debug)]
pub(crate) struct Shared {
    /// As it is now: changes are written back.
    scenario: Mutex<Scenario>,
    namespaces: Vec<OwnedFd>,
    controls: Vec<Option<[Arc<DirectionControl>; 2]>>,
}

impl Shared {
    pub(crate) fn new(
        scenario: Scenario,
        namespaces: Vec<OwnedFd>,
        controls: Vec<Option<[Arc<DirectionControl>; 2]>>,
    ) -> Self {
        Self {
            scenario: Mutex::new(scenario),
            namespaces,
            controls,
        }
    }

    pub(crate) fn scenario(&self) -> MutexGuard<'_, Scenario> {
        self.scenario.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The namespaces of the nodes, in their order.
    pub(crate) fn namespaces(&self) -> &[OwnedFd] {
        &self.namespaces
    }

    /// For each link the controls of both directions, where the link is emulated.
    pub(crate) fn controls(&self) -> &[Option<[Arc<DirectionControl>; 2]>] {
        &self.controls
    }

    fn namespace(&self, node: &str) -> Result<&OwnedFd, LabError> {
        let scenario = self.scenario();
        let id = scenario.node_id(node);
        id.and_then(|NodeId(index)| self.namespaces.get(index))
            .ok_or_else(|| LabError::UnknownNode {
                name: node.to_owned(),
                known: scenario
                    .nodes
                    .iter()
                    .map(|n| n.name.as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }

    /// A copy of the descriptor of this host's or router's namespace.
    pub(crate) fn namespace_of(&self, node: &str) -> Result<OwnedFd, LabError> {
        let namespace = self.namespace(node)?.try_clone();
        namespace.map_err(while_doing("copying a descriptor"))
    }

    /// Runs `work` on a thread inside this host or router.
    pub(crate) fn inside<T: Send>(
        &self,
        node: &str,
        work: impl FnOnce() -> Result<T, LabError> + Send,
    ) -> Result<T, LabError> {
        namespace::run_inside(self.namespace(node)?, work)
    }

    /// Makes one change, in the kernel or the emulator and in the scenario that the lab remembers.
    pub(crate) fn apply(&self, change: &Change) -> Result<(), LabError> {
        let mut scenario = self.scenario();
        match change {
            Change::Direction { link, side, set } => {
                scenario.links[link.0].directions[side.index()].apply(set);
                if let Some(Some(controls)) = self.controls.get(link.0) {
                    controls[side.index()].change(|direction| direction.apply(set));
                }
                Ok(())
            }
            Change::Mtu {
                link,
                side,
                mtu_bytes,
            } => {
                scenario.links[link.0].ends[side.index()].mtu_bytes = *mtu_bytes;
                let Some(interface) = wiring::interface_at(&scenario, link.0, *side) else {
                    return Ok(());
                };
                let node = scenario.links[link.0].end(*side).node;
                namespace::run_inside(&self.namespaces[node.0], || {
                    namespace::block_on(async { wiring::set_mtu(interface, *mtu_bytes).await })
                })
            }
            Change::Settings { node, set } => {
                scenario.nodes[node.0].settings.apply(set);
                let settings = scenario.nodes[node.0].settings.clone();
                namespace::run_inside(&self.namespaces[node.0], || {
                    sysctl::of_settings(&settings)?;
                    nft::apply(&settings)
                })
            }
        }
    }
}

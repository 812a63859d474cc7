//! What is simulated: worlds, true effects, and limits that the gate must keep there.

use serde::{Deserialize, Serialize};

use super::world::World;

/// A file of worlds.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Spec {
    /// True effects of the candidate (0.05 is +5 %).
    pub deltas: Vec<f64>,
    /// Ways in which scores scatter.
    pub worlds: Vec<World>,
    /// What must hold.
    #[serde(default)]
    pub limits: Vec<Limit>,
}

/// A limit on the cells of one effect.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Limit {
    /// The effect.
    pub delta: f64,
    /// Only in these worlds; empty means in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worlds: Vec<String>,
    /// Not in these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub but: Vec<String>,
    /// Share accepted, at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept_max: Option<f64>,
    /// Share accepted, at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept_min: Option<f64>,
    /// Share reverted, at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revert_max: Option<f64>,
    /// Share reverted, at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revert_min: Option<f64>,
    /// Mean runs, at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_max: Option<f64>,
}

impl Limit {
    /// Whether it holds for a cell.
    pub fn concerns(&self, world: &str, delta: f64) -> bool {
        self.delta == delta
            && (self.worlds.is_empty() || self.worlds.iter().any(|w| w == world))
            && !self.but.iter().any(|w| w == world)
    }
}

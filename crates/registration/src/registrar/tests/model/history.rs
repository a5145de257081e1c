//! A history of concurrent calls, and the search for an order that explains it.
//!
//! A history is linearizable if its calls can be ordered so that the model gives each of them its answer and no call
//! follows one that began after it had ended (Herlihy and Wing). Histories are short, so all orders that the times
//! allow are tried.

use super::{
    call::{Call, CallResult},
    world::World,
};

/// A call with its answer, and the ticks of the common clock before and after it.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) call: Call,
    pub(super) answer: CallResult,
    /// The time on the worker's clock.
    pub(super) now: i64,
    pub(super) began: u64,
    pub(super) ended: u64,
}

/// Searches for an order; remembers the one that explained the most calls.
#[derive(Default)]
pub(super) struct OrderSearch {
    furthest: usize,
    why: String,
}

impl OrderSearch {
    /// Whether the calls in `lanes`, each of which is in order, have a common order after which `is_end` accepts the
    /// world.
    pub(super) fn finds(
        &mut self,
        world: &World,
        lanes: [&[Event]; 2],
        depth: usize,
        is_end: &mut dyn FnMut(World) -> Result<(), String>,
    ) -> bool {
        if lanes.iter().all(|lane| lane.is_empty()) {
            return is_end(world.clone()).map_err(|why| self.note(depth, why)).is_ok();
        }
        for (first, second) in [(0, 1), (1, 0)] {
            let Some((event, rest)) = lanes[first].split_first() else { continue };
            if lanes[second].first().is_some_and(|other| other.ended < event.began) {
                continue;
            }
            let mut after = world.clone();
            let expected = after.answer(&event.call, &event.answer, event.now);
            if expected != event.answer {
                if !event.is_retry() {
                    self.note(depth, format!("{event:?}\n  should be {expected:?}"));
                    continue;
                }
                after = world.clone();
            }
            let mut left = lanes;
            left[first] = rest;
            if self.finds(&after, left, depth + 1, is_end) {
                return true;
            }
        }
        false
    }

    fn note(&mut self, depth: usize, why: String) {
        if self.why.is_empty() || depth > self.furthest {
            (self.furthest, self.why) = (depth, why);
        }
    }

    /// Explains why the best order failed.
    pub(super) fn why(&self) -> String {
        format!("after {} calls of the best order: {}", self.furthest, self.why)
    }
}

impl Event {
    /// Whether the call was answered "retry" because of a concurrent call, and had no effect.
    fn is_retry(&self) -> bool {
        match self.call {
            Call::Claim { .. } => self.answer.code == "rate_limited",
            Call::Register { .. } => self.answer.code == "retry",
            _ => false,
        }
    }
}

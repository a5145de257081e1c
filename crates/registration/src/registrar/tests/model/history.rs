//! What happened while two workers were busy, and whether it could have happened in some order.
//!
//! A history is linearizable if its calls can be put in an order in which the model gives each of them the answer that
//! it got, and in which no call comes after one that began when it had already ended (Herlihy and Wing). Histories are
//! short, so every order that time allows is tried.

use super::{
    call::{Call, CallResult},
    world::World,
};

/// A call with its answer, and what the clock that all workers share showed before and after.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) call: Call,
    pub(super) answer: CallResult,
    /// The time, as the worker believed it to be.
    pub(super) now: i64,
    pub(super) began: u64,
    pub(super) ended: u64,
}

/// Looks for an order, and remembers how far the best one came.
#[derive(Default)]
pub(super) struct OrderSearch {
    furthest: usize,
    why: String,
}

impl OrderSearch {
    /// Whether there is an order of the calls in `lanes`, each of which is already in order, after which `is_end`
    /// confirms that all is as it should be.
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
                if !event.is_haste() {
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

    /// Explains why the order that came furthest came no further.
    pub(super) fn why(&self) -> String {
        format!("after {} calls of the best order: {}", self.furthest, self.why)
    }
}

impl Event {
    /// Whether the caller was told to come again, as may happen to one who meets another at the same moment. Nothing
    /// has happened then.
    fn is_haste(&self) -> bool {
        match self.call {
            Call::Claim { .. } => self.answer.code == "rate_limited",
            Call::Register { .. } => self.answer.code == "come again",
            _ => false,
        }
    }
}

//! Lets two workers race and judges the result.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use clock::Time;
use proptest::test_runner::TestCaseError;
use tokio::sync::Barrier;

use super::{
    call::Call,
    history::{Event, OrderSearch},
    play::{Player, check_live},
    strategy::PEOPLE,
    worker::Worker,
};
use crate::store::testing::runtime;

/// Calls in sequence, and then calls of two workers at once.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) before: Vec<Call>,
    pub(super) lanes: [Lane; 2],
    /// Whether both workers start every call together, not just the first.
    pub(super) is_abreast: bool,
}

/// The calls of one worker, whose clock is `ahead` milliseconds fast.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) ahead: i64,
    pub(super) calls: Vec<Call>,
}

/// Plays a round and searches for an order that the model accepts.
pub(super) async fn race(player: &mut Player, round: &Round) -> Result<(), TestCaseError> {
    player.play(&round.before).await?;
    let (clock, barrier) = (Arc::new(AtomicU64::new(0)), Arc::new(Barrier::new(2)));
    let steps = round.lanes.each_ref().map(|lane| lane.calls.len());
    let together = if round.is_abreast { steps[0].min(steps[1]) } else { 1 };
    let tasks = [0, 1].map(|side| {
        let (worker, lane) = (player.workers[side].clone(), round.lanes[side].clone());
        let (clock, barrier, now) = (Arc::clone(&clock), Arc::clone(&barrier), player.now + lane.ahead);
        runtime().spawn(run(worker, lane, now, (clock, barrier, together)))
    });
    let mut lanes = Vec::new();
    for task in tasks {
        lanes.push(task.await.unwrap());
    }
    for event in lanes.iter().flatten() {
        event.answer.check_answered()?;
    }
    // The state afterwards must follow from the same order.
    let latest = lanes.iter().flatten().map(|event| event.now).max().unwrap_or(player.now).max(player.now);
    let live = player.case().live(player.workers[0].registrar.store(), Time::from_millis(latest)).await;
    let people = player.case().people(player.workers[0].registrar.store(), PEOPLE).await;
    let probes = player.case().wallet().everything();
    let mut after = Vec::new();
    for call in probes {
        after.push((player.workers[0].perform(&call, Time::from_millis(latest)).await, call));
    }
    let mut search = OrderSearch::default();
    let mut end = None;
    let found = search.finds(&player.world, [&lanes[0], &lanes[1]], 0, &mut |mut world| {
        check_live(&live, &world.live(latest))?;
        if people != world.people(PEOPLE) {
            return Err(format!("about people is kept {people:?}\n  and not {:?}", world.people(PEOPLE)));
        }
        for (actual, call) in &after {
            let expected = world.answer(call, actual, latest);
            if expected != *actual {
                return Err(format!("afterwards {call:?} is answered {actual:?}\n  and not {expected:?}"));
            }
        }
        end = Some(world);
        Ok(())
    });
    if !found {
        let listed = lanes.iter().map(|lane| {
            let listed: Vec<_> = lane.iter().map(|event| format!("{event:?}")).collect();
            listed.join("\n    ")
        });
        let listed: Vec<_> = listed.collect();
        let why = search.why();
        return Err(TestCaseError::fail(format!(
            "no order explains\n    {}\n  beside\n    {}\n  {why}",
            listed[0], listed[1]
        )));
    }
    player.world = end.unwrap_or_default();
    player.now = latest;
    Ok(())
}

async fn run(
    worker: Worker,
    lane: Lane,
    now: i64,
    (clock, barrier, together): (Arc<AtomicU64>, Arc<Barrier>, usize),
) -> Vec<Event> {
    let mut events = Vec::new();
    for (step, call) in lane.calls.iter().enumerate() {
        if step < together {
            barrier.wait().await;
        }
        // A separate statement, so that the lock is released.
        let named = worker.case.wallet().resolve(call, now);
        let Some(call) = named else { continue };
        let began = clock.fetch_add(1, Ordering::SeqCst);
        let answer = worker.perform(&call, Time::from_millis(now)).await;
        let ended = clock.fetch_add(1, Ordering::SeqCst);
        events.push(Event { call, answer, now, began, ended });
    }
    events
}

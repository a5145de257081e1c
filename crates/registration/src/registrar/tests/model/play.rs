//! Plays one call after another on two replicas and compares with the model.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use clock::Time;
use contract::scopes::Scope;
use proptest::test_runner::TestCaseError;

use super::{
    call::{Call, Wait},
    strategy::PEOPLE,
    worker::{Case, Worker},
    world::World,
};
use crate::{registrar::tidy, testing::START};

type Live = BTreeSet<(usize, usize, Vec<Scope>)>;

/// A case: the workers, the model and the time.
pub(super) struct Player {
    pub(super) workers: [Worker; 2],
    pub(super) world: World,
    pub(super) now: i64,
    /// Credentials that were once live and are not any more.
    dead: BTreeSet<usize>,
    /// Credentials that were ever live.
    seen: BTreeSet<usize>,
}

impl Player {
    pub(super) fn new(workers: [Worker; 2]) -> Self {
        let now = START.millis();
        Self { workers, world: World::default(), now, dead: BTreeSet::new(), seen: BTreeSet::new() }
    }

    pub(super) fn case(&self) -> &Arc<Case> {
        &self.workers[0].case
    }

    /// Makes `calls`, alternating between the replicas.
    pub(super) async fn play(&mut self, calls: &[Call]) -> Result<(), TestCaseError> {
        for (index, call) in calls.iter().enumerate() {
            if let Call::Wait(wait) = call {
                self.now = after(self.now, *wait, &self.world);
            }
            let named = self.case().wallet().resolve(call, self.now);
            if let Some(call) = named {
                let actual = self.workers[index % 2].perform(&call, Time::from_millis(self.now)).await;
                actual.check_answered()?;
                let expected = self.world.answer(&call, &actual, self.now);
                if actual != expected {
                    return fail(format!("{call:?} at {} is answered\n  {actual:?}, not\n  {expected:?}", self.now));
                }
            }
            self.check().await?;
        }
        Ok(())
    }

    /// Checks that the live credentials are those of the model, one at most for each registration, and that none is
    /// live again.
    async fn check(&mut self) -> Result<(), TestCaseError> {
        let live = self.case().live(self.workers[1].registrar.store(), Time::from_millis(self.now)).await;
        check_live(&live, &self.world.live(self.now)).map_err(TestCaseError::fail)?;
        let now: BTreeSet<_> = live.iter().map(|(_, credential, _)| *credential).collect();
        self.dead.extend(self.seen.difference(&now));
        if let Some(revived) = self.dead.intersection(&now).next() {
            return fail(format!("credential {revived} was dead and lives"));
        }
        self.seen.extend(now);
        Ok(())
    }

    /// Checks that all registrations are counted, and that nine years later nothing is left of anyone.
    pub(super) async fn end(&self) -> Result<(), TestCaseError> {
        let late = START.plus(Duration::from_hours(24 * 365 * 9));
        let store = self.workers[0].registrar.store();
        let (kept, counted) = store.population().await;
        let people = (self.case().people(store, PEOPLE).await, self.world.people(PEOPLE));
        tidy(store, late).await.unwrap();
        if kept != counted || usize::try_from(kept) != Ok(self.world.count()) {
            return fail(format!("{kept} registrations are kept, {counted} counted, {} meant", self.world.count()));
        }
        if people.0 != people.1 {
            return fail(format!("about people is kept {:?}\n  and not {:?}", people.0, people.1));
        }
        for person in 0..PEOPLE {
            let personal_data = store.personal_data(&self.case().mailbox(person)).await.unwrap();
            if !personal_data.is_empty() {
                return fail(format!("of person {person} there is still {personal_data:?}"));
            }
        }
        match store.population().await {
            (0, 0) => Ok(()),
            left => fail(format!("registrations are left: {left:?}")),
        }
    }
}

fn fail<T>(why: String) -> Result<T, TestCaseError> {
    Err(TestCaseError::fail(why))
}

/// Checks that the live credentials are those of the model, and that each registration has one at most.
pub(super) fn check_live(live: &Live, expected: &Live) -> Result<(), String> {
    let owners: BTreeSet<_> = live.iter().map(|(registration, ..)| *registration).collect();
    if owners.len() != live.len() {
        return Err(format!("two credentials of one registration live: {live:?}"));
    }
    if live != expected {
        return Err(format!("there live {live:?}\n  and should {expected:?}"));
    }
    Ok(())
}

fn after(now: i64, wait: Wait, world: &World) -> i64 {
    match wait {
        Wait::Seconds(seconds) => now + seconds * 1000,
        Wait::Moment { number, is_before } => {
            let moments = world.moments(now);
            if moments.is_empty() { now } else { moments[number % moments.len()] - i64::from(is_before) }
        }
    }
}

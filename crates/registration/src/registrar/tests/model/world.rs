//! The model of the whole store: registrations, known people, links of users, void assertions, reports seen.
//!
//! Written from the table of states and operations, independently of the state machines. Takes over random values from
//! the results if they are new, so it never expects an old credential to be issued again.

use std::collections::{BTreeMap, BTreeSet};

use contract::scopes::Scope;

use super::{
    call::{Call, CallResult, ModelIdentity, PersonRows, ReportSubject, Revoked, SentCode},
    registration::Registration,
    table::{CLAIM, CODE, DENY, GRANT, LINK},
};

/// The number of nothing.
const NOTHING: usize = usize::MAX;
const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

#[derive(Clone, Debug, Default)]
pub(super) struct World {
    registrations: BTreeMap<usize, Registration>,
    known: BTreeSet<usize>,
    linked: BTreeMap<usize, Option<usize>>,
    void: BTreeMap<ReportSubject, i64>,
    spent: BTreeSet<usize>,
    /// How many registrations each report ended.
    seen: BTreeMap<usize, u64>,
    /// The person and the end of each access link.
    access: BTreeMap<usize, (usize, i64)>,
}

impl World {
    /// Returns the expected result of `call` at `now` and applies its effects. `actual` is the actual result.
    pub(super) fn answer(&mut self, call: &Call, actual: &CallResult, now: i64) -> CallResult {
        let attempt = self.fresh(actual.attempt, |registration| &registration.attempts);
        let credential = self.fresh(actual.credential, |registration| &registration.issued);
        match *call {
            Call::Register { ref word, is_brief, .. } => {
                let name = actual.registration.filter(|name| !self.registrations.contains_key(name)).unwrap_or(NOTHING);
                self.register(word, Registration::new(is_brief, now), (name, attempt, credential), now)
            }
            Call::Claim { registration, person } => self
                .handed_over(|name, _| name == registration, |own| own.claim(person, attempt, now))
                .unwrap_or_else(|| CLAIM.unknown()),
            Call::Send { attempt } => {
                self.of_attempt(attempt, |own| own.send(attempt, now));
                CallResult::of("200")
            }
            Call::View { attempt } => {
                self.of_attempt(attempt, |own| CallResult::of(own.link(attempt, now))).unwrap_or_else(|| LINK.unknown())
            }
            Call::Show { attempt } => {
                self.of_attempt(attempt, |own| own.show(attempt, now)).unwrap_or_else(|| LINK.unknown())
            }
            Call::Deny { attempt } => self
                .handed_over(|_, own| own.attempts.contains(&attempt), |own| own.deny(attempt, now))
                .unwrap_or_else(|| DENY.unknown()),
            Call::Complete { registration, code } => self.complete(registration, code, credential, now),
            Call::Poll { registration } => match self.registrations.get_mut(&registration) {
                Some(own) => own.poll(credential, now),
                None => GRANT.unknown(),
            },
            Call::Use { credential } => self.present(credential, now),
            Call::ReturnCredential { credential } => {
                // An expired credential ends nothing.
                self.revoke(|_, own| own.live(now).is_some_and(|(held, _)| held == credential), now);
                CallResult::of("200")
            }
            Call::ReturnClaim { registration } => {
                self.revoke(|name, own| name == registration && own.is_token_good(now), now);
                CallResult::of("200")
            }
            Call::Report { event, whom, since, .. } => self.report(event, whom, since, now),
            Call::Ask { person } => {
                self.access.insert(actual.access.unwrap_or(NOTHING), (person, now + 60 * MINUTE));
                CallResult { access: actual.access, ..CallResult::of("200") }
            }
            Call::Look { access } => self.look(access, now),
            Call::TakeBack { access, registration } => match self.person_of(access, now) {
                Some(person) => {
                    let is_meant = |name, own: &Registration| {
                        own.person == Some(person) && registration.is_none_or(|only| only == name)
                    };
                    let held = |own: &Registration| own.is_held_for(person, now);
                    CallResult::ended(self.take_back(is_meant, held, now))
                }
                None => CallResult::of("claim_expired"),
            },
            Call::Revoke { which } => {
                let is_meant = |name, own: &Registration| match which {
                    Revoked::All => true,
                    Revoked::One(only) => only == name,
                    Revoked::Person(person) => own.person == Some(person),
                    Revoked::Issuer => own.user.is_some(),
                };
                CallResult::ended(self.take_back(is_meant, |_| true, now))
            }
            Call::Erase { person } => self.erase(person),
            Call::Tidy => self.tidy(now),
            Call::Replay { .. } | Call::Repeat { .. } | Call::Wait(_) => CallResult::of("never asked"),
        }
    }

    /// Returns `name` if it is new.
    fn fresh(&self, name: Option<usize>, names: impl Fn(&Registration) -> &Vec<usize>) -> usize {
        let is_old = |name: &usize| self.registrations.values().any(|own| names(own).contains(name));
        name.filter(|name| !is_old(name)).unwrap_or(NOTHING)
    }

    fn of_attempt<T>(&mut self, attempt: usize, then: impl FnOnce(&mut Registration) -> T) -> Option<T> {
        self.registrations.values_mut().find(|own| own.attempts.contains(&attempt)).map(then)
    }

    /// Changes the registration that `is_meant` selects; deletes its former person if nothing else refers to them.
    fn handed_over(
        &mut self,
        is_meant: impl Fn(usize, &Registration) -> bool,
        then: impl FnOnce(&mut Registration) -> CallResult,
    ) -> Option<CallResult> {
        let (_, own) = self.registrations.iter_mut().find(|(name, own)| is_meant(**name, own))?;
        let before = own.person;
        let answer = then(own);
        if own.person != before {
            self.forget_if_alone(before);
        }
        Some(answer)
    }

    /// Links `user` to `person` only.
    fn link(&mut self, user: usize, person: Option<usize>) {
        let before = self.linked.insert(user, person).flatten();
        self.forget_if_alone(before);
    }

    fn register(
        &mut self,
        word: &ModelIdentity,
        new: Registration,
        (name, attempt, credential): (usize, usize, usize),
        now: i64,
    ) -> CallResult {
        let (code, made) = match *word {
            ModelIdentity::Anonymous => ("200", new.provisional(credential, now)),
            ModelIdentity::Mailbox(person) => ("200", new.bound(person, attempt)),
            ModelIdentity::Provider { jti, user, person, asserted, is_stale } => {
                // An assertion without a mailbox counts for the linked one.
                let mailbox = person.or_else(|| self.linked.get(&user).copied().flatten());
                let marks = [Some(ReportSubject::User(user)), mailbox.map(ReportSubject::Mailbox)];
                let is_void = |whom: &ReportSubject| self.void.get(whom).is_some_and(|mark| asserted <= *mark);
                if now >= asserted + 6 * MINUTE {
                    return CallResult::of("expired");
                }
                if asserted > now + MINUTE {
                    return CallResult::of("invalid_request");
                }
                if is_stale {
                    return CallResult::of("login_required");
                }
                if marks.iter().flatten().any(is_void) {
                    return CallResult::of("expired");
                }
                if !self.spent.insert(jti) {
                    return CallResult::of("replay_detected");
                }
                let new = new.vouched(user, asserted);
                // A link to one mailbox does not vouch for another.
                let link = self.linked.get(&user).copied().filter(|by| person.is_none() || *by == person);
                match (link, person.filter(|person| self.known.contains(person))) {
                    (None, Some(person)) => ("interaction_required", new.bound(person, attempt)),
                    (link, _) => {
                        let by = link.unwrap_or(person);
                        if link.is_none() {
                            self.known.extend(person);
                            self.link(user, person);
                        }
                        ("200", new.settled(by, credential, now))
                    }
                }
            }
        };
        let held = made.holding(made.issued.last().copied(), now);
        let (attempt, until) = (made.attempts.last().copied(), held.until.or(Some(now + DAY)));
        self.registrations.insert(name, made);
        CallResult { code, registration: Some(name), attempt, until, ..held }
    }

    fn complete(&mut self, registration: usize, code: SentCode, credential: usize, now: i64) -> CallResult {
        let Some(own) = self.registrations.get_mut(&registration) else { return CODE.unknown() };
        let answer = own.complete(code, credential, now);
        if answer.code == "200" {
            let (user, person) = (own.user, own.person);
            self.known.extend(person);
            if let Some((user, _)) = user {
                self.link(user, person);
            }
        }
        answer
    }

    fn present(&mut self, credential: usize, now: i64) -> CallResult {
        let owner = self.registrations.iter_mut().find(|(_, own)| own.issued.contains(&credential));
        let Some((name, own)) = owner else { return CallResult::of("401") };
        let answer = own.present(credential, now);
        CallResult { registration: (answer.code == "200").then_some(*name), ..answer }
    }

    /// Ends the registrations that `is_meant` selects and returns their number.
    fn revoke(&mut self, is_meant: impl Fn(usize, &Registration) -> bool, now: i64) -> u64 {
        let selected = self.registrations.iter_mut().filter(|(name, own)| is_meant(**name, own));
        selected.map(|(_, own)| u64::from(own.revoke(now))).sum()
    }

    /// Like `revoke`, and voids earlier assertions about their users. Returns how many of those that ended `counts`.
    fn take_back(
        &mut self,
        is_meant: impl Fn(usize, &Registration) -> bool,
        counts: impl Fn(&Registration) -> bool,
        now: i64,
    ) -> u64 {
        let mut ended = 0;
        for (_, own) in self.registrations.iter_mut().filter(|(name, own)| is_meant(**name, own)) {
            if let Some((user, _)) = own.user {
                let mark = self.void.entry(ReportSubject::User(user)).or_insert(now);
                *mark = now.max(*mark);
            }
            let is_counted = counts(own);
            ended += u64::from(own.revoke(now) && is_counted);
        }
        ended
    }

    fn report(&mut self, event: usize, whom: ReportSubject, since: i64, now: i64) -> CallResult {
        if since > now + MINUTE || now - since > 7 * DAY {
            return CallResult::of("invalid_request");
        }
        if let Some(ended) = self.seen.get(&event) {
            return CallResult::ended(*ended);
        }
        let mark = self.void.entry(whom).or_insert(since);
        *mark = since.max(*mark);
        let is_meant = |_, own: &Registration| {
            own.user.is_some_and(|(user, asserted)| {
                let is_named =
                    whom == ReportSubject::User(user) || own.person.map(ReportSubject::Mailbox) == Some(whom);
                is_named && asserted <= since + MINUTE
            })
        };
        let ended = self.revoke(is_meant, now);
        self.seen.insert(event, ended);
        CallResult::ended(ended)
    }

    fn person_of(&self, access: usize, now: i64) -> Option<usize> {
        self.access.get(&access).filter(|(_, until)| now < *until).map(|(person, _)| *person)
    }

    fn look(&self, access: usize, now: i64) -> CallResult {
        let Some(person) = self.person_of(access, now) else { return CallResult::of("claim_expired") };
        let held = self.registrations.iter().filter(|(_, own)| own.is_held_for(person, now));
        let until = self.access.get(&access).map(|(_, until)| *until);
        CallResult { held: held.map(|(name, _)| *name).collect(), until, ..CallResult::of("200") }
    }

    /// Removes a person, except that reports stay seen and assertions stay used.
    fn erase(&mut self, person: usize) -> CallResult {
        let before = self.registrations.len();
        let gone = self.registrations.extract_if(.., |_, own| own.person == Some(person));
        let users: Vec<_> = gone.filter_map(|(_, own)| own.user).collect();
        self.known.remove(&person);
        self.linked.retain(|_, by| *by != Some(person));
        self.void.remove(&ReportSubject::Mailbox(person));
        // A user may have changed the mailbox.
        for (user, _) in users {
            if !self.registrations.values().any(|own| own.user.is_some_and(|(other, _)| other == user)) {
                self.void.remove(&ReportSubject::User(user));
            }
        }
        self.access.retain(|_, (whose, _)| *whose != person);
        self.forget_the_rest();
        CallResult::ended((before - self.registrations.len()) as u64)
    }

    /// Deletes what is past its retention.
    fn tidy(&mut self, now: i64) -> CallResult {
        self.registrations.retain(|_, own| now <= own.forgotten());
        self.access.retain(|_, (_, until)| now <= *until);
        self.forget_the_rest();
        CallResult::of("200")
    }

    /// Deletes links and people without a registration.
    fn forget_the_rest(&mut self) {
        let left = || self.registrations.values();
        self.linked.retain(|user, _| left().any(|own| own.user.is_some_and(|(name, _)| name == *user)));
        for person in self.known.clone() {
            self.forget_if_alone(Some(person));
        }
    }

    /// Deletes `person` if nothing refers to them.
    fn forget_if_alone(&mut self, person: Option<usize>) {
        let is_left = self.registrations.values().any(|own| own.person == person)
            || self.linked.values().any(|linked| *linked == person);
        if let Some(person) = person.filter(|_| !is_left) {
            self.known.remove(&person);
        }
    }

    /// Returns registration, number and scopes of every live credential.
    pub(super) fn live(&self, now: i64) -> BTreeSet<(usize, usize, Vec<Scope>)> {
        let live = |(name, own): (&usize, &Registration)| own.live(now).map(|(key, scopes)| (*name, key, scopes));
        self.registrations.iter().filter_map(live).collect()
    }

    /// Returns the expected data of each of `people`.
    pub(super) fn people(&self, people: usize) -> Vec<PersonRows> {
        let kept = |person| PersonRows {
            is_known: self.known.contains(&person),
            users: self.linked.iter().filter(|(_, by)| **by == Some(person)).map(|(user, _)| *user).collect(),
            registrations: self
                .registrations
                .iter()
                .filter(|(_, own)| own.person == Some(person))
                .map(|(name, _)| *name)
                .collect(),
        };
        (0..people).map(kept).collect()
    }

    pub(super) fn count(&self) -> usize {
        self.registrations.len()
    }

    /// Returns the times after `now` at which the state changes by time alone, in order.
    pub(super) fn moments(&self, now: i64) -> Vec<i64> {
        let own = self.registrations.values().flat_map(|own| own.moments(now));
        let all: BTreeSet<_> = own.chain(self.access.values().map(|(_, until)| *until)).collect();
        all.into_iter().filter(|moment| *moment > now).collect()
    }
}

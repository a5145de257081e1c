//! Everything issued in one case, by number. All workers share it, as if agents, people and providers shared their
//! secrets.

use secrets::{AccessToken, ClaimToken, RegistrationId, Secret, Seed};

use super::call::{Call, ModelIdentity, Revoked, SentCode};

#[derive(Default)]
pub(super) struct Wallet {
    registrations: Vec<(RegistrationId, Option<ClaimToken>)>,
    attempts: Vec<Attempt>,
    credentials: Vec<Secret>,
    access: Vec<AccessToken>,
    /// Everything providers have signed, as first sent.
    words: Vec<ModelIdentity>,
    reports: Vec<Call>,
    /// Unopened emails with access links.
    pub(super) notes: Vec<(String, Seed)>,
}

/// An attempt: the identifier given to its agent, and the seed in its email.
struct Attempt {
    name: String,
    email: Option<(RegistrationId, Seed)>,
}

/// Returns the number of `thing`, adding it if it is new.
fn number<T>(things: &mut Vec<T>, is_it: impl Fn(&T) -> bool, make: impl FnOnce() -> T) -> usize {
    things.iter().position(is_it).unwrap_or_else(|| {
        things.push(make());
        things.len() - 1
    })
}

/// Returns the index `back` places before the newest of `count`, wrapping around.
const fn nth_newest(count: usize, back: usize) -> Option<usize> {
    if count == 0 { None } else { Some(count - 1 - back % count) }
}

impl Wallet {
    /// Returns the number of `id`, which another worker may have seen before its agent got the answer.
    pub(super) fn registration(&mut self, id: &RegistrationId, claim_token: Option<ClaimToken>) -> usize {
        let name = number(&mut self.registrations, |(own, _)| own == id, || (id.clone(), None));
        if claim_token.is_some() {
            self.registrations[name].1 = claim_token;
        }
        name
    }

    pub(super) fn credential(&mut self, secret: &Secret) -> usize {
        number(&mut self.credentials, |own| own == secret, || secret.clone())
    }

    pub(super) fn attempt(&mut self, name: &str) -> usize {
        let new = || Attempt { name: name.to_owned(), email: None };
        number(&mut self.attempts, |own| own.name == name, new)
    }

    pub(super) fn email(&mut self, name: &str, id: RegistrationId, seed: Seed) {
        let number = self.attempt(name);
        self.attempts[number].email = Some((id, seed));
    }

    pub(super) fn access(&mut self, link: AccessToken) -> usize {
        self.access.push(link);
        self.access.len() - 1
    }

    pub(super) fn id(&self, registration: usize) -> RegistrationId {
        self.registrations[registration].0.clone()
    }

    pub(super) fn name_of(&self, id: &RegistrationId) -> Option<usize> {
        self.registrations.iter().position(|(own, _)| own == id)
    }

    pub(super) fn name_of_credential(&self, digest: &str) -> Option<usize> {
        self.credentials.iter().position(|own| own.digest().as_str() == digest)
    }

    /// Returns the newest attempt of `id` whose email was written.
    pub(super) fn newest_attempt(&self, id: &RegistrationId) -> Option<usize> {
        self.attempts_of(id).next_back()
    }

    fn attempts_of<'a>(&'a self, id: &'a RegistrationId) -> impl DoubleEndedIterator<Item = usize> + 'a {
        let is_its = move |attempt: &Attempt| attempt.email.as_ref().is_some_and(|(own, _)| own == id);
        self.attempts.iter().enumerate().filter(move |(_, attempt)| is_its(attempt)).map(|(number, _)| number)
    }

    pub(super) fn claim_token(&self, registration: usize) -> ClaimToken {
        self.registrations[registration].1.clone().unwrap_or(ClaimToken::new("clm_none"))
    }

    pub(super) fn seed(&self, attempt: usize) -> Option<Seed> {
        self.attempts[attempt].email.as_ref().map(|(_, seed)| seed.clone())
    }

    /// Returns the seeds of the attempts of a registration.
    pub(super) fn seeds_of(&self, registration: usize) -> Vec<Seed> {
        self.attempts_of(&self.registrations[registration].0).filter_map(|attempt| self.seed(attempt)).collect()
    }

    pub(super) fn secret(&self, credential: usize) -> Secret {
        self.credentials[credential].clone()
    }

    pub(super) fn access_link(&self, access: usize) -> AccessToken {
        self.access[access].clone()
    }

    /// Returns a call for every credential, claim token and link.
    pub(super) fn everything(&self) -> Vec<Call> {
        let credentials = (0..self.credentials.len()).map(|credential| Call::Use { credential });
        let attempts = (0..self.attempts.len()).filter(|attempt| self.attempts[*attempt].email.is_some());
        let tokens = (0..self.registrations.len()).filter(|number| self.registrations[*number].1.is_some());
        let links = attempts.map(|attempt| Call::View { attempt });
        let polls = tokens.map(|registration| Call::Poll { registration });
        let looks = (0..self.access.len()).map(|access| Call::Look { access });
        credentials.chain(links).chain(looks).chain(polls).collect()
    }

    /// Returns `call` with numbers in place of positions, or `None` if a position has no item yet.
    pub(super) fn resolve(&mut self, call: &Call, now: i64) -> Option<Call> {
        let registration = |back| nth_newest(self.registrations.len(), back);
        let claimable = |back| {
            let with_token: Vec<_> =
                (0..self.registrations.len()).filter(|number| self.registrations[*number].1.is_some()).collect();
            nth_newest(with_token.len(), back).map(|place| with_token[place])
        };
        let attempt = |back| {
            let known: Vec<_> = (0..self.attempts.len()).filter(|number| self.seed(*number).is_some()).collect();
            nth_newest(known.len(), back).map(|place| known[place])
        };
        let credential = |back| nth_newest(self.credentials.len(), back);
        let access = |back| nth_newest(self.access.len(), back);
        Some(match *call {
            Call::Register { ref word, is_brief, is_exchange } => {
                return Some(self.word(word, is_brief, is_exchange, now));
            }
            Call::Replay { word, is_brief } => {
                let word = self.words[nth_newest(self.words.len(), word)?].clone();
                Call::Register { word, is_brief, is_exchange: false }
            }
            Call::Claim { registration, person } => Call::Claim { registration: claimable(registration)?, person },
            Call::Send { attempt: back } => Call::Send { attempt: attempt(back)? },
            Call::View { attempt: back } => Call::View { attempt: attempt(back)? },
            Call::Show { attempt: back } => Call::Show { attempt: attempt(back)? },
            Call::Deny { attempt: back } => Call::Deny { attempt: attempt(back)? },
            Call::Complete { registration, code } => {
                let registration = claimable(registration)?;
                let id = &self.registrations[registration].0;
                let code = match code {
                    SentCode::Code(back) => {
                        self.attempts_of(id).rev().nth(back).map_or(SentCode::Guess, SentCode::Code)
                    }
                    other => other,
                };
                Call::Complete { registration, code }
            }
            Call::Poll { registration } => Call::Poll { registration: claimable(registration)? },
            Call::Use { credential: back } => Call::Use { credential: credential(back)? },
            Call::ReturnCredential { credential: back } => Call::ReturnCredential { credential: credential(back)? },
            Call::ReturnClaim { registration } => Call::ReturnClaim { registration: claimable(registration)? },
            Call::Report { whom, since, form, .. } => {
                let since = (now.div_euclid(1000) - since) * 1000;
                let report = Call::Report { event: self.reports.len(), whom, since, form };
                self.reports.push(report.clone());
                report
            }
            Call::Repeat { event } => self.reports[nth_newest(self.reports.len(), event)?].clone(),
            Call::Look { access: back } => Call::Look { access: access(back)? },
            Call::TakeBack { access: back, registration: only } => {
                let registration = match only {
                    Some(back) => Some(registration(back)?),
                    None => None,
                };
                Call::TakeBack { access: access(back)?, registration }
            }
            Call::Revoke { which: Revoked::One(back) } => Call::Revoke { which: Revoked::One(registration(back)?) },
            Call::Wait(_) => return None,
            Call::Ask { .. } | Call::Revoke { .. } | Call::Erase { .. } | Call::Tidy => call.clone(),
        })
    }

    /// Gives each assertion and report a number of its own.
    fn word(&mut self, word: &ModelIdentity, is_brief: bool, is_exchange: bool, now: i64) -> Call {
        let ModelIdentity::Provider { user, person, asserted, is_stale, .. } = *word else {
            return Call::Register { word: word.clone(), is_brief, is_exchange: false };
        };
        let asserted = (now.div_euclid(1000) - asserted) * 1000;
        let word = ModelIdentity::Provider { jti: self.words.len(), user, person, asserted, is_stale };
        self.words.push(word.clone());
        // The token endpoint issues access tokens only.
        Call::Register { word, is_brief: is_brief || is_exchange, is_exchange }
    }
}

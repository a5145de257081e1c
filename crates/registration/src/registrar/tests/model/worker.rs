//! A worker that calls a registrar: it turns numbers into secrets, and results into numbers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clock::Time;
use contract::scopes::Scope;
use forms::EmailContent;
use serde_json::json;

use super::{
    call::{Call, CallResult, ModelIdentity, PersonRows, ReportForm, ReportSubject, Revoked, SentCode},
    strategy::USERS,
    wallet::Wallet,
};
use crate::{
    domain::{By, Registered, RegistrationError, RegistrationRecord},
    registrar::{Exchange, Identity, Registrar, RegistrationRequest, Which, email_worker::SENT, tidy},
    store::{Selection, Store},
    testing::{WHO, claim_request, completion, registration_request},
};
use contract::{Locale, agent_auth::CredentialType};
use providers::{
    PresentedClient,
    testing::{ISSUER, Signer, assertion_claims, event_claims, with},
};
use secrets::{Mailbox, Secret, Seed};

/// The shared state of the workers of a case.
pub(super) struct Case {
    /// Part of every name, so that cases share no people.
    pub(super) number: usize,
    pub(super) signer: Arc<Signer>,
    wallet: Mutex<Wallet>,
    /// Held to empty the outbox.
    postman: tokio::sync::Mutex<()>,
}

impl Case {
    pub(super) fn new(number: usize, signer: Arc<Signer>) -> Self {
        Self { number, signer, wallet: Mutex::default(), postman: tokio::sync::Mutex::default() }
    }

    pub(super) fn wallet(&self) -> MutexGuard<'_, Wallet> {
        self.wallet.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn mailbox(&self, person: usize) -> Mailbox {
        Mailbox::parse(&format!("p{person}-{}@person.example", self.number)).unwrap()
    }

    fn user(&self, user: usize) -> String {
        format!("user-{user}-{}", self.number)
    }

    /// Returns the stored data of each of `people`.
    pub(super) async fn people(&self, store: &Store, people: usize) -> Vec<PersonRows> {
        let mut kept = Vec::new();
        for person in 0..people {
            let personal_data = store.personal_data(&self.mailbox(person)).await.unwrap();
            let wallet = self.wallet();
            let name = |record: &RegistrationRecord| wallet.name_of(&record.id).unwrap_or(usize::MAX);
            let is_linked =
                |user: &usize| personal_data.delegations.iter().any(|subject| subject.name == self.user(*user));
            kept.push(PersonRows {
                is_known: personal_data.known_since.is_some(),
                users: (0..USERS).filter(is_linked).collect(),
                registrations: personal_data.records.iter().map(name).collect(),
            });
        }
        kept
    }

    /// Returns registration, number and scopes of every live credential in the store.
    pub(super) async fn live(
        &self,
        store: &Store,
        now: Time,
    ) -> std::collections::BTreeSet<(usize, usize, Vec<Scope>)> {
        let rows = store.live(now).await;
        let wallet = self.wallet();
        let named = rows.into_iter().map(|(id, digest, scopes)| {
            let name = wallet.name_of(&id).unwrap_or(usize::MAX);
            (name, wallet.name_of_credential(&digest).unwrap_or(usize::MAX), Scope::read_list(&scopes))
        });
        named.collect()
    }
}

#[derive(Clone)]
pub(super) struct Worker {
    pub(super) registrar: Registrar,
    pub(super) case: Arc<Case>,
}

impl Worker {
    /// Performs `call`, which has numbers for names.
    #[expect(clippy::too_many_lines, reason = "a case for each call, read beside each other")]
    pub(super) async fn perform(&self, call: &Call, now: Time) -> CallResult {
        let (registrar, case) = (&self.registrar, &self.case);
        match *call {
            Call::Register { ref word, is_brief, is_exchange } => self.register(word, is_brief, is_exchange, now).await,
            Call::Claim { registration, person } => {
                let claim_token = case.wallet().claim_token(registration);
                let request = claim_request(&claim_token, case.mailbox(person).as_str());
                let started = match registrar.claim(request, &WHO, now).await {
                    Ok(started) => started,
                    Err(refusal) => return refused(&refusal),
                };
                self.empty_outbox().await;
                let attempt = case.wallet().attempt(started.attempt.reveal());
                let is_same = started.id == case.wallet().id(registration);
                let code = if is_same { "200" } else { "another registration" };
                CallResult { attempt: Some(attempt), until: Some(started.expires.millis()), ..CallResult::of(code) }
            }
            Call::Send { attempt } => match registrar.record_sent(&self.seed(attempt), now.plus(SENT)).await {
                Ok(()) => CallResult::of("200"),
                Err(error) => refused(&error.into()),
            },
            Call::View { attempt } => {
                answered(registrar.view(&registrar.pepper().link(&self.seed(attempt)), now).await, |_| {
                    CallResult::of("200")
                })
            }
            Call::Show { attempt } => {
                let seed = self.seed(attempt);
                let challenge = registrar.challenge(&registrar.pepper().link(&seed), now).await;
                answered(challenge, |challenge| {
                    let is_same = challenge.code == registrar.pepper().code(&seed);
                    let code = if is_same { "200" } else { "another code" };
                    CallResult { until: Some(challenge.expires.millis()), ..CallResult::of(code) }
                })
            }
            Call::Deny { attempt } => {
                let link = registrar.pepper().link(&self.seed(attempt));
                answered(registrar.deny(&link, now).await, |()| CallResult::of("200"))
            }
            Call::Complete { registration, code } => {
                let otp = match code {
                    SentCode::Code(attempt) => registrar.pepper().code(&self.seed(attempt)),
                    SentCode::Guess => self.wrong(registration),
                    SentCode::Slip => Secret::new("no code"),
                };
                let request = completion(&case.wallet().claim_token(registration), otp.reveal());
                answered(registrar.complete(request, &WHO, now).await, |done| CallResult {
                    credential: done.credential.as_ref().map(|secret| case.wallet().credential(secret)),
                    scopes: done.scopes,
                    until: Some(done.expires.millis()),
                    ..CallResult::of("200")
                })
            }
            Call::Poll { registration } => {
                let claim_token = case.wallet().claim_token(registration);
                answered(registrar.redeem(claim_token, now).await, |token| CallResult {
                    credential: Some(case.wallet().credential(&token.issued.credential)),
                    scopes: token.issued.scopes,
                    until: Some(token.issued.expires.millis()),
                    ..CallResult::of("200")
                })
            }
            Call::Use { credential } => {
                let digest = case.wallet().secret(credential).digest();
                match registrar.check(&digest, now).await {
                    Ok(None) => CallResult::of("401"),
                    Ok(Some(held)) => {
                        let registration = case.wallet().name_of(&held.registration);
                        CallResult { registration, scopes: held.scopes, ..CallResult::of("200") }
                    }
                    Err(error) => refused(&error.into()),
                }
            }
            Call::ReturnCredential { credential } => {
                let secret = case.wallet().secret(credential);
                self.give_back(secret, now).await
            }
            Call::ReturnClaim { registration } => {
                let token = case.wallet().claim_token(registration).0;
                self.give_back(token, now).await
            }
            Call::Report { event, whom, since, form } => self.report(event, whom, since, form, now).await,
            Call::Ask { person } => self.ask(&case.mailbox(person), now).await,
            Call::Look { access } => {
                let link = case.wallet().access_link(access);
                answered(registrar.access(&link, now).await, |view| CallResult {
                    held: view.grants.iter().map(|grant| case.wallet().registration(&grant.id, None)).collect(),
                    until: Some(view.expires.millis()),
                    ..CallResult::of("200")
                })
            }
            Call::TakeBack { access, registration } => {
                let link = case.wallet().access_link(access);
                let which = registration.map_or(Which::All, |only| Which::One(case.wallet().id(only)));
                let ended = registrar.revoke_access(&link, which, now).await;
                self.empty_outbox().await;
                answered(ended, |ended| CallResult::ended(ended as u64))
            }
            Call::Revoke { which } => {
                let selection = match which {
                    Revoked::All => Selection::All,
                    Revoked::One(registration) => Selection::One(case.wallet().id(registration)),
                    Revoked::Person(person) => Selection::Email(case.mailbox(person)),
                    Revoked::Issuer => Selection::Issuer(ISSUER.to_owned()),
                };
                let ended = registrar.store().revoke(&selection, By::Operator, now).await;
                answered(ended.map_err(RegistrationError::from), |ended| CallResult::ended(ended.all as u64))
            }
            Call::Erase { person } => {
                let gone = registrar.store().erase(&case.mailbox(person), By::Operator, now).await;
                answered(gone.map_err(RegistrationError::from), CallResult::ended)
            }
            Call::Tidy => {
                answered(tidy(registrar.store(), now).await.map_err(RegistrationError::from), |_| CallResult::of("200"))
            }
            Call::Replay { .. } | Call::Repeat { .. } | Call::Wait(_) => CallResult::of("never asked"),
        }
    }

    async fn register(&self, word: &ModelIdentity, is_brief: bool, is_exchange: bool, now: Time) -> CallResult {
        let identity = match *word {
            ModelIdentity::Anonymous => Identity::Anonymous,
            ModelIdentity::Mailbox(person) => Identity::Email(self.case.mailbox(person)),
            ModelIdentity::Provider { .. } => Identity::Provider(self.assertion(word)),
        };
        if is_exchange {
            let request = Exchange {
                assertion: self.assertion(word),
                scopes: None,
                client: PresentedClient::default(),
                resource: None,
                locale: Locale::En,
            };
            let token = match self.registrar.exchange(request, &WHO, now).await {
                Ok(token) => {
                    Ok(Registered { id: token.id, kind: token.kind, issued: Some(token.issued), pending: None })
                }
                Err(refusal) => Err(refusal),
            };
            return self.registered(token).await;
        }
        let kind = if is_brief { CredentialType::AccessToken } else { CredentialType::ApiKey };
        let request = RegistrationRequest { credential: Some(kind), ..registration_request(identity) };
        let registered = self.registrar.register(request, &WHO, now).await;
        self.registered(registered).await
    }

    async fn registered(&self, result: Result<Registered, RegistrationError>) -> CallResult {
        let (code, made) = match result {
            Ok(made) => ("200", made),
            Err(RegistrationError::InteractionRequired(made)) => ("interaction_required", *made),
            Err(refusal) => return refused(&refusal),
        };
        self.empty_outbox().await;
        let mut wallet = self.case.wallet();
        let (pending, issued) = (made.pending.as_ref(), made.issued.as_ref());
        let name = wallet.registration(&made.id, pending.map(|pending| pending.claim_token.clone()));
        let until = issued.map(|issued| issued.expires).or(pending.map(|pending| pending.expires));
        let mut attempt = wallet.newest_attempt(&made.id);
        if issued.is_none() && attempt.is_none() {
            // The person was erased and the email with it, but the attempt had a number.
            attempt = Some(wallet.attempt(made.id.as_str()));
        }
        CallResult {
            registration: Some(name),
            attempt,
            credential: issued.map(|issued| wallet.credential(&issued.credential)),
            scopes: issued.map(|issued| issued.scopes.clone()).unwrap_or_default(),
            until: until.map(Time::millis),
            ..CallResult::of(code)
        }
    }

    fn assertion(&self, word: &ModelIdentity) -> Secret {
        let ModelIdentity::Provider { jti, user, person, asserted, is_stale } = *word else { return Secret::new("") };
        let (case, at) = (self.case.number, asserted / 1000);
        let mut changes = json!({
            "sub": self.case.user(user), "jti": format!("jti-{jti}-{case}"), "iat": at, "exp": at + 300,
            "auth_time": if is_stale { at - 4000 } else { at - 30 },
            "email": person.map(|person| self.case.mailbox(person).as_str().to_owned()),
        });
        if person.is_none() {
            changes["phone_number"] = json!("+905321234567");
            changes["phone_number_verified"] = json!(true);
        }
        Secret::new(self.case.signer.assertion(&with(assertion_claims(), &changes)))
    }

    async fn report(&self, event: usize, whom: ReportSubject, since: i64, form: ReportForm, now: Time) -> CallResult {
        let (case, signer) = (&self.case, &self.case.signer);
        let mut changes = json!({ "sub": null, "jti": format!("event-{event}-{}", case.number), "iat": since / 1000 });
        match (whom, form) {
            (ReportSubject::User(name), ReportForm::Logout) => changes["sub"] = json!(case.user(name)),
            (ReportSubject::User(name), ReportForm::SecurityEvent) => {
                changes["sub_id"] = json!({"format": "iss_sub", "iss": ISSUER, "sub": case.user(name)});
            }
            (ReportSubject::Mailbox(person), _) => {
                changes["sub_id"] = json!({"format": "email", "email": case.mailbox(person).as_str().to_owned()});
            }
        }
        let claims = with(event_claims(), &changes);
        let ended = match form {
            ReportForm::Logout => self.registrar.logout(&signer.sign(&signer.header("logout+jwt"), &claims), now).await,
            ReportForm::SecurityEvent => {
                self.registrar.security_event(&signer.sign(&signer.header("secevent+jwt"), &claims), now).await
            }
        };
        answered(ended, |ended| CallResult::ended(ended as u64))
    }

    async fn give_back(&self, token: Secret, now: Time) -> CallResult {
        answered(self.registrar.revoke_token(&token, now).await, |()| CallResult::of("200"))
    }

    async fn ask(&self, email: &Mailbox, now: Time) -> CallResult {
        let turn = self.case.postman.lock().await;
        if let Err(refusal) = self.registrar.request_access(email, Locale::En, &WHO, now).await {
            return refused(&refusal);
        }
        self.take_emails().await;
        drop(turn);
        let mut wallet = self.case.wallet();
        // `None` if the person was erased meanwhile.
        let newest = wallet.notes.iter().rposition(|(to, _)| to == email.as_str());
        let access = newest.map(|newest| {
            let (_, seed) = wallet.notes.remove(newest);
            wallet.access(self.registrar.pepper().access(&seed))
        });
        CallResult { access, ..CallResult::of("200") }
    }

    async fn empty_outbox(&self) {
        let _turn = self.case.postman.lock().await;
        self.take_emails().await;
    }

    /// Takes all emails, due or not.
    async fn take_emails(&self) {
        const LATE: Time = Time::from_millis(i64::MAX / 2);
        let (store, pepper) = (self.registrar.store(), self.registrar.pepper());
        while let Some(due) = store.take_email(LATE).await.unwrap() {
            store.drop_email(&due.id).await.unwrap();
            let email = due.email.unwrap();
            match email.content {
                EmailContent::Claim { .. } => {
                    let found = store.by_link(&pepper.link(&due.seed).0.digest()).await.unwrap();
                    let Some((id, seed)) = found else { continue };
                    self.case.wallet().email(pepper.attempt(&seed).reveal(), id, seed);
                }
                EmailContent::Access { .. } => self.case.wallet().notes.push((email.to, due.seed)),
                EmailContent::Superseded { .. } | EmailContent::Revoked { .. } => {}
            }
        }
    }

    /// Returns six digits that are the code of no attempt of a registration.
    fn wrong(&self, registration: usize) -> Secret {
        let seeds = self.case.wallet().seeds_of(registration);
        let codes: Vec<_> = seeds.iter().map(|seed| self.registrar.pepper().code(seed)).collect();
        let mut guesses = (0..).map(|number| Secret::new(format!("{number:06}")));
        guesses.find(|guess| !codes.contains(guess)).unwrap()
    }

    fn seed(&self, attempt: usize) -> Seed {
        self.case.wallet().seed(attempt).unwrap_or(Seed::new("none"))
    }
}

fn answered<T>(result: Result<T, RegistrationError>, answer: impl FnOnce(T) -> CallResult) -> CallResult {
    match result {
        Ok(done) => answer(done),
        Err(refusal) => refused(&refusal),
    }
}

fn refused(refusal: &RegistrationError) -> CallResult {
    match refusal {
        // Two concurrent calls met the same person; one is answered "retry".
        RegistrationError::Unavailable { retry_after: 1 } => CallResult::of("retry"),
        RegistrationError::WrongCode { attempts_remaining } | RegistrationError::NoCode { attempts_remaining } => {
            CallResult { left: Some(*attempts_remaining), ..CallResult::of(refusal.code().as_str()) }
        }
        refusal => CallResult::of(refusal.code().as_str()),
    }
}

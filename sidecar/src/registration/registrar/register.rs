//! Registering: without an identity, with a mailbox, or on a provider's word.

use std::time::Duration;

use contract::{
    Locale,
    agent_auth::{AssertionType, CredentialType},
    agent_errors::AgentErrorCode as Code,
    scopes::Scope,
};

use super::Registrar;
use crate::{
    Time,
    registration::{
        Caller, Change, ClaimToken, Effect, Identity, Issued, Mailbox, Pending, Record, Refusal, Registered,
        RegistrationId, RegistrationRequest, Secret, Seed, Spent,
        assertion::Assertion,
        budgets::Writing,
        claim::Claim,
        credential::Credential,
        providers::SKEW,
        record::{Draft, INTERVAL, Poll, Provider, UNCLAIMED},
        reply::RegistrationType,
    },
    store::{Acquaintance, Budget, Gate, Linked},
};

/// By how much the clock of one replica may be behind that of another, far beyond what is warned of.
const SLOW: Duration = Duration::from_hours(1);

/// What a new registration is made of. None of it depends on what the store says.
#[derive(Clone)]
struct New {
    id: RegistrationId,
    claim_token: ClaimToken,
    seed: Seed,
    credential: Secret,
    wanted: CredentialType,
    locale: Locale,
    now: Time,
    site_url: String,
}

impl Registrar {
    /// Registers an agent.
    pub(crate) async fn register(
        &self,
        request: RegistrationRequest,
        caller: &Caller,
        now: Time,
    ) -> Result<Registered, Refusal> {
        let offers = self.offers();
        let (kinds, accepts) = match &request.identity {
            Identity::Anonymous => (&offers.anonymous, (!offers.anonymous.is_empty(), Code::AnonymousNotEnabled)),
            Identity::Email(_) => {
                let accepts = offers.assertions.contains(&AssertionType::VerifiedEmail);
                (&offers.credentials, (accepts, Code::VerifiedEmailNotEnabled))
            }
            Identity::Provider(_) => {
                let accepts = offers.assertions.contains(&AssertionType::IdJag);
                (&offers.credentials, (accepts, Code::UnsupportedAssertionType))
            }
        };
        if let (false, code) = accepts {
            return Err(code.into());
        }
        let wanted = request.credential.or(kinds.first().copied()).filter(|kind| kinds.contains(kind));
        let new = self.new_registration(wanted.ok_or(Code::UnsupportedCredentialType)?, request.locale, now)?;
        match request.identity {
            Identity::Anonymous => self.anonymous(new, *caller).await,
            Identity::Email(mailbox) => self.by_email(new, mailbox, *caller).await,
            Identity::Provider(assertion) => self.by_provider(new, &assertion, None, *caller).await,
        }
    }

    /// Registers an agent on a provider's word for an access token with at most `scopes`.
    pub(super) async fn register_asserted(
        &self,
        (assertion, scopes): (&Secret, Option<Vec<Scope>>),
        locale: Locale,
        caller: Caller,
        now: Time,
    ) -> Result<Registered, Refusal> {
        let new = self.new_registration(CredentialType::AccessToken, locale, now)?;
        self.by_provider(new, assertion, scopes, caller).await
    }

    fn new_registration(&self, wanted: CredentialType, locale: Locale, now: Time) -> Result<New, Refusal> {
        let entropy = &self.0.entropy;
        Ok(New {
            id: entropy.registration()?,
            claim_token: entropy.claim_token()?,
            seed: entropy.seed(&self.0.pepper)?,
            credential: entropy.credential(wanted)?,
            wanted,
            locale,
            now,
            site_url: self.0.resources.first().cloned().unwrap_or_default(),
        })
    }

    async fn anonymous(&self, new: New, caller: Caller) -> Result<Registered, Refusal> {
        let mut record = new.record(RegistrationType::Anonymous);
        let active = record.provisional(new.draft(), new.now);
        let (credential, mut effects) = Credential::Absent.issue(active);
        effects.insert(0, Effect::Tell(Change::Created(record.kind)));
        record.credential = credential;
        if !self.has_mail() {
            record.claim_token = None;
        }
        let registered = new.registered(&record, self.has_mail());
        // Security: only those without an identity can be many; they alone are refused where there is no more room.
        let gate = Gate { budgets: self.budgets(caller).anonymous(), most: Some(self.0.quotas.registrations) };
        self.limited(self.0.store.insert(record, effects, gate, new.now).await?, new.now)?;
        Ok(registered)
    }

    async fn by_email(&self, new: New, mailbox: Mailbox, caller: Caller) -> Result<Registered, Refusal> {
        let budgets = self.budgets(caller);
        let letter = [budgets.asked(Writing::Claim, &mailbox), budgets.written(Writing::Claim, &mailbox)].concat();
        let gate = Gate { budgets: [budgets.email(), letter].concat(), most: None };
        let mut record = new.record(RegistrationType::Email);
        record.bound = Some(mailbox.clone());
        let (record, mut effects, _) = record.ask(&mailbox, new.locale, new.seed.clone(), &self.0.pepper, new.now)?;
        effects.insert(0, Effect::Tell(Change::Created(record.kind)));
        let registered = new.registered(&record, true);
        self.limited(self.0.store.insert(record, effects, gate, new.now).await?, new.now)?;
        self.0.letters.notify_one();
        Ok(registered)
    }

    async fn by_provider(
        &self,
        new: New,
        assertion: &Secret,
        scopes: Option<Vec<Scope>>,
        caller: Caller,
    ) -> Result<Registered, Refusal> {
        let budgets = self.budgets(caller);
        self.take(budgets.token(), new.now).await?;
        let Some(providers) = &self.0.providers else { return Err(Code::InvalidIssuer.into()) };
        let assertion = providers.assertion(assertion.reveal(), new.now).await?;
        let registered = match self.admit(&new, &assertion, scopes.clone(), (false, budgets.assertion())).await {
            // The user has to be asked. Nothing was kept.
            Err(Refusal::Code(Code::InteractionRequired)) => {
                let mailbox = assertion.email.clone().filter(|_| self.has_mail());
                let Some(mailbox) = mailbox else { return Err(Code::ClaimNotEnabled.into()) };
                let letter =
                    [budgets.asked(Writing::Claim, &mailbox), budgets.written(Writing::Claim, &mailbox)].concat();
                self.admit(&new, &assertion, scopes, (true, [budgets.assertion(), letter].concat())).await?
            }
            other => other?,
        };
        if registered.issued.is_some() {
            return Ok(registered);
        }
        self.0.letters.notify_one();
        Err(Refusal::InteractionRequired(Box::new(registered)))
    }

    async fn admit(
        &self,
        new: &New,
        assertion: &Assertion,
        scopes: Option<Vec<Scope>>,
        (may_ask, gate): (bool, Vec<Budget>),
    ) -> Result<Registered, Refusal> {
        let mut record = new.record(RegistrationType::Provider);
        record.provider = Some(Provider {
            issuer: assertion.issuer.clone(),
            name: assertion.provider_name.clone(),
            tenant: assertion.tenant.clone().unwrap_or_default(),
            subject: assertion.subject.clone(),
            client: assertion.client_id.clone(),
            asserted: assertion.issued_at,
        });
        let granted =
            |scope: &Scope| [&assertion.scopes, &scopes].into_iter().flatten().all(|narrow| narrow.contains(scope));
        record.scopes.retain(granted);
        if record.scopes.is_empty() {
            // What it asks for has nothing to do with this service; a credential that is good for nothing helps nobody.
            return Err(Code::InvalidScope.into());
        }
        let subject = record.subject().ok_or(Code::InternalError)?;
        let email = assertion.email.clone();
        let spent = (!assertion.is_reusable).then(|| Spent {
            issuer: assertion.issuer.clone(),
            jti: assertion.jti.as_str().to_owned(),
            // Until no clock lets it count: the one by which it is forgotten may be ahead of the one that would accept it.
            expires: assertion.expires_at.plus(SKEW).plus(SLOW),
        });
        let now = new.now;
        let (new, pepper, asked_for) = (new.clone(), self.0.pepper.clone(), email.clone());
        let decide = move |known: Acquaintance| {
            let word = record.provider.as_ref().map_or(new.now, |provider| provider.asserted);
            if known.revoked_before.is_some_and(|mark| word <= mark) {
                return Err(Refusal::Code(Code::Expired));
            }
            let mut effects = vec![Effect::Tell(Change::Created(record.kind))];
            effects.extend(spent.map(Effect::Spend));
            // Security: a link is to one mailbox. Who is said to read another one now is, as its reader, no better known
            // than anybody; were the link enough, what is held would stand in the name of somebody else than asserted.
            let link = known.link.filter(|Linked(by)| asked_for.is_none() || *by == asked_for);
            if link.is_none() && known.is_known {
                let (true, Some(email)) = (may_ask, asked_for) else { return Err(Code::InteractionRequired.into()) };
                record.bound = Some(email.clone());
                let (record, more, _) = record.ask(&email, new.locale, new.seed.clone(), &pepper, new.now)?;
                effects.extend(more);
                let registered = new.registered(&record, true);
                return Ok((record, effects, registered));
            }
            let by = if let Some(Linked(by)) = link {
                by
            } else {
                effects.extend(asked_for.clone().map(Effect::Meet));
                let subject = record.subject();
                effects.extend(subject.map(|subject| Effect::Delegate { subject, email: asked_for.clone() }));
                asked_for
            };
            record.claim = Claim::settled(new.now, by);
            record.claim_token = None;
            effects.push(Effect::Tell(Change::ClaimConfirmed));
            let (credential, more) = Credential::Absent.issue(record.full(new.draft(), new.now));
            effects.extend(more);
            record.credential = credential;
            let registered = new.registered(&record, false);
            Ok((record, effects, registered))
        };
        self.limited(self.0.store.admit((subject, email), gate, now, decide).await?, now)?
    }
}

impl New {
    fn record(&self, kind: RegistrationType) -> Record {
        Record {
            id: self.id.clone(),
            kind,
            created: self.now,
            provider: None,
            bound: None,
            wanted: self.wanted,
            scopes: Scope::ALL.to_vec(),
            claim: Claim::open(self.now.plus(UNCLAIMED)),
            credential: Credential::Absent,
            poll: Poll::new(),
            claim_token: Some(self.claim_token.0.digest()),
        }
    }

    fn draft(&self) -> Draft {
        Draft { digest: self.credential.digest() }
    }

    fn registered(&self, record: &Record, is_pending: bool) -> Registered {
        Registered {
            id: record.id.clone(),
            kind: record.kind,
            issued: record.credential.active().map(|active| Issued {
                credential: self.credential.clone(),
                credential_type: active.kind,
                expires: active.expires,
                scopes: active.scopes.clone(),
            }),
            pending: is_pending.then(|| Pending {
                site_url: self.site_url.clone(),
                now: self.now,
                claim_token: self.claim_token.clone(),
                expires: record.claim.deadline(),
                scopes: record.scopes.clone(),
                interval: INTERVAL,
            }),
        }
    }
}

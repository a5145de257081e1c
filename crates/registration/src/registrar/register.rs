//! Registration: without an identity, by e-mail, or on a provider's assertion.

use clock::Time;
use contract::{
    agent_auth::{AssertionType, CredentialType, RegistrationType},
    errors::AgentErrorCode as Code,
    scopes::Scope,
};
use providers::{Assertion, AssertionError, PresentedClient};
use secrets::{Mailbox, Secret};

use super::{FULL_RETRY, Registrar, admission::Admission, new::NewRegistration};
use crate::{
    domain::{Conflict, Effect, Registered, RegistrationChange, RegistrationError, credential::Credential},
    registrar::{
        Caller, Exchange, Identity, RegistrationRequest,
        budgets::{Budgets, EmailKind},
    },
    store::{Budget, KnownUser, RegistrationGate, StoreError},
};

/// Label of provider registrations in metrics.
const PROVIDER: &str = "provider";

impl Registrar {
    pub async fn register(
        &self,
        request: RegistrationRequest,
        caller: &Caller,
        now: Time,
    ) -> Result<Registered, RegistrationError> {
        let kind = match &request.identity {
            Identity::Anonymous => "anonymous",
            Identity::Email(_) => "email",
            Identity::Provider(_) => PROVIDER,
        };
        let registered = self.register_offered(request, caller, now).await;
        self.0.store.metrics().count_registration(kind, &registered);
        registered
    }

    async fn register_offered(
        &self,
        request: RegistrationRequest,
        caller: &Caller,
        now: Time,
    ) -> Result<Registered, RegistrationError> {
        let rules = self.rules();
        let offers = &rules.offers;
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
            return Err(self.not_offered_error(code));
        }
        let wanted = request.credential.or(kinds.first().copied()).filter(|kind| kinds.contains(kind));
        let new = self.new_registration(wanted.ok_or(Code::UnsupportedCredentialType)?, request.locale, now)?;
        match request.identity {
            Identity::Anonymous => self.anonymous(new, *caller).await,
            Identity::Email(mailbox) => self.by_email(new, mailbox, *caller).await,
            Identity::Provider(assertion) => {
                // Security: this endpoint takes no client secret, so clients with one are rejected.
                self.by_provider(new, &assertion, None, &PresentedClient::default(), *caller).await
            }
        }
    }

    /// Registers an agent on a provider's assertion, for an access token with at most the requested scopes.
    pub(super) async fn register_asserted(
        &self,
        request: Exchange,
        caller: Caller,
        now: Time,
    ) -> Result<Registered, RegistrationError> {
        let new = self.new_registration(CredentialType::AccessToken, request.locale, now)?;
        let registered = self.by_provider(new, &request.assertion, request.scopes, &request.client, caller).await;
        self.0.store.metrics().count_registration(PROVIDER, &registered);
        registered
    }

    async fn anonymous(&self, new: NewRegistration, caller: Caller) -> Result<Registered, RegistrationError> {
        let mut record = new.record(RegistrationType::Anonymous);
        let active = record.unclaimed_credential(new.draft(), new.now);
        let (credential, mut effects) = Credential::Absent.issue(active);
        effects.insert(0, Effect::Audit(RegistrationChange::Created(record.kind)));
        record.credential = credential;
        if !self.has_mail() {
            record.claim_token = None;
        }
        let registered = new.registered(&record, self.has_mail());
        // Security: only agents without an identity can come in great numbers, so only they are refused when the store
        // is full.
        let gate = RegistrationGate {
            budgets: self.budgets(caller).anonymous(),
            most: Some(self.rules().quotas.registrations),
        };
        let kept = self.0.store.insert(record, effects, gate, new.now).await;
        if let Err(StoreError::Conflict(Conflict::Full)) = kept {
            self.0.store.levels().note_exhausted("registrations", FULL_RETRY, new.now);
        }
        kept??;
        Ok(registered)
    }

    async fn by_email(
        &self,
        new: NewRegistration,
        mailbox: Mailbox,
        caller: Caller,
    ) -> Result<Registered, RegistrationError> {
        let budgets = self.budgets(caller);
        let email = [
            budgets.for_request(EmailKind::ClaimRequest, &mailbox),
            budgets.for_sent_email(EmailKind::ClaimRequest, &mailbox),
        ]
        .concat();
        let gate = RegistrationGate { budgets: [budgets.email(), email].concat(), most: None };
        let mut record = new.record(RegistrationType::Email);
        record.bound = Some(mailbox.clone());
        let (record, mut effects, _) = record.ask(&mailbox, new.phrase, new.seed.clone(), &self.0.pepper, new.now)?;
        effects.insert(0, Effect::Audit(RegistrationChange::Created(record.kind)));
        let registered = new.registered(&record, true);
        self.0.store.insert(record, effects, gate, new.now).await??;
        self.0.emails.notify_one();
        Ok(registered)
    }

    async fn by_provider(
        &self,
        new: NewRegistration,
        assertion: &Secret,
        scopes: Option<Vec<Scope>>,
        client: &PresentedClient,
        caller: Caller,
    ) -> Result<Registered, RegistrationError> {
        let budgets = self.budgets(caller);
        self.take(budgets.token(), new.now).await?;
        let rules = self.rules();
        let Some(providers) = &rules.providers else { return Err(Code::InvalidIssuer.into()) };
        let assertion = providers.assertion(assertion.reveal(), new.now).await.map_err(|error| match error {
            AssertionError::InvalidAudience => RegistrationError::Audience(self.0.resources.join(", ")),
            other => other.into(),
        })?;
        // Security: the provider may have been removed from the trust list while its keys were fetched.
        if self.rules().providers.as_ref().is_none_or(|providers| !providers.trusts(&assertion.issuer)) {
            return Err(Code::InvalidIssuer.into());
        }
        let admitted = self.by_assertion(&new, &assertion, scopes.as_deref(), client, &budgets).await;
        let is_rejected = |error: &&RegistrationError| {
            !matches!(error, RegistrationError::Limited { .. } | RegistrationError::Unavailable { .. })
        };
        if let Some(error) = admitted.as_ref().err().filter(is_rejected) {
            let (issuer, error) = (&assertion.issuer, error.code().as_str());
            tracing::warn!(issuer, error, "an assertion of a trusted provider is rejected");
        }
        let registered = admitted?;
        if registered.issued.is_some() {
            return Ok(registered);
        }
        self.0.emails.notify_one();
        Err(RegistrationError::InteractionRequired(Box::new(registered)))
    }

    /// Registers on a verified assertion, or asks its user.
    async fn by_assertion(
        &self,
        new: &NewRegistration,
        assertion: &Assertion,
        scopes: Option<&[Scope]>,
        client: &PresentedClient,
        budgets: &Budgets<'_>,
    ) -> Result<Registered, RegistrationError> {
        // Security: checked after the assertion, so that secrets cannot be tried without one.
        if !client.is(&assertion.client_id, assertion.client_secret.as_ref()) {
            return Err(Code::InvalidClient.into());
        }
        match self.admit(new, assertion, scopes, (false, budgets.assertion())).await {
            // The user must agree. Nothing was stored.
            Err(RegistrationError::Code(Code::InteractionRequired)) => {
                let mailbox = assertion.email.clone().filter(|_| self.has_mail());
                let Some(mailbox) = mailbox else { return Err(RegistrationError::NobodyToAsk) };
                let email = [
                    budgets.for_request(EmailKind::ClaimRequest, &mailbox),
                    budgets.for_sent_email(EmailKind::ClaimRequest, &mailbox),
                ]
                .concat();
                self.admit(new, assertion, scopes, (true, [budgets.assertion(), email].concat())).await
            }
            other => other,
        }
    }

    /// Registers on `assertion`, if `gate` has room.
    async fn admit(
        &self,
        new: &NewRegistration,
        assertion: &Assertion,
        scopes: Option<&[Scope]>,
        (may_ask, gate): (bool, Vec<Budget>),
    ) -> Result<Registered, RegistrationError> {
        let subject = assertion.user();
        let admission = Admission::new(new.clone(), assertion, scopes, may_ask)?;
        let (pepper, now, email) = (self.0.pepper.clone(), new.now, assertion.email.clone());
        let decide = move |known: KnownUser| admission.decide(known, &pepper);
        self.0.store.admit((subject, email), gate, now, decide).await??
    }
}

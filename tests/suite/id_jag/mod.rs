//! Agent providers and their keys, over HTTP on both sides, with a manual clock. The files of the sections test the
//! effects of assertions and events.

mod keys;
mod provider;

use std::{fs, time::Duration};

use contract::{
    agent_auth::{AssertionType, JWT_BEARER_GRANT},
    routes,
};
use serde_json::json;
use sidecar::{Clock, Config, LimitSettings, Quotas};
use tests::{BuiltFirm, FORM, Firm as _, Reply, Service, built};

pub(crate) use self::provider::{CLIENT, Provider, SECRET};

/// A service that trusts providers on this machine, and its clock.
pub(crate) struct Scene {
    pub(crate) service: Service,
    clock: Clock,
}

impl Scene {
    /// Starts a service that trusts `providers`.
    pub(crate) fn trusting(providers: &[&Provider]) -> Self {
        Self::limited(providers, LimitSettings::boundless().registration)
    }

    /// Starts such a service with other limits.
    pub(crate) fn limited(providers: &[&Provider], quotas: Quotas) -> Self {
        Self::of(built("firm"), providers, quotas)
    }

    /// Starts such a service for another firm.
    pub(crate) fn of(firm: BuiltFirm, providers: &[&Provider], quotas: Quotas) -> Self {
        Self::configured(firm, providers, |config| config.limits.registration = quotas)
    }

    /// Starts such a service without mail.
    pub(crate) fn without_mail(providers: &[&Provider]) -> Self {
        let firm = built("firm");
        Self::configured(firm, providers, |config| config.registration.mail = Some("none".to_owned()))
    }

    /// Starts such a service with a change to its settings.
    pub(crate) fn configured(firm: BuiltFirm, providers: &[&Provider], change: impl FnOnce(&mut Config)) -> Self {
        let trust = firm.dist().with_file_name("trust.toml");
        let entries: String = providers.iter().map(|provider| provider.entry()).collect();
        fs::write(&trust, format!("dev = true\n{entries}")).unwrap();
        let mut config = firm.config();
        config.registration.trust = Some(trust);
        change(&mut config);
        let clock = Clock::manual();
        Self { service: firm.serve_by(config, &clock), clock }
    }

    /// Returns the service's time in seconds since the epoch.
    pub(crate) fn now(&self) -> i64 {
        self.clock.now().millis() / 1000
    }

    pub(crate) fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    pub(crate) fn register(&self, assertion: &str) -> Reply {
        let kind = AssertionType::IdJag.as_str();
        let body = json!({ "type": "identity_assertion", "assertion_type": kind, "assertion": assertion });
        self.service.post_json(routes::REGISTER, &body)
    }

    /// Registers a new user of `provider`.
    pub(crate) fn admit(&self, provider: &Provider) -> Reply {
        self.register(&provider.assertion(self.now(), &json!({})))
    }

    pub(crate) fn exchange(&self, assertion: &str) -> Reply {
        self.exchange_as(&[], assertion, "")
    }

    /// Exchanges an assertion with further header fields and parameters.
    pub(crate) fn exchange_as(&self, lines: &[&str], assertion: &str, more: &str) -> Reply {
        let body = format!("grant_type={JWT_BEARER_GRANT}&assertion={assertion}{more}");
        self.service.post(routes::TOKEN, &[&[FORM], lines].concat(), body)
    }

    /// Sends an event of a provider.
    pub(crate) fn report(&self, token: &str) -> Reply {
        self.service.post(routes::PROVIDER_REVOKE, &["Content-Type: application/secevent+jwt"], token)
    }

    /// Returns the status of a call of the content API with this credential.
    pub(crate) fn content_status(&self, credential: &str) -> u16 {
        self.service.get(routes::TEAM, &[&format!("Authorization: Bearer {credential}")]).status
    }
}

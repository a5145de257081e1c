//! The table `[agents]` of `site.toml`.

use contract::{
    agent_auth::{AssertionType, CredentialType, IdentityType, Profile},
    manifest::Abilities,
};
use findings::{Code, Finding, messages};

use super::{Values, reader::FieldSource};

/// The access that agents may register for. The build renders it, and the sidecar enforces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agents {
    /// Whether a sidecar answers agents: at `/mcp`, at the registration endpoints, and to requests with a credential.
    pub service: bool,
    /// Whether a person can confirm a claim; false only if the sidecar sends no mail.
    pub claims: bool,
    /// Accepted registration types.
    pub identity_types: Vec<IdentityType>,
    /// Accepted assertion types.
    pub assertion_types: Vec<AssertionType>,
    /// Credentials for agents without an identity; the first is the default.
    pub anonymous_credentials: Vec<CredentialType>,
    /// Credentials for asserted identities; the first is the default.
    pub assertion_credentials: Vec<CredentialType>,
    /// Whether public clients may register in their own profile too.
    pub identity_profile: bool,
}

impl Agents {
    /// Returns the part of these settings that a service with `abilities` supports.
    #[must_use]
    pub fn honoured(&self, abilities: Abilities) -> Self {
        let mut agents = Self { claims: abilities.mail, ..self.clone() };
        agents.assertion_types.retain(|kind| match kind {
            AssertionType::IdJag => abilities.providers,
            AssertionType::VerifiedEmail => abilities.mail,
        });
        if agents.assertion_types.is_empty() {
            agents.identity_types.retain(|kind| *kind != IdentityType::IdentityAssertion);
        }
        agents
    }

    /// Returns the settings of a site that no sidecar serves: nothing is offered that needs one.
    #[must_use]
    pub fn content_only(&self) -> Self {
        Self { service: false, identity_types: Vec::new(), ..self.clone() }
    }

    /// Returns whether agents may register.
    pub fn register(&self) -> bool {
        !self.identity_types.is_empty()
    }

    /// Returns whether agents may register in the identity profile.
    pub fn identity(&self) -> bool {
        self.identity_profile && self.register()
    }

    /// Returns whether agents may register with this type of assertion.
    pub fn accept(&self, assertion: AssertionType) -> bool {
        self.identity_types.contains(&IdentityType::IdentityAssertion) && self.assertion_types.contains(&assertion)
    }

    /// Returns whether the token endpoint accepts assertions of providers, in exchange for access tokens.
    pub fn exchange(&self) -> bool {
        self.accept(AssertionType::IdJag) && self.assertion_credentials.contains(&CredentialType::AccessToken)
    }
}

/// Reads the group `[agents]`.
pub(super) fn agents(values: &Values, source: FieldSource, findings: &mut Vec<Finding>) -> Option<Agents> {
    let values = values.group("agents");
    if !values.has("identity_types") {
        return None;
    }
    let mut report = |code, span, message, help| findings.push(source.finding(code, span, message).help(help));
    let service = values.get("service").is_none_or(|service| service.value);
    let profiles = values.parse_list("profiles", Profile::parse);
    let has = |profile| profiles.as_ref().is_none_or(|list| list.value.iter().any(|item| item.value == profile));
    if let Some(list) = profiles.as_ref().filter(|_| !has(Profile::Specification)) {
        let help = messages::profile_left_out_help();
        report(Code::PROFILE_LEFT_OUT, list.span, messages::profile_left_out(), help);
    }
    // An unreadable list counts as one that offers nothing.
    let identities =
        values.parse_list("identity_types", IdentityType::parse).map(|list| list.value).unwrap_or_default();
    if let Some(offer) = identities.first().filter(|_| !service) {
        let help = messages::agents_without_service_help();
        report(Code::NOTHING_OFFERED, offer.span, messages::agents_without_service(), help);
    }
    for (identity, name) in [
        (IdentityType::Anonymous, "anonymous_credentials"),
        (IdentityType::IdentityAssertion, "assertion_types"),
        (IdentityType::IdentityAssertion, "assertion_credentials"),
    ] {
        // An unreadable list may have items.
        let is_empty = values.list::<String>(name).is_none_or(|list| list.value.is_empty());
        let lacks = is_empty && !values.has_failed(name);
        if let Some(offer) = identities.iter().find(|offer| offer.value == identity).filter(|_| lacks) {
            let help = messages::registration_without_item_help(name);
            report(Code::NOTHING_OFFERED, offer.span, messages::registration_without_item(name), help);
        }
    }
    Some(Agents {
        service,
        claims: true,
        identity_types: identities.into_iter().map(|item| item.value).collect(),
        assertion_types: items(values, "assertion_types", AssertionType::parse),
        anonymous_credentials: items(values, "anonymous_credentials", CredentialType::parse),
        assertion_credentials: items(values, "assertion_credentials", CredentialType::parse),
        identity_profile: has(Profile::Identity),
    })
}

fn items<T>(values: &Values, name: &str, parse: fn(&str) -> Option<T>) -> Vec<T> {
    let list = values.parse_list(name, parse);
    list.map(|list| list.value.into_iter().map(|item| item.value).collect()).unwrap_or_default()
}

//! The table `[agents]` of `site.toml`.

use contract::{
    agent_auth::{AssertionType, CredentialType, IdentityType, Profile},
    manifest::Abilities,
};
use findings::{Code, Span, messages};

use super::{At, fields::Fields, types};

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

/// The values of `identity_types`; these two include the third type, which is a name of the identity profile.
const IDENTITY_TYPES: [(&str, IdentityType); 2] = {
    let [anonymous, asserted, _] = IdentityType::NAMED;
    [anonymous, asserted]
};

/// Reads the group `[agents]`.
pub(super) fn agents(fields: &mut Fields) -> Option<Agents> {
    let group = fields.required_group("agents", |fields| {
        let service = fields.optional("service", &types::boolean()).is_none_or(|service| service.value);
        let identities = required(fields, "identity_types", &IDENTITY_TYPES);
        let assertions = fields.list("assertion_types", &types::one_of(&AssertionType::NAMED));
        let anonymous = fields.list("anonymous_credentials", &types::one_of(&CredentialType::NAMED));
        let asserted = fields.list("assertion_credentials", &types::one_of(&CredentialType::NAMED));
        let profiles = fields.list("profiles", &types::one_of(&Profile::NAMED));
        (service, identities, assertions, anonymous, asserted, profiles)
    })?;
    let (service, identities, assertions, anonymous, asserted, profiles) = group.value;
    let has = |profile| profiles.as_ref().is_none_or(|list| list.value.iter().any(|item| item.value == profile));
    if let Some(list) = profiles.as_ref().filter(|_| !has(Profile::Specification)) {
        let finding = fields.finding(Code::PROFILE_LEFT_OUT, list.span, messages::profile_left_out());
        fields.report(finding.help(messages::profile_left_out_help()));
    }
    let identity_profile = has(Profile::Identity);
    let identities = identities?;
    if let Some(offer) = identities.value.first().filter(|_| !service) {
        let finding = fields.finding(Code::NOTHING_OFFERED, offer.span, messages::agents_without_service());
        fields.report(finding.help(messages::agents_without_service_help()));
    }
    for (identity, name, is_empty) in [
        (IdentityType::Anonymous, "anonymous_credentials", is_empty(anonymous.as_ref())),
        (IdentityType::IdentityAssertion, "assertion_types", is_empty(assertions.as_ref())),
        (IdentityType::IdentityAssertion, "assertion_credentials", is_empty(asserted.as_ref())),
    ] {
        // An unreadable list may have items.
        let lacks = is_empty && !group.failed.contains(&name);
        if let Some(offer) = identities.value.iter().find(|offer| offer.value == identity).filter(|_| lacks) {
            let message = messages::registration_without_item(name);
            let finding = fields.finding(Code::NOTHING_OFFERED, offer.span, message);
            fields.report(finding.help(messages::registration_without_item_help(name)));
        }
    }
    Some(Agents {
        service,
        claims: true,
        identity_types: plain(Some(identities)),
        assertion_types: plain(assertions),
        anonymous_credentials: plain(anonymous),
        assertion_credentials: plain(asserted),
        identity_profile,
    })
}

fn required<T: Copy + PartialEq>(
    fields: &mut Fields,
    name: &'static str,
    words: &[(&'static str, T)],
) -> Option<At<Vec<At<T>>>> {
    let list = fields.list(name, &types::one_of(words));
    if list.is_some() {
        return list;
    }
    if !fields.has(name) {
        fields.missing(name);
        return None;
    }
    // An empty list means that nothing is offered.
    Some(At::new(Vec::new(), Span::FILE))
}

fn is_empty<T>(list: Option<&At<Vec<At<T>>>>) -> bool {
    list.is_none_or(|list| list.value.is_empty())
}

fn plain<T>(list: Option<At<Vec<At<T>>>>) -> Vec<T> {
    list.map(|list| list.value.into_iter().map(|item| item.value).collect()).unwrap_or_default()
}

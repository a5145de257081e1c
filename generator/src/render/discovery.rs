//! Discovery documents for programs: API catalog and OAuth metadata.

use contract::{
    PerLocale,
    agent_auth::{AssertionType, CLAIM_GRANT, EVENTS, ID_JAG_PROFILE, IdentityType, JWT_BEARER_GRANT},
    discovery::{
        AgentAuth, AnonymousSupport, AuthorizationServer, IdentityAssertionSupport, LinkContext, LinkTarget, Linkset,
        ProtectedResource,
    },
    manifest::Class,
    media, routes,
    scopes::Scope,
    text::Uri,
};

use super::{
    RenderError, api,
    output::{Output, VariantDraft},
    shared::Shared,
};
use crate::site::PageKind;

/// All of them. They name English pages where a page is named: programs read the default locale.
pub(super) fn documents(shared: &PerLocale<Shared>) -> Result<Output, RenderError> {
    let shared = &shared[contract::Locale::DEFAULT];
    let mut output = Output::default();
    let catalog_link = format!("<{}>; rel=\"api-catalog\"", shared.site.absolute(routes::API_CATALOG));
    output.push(
        routes::API_CATALOG,
        Class::Discovery,
        media::LINKSET,
        api::json(&api_catalog(shared)?)?,
        VariantDraft { link: Some(catalog_link), ..VariantDraft::default() },
    );
    let resources = [
        (routes::PROTECTED_RESOURCE, ""),
        (routes::PROTECTED_RESOURCE_MCP, routes::MCP),
        (routes::PROTECTED_RESOURCE_API, routes::API_BASE),
    ];
    for (path, resource) in resources {
        let bytes = api::json(&protected_resource(shared, resource)?)?;
        // One of the paths is a folder of the others, so on disk each has an ending.
        let file = api::json_file(path);
        output.push_as(path, file, Class::Discovery, media::JSON, bytes, VariantDraft::default());
    }
    let bytes = api::json(&authorization_server(shared)?)?;
    output.push(routes::AUTHORIZATION_SERVER, Class::Discovery, media::JSON, bytes, VariantDraft::default());
    Ok(output)
}

/// Entry 1 names the members, entry 2 describes the content API, entry 3 the MCP endpoint.
fn api_catalog(shared: &Shared) -> Result<Linkset, RenderError> {
    let developers = &shared.page(PageKind::Developers).document.path;
    let target = |path: &str, media_type: Option<&str>| -> Result<Vec<LinkTarget>, RenderError> {
        let href = api::url(shared, path)?;
        Ok(vec![LinkTarget { href, media_type: media_type.map(str::to_owned), title: None }])
    };
    let context = |path: &str, relations: Vec<(&str, Vec<LinkTarget>)>| -> Result<LinkContext, RenderError> {
        let relations = relations.into_iter().map(|(name, targets)| (name.to_owned(), targets));
        Ok(LinkContext { anchor: api::url(shared, path)?, relations: relations.collect() })
    };
    let members = [
        (routes::API_BASE, "Content API"),
        (routes::MCP, "Model Context Protocol endpoint"),
        (routes::REGISTER, "Agent registration"),
    ];
    let members: Result<Vec<_>, RenderError> = members
        .into_iter()
        .map(|(path, title)| {
            Ok(LinkTarget { href: api::url(shared, path)?, media_type: None, title: Some(title.to_owned()) })
        })
        .collect();
    Ok(Linkset {
        linkset: vec![
            context(routes::API_CATALOG, vec![("item", members?)])?,
            context(
                routes::API_BASE,
                vec![
                    ("service-desc", target(routes::OPENAPI, Some(media::JSON))?),
                    ("service-doc", target(developers, Some("text/html"))?),
                    ("status", target(routes::HEALTH, Some(media::JSON))?),
                    ("service-meta", target(routes::PROTECTED_RESOURCE_API, Some(media::JSON))?),
                ],
            )?,
            context(
                routes::MCP,
                vec![
                    ("service-desc", target(routes::SERVER_CARD, Some(media::SERVER_CARD))?),
                    ("service-doc", target(developers, Some("text/html"))?),
                    ("service-meta", target(routes::PROTECTED_RESOURCE_MCP, Some(media::JSON))?),
                ],
            )?,
        ],
    })
}

/// The site itself is the root resource; the two interfaces are resources of their own (RFC 9728, 3.1).
fn protected_resource(shared: &Shared, resource: &str) -> Result<ProtectedResource, RenderError> {
    let path_of = |kind: PageKind| &shared.page(kind).document.path;
    Ok(ProtectedResource {
        resource: api::url(shared, resource)?,
        resource_name: shared.site.settings.firm.name[shared.locale].clone(),
        resource_logo_uri: api::url(shared, &shared.site.settings.firm.logo)?,
        authorization_servers: vec![issuer(shared)?],
        scopes_supported: Scope::ALL.to_vec(),
        bearer_methods_supported: vec!["header".to_owned()],
        resource_documentation: api::url(shared, path_of(PageKind::Developers))?,
        resource_policy_uri: api::url(shared, path_of(PageKind::LegalNotice))?,
    })
}

fn authorization_server(shared: &Shared) -> Result<AuthorizationServer, RenderError> {
    let agents = &shared.site.settings.agents;
    let asserts = agents.identity_types.contains(&IdentityType::IdentityAssertion);
    let accepts_id_jag = asserts && agents.assertion_types.contains(&AssertionType::IdJag);
    let none = || vec!["none".to_owned()];
    let mut grants = vec![CLAIM_GRANT.to_owned()];
    if accepts_id_jag {
        grants.insert(0, JWT_BEARER_GRANT.to_owned());
    }
    Ok(AuthorizationServer {
        issuer: issuer(shared)?,
        token_endpoint: api::url(shared, routes::TOKEN)?,
        revocation_endpoint: api::url(shared, routes::REVOKE)?,
        grant_types_supported: grants,
        response_types_supported: none(),
        token_endpoint_auth_methods_supported: none(),
        revocation_endpoint_auth_methods_supported: none(),
        authorization_grant_profiles_supported: accepts_id_jag.then(|| ID_JAG_PROFILE.to_owned()).into_iter().collect(),
        scopes_supported: Scope::ALL.to_vec(),
        service_documentation: api::url(shared, &shared.page(PageKind::Developers).document.path)?,
        agent_auth: AgentAuth {
            skill: api::url(shared, routes::AUTH_MD)?,
            register_uri: api::url(shared, routes::REGISTER)?,
            claim_uri: api::url(shared, routes::CLAIM)?,
            revocation_uri: api::url(shared, routes::PROVIDER_REVOKE)?,
            identity_types_supported: agents.identity_types.clone(),
            identity_assertion: asserts.then(|| IdentityAssertionSupport {
                assertion_types_supported: agents.assertion_types.clone(),
                credential_types_supported: agents.assertion_credentials.clone(),
            }),
            anonymous: agents
                .identity_types
                .contains(&IdentityType::Anonymous)
                .then(|| AnonymousSupport { credential_types_supported: agents.anonymous_credentials.clone() }),
            events_supported: EVENTS.map(str::to_owned).to_vec(),
        },
    })
}

/// Issuer and root resource are the same string, so one audience serves both readings.
fn issuer(shared: &Shared) -> Result<Uri, RenderError> {
    api::url(shared, "")
}

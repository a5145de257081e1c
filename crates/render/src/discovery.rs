//! Discovery documents for programs: API catalog and OAuth metadata.

use contract::{
    PerLocale,
    agent_auth::{
        AssertionType, CLAIM_GRANT, CLIENT_METHODS, EVENTS, ID_JAG_PROFILE, IdentityType, JWT_BEARER_GRANT,
        NO_CLIENT_METHOD,
    },
    discovery::{
        AgentAuth, AnonymousSupport, AuthorizationServer, BEARER_METHODS, IdentityAssertionSupport, LinkContext,
        LinkTarget, Linkset, ProtectedResource,
    },
    manifest::Class,
    media, routes,
    scopes::Scope,
    text::Uri,
};
use site::{Agents, PageKind};

use super::{
    RenderError, api,
    output::{Output, VariantDraft},
    shared::Shared,
};

/// Renders all of them for `agents`. Links to pages use the default locale, the language for programs.
pub(super) fn documents(shared: &PerLocale<Shared>, agents: &Agents) -> Result<Output, RenderError> {
    let shared = &shared[contract::Locale::DEFAULT];
    let mut output = Output::default();
    let catalog_link = format!("<{}>; rel=\"api-catalog\"", shared.site.absolute(routes::API_CATALOG));
    output.push(
        routes::API_CATALOG,
        Class::Discovery,
        media::LINKSET,
        api::json(&api_catalog(shared, agents)?)?,
        VariantDraft { link: Some(catalog_link.clone()), ..VariantDraft::english() },
    );
    // The catalog lists the root of the API as a member, so the root needs a response: its description and its
    // resources.
    output.push_as(
        routes::API_BASE,
        api::json_file(routes::API_BASE),
        Class::Description,
        media::LINKS,
        api::json(&api_root(shared)?)?,
        VariantDraft { link: Some(catalog_link.clone()), ..VariantDraft::english() },
    );
    let resources = [
        (routes::PROTECTED_RESOURCE, ""),
        (routes::PROTECTED_RESOURCE_MCP, routes::MCP),
        (routes::PROTECTED_RESOURCE_API, routes::API_BASE),
    ];
    // Clients take metadata of the endpoint itself as a demand to sign in, even before a request is refused.
    for (path, resource) in
        resources.into_iter().filter(|(path, _)| agents.register() || *path != routes::PROTECTED_RESOURCE_MCP)
    {
        let bytes = api::json(&protected_resource(shared, resource, agents)?)?;
        // One path is a prefix of the others, so on disk each file has an extension.
        let file = api::json_file(path);
        output.push_as(path, file, Class::Discovery, media::JSON, bytes, VariantDraft::english());
    }
    if agents.service {
        let bytes = api::json(&authorization_server(shared, agents)?)?;
        output.push(routes::AUTHORIZATION_SERVER, Class::Discovery, media::JSON, bytes, VariantDraft::english());
    }
    Ok(output)
}

/// Builds the catalog: entry 1 lists the members, entry 2 describes the content API, entry 3 the MCP endpoint, if there
/// is one.
fn api_catalog(shared: &Shared, agents: &Agents) -> Result<Linkset, RenderError> {
    let members = [
        (true, routes::API_BASE, "Content API"),
        (agents.service, routes::MCP, "Model Context Protocol endpoint"),
        (agents.register(), routes::REGISTER, "Agent registration"),
    ];
    let members: Result<Vec<_>, RenderError> = members
        .into_iter()
        .filter(|(is_there, ..)| *is_there)
        .map(|(_, path, title)| named(shared, path, None, title))
        .collect();
    let mut mcp = vec![
        ("service-desc", target(shared, routes::SERVER_CARD, media::SERVER_CARD)?),
        ("service-doc", developers(shared)?),
    ];
    if agents.register() {
        mcp.push(("service-meta", target(shared, routes::PROTECTED_RESOURCE_MCP, media::JSON)?));
    }
    let mut linkset = vec![
        context(shared, routes::API_CATALOG, vec![("item", members?)])?,
        context(shared, routes::API_BASE, of_the_api(shared)?)?,
    ];
    if agents.service {
        linkset.push(context(shared, routes::MCP, mcp)?);
    }
    Ok(Linkset { linkset })
}

/// Builds the response at the root of the content API.
fn api_root(shared: &Shared) -> Result<Linkset, RenderError> {
    let resources = routes::OPERATIONS.iter();
    let resources: Result<Vec<_>, RenderError> =
        resources.map(|it| named(shared, it.path, Some(media::JSON), it.summary)).collect();
    let mut relations = vec![("item", resources?)];
    relations.extend(of_the_api(shared)?);
    Ok(Linkset { linkset: vec![context(shared, routes::API_BASE, relations)?] })
}

/// Returns the links that describe the content API.
fn of_the_api(shared: &Shared) -> Result<Vec<(&'static str, Vec<LinkTarget>)>, RenderError> {
    Ok(vec![
        ("service-desc", target(shared, routes::OPENAPI, media::JSON)?),
        ("service-doc", developers(shared)?),
        ("status", target(shared, routes::HEALTH, media::JSON)?),
        ("service-meta", target(shared, routes::PROTECTED_RESOURCE_API, media::JSON)?),
    ])
}

fn developers(shared: &Shared) -> Result<Vec<LinkTarget>, RenderError> {
    let (path, media_type) = shared.documentation();
    target(shared, &path, media_type)
}

fn context(
    shared: &Shared,
    path: &str,
    relations: Vec<(&'static str, Vec<LinkTarget>)>,
) -> Result<LinkContext, RenderError> {
    let relations = relations.into_iter().map(|(name, targets)| (name.to_owned(), targets));
    Ok(LinkContext { anchor: api::url(shared, path)?, relations: relations.collect() })
}

fn target(shared: &Shared, path: &str, media_type: &str) -> Result<Vec<LinkTarget>, RenderError> {
    let href = api::url(shared, path)?;
    Ok(vec![LinkTarget { href, media_type: Some(media_type.to_owned()), title: None }])
}

fn named(shared: &Shared, path: &str, media_type: Option<&str>, title: &str) -> Result<LinkTarget, RenderError> {
    let href = api::url(shared, path)?;
    Ok(LinkTarget { href, media_type: media_type.map(str::to_owned), title: Some(title.to_owned()) })
}

/// Describes a protected resource. The site is the root resource; the two interfaces are resources of their own (RFC
/// 9728, 3.1).
fn protected_resource(shared: &Shared, resource: &str, agents: &Agents) -> Result<ProtectedResource, RenderError> {
    Ok(ProtectedResource {
        resource: api::url(shared, resource)?,
        resource_name: shared.site.settings.firm.name[shared.locale].clone(),
        resource_logo_uri: api::url(shared, &shared.site.settings.firm.logo)?,
        authorization_servers: if agents.register() { vec![issuer(shared)?] } else { Vec::new() },
        scopes_supported: Scope::ALL.to_vec(),
        bearer_methods_supported: BEARER_METHODS.map(str::to_owned).to_vec(),
        resource_documentation: api::url(shared, &shared.documentation().0)?,
        resource_policy_uri: shared.page(PageKind::LegalNotice).map(|page| api::url(shared, &page.path)).transpose()?,
    })
}

fn authorization_server(shared: &Shared, agents: &Agents) -> Result<AuthorizationServer, RenderError> {
    let asserts = agents.identity_types.contains(&IdentityType::IdentityAssertion);
    let none = || vec![NO_CLIENT_METHOD.to_owned()];
    // Without mail the claim grant stays: agents may still collect credentials of earlier claims.
    let grants = [(agents.exchange() || agents.identity(), JWT_BEARER_GRANT), (agents.register(), CLAIM_GRANT)];
    let grants = grants.into_iter().filter(|(is_offered, _)| *is_offered);
    let grants = grants.map(|(_, grant)| grant.to_owned()).collect();
    let mut identity_types = agents.identity_types.clone();
    if agents.identity() && agents.accept(AssertionType::VerifiedEmail) {
        identity_types.push(IdentityType::ServiceAuth);
    }
    let of_identity = |path: &str| agents.identity().then(|| api::url(shared, path)).transpose();
    Ok(AuthorizationServer {
        issuer: issuer(shared)?,
        authorization_endpoint: api::url(shared, routes::AUTHORIZE)?,
        token_endpoint: api::url(shared, routes::TOKEN)?,
        revocation_endpoint: api::url(shared, routes::REVOKE)?,
        grant_types_supported: grants,
        response_types_supported: none(),
        token_endpoint_auth_methods_supported: if agents.exchange() {
            CLIENT_METHODS.map(str::to_owned).to_vec()
        } else {
            none()
        },
        revocation_endpoint_auth_methods_supported: none(),
        authorization_grant_profiles_supported: agents
            .exchange()
            .then(|| ID_JAG_PROFILE.to_owned())
            .into_iter()
            .collect(),
        client_id_metadata_document_supported: agents.exchange(),
        scopes_supported: Scope::ALL.to_vec(),
        resource: issuer(shared)?,
        authorization_servers: vec![issuer(shared)?],
        bearer_methods_supported: BEARER_METHODS.map(str::to_owned).to_vec(),
        // Without a page for developers, the registration instructions are the documentation.
        service_documentation: api::url(
            shared,
            shared.page(PageKind::Developers).map_or(routes::AUTH_MD, |page| &page.path),
        )?,
        agent_auth: AgentAuth {
            skill: api::url(shared, routes::AUTH_MD)?,
            register_uri: api::url(shared, routes::REGISTER)?,
            claim_uri: api::url(shared, routes::CLAIM)?,
            revocation_uri: api::url(shared, routes::PROVIDER_REVOKE)?,
            identity_endpoint: of_identity(routes::IDENTITY)?,
            claim_endpoint: of_identity(routes::IDENTITY_CLAIM)?,
            events_endpoint: of_identity(routes::PROVIDER_REVOKE)?,
            identity_types_supported: identity_types,
            identity_assertion: if asserts {
                IdentityAssertionSupport {
                    assertion_types_supported: agents.assertion_types.clone(),
                    credential_types_supported: agents.assertion_credentials.clone(),
                }
            } else {
                IdentityAssertionSupport::default()
            },
            anonymous: if agents.identity_types.contains(&IdentityType::Anonymous) {
                AnonymousSupport { credential_types_supported: agents.anonymous_credentials.clone() }
            } else {
                AnonymousSupport::default()
            },
            // Only providers that assert identities send events.
            events_supported: if agents.accept(AssertionType::IdJag) {
                EVENTS.map(str::to_owned).to_vec()
            } else {
                Vec::new()
            },
        },
    })
}

/// Returns the issuer: the same string as the root resource, so that one audience is valid for both.
fn issuer(shared: &Shared) -> Result<Uri, RenderError> {
    api::url(shared, "")
}

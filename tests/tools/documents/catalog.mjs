// The API catalog (RFC 9727, RFC 9264) and the OAuth metadata (RFC 9728, RFC 8414).

import { json, resolves, texts } from './answer.mjs';

const CATALOG = '/.well-known/api-catalog';
const RESOURCE = '/.well-known/oauth-protected-resource';
const SERVER = '/.well-known/oauth-authorization-server';

export async function judge(site, findings) {
  await catalog(site, findings);
  const server = await json(site, findings, SERVER);
  for (const resource of ['', '/mcp', '/api/v1']) await protectedResource(site, findings, resource, server);
  if (!server) return;
  findings.expect(server.issuer === site.origin, SERVER, `issuer is ${server.issuer}`);
  for (const name of ['token_endpoint', 'revocation_endpoint', 'response_types_supported', 'grant_types_supported', 'agent_auth']) {
    findings.expect(server[name] !== undefined, SERVER, `lacks ${name}`);
  }
  for (const text of texts(server)) if (text.startsWith('http') && !text.includes('schemas')) await resolves(site, findings, SERVER, text);
}

async function catalog(site, findings) {
  const type = 'application/linkset+json';
  const document = await json(site, findings, CATALOG, type);
  if (!document) return;
  const answer = await site.get(CATALOG);
  const profile = 'profile="https://www.rfc-editor.org/info/rfc9727"';
  findings.expect(answer.headers.get('content-type').includes(profile), CATALOG, 'its type names no profile');
  findings.expect(answer.headers.get('link')?.includes('rel="api-catalog"'), CATALOG, 'has no Link to itself');
  if (!findings.expect(Array.isArray(document.linkset), CATALOG, 'holds no linkset')) return;
  for (const { anchor, ...relations } of document.linkset) {
    await resolves(site, findings, CATALOG, anchor);
    for (const [relation, targets] of Object.entries(relations)) {
      if (!findings.expect(Array.isArray(targets), CATALOG, `${relation} is no array`)) continue;
      for (const target of targets) await resolves(site, findings, CATALOG, target.href);
    }
  }
}

async function protectedResource(site, findings, resource, server) {
  const path = RESOURCE + resource;
  const document = await json(site, findings, path);
  if (!document) return;
  // RFC 9728, 3.3: a client discards the document of another resource.
  findings.expect(document.resource === site.origin + resource, path, `resource is ${document.resource}`);
  const servers = document.authorization_servers ?? [];
  findings.expect(servers.includes(server?.issuer), path, 'does not name the authorization server by its issuer');
  for (const name of ['resource_name', 'resource_logo_uri', 'scopes_supported', 'bearer_methods_supported']) {
    findings.expect(document[name] !== undefined, path, `lacks ${name}`);
  }
  for (const name of ['resource_logo_uri', 'resource_documentation', 'resource_policy_uri']) {
    if (document[name]) await resolves(site, findings, path, document[name]);
  }
}

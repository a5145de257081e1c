// Third-party libraries, as published, read the metadata, obtain a token with the assertion of a provider, use
// it, and lose it by an event of the provider.
//
//   node access.mjs URL FOLDER [--refused]
//
// FOLDER is that of provider.mjs; URL a service that trusts its provider. With --refused it is one that trusts no provider:
// they read that it accepts no assertions, get a matching error if they try, and read public content
// without a token.

import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { auth as oldAuth } from '@modelcontextprotocol/sdk/client/auth.js';
import { auth, Client, CrossAppAccessProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { importJWK, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { confide } from '../secrets.mjs';

const [url, folder, isRefused] = process.argv.slice(2);
const provider = JSON.parse(readFileSync(join(folder, 'provider.json'), 'utf8'));
const key = await importJWK(provider.key, 'ES256');
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const mcp = `${url}/mcp`;
const info = { name: 'mecelle-tests', version: '1.0.0' };
/** Messages of a library that could not parse a response. */
const PARSER = /Zod|invalid_type|Invalid input|expected string|JSON/i;
const insecure = { [oauth.allowInsecureRequests]: true };

const sign = (typ, claims) =>
  new SignJWT({ iss: provider.issuer, jti: randomUUID(), ...claims }).setProtectedHeader({ typ, alg: 'ES256', kid: 'key' }).setIssuedAt().sign(key);

/** Returns an assertion about `sub`. */
const assertion = (sub, audience, more = {}) => {
  const now = Math.floor(Date.now() / 1000);
  return sign('oauth-id-jag+jwt', {
    sub, aud: audience, client_id: provider.client, exp: now + 300, auth_time: now - 60,
    email: `${sub}@client.example`, email_verified: true, ...more,
  });
};

/** The token works on both surfaces until the provider ends it. */
async function judge(sub, token, client) {
  confide(token, provider.secret);
  const status = async () => (await fetch(`${url}/api/v1/team`, { headers: { authorization: `Bearer ${token}` } })).status;
  assert.equal(await status(), 200);
  if (client) assert.equal((await client.listTools()).tools.length, 8);
  const event = await sign('secevent+jwt', {
    sub, aud: url, events: { 'https://schemas.openid.net/secevent/caep/event-type/session-revoked': {} },
  });
  const accepted = await fetch(`${url}/agent/auth/revoke`, { method: 'POST', headers: { 'content-type': 'application/secevent+jwt' }, body: event });
  assert.equal(accepted.status, 202);
  assert.equal(await status(), 401);
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const refused = await fetch(mcp, {
    method: 'POST', body: JSON.stringify(list), headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  assert.equal(refused.status, 401);
  assert.match(refused.headers.get('www-authenticate'), /scope="content.read mcp.read"/);
}

/** A provider of credentials for the first version of the library, which has none for assertions. */
class OldProvider {
  constructor(sub, method) {
    Object.assign(this, { sub, information: { client_id: provider.client, client_secret: provider.secret, token_endpoint_auth_method: method } });
  }
  redirectUrl = undefined;
  clientMetadata = { redirect_uris: [], grant_types: [JWT_BEARER] };
  clientInformation() { return this.information; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; }
  async prepareTokenRequest() {
    return new URLSearchParams({ grant_type: JWT_BEARER, assertion: await assertion(this.sub, url, { resource: `${mcp}/` }) });
  }
}

/** Reads both metadata documents with the checks of the library. */
async function documents() {
  const issuer = new URL(url);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }));
  const resource = new URL(mcp);
  const described = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, insecure));
  assert.deepEqual(described.authorization_servers, [server.issuer]);
  return [server, described];
}

/** Requests a token with an assertion. */
async function exchange(sub) {
  const [server, { resource }] = await documents();
  const client = { client_id: provider.client };
  const parameters = { assertion: await assertion(sub, server.issuer), resource };
  const reply = await oauth.genericTokenEndpointRequest(server, client, oauth.ClientSecretBasic(provider.secret), JWT_BEARER, parameters, insecure);
  return (await oauth.processGenericTokenEndpointResponse(server, client, reply)).access_token;
}

/** Requests a token according to the metadata of the server. */
async function grant(sub) {
  const options = { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] };
  const config = await openid.discovery(new URL(url), provider.client, provider.secret, undefined, options);
  const { issuer } = config.serverMetadata();
  return (await openid.genericGrantRequest(config, JWT_BEARER, { assertion: await assertion(sub, issuer), resource: `${url}/` })).access_token;
}

function crossApp(sub) {
  return new CrossAppAccessProvider({
    clientId: provider.client, clientSecret: provider.secret, expectedIssuer: url,
    assertion: ({ authorizationServerUrl, resourceUrl, scope }) => assertion(sub, authorizationServerUrl, { resource: resourceUrl, scope }),
  });
}

const trusted = {
  ...Object.fromEntries(['client_secret_basic', 'client_secret_post'].map((method) => [`sdk v1, ${method}`, async (sub) => {
    const authProvider = new OldProvider(sub, method);
    assert.equal(await oldAuth(authProvider, { serverUrl: mcp }), 'AUTHORIZED');
    const client = new OldClient(info);
    await client.connect(new OldTransport(new URL(mcp), { authProvider }));
    await judge(sub, authProvider.kept.access_token, client);
    await client.close();
  }])),
  'client v2, CrossAppAccessProvider': async (sub) => {
    const authProvider = crossApp(sub);
    assert.equal(await auth(authProvider, { serverUrl: mcp }), 'AUTHORIZED');
    const client = new Client(info);
    await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { authProvider }));
    await judge(sub, authProvider.tokens().access_token, client);
    // The library replaces a refused token by itself, with a new assertion of the provider. Assertions
    // in the second of the event are void.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    assert.equal((await client.listTools()).tools.length, 8);
    await client.close();
  },
  oauth4webapi: async (sub) => judge(sub, await exchange(sub)),
  'openid-client': async (sub) => judge(sub, await grant(sub)),
};

/** Returns whether an error is that of the service, and not of a parser. */
function assertNotTrusted(error) {
  const message = [error.message, error.error_description, error.cause?.error_description].join(' ');
  assert.doesNotMatch(message, PARSER, message);
  assert.match(message, /not trusted/, message);
  return true;
}

const refused = {
  'both documents, which offer no assertion': async () => {
    const [server] = await documents();
    const { identity_types_supported: types, identity_assertion: taken, events_supported: events } = server.agent_auth;
    assert.deepEqual([types, taken.assertion_types_supported, events], [['anonymous'], [], []]);
    assert.equal(server.authorization_grant_profiles_supported, undefined);
    assert.deepEqual(server.token_endpoint_auth_methods_supported, ['none']);
  },
  ...Object.fromEntries(['client_secret_basic', 'client_secret_post'].map((method) => [`sdk v1, ${method}`, (sub) =>
    assert.rejects(oldAuth(new OldProvider(sub, method), { serverUrl: mcp }), assertNotTrusted),
  ])),
  'client v2, CrossAppAccessProvider': (sub) => assert.rejects(auth(crossApp(sub), { serverUrl: mcp }), assertNotTrusted),
  oauth4webapi: (sub) => assert.rejects(exchange(sub), assertNotTrusted),
  'openid-client': (sub) => assert.rejects(grant(sub), assertNotTrusted),
};

const both = {
  'mcp-remote': async () => {
    const client = new OldClient(info);
    await client.connect(new StdioClientTransport({ command: 'node', args: remote(), env: { ...process.env, HOME: folder }, stderr: 'ignore' }));
    assert.equal((await client.listTools()).tools.length, 8);
    await client.close();
  },
  'mcp-remote, with a refused key': async () => {
    const printed = await run(remote('--header', `Authorization: Bearer at_${'0'.repeat(27)}`));
    assert.doesNotMatch(printed, PARSER, printed);
    assert.match(printed, /does not support dynamic client registration|not valid/i, printed);
  },
};

function remote(...more) {
  return [fileURLToPath(new URL('../node_modules/mcp-remote/dist/proxy.js', import.meta.url)), mcp, '--allow-http', '--transport', 'http-only', ...more];
}

/** Returns the output of a program, which ends within twenty seconds. */
function run(arguments_) {
  const child = spawn('node', arguments_, { env: { ...process.env, HOME: folder }, stdio: ['pipe', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { printed += data; });
  const timer = setTimeout(() => child.kill(), 20_000);
  return new Promise((resolve) => child.on('close', () => { clearTimeout(timer); resolve(printed); }));
}

let failed = false;
for (const [name, attempt] of Object.entries({ ...(isRefused ? refused : trusted), ...both })) {
  try {
    await attempt(randomUUID());
    console.log(`ok    ${name}`);
  } catch (error) {
    failed = true;
    console.log(`FAIL  ${name}: ${error.stack}`);
  }
}
process.exit(failed ? 1 : 0);

// The access by an assertion, and the response when the user must act first.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { it } from 'node:test';
import { Outbox } from '../claim/outbox.mjs';
import { ALGORITHMS, TYPES, now } from './provider.mjs';

const SCOPES = ['openid', 'profile', 'mcp.read', 'content.read'];

export function registration({ service, provider, other, lasting, signers }) {
  const signer = signers.good.ES256;
  const mint = (changes, by = signer) => by.sign(TYPES.idJag, provider.assertion(service.site, changes));

  it('is published: both grants, the profile, the events, and nothing about who is trusted', async () => {
    const { text, body } = await service.send('/.well-known/oauth-authorization-server');
    assert.ok(body.grant_types_supported.includes('urn:ietf:params:oauth:grant-type:jwt-bearer'));
    assert.deepEqual(body.authorization_grant_profiles_supported, ['urn:ietf:params:oauth:grant-profile:id-jag']);
    assert.ok(body.agent_auth.identity_assertion.assertion_types_supported.includes('urn:ietf:params:oauth:token-type:id-jag'));
    assert.ok(body.agent_auth.events_supported.length > 0);
    assert.ok(![provider.issuer, 'agent-7', 'Example Agents'].some((word) => text.includes(word)));
  });

  for (const algorithm of ALGORITHMS) {
    it(`an assertion that jose signed with ${algorithm} opens the content API and /mcp without a claim`, async () => {
      const reply = await service.register(await mint({}, signers.good[algorithm]));
      assert.equal(reply.status, 200, reply.text);
      const { registration_id, credential, credential_expires, next, ...rest } = reply.body;
      assert.match(next, /`credential` as `Authorization: Bearer`/);
      assert.deepEqual(rest, { registration_type: 'agent-provider', credential_type: 'access_token', scopes: SCOPES });
      assert.match(registration_id, /^reg_[0-9A-Za-z]{27,}$/);
      assert.match(credential, /^at_[0-9A-Za-z]{27,}$/);
      lives(credential_expires, 3600, reply);
      unshared(reply);
      assert.deepEqual(await service.opens(credential), [200, 200]);
      assert.deepEqual(await service.opens(`${credential}x`), [401, 401]);
    });
  }

  it('an API key is good for 90 days', async () => {
    const reply = await service.register(await mint(), { requested_credential_type: 'api_key' });
    const { body } = reply;
    assert.match(body.credential, /^ak_/);
    lives(body.credential_expires, 90 * 24 * 3600, reply);
    assert.deepEqual(await service.opens(body.credential), [200, 200]);
  });

  it('another type of credential is refused, and the assertion is not spent on it', async () => {
    const assertion = await mint();
    const refused = await service.register(assertion, { requested_credential_type: 'id_token' });
    assert.deepEqual(statusAndError(refused), [400, 'unsupported_credential_type']);
    assert.equal((await service.register(assertion)).status, 200);
  });

  it('the token endpoint accepts it as a grant and replies as OAuth clients expect', async () => {
    const reply = await service.exchange(await mint());
    assert.equal(reply.status, 200, reply.text);
    const { access_token, expires_in, credential, credential_expires, registration_id, ...rest } = reply.body;
    assert.deepEqual(rest, {
      token_type: 'Bearer', scope: SCOPES.join(' '), registration_type: 'agent-provider', credential_type: 'access_token', scopes: SCOPES,
    });
    assert.ok(credential === access_token && expires_in === 3600 && registration_id.startsWith('reg_'));
    lives(credential_expires, 3600, reply);
    unshared(reply);
    assert.deepEqual(await service.opens(access_token), [200, 200]);
  });

  it('scopes are narrowed by the assertion and by the request, and never widened', async () => {
    const scopes = async (claim, parameter) => {
      const reply = await service.exchange(await mint({ scope: claim }), parameter ? { scope: parameter } : {});
      return reply.body.scope ?? reply.body.error;
    };
    assert.equal(await scopes('content.read mcp.read'), 'mcp.read content.read');
    assert.equal(await scopes(undefined, 'content.read'), 'content.read');
    assert.equal(await scopes('content.read admin', 'content.read'), 'content.read');
    assert.equal(await scopes('openid profile', 'openid content.read'), 'openid');
    assert.equal(await scopes(undefined, 'admin'), 'invalid_scope');
    assert.equal(await scopes('content.read', 'mcp.read'), 'invalid_scope', 'a token for nothing is none');
    assert.equal(await scopes('admin'), 'invalid_scope', 'a token for nothing is none');
    const narrow = await service.register(await mint({ scope: 'openid' }));
    assert.deepEqual(narrow.body.scopes, ['openid']);
    assert.deepEqual(await service.opens(narrow.body.credential), [200, 200], 'never less than without a credential');
    const none = await service.register(await mint({ scope: 'admin' }));
    assert.deepEqual(statusAndError(none), [400, 'invalid_scope']);
  });

  it('resources are those of the metadata', async () => {
    for (const resource of [service.site, `${service.site}/mcp`, `${service.site}/api/v1`]) {
      assert.equal((await service.exchange(await mint({ aud: resource, resource }), { resource })).status, 200, resource);
    }
    const assertion = await mint();
    const elsewhere = await service.exchange(assertion, { resource: 'https://elsewhere.example' });
    assert.deepEqual(statusAndError(elsewhere), [400, 'invalid_target']);
    assert.equal((await service.exchange(assertion)).status, 200, 'and the assertion is not spent on it');
  });

  it('a client authentication is refused', async () => {
    const assertion = await mint();
    const authorization = `Basic ${Buffer.from('agent-7:secret').toString('base64')}`;
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    for (const reply of [
      await service.send('/oauth2/token', { method: 'POST', headers: { authorization }, body }),
      await service.exchange(assertion, { client_secret: 'secret' }),
    ]) {
      assert.deepEqual(statusAndError(reply), [401, 'invalid_client']);
      assert.ok(reply.headers.get('www-authenticate'));
    }
  });

  it('a verified telephone number is as good as a mailbox', async () => {
    const phone = { email: undefined, email_verified: undefined, phone_number: '+905321234567', phone_number_verified: true };
    const reply = await service.register(await mint(phone));
    assert.equal(reply.status, 200, reply.text);
  });

  it('sent again it is a replay, at either endpoint, but another provider may use the same jti', async () => {
    const jti = randomUUID();
    const assertion = await mint({ jti });
    assert.equal((await service.register(assertion)).status, 200);
    const replies = [await service.register(assertion), await service.register(await mint({ jti }))];
    for (const reply of replies) assert.deepEqual(statusAndError(reply), [400, 'replay_detected']);
    const exchanged = await service.exchange(assertion);
    assert.deepEqual([exchanged.status, exchanged.body.error, exchanged.body.error_detail], [400, 'invalid_grant', 'replay_detected']);
    const theirs = signers.other.sign(TYPES.idJag, other.assertion(service.site, { jti }));
    assert.equal((await service.register(await theirs)).status, 200);
  });

  it('it may be reused if the trust list allows it for its provider, until an event of the provider', async () => {
    const claims = lasting.assertion(service.site);
    const assertion = await signers.other.sign(TYPES.idJag, claims);
    const credentials = [];
    for (const reply of [await service.register(assertion), await service.exchange(assertion), await service.register(assertion)]) {
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(await service.opens(reply.body.credential), [200, 200]);
      credentials.push(reply.body.credential);
    }
    assert.equal(new Set(credentials).size, 3);
    const report = await signers.other.sign(TYPES.logout, lasting.report(service.site, claims.sub));
    assert.deepEqual((await service.report('logout+jwt', report)).body, { revoked: 3 });
    for (const credential of credentials) assert.deepEqual(await service.opens(credential), [401, 401]);
    assert.deepEqual(statusAndError(await service.register(assertion)), [400, 'expired']);
  });

  for (const [what, auth_time] of [['unknown', undefined], ['61 minutes and more ago', now() - 3600 - 75], ['in the future', now() + 3600]]) {
    it(`a sign-in that is ${what} requires another, and does not spend the jti`, async () => {
      const changes = { jti: randomUUID(), auth_time };
      const reply = await service.register(await mint(changes));
      assert.deepEqual([reply.status, reply.body.error, reply.body.max_age], [401, 'login_required', 3600]);
      assert.equal(reply.headers.get('www-authenticate'), 'AgentAuth error="login_required", max_age="3600"');
      unshared(reply);
      const exchanged = await service.exchange(await mint(changes));
      assert.deepEqual([exchanged.status, exchanged.body.error, exchanged.body.max_age], [400, 'insufficient_user_authentication', 3600]);
      assert.equal((await service.register(await mint({ ...changes, auth_time: now() }))).status, 200);
    });
  }

  it('a sign-in within the hour and the skew of clocks is recent', async () => {
    for (const seconds of [0, -3600, -3600 - 30, 45]) {
      assert.equal((await service.register(await mint({ auth_time: now() + seconds }))).status, 200);
    }
  });

  it('a known mailbox under another identity must consent first, and is linked only by the code', async () => {
    const outbox = new Outbox(join(service.folder, 'outbox'));
    const email = `${randomUUID()}@client.example`;
    assert.equal((await service.register(await mint({ email }))).status, 200);
    const stranger = (more) => signers.other.sign(TYPES.idJag, other.assertion(service.site, { sub: 'stranger', email, ...more }));
    const consent = await service.register(await stranger({ email: email.toUpperCase() }));
    assert.deepEqual([consent.status, consent.body.error, consent.body.registration_type], [401, 'interaction_required', 'agent-provider']);
    assert.ok(consent.headers.get('www-authenticate').startsWith('AgentAuth error="interaction_required"'));
    for (const member of ['claim_url', 'claim_token', 'claim_token_expires', 'post_claim_scopes', 'registration_id', 'claim', 'match_phrase']) {
      assert.ok(consent.body[member], member);
    }
    assert.equal(consent.body.credential, undefined);
    const exchanged = await service.exchange(await stranger());
    assert.deepEqual([exchanged.status, exchanged.body.error, typeof exchanged.body.claim_token], [400, 'interaction_required', 'string']);
    const { link } = await outbox.message(email);
    const token = new URL(link).searchParams.get('token');
    const { body } = await service.post('/agent/auth/claim/attempt/challenge', { claim_attempt_token: token });
    // Either message may be the right one; each registration has a code of its own.
    let claimed;
    for (const { claim_token } of [consent.body, exchanged.body]) {
      const reply = await service.post('/agent/auth/claim/complete', { claim_token, otp: body.challenge });
      if (reply.status === 200) claimed = reply.body;
    }
    assert.equal(claimed?.status, 'claimed');
    assert.deepEqual(await service.opens(claimed.credential), [200, 200]);
    assert.equal((await service.register(await stranger())).status, 200, 'from now on the subject is linked');
  });
}

/** Returns the status and code of a refusal. */
function statusAndError({ status, body }) {
  return [status, body.error];
}

/** Asserts that a time is `seconds` after the response to a request. */
function lives(text, seconds, { sent, came }) {
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const answered = Date.parse(text) - seconds * 1000;
  // Times may be in whole seconds.
  assert.ok(answered > sent - 1000 && answered <= came, `${text} for a request between ${sent} and ${came}`);
}

/** Asserts that a response is not stored, and that scripts of any origin may read it. */
function unshared({ headers }) {
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('pragma'), 'no-cache');
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.equal(headers.get('access-control-allow-credentials'), null);
}

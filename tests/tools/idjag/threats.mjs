// Every row of the threat table about assertions at both endpoints, and harmless variants.

import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { attacks } from './attacks.mjs';
import { Signer, TYPES, now } from './provider.mjs';

export function threats(scene) {
  const { service, provider, signers } = scene;
  const mint = (changes, header) => signers.good.ES256.sign(TYPES.idJag, provider.assertion(service.site, changes), header);
  const attacker = {};
  let trap;
  before(async () => {
    trap = await listener();
    Object.assign(attacker, { signer: await Signer.make('ES256', 'evil'), url: trap.url });
  });
  after(() => trap.close());

  for (const [row, table] of Object.entries(attacks(scene, attacker))) {
    describe(row, () => {
      it('each attack is refused at both endpoints, with its own code', async (row) => {
        for (const [code, tokens] of Object.entries(await table())) {
          for (const [what, token] of Object.entries(tokens)) {
            await row.test(`${what}: ${code}`, async () => refused(service, await token, code));
          }
        }
      });
    });
  }

  it('what an assertion may say besides changes nothing', async () => {
    const header = { jku: `${trap.url}/jku`, x5u: `${trap.url}/x5u`, jwk: attacker.signer.jwk, cty: 'JWT', extra: { a: 1 } };
    const more = { act: { sub: 'x' }, acr: '2', amr: ['pwd'], nonce: 'n', nbf: now() + 45, iat: now() + 45, aud: [service.site] };
    const late = { iat: now() - 300, exp: now() - 30 };
    const byPhone = { email: 'Ayşe@client.example', email_verified: false, phone_number: '+905321234567', phone_number_verified: true };
    for (const token of [mint({}, header), mint(more), mint(late), mint(byPhone)]) {
      const reply = await service.register(await token);
      assert.equal(reply.status, 200, reply.text);
    }
  });

  it('no address in a token was requested, and keys were fetched once', () => {
    assert.equal(trap.met, 0);
    assert.deepEqual([...new Set(provider.requests)], ['/.well-known/jwks.json']);
    assert.ok(provider.requests.length <= 1 + Math.ceil(process.uptime() / 30), `${provider.requests.length} fetches`);
  });

  it('bodies that are too large, of another type, doubled or no JSON are refused before any token is read', async () => {
    const send = (body, type = 'application/json') => service.send('/agent/auth', { method: 'POST', headers: { 'content-type': type }, body });
    const good = await mint();
    const members = `"type":"identity_assertion","assertion_type":"urn:ietf:params:oauth:token-type:id-jag"`;
    for (const [body, status, error, type] of [
      [`{${members},"assertion":"${'a'.repeat(33 * 1024)}"}`, 413, 'payload_too_large'],
      [`{${members},"assertion":"${good}","assertion":"${good}"}`, 400, 'invalid_request'],
      [`{${members},"assertion":["${good}"]}`, 400, 'invalid_request'],
      [`{${members}}`, 400, 'invalid_request'],
      [`{${members},"assertion":"${good}"`, 400, 'invalid_request'],
      [`{"type":"identity_assertion","assertion":"${good}"}`, 400, 'invalid_request'],
      [`{"type":"identity_assertion","assertion_type":"urn:ietf:params:oauth:token-type:jwt","assertion":"${good}"}`, 400, 'unsupported_assertion_type'],
      [`{${members},"assertion":"${good}"}`, 415, 'unsupported_media_type', 'text/plain'],
    ]) {
      const reply = await send(body, type);
      assert.deepEqual([reply.status, reply.body.error], [status, error], body.slice(0, 120));
    }
    const twice = await service.send('/oauth2/token', {
      method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=${good}&assertion=${good}`,
    });
    assert.deepEqual([twice.status, twice.body.error], [400, 'invalid_request']);
    assert.equal((await service.register(good)).status, 200, 'none of this spent it');
  });
}

/**
 * Asserts that an assertion is refused with `code` at registration, and as RFC 7523 requires at the token
 * endpoint.
 */
async function refused(service, token, code) {
  const reply = await service.register(token);
  assert.equal(reply.status, 400, reply.text);
  assert.equal(reply.body.error, code, reply.text);
  for (const member of ['message', 'resolution', 'error_description']) assert.ok(reply.body[member], member);
  assert.match(reply.body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  assert.equal(reply.headers.get('cache-control'), 'no-store');
  const exchanged = await service.exchange(token);
  assert.equal(exchanged.status, 400, exchanged.text);
  if (token === '') return assert.equal(exchanged.body.error, 'invalid_request', 'a parameter without a value is missing');
  assert.deepEqual([exchanged.body.error, exchanged.body.error_detail], ['invalid_grant', reply.body.error], exchanged.text);
}

/** Starts a listener that must receive no request. */
function listener() {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      trap.met += 1;
      socket.destroy();
    });
    const trap = { met: 0, close: () => server.close() };
    server.listen(0, '127.0.0.1', () => {
      trap.url = `http://127.0.0.1:${server.address().port}`;
      resolve(trap);
    });
  });
}

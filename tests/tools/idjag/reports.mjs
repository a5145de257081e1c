// Events of a provider: what they revoke, at once and on every surface, and what they cannot revoke.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { by, forge, hmac, nothing } from './forge.mjs';
import { TYPES, now } from './provider.mjs';

const VERIFICATION = 'https://schemas.openid.net/secevent/ssf/event-type/verification';
const REVOKED = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked';

export function reports({ service, provider, other, signers }) {
  const signer = signers.good.ES256;
  const token = (typ, claims, header) => signer.sign(TYPES[typ], claims, header);
  const claims = (sub, changes) => provider.report(service.site, sub, changes);

  /** The ways to send an event: the request, and the success for `count` revoked registrations. */
  const ways = {
    'a logout token': {
      typ: 'logout', send: (jwt) => service.report('logout+jwt', jwt),
      accepted: (reply, count) => assert.deepEqual([reply.status, reply.body], [200, { revoked: count }]),
    },
    'a logout token in a form': {
      typ: 'logout', send: (jwt) => service.form('/agent/auth/revoke', { logout_token: jwt }),
      accepted: (reply) => assert.deepEqual([reply.status, reply.text], [200, '']),
    },
    'a security event token': {
      typ: 'event', send: (jwt) => service.report('secevent+jwt', jwt),
      accepted: (reply) => assert.deepEqual([reply.status, reply.text], [202, '']),
    },
  };

  /** Registers an agent with a credential, asserted by the provider. */
  const agent = async (changes = {}) => {
    const asserted = provider.assertion(service.site, { sub: randomUUID(), ...changes });
    const reply = await service.register(await signer.sign(TYPES.idJag, asserted));
    assert.equal(reply.status, 200, reply.text);
    return { ...reply.body, sub: asserted.sub, email: asserted.email };
  };
  const report = async (body, way = ways['a logout token']) => way.send(await token(way.typ, body));

  for (const [what, way] of Object.entries(ways)) {
    it(`${what} revokes every credential of its user at once, and no other`, async () => {
      const [first, bystander] = [await agent(), await agent()];
      const second = await agent({ sub: first.sub, email: first.email });
      assert.deepEqual(await service.opens(first.credential), [200, 200]);
      const jwt = await token(way.typ, claims(first.sub));
      const reply = await way.send(jwt);
      way.accepted(reply, 2);
      for (const credential of [first.credential, second.credential]) {
        assert.deepEqual(await service.opens(credential), [401, 401]);
      }
      const refused = await service.send('/api/v1/team', { headers: { authorization: `Bearer ${first.credential}` } });
      assert.match(refused.headers.get('www-authenticate'), /^Bearer resource_metadata="[^"]+", error="invalid_token"/);
      assert.deepEqual(await service.opens(bystander.credential), [200, 200]);
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      way.accepted(await way.send(jwt), 2);
    });
  }

  it('every event that the metadata lists ends access, but for the one that checks the connection', async () => {
    const { body } = await service.send('/.well-known/oauth-authorization-server');
    const listed = body.agent_auth.events_supported;
    assert.ok(listed.includes(VERIFICATION) && listed.length >= 7, listed);
    for (const kind of listed) {
      const { sub, credential } = await agent();
      const reply = await report(claims(sub, { events: { [kind]: {} } }), ways['a security event token']);
      assert.equal(reply.status, 202, `${kind}: ${reply.text}`);
      const expected = kind === VERIFICATION ? 200 : 401;
      assert.deepEqual(await service.opens(credential), [expected, expected], kind);
    }
  });

  it('an event of an unknown kind is acknowledged and ends nothing', async () => {
    const { sub, credential } = await agent();
    const reply = await report(claims(sub, { events: { 'https://agents.example/event/coffee': {} } }), ways['a security event token']);
    assert.equal(reply.status, 202);
    assert.deepEqual(await service.opens(credential), [200, 200]);
  });

  it('users are named by `sub`, by `sub_id` of either format, and within their tenant', async () => {
    const byId = async (sub_id, tenant) => {
      const one = await agent(tenant ? { tenant } : {});
      const reply = await report(claims(undefined, { sub_id: sub_id(one), tenant }), ways['a security event token']);
      assert.equal(reply.status, 202, reply.text);
      return service.opens(one.credential);
    };
    assert.deepEqual(await byId(({ sub }) => ({ format: 'iss_sub', iss: provider.issuer, sub })), [401, 401]);
    assert.deepEqual(await byId(({ email }) => ({ format: 'email', email: email.toUpperCase() })), [401, 401]);
    assert.deepEqual(await byId(({ sub }) => ({ format: 'iss_sub', iss: provider.issuer, sub }), 'north'), [401, 401]);
    const north = await agent({ tenant: 'north' });
    await report(claims(north.sub, { tenant: 'south' }));
    assert.deepEqual(await service.opens(north.credential), [200, 200], 'the same name in another tenant is another user');
    await report(claims(north.sub));
    assert.deepEqual(await service.opens(north.credential), [401, 401], 'a report that names no tenant is about each of them');
  });

  it('a provider speaks for its own users only', async () => {
    const { sub, email, credential } = await agent();
    const theirs = (changes) => signers.other.sign(TYPES.event, other.report(service.site, sub, changes));
    for (const jwt of [await theirs(), await theirs({ sub: undefined, sub_id: { format: 'email', email } })]) {
      assert.equal((await service.report('secevent+jwt', jwt)).status, 202);
    }
    assert.deepEqual(await service.opens(credential), [200, 200]);
  });

  it('what was asserted before a report is worth nothing, what is asserted after it counts', async () => {
    const { sub, email } = await agent({ iat: now() - 120, exp: now() + 120 });
    assert.equal((await report(claims(sub, { iat: now() - 30 }))).body.revoked, 1);
    const again = (iat) => signer.sign(TYPES.idJag, provider.assertion(service.site, { sub, email, iat, exp: now() + 120 }));
    const old = await service.register(await again(now() - 31));
    assert.deepEqual([old.status, old.body.error], [400, 'expired']);
    const fresh = await service.register(await again(now() - 20));
    assert.equal(fresh.status, 200, fresh.text);
    assert.deepEqual(await service.opens(fresh.body.credential), [200, 200]);
    const late = await agent();
    assert.equal((await report(claims(late.sub, { iat: now() - 3600 }))).body.revoked, 0);
    assert.deepEqual(await service.opens(late.credential), [200, 200], 'a report that was long on its way');
  });

  it('a report with the jti of an assertion is a report all the same', async () => {
    const jti = randomUUID();
    const { sub, credential } = await agent({ jti });
    assert.deepEqual((await report(claims(sub, { jti }))).body, { revoked: 1 });
    assert.deepEqual(await service.opens(credential), [401, 401]);
  });

  it('the holder of a credential can revoke it (RFC 7009), and unknown ones get the same response', async () => {
    const { credential } = await agent();
    for (const held of [credential, credential, `at_${'0'.repeat(27)}`, 'anything']) {
      const reply = await service.form('/oauth2/revoke', { token: held });
      assert.deepEqual([reply.status, reply.text], [200, '']);
    }
    assert.deepEqual(await service.opens(credential), [401, 401]);
  });

  // The table: for each attack the claims or the whole token, and the code of RFC 8935.
  const header = (typ, changes) => ({ ...signer.header(TYPES[typ]), ...changes });
  const signed = (typ, body, changes) => forge(header(typ, changes), body, by(signer.privateKey, 'ES256'));
  const attacks = {
    'an ID-JAG in the place of a report': [(way, body) => signed('idJag', body), 'invalid_request'],
    'a report of the other kind': [(way, body) => signed(way.typ === 'event' ? 'logout' : 'event', body), 'invalid_request'],
    // A security event may lack one (RFC 8417, 2.3): it is known by its events, which no other token has.
    'no typ': [(way, body) => signed(way.typ, way.typ === 'event' ? { ...body, events: undefined } : body, { typ: undefined }), 'invalid_request'],
    'crit': [(way, body) => signed(way.typ, body, { crit: ['exp'], exp: 1 }), 'invalid_request'],
    'alg none': [(way, body) => forge(header(way.typ, { alg: 'none' }), body, nothing), 'invalid_key'],
    'HS256 with the public key': [(way, body) => forge(header(way.typ, { alg: 'HS256' }), body, hmac(JSON.stringify(signer.jwk))), 'invalid_key'],
    'a kid that is a path': [(way, body) => signed(way.typ, body, { kid: '../keys' }), 'invalid_key'],
    'a key of another provider': [(way, body) => signers.other.sign(TYPES[way.typ], body), 'invalid_key'],
    'a forged signature': [(way, body) => forge(header(way.typ), body, by(signers.other.privateKey, 'ES256')), 'authentication_failed'],
    'a stranger': [{ iss: 'https://evil.example' }, 'invalid_issuer'],
    'another audience': [{ aud: 'https://elsewhere.example' }, 'invalid_audience'],
    'two other audiences': [{ aud: ['https://elsewhere.example', 'https://nowhere.example'] }, 'invalid_audience'],
    'no audience': [{ aud: undefined }, 'invalid_request'],
    'no jti': [{ jti: undefined }, 'invalid_request'],
    'no iat': [{ iat: undefined }, 'invalid_request'],
    'from the future': [{ iat: now() + 3600 }, 'invalid_request'],
    'more than seven days old': [{ iat: now() - 7 * 24 * 3600 - 90 }, 'invalid_request'],
    'expired': [{ exp: now() - 90 }, 'invalid_request'],
    'not good yet': [{ nbf: now() + 3600 }, 'invalid_request'],
    'a nonce, as identity tokens have': [{ nonce: 'n' }, 'invalid_request'],
    'no events': [{ events: undefined }, 'invalid_request'],
    'empty events': [{ events: {} }, 'invalid_request'],
    'events that are a list': [{ events: [REVOKED] }, 'invalid_request'],
    'an event that is a text': [{ events: { [REVOKED]: 'yes' } }, 'invalid_request'],
    'no subject': [{ sub: undefined, sid: 'session-1' }, 'invalid_request'],
    'two different people': [(way, body) => signed(way.typ, { ...body, sub_id: { format: 'iss_sub', iss: provider.issuer, sub: 'x' } }), 'invalid_request'],
    'a user of another provider': [{ sub_id: { format: 'iss_sub', iss: other.issuer, sub: 'x' } }, 'invalid_request'],
    'a name of an unknown format': [{ sub_id: { format: 'opaque', id: 'x' } }, 'invalid_request'],
    'a claim twice': [(way, body) => signed(way.typ, JSON.stringify(body).replace('"sub":', '"sub":"x","sub":')), 'invalid_request'],
    'no token at all': [() => 'logout', 'invalid_request'],
  };
  /** The codes for logout tokens, which have only those of registration. */
  const known = { invalid_key: 'invalid_signature', authentication_failed: 'invalid_signature' };

  for (const [what, way] of Object.entries(ways)) {
    it(`${what} under attack revokes nothing and names the reason`, async (row) => {
      const { sub, credential } = await agent();
      for (const [attack, [change, code]] of Object.entries(attacks)) {
        await row.test(attack, async () => {
          const body = claims(sub, typeof change === 'function' ? {} : change);
          const reply = await way.send(await (typeof change === 'function' ? change(way, body) : signed(way.typ, body)));
          assert.equal(reply.status, 400, reply.text);
          assert.equal(reply.headers.get('cache-control'), 'no-store');
          if (way.typ === 'event') {
            assert.deepEqual([reply.body.err, Object.keys(reply.body).sort()], [code, ['description', 'err']], reply.text);
            assert.equal(reply.headers.get('content-language'), 'en');
          } else {
            assert.equal(reply.body.error, known[code] ?? code, reply.text);
          }
        });
      }
      assert.deepEqual(await service.opens(credential), [200, 200]);
    });
  }

  it('an event may be for other services too, a logout token for this one alone', async () => {
    for (const way of Object.values(ways)) {
      const { sub, credential } = await agent();
      const aud = [service.site, 'https://elsewhere.example'];
      const reply = await way.send(await signed(way.typ, claims(sub, { aud })));
      const isTaken = way.typ === 'event';
      assert.equal(reply.status, isTaken ? 202 : 400, reply.text);
      assert.deepEqual(await service.opens(credential), isTaken ? [401, 401] : [200, 200]);
    }
  });

  it('a body of another type is refused', async () => {
    const { sub, credential } = await agent();
    const jwt = await token('logout', claims(sub));
    for (const type of ['jwt', 'octet-stream']) {
      const reply = await service.report(type, jwt);
      assert.deepEqual([reply.status, reply.body.error], [415, 'unsupported_media_type'], type);
    }
    // As JSON, a token needs an envelope.
    const reply = await service.report('json', jwt);
    assert.deepEqual([reply.status, reply.body.error], [400, 'invalid_request']);
    assert.deepEqual(await service.opens(credential), [200, 200]);
  });
}

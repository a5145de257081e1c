// Every row of the threat table that concerns tokens. Each attack differs from an accepted assertion in one thing only.

import assert from 'node:assert/strict';
import { createPublicKey, randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { CompactEncrypt, FlattenedSign } from 'jose';
import { by, forge, hmac, nothing, part } from './forge.mjs';
import { Signer, TYPES, now } from './provider.mjs';

const OVER_LONG = 'k'.repeat(129);

export function threats({ service, provider, other, signers }) {
  const { ES256, RS256, PS256, EdDSA } = signers.good;
  const claims = (changes) => provider.assertion(service.site, changes);
  const mint = (changes, header) => ES256.sign(TYPES.idJag, claims(changes), header);
  const header = (changes) => ({ ...ES256.header(TYPES.idJag), ...changes });
  /** Signed by the good key, whatever header and claims are. */
  const signed = (top, body = claims()) => forge(top, body, by(ES256.privateKey, 'ES256'));
  /** The same, of a JSON text in which `from` became `to`. */
  const respelt = (value, from, to) => JSON.stringify(value).replace(from, to);

  // The table: for each attack the assertion and the code that refuses it.
  const table = {
    'alg confusion, none': () => ({
      ...each(['none', 'None', 'NONE', 'nOnE', ''], (alg) => [`alg ${alg || 'empty'} without a signature`, forge(header({ alg }), claims(), nothing), 'invalid_signature']),
      ...each(['none', 'es256', 'ES256 ', 'ES512', 'RS512', 'ES256K', 'dir'], (alg) => [`alg ${JSON.stringify(alg)} over a good signature`, signed(header({ alg })), 'invalid_signature']),
      ...each(secrets(RS256), ([what, secret]) => [`HS256 with ${what} as the secret`, forge({ ...RS256.header(TYPES.idJag), alg: 'HS256' }, claims(), hmac(secret)), 'invalid_signature']),
      ...each(secrets(RS256), ([what, secret]) => [`RS256 that is an HMAC with ${what}`, forge(RS256.header(TYPES.idJag), claims(), hmac(secret)), 'invalid_signature']),
      'HS512 with the elliptic key as the secret': [forge(header({ alg: 'HS512' }), claims(), hmac(pem(ES256), 'sha512')), 'invalid_signature'],
      'a key of RS256 used for PS256': [forge({ ...RS256.header(TYPES.idJag), alg: 'PS256' }, claims(), by(RS256.privateKey, 'PS256')), 'invalid_signature'],
      'a key of PS256 used for RS256': [forge({ ...PS256.header(TYPES.idJag), alg: 'RS256' }, claims(), by(PS256.privateKey, 'RS256')), 'invalid_signature'],
      'RS512 by the key of RS256': [forge({ ...RS256.header(TYPES.idJag), alg: 'RS512' }, claims(), by(RS256.privateKey, 'RS512')), 'invalid_signature'],
      'the name of one key and the signature of another': [forge(header({ kid: EdDSA.kid }), claims(), by(ES256.privateKey, 'ES256')), 'invalid_signature'],
      'a signature in DER in place of two numbers': [forge(header(), claims(), (message) => derOf(by(ES256.privateKey, 'ES256')(message))), 'invalid_signature'],
      'a signature of zeros (CVE-2022-21449)': [forge(header(), claims(), () => Buffer.alloc(64)), 'invalid_signature'],
      'no alg': [signed({ typ: TYPES.idJag, kid: ES256.kid }), 'invalid_request'],
      'alg that is a list': [signed(header({ alg: ['ES256'] })), 'invalid_request'],
    }),
    'kid injection': () => ({
      ...each(['../../../../dev/null', "'; DROP TABLE registration; --", "x' UNION SELECT 'k", 'https://evil.example/keys', 'GOOD-ES256', 'good-ES256 ', '*', '', '__proto__'], (kid) => [`kid ${JSON.stringify(kid)}`, signed(header({ kid })), 'invalid_signature']),
      'kid of 129 characters': [signed(header({ kid: OVER_LONG })), 'invalid_request'],
      'kid with a NUL': [signed(header({ kid: 'good-ES256\u0000' })), 'invalid_request'],
      'kid with a line end': [signed(header({ kid: 'good-ES256\r\nX-Evil: 1' })), 'invalid_request'],
      ...each([7, null, ['good-ES256'], { kid: 'good-ES256' }], (kid) => [`kid ${JSON.stringify(kid)}`, signed(header({ kid })), 'invalid_request']),
      'no kid, where there are many keys': [signed(header({ kid: undefined })), 'invalid_signature'],
    }),
    'keys that are published and must verify nothing': () => each(Object.entries(signers.bad), ([what, signer]) => [what, byBad(signer, claims()), 'invalid_signature']),
    'jku, x5u, x5c, embedded jwk': () => {
      const own = { jku: `${trap.url}/jku`, x5u: `${trap.url}/x5u`, jwk: attacker.jwk, x5c: ['MIIB'], x5t: 'AAAA' };
      const self = (changes) => forge(header({ ...own, ...changes }), claims(), by(attacker.privateKey, 'ES256'));
      return {
        'a key in the header that signed, under a name of the provider': [self({}), 'invalid_signature'],
        'a key in the header that signed, under its own name': [self({ kid: 'evil' }), 'invalid_signature'],
        'kid that is an address': [self({ kid: `${trap.url}/kid` }), 'invalid_signature'],
        'an issuer that nobody trusts and that has keys': [forge(header(own), claims({ iss: trap.url }), by(attacker.privateKey, 'ES256')), 'invalid_issuer'],
      };
    },
    'crit, b64, zip': () => ({
      'crit that names an extension': [signed(header({ crit: ['urn:example:ext'], 'urn:example:ext': true })), 'invalid_request'],
      'crit that names exp': [signed(header({ crit: ['exp'], exp: 1 })), 'invalid_request'],
      'crit that is empty': [signed(header({ crit: [] })), 'invalid_request'],
      'crit that is null': [signed(header({ crit: null })), 'invalid_request'],
      'b64 false': [signed(header({ b64: false, crit: ['b64'] })), 'invalid_request'],
      'b64 true': [signed(header({ b64: true })), 'invalid_request'],
      'zip': [signed(header({ zip: 'DEF' })), 'invalid_request'],
    }),
    'audience confusion': () => ({
      'another audience': [mint({ aud: 'https://elsewhere.example' }), 'invalid_audience'],
      'two audiences, one of them ours': [mint({ aud: [service.site, 'https://elsewhere.example'] }), 'invalid_audience'],
      'two audiences, both ours': [mint({ aud: [service.site, `${service.site}/mcp`] }), 'invalid_audience'],
      'the same audience twice': [mint({ aud: [service.site, service.site] }), 'invalid_audience'],
      'an empty list': [mint({ aud: [] }), 'invalid_audience'],
      'an empty text': [mint({ aud: '' }), 'invalid_audience'],
      'a slash behind it': [mint({ aud: `${service.site}/` }), 'invalid_audience'],
      'capital letters': [mint({ aud: service.site.toUpperCase() }), 'invalid_audience'],
      'the token endpoint': [mint({ aud: `${service.site}/oauth2/token` }), 'invalid_audience'],
      'a longer host': [mint({ aud: `${service.site}.evil.example` }), 'invalid_audience'],
      'a resource elsewhere': [mint({ resource: 'https://elsewhere.example' }), 'invalid_audience'],
      'no audience': [mint({ aud: undefined }), 'invalid_request'],
      'a number': [mint({ aud: 7 }), 'invalid_request'],
      'a list in a list': [mint({ aud: [[service.site]] }), 'invalid_request'],
    }),
    'type confusion': () => ({
      ...each(['JWT', 'jwt', 'at+jwt', 'logout+jwt', 'secevent+jwt', 'OAUTH-ID-JAG+JWT', 'application/oauth-id-jag+jwt', 'oauth-id-jag+jwt ', '', 7, null, ['oauth-id-jag+jwt']], (typ) => [`typ ${JSON.stringify(typ)}`, signed(header({ typ })), 'invalid_request']),
      'no typ': [signed(header({ typ: undefined })), 'invalid_request'],
      'bound to a key of which no proof is shown (`cnf`)': [mint({ cnf: { jkt: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' } }), 'invalid_request'],
      '`cnf` that is null': [mint({ cnf: null }), 'invalid_request'],
    }),
    'clock skew': () => ({
      'expired 75 seconds ago': [mint({ iat: now() - 300, exp: now() - 75 }), 'expired'],
      'expired long ago': [mint({ iat: 1, exp: 2 }), 'expired'],
      'not good for 75 seconds (`nbf`)': [mint({ nbf: now() + 75 }), 'invalid_request'],
      'from the future (`iat`)': [mint({ iat: now() + 75, exp: now() + 300 }), 'invalid_request'],
      'good for more than ten minutes': [mint({ iat: now() - 10, exp: now() + 600 }), 'invalid_request'],
      'over before it was made': [mint({ iat: now() + 30, exp: now() + 20 }), 'invalid_request'],
      'times in milliseconds': [mint({ iat: Date.now(), exp: Date.now() + 300_000 }), 'invalid_request'],
      ...each(['exp', 'iat', 'nbf'], (name) => [`${name} that is a text`, mint({ [name]: String(now()) }), 'invalid_request']),
      ...each(['exp', 'iat'], (name) => [`${name} that is negative`, mint({ [name]: -1 }), 'invalid_request']),
      'exp that no number holds': [signed(header(), respelt(claims(), /"exp":\d+/, '"exp":1e999')), 'invalid_request'],
    }),
    'claims that are missing, doubled or of another type': () => ({
      ...each(['sub', 'aud', 'client_id', 'jti', 'exp', 'iat', 'iss'], (name) => [`no ${name}`, mint({ [name]: undefined }), 'invalid_request']),
      ...each(['sub', 'client_id', 'jti', 'iss'], (name) => [`${name} that is empty`, mint({ [name]: '' }), 'invalid_request']),
      ...each(['sub', 'client_id', 'jti'], (name) => [`${name} that is a number`, mint({ [name]: 7 }), 'invalid_request']),
      ...each(['sub', 'jti', 'aud', 'exp', 'email', 'client_id'], (name) => [`${name} twice`, signed(header(), respelt(claims(), `"${name}":`, `"${name}":0,"${name}":`)), 'invalid_request']),
      'sub twice, once spelt in digits': [signed(header(), respelt(claims(), '"sub":', '"\\u0073ub":"somebody","sub":')), 'invalid_request'],
      'alg twice': [signed(respelt(header(), '"alg":', '"alg":"none","alg":')), 'invalid_request'],
      'a name twice, deep inside': [signed(header(), respelt(claims({ act: { sub: 'a' } }), '"act":{', '"act":{"sub":"b",')), 'invalid_request'],
      'jti of 513 characters': [mint({ jti: 'j'.repeat(513) }), 'invalid_request'],
      'sub with a NUL': [mint({ sub: 'user\u0000' }), 'invalid_request'],
      'sub with a line end': [mint({ sub: 'user\nadmin' }), 'invalid_request'],
      'client_id of somebody else': [mint({ client_id: 'agent-8' }), 'invalid_client_id'],
      'client_id in capital letters': [mint({ client_id: 'AGENT-7' }), 'invalid_client_id'],
    }),
    'an address that nobody verified': () => ({
      'no mailbox': [mint({ email: undefined, email_verified: undefined }), 'missing_verified_email'],
      'email_verified is missing': [mint({ email_verified: undefined }), 'missing_verified_email'],
      ...each([false, 'true', 1, null, [true]], (value) => [`email_verified is ${JSON.stringify(value)}`, mint({ email_verified: value }), 'missing_verified_email']),
      'a telephone number that nobody verified': [mint({ email: undefined, phone_number: '+905321234567' }), 'missing_verified_email'],
      ...each(['ayse', 'ayse@', 'a@b@client.example', 'ayse@[192.0.2.1]', '"a b"@client.example', 'ayşe@client.example', 'ayse@cli\u202eent.example'], (email) => [`mailbox ${JSON.stringify(email)}`, mint({ email }), 'invalid_request']),
      'a mailbox with a second line (CRLF injection)': [mint({ email: 'a@client.example\r\nBcc: all@client.example' }), 'invalid_request'],
    }),
    'an issuer that is not trusted': () => ({
      ...each(['https://agents.evil.example', `${provider.issuer}/`, provider.issuer.toUpperCase(), provider.issuer.replace('http:', 'https:'), ' '], (iss) => [`issuer ${JSON.stringify(iss.replace(/\d+$/, 'PORT'))}`, mint({ iss }), 'invalid_issuer']),
      'iss that is a list': [mint({ iss: [provider.issuer] }), 'invalid_request'],
      'the key of one provider in the name of another': [signers.other.sign(TYPES.idJag, claims()), 'invalid_signature'],
      'the same under the name of a key that is there': [forge(header(), claims(), by(signers.other.privateKey, 'ES256')), 'invalid_signature'],
      'the key of this provider in the name of another': [mint({ iss: other.issuer }), 'invalid_signature'],
    }),
    'size, depth and shape': async () => {
      const good = await mint();
      const [top, body, end] = good.split('.');
      const encrypted = new CompactEncrypt(Buffer.from(good)).setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', typ: TYPES.idJag, cty: 'JWT' });
      return {
        ...each(['', '.', '..', '...', 'a.b.c', 'ayse@client.example', 'eyJhbGciOiJub25lIn0.e30.'], (text) => [`the text ${JSON.stringify(text)}`, text, 'invalid_request']),
        ...each([`${good}.`, `.${good}`, `${good}.${end}`, `${top}..${end}`, `${top}.${body}`, good.replace('.', '..')], (text, index) => [`too few or too many parts (${index + 1})`, text, 'invalid_request']),
        'padding behind the header': [`${top}=.${body}.${end}`, 'invalid_request'],
        'padding behind the claims': [`${top}.${body}==.${end}`, 'invalid_request'],
        'padding behind the signature': [`${good}=`, 'invalid_signature'],
        'padding that was signed': [padded(ES256, header(), claims()), 'invalid_request'],
        'Base64 encoded again': [`${part(top)}.${part(body)}.${part(end)}`, 'invalid_request'],
        'the alphabet of plain Base64': [forge(header(), claims({ act: { sub: '>>>>' } }), by(ES256.privateKey, 'ES256')).replaceAll('-', '+').replaceAll('_', '/'), 'invalid_request'],
        'bits behind the last octet of the signature': [`${good.slice(0, -1)}${next(good.at(-1))}`, 'invalid_signature'],
        'a space within': [`${top}. ${body}.${end}`, 'invalid_request'],
        'JSON in place of dots': [JSON.stringify(await new FlattenedSign(Buffer.from(JSON.stringify(claims()))).setProtectedHeader(header()).sign(ES256.privateKey)), 'invalid_request'],
        'encrypted instead of signed': [await encrypted.encrypt(createPublicKey(RS256.privateKey)), 'invalid_signature'],
        'a token in a token': [signed(header({ cty: 'JWT' }), JSON.stringify(good)), 'invalid_request'],
        'claims that are a list': [signed(header(), [claims()]), 'invalid_request'],
        'claims that are no JSON': [signed(header(), 'iss=us'), 'invalid_request'],
        'claims behind a byte order mark': [signed(header(), `\ufeff${JSON.stringify(claims())}`), 'invalid_request'],
        'claims twice': [signed(header(), JSON.stringify(claims()).repeat(2)), 'invalid_request'],
        'claims that are no UTF-8': [forge(header(), Buffer.from([0x7b, 0xff, 0x7d]), by(ES256.privateKey, 'ES256')), 'invalid_request'],
        'ten thousand lists within each other': [signed(header(), `{"iss":${'['.repeat(10_000)}`), 'invalid_request'],
        'more than 16 KiB': [mint({ act: { sub: 'x'.repeat(16 * 1024) } }), 'invalid_request'],
      };
    },
  };

  let trap;
  let attacker;
  before(async () => {
    attacker = await Signer.make('ES256', 'evil');
    trap = await listener();
  });
  after(() => trap.close());

  for (const [row, attacks] of Object.entries(table)) {
    describe(row, () => {
      it('each attack is refused at both endpoints, with its own code', async (row) => {
        for (const [what, [token, code]] of Object.entries(await attacks())) {
          await row.test(what, async () => refused(service, await token, code));
        }
      });
    });
  }

  it('what an assertion may say besides changes nothing', async () => {
    const header = { jku: `${trap.url}/jku`, x5u: `${trap.url}/x5u`, jwk: attacker.jwk, cty: 'JWT', extra: { a: 1 } };
    const more = { act: { sub: 'x' }, acr: '2', amr: ['pwd'], nonce: 'n', nbf: now() + 45, iat: now() + 45, aud: [service.site] };
    for (const token of [mint({}, header), mint(more), mint({ iat: now() - 300, exp: now() - 45 }), mint({ email: 'Ayşe@client.example', email_verified: false, phone_number: '+905321234567', phone_number_verified: true })]) {
      const reply = await service.register(await token);
      assert.equal(reply.status, 200, reply.text);
    }
  });

  it('no address of a token was ever asked for anything, and keys were fetched once', () => {
    assert.equal(trap.met, 0);
    assert.deepEqual([...new Set(provider.asked)], ['/.well-known/jwks.json']);
    assert.ok(provider.asked.length <= 1 + Math.ceil(process.uptime() / 30), `${provider.asked.length} fetches`);
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

/** That an assertion is refused with `code` where agents register, and as RFC 7523 wants it at the token endpoint. */
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

/** Rows of the table for each of some values. */
function each(values, row) {
  return Object.fromEntries(values.map((value, index) => row(value, index)).map(([what, token, code]) => [what, [token, code]]));
}

/** What an attacker knows of a public key. */
function secrets(signer) {
  const key = createPublicKey(signer.privateKey);
  return Object.entries({
    'the PEM of the public key': pem(signer),
    'its PEM without the last line end': pem(signer).trim(),
    'its PKCS #1 PEM': key.export({ type: 'pkcs1', format: 'pem' }),
    'its DER': key.export({ type: 'spki', format: 'der' }),
    'its PKCS #1 DER': key.export({ type: 'pkcs1', format: 'der' }),
    'its JWK': JSON.stringify(signer.jwk),
    'its modulus': Buffer.from(signer.jwk.n, 'base64url'),
    'nothing': '',
  });
}

function pem(signer) {
  return createPublicKey(signer.privateKey).export({ type: 'spki', format: 'pem' });
}

/** A token by a key that must not be used, signed as its kind allows. */
function byBad(signer, claims) {
  const header = { typ: TYPES.idJag, alg: signer.algorithm, kid: signer.kid };
  if (signer.k) return forge(header, claims, hmac(Buffer.from(signer.k, 'base64url')));
  return forge(header, claims, by(signer.privateKey, signer.algorithm));
}

/** A token whose parts carry padding that is signed with them. */
function padded(signer, header, claims) {
  const encoded = (value) => {
    const text = part(value);
    return text + '='.repeat((4 - (text.length % 4)) % 4);
  };
  // A space more or less changes how much padding there is.
  const text = [JSON.stringify(claims), `${JSON.stringify(claims)} `].find((it) => it.length % 3);
  const message = `${encoded(header)}.${encoded(text)}`;
  return `${message}.${by(signer.privateKey, 'ES256')(Buffer.from(message)).toString('base64url')}`;
}

/** ASN.1 of two numbers of 32 octets. */
function derOf(raw) {
  const number = (octets) => {
    const bytes = octets[0] & 0x80 ? Buffer.concat([Buffer.from([0]), octets]) : octets;
    return Buffer.concat([Buffer.from([2, bytes.length]), bytes]);
  };
  const both = Buffer.concat([number(raw.subarray(0, 32)), number(raw.subarray(32))]);
  return Buffer.concat([Buffer.from([0x30, both.length]), both]);
}

/** The letter of Base64url behind `letter`: in the last place it differs in bits that no octet needs. */
function next(letter) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet[alphabet.indexOf(letter) + 1];
}

/** A place at which nobody must ask. */
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

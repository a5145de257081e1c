// The rows of the threat table that concern assertions: for each row, the attacks grouped by the code that refuses
// them. Each attack differs from an accepted assertion in one thing only.

import { createPublicKey } from 'node:crypto';
import { CompactEncrypt, FlattenedSign } from 'jose';
import { by, derOf, forge, hmac, nothing, part, unused } from './forge.mjs';
import { TYPES, now } from './provider.mjs';

/** Returns the table; `attacker` has a key of its own and an address that must receive no request. */
export function attacks({ service: { site }, provider, other, signers }, attacker) {
  const { ES256, RS256, PS256, EdDSA } = signers.good;
  const claims = (changes) => provider.assertion(site, changes);
  const mint = (changes) => ES256.sign(TYPES.idJag, claims(changes));
  const header = (changes, signer = ES256) => ({ ...signer.header(TYPES.idJag), ...changes });
  /** Signs any header and claims with the good key. */
  const signed = (top, body = claims()) => forge(top, body, by(ES256.privateKey, 'ES256'));
  /** Returns the JSON of an object that contains `name` twice; `before` is inserted before its first occurrence. */
  const twice = (value, name, before = `"${name}":0,`) => JSON.stringify(value).replace(`"${name}":`, `${before}"${name}":`);
  /** Signs with the key of `signer`, in the way of another key. */
  const misused = (signer, alg) => forge(header({ alg }, signer), claims(), by(signer.privateKey, alg));

  return {
    'alg confusion, none': () => ({
      invalid_signature: {
        ...each(['none', 'None', 'NONE', 'nOnE', ''], (alg) => [`alg '${alg}' without a signature`, forge(header({ alg }), claims(), nothing)]),
        ...each(['none', 'es256', 'ES256 ', 'ES512', 'RS512', 'ES256K', 'dir'], (alg) => [`alg '${alg}' over a good signature`, signed(header({ alg }))]),
        ...each(known(RS256), ([what, secret]) => [`HS256 with ${what} as the secret`, forge(header({ alg: 'HS256' }, RS256), claims(), hmac(secret))]),
        ...each(known(RS256), ([what, secret]) => [`RS256 that is an HMAC with ${what}`, forge(header({}, RS256), claims(), hmac(secret))]),
        'HS512 with the elliptic key as the secret': forge(header({ alg: 'HS512' }), claims(), hmac(JSON.stringify(ES256.jwk), 'sha512')),
        'a key of RS256 used for PS256': misused(RS256, 'PS256'),
        'a key of PS256 used for RS256': misused(PS256, 'RS256'),
        'a key of RS256 used for RS512': misused(RS256, 'RS512'),
        'the name of one key and the signature of another': signed(header({ kid: EdDSA.kid })),
        'a signature in DER in place of two numbers': forge(header(), claims(), (message) => derOf(by(ES256.privateKey, 'ES256')(message))),
        'a signature of zeros (CVE-2022-21449)': forge(header(), claims(), () => Buffer.alloc(64)),
      },
      invalid_request: {
        'no alg': signed(header({ alg: undefined })),
        'alg that is a list': signed(header({ alg: ['ES256'] })),
      },
    }),

    'kid injection': () => {
      const unknown = ['../../../../dev/null', "'; DROP TABLE registration; --", "x' UNION SELECT 'k", 'https://evil.example/keys'];
      const nearly = ['GOOD-ES256', 'good-ES256 ', '*', '', '__proto__'];
      const kid = (value) => [`kid ${JSON.stringify(value).slice(0, 40)}`, signed(header({ kid: value }))];
      return {
        invalid_signature: { ...each([...unknown, ...nearly], kid), 'no kid, where there are many keys': signed(header({ kid: undefined })) },
        invalid_request: each(['k'.repeat(129), 'good-ES256\u0000', 'good-ES256\r\nX-Evil: 1', 7, null, ['good-ES256'], { k: 1 }], kid),
      };
    },

    'keys that are published and must verify nothing': () => ({
      invalid_signature: each(Object.entries(signers.bad), ([what, signer]) => [what, byBad(signer, claims())]),
    }),

    'jku, x5u, x5c, embedded jwk': () => {
      const { url, signer } = attacker;
      const own = { jku: `${url}/jku`, x5u: `${url}/x5u`, jwk: signer.jwk, x5c: ['MIIB'], x5t: 'AAAA' };
      const brought = (changes, body = claims()) => forge(header({ ...own, ...changes }), body, by(signer.privateKey, 'ES256'));
      return {
        invalid_signature: {
          'a key in the header that signed, under a name of the provider': brought({}),
          'a key in the header that signed, under its own name': brought({ kid: 'evil' }),
          'kid that is an address': brought({ kid: `${url}/kid` }),
        },
        invalid_issuer: { 'an untrusted issuer with keys': brought({}, claims({ iss: url })) },
      };
    },

    'crit, b64, zip': () => ({
      invalid_request: {
        'crit that names an extension': signed(header({ crit: ['urn:example:ext'], 'urn:example:ext': true })),
        'crit that names exp': signed(header({ crit: ['exp'], exp: 1 })),
        'crit that is empty': signed(header({ crit: [] })),
        'crit that is null': signed(header({ crit: null })),
        'b64 false': signed(header({ b64: false, crit: ['b64'] })),
        'b64 true': signed(header({ b64: true })),
        zip: signed(header({ zip: 'DEF' })),
      },
    }),

    'audience confusion': () => ({
      invalid_audience: {
        'another audience': mint({ aud: 'https://elsewhere.example' }),
        'two audiences, one of them ours': mint({ aud: [site, 'https://elsewhere.example'] }),
        'two audiences, both ours': mint({ aud: [site, `${site}/mcp`] }),
        'the same audience twice': mint({ aud: [site, site] }),
        'an empty list': mint({ aud: [] }),
        'an empty text': mint({ aud: '' }),
        'a slash behind it': mint({ aud: `${site}/` }),
        'capital letters': mint({ aud: site.toUpperCase() }),
        'the token endpoint': mint({ aud: `${site}/oauth2/token` }),
        'a longer host': mint({ aud: `${site}.evil.example` }),
        'a resource elsewhere': mint({ resource: 'https://elsewhere.example' }),
      },
      invalid_request: {
        'no audience': mint({ aud: undefined }),
        'a number': mint({ aud: 7 }),
        'a list in a list': mint({ aud: [[site]] }),
      },
    }),

    'type confusion': () => {
      const near = ['OAUTH-ID-JAG+JWT', 'application/oauth-id-jag+jwt', 'oauth-id-jag+jwt ', '', 7, null, ['oauth-id-jag+jwt'], undefined];
      const typ = (value) => [`typ ${JSON.stringify(value)}`, signed(header({ typ: value }))];
      return {
        invalid_request: {
          ...each(['JWT', 'jwt', 'at+jwt', 'logout+jwt', 'secevent+jwt', ...near], typ),
          'bound to a key of which no proof is shown (`cnf`)': mint({ cnf: { jkt: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' } }),
          '`cnf` that is null': mint({ cnf: null }),
        },
      };
    },

    'clock skew': () => ({
      expired: {
        'expired 75 seconds ago': mint({ iat: now() - 300, exp: now() - 75 }),
        'expired long ago': mint({ iat: 1, exp: 2 }),
      },
      invalid_request: {
        'not good for two minutes (`nbf`)': mint({ nbf: now() + 120 }),
        'from the future (`iat`)': mint({ iat: now() + 120, exp: now() + 300 }),
        'good for more than ten minutes': mint({ iat: now() - 10, exp: now() + 600 }),
        'over before it was made': mint({ iat: now() + 30, exp: now() + 20 }),
        'times in milliseconds': mint({ iat: Date.now(), exp: Date.now() + 300_000 }),
        ...each(['exp', 'iat', 'nbf'], (name) => [`${name} that is a text`, mint({ [name]: String(now()) })]),
        ...each(['exp', 'iat'], (name) => [`${name} that is negative`, mint({ [name]: -1 })]),
        'exp that no number holds': signed(header(), JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e999')),
      },
    }),

    'claims that are missing, doubled or of another type': () => ({
      invalid_request: {
        ...each(['sub', 'aud', 'client_id', 'jti', 'exp', 'iat', 'iss'], (name) => [`no ${name}`, mint({ [name]: undefined })]),
        ...each(['sub', 'client_id', 'jti', 'iss'], (name) => [`${name} that is empty`, mint({ [name]: '' })]),
        ...each(['sub', 'client_id', 'jti'], (name) => [`${name} that is a number`, mint({ [name]: 7 })]),
        ...each(['sub', 'jti', 'aud', 'exp', 'email', 'client_id'], (name) => [`${name} twice`, signed(header(), twice(claims(), name))]),
        'sub twice, once spelt in digits': signed(header(), twice(claims(), 'sub', '"\\u0073ub":"somebody",')),
        'alg twice': signed(twice(header(), 'alg', '"alg":"none",')),
        'a name twice, deep inside': signed(header(), twice(claims({ act: { deep: 'a' } }), 'deep')),
        'jti of 513 characters': mint({ jti: 'j'.repeat(513) }),
        'sub with a NUL': mint({ sub: 'user\u0000' }),
        'sub with a line end': mint({ sub: 'user\nadmin' }),
      },
      invalid_client_id: {
        'client_id of another client': mint({ client_id: 'agent-8' }),
        'client_id in capital letters': mint({ client_id: 'AGENT-7' }),
      },
    }),

    'an unverified address': () => {
      const odd = ['ayse', 'ayse@', 'a@b@client.example', 'ayse@[192.0.2.1]', '"a b"@client.example', 'ayşe@client.example'];
      const injecting = ['ayse@cli\u202eent.example', 'a@client.example\r\nBcc: all@client.example'];
      return {
        missing_verified_email: {
          'no mailbox': mint({ email: undefined, email_verified: undefined }),
          ...each([undefined, false, 'true', 1, null, [true]], (value) => [`email_verified is ${JSON.stringify(value)}`, mint({ email_verified: value })]),
          'an unverified telephone number': mint({ email: undefined, phone_number: '+905321234567' }),
        },
        invalid_request: each([...odd, ...injecting], (email) => [`mailbox ${JSON.stringify(email)}`, mint({ email })]),
      };
    },

    'an issuer that is not trusted': () => {
      const near = { 'with a slash': `${provider.issuer}/`, 'in capital letters': provider.issuer.toUpperCase(), 'by HTTPS': provider.issuer.replace('http:', 'https:') };
      return {
        invalid_issuer: {
          'a stranger': mint({ iss: 'https://agents.evil.example' }),
          'a space': mint({ iss: ' ' }),
          ...each(Object.entries(near), ([what, iss]) => [`the provider ${what}`, mint({ iss })]),
        },
        invalid_request: { 'iss that is a list': mint({ iss: [provider.issuer] }) },
        invalid_signature: {
          'the key of one provider in the name of another': signers.other.sign(TYPES.idJag, claims()),
          'the same under the name of a key that is there': forge(header(), claims(), by(signers.other.privateKey, 'ES256')),
          'the key of this provider in the name of another': mint({ iss: other.issuer }),
        },
      };
    },

    'size, depth and shape': async () => {
      const good = await mint();
      const [top, body, end] = good.split('.');
      const parts = [`${good}.`, `.${good}`, `${good}.${end}`, `${top}..${end}`, `${top}.${body}`, good.replace('.', '..')];
      const encrypted = new CompactEncrypt(Buffer.from(good)).setProtectedHeader({ alg: 'RSA-OAEP-256', enc: 'A256GCM', typ: TYPES.idJag });
      const flattened = new FlattenedSign(Buffer.from(JSON.stringify(claims()))).setProtectedHeader(header());
      return {
        invalid_request: {
          ...each(['', '.', '..', '...', 'a.b.c', 'ayse@client.example', 'eyJhbGciOiJub25lIn0.e30.'], (text) => [`the text '${text}'`, text]),
          ...each(parts, (text, index) => [`too few or too many parts (${index + 1})`, text]),
          'padding behind the header': `${top}=.${body}.${end}`,
          'padding behind the claims': `${top}.${body}==.${end}`,
          'padding that was signed': padded(ES256, header(), claims()),
          'Base64 encoded again': `${part(top)}.${part(body)}.${part(end)}`,
          'the alphabet of plain Base64': signed(header(), claims({ act: { sub: '>>>>' } })).replaceAll('-', '+').replaceAll('_', '/'),
          'a space within': `${top}. ${body}.${end}`,
          'JSON in place of dots': JSON.stringify(await flattened.sign(ES256.privateKey)),
          'a token in a token': signed(header({ cty: 'JWT' }), JSON.stringify(good)),
          'claims that are a list': signed(header(), [claims()]),
          'claims that are no JSON': signed(header(), 'iss=us'),
          'claims behind a byte order mark': signed(header(), `\ufeff${JSON.stringify(claims())}`),
          'two objects of claims': signed(header(), JSON.stringify(claims()).repeat(2)),
          'claims that are no UTF-8': signed(header(), Buffer.from([0x7b, 0xff, 0x7d])),
          'ten thousand lists within each other': signed(header(), `{"iss":${'['.repeat(10_000)}`),
          'more than 16 KiB': mint({ act: { sub: 'x'.repeat(16 * 1024) } }),
        },
        invalid_signature: {
          'padding behind the signature': `${good}=`,
          'bits behind the last byte of the signature': unused(good),
          'encrypted instead of signed': await encrypted.encrypt(createPublicKey(RS256.privateKey)),
        },
      };
    },
  };
}

/** Returns attacks for each of several values. */
function each(values, attack) {
  return Object.fromEntries(values.map(attack));
}

/** Returns the forms of a public key that an attacker has. */
function known(signer) {
  const key = createPublicKey(signer.privateKey);
  const pem = key.export({ type: 'spki', format: 'pem' });
  return Object.entries({
    'the PEM of the public key': pem,
    'its PEM without the last line end': pem.trim(),
    'its PKCS #1 PEM': key.export({ type: 'pkcs1', format: 'pem' }),
    'its DER': key.export({ type: 'spki', format: 'der' }),
    'its PKCS #1 DER': key.export({ type: 'pkcs1', format: 'der' }),
    'its JWK': JSON.stringify(signer.jwk),
    'its modulus': Buffer.from(signer.jwk.n, 'base64url'),
    nothing: '',
  });
}

/** Returns a token by a key that must not be used, signed as its type allows. */
function byBad(signer, claims) {
  const header = { typ: TYPES.idJag, alg: signer.algorithm, kid: signer.kid };
  if (signer.k) return forge(header, claims, hmac(Buffer.from(signer.k, 'base64url')));
  return forge(header, claims, by(signer.privateKey, signer.algorithm));
}

/** Returns a token whose parts carry padding that is signed with them. */
function padded(signer, header, claims) {
  const encoded = (value) => part(value).padEnd(Math.ceil(part(value).length / 4) * 4, '=');
  // One space more or less changes the amount of padding.
  const text = [JSON.stringify(claims), `${JSON.stringify(claims)} `].find((it) => it.length % 3);
  const message = `${encoded(header)}.${encoded(text)}`;
  return `${message}.${by(signer.privateKey, 'ES256')(Buffer.from(message)).toString('base64url')}`;
}

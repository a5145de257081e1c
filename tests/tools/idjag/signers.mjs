// The keys of the providers: good ones, and every kind that must not verify anything.

import { generateKeyPairSync } from 'node:crypto';
import { ALGORITHMS, Signer } from './provider.mjs';

/** Returns a signer for each algorithm, signers with unusable keys by their fault, and the whole set. */
export async function signers() {
  const made = await Promise.all([...ALGORITHMS.map((algorithm) => Signer.make(algorithm, `good-${algorithm}`)), Signer.make('ES256', 'other')]);
  const other = made.pop();
  const good = Object.fromEntries(made.map((signer) => [signer.algorithm, signer]));
  const bad = await unusable();
  return { good, bad, other, published: [...made, ...Object.values(bad)] };
}

/** Returns keys with valid signatures that must not be used. The name is the fault. */
async function unusable() {
  const es256 = async (kid, changes = {}) => changed(await Signer.make('ES256', kid), changes);
  const rsa = (kid, bits, exponent, changes = {}) =>
    changed(pair(kid, 'RS256', generateKeyPairSync('rsa', { modulusLength: bits, publicExponent: exponent })), changes);
  const [first, second, leaked] = [await es256('twice'), await es256('twice'), await es256('private')];
  leaked.jwk = { ...leaked.privateKey.export({ format: 'jwk' }), ...leaked.jwk };
  return {
    'a key for encryption (`use` is enc)': await es256('enc', { use: 'enc' }),
    'a key whose `use` is unknown': await es256('odd-use', { use: 'SIG' }),
    'a key that may only sign (`key_ops`)': await es256('ops', { key_ops: ['sign'], use: undefined }),
    'a key whose `key_ops` is no list': await es256('ops-text', { key_ops: 'verify' }),
    'the first of two keys with one name': first,
    'the second of two keys with one name': second,
    'an RSA key of 1024 bits': rsa('small', 1024, 65537),
    'an RSA key of 2040 bits': rsa('shorter', 2040, 65537),
    'an RSA key with the exponent 3': rsa('three', 2048, 3),
    'an elliptic key with alg RS256': await es256('ec-as-rsa', { alg: 'RS256' }),
    'an elliptic key with alg ES384': await es256('p256-as-384', { alg: 'ES384' }),
    'an RSA key with alg ES256': rsa('rsa-as-ec', 2048, 65537, { alg: 'ES256' }),
    'an RSA key with alg HS256': rsa('rsa-as-hmac', 2048, 65537, { alg: 'HS256' }),
    'an elliptic key with kty RSA': await es256('kty', { kty: 'RSA' }),
    'a key whose private half is published': leaked,
    'a key on P-521': pair('p521', 'ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' })),
    'a key on the curve of Bitcoin': pair('k256', 'ES256', generateKeyPairSync('ec', { namedCurve: 'secp256k1' })),
    'a symmetric key': symmetric('oct'),
  };
}

function changed(signer, changes) {
  Object.assign(signer.jwk, changes);
  return signer;
}

/** Returns a signer of a pair that jose does not create. */
function pair(kid, algorithm, { privateKey, publicKey }) {
  const signer = new Signer();
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' };
  return Object.assign(signer, { algorithm, kid, privateKey, jwk });
}

function symmetric(kid) {
  const k = Buffer.from('a secret that everybody can read').toString('base64url');
  return Object.assign(new Signer(), { algorithm: 'HS256', kid, k, jwk: { kty: 'oct', k, kid, alg: 'HS256', use: 'sig' } });
}

// Tokens that no library would make: signed with Node's own primitives, whatever they say.

import { constants, createHmac, sign } from 'node:crypto';

/** One part of a token. */
export function part(value) {
  const isText = typeof value === 'string' || Buffer.isBuffer(value);
  return Buffer.from(isText ? value : JSON.stringify(value)).toString('base64url');
}

/** A token whose parts are these, signed by `signature(message)`. */
export function forge(header, claims, signature) {
  const message = `${part(header)}.${part(claims)}`;
  return `${message}.${Buffer.from(signature(Buffer.from(message))).toString('base64url')}`;
}

/** Signs as `algorithm` demands with a private key. */
export function by(key, algorithm) {
  const ways = {
    ES256: ['sha256', { key, dsaEncoding: 'ieee-p1363' }],
    ES384: ['sha384', { key, dsaEncoding: 'ieee-p1363' }],
    ES512: ['sha512', { key, dsaEncoding: 'ieee-p1363' }],
    RS256: ['sha256', { key, padding: constants.RSA_PKCS1_PADDING }],
    RS512: ['sha512', { key, padding: constants.RSA_PKCS1_PADDING }],
    PS256: ['sha256', { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }],
    EdDSA: [null, { key }],
  };
  return (message) => sign(ways[algorithm][0], message, ways[algorithm][1]);
}

/** Signs with a secret that is none. */
export function hmac(secret, hash = 'sha256') {
  return (message) => createHmac(hash, secret).update(message).digest();
}

/** Does not sign. */
export function nothing() {
  return Buffer.alloc(0);
}

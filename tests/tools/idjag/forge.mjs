// Tokens that no library creates, signed with Node's own primitives.

import { constants, createHmac, sign } from 'node:crypto';

/** Returns one part of a token. */
export function part(value) {
  const isText = typeof value === 'string' || Buffer.isBuffer(value);
  return Buffer.from(isText ? value : JSON.stringify(value)).toString('base64url');
}

/** Returns a token of these parts, signed by `signature(message)`. */
export function forge(header, claims, signature) {
  const message = `${part(header)}.${part(claims)}`;
  return `${message}.${Buffer.from(signature(Buffer.from(message))).toString('base64url')}`;
}

/** Signs with a private key, in the way that `algorithm` requires. */
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

/** Signs with a public value as an HMAC secret. */
export function hmac(secret, hash = 'sha256') {
  return (message) => createHmac(hash, secret).update(message).digest();
}

/** Does not sign. */
export function nothing() {
  return Buffer.alloc(0);
}

/** Returns the ASN.1 form of a signature that consists of two numbers of 32 bytes. */
export function derOf(raw) {
  const number = (digits) => {
    const bytes = digits[0] & 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits;
    return Buffer.concat([Buffer.from([2, bytes.length]), bytes]);
  };
  const both = Buffer.concat([number(raw.subarray(0, 32)), number(raw.subarray(32))]);
  return Buffer.concat([Buffer.from([0x30, both.length]), both]);
}

/** Returns the same token with another last letter: it differs only in bits that no byte of the signature uses. */
export function unused(token) {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1)) + 1];
}

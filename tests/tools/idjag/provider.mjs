// An agent provider: publishes its keys on this machine and signs with jose, which is independent of the verifying
// code.

import { KeyObject, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';

/** The algorithms with which a provider may sign. */
export const ALGORITHMS = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'];

export const TYPES = { idJag: 'oauth-id-jag+jwt', logout: 'logout+jwt', event: 'secevent+jwt' };

/** What ends a session: in a logout token, and in a security event token. */
const EVENTS = ['http://schemas.openid.net/event/backchannel-logout', 'https://schemas.openid.net/secevent/caep/event-type/session-revoked'];

/** A key pair with its public half as a JWK. */
export class Signer {
  static async make(algorithm, kid) {
    const signer = new Signer();
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
    signer.algorithm = algorithm;
    signer.kid = kid;
    signer.privateKey = KeyObject.from(privateKey);
    signer.jwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' };
    return signer;
  }

  header(typ) {
    return { typ, alg: this.algorithm, kid: this.kid };
  }

  /** Returns a token of these claims; members of `header` are added to the usual ones. */
  sign(typ, claims, header = {}) {
    return new SignJWT(claims).setProtectedHeader({ ...this.header(typ), ...header }).sign(this.privateKey);
  }
}

/** A provider that is trusted for the client `agent-7`. */
export class Provider {
  /** The requested paths, in order. */
  requests = [];
  #server;
  #firstRequest;

  /** Starts a provider that publishes the keys of `signers`, or uses `answer`. */
  static async start(signers = [], answer = undefined) {
    const provider = new Provider();
    provider.publish(signers.map((signer) => signer.jwk));
    if (answer) provider.answer = answer;
    provider.#server = createServer((request, response) => {
      provider.requests.push(request.url);
      provider.#firstRequest ??= performance.now();
      provider.answer(request, response);
    });
    await new Promise((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    provider.port = provider.#server.address().port;
    provider.issuer = `http://127.0.0.1:${provider.port}`;
    return provider;
  }

  /**
   * Returns whether there were at least `least` requests, and at most `most` and one more
   * for each `pause` milliseconds, since a busy machine may need longer than that for a test.
   */
  receivedRequests(least, most, pause) {
    const pauses = this.requests.length ? Math.floor((performance.now() - this.#firstRequest) / pause) : 0;
    return this.requests.length >= least && this.requests.length <= most + pauses;
  }

  /** Publishes these keys from now on. */
  publish(keys, fields = {}) {
    this.answer = (request, response) => {
      response.writeHead(200, { 'content-type': 'application/jwk-set+json', ...fields }).end(JSON.stringify({ keys }));
    };
  }

  /** Returns the entry in a trust list. */
  trusted(more = '') {
    return `[[provider]]\nissuer = "${this.issuer}"\nname = "Example Agents"\nclient_ids = ["agent-7"]\n${more}\n`;
  }

  /**
   * Returns the claims of an assertion that is valid except for `changes`; undefined claims are omitted.
   */
  assertion(audience, changes = {}) {
    const user = randomUUID();
    return {
      iss: this.issuer, sub: user, aud: audience, client_id: 'agent-7', jti: randomUUID(),
      iat: now() - 10, exp: now() + 290, auth_time: now() - 600,
      email: `${user}@client.example`, email_verified: true, ...changes,
    };
  }

  /** Returns the claims of an event that revokes the registrations of `sub`. */
  report(audience, sub, changes = {}) {
    return { iss: this.issuer, sub, aud: audience, jti: randomUUID(), iat: now(), events: Object.fromEntries(EVENTS.map((event) => [event, {}])), ...changes };
  }

  stop() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** Returns the current time, in seconds. */
export function now() {
  return Math.floor(Date.now() / 1000);
}

// Searches the logs of all sidecars, at level `trace`, for secrets.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { services } from './service.mjs';

/**
 * A token, or a mailbox. The name of a registration is random and may contain the first letters of a token, but not
 * begin with them.
 */
const BETRAYAL = /(?<![A-Za-z0-9])eyJ[\w-]{10}|client\.example/;

export function discretion() {
  it('no log holds a token, a credential or a mailbox', () => {
    assert.ok(services.length > 5);
    for (const service of services.filter(({ url }) => url)) {
      assert.match(service.log, /"serving"/, service.folder);
      assert.deepEqual(service.betrayed, [], service.folder);
      assert.doesNotMatch(service.log, BETRAYAL, service.folder);
    }
  });

  it('they do tell what happened', () => {
    const log = services.map((service) => service.log).join('');
    for (const event of ['registration.created', 'claim.requested', 'claim.confirmed', 'registration.revoked']) {
      assert.ok(log.includes(event), event);
    }
  });
}

// What the logs of all sidecars of the judge tell, at their most talkative.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { services } from './service.mjs';

/** A token, or a mailbox. A name of a registration is random and may hold the first letters of a token, but not begin so. */
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

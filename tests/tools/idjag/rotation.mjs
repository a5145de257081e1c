// Effects over time: a provider that recovers, and one that changes its keys. Everything here waits on the same
// clock.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Provider, Signer, TYPES, now } from './provider.mjs';
import { Service, decided } from './service.mjs';

/** The pause between two fetches for the same reason, in milliseconds. */
const PAUSE = 30_000;
const RACERS = 64;

/** Fetches the keys of two providers for the first time; the result is checked later. */
export function firstKeys(scene) {
  it('keys are fetched for the first assertion and for an unknown key, and not again within the pause', async () => {
    const { bin, dist, work, settings } = scene;
    const [old, fresh] = [await Signer.make('ES256', 'old'), await Signer.make('EdDSA', 'fresh')];
    const freshest = await Signer.make('ES384', 'freshest');
    const [changing, failing] = [await Provider.start([old]), await Provider.start([], (_, response) => response.writeHead(500).end())];
    const trust = `dev = true\n${changing.trusted()}${failing.trusted()}`;
    const service = await Service.start({ bin, dist, folder: join(work, 'rotation'), trust, settings });
    const mint = (provider, signer, changes) => signer.sign(TYPES.idJag, provider.assertion(service.site, changes));
    const early = await mint(failing, old, { iat: now(), exp: now() + 600 });
    assert.equal((await service.register(early)).status, 503);
    assert.equal((await service.register(await mint(changing, old))).status, 200);
    changing.publish([old.jwk, fresh.jwk]);
    failing.publish([old.jwk]);
    assert.equal((await service.register(early)).status, 503);
    assert.equal((await service.register(await mint(changing, fresh))).status, 200, 'an unknown key is fetched at once');
    scene.rotating = { service, changing, failing, old, fresh: freshest, early, mint, changed: performance.now() };
    changing.publish([old.jwk, fresh.jwk, freshest.jwk]);
    const { body } = await service.register(await mint(changing, freshest));
    // Unless the pause has ended, on a very slow machine.
    assert.ok(body.error === 'invalid_signature' || changing.requests.length > 2, body.error);
    assert.equal((await service.register(await mint(changing, old))).status, 200, 'the old key is still accepted');
    assert.ok(changing.receivedRequests(2, 2, PAUSE) && failing.receivedRequests(1, 1, PAUSE), `${changing.requests.length} and ${failing.requests.length} requests`);
  });
}

/** The same providers, later. */
export function laterKeys(scene) {
  let service, changing, failing, old, fresh, early, mint, changed;
  before(() => ({ service, changing, failing, old, fresh, early, mint, changed } = scene.rotating));
  after(async () => {
    await service.stop();
    changing.stop();
    failing.stop();
  });

  it(`after the pause, ${RACERS} assertions by the new key make one request and are all accepted`, async () => {
    await pause(Math.max(0, PAUSE + 500 - (performance.now() - changed)));
    const assertions = await Promise.all(Array.from({ length: RACERS }, () => mint(changing, fresh)));
    const replies = await Promise.all(assertions.map((assertion) => decided(() => service.register(assertion))));
    assert.deepEqual(replies.filter(({ status }) => status !== 200).map(({ text }) => text), []);
    assert.equal(changing.requests.length, 3);
  });

  it('an assertion that was answered 503 is accepted once the provider is back, once', async () => {
    const reply = await service.register(early);
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await service.register(early)).body.error, 'replay_detected');
    assert.deepEqual(failing.requests.length, 2);
  });

  it('keys that are known serve while their provider is gone', async () => {
    changing.stop();
    assert.equal((await service.register(await mint(changing, old))).status, 200);
    const unknown = await Signer.make('ES256', 'unknown');
    assert.equal((await service.register(await mint(changing, unknown))).body.error, 'invalid_signature');
  });
}

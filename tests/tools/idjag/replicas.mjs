// Many simultaneous requests: on two replicas with one PostgreSQL, and on one process with SQLite.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isLong } from '../extent.mjs';
import { Postgres } from './postgres.mjs';
import { TYPES, now } from './provider.mjs';
import { Service, decided } from './service.mjs';

const RACERS = 64;
const ROUNDS = 5;
/** Number of events that are sent to one replica and checked at the other. */
const REPORTS = isLong ? 40 : 10;

export function replicas({ bin, dist, work, trust, settings, service, provider, signers }) {
  const signer = signers.good.ES256;
  const mint = (site, changes) => signer.sign(TYPES.idJag, provider.assertion(site, changes));
  let postgres;
  let pair = [];

  before(async () => {
    postgres = await Postgres.start();
    // Replicas share the secret from which links and codes are derived.
    const shared = { ...settings, SECRET_FILE: join(work, 'secret-of-both') };
    for (const name of ['replica-1', 'replica-2']) {
      pair.push(await Service.start({ bin, dist, folder: join(work, name), trust, store: postgres.store, settings: shared }));
    }
  });
  after(async () => {
    await Promise.all(pair.map((replica) => replica.stop()));
    await postgres.stop();
  });

  const places = { 'two replicas on one PostgreSQL': () => pair, 'one process on a file': () => [service] };
  for (const [where, services] of Object.entries(places)) {
    describe(where, () => {
      it(`of ${RACERS} posts of one assertion at once exactly one is accepted, in each of ${ROUNDS} rounds`, async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const assertion = await mint(service.site);
          const replies = await race(services(), (replica) => replica.register(assertion));
          once(replies, ({ body }) => body.error);
        }
      });

      it('so it is at the token endpoint, and between both endpoints', async () => {
        const assertion = await mint(service.site);
        const replies = await race(services(), (replica, index) => (index % 4 < 2 ? replica.register(assertion) : replica.exchange(assertion)));
        once(replies, ({ body }) => body.error_detail ?? body.error);
      });

      it('one of many assertions with one jti is accepted, whatever their subjects', async () => {
        const jti = randomUUID();
        const assertions = await Promise.all(Array.from({ length: RACERS }, () => mint(service.site, { jti })));
        once(await race(services(), (replica, index) => replica.register(assertions[index])), ({ body }) => body.error);
      });

      it('a report amid registrations leaves none of them alive', async () => {
        const [sub, email] = [randomUUID(), `${randomUUID()}@client.example`];
        const word = { sub, email, iat: now() - 30, exp: now() + 120 };
        const assertions = await Promise.all(Array.from({ length: 32 }, () => mint(service.site, word)));
        const report = await signer.sign(TYPES.logout, provider.report(service.site, sub, { iat: now() - 20 }));
        const [first, last] = [services()[0], services().at(-1)];
        const halves = (from, to) => assertions.slice(from, to).map((assertion, index) => decided(() => services()[index % services().length].register(assertion)));
        const early = halves(0, 16);
        await early[0];
        const [reported, ...replies] = await Promise.all([decided(() => last.report('logout+jwt', report)), ...halves(16, 32), ...early]);
        assert.equal(reported.status, 200, reported.text);
        for (const { status, body, text } of replies) {
          if (status === 200) assert.deepEqual(await first.opens(body.credential), [401, 401]);
          else assert.deepEqual([status, body.error], [400, 'expired'], text);
        }
      });
    });
  }

  it(`a report to one replica counts on the next call of the other, ${REPORTS} times`, async () => {
    for (let round = 0; round < REPORTS; round += 1) {
      const [one, other] = round % 2 ? pair : pair.toReversed();
      const asserted = provider.assertion(service.site);
      const { body } = await one.register(await signer.sign(TYPES.idJag, asserted));
      assert.deepEqual(await other.opens(body.credential), [200, 200], `round ${round}`);
      const report = await signer.sign(TYPES.event, provider.report(service.site, asserted.sub));
      assert.equal((await one.report('secevent+jwt', report)).status, 202);
      assert.deepEqual(await other.opens(body.credential), [401, 401], `round ${round}`);
    }
  });
}

/** Sends as many requests as there are racers, to the replicas in turn and all at once. */
function race(services, send) {
  return Promise.all(Array.from({ length: RACERS }, (_, index) => decided(() => send(services[index % services.length], index))));
}

/** Asserts that one reply is a success and that all others have the code of a replay. */
function once(replies, code) {
  const codes = replies.map((reply) => (reply.status === 200 ? '200' : `${reply.status} ${code(reply)}`));
  assert.equal(codes.filter((it) => it === '200').length, 1, codes.join(', '));
  assert.deepEqual([...new Set(codes)].sort(), ['200', '400 replay_detected']);
}

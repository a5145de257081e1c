// Sources of keys: faulty, slow and silent providers, forbidden addresses, and new keys.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Provider, Signer, TYPES } from './provider.mjs';
import { Service } from './service.mjs';

/** The pause between two fetches from a provider, in milliseconds. */
const PAUSE = 30_000;

export function keys({ bin, dist, work, settings, signers }) {
  const signer = signers.good.ES256;
  const set = JSON.stringify({ keys: [signer.jwk] });
  const ok = (response, body, fields = {}) => response.writeHead(200, fields).end(body);
  let target;
  // Each is a set with the right key but for its fault.
  const bad = {
    'sends nothing': () => {},
    'sends one byte at a time': (_, response) => drip(response, set),
    'breaks off': (_, response) => response.writeHead(200, { 'content-length': set.length }).write(set.slice(0, 9), () => response.destroy()),
    'hangs up': (request) => request.socket.destroy(),
    'never ends': (_, response) => flood(response, set),
    'announces a terabyte': (_, response) => response.writeHead(200, { 'content-length': 1e12 }).write(set),
    'sends 64 KiB and one byte': (_, response) => ok(response, set.padEnd(64 * 1024 + 1)),
    'is compressed without a request': (_, response) => ok(response, gzipSync(set), { 'content-encoding': 'gzip' }),
    'is a bomb': (_, response) => ok(response, gzipSync(Buffer.alloc(50_000_000, ' ')), { 'content-encoding': 'gzip' }),
    'has a header of 100 KB': (_, response) => ok(response, set, Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`x-${n}`, 'x'.repeat(8_000)]))),
    'leads to another place on this machine': (_, response) => response.writeHead(302, { location: `${target.issuer}/keys` }).end(),
    'leads there for good': (_, response) => response.writeHead(308, { location: `${target.issuer}/keys` }).end(),
    'leads to the metadata of a cloud': (_, response) => response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end(),
    'fails': (_, response) => response.writeHead(500).end(set),
    'has nothing to say': (_, response) => response.writeHead(204).end(),
    'returns 201': (_, response) => response.writeHead(201).end(set),
    'is a page': (_, response) => ok(response, '<!DOCTYPE html><title>Keys</title>', { 'content-type': 'text/html' }),
    'is empty': (_, response) => ok(response, ''),
    'is a list': (_, response) => ok(response, JSON.stringify([signer.jwk])),
    'is a key in place of a set': (_, response) => ok(response, JSON.stringify(signer.jwk)),
    'has keys that are no list': (_, response) => ok(response, JSON.stringify({ keys: { 0: signer.jwk } })),
    'has 33 keys': (_, response) => ok(response, JSON.stringify({ keys: Array.from({ length: 33 }, (_, n) => ({ ...signer.jwk, kid: n ? `k${n}` : signer.kid })) })),
    'is nested ten thousand times': (_, response) => ok(response, `{"keys":${'['.repeat(10_000)}${']'.repeat(10_000)}}`),
  };
  const providers = new Map();
  let closed;
  let sidecar;

  before(async () => {
    target = await Provider.start([signer]);
    for (const [what, answer] of Object.entries(bad)) providers.set(what, await Provider.start([], answer));
    // Its port is closed.
    closed = await Provider.start();
    closed.stop();
    const trust = `dev = true\n${[...providers.values(), closed].map((provider) => provider.trusted()).join('')}`;
    sidecar = await Service.start({ bin, dist, folder: join(work, 'keys'), trust, settings });
  });
  after(async () => {
    await sidecar.stop();
    for (const provider of [target, ...providers.values()]) provider.stop();
  });

  const unavailable = async (provider, what) => {
    const reply = await sidecar.register(await signer.sign(TYPES.idJag, provider.assertion(sidecar.site)));
    assert.deepEqual([reply.status, reply.body.error], [503, 'temporarily_unavailable'], `${what}: ${reply.text}`);
    const wait = Number(reply.headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= PAUSE / 1000 + 1 && reply.body.retry_after === wait, `${what}: Retry-After ${wait}`);
  };

  // Without a time limit for each fetch, silent and endless responses would never end, and the one that sends a byte at a
  // time would have its keys used.
  it('unavailable keys are 503, and each fetch has a time limit', async (row) => {
    const before = memory(sidecar);
    await Promise.all([...providers].map(([what, provider]) => row.test(`whose answer ${what}`, async () => {
      await unavailable(provider, what);
      assert.ok(provider.receivedRequests(1, 1, PAUSE), `${provider.requests.length} requests`);
    })));
    await row.test('on a closed port', () => unavailable(closed, 'closed'));
    assert.ok(memory(sidecar) - before < 64 * 1024, `${before} KiB became ${memory(sidecar)} KiB`);
  });

  it('keys are not fetched again at once, neither for assertions nor for events', async () => {
    await Promise.all([...providers].map(async ([what, provider]) => {
      await unavailable(provider, what);
      const report = await signer.sign(TYPES.event, provider.report(sidecar.site, 'x'));
      const reply = await sidecar.report('secevent+jwt', report);
      assert.deepEqual([reply.status, reply.body.error], [503, 'temporarily_unavailable'], what);
      assert.ok(reply.headers.get('retry-after'), what);
      const exchanged = await sidecar.exchange(await signer.sign(TYPES.idJag, provider.assertion(sidecar.site)));
      assert.deepEqual([exchanged.status, exchanged.body.error], [503, 'temporarily_unavailable'], what);
      assert.ok(provider.receivedRequests(1, 1, PAUSE), `${what}: ${provider.requests.length} requests`);
    }));
  });

  it('no redirect was followed, and the rest of the service goes on meanwhile', async () => {
    assert.deepEqual(target.requests, []);
    assert.equal((await sidecar.send('/api/v1/team')).status, 200);
    assert.equal((await sidecar.post('/agent/auth', { type: 'anonymous' })).status, 200);
  });

  it('a trust list with keys on this machine or in private networks is refused with its line, also in development', async (row) => {
    const trap = createServer((socket) => socket.destroy());
    let met = 0;
    trap.on('connection', () => (met += 1));
    trap.listen(0, '127.0.0.1');
    await once(trap, 'listening');
    row.after(() => trap.close());
    const { port } = trap.address();
    const here = ['127.0.0.1', 'localhost', '127.1', '2130706433', '0x7f000001', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', '[::]'];
    const inwards = ['10.0.0.1', '192.168.1.1', '172.16.0.1', '100.64.0.1', '169.254.169.254'];
    const inwards6 = ['[fd00:ec2::254]', '[fe80::1]', '[64:ff9b::7f00:1]'];
    const hosts = [...here.map((host) => `${host}:${port}`), ...inwards, ...inwards6];
    // With the line of the error within the provider: that of the address, or the first, since an address is missing.
    const entries = [
      [3, (host) => `issuer = "https://agents.example"\njwks_uri = "https://${host}/keys"\n`],
      [0, (host) => `issuer = "https://${host}"\n`],
    ];
    await Promise.all(hosts.map((host, index) => row.test(`https://${host.replace(port, 'PORT')}`, async () => {
      for (const dev of ['', 'dev = true\n']) {
        for (const [offset, entry] of entries) {
          const trust = `${dev}[[provider]]\nname = "A"\n${entry(host)}`;
          const line = (dev ? 2 : 1) + offset;
          const started = Service.start({ bin, dist, folder: join(work, `inside${index}`), trust, settings });
          await assert.rejects(started, new RegExp(`trust\\.toml:${line}: keys are fetched from public addresses only`), trust);
        }
      }
    })));
    assert.equal(met, 0);
  });

  it('a trust list with an http address of keys is refused with its line', async () => {
    const outside = [target.issuer, 'http://agents.example', 'https://user@agents.example'].map((url) => ['', url]);
    const inside = ['http://agents.example', 'http://127.0.0.1.evil.example', 'http://10.0.0.1'].map((url) => ['dev = true\n', url]);
    for (const [dev, url] of [...outside, ...inside]) {
      const trust = `${dev}[[provider]]\nname = "A"\nissuer = "${url}"\n`;
      const started = Service.start({ bin, dist, folder: join(work, 'refused'), trust, settings });
      await assert.rejects(started, new RegExp(`trust\\.toml.*${dev ? 4 : 3}[^]*\`issuer\` must be`), url);
    }
  });

  it('unknown key names cause no request each', async (row) => {
    const [known, unknown] = [await Provider.start([signer]), await Signer.make('ES256', 'unknown')];
    row.after(() => known.stop());
    const own = await Service.start({ bin, dist, folder: join(work, 'unknown'), trust: `dev = true\n${known.trusted()}`, settings });
    row.after(() => own.stop());
    const replies = await Promise.all(Array.from({ length: 64 }, async (_, n) => {
      unknown.kid = `unknown-${n}`;
      return own.register(await unknown.sign(TYPES.idJag, known.assertion(own.site)));
    }));
    for (const { status, body } of replies) assert.deepEqual([status, body.error], [400, 'invalid_signature']);
    // A request that arrives after the keys causes one more fetch: the provider may just have
    // changed them.
    assert.ok(known.receivedRequests(1, 2, PAUSE), `64 at once on a service that knew no keys at all caused ${known.requests.length} requests`);
  });
}

/** Returns the peak memory of a sidecar in KiB, or nothing if the system does not provide it. */
function memory({ pid }) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  } catch {
    return 0;
  }
}

async function drip(response, text) {
  response.writeHead(200, { 'content-length': text.length });
  for (const letter of text) {
    if (response.destroyed) return;
    response.write(letter);
    await pause(100);
  }
}

function flood(response, text) {
  response.writeHead(200).write(text);
  const spaces = Buffer.alloc(64 * 1024, ' ');
  const more = () => {
    while (!response.destroyed && response.write(spaces));
  };
  response.on('drain', more);
  more();
}

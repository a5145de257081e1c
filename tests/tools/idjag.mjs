// Checks identity assertions from their provider to the allowed call, and attacks.
//
//     node --test-reporter=spec idjag.mjs BIN DIST WORK
//
// BIN holds the sidecar and the tool, DIST a build; sidecars, providers and a PostgreSQL of the judge's own run in
// WORK. Every token is signed by jose, or by Node's own primitives where jose would refuse to.

import { existsSync } from 'node:fs';
import { after, describe } from 'node:test';
import { join, resolve } from 'node:path';
import { registration } from './idjag/registration.mjs';
import { discretion } from './idjag/discretion.mjs';
import { threats } from './idjag/threats.mjs';
import { reports } from './idjag/reports.mjs';
import { keys } from './idjag/keys.mjs';
import { replicas } from './idjag/replicas.mjs';
import { firstKeys, laterKeys } from './idjag/rotation.mjs';
import { tool } from './idjag/tool.mjs';
import { Provider } from './idjag/provider.mjs';
import { Service } from './idjag/service.mjs';
import { signers } from './idjag/signers.mjs';

const [bin, dist, work] = process.argv.slice(2).map((path) => resolve(path));
if (!work || !existsSync(join(bin, 'sidecar'))) {
  console.error('usage: node --test-reporter=spec idjag.mjs BIN DIST WORK');
  process.exit(2);
}

const made = await signers();
const provider = await Provider.start(made.published);
// Another trusted provider with keys of its own.
const other = await Provider.start([made.other]);
// A third provider, whose assertions may be used again while they are valid.
const lasting = await Provider.start([made.other]);
const trust = `dev = true\n${provider.trusted()}${other.trusted()}${lasting.trusted('reuse_until_exp = true')}`;
const settings = { LIMITS_ASSERTIONS: '100000' };
const service = await Service.start({ bin, dist, folder: join(work, 'one'), trust, settings });
const scene = { bin, dist, work, trust, settings, service, provider, other, lasting, signers: made };

after(async () => {
  await service.stop();
  for (const one of [provider, other, lasting]) one.stop();
  // A failed test may leave a process running, which must not prevent the end.
  setTimeout(() => process.exit(), 60_000).unref();
});

const parts = { firstKeys, registration, threats, reports, replicas, tool, keys, laterKeys, discretion };
for (const [name, part] of Object.entries(parts)) describe(name, () => part(scene));

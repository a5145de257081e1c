// The functions of Cloudflare and Netlify that call the build hook of the forge when a change is due: in `workerd`, and in Node.js.

import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Miniflare } from 'miniflare';

const PAST = '2020-01-01T00:00:00Z';
const FUTURE = '2999-01-01T00:00:00Z';
const TOKEN = 'token-of-the-forge';

/** Folder of a host, with the tables in it, and how its function runs with the variables `env`. */
const KINDS = {
  cloudflare: {
    tables: 'worker/tables.js',
    async run(folder, env) {
      const settings = JSON.parse(readFileSync(join(folder, 'wrangler.jsonc'), 'utf8').replace(/^\s*\/\/.*$/gm, ''));
      if (settings.triggers.crons.length !== 1) throw new Error('it has no schedule');
      const miniflare = new Miniflare({
        cf: false,
        rootPath: folder,
        modules: true,
        modulesRoot: folder,
        modulesRules: [{ type: 'ESModule', include: ['**/*.js'] }],
        scriptPath: settings.main,
        compatibilityDate: settings.compatibility_date,
        bindings: env,
      });
      try {
        const worker = await miniflare.getWorker();
        return (await worker.scheduled({ cron: settings.triggers.crons[0] })).outcome === 'ok';
      } finally {
        await miniflare.dispose();
      }
    },
  },
  netlify: {
    tables: 'netlify/edge/tables.js',
    async run(folder, env) {
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      Object.assign(process.env, env);
      try {
        const { default: build, config } = await import(pathToFileURL(join(folder, 'netlify/functions/scheduled.mjs')));
        if (!/^\*\/15( \*){4}$/.test(config.schedule)) throw new Error(`its schedule is ${config.schedule}`);
        return await build().then(() => true, () => false);
      } finally {
        for (const name of Object.keys(env)) delete process.env[name];
      }
    },
  },
};

/** Checks the function of `name` in copies of `folder` below `work`; adds what is wrong to `findings`. */
export async function scheduled(name, folder, work, findings) {
  const kind = KINDS[name];
  if (!kind) return 0;
  const calls = [];
  let status = 204;
  const forge = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    calls.push({ method: request.method, token: request.headers.authorization, body: Buffer.concat(parts).toString() });
    response.writeHead(status, { location: '/elsewhere' }).end();
  });
  await once(forge.listen(0, '127.0.0.1'), 'listening');
  const hook = `http://127.0.0.1:${forge.address().port}/dispatches`;
  const secrets = { MECELLE_BUILD_HOOK: hook, MECELLE_BUILD_HOOK_TOKEN: TOKEN };
  const cases = [
    ['a change that is due', PAST, secrets, 204, [{ method: 'POST', token: `Bearer ${TOKEN}`, body: '{"ref":"main"}' }], true],
    ['a body of its own', PAST, { MECELLE_BUILD_HOOK: hook, MECELLE_BUILD_HOOK_BODY: '{"a":1}' }, 200, [{ method: 'POST', token: undefined, body: '{"a":1}' }], true],
    ['a change in the future', FUTURE, secrets, 204, [], true],
    ['no change', null, secrets, 204, [], true],
    ['no hook', PAST, {}, 204, [], true],
    ['a forge that refuses', PAST, secrets, 401, 1, false],
    ['a redirect, which would have the token', PAST, secrets, 302, 1, false],
    ['an address that is not encrypted', PAST, { ...secrets, MECELLE_BUILD_HOOK: 'http://forge.example/' }, 204, [], false],
  ];
  try {
    for (const [number, [what, due, env, answer, expected, isDone]] of cases.entries()) {
      const copy = join(work, `scheduled-${name}-${number}`);
      rmSync(copy, { recursive: true, force: true });
      cpSync(folder, copy, { recursive: true, filter: (path) => !path.includes('/public') });
      const tables = join(copy, kind.tables);
      const text = readFileSync(tables, 'utf8');
      const changed = text.replace(/"next_change":("[^"]*"|null)/, `"next_change":${JSON.stringify(due)}`);
      if (!changed.includes(`"next_change":${JSON.stringify(due)}`)) findings.add(name, 'its tables do not name the next change');
      writeFileSync(tables, changed);
      calls.length = 0;
      status = answer;
      const done = await kind.run(copy, env);
      const isExpected = typeof expected === 'number' ? calls.length === expected : JSON.stringify(calls) === JSON.stringify(expected);
      if (done !== isDone || !isExpected) findings.add(`${name}: ${what}`, `ended ${done}, called ${JSON.stringify(calls)}`);
    }
  } finally {
    forge.close();
  }
  return cases.length;
}

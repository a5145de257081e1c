// Programs that serve on a free port of this machine until they are stopped.

import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ask } from './client.mjs';

/** Starts a program and waits until it answers at `ready`. `args` and `env` may be functions of the port. */
export async function serve(program, args, { env = () => ({}), ready, folder }) {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const log = openSync(join(folder, 'log'), 'w');
  const given = typeof args === 'function' ? args(port) : args;
  const child = spawn(program, given, { env: { ...process.env, ...env(port) }, stdio: ['ignore', log, log] });
  const url = `http://127.0.0.1:${port}`;
  const ended = new Promise((done) => child.on('exit', done).on('error', done));
  const stop = () => (child.kill('SIGTERM'), ended);
  for (let looks = 0; looks < 200; looks++) {
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`${program} ended; see ${join(folder, 'log')}`);
    if (await ask(url, 'GET', ready, {}).catch(() => null)) return { url, stop };
    await setTimeout(100);
  }
  await stop();
  throw new Error(`${program} does not answer; see ${join(folder, 'log')}`);
}

/** Returns a port on which nothing listens. */
export function freePort() {
  return new Promise((done, fail) => {
    const server = createServer().on('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** Starts a sidecar that serves a build, and believes what hosts on this machine say of their clients. */
export function service(sidecar, dist, folder) {
  const env = (port) => ({
    MECELLE_LISTEN: `127.0.0.1:${port}`,
    MECELLE_DIST: dist,
    MECELLE_STORE: `sqlite://${join(folder, 'store')}`,
    MECELLE_SECRET_FILE: join(folder, 'secret'),
    MECELLE_MAIL: `outbox://${join(folder, 'outbox')}`,
    MECELLE_TRUSTED_PROXIES: '127.0.0.1',
  });
  return serve(sidecar, ['serve'], { ready: '/api/v1/health', env, folder });
}

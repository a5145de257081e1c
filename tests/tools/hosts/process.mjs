// Programs that serve on a free port of this machine until they are stopped.

import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE } from '../extent.mjs';
import { ask } from './client.mjs';

/** Time limit for the end of a program, in milliseconds; then it is killed. */
const LONGEST_END = 60_000;
/** Maximum number of ports that are tried. */
const TRIES = 8;

/**
 * Starts a web server and waits until it serves the file at `ready`, which no other server has. `args` is a function of the
 * port. Until the server has bound it, another process may take a port that was free: then another one is tried.
 */
export async function serve(program, args, { env, ready, folder }) {
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const find = async () => (await ask(url, 'GET', ready, {}).catch(() => null))?.status === 200 && url;
    try {
      return await start(program, args(port), { env, folder, find });
    } catch (error) {
      if (tries === TRIES || !/address already in use/i.test(error.message)) throw error;
    }
  }
}

/**
 * Starts a sidecar that serves a build, trusts hosts on this machine as proxies, and supports all that the
 * build offers, since hosts publish the documents of the build unchanged.
 */
export function service(sidecar, dist, folder) {
  mkdirSync(folder, { recursive: true });
  const trust = join(folder, 'trust.toml');
  writeFileSync(trust, '[[provider]]\nissuer = "https://provider.example"\nname = "Example provider"\n');
  const env = {
    MECELLE_LISTEN: '127.0.0.1:0',
    MECELLE_DIST: dist,
    MECELLE_STORE: `sqlite://${join(folder, 'store')}`,
    MECELLE_SECRET_FILE: join(folder, 'secret'),
    MECELLE_MAIL: `outbox://${join(folder, 'outbox')}`,
    MECELLE_TRUST: trust,
    MECELLE_TRUSTED_PROXIES: '127.0.0.1',
    MECELLE_LOG_FORMAT: 'json',
  };
  // The log names the port; the last line may be incomplete.
  const find = (log) => {
    const serving = log.split('\n').slice(0, -1).find((line) => line.includes('"serving"'));
    return serving && `http://${JSON.parse(serving).address}`;
  };
  return start(sidecar, ['serve'], { env, folder, find });
}

/** Starts a program; `find` returns its address from the log so far, once it serves. */
async function start(program, args, { env = {}, folder, find }) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'log');
  rmSync(path, { force: true });
  // Servers open the same file as their error log.
  const log = openSync(path, 'a');
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', log, log] });
  closeSync(log);
  let isRunning = true;
  const ended = new Promise((done) => {
    child.on('exit', done).on('error', (error) => done(appendFileSync(path, String(error))));
  }).finally(() => (isRunning = false));
  const stop = async () => {
    child.kill('SIGTERM');
    const abort = new AbortController();
    const late = sleep(LONGEST_END, null, { signal: abort.signal }).then(() => child.kill('SIGKILL'), () => null);
    await ended;
    abort.abort();
    await late;
  };
  const logged = () => readFileSync(path, 'utf8');
  const deadline = Date.now() + PATIENCE;
  while (isRunning && Date.now() < deadline) {
    const url = await find(logged());
    if (url && isRunning) return { url, stop };
    await sleep(100);
  }
  const what = isRunning ? `does not answer after ${PATIENCE / 1000} seconds` : 'ended';
  await stop();
  // The folder is deleted after the test, so print the log.
  throw new Error(`${program} ${what}; its log:\n${logged().split('\n').slice(-30).join('\n')}`);
}

/**
 * Returns a free port, from below those of outgoing connections, and above those that
 * scripts/test.d/server.sh chooses from, which may be bound much later.
 */
async function freePort() {
  for (;;) {
    const port = 30_000 + Math.floor(Math.random() * 2_700);
    if (await isFree(port)) return port;
  }
}

function isFree(port) {
  return new Promise((done) => {
    const server = createServer().on('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}

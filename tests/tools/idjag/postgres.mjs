// A PostgreSQL server on a socket in a folder of its own; it ends with this process, for whatever
// reason.

import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE } from '../extent.mjs';

/** The user as which the server runs if the judge is root, since the server refuses to run as root. */
const NOBODY = 65534;

export class Postgres {
  #keeper;

  static async start() {
    const server = new Postgres();
    const folder = mkdtempSync(join(tmpdir(), 'mecelle-pg.'));
    const isRoot = process.getuid() === 0;
    if (isRoot) chownSync(folder, NOBODY, NOBODY);
    const as = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
    const init = [...as, 'initdb', '--auth=trust', '--username=mecelle', '--no-sync', '-E', 'UTF8', '--locale=C', '-D', `${folder}/data`];
    const made = spawnSync(init[0], init.slice(1), { cwd: folder, encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`initdb: ${made.error ?? made.stderr}`);
    // The shell keeps the server running until its own input ends.
    const script = 'folder=$1; shift; "$@" postgres -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off \
      >/dev/null 2>&1 & cat; kill -QUIT $!; wait; rm -rf "$folder"';
    server.#keeper = spawn('sh', ['-c', script, 'sh', folder, ...(as.length ? as : ['env'])], { cwd: '/', stdio: ['pipe', 'ignore', 'inherit'] });
    server.store = `postgres://mecelle@localhost/postgres?host=${folder}`;
    for (const end = Date.now() + PATIENCE; spawnSync('pg_isready', ['-q', '-h', folder]).status !== 0; ) {
      if (Date.now() > end) throw new Error('PostgreSQL does not start');
      await pause(50);
    }
    return server;
  }

  async stop() {
    const ended = new Promise((resolve) => this.#keeper.once('exit', resolve));
    this.#keeper.stdin.end();
    await ended;
  }
}

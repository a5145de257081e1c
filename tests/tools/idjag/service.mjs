// A sidecar, and the requests of agents and providers.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE } from '../extent.mjs';

export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** The sidecars end with this process. */
const running = new Set();
process.once('exit', () => running.forEach((child) => child.kill()));

/** Every sidecar, for the search of the logs. */
export const services = [];
/** All secrets of requests and responses. */
const secrets = new Set();

/** A running sidecar. */
export class Service {
  #process;

  /** Starts a sidecar in `folder` that serves `dist` and has the trust list `trust` (TOML). */
  static async start({ bin, dist, folder, trust, store, settings = {} }) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'trust.toml'), trust);
    const chosen = {
      LISTEN: '127.0.0.1:0', DIST: dist, TRUST: join(folder, 'trust.toml'), SECRET_FILE: join(folder, 'secret'),
      STORE: store ?? `sqlite://${join(folder, 'store.sqlite')}`, MAIL: `outbox://${join(folder, 'outbox')}`,
      LOG_FORMAT: 'json', LOG_LEVEL: 'trace', ...settings,
    };
    const named = Object.entries(chosen).map(([name, value]) => [`MECELLE_${name}`, value]);
    const service = new Service();
    service.folder = folder;
    service.log = '';
    services.push(service);
    service.#process = spawn(join(bin, 'sidecar'), ['serve'], {
      env: { PATH: process.env.PATH, ...Object.fromEntries(named) }, stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(service.#process);
    service.url = `http://${await service.#listens()}`;
    service.site = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8')).site_url;
    return service;
  }

  /** Returns the address in the log. */
  #listens() {
    return new Promise((resolve, reject) => {
      // The last lines arrive after its end.
      this.#process.on('close', (code) => reject(new Error(`the sidecar ended (${code}): ${this.log}`)));
      for (const stream of [this.#process.stdout, this.#process.stderr]) {
        createInterface(stream).on('line', (line) => {
          this.log += `${line}\n`;
          const found = /"address":"([^"]+)"/.exec(line);
          if (found && line.includes('"serving"')) resolve(found[1]);
        });
      }
    });
  }

  get pid() {
    return this.#process.pid;
  }

  /** Registers with an assertion. */
  register(assertion, more = {}) {
    return this.post('/agent/auth', { type: 'identity_assertion', assertion_type: ID_JAG, assertion, ...more });
  }

  /** Exchanges an assertion at the token endpoint. */
  exchange(assertion, more = {}) {
    return this.form('/oauth2/token', { grant_type: JWT_BEARER, assertion, ...more });
  }

  /** Sends a logout token or a security event token. */
  report(type, token) {
    return this.send('/agent/auth/revoke', { method: 'POST', headers: { 'content-type': `application/${type}` }, body: token });
  }

  post(path, body) {
    return this.send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  }

  form(path, values) {
    return this.send(path, { method: 'POST', body: new URLSearchParams(values) });
  }

  /** Returns the statuses of a call of the content API and of one of `/mcp` with this credential. */
  async opens(credential) {
    const authorization = `Bearer ${credential}`;
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const accept = 'application/json, text/event-stream';
    const headers = { authorization, accept, 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' };
    const [api, mcp] = await Promise.all([
      this.send('/api/v1/team', { headers: { authorization } }),
      this.send('/mcp', { method: 'POST', headers, body: list }),
    ]);
    return [api.status, mcp.status];
  }

  /** Sends a request; returns the response with its body, parsed if it is JSON, and the times of both. */
  async send(path, request = {}) {
    const sent = Date.now();
    const response = await fetch(this.url + path, { ...request, signal: AbortSignal.timeout(PATIENCE) });
    const text = await response.text();
    confide(request.body, text);
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined, sent, came: Date.now() };
  }

  /** Returns the secrets in the log. */
  get betrayed() {
    return [...secrets].filter((secret) => this.log.includes(secret)).map((secret) => `${secret.slice(0, 8)}…`);
  }

  async stop() {
    if (this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once('close', resolve));
    this.#process.kill();
    await ended;
    running.delete(this.#process);
    // For the step that reads the logs of all steps.
    writeFileSync(join(this.folder, 'log'), this.log);
  }
}

/** Adds secrets of a request or a response: tokens, parts of them, credentials and mailboxes. */
function confide(...texts) {
  for (const text of texts.map(String)) {
    for (const secret of text.match(/[\w-]{40,}|(?:at|ak|clm|cla|cvt)_\w{20,}|[\w.-]+@client\.example/g) ?? []) secrets.add(secret);
  }
}

/** Repeats a request while the store is too busy (503). */
export async function decided(ask) {
  for (const end = Date.now() + PATIENCE; ; await pause(100)) {
    const reply = await ask();
    if (reply.status !== 503 || Date.now() > end) return reply;
  }
}

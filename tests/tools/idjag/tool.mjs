// The command-line tool with an assertion: from the provider to the content, and back to the public key.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { Outbox } from '../claim/outbox.mjs';
import { PATIENCE } from '../extent.mjs';
import { TYPES } from './provider.mjs';

export function tool({ bin, work, service, provider, signers }) {
  const signer = signers.good.ES256;
  const mint = (changes) => signer.sign(TYPES.idJag, provider.assertion(service.site, changes));
  const user = () => new User(bin, join(work, `user-${randomUUID()}`), service);

  it('registers with an assertion from standard input, reads content, and logs out', async () => {
    const one = user();
    const registered = await one.json(['register', '--assertion', '-'], await mint());
    assert.equal(registered.registration_type, 'agent-provider');
    const { credential } = registered;
    const who = await one.json(['whoami']);
    assert.deepEqual([who.key, who.scopes], ['kept', registered.scopes]);
    assert.ok(!JSON.stringify(who).includes(credential));
    const team = await one.run(['team', '--locale', 'tr']);
    const plain = await service.send('/api/v1/team?locale=tr');
    assert.deepEqual([team.code, team.data], [0, plain.text], 'piped, the exact bytes of the API');
    const kept = one.kept();
    assert.ok(kept.includes(credential) && kept.mode === 0o600, 'the key is kept for its owner alone');
    assert.equal((await one.run(['logout'])).code, 0);
    assert.deepEqual(await service.opens(credential), [401, 401]);
    assert.equal((await one.json(['whoami'])).key, 'sandbox', 'the published key of the host');
    assert.ok(!one.kept().includes(credential));
  });

  it('reads an assertion from a file and requests the given type of key', async () => {
    const one = user();
    const file = join(one.folder, 'assertion.jwt');
    writeFileSync(file, `${await mint()}\n`);
    const { credential } = await one.json(['register', '--assertion', file, '--credential', 'api-key']);
    assert.match(credential, /^ak_/);
    assert.equal((await one.run(['contact'])).code, 0);
  });

  it('throws the key away that the provider has revoked, with a word on what to do', async () => {
    const one = user();
    const sub = randomUUID();
    const { credential } = await one.json(['register', '--assertion', '-'], await mint({ sub }));
    const report = await signer.sign(TYPES.logout, provider.report(service.site, sub));
    assert.deepEqual((await service.report('logout+jwt', report)).body, { revoked: 1 });
    const { code, notes } = await one.run(['team']);
    assert.equal(code, 4, notes);
    assert.match(notes, /mecelle register/);
    assert.ok(!one.kept().includes(credential));
    assert.equal((await one.run(['team'])).code, 0, 'the sandbox key serves from then on');
  });

  it('prints the refusal of an assertion, and stores nothing', async () => {
    const spent = await mint();
    assert.equal((await service.register(spent)).status, 200);
    for (const [assertion, pattern] of [
      [spent, /used before[^]*fresh `jti`/],
      [await mint({ auth_time: 1 }), /sign-in[^]*sign in at the provider again/],
      [await mint({ aud: 'https://elsewhere.example' }), /another audience/],
      [await mint({ email_verified: false }), /no verified e-mail/],
      ['not.a.token', /cannot be used/],
    ]) {
      const one = user();
      const { code, data, notes } = await one.run(['register', '--assertion', '-'], assertion);
      assert.ok([1, 4].includes(code) && data === '', `${code} ${data}`);
      assert.match(notes, pattern);
      assert.ok(!notes.includes(assertion), 'an assertion is not for the screen');
      assert.equal((await one.json(['whoami'])).key, 'sandbox', 'the published key alone');
    }
  });

  it('waits for the person where the mailbox is known under another identity', async () => {
    const email = `${randomUUID()}@client.example`;
    assert.equal((await service.register(await mint({ email }))).status, 200);
    const one = user();
    const { code, notes } = await one.run(['register', '--assertion', '-'], await mint({ email }));
    assert.equal(code, 4, notes);
    assert.match(notes, /mecelle claim/);
    assert.match((await one.run(['claim', '--code', '000000'])).notes, /Show code/, 'the claim is known to the tool');
    const { link } = await new Outbox(join(service.folder, 'outbox')).message(email);
    const token = new URL(link).searchParams.get('token');
    const { body } = await service.post('/agent/auth/claim/attempt/challenge', { claim_attempt_token: token });
    const claimed = await one.json(['claim', '--code', body.challenge]);
    assert.deepEqual([claimed.status, (await one.json(['whoami'])).key], ['claimed', 'kept']);
    assert.deepEqual(await service.opens(claimed.credential), [200, 200]);
  });
}

/** A user with folders of their own. */
class User {
  #bin;
  #service;

  constructor(bin, folder, service) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.#bin = bin;
    this.#service = service;
  }

  /** Runs the tool; returns its output and exit status. */
  run(words, input = '') {
    const env = {
      PATH: process.env.PATH, HOME: this.folder, MECELLE_BASE_URL: this.#service.url,
      MECELLE_CONFIG_DIR: join(this.folder, 'keys'), MECELLE_CACHE_DIR: join(this.folder, 'answers'),
    };
    return new Promise((resolve, reject) => {
      const child = spawn(join(this.#bin, 'mecelle'), words, { env, timeout: PATIENCE });
      const printed = { data: '', notes: '' };
      child.stdout.on('data', (text) => (printed.data += text));
      child.stderr.on('data', (text) => (printed.notes += text));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, ...printed }));
      child.stdin.on('error', () => {});
      child.stdin.end(input);
    });
  }

  async json(words, input) {
    const { code, data, notes } = await this.run(words, input);
    assert.equal(code, 0, notes);
    return JSON.parse(data);
  }

  /** Returns the files in the folder of keys, with their permissions. */
  kept() {
    const folder = join(this.folder, 'keys');
    const files = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
    const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
    return { includes: (secret) => text.includes(secret), mode: files.reduce((mode, file) => mode | (statSync(file).mode & 0o777), 0) };
  }
}

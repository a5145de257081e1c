// Sends the requests of crates/answers/table.toml to every host, and compares the responses with those of the sidecar.
//
//   node run.mjs GENERATOR SIDECAR WORK [NAME...]          all hosts, or the named ones
//   node run.mjs GENERATOR SIDECAR WORK --spoiled          spoils rules, one in each file of each host, and expects a row to fail
//
// A normal run spoils a third of the rules, selected by the day, or all of a named host. It sends every row to every
// host without a sidecar, and with one of the hosts whose rules are written apart: the edge module, nginx, Caddy every second day.
// If a host runs in both ways, the doctor and each address of the build are checked in the first only, with fewer random
// requests. `TEST_SEED` repeats the choice of a day; `TEST_TIMES=2`, or the name of a host, skips nothing.
//
// The doctor examines each host too, and may report only the faults in the table.
// Rows that a host cannot satisfy are in the table; a row there that works is a finding too.

import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { SEED, TIMES, isLong, third, thirdSaid } from '../extent.mjs';
import { Findings } from '../findings.mjs';
import { alike } from './alike.mjs';
import { ask, each } from './client.mjs';
import { builds, host, spoil, written } from './builds.mjs';
import { diagnosis, front } from './doctor.mjs';
import { echo, forwarding } from './forwarding.mjs';
import { HOSTS, UNSPOILED } from './hosts.mjs';
import { service } from './process.mjs';
import { scheduled } from './scheduled.mjs';
import { whole } from './whole.mjs';

const root = join(import.meta.dirname, '../../..');
const [generator, sidecar, work, ...rest] = process.argv.slice(2);
const named = rest.filter((it) => !it.startsWith('--'));
const table = parse(readFileSync(join(root, 'crates/answers/table.toml'), 'utf8'));
const rows = table.group.filter((group) => group.hosts ?? true).flatMap((group) => group.rows);
const findings = new Findings();
/** Random requests to each host where the edge module answers everything. */
const REQUESTS = isLong ? 1500 * TIMES : 500;
// The firm of the tests, with content for hosts only.
const content = join(work, 'firm');
for (const part of ['tests/fixtures/firm/content', 'tests/fixtures/hosts/content']) cpSync(join(root, part), content, { recursive: true });
/** What a client that sends several lines of `Accept` gets of a page: they are one list (RFC 9110, 5.3). */
const LISTS = [
  { accept: ['text/html', 'text/markdown'], ending: 'md', first: 'html' },
  { accept: ['text/html;q=0.9', 'application/json', 'image/png'], ending: 'html' },
  { accept: ['text/markdown;q=0.9', 'application/json'], ending: 'md' },
];
const isSpoiling = rest.includes('--spoiled');
/** Every rule to be spoiled, with its host, and the rules of this run. */
const rules = Object.entries(HOSTS).flatMap(([name, host]) => host.spoils.map((rule) => ({ name, rule })));
const chosen = named.length ? rules.filter(({ name }) => named.includes(name)) : third(rules);
/** The hosts that a normal run also checks with a sidecar. */
const withSidecar = ['cloudflare', 'nginx', ...(SEED % 2 ? ['caddy'] : [])];
let sent = 0;
let made = 0;

// The shared secret of hosts and sidecar, for every server started here.
process.env.MECELLE_EDGE_SECRET = randomBytes(32).toString('hex');
checkHosts();
const built = builds(generator, content, work);
checkOffers();
const reference = await service(sidecar, built.full, join(work, 'service'));
// The doctor, which examines unspoiled hosts only, needs a build for its own address.
const door = await front();
const local = isSpoiling ? null : builds(generator, content, join(work, 'local'), '--site-url', door.url);
const behind = isSpoiling ? null : await service(sidecar, local.full, join(work, 'behind'));
try {
  if (isSpoiling) console.log(thirdSaid('rules are spoiled', chosen.length, rules.length));
  for (const [name, host] of Object.entries(HOSTS).filter(([name]) => !named.length || named.includes(name))) {
    // A host that cannot be started must not stop the others.
    await examined(name, host).catch((error) => findings.add(name, error.stack));
  }
  if (!named.length && !isSpoiling) {
    for (const [row, why] of await differing(reference.url, built.full, 'sidecar')) findings.add('sidecar', `${row} ${why}`);
    await lists('sidecar', reference.url);
    await diagnosed('sidecar', behind.url, 'sidecar', []);
  }
} finally {
  await Promise.all([reference.stop(), behind?.stop(), door.stop()]);
}
if (!isLong && !isSpoiling && !named.length) console.log(`by seed ${SEED}, ${withSidecar.join(', ')} run with a sidecar too; TEST_TIMES=2 leaves out nothing`);
findings.end(`${sent} requests of ${rows.length} rows`);

/** The modes of a host: without a sidecar, and with one if it can forward requests. */
function modes(name, host) {
  const isAll = isLong || named.length || withSidecar.includes(name);
  return isAll && host.sidecar ? ['alone', 'sidecar'] : ['alone'];
}

/** Returns whether a host is checked completely in this mode. */
function isWhole(host, mode) {
  return isLong || (mode === 'sidecar') === Boolean(host.sidecar);
}

async function examined(name, host) {
  if (isSpoiling) return spoiled(name, host);
  const looked = modes(name, host);
  for (const mode of looked) {
    await held(name, host, mode);
    if (!isWhole(host, mode)) continue;
    const running = await host.start(folder(name, mode, behind.url, local));
    const faults = exceptions(name).flatMap((it) => it.faults ?? []);
    await diagnosed(`${name}, ${mode}`, running.url, host.kind ?? 'edge', faults).finally(running.stop);
  }
  if (looked.includes('sidecar')) await forwarded(name, host);
  const cases = await scheduled(name, folder(name, 'alone'), work, findings);
  if (cases) console.log(`${name}: ${cases} runs of its scheduled function`);
}

/** Makes the folder for a host, with or without a sidecar. */
function folder(name, mode, origin = reference.url, { full, dist } = built) {
  const out = join(work, `${name}-${made++}`);
  if (mode !== 'sidecar') return host(generator, name, dist, out);
  const { tables } = HOSTS[name];
  if (!tables) return host(generator, name, full, out, '--sidecar', origin);
  // Remote hosts refuse an address of this machine, so it is set afterwards.
  return spoil(host(generator, name, full, out, '--sidecar', 'https://sidecar.example'), tables, 'https://sidecar.example', origin);
}

/** Runs the doctor on an address: it must recognize the kind, and report exactly the faults that begin so. */
async function diagnosed(what, url, kind, known) {
  door.lead(url);
  const found = await diagnosis(generator, door.url);
  findings.expect(found.kind === kind, `${what}, doctor`, `takes it for ${found.kind}, not ${kind}`);
  for (const fault of found.faults) {
    findings.expect(known.some((it) => fault.startsWith(it)), `${what}, doctor`, fault);
  }
  for (const it of known) {
    findings.expect(found.faults.some((fault) => fault.startsWith(it)), `${what}, doctor`, `does not find \`${it}\``);
  }
  console.log(`${what}, doctor: ${found.kind}, ${found.faults.length} faults`);
}

/** Sends every row to a host. */
async function held(name, host, mode) {
  const running = await host.start(folder(name, mode));
  try {
    const failed = await differing(running.url, mode === 'alone' ? built.dist : built.full, mode);
    const excused = reasons(name);
    for (const row of rows) {
      const why = failed.get(row.id);
      if (excused.has(row.id)) findings.expect(why, `${name}, ${mode}: ${row.id}`, 'works, but is an exception in the table');
      else findings.expect(!why, `${name}, ${mode}: ${row.id}`, why);
    }
    console.log(`${name}, ${mode}: ${rows.length - failed.size} of ${rows.length} rows`);
    // A host that ignores `Accept` has no list of it.
    if (!excused.has('markdown')) await lists(`${name}, ${mode}`, running.url, host.readsOneLine?.());
    if (host.isWhole === false || !isWhole(host, mode)) return;
    const others = await whole(running.url, mode === 'alone' ? built.dist : built.full, excused.has('old-site-number'));
    for (const other of others) findings.add(`${name}, ${mode}`, other);
    if (!host.isEdge || mode === 'alone') return;
    const unlike = await alike(reference.url, running.url, built.names.key, REQUESTS);
    for (const one of unlike.slice(0, 20)) findings.add(name, one);
    console.log(`${name}: ${unlike.length} of ${REQUESTS} random requests are answered otherwise than by the sidecar`);
  } finally {
    await running.stop();
  }
}

/** Checks the requests that a host forwards. */
async function forwarded(name, host) {
  const stub = await echo();
  try {
    const running = await host.start(folder(name, 'sidecar', stub.url));
    const secret = host.tables && process.env.MECELLE_EDGE_SECRET;
    try {
      for (const fault of await forwarding(running.url, host.client, secret)) findings.add(`${name}, passing on`, fault);
      stub.drop();
      for (const [id, why] of await differing(running.url, built.full, 'gone')) findings.add(`${name}, gone: ${id}`, why);
    } finally {
      await running.stop();
    }
  } finally {
    await stub.stop();
  }
}

/**
 * Spoils one rule at a time, and expects a row to fail that worked; every file that is written for the host is
 * spoiled, or listed with a reason.
 */
async function spoiled(name, host) {
  const excused = reasons(name);
  const known = [...host.spoils.map(([, file]) => file), ...Object.keys(UNSPOILED)];
  for (const file of written(folder(name, 'alone'), built.dist)) {
    findings.expect(known.includes(file), `${name}, ${file}`, 'is not spoiled, and has no reason');
  }
  for (const { rule: [what, file, from, to] } of chosen.filter((it) => it.name === name)) {
    const running = await host.start(spoil(folder(name, 'alone'), file, from, to)).catch(() => null);
    const failed = running ? [...(await differing(running.url, built.dist, 'alone', (id) => !excused.has(id))).keys()] : ['its start'];
    await running?.stop();
    const noticed = failed.find((id) => !excused.has(id));
    findings.expect(noticed, `${name}, ${what}`, 'is noticed by no row');
    console.log(`${name}, ${what}: noticed by ${noticed}`);
  }
}

/** Returns the faults of a host by row; stops after a fault that `isEnough`. */
async function differing(url, dist, mode, isEnough = () => false) {
  const failed = new Map();
  let isDone = false;
  // Without a sidecar a row may have another response (`alone`), and without an answering one (`gone`).
  await each(mode === 'gone' ? rows.filter((row) => row.gone) : rows, async (row) => {
    if (isDone) return;
    sent += 1;
    const { id, method, path, fields, body } = row;
    const expected = row[mode] ? { id, method, path, fields, body, ...row[mode] } : row;
    const why = await difference(expected, url, dist).catch((error) => String(error));
    if (why) failed.set(row.id, why);
    isDone ||= Boolean(why) && isEnough(row.id);
  });
  return failed;
}

/** Sends each list in several lines. A host that reads the first only must give what that line leads to, as the manual says. */
async function lists(what, url, readsOneLine = false) {
  const { page } = { ...table.names, ...built.names };
  for (const { accept, ending, first = ending } of LISTS) {
    const { body } = await ask(url, 'GET', page, { accept });
    const file = `${page.slice(1)}.${readsOneLine ? first : ending}`;
    const isMeant = body.equals(readFileSync(join(built.dist, file))) || body.equals(readFileSync(join(built.full, file)));
    findings.expect(isMeant, what, `several lines, ${accept.join(' | ')}, do not get ${file}: ${body.toString().slice(0, 60)}`);
  }
}

async function difference(row, url, dist) {
  const names = { ...table.names, ...built.names, script: dist === built.full ? built.script : '' };
  const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const fill = (text, change = (it) => it) => text.replace(/\{([a-z_]+)\}/g, (whole, name) => (name in names ? change(names[name]) : whole));
  const path = fill(row.path);
  const fields = Object.fromEntries(Object.entries(row.fields ?? {}).map(([name, value]) => [name, fill(value)]));
  const method = row.method ?? 'GET';
  if (fields['if-none-match']?.includes('{')) {
    const { 'if-none-match': _, ...others } = fields;
    const etag = (await ask(url, method, path, others)).fields.etag ?? 'none';
    fields['if-none-match'] = fields['if-none-match'].replace('{etag}', etag).replace('{strong}', etag.replace(/^W\//, ''));
  }
  const { status, fields: received, body } = await ask(url, method, path, fields, row.body);
  if (status !== row.status) return `is answered ${status}, not ${row.status}`;
  const has = { ...row.has, ...(row.type && { 'content-type': row.type }) };
  for (const [name, wanted] of Object.entries(has)) {
    const value = fill(wanted);
    // An address of the site may be absolute.
    const answered = name === 'location' ? received.location?.replace(names.site, '') : received[name];
    const found = name === 'vary' ? varying(received.vary) : (answered ?? 'null');
    const pattern = value.startsWith('~') && new RegExp(fill(wanted.slice(1), escaped));
    const isMeant = pattern ? pattern.test(found) : plain(name, found) === plain(name, name === 'vary' ? varying(value) : value);
    if (!isMeant) return `${name} is \`${found}\`, not \`${value}\``;
  }
  if (row.empty && body.length) return `has a body of ${body.length} bytes`;
  const wanted = row.file ? readFileSync(join(dist, fill(row.file))) : row.text ? Buffer.from(fill(row.text)) : null;
  if (wanted && !body.equals(wanted)) return `has another body than ${row.file ?? 'expected'}: ${body.toString().slice(0, 60)}`;
  if (row.says && !body.includes(row.says)) return `does not contain ${row.says}: ${body.toString().slice(0, 60)}`;
  if (row.error) {
    const { error, message, resolution, ...others } = JSON.parse(body);
    if (error !== row.error || !message || !resolution || Object.keys(others).length) return `has the body ${body.toString().slice(0, 80)}`;
  }
  return null;
}

/** Media types may be written with other spaces and cases. */
function plain(name, value) {
  return name === 'content-type' ? value.toLowerCase().replace(/;\s*/g, '; ') : value;
}

function varying(value = '') {
  const names = value.split(',').map((it) => it.trim().toLowerCase());
  return names.filter((it) => it && it !== 'accept-encoding' && it !== 'null').sort().join(', ');
}

/** Returns the exceptions of a host, with the reasons. */
function reasons(name) {
  return new Map(exceptions(name).flatMap(({ why, rows: ids }) => ids.map((id) => [id, why])));
}

function exceptions(name) {
  return table.host.find((host) => host.name === name)?.except ?? [];
}

/** A build without a service must offer none: not in a document, not on a page. */
function checkOffers() {
  const { routes } = JSON.parse(readFileSync(join(built.dist, 'manifest.json'), 'utf8'));
  for (const { file } of routes.flatMap((route) => route.variants)) {
    // `robots.txt` excludes addresses whether or not they exist.
    const offer = file !== 'robots.txt' && /\/(?:mcp\b|agent\/|oauth2\/)|oauth-authorization-server/.exec(readFileSync(join(built.dist, file), 'latin1'));
    findings.expect(!offer, file, `offers ${offer?.[0]}, and there is no service`);
  }
}

function checkHosts() {
  for (const { name } of table.host) findings.expect(name in HOSTS, 'table.toml', `names the unknown host ${name}`);
}

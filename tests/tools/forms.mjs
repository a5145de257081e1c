// Checks every form and every message of the build, in both languages, filled with ordinary and with very long values:
// valid, accessible in both colour schemes, readable at 320 pixels, and without scripts.
//
// A normal run shows each with ordinary values in one language, and with long ones in the other.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

import { HtmlValidate } from 'html-validate';

import { start } from './browser/chromium.mjs';
import { accessibility, layout, privacy, weight } from './browser/checks.mjs';
import { visit } from './browser/visit.mjs';
import { isLong } from './extent.mjs';
import { Findings } from './findings.mjs';
import rules from './html-validate.mjs';
import { Site } from './site.mjs';

const ORDINARY = {
  agent: 'reg_8fK2mQ7xLr0VbT3nYw5c',
  provider: 'Örnek Sağlayıcı',
  match_phrase: 'maple lantern',
  email: 'ayse.yilmaz@client.example',
  requested: '21 November 2026, 16:45 (UTC+3)',
  expires: '21 November 2026, 16:55 (UTC+3)',
  token: 'cvt_7Hq2mQ7xLr0VbT3nYw5cPq',
  stop: 'stp_7Hq2mQ7xLr0VbT3nYw5cPq',
  code: '407193',
  count: '2',
  registration: 'reg_8fK2mQ7xLr0VbT3nYw5c',
};
const LONG = {
  ...ORDINARY,
  agent: `agent-${'x'.repeat(120)}`,
  provider: 'Vermittlungsgesellschaftszulassungsstelle '.repeat(4),
  email: `${'a'.repeat(64)}@${'b'.repeat(60)}.example`,
};
/** Parts of pages, which are checked within them; the search page is checked with the pages of the site. */
const ITEMS = ['scope-item', 'access-item', 'forms/search'];

const site = Site.fromArguments();
const findings = new Findings();
const validator = new HtmlValidate(rules);
const parts = new Map(site.manifest.parts.map(({ name, variant }) => [`${name}.${variant.locale}`, readFileSync(join(site.dist, variant.file), 'utf8')]));
const policy = (await site.get('/agent/access')).headers.get('content-security-policy');
findings.expect(policy?.includes("default-src 'none'"), '/agent/access', 'has no content security policy');

const names = [...parts.keys()].filter((name) => /^(forms\/(?!words)|(?!lesser\/).*\.html\.)/.test(name) && !ITEMS.some((item) => name.includes(item)));
findings.expect(names.length === 60, 'the manifest', `has ${names.length} forms and messages in HTML`);
const kinds = [...new Set(names.map(kindOf))];
const server = createServer(answer).listen(0, '127.0.0.1');
await new Promise((done) => server.once('listening', done));
const base = `http://127.0.0.1:${server.address().port}`;
const browser = await start();
const waiting = [...names];
try {
  // One for each core of a small machine.
  await Promise.all([judgeRest(), judgeRest()]);
} finally {
  await browser.close();
  server.close();
}
findings.end(`${names.length} forms and messages`);

async function judgeRest() {
  for (let name = waiting.shift(); name; name = waiting.shift()) await judge(name);
}

async function judge(name) {
  for (const values of [ORDINARY, LONG]) {
    const html = fill(name, values);
    findings.expect(!/\{\{|\}\}/.test(html), name, 'keeps a marker');
    for (const { messages } of (await validator.validateString(html, `${name}.html`)).results) {
      for (const { ruleId, message, line } of messages) findings.add(name, `line ${line}: ${ruleId}: ${message}`);
    }
  }
  const [ordinary, long] = ['ordinary', 'long'].map((kind) => `${base}/${kind}/${name}`);
  // Every second kind has its ordinary values in English.
  const isOrdinary = kinds.indexOf(kindOf(name)) % 2 === (name.endsWith('.en') ? 0 : 1);
  if (isLong || isOrdinary) await visit(browser, ordinary, { colorScheme: 'light' }, findings, [privacy, accessibility, weight, shape]);
  if (!isLong && isOrdinary) return;
  await visit(browser, long, { colorScheme: 'dark', viewport: { width: 320, height: 640 } }, findings, [privacy, accessibility, layout]);
}

/** Returns the name of a form without its language. */
function kindOf(name) {
  return name.slice(0, name.lastIndexOf('.'));
}

/** Checks what every form has beyond what axe requires. */
async function shape(page, record, findings, where) {
  const found = await page.evaluate(() => ({
    headings: document.querySelectorAll('h1').length,
    scripts: document.scripts.length,
    outside: [...document.querySelectorAll('form')].filter((it) => it.method !== 'post' || new URL(it.action).origin !== location.origin).length,
    small: [...document.querySelectorAll('main button, main input:not([type=hidden])')].filter((it) => it.getBoundingClientRect().height < 44).length,
  }));
  findings.expect(found.headings === 1, where, `has ${found.headings} first headings`);
  findings.expect(found.scripts === 0, where, 'has a script');
  findings.expect(found.outside === 0, where, 'has a form that is not posted to this site');
  findings.expect(found.small === 0, where, 'has controls lower than 44 pixels');
}

function fill(name, values) {
  const locale = name.split('.').at(-1);
  const words = JSON.parse(parts.get(`forms/words.${locale}`));
  const put = (text, more) => text.replace(/\{\{=([a-z_]+)\}\}/g, (marker, slot) => more[slot] ?? values[slot] ?? marker);
  const scopes = Object.values(words.scopes).map((scope) => put(parts.get(`forms/scope-item.${locale}`), { scope })).join('');
  const items = ['reg_1', 'reg_2'].map((registration) => put(parts.get(`forms/access-item.${locale}`), { registration, agent: registration, scopes })).join('');
  return put(parts.get(name), { scopes, items });
}

/** Serves filled forms as the sidecar does, and everything else from the sidecar itself. */
async function answer(request, response) {
  const [, kind, name] = /^\/(ordinary|long)\/(.+)$/.exec(request.url) ?? [];
  if (name) {
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    // Messages are shown by mail programs, without this policy.
    if (name.startsWith('forms/')) headers['content-security-policy'] = policy;
    return response.writeHead(200, headers).end(fill(name, kind === 'long' ? LONG : ORDINARY));
  }
  const { status, headers, bytes } = await site.get(request.url);
  return response.writeHead(status, { 'content-type': headers.get('content-type') ?? 'text/plain' }).end(bytes);
}

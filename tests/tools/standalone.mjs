// Checks that a build stands alone: nginx with `deploy/static.conf` serves every file of the manifest at its own
// address, and every page, document and answer of the API at its public one as the sidecar does, except for what only
// the sidecar can know. What it refuses, no cache keeps; what it redirects leads nowhere else.

import { request } from 'node:http';
import { Findings } from './findings.mjs';
import { Site } from './site.mjs';

const [url, dist, host, insecure] = process.argv.slice(2);
const site = new Site(url, dist);
const plain = new Site(host, dist);
const findings = new Findings();
const identity = { 'accept-encoding': 'identity' };
/** Fields that describe an answer and do not depend on the server. */
const fields = [
  'content-type', 'content-usage', 'cache-control', 'access-control-allow-origin', 'x-robots-tag',
  'content-security-policy', 'referrer-policy', 'x-content-type-options', 'content-language', 'content-disposition', 'link',
];
let files = 0;

for (const route of site.routes()) {
  for (const [at, variant] of route.variants.entries()) {
    const ours = await site.get(address(route, variant), { ...identity, ...wishes(route, variant) });
    compare(ours, await plain.get(encodeURI(`/${variant.file}`), identity), variant.file);
    findings.expect(ours.bytes.length === variant.size, route.path, `has ${ours.bytes.length} bytes, the manifest says ${variant.size}`);
    files += 1;
    // What `Accept` selects needs the sidecar; the default form has the public address here too.
    if (at === 0 || route.axis === 'locale') {
      const theirs = await plain.get(address(route, variant), identity);
      compare(ours, theirs, address(route, variant));
      compareFields(ours, theirs, fields, address(route, variant));
      // A browser overwrites the fields that it stored with those of this answer.
      const again = await plain.get(address(route, variant), { ...identity, 'if-none-match': theirs.headers.get('etag') });
      findings.expect(again.status === 304, address(route, variant), `is answered ${again.status} where nothing has changed`);
      compareFields(ours, again, fields.slice(1), `${address(route, variant)}, unchanged,`);
    }
  }
}
for (const [path, page] of [['/nothing/here', '404.html'], ['/tr/yok', 'tr/404.html'], ['/.build.json', '404.html'], ['/api/v1/none', '404.html']]) {
  const theirs = await plain.get(path, identity);
  findings.expect(theirs.status === 404, path, `the plain server answers ${theirs.status}`);
  findings.expect(theirs.bytes.equals((await plain.get(`/${page}`, identity)).bytes), path, `is not answered by ${page}`);
  const said = theirs.headers.get('cache-control');
  findings.expect(said === 'no-store', path, `may be kept: \`${said}\``);
  const meant = page.startsWith('tr/') ? 'tr' : 'en';
  findings.expect(theirs.headers.get('content-language') === meant, path, 'does not say its language');
}
for (const path of ['/en/', '/tr/', '/en/publications/?a=b']) {
  const [theirs, ours] = [await plain.get(path, identity), await site.get(path, identity)];
  const [said, meant] = [theirs, ours].map(({ status, headers }) => `${status} ${headers.get('location')}`);
  findings.expect(said === meant.replace(url, ''), path, `is answered \`${said}\`, by the sidecar \`${meant}\``);
}
// Even if there is no page, it redirects, to the address as requested and without injected header lines.
const led = (await plain.get('/en/a%3Fb%23c%25%20d/?e=f', identity)).headers.get('location');
findings.expect(led === '/en/a%3Fb%23c%25%20d?e=f', '/en/a%3Fb%23c%25%20d/', `leads to \`${led}\``);
for (const path of ['/en/a%0d%0aX-Own:%20b/', '/en/a%0aX-Own:%20b/']) {
  const { status, headers } = await plain.get(path, identity);
  findings.expect([308, 404].includes(status) && !headers.has('x-own'), path, `is answered ${status}, ${headers.get('location')}`);
}
for (const [query, meant] of [['locale=%74r', 'tr'], ['locale=t%72', 'tr'], ['locale=TR', 'en'], ['locale=%54r', 'en'], ['locale=trx', 'en']]) {
  const said = (await plain.get(`/api/v1/team?${query}`, identity)).headers.get('content-language');
  findings.expect(said === meant, `/api/v1/team?${query}`, `is in \`${said}\``);
}
// A CDN adds `Via`.
for (const path of ['/en', '/api/v1/team', '/robots.txt']) {
  const { status, headers } = await plain.get(path, { 'accept-encoding': 'gzip', via: '1.1 cdn.example' });
  findings.expect(status === 200 && headers.get('content-encoding') === 'gzip', path, 'is not compressed for a proxy');
}
for (const range of ['bytes=0-9', 'bytes=99999999-']) {
  const { status } = await plain.get('/en', { ...identity, range });
  findings.expect(status === 200, `${range} of /en`, `is answered ${status}`);
}
const preflight = { origin: 'https://app.example', 'access-control-request-method': 'GET' };
for (const [method, path, headers, meant] of [
  ['POST', '/en', {}, 405], ['PUT', '/api/v1/team', {}, 405], ['OPTIONS', '/api/v1/team', preflight, 405], ['DELETE', '/robots.txt', {}, 405],
  ['TRACE', '/en', {}, 405], ['GET', '/%zz', {}, 400], ['GET', `/${'a'.repeat(9000)}`, {}, 414], ['GET', '/en', { te: 'a'.repeat(9000) }, 400],
]) {
  const what = `${method} ${path.slice(0, 20)}`;
  const theirs = await exchange(host, method, path, headers);
  findings.expect(theirs.status === meant, what, `is answered ${theirs.status}`);
  findings.expect(theirs.headers['cache-control'] === 'no-store', what, `may be kept: \`${theirs.headers['cache-control']}\``);
  findings.expect((theirs.headers.allow === 'GET, HEAD') === (meant === 405), what, `allows \`${theirs.headers.allow}\``);
}
for (const name of ['firm.example', 'evil.example']) {
  const { status, headers } = await exchange(insecure, 'GET', '/en?a=b', { host: name });
  findings.expect(status === 308 && headers.location === 'https://firm.example/en?a=b', `plain HTTP to ${name}`, `answers ${status}, ${headers.location}`);
}
findings.end(`${files} variants of ${site.routes().length} routes`);

function compareFields(ours, theirs, names, what) {
  for (const name of names) {
    // The sidecar writes absolute addresses into its links.
    const [said, meant] = [theirs, ours].map(({ headers }) => headers.get(name)?.replaceAll(`<${url}`, '<') ?? null);
    findings.expect(said === meant, what, `${name} is \`${said}\`, the sidecar says \`${meant}\``);
  }
}

/** Sends what `fetch` would not. */
function exchange(to, method, path, headers) {
  return new Promise((done, fail) => {
    const { hostname, port } = new URL(to);
    const asked = request({ hostname, port, method, path, headers, timeout: 5000 }, (answer) => {
      answer.resume().on('end', () => done({ status: answer.statusCode, headers: answer.headers }));
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer in five seconds'))).on('error', fail).end();
  });
}

function address(route, variant) {
  return encodeURI(route.path) + (route.axis === 'locale' ? `?locale=${variant.locale}` : '');
}

function wishes(route, variant) {
  return route.axis === 'accept' ? { accept: variant.media_type.split(';')[0] } : {};
}

function compare(ours, theirs, what) {
  findings.expect(ours.status === 200, what, `the sidecar answers ${ours.status}`);
  if (findings.expect(theirs.status === 200, what, `the plain server answers ${theirs.status}`)) {
    findings.expect(ours.bytes.equals(theirs.bytes), what, 'differs between the two');
  }
}

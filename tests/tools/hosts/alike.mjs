// Random requests: edge module and sidecar must answer with the same fields and bytes.

import { ask, each } from './client.mjs';

const RANGES = [
  'text/html', 'text/markdown', 'text/x-markdown', '*/*', 'text/*', 'application/json', 'TEXT/HTML', 'text/plain', 'x', '"a,b"',
  'text/html;level=1', 'text/markdown; charset=utf-8', '', ' ', '*',
];
const WEIGHTS = ['', ';q=0', ';q=1', ';q=0.5', ';q=0.501', ';q=1.0', ';q=0.', ';q=.5', ';q=2', ';Q=0.3', '; q=0.8', ';q=0.0001', ';q="0.5"'];
// No dot segments: a `Request` resolves them.
const SEGMENTS = [
  'en', 'tr', 'about', 'hakkimizda', 'publications', 'yayinlar', 'tax', 'vergi', 'team', 'ekip', 'z-cinar', 'api', 'v1', 'contact',
  'openapi.json', '.well-known', 'api-catalog', 'mcp', 'index', '404', 'llms.txt', 'atom.xml', 'nothing', '%65n', 'a%0d', '2025',
  'health', '%', 'robots.txt', 'en.md', 'EN', '__proto__', 'constructor',
];
const PARAMETERS = [
  'locale=en', 'locale=tr', 'locale=', 'locale', 'locale=TR', 'a=b', 'loc%61le=tr', 'locale=t%72', 'LOCALE=tr', '%ff', 'locale=%ff', '&&',
  'locale=tr=', 'locale==tr', 'locale=toString',
];
/** Fields that may differ: identifiers, limits, entity tags, framing, and coding. */
const OWN = new Set([
  'date', 'server', 'x-request-id', 'ratelimit', 'ratelimit-policy', 'etag', 'content-length', 'content-encoding', 'connection',
  'keep-alive', 'transfer-encoding',
]);

/** Returns the differences between two servers over `count` requests of one seed. */
export async function alike(sidecar, host, key, count) {
  const found = [];
  await each(requests(key, count), async ({ method, path, fields }) => {
    const [ours, theirs] = await Promise.all([ask(sidecar, method, path, fields), ask(host, method, path, fields)]);
    const [theirAnswer, ourAnswer] = [theirs, ours].map((it) => `${it.status} ${described(it.fields)}`);
    if (theirAnswer === ourAnswer && ours.body.equals(theirs.body)) return;
    found.push(`${method} ${path} ${JSON.stringify(fields)} is answered\n  ${theirAnswer}\nby the sidecar\n  ${ourAnswer}`);
  });
  return found;
}

function requests(key, count) {
  let seed = 7;
  const below = (most) => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) % most;
  const pick = (items) => items[below(items.length)];
  const several = (most, make) => Array.from({ length: below(most) + 1 }, make);
  const maybe = (times, make) => (below(times) ? {} : make());
  return Array.from({ length: count }, () => {
    const segments = several(5, () => `/${pick(SEGMENTS)}${below(9) ? '' : '.md'}${below(30) ? '' : '.html'}`).slice(1).join('');
    const query = below(3) ? '' : `?${several(3, () => pick(PARAMETERS)).join('&')}`;
    return {
      method: pick(['GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS', 'PUT']),
      path: `${segments || '/'}${below(6) ? '' : '/'}${below(12) ? '' : '/'}${query}`,
      fields: {
        ...maybe(2, () => ({ accept: several(4, () => pick(RANGES) + pick(WEIGHTS)).join(pick([',', ', ', ' , '])) })),
        ...maybe(3, () => ({ authorization: pick([`Bearer ${key}`, 'Basic eDp5', 'bearer', `Bearer ${key} x`]) })),
        ...maybe(4, () => ({ 'x-api-key': pick([key, 'k', '', ` ${key} `]) })),
        ...maybe(6, () => ({ 'if-none-match': pick(['*', '"x"', 'W/"x", "y"', 'x']) })),
        ...maybe(5, () => ({ origin: 'https://app.example', 'access-control-request-method': 'GET' })),
      },
    };
  });
}

function described(fields) {
  const vary = (value) => value.split(', ').filter((name) => name !== 'Accept-Encoding').join(', ');
  const entries = Object.entries(fields).map(([name, value]) => [name, name === 'vary' ? vary(value) : value]);
  return JSON.stringify(entries.filter(([name, value]) => !OWN.has(name) && value).sort());
}

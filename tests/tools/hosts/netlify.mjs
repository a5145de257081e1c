// Simulates Netlify: its redirect engine and its parser of `_headers`, plain files, and before them the edge functions, each
// for the requests of its own configuration.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAllHeaders } from '@netlify/headers-parser';
import redirector from 'netlify-redirector';
import { parse } from 'smol-toml';
import { read, respond } from './files.mjs';
import { listen } from './local.mjs';

// The global object of its runtime.
globalThis.Netlify = { env: { get: (name) => process.env[name] } };

export async function netlify(folder) {
  const { publish } = parse(readFileSync(join(folder, 'netlify.toml'), 'utf8')).build;
  const site = join(folder, publish);
  const rules = await redirector.parsePlain(readFileSync(join(site, '_redirects'), 'utf8'), {});
  const { headers, errors } = await parseAllHeaders({ headersFiles: [join(site, '_headers')], configHeaders: [], minimal: true });
  if (errors.length) throw errors[0];
  const functions = [];
  const place = join(folder, 'netlify/edge-functions');
  for (const name of readdirSync(place).sort()) functions.push(await import(pathToFileURL(join(place, name))));

  const answer = async (request, chain) => {
    const [next, ...rest] = chain;
    if (!next) return plain(request, site, rules, headers);
    if (!runs(next.config, request)) return answer(request, rest);
    return next.default(request, { ip: '192.0.2.7', next: (other) => answer(other ?? request, rest) });
  };
  return listen((request) => answer(request, functions));
}

/** Returns whether a function runs for a request (docs.netlify.com, "Edge functions declarations"). */
function runs({ path, excludedPath = [], method, header = {} }, request) {
  const isAt = (patterns) => [patterns].flat().some((pathname) => new URLPattern({ pathname }).test(request.url));
  const holds = ([name, pattern]) => request.headers.has(name) && new RegExp(pattern).test(request.headers.get(name));
  return isAt(path) && !isAt(excludedPath) && (!method || method.includes(request.method)) && Object.entries(header).every(holds);
}

/** Applies forced rules before files, the others after them. */
function plain(request, site, rules, headers) {
  const { pathname, search } = new URL(request.url);
  if (!['GET', 'HEAD'].includes(request.method)) return new Response('', { status: 405 });
  const path = decode(pathname);
  const getHeader = (name) => request.headers.get(name) ?? '';
  const rule = rules.match({ scheme: 'https', host: 'x.example', path: pathname, query: search.slice(1), getHeader, getCookie: () => '' });
  const fields = Object.fromEntries(headers.filter((it) => covers(it.for, pathname)).flatMap((it) => Object.entries(it.values)));
  if (!rule?.force404 && !rule?.force) {
    for (const name of [path, `${path}.html`, `${path}/index.html`]) {
      const bytes = read(site, name);
      if (bytes) return respond(request, name, bytes, fields);
    }
  }
  if (rule?.status === 404) return respond(request, rule.to, read(site, rule.to), fields, 404);
  if (rule) return new Response(null, { status: rule.status, headers: { location: rule.to + (rule.to.includes('?') ? '' : search) } });
  return new Response('Not Found', { status: 404 });
}

function covers(pattern, path) {
  return pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern;
}

function decode(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

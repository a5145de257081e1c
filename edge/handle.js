// Answers requests for a built site on a host that runs JavaScript, as the sidecar answers them.
//
// This file is the same for every site. `generator host` writes the data of a build to `tables.js`, from the manifest.
// Paths of pages and their Markdown follow a rule, so the host is requested for their files; the tables list all other
// paths. Standard `Request` and `Response`, no dependency, no state between two requests.

import { COMPRESSIBLE, acceptedMedium, acceptsJson, namesTag } from './negotiate.js';
import { tables } from './tables.js';

const routes = new Map(Object.entries(tables.routes));
const redirects = new Map(Object.entries(tables.redirects));
const { classes, errors, fields } = tables;
const MAX_TARGET = 8 * 1024;

/**
 * Answers `request`.
 *
 * `assets.fetch(file)` resolves to a response with the bytes of a file of the site and the host's entity tag for it, or
 * to null. `origin` is the address of a sidecar, or null. `client` is the client's address from the host, or null.
 * `secret` authenticates this host to the sidecar (MECELLE_EDGE_SECRET); empty if it is not set.
 */
export async function handle(request, assets, origin, client = null, secret = '') {
  const site = { request, assets, origin, client, secret, url: new URL(request.url) };
  const answered = await answer(site);
  return request.method === 'HEAD' ? new Response(null, answered) : answered;
}

async function answer(site) {
  const { request, url, origin } = site;
  if (url.pathname.length + url.search.length > MAX_TARGET) return error('uri_too_long');
  const path = decode(url.pathname);
  const requested = path ?? url.pathname;
  if (isComputed(requested)) return forward(site, 'no_service');
  if (origin && isRead(request) && tables.searches.includes(requested) && url.searchParams.get('q')?.trim()) {
    return forward(site, 'no_service');
  }
  const isApi = isBelow(requested, tables.api);
  const known = path === null ? undefined : routes.get(path);
  if (!isApi && !(known && classes[known.class].credential)) return withMethod(site, path, requested);
  if (isPreflight(request)) return preflight(true);
  if (!isRead(request)) return methodNotAllowed();
  const credential = credentialOf(request.headers);
  if (credential === 'issued') return forward(site, 'no_credentials');
  if (credential === 'invalid') return error('invalid_api_key', { 'www-authenticate': tables.challenge });
  return read(site, path, requested);
}

/** Answers outside the content API, where the allowed methods depend on the resource at the path. */
async function withMethod(site, path, requested) {
  const { request } = site;
  if (isRead(request)) return read(site, path, requested);
  const found = await locate(site, path, 'html');
  const isFree = !found && isForPrograms(requested);
  if (isPreflight(request) && (found || isFree)) return preflight(isFree || Boolean(found.route && classes[found.route.class].cors));
  if (found) return methodNotAllowed();
  const { headers } = request;
  const [one, other] = ['html', 'markdown'].map((otherwise) => acceptedMedium(headers.get('accept'), otherwise));
  // A browser that sends a form names HTML; other methods are used by programs.
  return one === other ? notFound(site, requested) : error('not_found');
}

async function read(site, path, requested) {
  const { request } = site;
  const query = path && tables.queries[(path.replace(/\/$/, '') || '/') + site.url.search];
  if (query) return redirect(site, query, '');
  const medium = acceptedMedium(request.headers.get('accept'), 'html');
  const found = await locate(site, path, medium ?? 'html');
  if (!found) return notFound(site, requested);
  if (found.to) return redirect(site, found.to);
  const { route, file } = found;
  if (route.axis === 'accept') {
    return medium ? variantOf(site, route, route.variants[medium === 'html' ? 0 : 1], file) : notAcceptable(route);
  }
  if (route.axis !== 'locale') return variantOf(site, route, route.variants[0], file);
  const locale = localeOf(site.url.search);
  const variant = route.variants.find((it) => it.locale === locale);
  return variant ? variantOf(site, route, variant) : error('invalid_locale');
}

/**
 * Finds the resource at `path`, decoded: `{ route, file }`, `{ to }` for a redirect, or null. `medium` selects the file
 * of a page; `file` is the response with that file if it was fetched to see whether the page exists.
 */
async function locate(site, path, medium) {
  if (path === null) return null;
  if (routes.has(path)) return { route: routes.get(path) };
  const moved = redirects.get(path);
  if (moved) return { to: moved };
  const page = await fileByRule(site, path, medium);
  if (page) return page;
  const target = movedSection(path);
  if (target && (await isThere(site, target))) return { to: target };
  if (!path.endsWith('/') || path === '/') return null;
  const bare = path.slice(0, -1);
  const to = redirects.get(bare) ?? bare;
  const route = routes.get(to) ?? (await fileByRule(site, to, 'html'))?.route;
  if (route?.class === 'page') return { to };
  const moves = movedSection(bare);
  return moves && !moves.endsWith('.md') && (await isThere(site, moves)) ? { to: moves } : null;
}

/** Finds a page, a Markdown twin, an asset or a document by the rule for its path; it exists if its file does. */
async function fileByRule(site, path, medium) {
  const route = routeByRule(path);
  if (!route) return null;
  const variant = route.variants[medium === 'markdown' && route.axis ? 1 : 0];
  const file = await site.assets.fetch(variant.file);
  return file && { route, file: { name: variant.file, response: file } };
}

/** Returns the route that `path` has by the rules, whether or not its file exists. */
function routeByRule(path) {
  // Security: no other path is requested from the host, so none leaves the folder.
  if (!/^(?:\/[^/\\:\0-\x1f\x7f]+)+$/.test(path) || /\/\.\.?(?:\/|$)/.test(path)) return null;
  const file = path.slice(1);
  for (const [folder, name] of Object.entries(tables.folders)) {
    const type = tables.types[path.slice(path.lastIndexOf('.') + 1)];
    if (path.startsWith(folder)) return type ? { class: name, variants: [{ file, type }] } : null;
  }
  const isTwin = path.endsWith('.md');
  const bare = isTwin ? path.slice(0, -3) : path;
  const locale = Object.keys(tables.links).find((it) => isBelow(bare, `/${it}`));
  if (!locale || tables.hidden.includes(file)) return null;
  if (isTwin) return { class: 'twin', variants: [twin(bare, locale)] };
  if (tables.hidden.includes(`${file}.html`)) return null;
  const link = `<${tables.site_url}${path}.md>; rel="alternate"; type="text/markdown"${tables.links[locale]}`;
  const page = { file: `${file}.html`, type: tables.types.html, locale, link, location: path };
  return { class: 'page', axis: 'accept', variants: [page, { ...twin(path, locale), location: `${path}.md` }] };
}

function twin(page, locale) {
  const link = `<${tables.site_url}${page}>; rel="canonical"${tables.links[locale]}`;
  return { file: `${page.slice(1)}.md`, type: tables.types.md, locale, link, tokens: true };
}

/** Returns the redirect target of a path below a former or foreign section, whether or not a page exists there. */
function movedSection(path) {
  const isTwin = path.endsWith('.md');
  const page = isTwin ? path.slice(0, -3) : path;
  let to = redirects.get(page);
  for (const [from, section] of to ? [] : tables.sections) {
    if (!page.startsWith(from)) continue;
    const moved = section + page.slice(from.length);
    to = redirects.get(moved) ?? moved;
    break;
  }
  return to && isTwin ? `${to}.md` : to;
}

async function isThere(site, path) {
  return routes.has(path) || Boolean(await fileByRule(site, path, 'html'));
}

/** Answers with a variant of a route. `fetched` is its file, if it was fetched already. */
async function variantOf(site, route, variant, fetched) {
  const file = fetched?.name === variant.file ? fetched.response : await site.assets.fetch(variant.file);
  if (!file) return error('internal_error');
  const policy = classes[route.class];
  const tag = file.headers.get('etag');
  const vary = [
    ...(route.axis === 'accept' ? ['Accept'] : []),
    ...(isCompressible(variant.type) ? ['Accept-Encoding'] : []),
    ...(policy.credential ? ['Authorization', 'X-Api-Key'] : []),
  ].join(', ');
  const shared = {
    'cache-control': policy.cache_control,
    // The Markdown of a page may be read like the same bytes at their own address.
    ...(policy.cors || variant.type.startsWith('text/markdown') ? fields.readable : {}),
    ...(vary && { vary }),
    ...(tag && { etag: tag }),
    ...(variant.location && { 'content-location': encode(variant.location) }),
  };
  if (namesTag(site.request.headers.get('if-none-match'), tag)) return new Response(null, { status: 304, headers: shared });
  return whole(file, variant, { ...shared, ...policy.headers });
}

/** Returns a response with the bytes of `file`. */
async function whole(file, variant, headers, status = 200) {
  const all = new Headers(headers);
  all.set('content-type', variant.type);
  if (variant.locale) all.set('content-language', variant.locale);
  if (variant.link) all.set('link', variant.link);
  if (!variant.tokens) {
    const length = file.headers.get('content-length');
    if (length && !file.headers.get('content-encoding')) all.set('content-length', length);
    return new Response(file.body, { status, headers: all });
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  all.set('x-markdown-tokens', String(tokensOf(bytes, variant.locale)));
  all.set('content-length', String(bytes.length));
  return new Response(bytes, { status, headers: all });
}

/** Estimates the number of tokens of a text, as the build does. */
function tokensOf(bytes, locale) {
  const ofLetter = locale === 'tr' ? 276 : 182;
  const isLetter = (byte) => byte === 0x20 || byte >= 0xc0 || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
  const inside = (byte) => byte >= 0x80 && byte < 0xc0;
  return Math.ceil(bytes.reduce((sum, byte) => sum + (inside(byte) ? 0 : isLetter(byte) ? ofLetter : 650), 0) / 1000);
}

/** Answers for an unknown path, whatever the method and the conditions: JSON for programs, otherwise a page. */
async function notFound(site, path) {
  const accept = site.request.headers.get('accept');
  const accepted = acceptedMedium(accept, path.endsWith('.md') ? 'markdown' : 'html');
  const isForProgram = isForPrograms(path) || (!accepted && acceptsJson(accept));
  const page = isForProgram ? null : tables.missing.find(([prefix]) => isBelow(path, prefix));
  if (!page) return error('not_found');
  const medium = accepted ?? 'html';
  const variant = page[1][medium === 'html' ? 0 : 1];
  const file = await site.assets.fetch(variant.file);
  if (!file) return error('not_found');
  const vary = 'Accept, Accept-Encoding';
  return whole(file, variant, { ...classes.page.headers, 'cache-control': 'no-store', vary }, 404);
}

/** Redirects to `path`, decoded, with the query of the request or another one. */
function redirect(site, path, search = site.url.search) {
  const to = routes.get(path) ?? routeByRule(path);
  const headers = { ...fields.plain, location: encode(path) + search };
  if (to) headers['cache-control'] = classes[to.class].cache_control;
  return new Response(null, { status: 308, headers });
}

function notAcceptable(route) {
  const lines = route.variants.map((it) => `${it.type.split(';')[0]} ${tables.site_url}${it.location}\n`);
  const headers = { ...fields.hardened, 'content-type': tables.types.txt, 'content-language': 'en', vary: 'Accept' };
  return new Response(`Available here:\n${lines.join('')}`, { status: 406, headers });
}

function error(name, more = {}) {
  const { status, body } = errors[name];
  const headers = { ...fields.hardened, ...fields.readable, 'content-type': tables.types.json, 'content-language': 'en', ...more };
  return new Response(JSON.stringify(body), { status, headers });
}

function methodNotAllowed() {
  return error('method_not_allowed', { allow: 'GET, HEAD' });
}

function preflight(isAllowed) {
  return new Response(null, { status: 204, headers: isAllowed ? { ...fields.plain, ...fields.preflight } : fields.plain });
}

/** Forwards a request to the sidecar; without one, answers with the error `without`. */
async function forward({ request, origin, client, secret, url }, without) {
  if (!origin) return error(without);
  const headers = new Headers(request.headers);
  headers.delete('host');
  // Security: remove addresses that the client sent, because the sidecar counts requests by client address.
  headers.delete('forwarded');
  headers.delete('x-forwarded-for');
  headers.delete('x-mecelle-edge');
  if (client) headers.set('x-forwarded-for', client);
  if (client && secret) headers.set('x-mecelle-edge', `${secret} ${client}`);
  // `fetch` decodes the body, and the host compresses it again for the client.
  headers.set('accept-encoding', 'identity');
  try {
    const { method, body } = request;
    return await fetch(origin + url.pathname + url.search, { method, headers, body, redirect: 'manual', duplex: 'half' });
  } catch {
    return error('unavailable', { 'retry-after': '5' });
  }
}

/** Returns the credential of a request: `none`, `sandbox`, `issued`, which the sidecar must check, or `invalid`. */
function credentialOf(headers) {
  const authorization = headers.get('authorization');
  const key = headers.get('x-api-key');
  let found = 'none';
  // Empty is no credential: clients without a key send an empty value, or the scheme alone.
  if (!/^\s*(bearer)?\s*$/i.test(authorization ?? '')) {
    const token = /^\s*bearer +(.*?)\s*$/i.exec(authorization)?.[1] ?? '';
    if (token === tables.sandbox_key) found = 'sandbox';
    else if (new RegExp(tables.issued).test(token)) found = 'issued';
    else return 'invalid';
  }
  if (!key?.trim()) return found;
  if (key.trim() !== tables.sandbox_key) return 'invalid';
  return found === 'none' ? 'sandbox' : found;
}

/** Returns the locale that the query names, the default without one, or null if it is unknown or repeated. */
function localeOf(search) {
  let found = null;
  for (const parameter of search.slice(1).split('&')) {
    const [name, ...rest] = parameter.split('=');
    if (decodeWord(name) !== 'locale') continue;
    const value = decodeWord(rest.join('='));
    if (found !== null || !Object.hasOwn(tables.links, value)) return null;
    found = value;
  }
  return found ?? tables.default_locale;
}

function decodeWord(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns the decoded form of a path, or null if it has none that could be a route.
 * Security: an encoded slash, backslash or control character never becomes a real one.
 */
function decode(path) {
  if (!path.includes('%')) return path;
  let decoded;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return null;
  }
  const slashes = (text) => text.split('/').length;
  return slashes(decoded) !== slashes(path) || /[\0-\x1f\x7f-\x9f\\%]/.test(decoded) ? null : decoded;
}

function encode(path) {
  return path.replace(/[^!$&'()*+,\-./0-9:;=@A-Z_a-z~]+/g, encodeURIComponent);
}

function isBelow(path, prefix) {
  return path.startsWith(prefix) && (prefix === '' || path.length === prefix.length || path[prefix.length] === '/');
}

function isComputed(path) {
  return tables.computed.some((it) => (it.endsWith('/') ? path.startsWith(it) : path === it));
}

function isForPrograms(path) {
  return tables.for_programs.some((prefix) => isBelow(path, prefix));
}

function isRead({ method }) {
  return method === 'GET' || method === 'HEAD';
}

function isPreflight({ method, headers }) {
  return method === 'OPTIONS' && headers.has('origin') && headers.has('access-control-request-method');
}

function isCompressible(type) {
  return COMPRESSIBLE.test(type);
}

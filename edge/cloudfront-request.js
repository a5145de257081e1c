// A CloudFront function (runtime 2.0) for viewer requests: rewrites each to a file of the bucket, or answers it. It has no
// network, no `URL` and no list of pages; the bucket answers 404 if a page does not exist. Redirects are in a key value
// store. The runtime supports neither `for … of` nor spread syntax nor destructuring. `generator host cloudfront` writes
// the table `T` before this text.

import cf from 'cloudfront';

async function handler(event) {
  const request = event.request;
  const headers = request.headers;
  // Security: the response function trusts this field, so a client must not set it.
  delete headers['x-mecelle-path'];
  const path = decode(request.uri);
  const search = queryOf(request.querystring);
  if (request.uri.length + search.length > 8192) return error('uri_too_long');
  if (/^\/(mcp$|agent\/|oauth2\/)/.test(path)) return error('no_service');
  const route = routeOf(path);
  const isProgram = T.programs.some((prefix) => isBelow(path, prefix));
  const isApi = isBelow(path, T.programs[0]);
  const known = route || !isProgram;
  const flags = route ? T.flags[route[0]] : '';
  if (request.method === 'OPTIONS' && headers.origin && headers['access-control-request-method']) {
    return reply(204, (route ? flags.includes('s') : isProgram) ? T.preflight : {});
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return known || isApi ? error('method_not_allowed', { allow: 'GET, HEAD' }) : error('not_found');
  }
  if (isApi || flags.includes('c')) {
    const refusal = refusalOf(headers);
    if (refusal) return refusal;
  }
  if (!known) return error('not_found');
  const bare = path.replace(/(.)\/$/, '$1');
  const former = search && (await lookUp(bare + search));
  if (former) return moved(former);
  if (route) {
    const file = route[1];
    if (path === `/${file}`) {
      request.uri = path;
      return request;
    }
    if (route[0] === T.page) return page(request, path, file);
    const locale = file.includes('*') ? localeOf(search) : 'x';
    return locale ? rewrite(request, file.replace('*', locale)) : error('invalid_locale');
  }
  if (/^\/(assets|files)\/[\w./~-]+$/.test(path)) return request;
  if (!/^(\/[\w.~-]+)+\/?$/.test(path) || /\/\.|\.(html|md)\/|\.html$/.test(path) || T.hidden.includes(path)) {
    // Security: only a former address itself is redirected, since a path of this form may contain anything.
    const own = await lookUp(bare);
    return own ? moved(own + search) : rewrite(request, T.missing);
  }
  const end = path.endsWith('.md') ? '.md' : '';
  const to = (await targetOf(end ? path.slice(0, -3) : bare)) + end;
  if (to !== path) return moved(to + search);
  return end ? request : page(request, path, `${path.slice(1)}.html`);
}

function moved(to) {
  return reply(308, { location: to, 'cache-control': T.kept });
}

// Returns the class and the file of a path. An entry of the table is the number of the class and, if the file has another
// name than the path, a suffix, or the whole name after a slash. Cards and feeds are beside pages; their ending selects
// the entry.
function routeOf(path) {
  const file = /^\/(\w+)(\/[\w~-]+)+(\.v3)?\.(\w+)$/.exec(path);
  const entry = [].concat(path in T.routes ? T.routes[path] : file && T.locales.includes(file[1]) ? T.files[file[4]] : undefined);
  if (entry[0] === undefined) return null;
  const name = entry[1] || '';
  return [entry[0], name[0] === '/' ? name.slice(1) : path.slice(1) + name];
}

function page(request, path, html) {
  const form = formOf(request.headers.accept);
  const markdown = html.replace(/\.html$/, '.md');
  if (form) return rewrite(request, form === 'md' ? markdown : html);
  const body = `Available here:\ntext/html ${T.site}${path}\ntext/markdown ${T.site}/${markdown}\n`;
  return explain(406, { 'content-type': 'text/plain; charset=utf-8', vary: 'Accept' }, body);
}

// Rewrites the request to `file`. The response function reads the requested path from this field.
function rewrite(request, file) {
  request.headers['x-mecelle-path'] = { value: request.uri };
  request.uri = `/${file}`;
  return request;
}

async function targetOf(bare) {
  const own = await lookUp(bare);
  const section = !own && T.sections.find((it) => bare.startsWith(it[0]));
  if (!section) return own || bare;
  const to = section[1] + bare.slice(section[0].length);
  return (await lookUp(to)) || to;
}

async function lookUp(path) {
  try {
    return await cf.kvs().get(path);
  } catch (e) {
    return '';
  }
}

function formOf(accept) {
  const named = {};
  valueOf(accept).replace(/"(\\.|[^"\\])*"/g, '').toLowerCase().split(',').forEach((part) => {
    const pieces = part.split(';');
    const type = pieces[0].trim();
    let weight = 1;
    pieces.slice(1).forEach((piece) => {
      const q = /^\s*q=(.*?)\s*$/.exec(piece);
      if (q) weight = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q[1]) ? Number(q[1]) : -1;
    });
    if (weight < 0 || type.indexOf('/') < 1) return;
    const name = /^(\*|text)\/\*$/.test(type) ? 'any' : type.replace(/^text\/(x-)?markdown$/, 'md');
    named[name] = Math.max(weight, named[name] || 0);
  });
  if (!Object.keys(named).length) return 'html';
  const any = named.any || 0;
  const md = named.md;
  const html = named['text/html'] === undefined ? any : named['text/html'];
  if (md > 0 && md >= html) return 'md';
  if (html > 0) return 'html';
  return md === undefined && any > 0 ? 'md' : '';
}

// Returns the answer to a request with a credential that is not valid here. Empty is no credential: clients without a
// key send an empty value, or the scheme alone.
function refusalOf(headers) {
  const invalid = error('invalid_api_key', { 'www-authenticate': T.challenge });
  const key = valueOf(headers['x-api-key']).trim();
  const bearer = /^(bearer( +(.*))?)?$/i.exec(valueOf(headers.authorization).trim());
  if (!bearer || (key && key !== T.key)) return invalid;
  const token = bearer[3];
  if (!token || token === T.key) return null;
  return new RegExp(T.issued).test(token) ? error('no_credentials') : invalid;
}

function valueOf(header) {
  if (!header) return '';
  return header.multiValue ? header.multiValue.map((it) => it.value).join(',') : header.value;
}

function localeOf(search) {
  let found = T.locale;
  let count = 0;
  search.slice(1).split('&').forEach((pair) => {
    const at = (pair + '=').indexOf('=');
    if (decode(pair.slice(0, at)) !== 'locale') return;
    found = decode(pair.slice(at + 1));
    count++;
  });
  return count < 2 && T.locales.includes(found) ? found : '';
}

function queryOf(query) {
  const pairs = [];
  Object.keys(query).forEach((name) => {
    (query[name].multiValue || [query[name]]).forEach((it) => pairs.push(it.value ? `${name}=${it.value}` : name));
  });
  return pairs.length ? `?${pairs.join('&')}` : '';
}

function decode(text) {
  try {
    const plain = decodeURIComponent(text);
    return plain.split('/').length === text.split('/').length ? plain : text;
  } catch (e) {
    return text;
  }
}

function isBelow(path, prefix) {
  return path === prefix || path.startsWith(`${prefix}/`);
}

function error(name, more) {
  const it = T.errors[name];
  const fields = Object.assign({ 'content-type': 'application/json', 'access-control-allow-origin': '*' }, more || {});
  const code = it[0] === 503 ? 'unavailable' : name;
  return explain(it[0], fields, JSON.stringify({ error: code, message: it[1], resolution: it[2] }));
}

function explain(status, fields, body) {
  fields['content-language'] = 'en';
  fields['cache-control'] = 'no-store';
  fields['content-security-policy'] = "default-src 'none'; frame-ancestors 'none'";
  return Object.assign(reply(status, fields), { body: body });
}

function reply(status, fields) {
  const headers = {};
  Object.keys(fields).forEach((name) => (headers[name] = { value: fields[name] }));
  return { statusCode: status, headers: headers };
}

// A CloudFront function (runtime 2.0), for both events: a viewer's request is led to a file of the bucket or answered,
// and the response to it gets its fields. There is no network, no `URL` and no list of pages: whether a page exists is
// known to the bucket alone.

function handler(event) {
  return event.context.eventType === 'viewer-response' ? described(event.request, event.response) : led(event.request);
}

function led(request) {
  var path = decoded(request.uri);
  var method = request.method;
  var isRead = method === 'GET' || method === 'HEAD';
  var search = queryOf(request.querystring);
  if (request.uri.length + search.length > 8192) return error('uri_too_long');
  if (/^\/(mcp$|agent\/|oauth2\/)/.test(path)) return T.origin ? request : error('no_service');
  var route = T.routes[path];
  var isProgram = T.programs.test(path);
  var known = route || !isProgram;
  if (method === 'OPTIONS' && request.headers.origin && request.headers['access-control-request-method']) {
    return preflight(route ? T.classes[route[0]].cors : isProgram);
  }
  if (!isRead) return known || isBelow(path, '/api') ? error('method_not_allowed', { allow: field('GET, HEAD') }) : error('not_found');
  if (isBelow(path, '/api') || (route && T.classes[route[0]].credential)) {
    var credential = credentialOf(request.headers);
    if (credential === 'issued' && !T.origin) return error('no_credentials');
    if (credential === 'invalid') return error('invalid_api_key', { 'www-authenticate': field(T.challenge) });
  }
  if (!known) return error('not_found');
  if (route) {
    var file = route[1];
    if (route[0] === 'page') return page(request, path, file, route[2]);
    if (typeof file !== 'string') {
      var locale = localeOf(search);
      if (!locale) return error('invalid_locale');
      file = file[locale];
    }
    return sent(request, file);
  }
  if (/^\/(assets|files)\//.test(path)) return request;
  if (!/^(\/[\w.~-]+)+\/?$/.test(path) || /\/\.|\.(html|md)\/|\.html$/.test(path)) return sent(request, T.missing);
  var to = moved(path);
  if (to !== path) {
    var headers = { location: field(to + search), 'cache-control': field(T.classes.page.headers['cache-control']) };
    return { statusCode: 308, statusDescription: 'Permanent Redirect', headers: headers };
  }
  if (/\.md$/.test(path)) return request;
  return page(request, path, path.slice(1) + '.html', path.slice(1) + '.md');
}

/** Leads to a form of a page. */
function page(request, path, html, markdown) {
  var form = formOf(request.headers.accept);
  if (form) return sent(request, form === 'md' ? markdown : html);
  var body = 'Available here:\ntext/html ' + T.site + path + '\ntext/markdown ' + T.site + '/' + markdown + '\n';
  var headers = { 'content-type': field('text/plain; charset=utf-8'), vary: field('Accept'), 'content-language': field('en') };
  return answer(406, headers, body);
}

/** Notes in a field of the request which form was chosen, for the response. */
function sent(request, file) {
  request.headers['x-mecelle-path'] = field(request.uri);
  request.uri = '/' + file;
  return request;
}

/** Sets the fields of a response by the file that the request was led to. */
function described(request, response) {
  var file = request.uri.slice(1);
  var path = request.headers['x-mecelle-path'] ? request.headers['x-mecelle-path'].value : request.uri;
  var route = T.routes[path];
  var twin = /^(en|tr)(\/.*)?\.md$/.test(file);
  var isPage = (route && route[0] === 'page') || (!route && /\.(html|md)$/.test(file) && path !== request.uri);
  var name = route ? route[0] : isPage ? 'page' : /^assets\//.test(file) ? 'asset' : /^files\//.test(file) ? 'document' : 'twin';
  var c = T.classes[name];
  for (var key in c.headers) response.headers[key] = field(c.headers[key]);
  var vary = (isPage ? ['Accept'] : []).concat(c.credential ? ['Authorization', 'X-Api-Key'] : []);
  if (vary.length) response.headers.vary = field(vary.concat('Accept-Encoding').join(', '));
  if (c.cors) for (var own in T.readable) response.headers[own] = field(T.readable[own]);
  var locale = /^(en|tr)[./]/.test(file) ? file.slice(0, 2) : (/\.(en|tr)\.json$/.exec(file) || [])[1];
  if (route && !locale) locale = route[3];
  if (locale) response.headers['content-language'] = field(locale);
  var links = T.links[locale];
  var base = file.replace(/(^index)?\.(html|md)$/, '');
  if (isPage) response.headers['content-location'] = field(/\.md$/.test(file) ? '/' + file : path);
  if (isPage && /\.html$/.test(file)) response.headers.link = field('<' + T.site + '/' + file.slice(0, -4) + 'md>; rel="alternate"; type="text/markdown"' + links);
  else if (isPage || twin) response.headers.link = field('<' + T.site + '/' + base + '>; rel="canonical"' + links);
  else if (route && route[4]) response.headers.link = field(route[4]);
  return response;
}

/** Returns where an address leads: without a slash too many, from a former section, from a former slug. */
function moved(path) {
  var end = /\.md$/.test(path) ? '.md' : '';
  var bare = end ? path.slice(0, -3) : path.replace(/(.)\/$/, '$1');
  var to = T.redirects[bare];
  for (var i = 0; !to && i < T.sections.length; i++) {
    if (bare.indexOf(T.sections[i][0]) === 0) to = T.sections[i][1] + bare.slice(T.sections[i][0].length);
  }
  to = to || bare;
  return (T.redirects[to] || to) + end;
}

/** Returns `html`, `md`, or nothing where neither is acceptable. */
function formOf(field) {
  var text = field ? (field.multiValue ? field.multiValue.map(function (it) { return it.value; }).join(',') : field.value) : '';
  var named = {};
  var any = -1;
  var said = false;
  text.replace(/"(\\.|[^"\\])*"/g, '').split(',').forEach(function (part) {
    var parts = part.toLowerCase().split(';');
    var name = parts[0].trim();
    var weight = 1;
    for (var i = 1; i < parts.length; i++) {
      var q = /^\s*q=(.*?)\s*$/.exec(parts[i]);
      if (q) weight = /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(q[1]) ? Number(q[1]) : -1;
    }
    if (weight < 0 || name.indexOf('/') < 1) return;
    said = true;
    if (name === 'text/x-markdown') name = 'text/markdown';
    if (name === '*/*' || name === 'text/*') any = Math.max(any, weight);
    else named[name] = Math.max(weight, named[name] || 0);
  });
  if (!said) return 'html';
  var md = named['text/markdown'];
  var html = named['text/html'] === undefined ? any : named['text/html'];
  if (md > 0 && md >= html) return 'md';
  if (html > 0) return 'html';
  return md === undefined && any > 0 ? 'md' : '';
}

function credentialOf(headers) {
  var found = 'none';
  var token = headers.authorization;
  if (token) {
    var value = (/^\s*bearer +(.*?)\s*$/i.exec(token.value) || [])[1];
    if (token.multiValue || (value !== T.key && !T.issued.test(value || ''))) return 'invalid';
    if (value !== T.key) found = 'issued';
  }
  var key = headers['x-api-key'];
  return key && (key.multiValue || key.value.trim() !== T.key) ? 'invalid' : found;
}

function localeOf(search) {
  var found = T.locale;
  var count = 0;
  search.slice(1).split('&').forEach(function (pair) {
    var at = pair.indexOf('=');
    if (decoded(at < 0 ? pair : pair.slice(0, at)) !== 'locale') return;
    found = at < 0 ? '' : decoded(pair.slice(at + 1));
    count++;
  });
  return count < 2 && T.links[found] ? found : '';
}

function queryOf(query) {
  var pairs = [];
  for (var name in query) {
    (query[name].multiValue || [query[name]]).forEach(function (it) { pairs.push(it.value ? name + '=' + it.value : name); });
  }
  return pairs.length ? '?' + pairs.join('&') : '';
}

function decoded(text) {
  try {
    var plain = decodeURIComponent(text);
    return plain.split('/').length === text.split('/').length ? plain : text;
  } catch (e) {
    return text;
  }
}

function isBelow(path, prefix) {
  return path === prefix || path.indexOf(prefix + '/') === 0;
}

function preflight(isAllowed) {
  var headers = {};
  for (var name in isAllowed ? T.preflight : {}) headers[name] = field(T.preflight[name]);
  return { statusCode: 204, statusDescription: 'No Content', headers: headers };
}

function error(name, more) {
  var headers = Object.assign({ 'content-type': field('application/json'), 'content-language': field('en') }, more || {});
  for (var own in T.readable) headers[own] = field(T.readable[own]);
  return answer(T.errors[name][0], headers, JSON.stringify(T.errors[name][1]));
}

function answer(status, headers, body) {
  headers['cache-control'] = field('no-store');
  headers['content-security-policy'] = field("default-src 'none'; frame-ancestors 'none'");
  return { statusCode: status, statusDescription: 'Answered', headers: headers, body: body };
}

function field(value) {
  return { value: value };
}

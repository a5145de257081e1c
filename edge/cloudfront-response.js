// A CloudFront function (runtime 2.0) for responses of the bucket: sets the header fields by the file of the rewritten
// request. `generator host cloudfront` writes the table `T` before this text.

function handler(event) {
  const request = event.request;
  const headers = event.response.headers;
  const file = request.uri.slice(1);
  const requested = request.headers['x-mecelle-path'];
  const path = requested ? requested.value : request.uri;
  const route = Object.prototype.hasOwnProperty.call(T.routes, path) ? T.routes[path] : undefined;
  const isMarkdown = file.endsWith('.md');
  const isPage = route ? route[0] === 'page' : Boolean(requested);
  const ending = file.slice(file.lastIndexOf('.') + 1);
  const folder = file.startsWith('assets/') ? 'asset' : file.startsWith('files/') ? 'document' : T.files[ending] || 'twin';
  const name = route ? route[0] : isPage ? 'page' : folder;
  const fields = T.classes[name];
  Object.keys(fields).forEach((key) => (headers[key] = { value: fields[key] }));
  const flags = T.flags[name];
  // The Markdown of a page may be read like the same bytes at their own address.
  if (flags.includes('s') || (isPage && isMarkdown && file !== T.missing)) {
    headers['access-control-allow-origin'] = { value: '*' };
    headers['access-control-expose-headers'] = { value: T.exposed };
  }
  const vary = ['Accept-Encoding'];
  if (isPage) vary.unshift('Accept');
  if (flags.includes('c')) vary.push('Authorization, X-Api-Key');
  headers.vary = { value: vary.join(', ') };
  const named = /^(en|tr)[./]/.exec(file) || /\.(en|tr)\.json$/.exec(file);
  const locale = named ? named[1] : route ? route[1] : '';
  if (locale) headers['content-language'] = { value: locale };
  if (file === T.missing) {
    event.response.statusCode = 404;
    event.response.statusDescription = 'Not Found';
    headers['cache-control'] = { value: 'no-store' };
    return event.response;
  }
  const link = linkOf(file, locale, route, isPage, isMarkdown, name);
  if (link) headers.link = { value: link };
  if (isPage) headers['content-location'] = { value: isMarkdown ? `/${file}` : path };
  return event.response;
}

function linkOf(file, locale, route, isPage, isMarkdown, name) {
  if (!isPage && name !== 'twin') return route && route[2];
  const base = file.replace(/\.(html|md)$/, '');
  const page = base === 'index' ? '' : base;
  if (isPage && !isMarkdown) return `<${T.site}/${base}.md>; rel="alternate"; type="text/markdown"${T.links[locale]}`;
  return `<${T.site}/${page}>; rel="canonical"${T.links[locale]}`;
}

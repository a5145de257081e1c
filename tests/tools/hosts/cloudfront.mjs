// Simulates CloudFront: its functions in QuickJS, an engine with only the language; a key value store; and a bucket
// that gives each file the type of the list.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getQuickJS } from 'quickjs-emscripten';
import { read } from './files.mjs';
import { listen } from './local.mjs';
import { createHash } from 'node:crypto';

const UNKNOWN = /\b(?:for \((?:const|let) \w+ of|class |\.\.\.|require\()|\?\./;

export async function cloudfront(folder) {
  const types = JSON.parse(readFileSync(join(folder, 'upload.json'), 'utf8'));
  const { errors, behaviours } = JSON.parse(readFileSync(join(folder, 'behaviours.json'), 'utf8'));
  const { data } = JSON.parse(readFileSync(join(folder, 'redirects.json'), 'utf8'));
  const run = await functions(folder, Object.fromEntries(data.map(({ key, value }) => [key, value])));
  const site = join(folder, 'public');
  const { response_headers: common } = behaviours.at(-1);

  return listen((received, lines) => {
    const url = new URL(received.url);
    const request = { method: received.method, uri: url.pathname, querystring: query(url.search), headers: headers(lines), cookies: {} };
    const rewritten = run('request', { version: '1.0', context: { eventType: 'viewer-request' }, viewer: { ip: '192.0.2.7' }, request });
    if (rewritten.statusCode) return responseOf(rewritten, rewritten.body ?? '', common);
    const file = decodeURIComponent(rewritten.uri).slice(1);
    const bytes = read(site, file);
    // The bucket does not distinguish missing from forbidden; the response function does not run then.
    if (!bytes) {
      const [missing] = errors;
      const fields = { 'content-type': { value: types[missing.page.slice(1)] } };
      return responseOf({ statusCode: missing.answer, headers: fields }, read(site, missing.page), common);
    }
    const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
    const isKnown = received.headers.get('if-none-match') === etag;
    const response = { statusCode: isKnown ? 304 : 200, headers: { 'content-type': { value: types[file] }, etag: { value: etag } } };
    const described = run('response', { version: '1.0', context: { eventType: 'viewer-response' }, request: rewritten, response });
    return responseOf(described, isKnown ? null : bytes, common);
  });
}

/** Returns a function that runs one of the two functions. */
async function functions(folder, moved) {
  const engine = await getQuickJS();
  const contexts = {};
  for (const name of ['request', 'response']) {
    const text = readFileSync(join(folder, `functions/${name}.js`), 'utf8');
    if (Buffer.byteLength(text) > 10_240) throw new Error(`functions/${name}.js has ${Buffer.byteLength(text)} bytes`);
    const foreign = UNKNOWN.exec(text.replace(/^const T = .*$/m, ''));
    if (foreign) throw new Error(`functions/${name}.js has \`${foreign[0]}\`, which the runtime does not know`);
    const context = engine.newContext();
    const kvs = `const cf = { kvs: () => ({ get: async (key) => { const found = ${JSON.stringify(moved)}[key]; if (!found) throw new Error('KeyNotFound'); return found; } }) };`;
    context.unwrapResult(context.evalCode(text.replace("import cf from 'cloudfront';", kvs))).dispose();
    contexts[name] = context;
  }
  return (name, event) => {
    const context = contexts[name];
    const code = `globalThis.result = undefined; Promise.resolve(handler(${JSON.stringify(event)})).then((it) => (result = JSON.stringify(it)), (e) => (result = JSON.stringify({ statusCode: 500, body: String(e.stack) })))`;
    context.unwrapResult(context.evalCode(code)).dispose();
    context.unwrapResult(context.runtime.executePendingJobs());
    const result = context.getProp(context.global, 'result');
    const text = context.getString(result);
    result.dispose();
    return JSON.parse(text);
  };
}

/** The fields of an event: the value, and all values if there are several. */
/** The value of a field of several lines is the first, beside a list of all. */
function headers(lines) {
  const found = {};
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at].toLowerCase();
    if (!['host', 'connection'].includes(name)) enter(found, name, lines[at + 1]);
  }
  return found;
}

function enter(found, name, value) {
  if (!Object.hasOwn(found, name)) found[name] = { value };
  else found[name].multiValue = [...(found[name].multiValue ?? [{ value: found[name].value }]), { value }];
}

function query(search) {
  const found = {};
  for (const pair of search.slice(1).split('&').filter(Boolean)) {
    const [name, ...rest] = pair.split('=');
    const value = rest.join('=');
    enter(found, name, value);
  }
  return found;
}

function responseOf({ statusCode, headers: fields = {} }, body, common) {
  const all = Object.entries(fields).map(([name, { value }]) => [name, value]);
  const hasBody = ![204, 304].includes(statusCode);
  return new Response(hasBody ? body : null, { status: statusCode, headers: { ...common, ...Object.fromEntries(all) } });
}

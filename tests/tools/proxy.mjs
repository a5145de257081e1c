// Checks the proxy of `deploy/` in front of the service: the same answers over TLS, in HTTP/1.1 and HTTP/2, and
// refusals in the same form, including the proxy's own; plain HTTP redirects there; no part of a query in any of its
// logs, even if the service does not answer.

import { readFileSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:http2';
import { request as secureRequest } from 'node:https';
import { connect as connectSecurely } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE } from './extent.mjs';
import { Findings } from './findings.mjs';

const HOST = 'firm.example';
const [url, plain, secure, folder, deaf, alone] = process.argv.slice(2);
const findings = new Findings();
const ca = readFileSync(`${folder}/cert.pem`);
const overTls = { host: '127.0.0.1', port: secure, servername: HOST, ca };
const beforeNobody = { host: '127.0.0.1', port: deaf, servername: HOST, ca: readFileSync(`${alone}/cert.pem`) };
const paths = ['/en', '/api/v1/team?locale=tr', '/tr/yayinlar', '/robots.txt', '/api/v1/health', '/no-such-page'];

await answers(overTls);
await answers(beforeNobody);
for (const path of paths) {
  for (const more of [{}, { accept: 'text/markdown' }, { 'accept-encoding': 'br' }]) {
    const ours = await ask(request, url + path, {}, more);
    compare(path, more, ours, await ask(secureRequest, path, overTls, { host: HOST, ...more }));
    compare(path, more, ours, await over2(path, more));
  }
}
for (const name of [HOST, 'evil.example']) {
  const redirect = await ask(request, '/en?a=b', { host: '127.0.0.1', port: plain }, { host: name });
  findings.expect(redirect.status === 308 && redirect.headers.location === `https://${HOST}/en?a=b`, `plain HTTP to ${name}`, `answers ${redirect.status}, ${redirect.headers.location}`);
}
const secret = '/agent/claim?token=not-for-logs';
await ask(secureRequest, secret, overTls, { host: HOST });
await ask(request, secret, { host: '127.0.0.1', port: plain }, { host: HOST });
for (const by of [over1, over2]) {
  refuses(`TRACE, ${by.name}`, await by('/api/v1/team', { method: 'TRACE' }), 405, 'method_not_allowed', { allow: 'GET, HEAD' });
  const nowhere = await by('/no-such-page', { method: 'TRACE' });
  findings.expect(nowhere.status === 404, `TRACE where nothing is, ${by.name}`, `is answered ${nowhere.status}`);
  refuses(`a large body, ${by.name}`, await by('/agent/auth', { method: 'POST', length: 300_000 }), 413, 'payload_too_large');
  refuses(`a long address, ${by.name}`, await by(`/api/v1/${'a'.repeat(9000)}`), 414, 'uri_too_long');
  refuses(`an address that is none, ${by.name}`, await by('/api/v1/%zz'), 400, 'invalid_request');
  for (const [method, path] of [['GET', secret], ['POST', secret], ['TRACE', secret], ['GET', '/en']]) {
    const unanswered = await by(path, { method, to: beforeNobody });
    refuses(`${method} ${path} without a service, ${by.name}`, unanswered, 503, 'unavailable', { 'retry-after': '5' });
  }
}
refuses('a very long address', await over1(`/api/v1/${'a'.repeat(60_000)}`), 414, 'uri_too_long');
const typed = ['POST /mcp HTTP/1.1', `Host: ${HOST}`, 'Content-Type: application/json'];
refuses('a coding of the transfer', await raw(typed.concat('Transfer-Encoding: gzip, chunked', '', '0')), 400, 'invalid_request');
refuses('a version of HTTP to come', await raw(['GET /en HTTP/2.5', `Host: ${HOST}`]), 400, 'invalid_request');
refuses('plain HTTP at the port for TLS', await ask(request, '/en', { host: '127.0.0.1', port: secure }, { host: HOST }), 400, 'invalid_request');
// Fields that a proxy could drop.
const origin = 'https://app.example';
const allowed = await over2('/agent/auth', { method: 'OPTIONS', origin, 'access-control-request-method': 'POST' });
findings.expect(allowed.status === 204, 'a preflight', `is answered ${allowed.status}`);
const sent = { method: 'POST', 'content-type': 'application/x-www-form-urlencoded' };
for (const foreign of [{ origin }, { 'sec-fetch-site': 'cross-site' }]) {
  const { status } = await over2('/agent/access', { ...sent, ...foreign });
  findings.expect(status === 403, `a form of another site, ${JSON.stringify(foreign)}`, `is answered ${status}`);
}
const turkish = await over2('/agent/access', { 'accept-language': 'tr' });
findings.expect(turkish.headers['content-language'] === 'tr', 'a form', 'does not follow the language of the browser');
const reserved = await over1('/.refused');
findings.expect(reserved.status === 404 && 'x-request-id' in reserved.headers, 'the proxy', `answers ${reserved.status} where it keeps its refusals`);
const named = await ask(secureRequest, '/api/v1/health', overTls, { host: HOST });
// The line of a response may be written after its arrival.
const log = await logged(`${folder}/mecelle.log`, new RegExp(` ${named.headers['x-request-id']}\n`));
findings.expect(log.includes(` ${named.headers['x-request-id']}\n`), 'the log of the proxy', 'does not contain the identifier of the response');
findings.expect(log.includes('"GET /api/v1/team" 200 '), 'the log of the proxy', 'does not contain the request');
findings.expect(!log.includes('locale=tr'), 'the log of the proxy', 'holds a query');
const serviceLog = await logged(`${alone}/mecelle.log`, /"GET \/agent\/claim" 503 .* 502 /);
findings.expect(/"GET \/agent\/claim" 503 .* 502 /.test(serviceLog), 'the log of a proxy without a service', 'does not contain the request');
const errorLog = await logged(`${alone}/error.log`, /GET \/robots.txt/);
findings.expect(errorLog.includes('GET /robots.txt'), 'the error log of a proxy without a service', 'does not contain the request');
for (const [of, name] of [folder, alone].flatMap((of) => readdirSync(of).filter((name) => name.endsWith('.log')).map((name) => [of, name]))) {
  findings.expect(!readFileSync(`${of}/${name}`, 'utf8').includes('not-for-logs'), `${name} of the proxy`, 'holds a secret');
}
findings.end(`${paths.length} paths in three forms, HTTP/1.1 and HTTP/2`);

/** Waits until the proxy listens. */
async function answers(options) {
  for (const end = Date.now() + PATIENCE; ; ) {
    try {
      return await ask(secureRequest, '/robots.txt', options, { host: HOST });
    } catch (error) {
      if (Date.now() > end) throw error;
      await pause(100);
    }
  }
}

/** Returns a log once it contains `what`. */
async function logged(path, what) {
  for (const end = Date.now() + PATIENCE; ; await pause(50)) {
    const text = readFileSync(path, 'utf8');
    if (what.test(text) || Date.now() > end) return text;
  }
}

function ask(by, target, options, headers) {
  const [at, rest] = target.startsWith('http') ? [[target], options] : [[], { ...options, path: target }];
  return new Promise((done, fail) => {
    const sent = by(...at, { ...rest, headers, timeout: PATIENCE }, async (answer) => {
      const parts = [];
      for await (const part of answer) parts.push(part);
      done({ status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(parts) });
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${PATIENCE / 1000} seconds`)));
    sent.on('error', fail).end();
  });
}

/** Sends a request over HTTP/1.1; announces a body of `length`, if any, and sends none of it. */
function over1(path, { method = 'GET', length = 0, to = overTls } = {}) {
  return ask(secureRequest, path, { ...to, method }, { host: HOST, ...(length ? { 'content-length': length } : {}) });
}

function over2(path, { method = 'GET', length = 0, to = overTls, ...more } = {}) {
  return new Promise((done, fail) => {
    const session = connect(`https://127.0.0.1:${to.port}`, { servername: HOST, ca: to.ca }).on('error', fail);
    const fields = { ':method': method, ':path': path, ':authority': HOST, ...(length ? { 'content-length': length } : {}) };
    const stream = session.request({ ...fields, ...more }, { endStream: !length });
    const parts = [];
    let headers;
    stream.setTimeout(PATIENCE, () => stream.destroy(new Error(`no answer in ${PATIENCE / 1000} seconds`)));
    stream.on('response', (fields) => (headers = fields)).on('data', (part) => parts.push(part)).on('error', fail);
    stream.on('end', () => {
      // Close at once, since the announced body is never sent.
      session.destroy();
      done({ status: headers[':status'], headers, bytes: Buffer.concat(parts) });
    });
  });
}

/** Sends lines that no library accepts, over HTTP/1.1. */
function raw(lines) {
  return new Promise((done, fail) => {
    const socket = connectSecurely(overTls, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    const parts = [];
    socket.setTimeout(PATIENCE, () => socket.destroy(new Error(`no answer in ${PATIENCE / 1000} seconds`))).on('error', fail);
    socket.on('data', (part) => parts.push(part)).on('end', () => {
      const [head, body] = Buffer.concat(parts).toString('utf8').split('\r\n\r\n');
      const [first, ...fields] = head.split('\r\n');
      const headers = fields.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]);
      done({ status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), bytes: Buffer.from(body) });
    });
  });
}

/** Checks that a reply refuses as the sidecar does: in JSON, readable by every origin, and not stored. */
function refuses(what, { status, headers, bytes }, expectedStatus, code, fields = {}) {
  findings.expect(status === expectedStatus, what, `is answered ${status}`);
  const expected = { 'content-type': 'application/json', 'cache-control': 'no-store', 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff', ...fields };
  for (const [name, value] of Object.entries(expected)) {
    findings.expect(headers[name] === value, what, `${name} is \`${headers[name]}\``);
  }
  findings.expect('strict-transport-security' in headers && 'x-request-id' in headers, what, 'lacks a field of every answer');
  const text = bytes.toString('utf8');
  const error = text.startsWith('{') ? JSON.parse(text) : {};
  findings.expect(error.error === code && error.message && error.resolution, what, `gets \`${text}\``);
}

function compare(path, more, ours, theirs) {
  const what = `${path} ${JSON.stringify(more)}`;
  findings.expect(ours.status === theirs.status, what, `is ${ours.status}, and ${theirs.status} behind the proxy`);
  // An error reply contains the identifier of its request, so it differs.
  if (ours.status === 200) findings.expect(ours.bytes.equals(theirs.bytes), what, 'has other bytes behind the proxy');
  for (const name of ['etag', 'vary', 'content-type', 'content-encoding', 'cache-control', 'link', 'content-security-policy']) {
    findings.expect(ours.headers[name] === theirs.headers[name], what, `has another ${name} behind the proxy`);
  }
  findings.expect('strict-transport-security' in theirs.headers, what, 'has no Strict-Transport-Security');
}

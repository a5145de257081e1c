// The requests that a host forwards to a sidecar.

import { gunzipSync, gzipSync } from 'node:zlib';
import { ask } from './client.mjs';
import { listen } from './local.mjs';

/** Starts a server that returns its requests. */
export function echo() {
  return listen(async (request) => {
    const headers = Object.fromEntries(request.headers);
    const echo = JSON.stringify({ method: request.method, url: request.url, headers, body: await request.text() });
    if (!headers['accept-encoding']?.includes('gzip')) return new Response(echo);
    return new Response(gzipSync(echo), { headers: { 'content-encoding': 'gzip' } });
  });
}

/**
 * Returns the faults of a host that forwards to the stub: it must name us as `client`, and prove that by the
 * `secret` if it has one.
 */
export async function forwarding(url, client, secret) {
  const found = [];
  const expect = (holds, what) => holds || found.push(what);
  const path = '/mcp?a=b&c=%20d';
  const fields = {
    authorization: 'Bearer at_000000000000000000000000000',
    'content-type': 'application/json',
    'mcp-method': 'tools/list',
    'x-forwarded-for': '203.0.113.66',
    forwarded: 'for=203.0.113.66',
    'x-mecelle-edge': 'wrong 203.0.113.66',
  };
  const { status, body } = await ask(url, 'POST', path, fields, '{"id":1}');
  const echo = status === 200 ? JSON.parse(body) : { headers: {} };
  expect(echo.method === 'POST' && echo.url?.endsWith(path) && echo.body === '{"id":1}', `the sidecar received ${echo.method} ${echo.url}, ${echo.body}`);
  for (const name of ['authorization', 'content-type', 'mcp-method']) {
    expect(echo.headers[name] === fields[name], `the sidecar received ${name}: ${echo.headers[name]}`);
  }
  const clients = echo.headers['x-forwarded-for'];
  expect(clients === client, `the sidecar receives the client ${clients}, not ${client}`);
  const proof = echo.headers['x-mecelle-edge'];
  expect(!secret || proof === `${secret} ${client}`, `the sidecar receives ${proof} as a proof`);
  const issued = await ask(url, 'GET', '/api/v1/team?locale=tr', { authorization: fields.authorization });
  expect(issued.body.includes('/api/v1/team?locale=tr'), `an issued credential is not passed on: ${issued.status}`);
  const own = await ask(url, 'GET', '/api/v1/team', { authorization: 'Bearer wrong' });
  expect(own.status === 401, `a credential that cannot have been issued is answered ${own.status}`);
  const packed = await ask(url, 'GET', '/agent/access', { 'accept-encoding': 'gzip' });
  expect(plain(packed).includes('/agent/access'), 'what the sidecar has compressed is not coded as its fields say');
  return found;
}

function plain({ fields, body }) {
  try {
    return fields['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  } catch {
    return '';
  }
}

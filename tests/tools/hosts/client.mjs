// Requests exactly as written, without the normalization of `fetch`.

import { request } from 'node:http';

import { PATIENCE } from '../extent.mjs';

/** Returns status, fields and body of the answer. */
export function ask(url, method, path, fields, body) {
  return new Promise((done, fail) => {
    const { hostname, port } = new URL(url);
    const headers = { 'accept-encoding': 'identity', ...fields };
    const sent = request({ hostname, port, method, path, headers, timeout: PATIENCE, agent: false }, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part)).on('error', fail);
      answer.on('end', () => done({ status: answer.statusCode, fields: answer.headers, body: Buffer.concat(parts) }));
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${PATIENCE / 1000} seconds`))).on('error', fail).end(body);
  });
}

/** Does something with each item, a few at a time. */
export async function each(items, work) {
  const waiting = [...items];
  const next = async () => {
    while (waiting.length) await work(waiting.shift());
  };
  await Promise.all(Array.from({ length: 8 }, next));
}

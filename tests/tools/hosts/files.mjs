// Files as static hosts serve them: with a strong entity tag, and 304.

import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const TYPES = {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  pdf: 'application/pdf',
  woff2: 'font/woff2',
};

/** Returns the bytes of the file at a path below `folder`, or null. */
export function read(folder, path) {
  if (path.includes('\0')) return null;
  const file = join(folder, path);
  return file.startsWith(folder) && statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file) : null;
}

/** Answers with bytes; the media type is that of `name`. */
export function respond(request, name, bytes, fields = {}, status = 200) {
  const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  const headers = new Headers({ etag, 'content-type': type, ...fields });
  if (status === 200 && request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
  return new Response(bytes, { status, headers });
}

// Simulates Vercel: the middleware for the requests of its matcher, plain files, and the routes that Vercel's own
// package makes of `vercel.json`.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getTransformedRoutes, sourceToRegex } from '@vercel/routing-utils';
import { read, respond } from './files.mjs';
import { listen } from './local.mjs';

export async function vercel(folder) {
  const settings = JSON.parse(readFileSync(join(folder, 'vercel.json'), 'utf8'));
  const { routes, error } = getTransformedRoutes(settings);
  if (error) throw new Error(error.message);
  const { default: middleware, config } = await import(pathToFileURL(join(folder, 'middleware.js')));
  const matcher = new RegExp(sourceToRegex(config.matcher).src);
  const site = join(folder, settings.outputDirectory);
  return listen(async (request) => {
    const { pathname } = new URL(request.url);
    if (matcher.test(pathname)) {
      const headers = new Headers(request.headers);
      headers.set('x-real-ip', '192.0.2.7');
      return middleware(new Request(request, { headers }));
    }
    const fields = {};
    for (const { src, headers } of routes.filter((route) => route.src)) {
      if (new RegExp(src).test(pathname)) Object.assign(fields, headers);
    }
    const bytes = read(site, decodeURIComponent(pathname));
    if (!bytes) return new Response('The page could not be found', { status: 404 });
    if (!['GET', 'HEAD'].includes(request.method)) return new Response('', { status: 405 });
    return respond(request, pathname, bytes, fields);
  });
}

// Every address of a build: each variant of each route, and each redirect.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, each } from './client.mjs';

/** Returns the differences between a host and the manifest; a host may add the query to what a query of a former site leads to. */
export async function whole(url, dist, addsQuery) {
  const { routes, redirects, site_url } = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8'));
  const found = [];
  await each(routes, async ({ path, axis, variants }) => {
    for (const { file, media_type, locale } of variants) {
      const query = axis === 'locale' ? `?locale=${locale}` : '';
      const fields = axis === 'accept' ? { accept: media_type.split(';')[0] } : {};
      const { status, fields: received, body } = await ask(url, 'GET', path + query, fields);
      const type = received['content-type']?.toLowerCase().replace(/;\s*/, '; ');
      if (status !== 200 || !body.equals(readFileSync(join(dist, file)))) found.push(`${path + query} is not ${file}: ${status}`);
      else if (type !== media_type.toLowerCase()) found.push(`${path + query} is \`${type}\`, not \`${media_type}\``);
    }
  });
  await each(redirects, async ({ from, to }) => {
    const { status, fields } = await ask(url, 'GET', encodeURI(from), {});
    const location = fields.location?.replace(site_url, '').replace(addsQuery ? /[?].*/ : '', '');
    if (status !== 308 || location !== to) found.push(`${from} leads to ${location} with ${status}, not to ${to}`);
  });
  return found;
}

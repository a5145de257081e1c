// The edge module as a Cloudflare Worker with static assets.

import { handle } from './handle.js';
import { buildWhenDue } from './scheduled.js';
import { tables } from './tables.js';

export default {
  fetch(request, env) {
    const assets = {
      async fetch(file) {
        const url = new URL(request.url);
        url.pathname = `/${file}`;
        url.search = '';
        const found = await env.ASSETS.fetch(url);
        return found.status === 200 ? found : null;
      },
    };
    const client = request.headers.get('cf-connecting-ip');
    return handle(request, assets, tables.origin, client, env.MECELLE_EDGE_SECRET);
  },
  /** Runs at the times in `wrangler.jsonc`. */
  async scheduled(_event, env) {
    await buildWhenDue(tables.next_change, Date.now(), (name) => env[name]);
  },
};

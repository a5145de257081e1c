// Cloudflare's own runtime, `workerd`, with its own router of static assets, as `wrangler dev` starts them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';

export async function cloudflare(folder) {
  // Comments are whole lines.
  const settings = JSON.parse(readFileSync(join(folder, 'wrangler.jsonc'), 'utf8').replace(/^\s*\/\/.*$/gm, ''));
  const { directory, binding, run_worker_first: first, html_handling, not_found_handling } = settings.assets;
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    port: 0,
    // Otherwise it requests the location of this machine from Cloudflare and stores it in the repository.
    cf: false,
    name: settings.name,
    rootPath: folder,
    modules: true,
    modulesRoot: folder,
    modulesRules: [{ type: 'ESModule', include: ['**/*.js'] }],
    scriptPath: settings.main,
    compatibilityDate: settings.compatibility_date,
    bindings: { MECELLE_EDGE_SECRET: process.env.MECELLE_EDGE_SECRET },
    assets: {
      directory: join(folder, directory),
      binding,
      routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: false, static_routing: routing(first) },
      assetConfig: { html_handling, not_found_handling },
    },
  });
  const stop = () => miniflare.dispose();
  try {
    return { url: (await miniflare.ready).href, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Splits the patterns as wrangler does. */
function routing(patterns) {
  return {
    user_worker: patterns.filter((it) => !it.startsWith('!')),
    asset_worker: patterns.filter((it) => it.startsWith('!')).map((it) => it.slice(1)),
  };
}

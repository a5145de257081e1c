// Every host: how its folder is made, how it runs here, and which rules are spoiled to see that the table notices.

import { join } from 'node:path';
import { host } from './builds.mjs';
import { serve } from './process.mjs';
import { cloudflare } from './cloudflare.mjs';
import { netlify } from './netlify.mjs';
import { githubPages } from './pages.mjs';
import { apache, caddy, nginx } from './programs.mjs';
import { vercel } from './vercel.mjs';

let made = 0;

/** Returns how a folder is made that has no sidecar. Each has a name of its own: modules are loaded once a name. */
const alone = (name) => (built, generator, work) => host(generator, name, built.dist, join(work, `${name}-${made++}`));

export const HOSTS = {
  sidecar: {
    start: ({ built, sidecar, work }) =>
      serve(sidecar, ['serve'], {
        ready: '/api/v1/health',
        env: (port) => ({
          MECELLE_LISTEN: `127.0.0.1:${port}`,
          MECELLE_DIST: built.dist,
          MECELLE_STORE: `sqlite://${join(work, 'service/store')}`,
          MECELLE_SECRET_FILE: join(work, 'service/secret'),
          MECELLE_MAIL: 'none',
        }),
        folder: join(work, 'service'),
      }),
  },
  cloudflare: {
    folder: alone('cloudflare'),
    start: cloudflare,
    spoils: [
      ['the table of the Worker', 'worker/tables.js', '"default_locale":"en"', '"default_locale":"tr"'],
      ['a former address', 'worker/tables.js', '"/tr/about":', '"/tr/abaut":'],
      ['the fields of assets', 'public/_headers', 'immutable', 'private'],
      ['what the Worker runs for', 'wrangler.jsonc', '"/*"', '"/api/*"'],
      ['how pages are found', 'wrangler.jsonc', '"html_handling": "none"', '"html_handling": "auto-trailing-slash"'],
    ],
  },
  netlify: { folder: alone('netlify'), start: netlify },
  vercel: { folder: alone('vercel'), start: vercel },
  nginx: { folder: alone('nginx'), start: nginx },
  caddy: { folder: alone('caddy'), start: caddy },
  apache: { folder: alone('apache'), start: apache },
  'github-pages': { folder: alone('github-pages'), start: githubPages },
};

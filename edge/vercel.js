// The edge module as Vercel's routing middleware. Its matcher excludes the folders of the files.

import { handle } from './edge/handle.js';
import { tables } from './edge/tables.js';

export const config = { matcher: '/((?!_files/|assets/).*)' };

export default function middleware(request) {
  const assets = {
    async fetch(file) {
      const found = await fetch(new URL(`/_files/${file}`, request.url));
      return found.status === 200 ? found : null;
    },
  };
  const client = request.headers.get('x-real-ip');
  return handle(request, assets, tables.origin, client, process.env.MECELLE_EDGE_SECRET);
}

// The edge module as a Netlify edge function. Each file in `netlify/edge-functions` names requests for which it runs:
// those that plain files cannot answer.

import { handle } from './handle.js';
import { tables } from './tables.js';

export default function answer(request, context) {
  const assets = {
    async fetch(file) {
      const found = await context.next(new Request(new URL(`/${file}`, request.url)));
      return found.status === 200 ? found : null;
    },
  };
  return handle(request, assets, tables.origin, context.ip, Netlify.env.get('MECELLE_EDGE_SECRET'));
}

// The calls of judge.ts with the types that openapi-typescript made of the description.
//
//   calls.ts is bundled with the generated code and run with the address of the API and the published key.

import createClient from 'openapi-fetch';

import { base, judge } from './judge';
import type { paths } from './made/schema';

const typed = createClient<paths>({ baseUrl: base });

await judge({
  'openapi-typescript': async (locale, headers) => {
    const { data, error, response } = await typed.GET('/publications', { params: { query: { locale } }, headers });
    return { status: response.status, etag: response.headers.get('etag'), list: data, error: error?.error };
  },
});

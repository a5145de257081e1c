// The calls of judge.ts with the clients of further JavaScript generators, in a long run.
//
//   more-calls.ts is bundled with the generated code and run with the address of the API and the published key.

import assert from 'node:assert/strict';

import { base, judge } from './judge';
import { client as heyClient } from './made/hey/client.gen';
import * as hey from './made/hey';
import * as orval from './made/orval';

heyClient.setConfig({ baseUrl: base });

await judge({
  'hey-api': async (locale, headers) => {
    const { data, error, response } = await hey.listPublications({ query: { locale }, headers });
    assert.ok(response);
    const code = error && 'error' in error ? error.error : undefined;
    return { status: response.status, etag: response.headers.get('etag'), list: response.ok ? data : undefined, error: code };
  },
  orval: async (locale, headers) => {
    const answer = await orval.listPublications({ locale }, { headers });
    const etag = answer.headers.get('etag');
    if (answer.status === 200) return { status: 200, etag, list: answer.data };
    return { status: answer.status, etag, error: answer.status === 304 ? undefined : answer.data.error };
  },
});

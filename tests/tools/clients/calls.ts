// One script of calls through clients that generators made of the description: both languages, an answer that has not
// changed, a wrong language, a wrong key, and fields that may be missing.
//
//   calls.ts is bundled with the generated code and run with the address of the API and the published key.

import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';

import { Configuration, ContentApi, ErrorResponseFromJSON, ResponseError } from './made/generator';
import { client as heyClient } from './made/hey/client.gen';
import * as hey from './made/hey';
import * as orval from './made/orval';
import type { paths } from './made/schema';

type Locale = 'en' | 'tr';
type Publications = paths['/publications']['get']['responses']['200']['content']['application/json'];
// One of the generators names members in its own way, but these.
type Item = Pick<Publications['items'][number], 'title' | 'url' | 'excerpt'>;
type List = Pick<Publications, 'locale' | 'count'> & { items: Item[] };
type Answer = { status: number; etag: string | null; list?: List; error?: string };
type Ask = (locale: Locale, headers: Record<string, string>) => Promise<Answer>;

const [base, key] = process.argv.slice(2);
heyClient.setConfig({ baseUrl: base });
const typed = createClient<paths>({ baseUrl: base });
const content = new ContentApi(new Configuration({ basePath: base }));

const clients: Record<string, Ask> = {
  'openapi-typescript': async (locale, headers) => {
    const { data, error, response } = await typed.GET('/publications', { params: { query: { locale } }, headers });
    return { status: response.status, etag: response.headers.get('etag'), list: data, error: error?.error };
  },
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
  'openapi-generator': async (locale, headers) => {
    try {
      const answer = await content.listPublicationsRaw({ locale }, { headers });
      return { status: answer.raw.status, etag: answer.raw.headers.get('etag'), list: await answer.value() };
    } catch (failure) {
      if (!(failure instanceof ResponseError)) throw failure;
      const { status, headers } = failure.response;
      const error = status === 304 ? undefined : ErrorResponseFromJSON(await failure.response.json()).error;
      return { status, etag: headers.get('etag'), error };
    }
  },
};

for (const [name, ask] of Object.entries(clients)) {
  for (const locale of ['en', 'tr'] as const) {
    const { status, etag, list } = await ask(locale, { 'X-Api-Key': key });
    assert.equal(status, 200, name);
    assert.ok(list && etag);
    assert.equal(list.locale, locale);
    assert.equal(list.count, list.items.length);
    assert.ok(list.items.every(({ title, url }) => title && url.startsWith('http')));
    assert.ok(list.items.some(({ excerpt }) => excerpt === undefined) && list.items.some(({ excerpt }) => excerpt), name);
    assert.equal((await ask(locale, { 'If-None-Match': etag })).status, 304, name);
  }
  const wrongLocale = await ask('de' as Locale, {});
  assert.deepEqual([wrongLocale.status, wrongLocale.error], [400, 'invalid_locale'], name);
  const wrongKey = await ask('en', { 'X-Api-Key': 'wrong' });
  assert.deepEqual([wrongKey.status, wrongKey.error], [401, 'invalid_api_key'], name);
  console.log(`ok    ${name}`);
}

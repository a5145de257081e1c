// The calls of every generated client: both languages, an unchanged response, a wrong language, a
// wrong key, and optional fields.

import assert from 'node:assert/strict';

export type Locale = 'en' | 'tr';
type Item = { title: string; url: string; excerpt?: string };
type List = { locale: string; count: number; items: Item[] };
type Answer = { status: number; etag: string | null; list?: List; error?: string };
export type Ask = (locale: Locale, headers: Record<string, string>) => Promise<Answer>;

// The address of the API and the published key.
export const [base, key] = process.argv.slice(2);

export async function judge(clients: Record<string, Ask>) {
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
}

// Published clients of the Model Context Protocol against a served build, in each of their modes: what
// they list, call and read must equal the content API and the pages.
//
//   node clients.mjs URL [--brief]
//
// With --brief each lists the tools and calls one. A normal run has the newest client, which finds the revision itself: with the
// published key, and briefly without a credential.

import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import assert from 'node:assert/strict';
import { isLong } from '../extent.mjs';

const [url, isBrief] = process.argv.slice(2);
const endpoint = new URL('/mcp', url);
const info = { name: 'mecelle-tests', version: '1.0.0' };
const sandboxKey = process.env.SANDBOX_KEY;

const known = {
  'sdk v1': (options) => [new OldClient(info), new OldTransport(endpoint, options)],
  'client v2': (options) => [new Client(info), new StreamableHTTPClientTransport(endpoint, options)],
  'client v2, auto': (options) => [
    new Client(info, { versionNegotiation: { mode: 'auto' } }), new StreamableHTTPClientTransport(endpoint, options),
  ],
  'client v2, pinned': (options) => [
    new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    new StreamableHTTPClientTransport(endpoint, options),
  ],
};
const clients = isLong ? known : { 'client v2, auto': known['client v2, auto'] };

// The costs of a model in tokens: the list of tools, and a page.
const tokenizer = new Tiktoken(o200k);
const MAX_TOOL_TOKENS = 3400;
const count = (text) => tokenizer.encode(text).length;

async function judgeTokens() {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const listed = await (await fetch(endpoint, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })).json();
  const spent = count(JSON.stringify(listed.result));
  assert.ok(spent <= MAX_TOOL_TOKENS, `the list of tools takes ${spent} tokens`);
  const sitemap = await get('/sitemap.xml');
  const pages = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, page]) => `${new URL(page).pathname}.md`);
  assert.ok(pages.length > 100);
  for (const path of pages.filter((page) => page !== '/.md')) {
    const reply = await fetch(new URL(path, url));
    const announced = Number(reply.headers.get('x-markdown-tokens'));
    const real = count(await reply.text());
    assert.ok(Math.abs(announced / real - 1) <= 0.1, `${path}: ${announced} tokens are announced, ${real} are counted`);
  }
  console.log(`ok    ${spent} tokens of tools, ${pages.length} pages within a tenth`);
}

const get = async (path) => (await fetch(new URL(path, url))).text();

const paths = {
  list_practice_areas: '/api/v1/practice-areas', list_team: '/api/v1/team',
  list_publications: '/api/v1/publications', get_contact: '/api/v1/contact',
};

async function judge(client, isBrief) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name), [
    'list_practice_areas', 'list_team', 'list_publications', 'get_global_network', 'get_contact', 'search', 'fetch',
    'get_page_markdown',
  ]);
  if (isBrief) {
    const { structuredContent } = await client.callTool({ name: 'list_team', arguments: { locale: 'tr' } });
    assert.deepEqual(structuredContent, JSON.parse(await get('/api/v1/team?locale=tr')));
    return `${tools.length} tools`;
  }
  for (const locale of ['en', 'tr']) {
    for (const [name, path] of Object.entries(paths)) {
      const { content, structuredContent } = await client.callTool({ name, arguments: { locale } });
      const body = await get(`${path}?locale=${locale}`);
      assert.equal(content[0].text, body, name);
      assert.deepEqual(structuredContent, JSON.parse(body), name);
    }
    const network = await client.callTool({ name: 'get_global_network', arguments: { locale } });
    assert.equal(network.structuredContent.locale, locale);
  }
  for (const [query, locale] of [['employment contract', 'en'], ['is sozlesmesi', 'tr']]) {
    const found = await client.callTool({ name: 'search', arguments: { query, locale } });
    const { results } = found.structuredContent;
    assert.ok(results.length > 0, `nothing is found for ${query}`);
    for (const { id, url: page, title } of results.slice(0, 3)) {
      const document = await client.callTool({ name: 'fetch', arguments: { id } });
      assert.equal(document.structuredContent.url, page);
      assert.equal(document.structuredContent.title, title);
      assert.equal(document.structuredContent.text, await get(`${new URL(page).pathname}.md`));
    }
  }
  let cursor;
  const resources = [];
  do {
    const page = await client.listResources(cursor ? { cursor } : undefined);
    resources.push(...page.resources);
    cursor = page.nextCursor;
  } while (cursor);
  for (const { uri, size } of resources.slice(0, 20)) {
    const { contents } = await client.readResource({ uri });
    const bytes = await get(new URL(uri).pathname);
    assert.equal(contents[0].text, bytes, uri);
    assert.equal(size, Buffer.byteLength(bytes), uri);
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  const section = await client.complete({
    ref: { type: 'ref/resource', uri: resourceTemplates[0].uriTemplate }, argument: { name: 'section', value: '' },
    context: { arguments: { locale: 'tr' } },
  });
  assert.ok(section.completion.values.length > 1);
  const { prompts } = await client.listPrompts();
  for (const { name, arguments: [first] } of prompts) {
    const prompt = await client.getPrompt({ name, arguments: { [first.name]: 'Zeytin "ağacı"', locale: 'tr' } });
    assert.ok(prompt.messages[0].content.text.includes('Zeytin "ağacı"'));
  }
  const refused = await client.callTool({ name: 'get_page_markdown', arguments: { url: 'https://elsewhere.example/' } });
  assert.equal(refused.isError, true);
  await assert.rejects(client.readResource({ uri: `${url}/nothing.md` }));
  return `${tools.length} tools, ${resources.length} resources, ${prompts.length} prompts`;
}

let failed = false;
for (const [name, make] of Object.entries(clients)) {
  for (const key of sandboxKey ? [undefined, sandboxKey] : [undefined]) {
    const options = key ? { requestInit: { headers: { Authorization: `Bearer ${key}` } } } : {};
    const [client, transport] = make(options);
    const title = key ? `${name}, with the published key` : name;
    try {
      await client.connect(transport);
      console.log(`ok    ${title}: ${await judge(client, isBrief || (!isLong && sandboxKey && !key))}`);
    } catch (error) {
      failed = true;
      console.log(`FAIL  ${title}: ${error.stack}`);
    } finally {
      await client.close().catch(() => {});
    }
  }
}
if (!isBrief) {
  await judgeTokens().catch((error) => {
    failed = true;
    console.log(`FAIL  tokens: ${error.message}`);
  });
}
process.exit(failed ? 1 : 0);

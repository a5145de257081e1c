// The TypeScript SDK serving the content of a served build, to be measured for comparison (benches/mcp_bench.py). It
// holds every result in memory as objects; the SDK does the rest as its documentation shows for a stateless server. It
// does not search: the answer to the one query is prepared as well.
//
//   node peer.mjs URL PORT

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema, ListResourcesRequestSchema, ListToolsRequestSchema, ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { createServer } from 'node:http';

const [url, port] = process.argv.slice(2);

async function ask(method, params = {}) {
  const reply = await fetch(new URL('/mcp', url), {
    method: 'POST', headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return (await reply.json()).result;
}

const shaken = await ask('initialize', {
  protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'peer', version: '1' },
});
const [tools, resources] = [await ask('tools/list'), await ask('resources/list')];
const texts = new Map();
for (const { uri } of resources.resources) texts.set(uri, await ask('resources/read', { uri }));
const calls = new Map();
for (const [name, args] of [
  ['list_publications', {}], ['get_page_markdown', { url: '/en/team' }], ['search', { query: 'employment contract' }],
]) calls.set(name, await ask('tools/call', { name, arguments: args }));

function make() {
  const { serverInfo, instructions } = shaken;
  const server = new Server(serverInfo, { capabilities: { tools: {}, resources: {} }, instructions });
  server.setRequestHandler(ListToolsRequestSchema, () => tools);
  server.setRequestHandler(ListResourcesRequestSchema, () => resources);
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => texts.get(params.uri));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => calls.get(params.name));
  return server;
}

createServer(async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  const server = make();
  response.on('close', () => { transport.close(); server.close(); });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}).listen(Number(port), '127.0.0.1', () => console.log(`listening on ${port}`));

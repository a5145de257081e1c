// Asks an MCP endpoint with the clients of frameworks, unmodified: the AI SDK, and mcporter on its command line.
//
//     node frameworks.mjs URL

import { createMCPClient } from "@ai-sdk/mcp";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const url = `${process.argv[2]}/mcp`;
const question = { query: "rent increase", locale: "en" };
const answer = "/en/publications/rent-increase-limits";

const client = await createMCPClient({ transport: { type: "http", url } });
try {
  const tools = await client.tools();
  assert.ok(Object.keys(tools).length >= 8, "the tools");
  const found = await tools.search.execute(question, { toolCallId: "1", messages: [] });
  assert.equal(found.structuredContent.results[0].id, answer);
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: resources[0].uri });
  assert.ok(contents[0].text.length > 100, "the text of the first resource");
} finally {
  await client.close();
}
console.log("AI SDK: tools, a call, resources");

const program = fileURLToPath(import.meta.resolve("mcporter/cli"));
const asked = Object.entries(question).map(([name, value]) => `${name}=${value}`);
const { stdout } = await promisify(execFile)(
  process.execPath,
  [program, "call", `${url}.search`, ...asked, "--allow-http", "--output", "json"],
  { timeout: 60_000 },
);
assert.equal(JSON.parse(stdout).results[0].id, answer);
console.log("mcporter: a call");

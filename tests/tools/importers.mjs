// Imports the description of the content API as API clients do, and sends every request as it was imported: a reader without a
// key must get an answer, not the refusal of a placeholder.
//
//     node importers.mjs OPENAPI URL

import { openApiToBruno } from "@usebruno/converters";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import postman from "openapi-to-postmanv2";

const [file, url] = process.argv.slice(2);
const description = () => JSON.parse(readFileSync(file, "utf8"));

/** Returns the requests of a tree, each with the authentication of the nearest folder that has one. */
function requests(node, children, auth, own) {
  const mine = own(node) ?? auth;
  const below = (node[children] ?? []).flatMap((child) => requests(child, children, mine, own));
  return node.request ? [{ name: node.name, auth: mine }, ...below] : below;
}

async function fromPostman() {
  const converted = await promisify(postman.convertV2)({ type: "json", data: description() }, {});
  if (!converted.result) throw new Error(converted.reason);
  const none = (auth) => (auth?.type === "noauth" ? "none" : auth?.type);
  return requests(converted.output[0].data, "item", "none", (node) => none((node.request ?? node).auth));
}

async function fromBruno() {
  const converted = await openApiToBruno(description());
  const mode = (node) => (node.request ?? node.root?.request)?.auth?.mode;
  return requests(converted, "items", "none", (node) => (mode(node) === "inherit" ? undefined : mode(node)));
}

let failed = false;
for (const [importer, imported] of [["Postman", await fromPostman()], ["Bruno", await fromBruno()]]) {
  if (imported.length < 5) throw new Error(`${importer}: only ${imported.length} requests`);
  for (const { name, auth } of imported) {
    // The placeholder that an importer writes for a key which nobody has entered.
    const headers = { none: {}, bearer: { authorization: "Bearer {{token}}" }, apikey: { "x-api-key": "{{apiKey}}" } }[auth];
    const reply = headers && (await fetch(`${url}/api/v1/contact`, { headers, signal: AbortSignal.timeout(10_000) }));
    if (reply?.status === 200) continue;
    failed = true;
    console.log(`${importer}: ${name} is sent with ${auth}: ${reply?.status ?? "unknown"}`);
  }
  console.log(`${importer}: ${imported.length} requests`);
}
process.exit(failed ? 1 : 0);

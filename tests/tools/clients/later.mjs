// A later version of the service in front of the present one: every object in its JSON has one more field, which clients must ignore.
//
//     node later.mjs PORT TARGET

import { createServer, request } from "node:http";

const [port, target] = process.argv.slice(2);

function extended(value) {
  if (Array.isArray(value)) return value.map(extended);
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, extended(inner)]);
  return { ...Object.fromEntries(fields), addedLater: { since: "2027-01-01" } };
}

createServer((asked, answer) => {
  const headers = { ...asked.headers, "accept-encoding": "identity" };
  const forwarded = request(new URL(asked.url, target), { method: asked.method, headers }, async (reply) => {
    const body = Buffer.concat(await reply.toArray());
    const isJson = body.length > 0 && /^application\/json\b/.test(reply.headers["content-type"] ?? "");
    const sent = isJson ? Buffer.from(JSON.stringify(extended(JSON.parse(body)))) : body;
    answer.writeHead(reply.statusCode, { ...reply.headers, ...(isJson && { "content-length": sent.length }) }).end(sent);
  });
  forwarded.on("error", (error) => answer.destroy(error));
  asked.pipe(forwarded);
}).listen(Number(port), "127.0.0.1");

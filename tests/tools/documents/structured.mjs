// JSON-LD: every page has it, it can be parsed, its addresses answer, and two validators have no finding.

import { resolves, texts } from './answer.mjs';
import { judgeNodes } from './vocabulary.mjs';

export async function judge(site, findings) {
  const nodes = [];
  for (const route of site.routes('page')) {
    const address = site.absolute(route.path);
    const page = await site.page(address);
    findings.expect(page.jsonLd.length === (page.isListed ? 1 : 0), address, `has ${page.jsonLd.length} pieces of JSON-LD`);
    for (const piece of page.jsonLd) nodes.push(...(await one(site, findings, address, piece)));
  }
  await judgeNodes(nodes, findings);
}

/** Returns the nodes of a piece, each with the address of its page. */
async function one(site, findings, address, piece) {
  let value;
  try {
    value = JSON.parse(piece);
  } catch (error) {
    findings.add(address, `JSON-LD cannot be read: ${error.message}`);
    return [];
  }
  findings.expect(value['@context'] === 'https://schema.org', address, `context is ${value['@context']}`);
  const nodes = value['@graph'] ?? [value];
  for (const node of nodes) {
    findings.expect(node['@type'], address, 'a node has no type');
  }
  for (const text of texts(value)) {
    findings.expect(text.trim() !== '', address, 'JSON-LD holds an empty text');
    if (text.startsWith(site.origin)) await resolves(site, findings, `${address} (JSON-LD)`, text);
  }
  return nodes.map((node) => ({ address, node }));
}

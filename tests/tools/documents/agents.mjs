// Documents for agents: the MCP server card, the AI catalog, agent skills with their digests, auth.md.

import { createHash } from 'node:crypto';

import { json, resolves, text } from './answer.mjs';

const CARD = 'application/mcp-server-card+json';

export async function judge(site, findings) {
  await card(site, findings);
  await catalog(site, findings);
  await skills(site, findings);
  const auth = await text(site, findings, '/auth.md', 'text/markdown');
  if (auth !== null) findings.expect(/^# .*auth\.md/m.test(auth), '/auth.md', 'no first heading with its name');
}

async function card(site, findings) {
  const path = '/mcp/server-card';
  const document = await json(site, findings, path, CARD);
  const copy = await text(site, findings, '/.well-known/mcp/server-card.json', CARD);
  if (!document) return;
  findings.expect(copy === (await site.get(path)).text, path, 'its copy has other bytes');
  findings.expect(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/.test(document.name), path, `name is ${document.name}`);
  const length = document.description?.length ?? 0;
  findings.expect(length > 0 && length <= 100, path, `description has ${length} characters, 1 to 100 are allowed`);
  findings.expect(/^\d+\.\d+\.\d+/.test(document.version), path, `version is ${document.version}`);
  await resolves(site, findings, path, document.websiteUrl);
  for (const icon of document.icons ?? []) await resolves(site, findings, path, icon.src);
  for (const remote of document.remotes ?? []) {
    findings.expect(remote.type === 'streamable-http', path, `a remote is ${remote.type}`);
    await resolves(site, findings, path, remote.url);
  }
}

async function catalog(site, findings) {
  const path = '/.well-known/ai-catalog.json';
  const document = await json(site, findings, path, 'application/ai-catalog+json');
  if (!document) return;
  findings.expect(document.specVersion === '1.0', path, `specVersion is ${document.specVersion}`);
  const unknown = Object.keys(document).filter((name) => !['specVersion', 'host', 'entries'].includes(name));
  findings.expect(unknown.length === 0, path, `has members of its own: ${unknown}`);
  await resolves(site, findings, path, document.host?.documentationUrl);
  const names = new Set();
  for (const entry of document.entries ?? []) {
    findings.expect(/^urn:air:[^:]+(:[^:]+)+$/.test(entry.identifier), path, `identifier is ${entry.identifier}`);
    findings.expect(!names.has(entry.identifier), path, `${entry.identifier} stands twice`);
    names.add(entry.identifier);
    const queries = entry.representativeQueries?.length ?? 0;
    findings.expect(queries >= 2 && queries <= 5, path, `${entry.identifier} has ${queries} queries, 2 to 5 are allowed`);
    await resolves(site, findings, path, entry.url);
    const type = (await site.get(entry.url)).headers.get('content-type')?.split(';')[0];
    findings.expect(type === entry.type.split(';')[0], path, `${entry.url} is ${type}, not ${entry.type}`);
  }
}

async function skills(site, findings) {
  const path = '/.well-known/agent-skills/index.json';
  const document = await json(site, findings, path);
  for (const skill of document?.skills ?? []) {
    findings.expect(/^[a-z0-9]+(-[a-z0-9]+)*$/.test(skill.name), path, `a skill is called ${skill.name}`);
    const length = skill.description?.length ?? 0;
    findings.expect(length > 0 && length <= 1024, path, `the description of ${skill.name} has ${length} characters`);
    await resolves(site, findings, path, skill.url);
    const { bytes, text: body } = await site.get(skill.url);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    findings.expect(skill.digest === digest, path, `${skill.name} has digest ${digest}, not ${skill.digest}`);
    const front = /^---\n([\s\S]*?)\n---\n/.exec(body)?.[1] ?? '';
    findings.expect(new RegExp(`^name: ${skill.name}$`, 'm').test(front), skill.url, 'its front matter has another name');
    findings.expect(/^description: \S/m.test(front), skill.url, 'its front matter has no description');
  }
}

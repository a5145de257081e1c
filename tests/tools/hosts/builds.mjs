// The builds that hosts serve: the fixture firm with agents, and the same without a sidecar.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const NOW = '2026-11-21T09:00:00+03:00';

/** Builds both, with more arguments for the generator; returns their folders, and the values of the table's names. */
export function builds(generator, content, work, ...more) {
  const alone = join(work, 'content');
  rmSync(alone, { recursive: true, force: true });
  cpSync(content, alone, { recursive: true });
  const settings = readFileSync(join(alone, 'site.toml'), 'utf8');
  const closed = settings.replace(/^identity_types = .*$/m, 'service = false\nidentity_types = []');
  if (closed === settings) throw new Error('site.toml has no identity_types');
  writeFileSync(join(alone, 'site.toml'), closed);
  const full = build(generator, content, join(work, 'full'), more);
  const dist = build(generator, alone, join(work, 'alone'), more);
  const manifest = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8'));
  const asset = (end) => manifest.routes.find((route) => route.class === 'asset' && route.path.endsWith(end)).path;
  const names = {
    site: manifest.site_url,
    key: manifest.sandbox_key,
    css: asset('.css'),
    svg: asset('.svg'),
    font: asset('.woff2'),
    usage: manifest.classes.page.headers.find(([name]) => name === 'content-usage')[1],
    long: 'a'.repeat(8200),
  };
  // The part of the policy for the search script, which needs a sidecar.
  const script = readdirSync(join(full, 'assets'), { recursive: true }).find((name) => name.endsWith('.js'));
  const digest = createHash('sha256').update(readFileSync(join(full, 'assets', script))).digest('base64');
  return { full, dist, names, script: `script-src 'sha256-${digest}'; ` };
}

/** Makes the folder for a host. */
export function host(generator, name, dist, out, ...more) {
  rmSync(out, { recursive: true, force: true });
  execFileSync(generator, ['host', name, '--dist', dist, '--out', out, ...more], { stdio: ['ignore', 'ignore', 'pipe'] });
  return out;
}

/** Returns the files of a host's folder that are not copies of files of the build. */
export function written(folder, dist) {
  const all = (place) => readdirSync(place, { recursive: true, withFileTypes: true }).filter((it) => it.isFile());
  const paths = (place) => all(place).map((it) => join(it.parentPath, it.name));
  const digest = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
  const copied = new Set(paths(dist).map(digest));
  return paths(folder).filter((path) => !copied.has(digest(path))).map((path) => relative(folder, path));
}

/** Replaces every occurrence of a text in a file; there must be one. Without a text, the file is removed. */
export function spoil(folder, file, from, to) {
  const path = join(folder, file);
  if (from === undefined) {
    rmSync(path);
    return folder;
  }
  const text = readFileSync(path, 'utf8');
  const changed = text.replaceAll(from, to);
  if (changed === text) throw new Error(`${path} has no ${from}`);
  writeFileSync(path, changed);
  return folder;
}

function build(generator, content, out, more) {
  execFileSync(generator, ['build', '--content', content, '--now', NOW, '--out', out, ...more], { stdio: ['ignore', 'ignore', 'pipe'] });
  return out;
}

// Simulates GitHub Pages: the artifact, packed as its action does, and the responses of the host.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { read, respond } from './files.mjs';
import { listen } from './local.mjs';

export async function githubPages(folder) {
  const site = join(folder, 'public');
  const artifact = join(folder, 'artifact.tar');
  // The arguments of actions/upload-pages-artifact.
  execFileSync('tar', ['--dereference', '--hard-dereference', '--directory', site, '-cf', artifact, '--exclude=.git', '--exclude=.github', '.']);
  const packed = execFileSync('tar', ['-tf', artifact], { encoding: 'utf8' }).split('\n');
  const names = packed.map((name) => name.slice(1)).filter((name) => name && !name.endsWith('/'));
  // Without this file, GitHub may run Jekyll, which skips such names.
  const files = new Set(names.includes('/.nojekyll') ? names : names.filter((name) => !/\/[._]/.test(name)));
  const fields = { 'cache-control': 'max-age=600', 'access-control-allow-origin': '*' };
  return listen((request) => {
    if (!['GET', 'HEAD'].includes(request.method)) return new Response('', { status: 405 });
    let path;
    try {
      path = decodeURIComponent(new URL(request.url).pathname);
    } catch {
      return new Response('', { status: 400 });
    }
    const name = [path, `${path}.html`, `${path.replace(/\/$/, '')}/index.html`].find((it) => files.has(it));
    if (!name) return respond(request, '404.html', read(site, '404.html'), fields, 404);
    return respond(request, name, read(site, name), fields);
  });
}

// Answers the requests of the editor as Forgejo does, from a repository on disk: no package of Forgejo can be installed by name. And
// serves a build with the headers of its manifest, as the sidecar and the hosts do.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';

/** Returns the address of a server, and the server. */
export async function listening(handler) {
  const server = createServer((request, response) => {
    handler(request, response).catch((error) => {
      response.writeHead(500);
      response.end(error.message);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, address: `http://127.0.0.1:${server.address().port}` };
}

/** Serves a build, whose folder is known later. */
export function site(folder) {
  let manifest;
  return async (request, response) => {
    manifest ??= JSON.parse(readFileSync(join(folder, 'manifest.json')));
    const path = decodeURIComponent(new URL(request.url, 'http://site').pathname);
    const route = manifest.routes.find((it) => it.path === path);
    if (!route) {
      const to = manifest.redirects.find(({ from }) => from === path)?.to;
      response.writeHead(to ? 308 : 404, to ? { location: to } : {});
      response.end();
      return;
    }
    const [variant] = route.variants;
    for (const [name, value] of manifest.classes[route.class].headers) response.setHeader(name, value);
    response.setHeader('content-type', variant.media_type);
    response.end(readFileSync(join(folder, variant.file)));
  };
}

/**
 * Answers for the repository in `folder`; only `token()` signs in, and only pages of `origin()` may read the answers. The application `abc`
 * gets it with a code and the proof that it asked for the code (PKCE).
 */
export function forge(folder, token, origin) {
  let asked = {};
  const exchange = ({ client_id: client, code, redirect_uri: page, code_verifier: proof }) => {
    const isProven = createHash('sha256').update(proof).digest('base64url') === asked.code_challenge && asked.code_challenge_method === 'S256';
    const isSame = client === 'abc' && code === 'a-code' && page === asked.redirect_uri && page === `${origin()}/admin`;
    return isProven && isSame ? { access_token: token(), token_type: 'bearer' } : { error: 'invalid_grant' };
  };
  const git = (...words) => execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' });
  const last = () => ({ id: git('rev-parse', 'HEAD').trim(), message: git('log', '-1', '--format=%s').trim() });
  const answers = [
    ['GET /version', () => ({ version: '15.0.0+gitea-1.22.0' })],
    ['GET /user', () => ({ id: 1, login: 'ada', full_name: 'Ada Deneme', email: 'ada@firm.example', html_url: '', avatar_url: '' })],
    ['GET /settings/api', () => ({ default_paging_num: 100, max_response_items: 100, default_max_blob_size: 10485760 })],
    ['GET /repos/firm/site', () => ({ default_branch: 'main', permissions: { pull: true, push: true } })],
    [/^GET \/repos\/firm\/site\/branches\/main$/, () => ({ commit: last() })],
    [/^GET \/repos\/firm\/site\/git\/trees\//, () => ({ tree: tree(), truncated: false })],
    [/^GET \/repos\/firm\/site\/git\/blobs$/, (query) => query.get('shas').split(',').map(blob)],
    [/^GET \/repos\/firm\/site\/media\/main\//, (query, body, path) => execFileSync('git', ['-C', folder, 'show', `HEAD:${path}`])],
    [/^GET \/repos\/firm\/site\/commits$/, () => []],
    ['POST /repos/firm/site/contents', (query, body) => commit(body)],
  ];
  function tree() {
    const lines = git('-c', 'core.quotePath=false', 'ls-tree', '-r', '-l', 'HEAD').split('\n').filter(Boolean);
    return lines.map((line) => line.match(/^\S+ blob (\S+)\s+(\d+)\t(.*)$/)).map(([, sha, size, path]) => ({ type: 'blob', path, sha, size: Number(size) }));
  }
  function blob(sha) {
    const content = execFileSync('git', ['-C', folder, 'cat-file', 'blob', sha]);
    return { sha, size: content.length, encoding: 'base64', content: content.toString('base64') };
  }
  function commit({ message, files, author }) {
    // Whoever changes a file names the state of it that he has seen.
    if (files.some(({ operation, path, sha }) => operation !== 'create' && sha !== git('rev-parse', `HEAD:${path}`).trim())) return null;
    for (const { operation, path, content } of files) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      if (operation === 'delete') rmSync(file);
      else writeFileSync(file, Buffer.from(content, 'base64'));
    }
    git('add', '--all');
    git('-c', `user.name=${author.name}`, '-c', `user.email=${author.email}`, 'commit', '-qm', message);
    const saved = files.map(({ path }) => ({ path, sha: git('rev-parse', `HEAD:${path}`).trim() }));
    return { commit: { sha: last().id, created: new Date().toISOString() }, files: saved };
  }
  return async (request, response) => {
    const url = new URL(request.url, 'http://forge');
    response.setHeader('access-control-allow-origin', origin());
    response.setHeader('access-control-allow-headers', 'authorization, content-type');
    response.setHeader('access-control-allow-methods', 'GET, POST');
    if (request.method === 'OPTIONS') {
      response.writeHead(204);
      response.end();
      return;
    }
    if (url.pathname === '/login/oauth/authorize') {
      asked = Object.fromEntries(url.searchParams);
      const { redirect_uri: to, state } = asked;
      response.writeHead(302, { location: `${to}?${new URLSearchParams({ code: 'a-code', state })}` });
      response.end();
      return;
    }
    const what = `${request.method} ${url.pathname.replace('/api/v1', '')}`;
    const found = answers.find(([name]) => (name instanceof RegExp ? name.test(what) : name === what));
    const isSignedIn = request.headers.authorization === `token ${token()}`;
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = parts.length ? JSON.parse(Buffer.concat(parts)) : null;
    if (url.pathname === '/login/oauth/access_token') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(exchange(body)));
      return;
    }
    const path = decodeURIComponent(url.pathname.split('/media/main/')[1] ?? '');
    const answer = isSignedIn && found ? found[1](url.searchParams, body, path) : {};
    const status = isSignedIn ? (found ? (answer ? 200 : 422) : 404) : 401;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(Buffer.isBuffer(answer) ? answer : JSON.stringify(answer ?? { message: 'sha does not match' }));
  };
}

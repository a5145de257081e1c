// What the recorders of the forges share: each answers the requests of the editor from a bare repository on disk, because no forge can
// be installed by name. And serves a build with the headers of its manifest, as the sidecar and the hosts do.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

/** The person who signs in. */
export const ADA = { name: 'Ada Deneme', email: 'ada@firm.example', login: 'ada', id: 1 };

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

/** Serves a build, which is written later; `edit` may change a file. */
export function site(folder, edit) {
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
    response.end(edit(path, readFileSync(join(folder, variant.file))));
  };
}

/** A bare repository. What cannot change is read once: the editor asks for every file. */
export class Repository {
  #heads = new Map();
  #bytes = new Map();
  #trees = new Map();
  #histories = new Map();

  constructor(from, folder) {
    this.folder = folder;
    execFileSync('git', ['clone', '-q', '--bare', '--single-branch', from, folder]);
    this.#heads.set('main', this.git('rev-parse', 'HEAD'));
    const all = execFileSync('git', ['-C', folder, 'cat-file', '--batch-all-objects', '--batch'], { maxBuffer: 1e9 });
    for (let at = 0; at < all.length; ) {
      const end = all.indexOf('\n', at);
      const [sha, type, size] = all.toString('latin1', at, end).split(' ');
      at = end + 1 + Number(size) + 1;
      if (type === 'blob') this.#bytes.set(sha, all.subarray(end + 1, at - 1));
    }
  }

  git(...words) {
    return execFileSync('git', ['-C', this.folder, '-c', 'core.quotePath=false', ...words], { encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] }).trimEnd();
  }

  branches() {
    return [...this.#heads.keys()];
  }

  /** Returns the commit to which a branch points; a commit is its own name. */
  head(name = 'main') {
    return this.#heads.get(name) ?? (/^[0-9a-f]{40}$/.test(name) ? name : null);
  }

  /** Points a branch to a commit, or deletes it. */
  point(branch, commit) {
    if (commit) this.#heads.set(branch, commit);
    else this.#heads.delete(branch);
    this.git('update-ref', ...(commit ? [] : ['-d']), `refs/heads/${branch}`, ...(commit ? [commit] : []));
  }

  /** Returns the bytes of a file, if this is its identifier. */
  bytes(sha) {
    return this.#bytes.get(sha);
  }

  /** Returns the files of a commit by their paths. */
  tree(name = 'main') {
    const commit = this.head(name);
    if (!this.#trees.has(commit)) {
      const lines = this.git('ls-tree', '-r', '-l', commit).split('\n').map((line) => line.match(/^\S+ blob (\S+)\s+(\d+)\t(.*)$/));
      this.#trees.set(commit, new Map(lines.map(([, sha, size, path]) => [path, { type: 'blob', path, sha, size: Number(size) }])));
    }
    return this.#trees.get(commit);
  }

  text(path, name = 'main') {
    return this.bytes(this.tree(name).get(path).sha).toString();
  }

  /** Returns a commit, or the last one before it that changed a path. */
  last(name = 'main', path = '') {
    const commit = this.head(name);
    if (!this.#histories.has(commit)) {
      const history = new Map();
      for (const each of this.git('log', '--name-only', '--format=%x01%H%x00%an%x00%ae%x00%cI%x00%s', commit).split('\x01').slice(1)) {
        const [line, ...paths] = each.trimEnd().split('\n');
        const [oid, author, email, date, message] = line.split('\0');
        for (const changed of ['', ...paths]) if (!history.has(changed)) history.set(changed, { oid, author, email, date, message });
      }
      this.#histories.set(commit, history);
    }
    return this.#histories.get(commit).get(path);
  }

  /** Writes a commit after `parent`, to which `branch` points then. Files without content are deleted. */
  commit({ branch = 'main', parent = this.head(branch), files, message, author = ADA }) {
    const parts = [`commit refs/heads/${branch}\ncommitter ${author.name} <${author.email}> now\n`, data(message), `from ${parent}\n`];
    for (const { path, content } of files) parts.push(...(content ? [`M 100644 inline ${path}\n`, data(content)] : [`D ${path}\n`]));
    const input = Buffer.concat(parts.map((part) => Buffer.from(part)));
    execFileSync('git', ['-C', this.folder, 'fast-import', '--quiet', '--date-format=now'], { input });
    this.#heads.set(branch, this.git('rev-parse', `refs/heads/${branch}`));
    for (const { path, content } of files) if (content) this.#bytes.set(this.tree(branch).get(path).sha, Buffer.from(content));
    return this.head(branch);
  }

  /** Merges a branch; returns the commit, or null if both changed the same lines. */
  merge(branch, into, message) {
    let tree;
    try {
      tree = this.git('merge-tree', '--write-tree', into, branch);
    } catch {
      return null;
    }
    const identity = ['-c', `user.name=${ADA.name}`, '-c', `user.email=${ADA.email}`];
    this.point(into, this.git(...identity, 'commit-tree', tree, '-p', into, '-p', branch, '-m', message));
    const joined = [...this.tree(into).values()].filter(({ sha }) => !this.#bytes.has(sha));
    for (const { sha } of joined) this.#bytes.set(sha, execFileSync('git', ['-C', this.folder, 'cat-file', 'blob', sha]));
    return this.head(into);
  }

  /** Returns the files that a branch changes, each after `A`, `M` or `D`. */
  changes(base, branch) {
    return this.git('diff', '--name-status', '--no-renames', `${base}...${branch}`).split('\n').filter(Boolean).map((line) => line.split('\t'));
  }

  /** Returns the lines that a branch changes. */
  lines(base, branch) {
    return this.git('diff', '--unified=0', `${base}...${branch}`).split('\n').filter((line) => /^[-+]/.test(line) && !/^(\+\+\+|---) /.test(line));
  }
}

function data(content) {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}

/** An answer other than 200. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Answers requests with the first of `routes` whose pattern fits the method and the path; its groups are the first arguments of the answer, after them a query
 * and a body. Only who sends `authorization()` is answered, and only pages of `origin()` may read the answers. `open` is for everyone;
 * `before` is called first.
 */
export function answering({ origin, before, authorization, routes, open = [] }) {
  const answer = async (request, url) => {
    const what = `${request.method} ${url.pathname}`;
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = parts.length ? JSON.parse(Buffer.concat(parts)) : null;
    before(`${what} ${body?.query ?? ''}`);
    const isSignedIn = request.headers.authorization === authorization();
    for (const [pattern, respond] of [...open, ...(isSignedIn ? routes : [])]) {
      const found = what.match(pattern);
      if (found) return respond(...found.slice(1).map(decodeURIComponent), url.searchParams, body);
    }
    throw isSignedIn ? new Refusal(404, 'Not Found') : new Refusal(401, 'Bad credentials');
  };
  return async (request, response) => {
    const url = new URL(request.url, 'http://forge');
    response.setHeader('access-control-allow-origin', origin());
    response.setHeader('access-control-allow-headers', 'authorization, content-type');
    response.setHeader('access-control-allow-methods', 'GET, POST, PUT, PATCH, DELETE');
    let status = 200;
    let result;
    try {
      result = request.method === 'OPTIONS' ? undefined : await answer(request, url);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      status = error.status;
      result = { message: error.message };
    }
    if (result instanceof URL) {
      response.writeHead(302, { location: result.href });
      response.end();
    } else if (result === undefined) {
      response.writeHead(204);
      response.end();
    } else {
      const isJson = !Buffer.isBuffer(result) && typeof result !== 'string';
      response.writeHead(status, { 'content-type': isJson ? 'application/json' : typeof result === 'string' ? 'text/html' : 'application/octet-stream' });
      response.end(isJson ? JSON.stringify(result) : result);
    }
  };
}

/**
 * Signs in the application `abc`: it gets the token with a code and the proof that it asked for the code (PKCE), and later, while there is
 * a token, another one.
 */
export function proving(authorize, exchange, token, origin) {
  let asked = {};
  const isProven = ({ client_id: client, code, redirect_uri: page, code_verifier: proof }) => {
    const isProof = createHash('sha256').update(proof).digest('base64url') === asked.code_challenge && asked.code_challenge_method === 'S256';
    return isProof && client === 'abc' && code === 'a-code' && page === asked.redirect_uri && page === `${origin()}/admin`;
  };
  const isRefreshed = ({ client_id: client, refresh_token: given }) => client === 'abc' && given === 'refreshing' && token();
  return [
    [
      new RegExp(`^GET ${authorize}$`),
      (query) => {
        asked = Object.fromEntries(query);
        return new URL(`${asked.redirect_uri}?${new URLSearchParams({ code: 'a-code', state: asked.state })}`);
      },
    ],
    [
      new RegExp(`^POST ${exchange}$`),
      (query, body) => {
        if (!(body.grant_type === 'refresh_token' ? isRefreshed : isProven)(body)) throw new Refusal(400, 'invalid_grant');
        return { access_token: token(), refresh_token: 'refreshing', token_type: 'bearer' };
      },
    ],
  ];
}

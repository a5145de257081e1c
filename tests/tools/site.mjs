// The site under test: the manifest of a build, and the server that serves it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PATIENCE } from './extent.mjs';
import { Page } from './page.mjs';

export class Site {
  #answers = new Map();
  #pages = new Map();

  /** Reads `<url> <dist>` from the command line. */
  static fromArguments() {
    const [url, dist] = process.argv.slice(2);
    if (!url || !dist) throw new Error(`usage: node ${process.argv[1]} URL DIST`);
    return new Site(url, dist);
  }

  constructor(url, dist) {
    this.url = url;
    this.dist = dist;
    this.manifest = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8'));
    this.origin = new URL(this.manifest.site_url).origin;
  }

  /** Returns the routes of these classes, or all routes if none is given. */
  routes(...classes) {
    const { routes } = this.manifest;
    return classes.length ? routes.filter((route) => classes.includes(route.class)) : routes;
  }

  /** Returns the absolute address of a path. */
  absolute(path) {
    return this.url + encodeURI(path);
  }

  /**
   * Returns the answer to a GET of `address` (absolute, or a path of the site), which is sent only once: status,
   * headers, text. Redirects are not followed.
   */
  get(address, headers = {}) {
    const url = new URL(address, this.url);
    url.hash = '';
    const key = JSON.stringify([url.href, headers]);
    if (!this.#answers.has(key)) this.#answers.set(key, ask(url, headers));
    return this.#answers.get(key);
  }

  /** Returns the page at `address`, which is read only once. */
  page(address) {
    if (!this.#pages.has(address)) this.#pages.set(address, this.get(address).then(({ text }) => new Page(text)));
    return this.#pages.get(address);
  }

  /**
   * Returns the fault of `address` as the target of a link; null if it answers. An address that accepts only POST
   * counts as answering if it returns 405, one that takes a credential if it asks for one.
   */
  async fault(address) {
    const url = new URL(address, this.url);
    const { status, headers } = await this.get(url);
    const takesPost = status === 405 && headers.get('allow')?.includes('POST');
    const takesCredential = status === 401 && headers.has('www-authenticate');
    return status === 200 || takesPost || takesCredential ? null : `${address} answers ${status}`;
  }
}

async function ask(url, headers) {
  const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: bytes.toString('utf8') };
}

// An HTML page as a tree: its links, its anchors, and its metadata.

import { parse } from 'parse5';

/** Attributes with a single address. */
const ADDRESSES = { a: 'href', area: 'href', link: 'href', img: 'src', source: 'src', script: 'src', form: 'action', use: 'href' };

export class Page {
  links = [];
  anchors = new Set(['', 'top']);
  alternates = new Map();
  jsonLd = [];
  canonical = null;
  /** Whether search engines may list it. */
  isListed = true;
  language = null;
  kind = null;
  scripts = 0;

  constructor(html) {
    walk(parse(html), (node) => this.#read(node));
  }

  /** Whether readers choose a language here: such a page has no language, and `x-default` names it. */
  get isChoice() {
    const own = [...this.alternates].filter(([, href]) => href === this.canonical).map(([language]) => language);
    return own.length === 1 && own[0] === 'x-default';
  }

  #read(node) {
    const attribute = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
    if (attribute.id !== undefined) this.anchors.add(attribute.id);
    const address = attribute[ADDRESSES[node.tagName]];
    const isGet = node.tagName !== 'form' || (attribute.method ?? 'get').toLowerCase() === 'get';
    if (address !== undefined && isGet) this.links.push(address);
    const rel = (attribute.rel ?? '').split(/\s+/);
    switch (node.tagName) {
      case 'html':
        this.language = attribute.lang ?? null;
        break;
      case 'body':
        this.kind = attribute.class ?? null;
        break;
      case 'link':
        if (rel.includes('canonical')) this.canonical = attribute.href;
        if (rel.includes('alternate') && attribute.hreflang) this.alternates.set(attribute.hreflang, attribute.href);
        break;
      case 'meta':
        if (attribute.name === 'robots' && attribute.content.includes('noindex')) this.isListed = false;
        break;
      case 'script':
        if (attribute.type === 'application/ld+json') this.jsonLd.push(node.childNodes.map((it) => it.value).join(''));
        else this.scripts += 1;
        break;
    }
  }
}

function walk(node, visit) {
  if (node.tagName) visit(node);
  for (const child of node.content?.childNodes ?? node.childNodes ?? []) walk(child, visit);
}

// Checks that every internal link and fragment of every page leads somewhere, directly and without a redirect; so does
// every address of this site in a Markdown twin or a text for programs. Languages refer to each other both ways.

import { Findings } from './findings.mjs';
import { Page } from './page.mjs';
import { Site } from './site.mjs';

const site = Site.fromArguments();
const findings = new Findings();
/** The pages, and the pages for unknown addresses, by address. */
const [pages, missing] = [new Map(), new Map()];

for (const route of site.routes('page')) {
  const address = site.absolute(route.path);
  const answer = await site.get(address);
  if (!findings.expect(answer.status === 200, address, `answers ${answer.status}`)) continue;
  pages.set(address, new Page(answer.text));
}
for (const { prefix } of site.manifest.not_found) {
  const address = site.absolute(`${prefix}/there-is-no-such-page`);
  const answer = await site.get(address);
  findings.expect(answer.status === 404, address, `answers ${answer.status}, not 404`);
  if (answer.headers.get('content-type')?.startsWith('text/html')) missing.set(address, new Page(answer.text));
}
for (const [address, page] of [...pages, ...missing]) {
  for (const link of page.links) await resolve(address, link);
}
for (const [address, page] of pages) {
  await judgeLanguages(address, page);
  // A page that is not listed has no canonical address.
  if (page.isListed) findings.expect(page.canonical === address, address, `its canonical address is ${page.canonical}`);
}
for (const route of site.routes('twin', 'text')) {
  const from = site.absolute(route.path);
  const { text } = await site.get(from);
  for (const [, link] of text.matchAll(/\]\((\/[^)\s]*|\.[^)\s]*)\)/g)) findings.add(from, `the link ${link} is not absolute`);
  for (const address of addresses(text)) await resolve(from, address);
}
findings.end(`${pages.size} pages, ${site.routes('twin', 'text').length} texts`);

async function resolve(from, link) {
  if (!URL.canParse(link, from)) return findings.add(from, `${link} is no address`);
  const target = new URL(link, from);
  if (target.origin !== site.origin) {
    const known = ['https:', 'mailto:', 'tel:'].includes(target.protocol);
    return findings.expect(known, from, `leads away by ${target.protocol} to ${link}`);
  }
  const fragment = decodeURIComponent(target.hash.slice(1));
  target.hash = '';
  const fault = missing.has(target.href) ? null : await site.fault(target.href);
  if (fault) return findings.add(from, fault);
  const page = pages.get(target.href) ?? missing.get(target.href);
  return findings.expect(!fragment || page?.anchors.has(fragment), from, `${link}: nothing there has this name`);
}

async function judgeLanguages(address, page) {
  const locale = page.language;
  if (page.alternates.size === 0) return;
  findings.expect(page.alternates.get(locale) === address || page.isChoice, address, 'does not name itself in its own language');
  for (const [language, href] of page.alternates) {
    const other = pages.get(href);
    if (!findings.expect(other, address, `hreflang ${language} leads to ${href}, which is no page`) || language === 'x-default') continue;
    findings.expect(other.language === language, address, `hreflang ${language} leads to a page in ${other.language}`);
    findings.expect(page.isChoice || other.alternates.get(locale) === address, address, `${href} does not refer back`);
    const same = JSON.stringify([...page.alternates].sort()) === JSON.stringify([...other.alternates].sort());
    findings.expect(same, address, `and ${href} name different sets of languages`);
  }
}

/** Returns the addresses of this site in a text, except those that are patterns. */
function addresses(text) {
  const found = text.match(/https?:\/\/[^\s<>()"'`\]|\\]+/g) ?? [];
  return new Set(found.filter((it) => it.startsWith(site.origin) && !/[{}…]/.test(it)).map((it) => it.replace(/[.,;:]+$/, '')));
}

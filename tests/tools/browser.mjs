// Checks the pages in a browser: the longest of each kind in each language, in both colour schemes, from narrow to wide, with
// slow fonts, and without scripts; also the beginning of articles on a phone, and their text on paper. `--once` skips what depends
// on the theme only and is checked on other sites: slow fonts, paper, no scripts. `--only=KIND,KIND` skips other kinds of pages.
//
// A normal run checks a third of the articles, and a kind in one language with slow fonts, and by axe wide and in light; in the
// other without scripts, and by axe narrow and in dark. A long run visits every page in every way.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { start } from './browser/chromium.mjs';
import { accessibility, arrangement, beginning, boldness, fullness, layout, lists, order, privacy, sheets, stillness, weight } from './browser/checks.mjs';
import { shown, visit } from './browser/visit.mjs';
import { isLong, third, thirdSaid } from './extent.mjs';
import { Findings } from './findings.mjs';
import { Page } from './page.mjs';
import { Site } from './site.mjs';

/** Pages visited at the same time: one for each core of a small machine. */
const AT_ONCE = 2;

const PHONE = { width: 390, height: 844 };

const site = Site.fromArguments();
const findings = new Findings();
const only = process.argv.find((it) => it.startsWith('--only='))?.slice('--only='.length).split(',');
const kinds = kindsOfPages();
const chosen = samples();
const isOnce = process.argv.includes('--once');
const allArticles = [...kinds].filter(([kind]) => kind.endsWith(' publication')).flatMap(([, pages]) => pages);
const articles = third(allArticles);
const waiting = [...chosen.map((it) => () => visits(it)), ...articles.map(({ address }) => () => articleVisits(address))];
const browser = await start();

try {
  await Promise.all(Array.from({ length: AT_ONCE }, visitRest));
} finally {
  await browser.close();
}
if (articles.length) console.log(thirdSaid('articles are looked at on a phone and on paper', articles.length, allArticles.length));
findings.end(`${chosen.length} of ${site.routes('page').length} pages`);

async function visitRest() {
  for (let task = waiting.shift(); task; task = waiting.shift()) await task();
}

async function articleVisits(address) {
  await visit(browser, address, { viewport: PHONE }, findings, isOnce ? [beginning] : [beginning, sheets]);
}

/** Visits a page in every way; a normal run uses some ways if `turn` is even, the others if it is odd. */
async function visits({ address, turn }) {
  const isTurn = (rest) => isLong || turn % 2 === rest;
  const seen = {};
  const reads = (how) => async (page) => (seen[how] = (await page.locator('body').innerText()).replace(/\s+/g, ' ').trim());
  // Axe takes most of the time: a normal run uses it in light and wide in one language, in dark and narrow in the other.
  const [wide, narrow] = [isTurn(0) ? [accessibility] : [], isTurn(1) ? [accessibility] : []];
  const [arranged, ordered] = isLong ? [[arrangement], [order]] : [[], []];
  await visit(browser, address, {}, findings, [
    weight, reads('with'), fullness, lists, order, ...wide,
    // 320 CSS pixels are 1280 at 400 % zoom (WCAG 2.2, 1.4.10).
    shown(320, 640, 'dark', [layout, order, ...narrow]),
    shown(PHONE.width, PHONE.height, 'light', [layout, fullness, ...ordered, ...arranged]),
    shown(820, 1180, 'dark', [layout, order, ...arranged]),
    shown(1920, 1080, 'light', [layout, ...ordered, ...arranged]),
    privacy,
  ]);
  if (isOnce) return;
  if (isTurn(0)) await visit(browser, address, { viewport: { width: 320, height: 640 }, slowFonts: true }, findings, [stillness, boldness]);
  if (!isTurn(1)) return;
  const begins = allArticles.some((it) => it.address === address) ? [(page) => page.setViewportSize(PHONE), beginning] : [];
  await visit(browser, address, { javaScriptEnabled: false }, findings, [reads('without'), ...begins]);
  // A page that did not load is already a finding.
  if ('with' in seen && 'without' in seen) findings.expect(seen.with === seen.without && seen.with.length > 100, address, 'reads differently without scripts');
}

/** Returns all pages by language and kind. */
function kindsOfPages() {
  const groups = new Map();
  for (const route of site.routes('page')) {
    const address = site.absolute(route.path);
    const html = readFileSync(join(site.dist, route.variants[0].file), 'utf8');
    // The kind is in the first two tags.
    const page = new Page(html.slice(0, html.indexOf('>', html.indexOf('<body')) + 1));
    if (only && !only.includes(page.kind)) continue;
    const kind = `${page.language} ${page.kind}`;
    groups.set(kind, [...(groups.get(kind) ?? []), { address, size: route.variants[0].size }]);
  }
  return groups;
}

/** The longest page of each kind in each language, or in a long run every page; and those for unknown addresses. */
function samples() {
  // The turns of a kind alternate between languages.
  const turns = new Map();
  const pages = [...kinds].flatMap(([name, pages], at) => {
    const kind = name.replace(/^\S+ /, '');
    turns.set(kind, (turns.get(kind) ?? at) + 1);
    const sorted = pages.toSorted((one, other) => other.size - one.size);
    return (isLong ? sorted : sorted.slice(0, 1)).map(({ address }) => ({ address, turn: turns.get(kind) }));
  });
  const missing = site.manifest.not_found
    .filter(({ variants }) => variants.some((it) => it.media_type.startsWith('text/html')))
    .map(({ prefix }, turn) => ({ address: site.absolute(`${prefix}/there-is-no-such-page`), turn }));
  return [...pages, ...missing];
}

// Checks the pages in a browser: one or two of each kind in each language, in both colour schemes, from narrow to wide, with
// slow fonts, and without scripts; and where every article begins on a phone, and its text on paper. `--all` visits every
// page; `--once` leaves out what the theme alone decides, which is seen on any other site: slow fonts, paper, no scripts.

import { start } from './browser/chromium.mjs';
import { accessibility, arrangement, beginning, boldness, fullness, layout, lists, order, privacy, sheets, stillness, weight } from './browser/checks.mjs';
import { shown, visit } from './browser/visit.mjs';
import { Findings } from './findings.mjs';
import { Page } from './page.mjs';
import { Site } from './site.mjs';

/** Pages visited at the same time: one for each core of a small machine. */
const AT_ONCE = 2;

const PHONE = { width: 390, height: 844 };

const site = Site.fromArguments();
const findings = new Findings();
const kinds = await kindsOfPages();
const addresses = samples(process.argv.includes('--all'));
const isOnce = process.argv.includes('--once');
const articles = [...kinds].filter(([kind]) => kind.endsWith(' publication')).flatMap(([, pages]) => pages);
const waiting = [...addresses.map((it) => () => visits(it)), ...articles.map(({ address }) => () => articleVisits(address))];
const browser = await start();

try {
  await Promise.all(Array.from({ length: AT_ONCE }, visitRest));
} finally {
  await browser.close();
}
findings.end(`${addresses.length} of ${site.routes('page').length} pages`);

async function visitRest() {
  for (let task = waiting.shift(); task; task = waiting.shift()) await task();
}

async function articleVisits(address) {
  await visit(browser, address, { viewport: PHONE }, findings, isOnce ? [beginning] : [beginning, sheets]);
}

async function visits(address) {
  const seen = [];
  const reads = async (page) => seen.push((await page.locator('body').innerText()).replace(/\s+/g, ' ').trim());
  await visit(browser, address, {}, findings, [
    weight, reads, fullness, lists, order, accessibility,
    // 320 CSS pixels are 1280 at 400 % zoom (WCAG 2.2, 1.4.10).
    shown(320, 640, 'dark', [layout, order, accessibility]),
    shown(PHONE.width, PHONE.height, 'light', [layout, fullness, order, arrangement]),
    shown(820, 1180, 'dark', [layout, order, arrangement]),
    shown(1920, 1080, 'light', [layout, order, arrangement]),
    privacy,
  ]);
  if (isOnce) return;
  await visit(browser, address, { viewport: { width: 320, height: 640 }, slowFonts: true }, findings, [stillness, boldness]);
  const begins = articles.some((it) => it.address === address) ? [(page) => page.setViewportSize(PHONE), beginning] : [];
  await visit(browser, address, { javaScriptEnabled: false }, findings, [reads, ...begins]);
  findings.expect(seen[0] === seen[1] && seen[0]?.length > 100, address, 'reads differently without scripts');
}

/** Returns all pages by language and kind. */
async function kindsOfPages() {
  const groups = new Map();
  for (const route of site.routes('page')) {
    const address = site.absolute(route.path);
    const page = new Page((await site.get(address)).text);
    const kind = `${page.language} ${page.kind}`;
    groups.set(kind, [...(groups.get(kind) ?? []), { address, size: route.variants[0].size }]);
  }
  return groups;
}

/** Two pages of each kind in each language, the longest and the shortest; and those for unknown addresses. */
function samples(all) {
  const chosen = [...kinds.values()].flatMap((pages) => {
    const sorted = pages.toSorted((one, other) => one.size - other.size);
    return all ? sorted : [...new Set([sorted[0], sorted.at(-1)])];
  });
  const missing = site.manifest.not_found
    .filter(({ variants }) => variants.some((it) => it.media_type.startsWith('text/html')))
    .map(({ prefix }) => site.absolute(`${prefix}/there-is-no-such-page`));
  return [...chosen.map(({ address }) => address), ...missing];
}

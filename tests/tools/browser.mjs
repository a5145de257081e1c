// The pages in a browser: one or two of each kind in each language, in both colour schemes, narrow, and without
// scripts. `--all` visits every page.

import { start } from './browser/chromium.mjs';
import { accessibility, boldness, layout, order, privacy, stillness, weight } from './browser/checks.mjs';
import { visit } from './browser/visit.mjs';
import { Findings } from './findings.mjs';
import { Page } from './page.mjs';
import { Site } from './site.mjs';

/** Pages visited at the same time: one for each core of a small machine. */
const AT_ONCE = 2;

const site = Site.fromArguments();
const findings = new Findings();
const addresses = await samples(process.argv.includes('--all'));
const waiting = [...addresses];
const browser = await start();

try {
  await Promise.all(Array.from({ length: AT_ONCE }, visitRest));
} finally {
  await browser.close();
}
findings.end(`${addresses.length} of ${site.routes('page').length} pages`);

async function visitRest() {
  for (let address = waiting.shift(); address; address = waiting.shift()) {
    const seen = [];
    const reads = async (page) => seen.push(await page.locator('body').innerText());
    await visit(browser, address, { colorScheme: 'light' }, findings, [privacy, accessibility, weight, order, reads]);
    await visit(browser, address, { colorScheme: 'dark' }, findings, [privacy, accessibility]);
    // 320 CSS pixels are 1280 at 400 % zoom (WCAG 2.2, 1.4.10).
    await visit(browser, address, { viewport: { width: 320, height: 640 } }, findings, [privacy, accessibility, layout, order]);
    await visit(browser, address, { viewport: { width: 320, height: 640 }, slowFonts: true }, findings, [stillness, boldness]);
    await visit(browser, address, { javaScriptEnabled: false }, findings, [reads]);
    findings.expect(seen[0] === seen[1] && seen[0]?.length > 100, address, 'reads differently without scripts');
  }
}

/** Two pages of each kind in each language, the longest and the shortest; and those for unknown addresses. */
async function samples(all) {
  const groups = new Map();
  for (const route of site.routes('page')) {
    const address = site.absolute(route.path);
    const page = new Page((await site.get(address)).text);
    const kind = `${page.language} ${page.kind}`;
    groups.set(kind, [...(groups.get(kind) ?? []), { address, size: route.variants[0].size }]);
  }
  const chosen = [...groups.values()].flatMap((pages) => {
    pages.sort((one, other) => one.size - other.size);
    return all ? pages : [...new Set([pages[0], pages.at(-1)])];
  });
  const missing = site.manifest.not_found
    .filter(({ variants }) => variants.some((it) => it.media_type.startsWith('text/html')))
    .map(({ prefix }) => site.absolute(`${prefix}/there-is-no-such-page`));
  return [...chosen.map(({ address }) => address), ...missing];
}

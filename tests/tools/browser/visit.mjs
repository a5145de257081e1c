// One visit to one page with a new browser profile.

import { Findings } from '../findings.mjs';
import { newContext } from './chromium.mjs';

/**
 * Counts layout shifts, with the moved elements, and refused loads. Shifts while the document itself still arrives
 * do not count: the number of paints before its end depends on the machine.
 */
function observe() {
  window.judged = { shift: 0, moved: [], refused: [] };
  const name = (node) => (node?.localName ? `${node.localName}.${node.getAttribute('class') ?? ''}` : node?.parentElement?.localName) ?? '?';
  const waiting = [];
  const count = () => {
    const [{ domInteractive }] = performance.getEntriesByType('navigation');
    for (const entry of domInteractive ? waiting.splice(0) : []) {
      if (entry.startTime < domInteractive) continue;
      window.judged.shift += entry.value;
      window.judged.moved.push(...entry.sources.map((it) => name(it.node)));
    }
  };
  new PerformanceObserver((list) => {
    waiting.push(...list.getEntries().filter((it) => !it.hadRecentInput));
    count();
  }).observe({ type: 'layout-shift', buffered: true });
  document.addEventListener('readystatechange', count);
  document.addEventListener('securitypolicyviolation', (event) => window.judged.refused.push(`${event.violatedDirective} ${event.blockedURI}`));
}

/** The browser ended, or the page did not load. */
class NothingToSee extends Error {}

/**
 * Opens `address` with `options` of a browser context and runs `checks` on the page, its record and findings. With `slowFonts`,
 * fonts arrive long after everything else. If the browser ends or the page does not load, the page is visited once more, in
 * another browser, and findings until then are dropped.
 */
export async function visit(browser, address, options, findings, checks) {
  const { slowFonts, ...others } = options;
  const where = [address, slowFonts && 'slow fonts', ...Object.values(others).map((it) => it.width ?? it)].filter(Boolean).join(' ');
  for (const isLast of [false, true]) {
    const used = browser.current;
    const found = new Findings();
    try {
      await look(browser, address, options, found, checks, where);
    } catch (error) {
      const [why] = error.message.split('\n');
      if (error instanceof NothingToSee && !isLast) {
        console.log(`${where}: ${why}; it is visited once more, in another browser`);
        await browser.replace(used);
        continue;
      }
      found.add(address, `the visit failed: ${why}`);
    }
    return findings.take(found);
  }
}

async function look(browser, address, options, findings, checks, where) {
  const record = { address, requests: [], responses: [], messages: [], again: (check) => open(browser, address, options, check) };
  await open(browser, address, options, async (page) => {
    for (const check of checks) await check(page, record, findings, where);
  }, (page) => {
    page.on('request', (request) => record.requests.push(request));
    page.on('response', (response) => record.responses.push(response));
    page.on('console', (message) => record.messages.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => record.messages.push(`exception: ${error.message}`));
  });
}

/**
 * Returns a check that runs `checks` on the page as it is shown in a window of this size and in this colour scheme, from its
 * beginning. A page that was opened before costs much less than one that is opened anew.
 */
export function shown(width, height, colorScheme, checks) {
  return async (page, record, findings, where) => {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    // The next Tab goes to the first link.
    await page.evaluate(() => {
      const root = document.documentElement;
      root.tabIndex = -1;
      root.focus();
      root.blur();
      root.removeAttribute('tabindex');
      scrollTo(0, 0);
      return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))));
    });
    for (const check of checks) await check(page, record, findings, `${where} ${width} ${colorScheme}`);
  };
}

/**
 * Opens the page with a new profile, and passes it to `look` when everything has arrived.
 *
 * Throws `NothingToSee` if the page does not load or is empty, or if the browser ends during `look`.
 */
async function open(browser, address, { slowFonts, ...options }, look, before = () => {}) {
  let isLost = false;
  const lost = () => (isLost = true);
  const nothing = (error) => {
    throw new NothingToSee(error.message.split('\n')[0], { cause: error });
  };
  const context = await newContext(browser, { viewport: { width: 1280, height: 800 }, ...options }).catch(nothing);
  try {
    context.on('close', lost);
    const page = await context.newPage().catch(nothing);
    page.on('crash', lost);
    before(page);
    await arrive(page, address, slowFonts, options.javaScriptEnabled !== false).catch(nothing);
    return await look(page).catch((error) => {
      throw isLost ? new NothingToSee(`the browser ended or lost the page: ${error.message.split('\n')[0]}`) : error;
    });
  } finally {
    context.off('close', lost);
    // It is already closed if its browser ended.
    await context.close().catch(() => {});
  }
}

/** Waits until everything has arrived, and expects a text. */
async function arrive(page, address, slowFonts, isScripted) {
  if (isScripted) await page.addInitScript(observe);
  if (slowFonts) await openWithoutFonts(page, address);
  else await page.goto(address, { waitUntil: 'load' });
  await page.evaluate(() => document.fonts.ready.then(() => null));
  // A shift by a font shows in the next frame; without scripts no frame is reported.
  if (isScripted) await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))));
  if (!(await page.evaluate(() => document.body?.innerText.trim()))) throw new Error('the page is empty');
}

/** Opens the page; its fonts arrive after the first paint of its text. */
async function openWithoutFonts(page, address) {
  let release;
  const isPainted = new Promise((done) => (release = done));
  await page.route('**/*.woff2', (route) => isPainted.then(() => route.continue()).catch(() => {}));
  await page.goto(address, { waitUntil: 'domcontentloaded' });
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  release();
  await page.waitForLoadState('load');
}

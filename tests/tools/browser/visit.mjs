// One visit to one page by a browser that has never been here.

import { Findings } from '../findings.mjs';
import { newContext } from './chromium.mjs';

/**
 * Counts layout shifts, with what moved, and refused loads from the first moment on. What moves while the document itself
 * still arrives is not counted: how often a browser paints before its end depends on the machine alone.
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

/** Why there is nothing to look at: the browser ended, or the page did not arrive. */
class NothingToSee extends Error {}

/**
 * Opens `address` with `options` of a browser context and runs `checks` on the page, its record and findings. With `slowFonts`,
 * fonts arrive long after everything else. Where the browser ends or the page does not arrive, the page is visited once more, in
 * another browser; what was found until then does not count.
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
    // The next Tab goes to what comes first.
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
 * Opens the page in a browser that has never been here, and passes it to `look` when everything has arrived.
 *
 * Throws `NothingToSee` where the page does not arrive or is empty, and where `look` lost it.
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
    // It is closed already where its browser ended.
    await context.close().catch(() => {});
  }
}

/** Waits until everything has arrived, and expects that there is something to read. */
async function arrive(page, address, slowFonts, isScripted) {
  if (isScripted) await page.addInitScript(observe);
  if (slowFonts) await openWithoutFonts(page, address);
  else await page.goto(address, { waitUntil: 'load' });
  await page.evaluate(() => document.fonts.ready.then(() => null));
  // What a font moves on arrival shows in the next frame; without scripts no frame would be reported.
  if (isScripted) await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))));
  if (!(await page.evaluate(() => document.body?.innerText.trim()))) throw new Error('the page is empty');
}

/** Opens the page, whose fonts arrive once its text was painted without them. */
async function openWithoutFonts(page, address) {
  let release;
  const isPainted = new Promise((done) => (release = done));
  await page.route('**/*.woff2', (route) => isPainted.then(() => route.continue()).catch(() => {}));
  await page.goto(address, { waitUntil: 'domcontentloaded' });
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
  release();
  await page.waitForLoadState('load');
}

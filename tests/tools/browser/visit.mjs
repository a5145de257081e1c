// One visit to one page by a browser that has never been here.

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

/**
 * Opens `address` with `options` of a browser context and runs `checks` on the page and its record. With `slowFonts`,
 * fonts arrive long after everything else.
 */
export async function visit(browser, address, options, findings, checks) {
  const record = { address, requests: [], responses: [], messages: [], again: (look) => open(browser, address, options, look) };
  const { slowFonts, ...others } = options;
  const where = [address, slowFonts && 'slow fonts', ...Object.values(others).map((it) => it.width ?? it)].filter(Boolean).join(' ');
  try {
    await open(browser, address, options, async (page) => {
      for (const check of checks) await check(page, record, findings, where);
    }, (page) => {
      page.on('request', (request) => record.requests.push(request));
      page.on('response', (response) => record.responses.push(response));
      page.on('console', (message) => record.messages.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => record.messages.push(`exception: ${error.message}`));
    });
  } catch (error) {
    findings.add(address, `the visit failed: ${error.message.split('\n')[0]}`);
  }
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

/** Opens the page in a browser that has never been here, and passes it to `look` when everything has arrived. */
async function open(browser, address, { slowFonts, ...options }, look, before = () => {}) {
  const context = await newContext(browser, { viewport: { width: 1280, height: 800 }, ...options });
  try {
    const page = await context.newPage();
    before(page);
    const isScripted = options.javaScriptEnabled !== false;
    if (isScripted) await context.addInitScript(observe);
    if (slowFonts) await openWithoutFonts(page, address);
    else await page.goto(address, { waitUntil: 'load' });
    await page.evaluate(() => document.fonts.ready.then(() => null));
    // What a font moves on arrival shows in the next frame; without scripts no frame would be reported.
    if (isScripted) await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))));
    return await look(page);
  } finally {
    await context.close();
  }
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

// One visit to one page by a browser that has never been here.

import { createRequire } from 'node:module';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Counts layout shifts and refused loads from the first moment on. */
function observe() {
  window.judged = { shift: 0, refused: [] };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.judged.shift += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  document.addEventListener('securitypolicyviolation', (event) => window.judged.refused.push(`${event.violatedDirective} ${event.blockedURI}`));
}

/** How long a font takes on a slow line: longer than a page waits with its first paint. */
const SLOW_FONT = 600;

/**
 * Opens `address` with `options` of a browser context and runs `checks` on the page and its record. With `slowFonts`, fonts
 * come long after everything else.
 */
export async function visit(browser, address, { slowFonts, ...options }, findings, checks) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  if (slowFonts) await context.route('**/*.woff2', (route) => setTimeout(() => route.continue().catch(() => {}), SLOW_FONT));
  const page = await context.newPage();
  const record = { address, requests: [], responses: [], messages: [] };
  page.on('request', (request) => record.requests.push(request));
  page.on('response', (response) => record.responses.push(response));
  page.on('console', (message) => record.messages.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => record.messages.push(`exception: ${error.message}`));
  try {
    if (options.javaScriptEnabled !== false) {
      await context.addInitScript({ path: axe });
      await context.addInitScript(observe);
    }
    await page.goto(address, { waitUntil: 'load', timeout: 60_000 });
    await page.evaluate(() => document.fonts.ready.then(() => null));
    // What a font moves when it comes is seen in the frame after; without scripts no frame would be told of.
    if (options.javaScriptEnabled !== false) {
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))));
    }
    const where = [address, slowFonts && 'slow fonts', ...Object.values(options).map((it) => it.width ?? it)].filter(Boolean).join(' ');
    for (const check of checks) await check(page, record, findings, where);
  } catch (error) {
    findings.add(address, `the visit failed: ${error.message.split('\n')[0]}`);
  } finally {
    await context.close();
  }
}

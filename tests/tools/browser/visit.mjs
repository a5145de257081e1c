// One visit to one page by a browser that has never been here.

/** Counts layout shifts, with what moved, and refused loads from the first moment on. */
function observe() {
  window.judged = { shift: 0, moved: [], refused: [] };
  const name = (node) => (node?.localName ? `${node.localName}.${node.getAttribute('class') ?? ''}` : node?.parentElement?.localName) ?? '?';
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries().filter((it) => !it.hadRecentInput)) {
      window.judged.shift += entry.value;
      window.judged.moved.push(...entry.sources.map((it) => name(it.node)));
    }
  }).observe({ type: 'layout-shift', buffered: true });
  document.addEventListener('securitypolicyviolation', (event) => window.judged.refused.push(`${event.violatedDirective} ${event.blockedURI}`));
}

/** How long a font takes on a slow connection: longer than a page delays its first paint. */
const SLOW_FONT = 600;

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
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  try {
    if (slowFonts) await context.route('**/*.woff2', (route) => setTimeout(() => route.continue().catch(() => {}), SLOW_FONT));
    const page = await context.newPage();
    before(page);
    const isScripted = options.javaScriptEnabled !== false;
    if (isScripted) await context.addInitScript(observe);
    await page.goto(address, { waitUntil: 'load', timeout: 60_000 });
    await page.evaluate(() => document.fonts.ready.then(() => null));
    // What a font moves on arrival shows in the next frame; without scripts no frame would be reported.
    if (isScripted) await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))));
    return await look(page);
  } finally {
    await context.close();
  }
}

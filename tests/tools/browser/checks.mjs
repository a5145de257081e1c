// What is checked on a visit.

/** Bytes of HTML and style sheets together, as they cross the wire. */
const TEXT_LIMIT = 40 * 1024;
/** Bytes of all fonts a page may load. */
const FONT_LIMIT = 110 * 1024;
/** Bytes of scripts; none is required. */
const SCRIPT_LIMIT = 6 * 1024;

/** A font that comes late is not used, so nothing moves; what remains is rounding. */
const SHIFT_LIMIT = 0.005;

/** What readers see as bold, without code in it, which is never bold. */
const BOLD = 'main :is(h2, h3, h4, h5, h6, strong, th):not(:has(code))';
const BOLD_WEIGHT = 600;

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Expects no finding of axe at all: WCAG 2.2 AA and its advice beyond that. */
export async function accessibility(page, record, findings, where) {
  const { violations } = await page.evaluate((values) => window.axe.run(document, { runOnly: { type: 'tag', values }, resultTypes: ['violations'] }), RULES);
  for (const { id, help, nodes } of violations) {
    for (const node of nodes.slice(0, 5)) findings.add(where, `axe ${id}: ${help}; ${node.target.join(' ')}; ${node.failureSummary?.split('\n').at(-1).trim()}`);
  }
}

/** Expects that nothing leaves the origin, nothing is stored, and nothing is refused or complained about. */
export async function privacy(page, record, findings, where) {
  const { origin } = new URL(record.address);
  for (const request of record.requests) {
    const url = new URL(request.url());
    findings.expect(url.origin === origin || url.protocol === 'data:', where, `asks for ${url.href}`);
  }
  for (const response of record.responses) {
    findings.expect((await response.headerValue('set-cookie')) === null, where, `${response.url()} sets a cookie`);
    const expected = response.url() === record.address || response.status() < 400;
    findings.expect(expected, where, `${response.url()} answers ${response.status()}`);
  }
  const state = await page.context().storageState();
  findings.expect(state.cookies.length + state.origins.length === 0, where, 'stores something in the browser');
  // A browser reports the status of the page itself as an error too.
  const complaints = record.messages.filter((it) => !/the server responded with a status of 404/.test(it));
  for (const message of complaints) findings.add(where, `console ${message}`);
  const { refused } = await page.evaluate(() => window.judged);
  for (const what of refused) findings.add(where, `the content security policy refuses ${what}`);
  await stillness(page, record, findings, where);
}

/**
 * Expects that nothing moves while the page loads. A browser that got no processor for a while paints before everything
 * that it waits for has arrived, so a page that moved is opened twice more: what the page itself causes happens again.
 */
export async function stillness(page, record, findings, where) {
  const shown = () => window.judged;
  const seen = [await page.evaluate(shown)];
  const moved = ({ shift }) => shift >= SHIFT_LIMIT;
  if (moved(seen[0])) for (let time = 0; time < 2; time++) seen.push(await record.again((again) => again.evaluate(shown)));
  const told = seen.filter(moved).map((it) => `${it.shift.toFixed(3)} (${[...new Set(it.moved)].join(', ')})`);
  findings.expect(seen.length === 1 || told.length === 1, where, `the layout shifts by ${told.join(', then ')}`);
}

/** Expects the page to be light enough for a slow connection. */
export async function weight(page, record, findings, where) {
  const sizes = { text: 0, fonts: 0, scripts: 0 };
  for (const response of record.responses) {
    const type = (await response.headerValue('content-type')) ?? '';
    const group = /^text\/(html|css)/.test(type) ? 'text' : /^font\//.test(type) ? 'fonts' : /script/.test(type) ? 'scripts' : null;
    if (group) sizes[group] += (await response.request().sizes()).responseBodySize;
  }
  const limits = { text: TEXT_LIMIT, fonts: FONT_LIMIT, scripts: SCRIPT_LIMIT };
  for (const [group, limit] of Object.entries(limits)) {
    findings.expect(sizes[group] <= limit, where, `loads ${sizes[group]} bytes of ${group}; ${limit} are allowed`);
  }
}

/** Expects no scrolling in two directions. */
export async function layout(page, record, findings, where) {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  const wide = await page.evaluate(() => {
    const scrolls = (node) => node && (getComputedStyle(node).overflowX !== 'visible' || scrolls(node.parentElement));
    return [...document.body.querySelectorAll('*')]
      .filter((it) => it.getBoundingClientRect().right > innerWidth + 1 && !scrolls(it.parentElement))
      .map((it) => `${it.tagName.toLowerCase()}.${it.className}`)
      .slice(0, 3);
  });
  findings.expect(width <= page.viewportSize().width, where, `is ${width} pixels wide; too wide: ${wide.join(', ')}`);
}

/**
 * Expects the keyboard in the header, where every visit begins, to follow the eye: along a line, then down (WCAG 2.2,
 * 2.4.3).
 */
export async function order(page, record, findings, where) {
  const back = await page.evaluate(() => {
    const links = [...document.querySelectorAll('.site-header .wrap a[href]')].map((it) => ({ name: it.textContent.trim(), place: it.getBoundingClientRect() }));
    const follows = (one, next) => next.top >= one.bottom - 1 || (next.left > one.left && next.bottom > one.top);
    return links.slice(1).filter(({ place }, at) => !follows(links[at].place, place)).map(({ name }) => name);
  });
  findings.expect(back.length === 0, where, `the keyboard goes back to ${back.join(', ')}`);
}

/**
 * Expects bold text to have a bold face when the site's own fonts come too late: without one it would look like any
 * other text.
 */
export async function boldness(page, record, findings, where) {
  const weights = await page.locator(BOLD).evaluateAll((all) => all.map((it) => Number(getComputedStyle(it).fontWeight)));
  const client = await page.context().newCDPSession(page);
  await client.send('DOM.enable');
  await client.send('CSS.enable');
  const { root } = await client.send('DOM.getDocument');
  const { nodeIds } = await client.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: BOLD });
  const bold = nodeIds.filter((_, at) => weights[at] >= BOLD_WEIGHT);
  const used = await Promise.all(bold.map((nodeId) => client.send('CSS.getPlatformFontsForNode', { nodeId })));
  const plain = used.flatMap(({ fonts }) => fonts).filter((it) => !it.isCustomFont && !/bold/i.test(it.postScriptName));
  findings.expect(plain.length === 0, where, `shows what is bold in ${[...new Set(plain.map((it) => it.postScriptName))].join(', ')}`);
}

/** Expects the footer to follow the text on paper, not on a sheet of its own. */
export async function sheets(page, record, findings, where) {
  const printed = async () => (await page.pdf({ preferCSSPageSize: true })).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length;
  const whole = await printed();
  await page.locator('.site-footer').evaluate((it) => it.remove());
  findings.expect(whole === (await printed()), where, 'has a sheet of paper for the footer alone');
}

// The checks of a visit.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Bytes of HTML and style sheets together. The sites of the tests are not compressed; the goal is 40 KB compressed. */
const TEXT_LIMIT = 42 * 1024;
/** Bytes of all fonts a page may load. */
const FONT_LIMIT = 110 * 1024;
/** Bytes of scripts; none is required. */
const SCRIPT_LIMIT = 6 * 1024;

/** A late font is not used, so nothing moves; the rest is rounding. */
const SHIFT_LIMIT = 0.005;

/** What readers see as bold, without code in it, which is never bold. */
const BOLD = 'main :is(h2, h3, h4, h5, h6, strong, th):not(:has(code))';
const BOLD_WEIGHT = 600;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Expects no finding of axe at all: WCAG 2.2 AA and its advice beyond that, and for contrast AAA. */
export async function accessibility(page, record, findings, where) {
  await axe(page, { 'color-contrast-enhanced': { enabled: true } }, findings, where);
}

/** The same without contrast, which no width of a window changes. */
export async function arrangement(page, record, findings, where) {
  await axe(page, { 'color-contrast': { enabled: false } }, findings, where);
}

/** The same for a part of a page that another program made. */
export async function accessiblePart(page, part, findings, where) {
  await axe(page, { 'color-contrast-enhanced': { enabled: true } }, findings, where, part);
}

async function axe(page, rules, findings, where, part = 'html') {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const options = { runOnly: { type: 'tag', values: RULES }, rules, resultTypes: ['violations'] };
  const { violations } = await page.evaluate(([part, options]) => window.axe.run(part, options), [part, options]);
  for (const { id, help, nodes } of violations) {
    for (const node of nodes.slice(0, 5)) findings.add(where, `axe ${id}: ${help}; ${node.target.join(' ')}; ${node.failureSummary?.split('\n').at(-1).trim()}`);
  }
}

/** Expects requests to the origin only, nothing stored, nothing refused, and an empty console. */
export async function privacy(page, record, findings, where) {
  const { origin } = new URL(record.address);
  for (const request of record.requests) {
    const url = new URL(request.url());
    findings.expect(url.origin === origin || url.protocol === 'data:', where, `requests ${url.href}`);
  }
  for (const response of record.responses) {
    findings.expect((await response.headerValue('set-cookie')) === null, where, `${response.url()} sets a cookie`);
    const expected = response.url() === record.address || response.status() < 400;
    findings.expect(expected, where, `${response.url()} answers ${response.status()}`);
  }
  const cookies = await page.context().cookies();
  const stored = await page.evaluate(async () => localStorage.length + sessionStorage.length + (await indexedDB.databases()).length);
  findings.expect(cookies.length + stored === 0, where, 'stores something in the browser');
  // A browser reports the status of the page itself as an error too.
  const complaints = record.messages.filter((it) => !/the server responded with a status of 404/.test(it));
  for (const message of complaints) findings.add(where, `console ${message}`);
  const { refused } = await page.evaluate(() => window.judged);
  for (const what of refused) findings.add(where, `the content security policy refuses ${what}`);
  await stillness(page, record, findings, where);
}

/** Maximum number of visits to a page that shifts. */
const OPENED = 5;

/**
 * Expects that nothing moves while the page loads. A browser on a busy machine paints before everything that it waits
 * for has arrived, so a page that shifts is opened again until it does not: a shift of the page itself happens
 * every time.
 */
export async function stillness(page, record, findings, where) {
  const shown = () => window.judged;
  const seen = [await page.evaluate(shown)];
  const isStill = () => seen.at(-1).shift < SHIFT_LIMIT;
  while (!isStill() && seen.length < OPENED) seen.push(await record.again((again) => again.evaluate(shown)));
  const shifts = seen.map((it) => `${it.shift.toFixed(3)} (${[...new Set(it.moved)].join(', ')})`);
  findings.expect(isStill(), where, `the layout shifts by ${shifts.join(', then ')}`);
}

/** Expects the page to be light enough for a slow connection. */
export async function weight(page, record, findings, where) {
  const sizes = { text: 0, fonts: 0, scripts: 0 };
  for (const response of record.responses) {
    const type = response.headers()['content-type'] ?? '';
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
  const { width, wide } = await page.evaluate(() => {
    const scrolls = (node) => node && (getComputedStyle(node).overflowX !== 'visible' || scrolls(node.parentElement));
    const wide = () => [...document.body.querySelectorAll('*')]
      .filter((it) => it.getBoundingClientRect().right > innerWidth + 1 && !scrolls(it.parentElement))
      .map((it) => `${it.tagName.toLowerCase()}.${it.className}`)
      .slice(0, 3);
    const width = document.documentElement.scrollWidth;
    return { width, wide: width > innerWidth ? wide() : [] };
  });
  findings.expect(width <= page.viewportSize().width, where, `is ${width} pixels wide; too wide: ${wide.join(', ')}`);
}

/** Expects no heading, list, section or column without content, and each face to fill a frame of one shape. */
export async function fullness(page, record, findings, where) {
  const { empty, faces } = await page.evaluate(async () => {
    const holds = (node, heading = '') => node.innerText.replace(heading, '').trim() !== '' || node.querySelector('img, input, .monogram');
    const isShown = (node) => node.checkVisibility();
    const parts = [...document.querySelectorAll('main :is(h1, h2, h3, h4, h5, h6, p, ul, ol, dl, dd, section, nav, .rail):not([role=status])')].filter(isShown);
    const portraits = [...document.querySelectorAll('.portrait')].filter(isShown);
    await Promise.allSettled(portraits.map((it) => it.decode && ((it.loading = 'eager'), it.decode())));
    return {
      empty: parts.filter((it) => !holds(it, it.localName === 'section' ? it.querySelector('h2')?.innerText : '')).map((it) => `${it.localName}.${it.className}`),
      faces: portraits.filter((it) => {
        const { width, height } = it.getBoundingClientRect();
        return it.naturalWidth === 0 || Math.abs(width / height - 5 / 6) > 0.01;
      }).map((it) => it.currentSrc ?? it.textContent),
    };
  });
  findings.expect(empty.length === 0, where, `has nothing in ${empty.join(', ')}`);
  findings.expect(faces.length === 0, where, `shows faces out of their frame: ${faces.join(', ')}`);
}

/** Expects lists without marks to have the role: otherwise Safari does not treat them as lists. */
export async function lists(page, record, findings, where) {
  const unsaid = await page.evaluate(() =>
    [...document.querySelectorAll('ul, ol')]
      .filter((it) => getComputedStyle(it).listStyleType === 'none' && it.getAttribute('role') !== 'list')
      .map((it) => `${it.localName}.${it.className} in ${it.parentElement.localName}.${it.parentElement.className}`),
  );
  findings.expect(unsaid.length === 0, where, `has lists that Safari does not take for lists: ${unsaid.join(', ')}`);
}

/** The lowest place at which the first sentence of an article may begin on a phone, in CSS pixels. */
const FIRST_SENTENCE = 600;

/** Expects an article to begin on the first screen of a phone. */
export async function beginning(page, record, findings, where) {
  const top = await page.evaluate(() => document.querySelector('.text.prose > :is(p, ul, ol, blockquote, .quotation, .table)')?.getBoundingClientRect().top);
  findings.expect(top < FIRST_SENTENCE, where, `begins at ${Math.round(top)} pixels; ${FIRST_SENTENCE} are allowed`);
}

/**
 * Expects the first Tab on the link that skips to the text, then the links of the header, where every visit
 * begins, in visual order: along a line, then down (WCAG 2.2, 2.4.3).
 */
export async function order(page, record, findings, where) {
  const { back, first, jumps } = await page.evaluate(() => {
    const links = [...document.querySelectorAll('.site-header .wrap :is(a[href], button, input)')].filter((it) => it.checkVisibility());
    const places = links.map((it) => ({ name: it.textContent.trim(), place: it.getBoundingClientRect() }));
    const follows = (one, next) => next.top >= one.bottom - 1 || (next.left > one.left && next.bottom > one.top);
    return {
      back: places.slice(1).filter(({ place }, at) => !follows(places[at].place, place)).map(({ name }) => name),
      first: document.querySelector('.site-header .wrap a[href], main a[href]')?.getAttribute('href'),
      jumps: document.querySelectorAll('[tabindex]:not([tabindex="0"], [tabindex="-1"])').length,
    };
  });
  findings.expect(back.length === 0, where, `the keyboard goes back to ${back.join(', ')}`);
  const stops = [];
  for (const _ of [1, 2]) {
    await page.keyboard.press('Tab');
    stops.push(await page.evaluate(() => document.activeElement?.getAttribute('href')));
  }
  findings.expect(stops[0] === '#_main' && stops[1] === first, where, `the keyboard comes first to ${stops.join(', ')}`);
  findings.expect(jumps === 0, where, 'changes the order of the keyboard');
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

/**
 * Expects all of an article on paper, with the addresses of its links, its own address once, and the footer on
 * every sheet, below the text.
 */
export async function sheets(page, record, findings, where) {
  const paper = (await sheetsOf(await page.pdf({ preferCSSPageSize: true }))).map(letters);
  const footer = letters((await page.locator('.site-footer .firm, .site-footer address').allInnerTexts()).join(''));
  const text = paper.map((sheet) => sheet.slice(0, sheet.lastIndexOf(footer))).join('');
  for (const passage of await page.evaluate(passages)) findings.expect(text.includes(letters(passage)), where, `paper lacks: ${passage.slice(0, 90)}`);
  const address = letters(await page.locator('.citation .url').innerText());
  const times = text.split(address).length - 1;
  findings.expect(times === 1, where, `paper names the address of the article ${times} times`);
  findings.expect(paper.every((sheet) => sheet.lastIndexOf(footer) > 0), where, 'has a sheet of paper without the footer, or for it alone');
}

/** Returns the passages of an article, with the address that follows each link on paper. */
function passages() {
  const { origin } = document.body.dataset;
  const textOf = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.matches?.('.anchor, .footnote-back, .visually-hidden')) return '';
    const words = [...node.childNodes].map(textOf).join('');
    const href = node.localName === 'a' ? node.getAttribute('href') : '#';
    return href.startsWith('#') ? words : `${words} (${href.startsWith('/') ? origin : ''}${href})`;
  };
  const blocks = [...document.querySelectorAll('.prose :is(p, li, h2, h3, h4, td, th)')].filter((it) => !it.querySelector('p, li, ul, ol'));
  return [document.querySelector('h1').textContent, document.querySelector('.standfirst')?.textContent ?? '', ...blocks.map(textOf)];
}

/** Returns only letters and digits, since lines, hyphens and ligatures differ on paper. */
function letters(text) {
  return text.normalize('NFKC').replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns the text of each sheet of a PDF, without the number at its foot. */
async function sheetsOf(pdf) {
  const folder = await mkdtemp(join(tmpdir(), 'mecelle-paper.'));
  try {
    const file = join(folder, 'article.pdf');
    await writeFile(file, pdf);
    const { stdout } = await promisify(execFile)('pdftotext', [file, '-'], { maxBuffer: 16 << 20 });
    return stdout.split('\f').slice(0, -1).map((text) => text.replace(/\d+\s*\/\s*\d+\s*$/, ''));
  } finally {
    await rm(folder, { recursive: true });
  }
}

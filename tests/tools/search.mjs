// Checks the search script: suggestions while typing, by keyboard and pointer; few requests; and
// that the form works without it, and without a response.
//
// The clock of the pages is simulated: it advances as a quick reader types, however slow the machine is.

import { accessibility, layout } from './browser/checks.mjs';
import { start } from './browser/chromium.mjs';
import { visit } from './browser/visit.mjs';
import { Findings } from './findings.mjs';
import { Site } from './site.mjs';

/** Milliseconds between two keys: fewer than the 250 after which the script sends a request. */
const BETWEEN_KEYS = 200;
/** Milliseconds within which the request must be sent. */
const AFTER_KEYS = 1_000;
/** The time at which the pages are opened, and at which their clock is paused: no timer is that long. */
const OPENED = new Date('2026-11-21T09:00:00+03:00');
const TAKEN_OVER = new Date('2026-11-22T09:00:00+03:00');

/** Pages with the form in their text and in their header, and the words typed there. */
const PAGES = { '/en/search': 'severance', '/tr/iletisim': 'kıdem tazminatı' };

const site = Site.fromArguments();
const findings = new Findings();

async function checkPage(address, words) {
  const inPage = (options, check) => visit(browser, address, options, findings, [
    async (page, record, _, where) => check(await Search.on(page, record, options.javaScriptEnabled !== false), where),
  ]);

  await inPage({}, async (search, where) => {
    await search.type(words.slice(0, 1));
    await search.pass(AFTER_KEYS);
    findings.expect((await search.requestCount()) === 0, where, 'sends a request for one letter');
    await search.type(words.slice(1));
    findings.expect((await search.requestCount()) === 0, where, 'sends a request during typing');
    await search.pass(AFTER_KEYS);
    await search.opened();
    findings.expect((await search.requestCount()) === 1, where, `sends ${await search.requestCount()} requests for ${words.length} letters`);
    const offered = await search.offered();
    const shown = await results(search.page, words);
    findings.expect(offered.length > 1 && offered.join() === shown.slice(0, offered.length).join(), where, `offers ${offered}, and the page shows ${shown}`);
    await search.untouched(() => accessibility(search.page, null, findings, `${where}, offers`));

    await search.press('ArrowDown', 'ArrowDown', 'ArrowUp');
    const first = await search.active();
    findings.expect(first?.path === offered[0] && first.isSelected === 'true', where, `the arrows lead to ${first?.path}`);
    await search.untouched(() => accessibility(search.page, null, findings, `${where}, one chosen`));
    await search.press('ArrowUp');
    findings.expect((await search.active()) === null, where, 'the arrows do not lead back to the field');
    await search.press('ArrowUp');
    findings.expect((await search.active())?.path === offered.at(-1), where, 'the arrows do not go round');
    await search.press('Escape');
    findings.expect(!(await search.isOpen()) && (await search.field.inputValue()) === words, where, 'Escape does not close the list, or takes the words');
    await search.press('ArrowDown');
    findings.expect(await search.isOpen(), where, 'an arrow does not open the list again');
    await search.press('Enter');
    await search.page.waitForURL(`**${offered[0]}`);
  });
  await inPage({}, async (search, where) => {
    await search.type(words);
    await search.pass(AFTER_KEYS);
    await search.opened();
    await search.press('Tab');
    findings.expect(!(await search.isOpen()), where, 'the list stays open when the field is left');
    await search.field.focus();
    await search.press('Enter');
    await search.page.waitForURL('**?q=*');
    findings.expect((await search.page.locator('.hits > li').count()) > 1, where, 'Enter does not search');
  });
  await inPage({ viewport: { width: 1024, height: 700 }, colorScheme: 'dark' }, async (search, where) => {
    await search.type(words);
    await search.pass(AFTER_KEYS);
    await search.opened();
    await layout(search.page, null, findings, `${where}, offers`);
    await search.untouched(() => accessibility(search.page, null, findings, `${where}, offers`));
    const [path] = await search.offered();
    await search.list.locator('[role=option]').first().click();
    await search.page.waitForURL(`**${path}`);
  });
  await inPage({}, async (search, where) => {
    await search.page.route('**?q=*', (route) => route.fulfill({ status: 429, headers: { RateLimit: '"search";r=0;t=60', 'Retry-After': '60' }, body: '' }));
    await search.type(words);
    const refused = search.page.waitForResponse('**?q=*');
    await search.pass(AFTER_KEYS);
    await refused;
    for (const [seconds, expected] of [[30, 1], [30, 2]]) {
      // The response to the previous request has been read.
      await search.requestCount();
      await search.pass(seconds * 1_000);
      await search.type('s');
      await search.pass(AFTER_KEYS);
      const requests = await search.requestCount();
      findings.expect(!(await search.isOpen()) && requests === expected, where, `sends ${requests} requests, not ${expected}, after Retry-After of a minute`);
    }
  });
  await inPage({}, async (search, where) => {
    await search.page.context().setOffline(true);
    await search.type(words);
    const failed = search.page.waitForEvent('requestfailed');
    await search.pass(AFTER_KEYS);
    await failed;
    findings.expect(!(await search.isOpen()), where, 'offers something offline');
    const exceptions = search.record.messages.filter((it) => it.startsWith('exception'));
    findings.expect(exceptions.length === 0, where, exceptions.join());
  });
  await inPage({ javaScriptEnabled: false }, async (search, where) => {
    findings.expect((await search.field.getAttribute('role')) === null, where, 'claims without scripts to offer something');
    await search.field.pressSequentially(words);
    await search.press('Enter');
    await search.page.waitForURL('**?q=*');
    findings.expect((await search.page.locator('.hits > li').count()) > 1, where, 'does not search without scripts');
  });
}

/** Returns the paths on the search page. */
async function results(page, words) {
  return page.evaluate(async (words) => {
    const answer = await fetch(`${document.querySelector('form.search').action}?q=${encodeURIComponent(words)}`);
    const links = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelectorAll('.hits h2 a');
    return [...links].map((link) => link.getAttribute('href'));
  }, words);
}

/** The form of an open page with a simulated clock. */
class Search {
  static async on(page, record, isScripted) {
    if (isScripted) {
      await page.clock.install({ time: OPENED });
      await page.clock.pauseAt(TAKEN_OVER);
    }
    return Object.assign(new Search(), { page, record, field: page.locator('form.search input'), list: page.locator('form.search .offers') });
  }

  /** Types one letter at a time, faster than the delay of the script. */
  async type(words) {
    for (const letter of words) {
      await this.field.pressSequentially(letter);
      await this.pass(BETWEEN_KEYS);
    }
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Advances the clock of the page. */
  async pass(milliseconds) {
    await this.page.clock.runFor(milliseconds);
  }

  /** Calls `look` with a running clock, as programs in the page need. */
  async untouched(look) {
    await this.page.clock.resume();
    await look();
    await this.page.clock.pauseAt(new Date((await this.page.evaluate(() => Date.now())) + 3_600_000));
  }

  /** Counts the requests of the script. A request of our own is sent last, so all earlier ones are recorded. */
  async requestCount() {
    const own = `/robots.txt?${(this.ownRequests = (this.ownRequests ?? 0) + 1)}`;
    const known = this.page.waitForRequest(`**${own}`);
    await this.page.evaluate((own) => fetch(own).then((answer) => answer.text()).catch(() => {}), own);
    await known;
    return this.record.requests.filter((request) => request.url().includes('?q=')).length;
  }

  opened() {
    return this.list.waitFor({ state: 'visible' });
  }

  async isOpen() {
    const isShown = await this.list.isVisible();
    const isExpanded = (await this.field.getAttribute('aria-expanded')) === 'true';
    if (isShown !== isExpanded) throw new Error('aria-expanded differs from the list');
    return isShown;
  }

  offered() {
    return this.list.locator('[role=option]').evaluateAll((all) => all.map((it) => it.dataset.path));
  }

  /** The active option; null if the focus is in the field. */
  active() {
    return this.field.evaluate((field) => {
      const id = field.getAttribute('aria-activedescendant');
      const option = id && document.getElementById(id);
      return option && { path: option.dataset.path, isSelected: option.getAttribute('aria-selected') };
    });
  }
}

const browser = await start();
try {
  for (const [path, words] of Object.entries(PAGES)) await checkPage(site.absolute(path), words);
} finally {
  await browser.close();
}
findings.end(Object.keys(PAGES).join(', '));

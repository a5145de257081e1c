// Checks the script of the search: what it offers while words are typed, by keyboard and pointer; that it asks little, and
// that without it, or without an answer, the form works as it is.

import { accessibility, layout } from './browser/checks.mjs';
import { start } from './browser/chromium.mjs';
import { visit } from './browser/visit.mjs';
import { Findings } from './findings.mjs';
import { Site } from './site.mjs';

/** Milliseconds in which an answer must have been shown. */
const SOON = 5_000;
/** Milliseconds in which nothing must have happened; the script waits 250 without a key. */
const WHILE = 900;

/** Pages with the form in their text and in their header, and the words typed there. */
const PAGES = { '/en/search': 'severance', '/tr/iletisim': 'kıdem tazminatı' };

const site = Site.fromArguments();
const findings = new Findings();

async function judge(address, words) {
  const looks = (options, check) => visit(browser, address, options, findings, [(page, record, _, where) => check(Search.on(page, record), where)]);

  await looks({}, async (search, where) => {
    await search.type(words.slice(0, 1));
    await search.page.waitForTimeout(WHILE);
    findings.expect(search.questions() === 0, where, 'asks about one letter');
    await search.type(words.slice(1));
    await search.opened();
    findings.expect(search.questions() < words.length / 2, where, `asks ${search.questions()} times about ${words.length} letters`);
    const offered = await search.offered();
    const shown = await results(search.page, words);
    findings.expect(offered.length > 1 && offered.join() === shown.slice(0, offered.length).join(), where, `offers ${offered}, and the page shows ${shown}`);
    await accessibility(search.page, null, findings, `${where}, offers`);

    await search.press('ArrowDown', 'ArrowDown', 'ArrowUp');
    const first = await search.active();
    findings.expect(first?.path === offered[0] && first.isSelected === 'true', where, `the arrows lead to ${first?.path}`);
    await accessibility(search.page, null, findings, `${where}, one chosen`);
    await search.press('ArrowUp');
    findings.expect((await search.active()) === null, where, 'the arrows do not lead back to the field');
    await search.press('ArrowUp');
    findings.expect((await search.active())?.path === offered.at(-1), where, 'the arrows do not go round');
    await search.press('Escape');
    findings.expect(!(await search.isOpen()) && (await search.field.inputValue()) === words, where, 'Escape does not close the list, or takes the words');
    await search.press('ArrowDown');
    findings.expect(await search.isOpen(), where, 'an arrow does not open the list again');
    await search.press('Enter');
    await search.page.waitForURL(`**${offered[0]}`, { timeout: SOON });
  });
  await looks({}, async (search, where) => {
    await search.type(words);
    await search.opened();
    await search.press('Tab');
    findings.expect(!(await search.isOpen()), where, 'the list stays open when the field is left');
    await search.field.focus();
    await search.press('Enter');
    await search.page.waitForURL('**?q=*', { timeout: SOON });
    findings.expect((await search.page.locator('.hits > li').count()) > 1, where, 'Enter does not search');
  });
  await looks({ viewport: { width: 1024, height: 700 }, colorScheme: 'dark' }, async (search, where) => {
    await search.type(words);
    await search.opened();
    await layout(search.page, null, findings, `${where}, offers`);
    await accessibility(search.page, null, findings, `${where}, offers`);
    const [path] = await search.offered();
    await search.list.locator('[role=option]').first().click();
    await search.page.waitForURL(`**${path}`, { timeout: SOON });
  });
  await looks({}, async (search, where) => {
    await search.page.route('**?q=*', (route) => route.fulfill({ status: 429, headers: { RateLimit: '"search";r=0;t=60', 'Retry-After': '60' }, body: '' }));
    await search.type(words);
    await search.page.waitForTimeout(WHILE);
    await search.type('s');
    await search.page.waitForTimeout(WHILE);
    findings.expect(!(await search.isOpen()) && search.questions() === 1, where, `asks ${search.questions()} times of a site that asks to wait`);
  });
  await looks({}, async (search, where) => {
    await search.page.context().setOffline(true);
    await search.type(words);
    await search.page.waitForTimeout(WHILE);
    findings.expect(!(await search.isOpen()), where, 'offers something offline');
    const exceptions = search.record.messages.filter((it) => it.startsWith('exception'));
    findings.expect(exceptions.length === 0, where, exceptions.join());
  });
  await looks({ javaScriptEnabled: false }, async (search, where) => {
    findings.expect((await search.field.getAttribute('role')) === null, where, 'claims without scripts to offer something');
    await search.type(words);
    await search.press('Enter');
    await search.page.waitForURL('**?q=*', { timeout: SOON });
    findings.expect((await search.page.locator('.hits > li').count()) > 1, where, 'does not search without scripts');
  });
}

/** Returns the paths that the search page itself shows. */
async function results(page, words) {
  return page.evaluate(async (words) => {
    const answer = await fetch(`${document.querySelector('form.search').action}?q=${encodeURIComponent(words)}`);
    const links = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelectorAll('.hits h2 a');
    return [...links].map((link) => link.getAttribute('href'));
  }, words);
}

/** The form of a page that was opened. */
class Search {
  static on(page, record) {
    return Object.assign(new Search(), { page, record, field: page.locator('form.search input'), list: page.locator('form.search .offers') });
  }

  async type(words) {
    await this.field.pressSequentially(words, { delay: 30 });
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  questions() {
    return this.record.requests.filter((request) => request.url().includes('?q=')).length;
  }

  opened() {
    return this.list.waitFor({ state: 'visible', timeout: SOON });
  }

  async isOpen() {
    const isShown = await this.list.isVisible();
    const isSaid = (await this.field.getAttribute('aria-expanded')) === 'true';
    if (isShown !== isSaid) throw new Error('aria-expanded says something else than the list');
    return isShown;
  }

  offered() {
    return this.list.locator('[role=option]').evaluateAll((all) => all.map((it) => it.dataset.path));
  }

  /** The option that the focus stands for; null if it is in the field. */
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
  for (const [path, words] of Object.entries(PAGES)) await judge(site.absolute(path), words);
} finally {
  await browser.close();
}
findings.end(Object.keys(PAGES).join(', '));

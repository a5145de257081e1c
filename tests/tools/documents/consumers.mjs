// What programs of others read: Obsidian's clipper (defuddle), a reader of feeds (feedparser), a robots parser.

import { Readable } from 'node:stream';

import { Defuddle } from 'defuddle/node';
import FeedParser from 'feedparser';
import { parseHTML } from 'linkedom';
import robotsParser from 'robots-parser';

import { text } from './answer.mjs';

/** The articles that are read. */
const ARTICLES = 6;

export async function judge(site, findings) {
  await robots(site, findings);
  for (const path of ['/en/atom.xml', '/tr/atom.xml']) await feed(site, findings, path);
  const dated = [];
  for (const { path } of site.routes('page').filter(({ path }) => /^[/](en[/]publications|tr[/]yayinlar)[/]/.test(path))) {
    if (dated.length < ARTICLES && (await site.get(path)).text.includes('article:modified_time')) dated.push(path);
  }
  findings.expect(dated.length > 0, 'articles', 'none has a day of the law');
  for (const path of dated) await clipping(site, findings, path);
}

async function robots(site, findings) {
  const path = '/robots.txt';
  const rules = robotsParser(site.absolute(path), (await text(site, findings, path, 'text/plain')) ?? '');
  findings.expect(rules.isDisallowed(site.absolute('/agent/auth'), 'GPTBot'), path, 'lets GPTBot register');
  findings.expect(rules.isAllowed(site.absolute('/en/publications'), 'GPTBot'), path, 'keeps GPTBot out of the articles');
}

/** Expects a reader of feeds to open the page of each entry, and to name a person as its author. */
async function feed(site, findings, path) {
  const body = await text(site, findings, path, 'application/atom+xml');
  if (body === null) return;
  const parser = Readable.from([body]).pipe(new FeedParser({ addmeta: false }));
  let count = 0;
  for await (const entry of parser) {
    count += 1;
    findings.expect(!/[.]md$/.test(entry.link), path, `a reader opens ${entry.link}`);
    findings.expect(entry.pubdate instanceof Date, path, `${entry.link} has no day`);
  }
  findings.expect(count > 0, path, 'has no entry for a reader');
}

/** Expects the days of the law and of changes in what a reader keeps of an article. */
async function clipping(site, findings, path) {
  const page = (await site.get(path)).text;
  const { document } = parseHTML(page);
  const list = document.querySelector('.facts.rows');
  const wanted = [...list.querySelectorAll('dd')].map((value) => value.textContent).filter((value) => /[0-9]{4}/.test(value));
  const { content } = await Defuddle(parseHTML(page).document, site.absolute(path), { markdown: true });
  const letters = (words) => words.replace(/[^\p{L}\p{N}]+/gu, '');
  const kept = letters(content);
  for (const value of wanted.filter((value) => !value.includes('://'))) {
    findings.expect(kept.includes(letters(value)), path, `a clipping loses ${JSON.stringify(value.trim())}`);
  }
}

// What programs of others read: extractors of texts, among them Obsidian's clipper (defuddle), readers of feeds, a Markdown
// parser with notes, a robots parser. Each with its own settings.

import { Readable } from 'node:stream';

import { extractFromXml } from '@extractus/feed-extractor';
import { Readability } from '@mozilla/readability';
import { parseFeed as parseRowanFeed } from '@rowanmanning/feed-parser';
import { Defuddle } from 'defuddle/node';
import FeedMe from 'feedme';
import FeedParser from 'feedparser';
import { parseAtomFeed } from 'feedsmith';
import { parseFeed } from 'htmlparser2';
import { parseHTML } from 'linkedom';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import robotsParser from 'robots-parser';
import RssParser from 'rss-parser';
import TurndownService from 'turndown';

import { text } from './answer.mjs';

/** The articles that are read. */
const ARTICLES = 6;
/** The passages that extractors must keep, at least. */
const PARTS = 120;

export async function judge(site, findings) {
  await robots(site, findings);
  for (const path of ['/en/atom.xml', '/tr/atom.xml']) await feed(site, findings, path);
  await extractions(site, findings);
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

const alternate = (links) => [links].flat().find((link) => (link.rel ?? 'alternate') === 'alternate').href;

/** Each reader returns the address, the day and, if it has them, the authors of every entry. */
const readers = {
  '@extractus/feed-extractor': (xml) => extractFromXml(xml).entries.map((it) => [it.link, it.published]),
  '@rowanmanning/feed-parser': (xml) =>
    parseRowanFeed(xml).items.map((it) => [it.url, it.published, it.authors.map((author) => author.name)]),
  feedme: (xml) => {
    const parser = new FeedMe(true);
    parser.end(xml);
    return parser.done().items.map((it) => [alternate(it.link), it.published, [it.author].flat().map(({ name }) => name)]);
  },
  feedparser: async (xml) => {
    const entries = await Array.fromAsync(Readable.from([xml]).pipe(new FeedParser({ addmeta: false })));
    return entries.map((it) => [it.link, it.pubdate]);
  },
  feedsmith: (xml) =>
    parseAtomFeed(xml).entries.map((it) => [alternate(it.links), it.published, it.authors.map(({ name }) => name)]),
  htmlparser2: (xml) => parseFeed(xml).items.map((it) => [it.link, it.pubDate]),
  'rss-parser': async (xml) => (await new RssParser().parseString(xml)).items.map((it) => [it.link, it.pubDate, [it.author]]),
};

/** Some take the day of the last change for that of the publication. */
const ofChange = ['@extractus/feed-extractor', 'htmlparser2'];

/** Expects all readers to open the same page of each entry, and to name the same day and the same people. */
async function feed(site, findings, path) {
  const xml = await text(site, findings, path, 'application/atom+xml');
  if (xml === null) return;
  const entries = [...parseHTML(xml).document.querySelectorAll('entry')].map((entry) => ({
    url: entry.querySelector('link[rel="alternate"]').getAttribute('href'),
    published: entry.querySelector('published').textContent,
    updated: entry.querySelector('updated').textContent,
    names: [...entry.querySelectorAll('author > name')].map((name) => name.textContent),
  }));
  findings.expect(entries.length > 0, path, 'has no entry for a reader');
  for (const [name, read] of Object.entries(readers)) {
    const found = await read(xml);
    findings.expect(found.length === entries.length, path, `${name} reads ${found.length} of ${entries.length} entries`);
    for (const [at, [address, day, authors]] of found.entries()) {
      const { url, published, updated, names } = entries[at];
      const dated = new Date(ofChange.includes(name) ? updated : published);
      findings.expect(address === url, path, `${name} opens ${address}, not ${url}`);
      findings.expect(+new Date(day) === +dated, path, `${name} gives ${url} the day ${day}`);
      const wanted = name === 'rss-parser' ? names.slice(0, 1) : names;
      findings.expect(!authors || `${authors}` === `${wanted}`, path, `${name} names ${authors}, not ${wanted}`);
    }
  }
}

/** Words in the anchor of a heading for which a reader view leaves it out; see findings/word-in-anchor.sh. */
const LEFT_OUT = /contact|comment|footer|media|meta|promo|related|scroll|share|sponsor|tags/;

const letters = (words) => words.replace(/[^\p{L}\p{N}]+/gu, '');

/** Expects the headings, the quotations with their sources, the cells of tables, the clauses and the answers in what extractors keep of an article, and every note
 * of its Markdown in a parser with notes. */
async function extractions(site, findings) {
  let parts = 0;
  let notes = 0;
  for (const { path } of site.routes('page').filter(({ path }) => /^[/](en[/]publications|tr[/]yayinlar)[/]/.test(path))) {
    const page = (await site.get(path)).text;
    const { document } = parseHTML(page);
    const words = [...document.querySelectorAll('.prose :is(h2, h3, h4):not(.visually-hidden), .quotation p, .prose table td, .prose .clause, .question p')]
      .filter((part) => !(part.localName === 'h2' && LEFT_OUT.test(part.id)))
      .map((part) => letters(part.textContent))
      .filter((part) => part);
    if (words.length > 0 && parts < PARTS) {
      parts += words.length;
      const extracted = {
        readability: new Readability(parseHTML(page).document).parse()?.textContent ?? '',
        defuddle: (await Defuddle(parseHTML(page).document, site.absolute(path), {})).content,
        turndown: new TurndownService().turndown(document.querySelector('main').innerHTML).replaceAll('\\', ''),
      };
      for (const [name, kept] of Object.entries(extracted)) {
        const all = letters(parseHTML(`<!doctype html><html><body>${kept}</body></html>`).document.body.textContent);
        for (const part of words) findings.expect(all.includes(part), path, `${name} loses ${part.slice(0, 60)}`);
      }
    }
    const wanted = document.querySelectorAll('.footnotes li').length;
    if (wanted > 0) {
      const twin = (await site.get(`${path}.md`)).text;
      const html = micromark(twin, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
      const found = html.match(/<li id="user-content-fn-/g)?.length ?? 0;
      notes += wanted;
      findings.expect(found === wanted, path, `micromark reads ${found} of ${wanted} notes of the Markdown`);
    }
  }
  findings.expect(parts > 0 && notes > 0, 'articles', `${parts} passages and ${notes} notes were read`);
}

/** Expects the days of the law and of changes in what a reader keeps of an article. */
async function clipping(site, findings, path) {
  const page = (await site.get(path)).text;
  const { document } = parseHTML(page);
  const list = document.querySelector('.facts.rows');
  // A list whose items are only links, as that of the cited laws, is navigation, which clippers drop; it has no day.
  const links = (value) => {
    const items = [...value.querySelectorAll('li')];
    return items.length > 0 && items.every((item) => item.querySelector('a')?.textContent === item.textContent);
  };
  const values = [...list.querySelectorAll('dd')].filter((value) => !links(value));
  const wanted = values.map((value) => value.textContent).filter((value) => /[0-9]{4}/.test(value));
  const { content } = await Defuddle(parseHTML(page).document, site.absolute(path), { markdown: true });
  const kept = letters(content);
  for (const value of wanted.filter((value) => !value.includes('://'))) {
    findings.expect(kept.includes(letters(value)), path, `a clipping loses ${JSON.stringify(value.trim())}`);
  }
}

// Feeds of the firm, of people and of subjects: JSON Feed 1.1, and equality of both formats. The grammar of Atom is
// checked by its schema.

import { json, resolves, text } from './answer.mjs';

export async function judge(site, findings) {
  const paths = site.routes('feed').map(({ path }) => path).filter((path) => path.endsWith('/feed.json'));
  for (const path of ['/en/feed.json', '/tr/feed.json']) findings.expect(paths.includes(path), path, 'is no feed of the build');
  for (const path of paths) {
    const locale = path.slice(1, 3);
    const atomPath = path.replace(/feed\.json$/, 'atom.xml');
    const feed = await json(site, findings, path, 'application/feed+json');
    const atom = await text(site, findings, atomPath, 'application/atom+xml');
    if (!feed || atom === null) continue;
    findings.expect(feed.version === 'https://jsonfeed.org/version/1.1', path, `version is ${feed.version}`);
    findings.expect(feed.title && feed.language === locale, path, 'has no title, or another language');
    findings.expect(feed.feed_url === site.absolute(path), path, `feed_url is ${feed.feed_url}`);
    await resolves(site, findings, path, feed.home_page_url);
    findings.expect(feed.items?.length > 0, path, 'has no items');
    const ids = new Set();
    for (const item of feed.items ?? []) {
      await resolves(site, findings, path, item.url);
      findings.expect(!ids.has(item.id), path, `${item.id} stands twice`);
      ids.add(item.id);
      findings.expect(item.content_text && item.content_text !== item.title, path, `${item.id} has only its title`);
      findings.expect(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(item.date_published), path, `${item.id} is dated ${item.date_published}`);
    }
    const entries = [...atom.matchAll(/<entry>[\s\S]*?<id>([^<]*)<\/id>/g)].map(([, id]) => id);
    findings.expect(JSON.stringify(entries) === JSON.stringify([...ids]), path, 'lists other entries than the Atom feed');
    for (const [, href] of atom.matchAll(/href="([^"]*)"/g)) await resolves(site, findings, atomPath, href);
  }
}

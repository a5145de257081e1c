// robots.txt (RFC 9309), the sitemap, security.txt (RFC 9116), llms.txt.

import { resolves, text } from './answer.mjs';

export async function judge(site, findings, moment) {
  await robots(site, findings);
  await sitemap(site, findings);
  await security(site, findings, moment);
  for (const path of ['/llms.txt', '/en/llms.txt', '/tr/llms.txt']) await llms(site, findings, path);
}

async function robots(site, findings) {
  const path = '/robots.txt';
  const body = await text(site, findings, path, 'text/plain');
  if (body === null) return;
  findings.expect(/^User-agent: \*$/m.test(body), path, 'has no group for everyone');
  findings.expect(/^Content-Signal: /m.test(body), path, 'has no Content-Signal');
  for (const [, name, url] of body.matchAll(/^(Sitemap): (\S+)$/gm)) await resolves(site, findings, `${path} ${name}`, url);
  findings.expect(/^Sitemap: /m.test(body), path, 'names no sitemap');
}

/** Expects the sitemap to name every page that may be found, each with the languages that the page itself names. */
async function sitemap(site, findings) {
  const path = '/sitemap.xml';
  const listed = new Map();
  for (const body of await parts(site, findings, path)) {
    for (const [, entry] of body.matchAll(/<url>([\s\S]*?)<\/url>/g)) {
      const links = [...entry.matchAll(/hreflang="([^"]*)" href="([^"]*)"/g)].map(([, language, href]) => [language, href]);
      listed.set(/<loc>([^<]*)<\/loc>/.exec(entry)?.[1], new Map(links));
    }
  }
  for (const address of listed.keys()) await resolves(site, findings, path, address);
  for (const route of site.routes('page')) {
    const address = site.absolute(route.path);
    const page = await site.page(address);
    const hidden = !page.isListed;
    if (!findings.expect(listed.has(address) !== hidden, path, `${address} is ${hidden ? 'hidden, but listed' : 'not listed'}`)) continue;
    const languages = listed.get(address);
    // A page that exists in one language only, or in none, needs no entry for languages.
    const alone = page.isChoice || page.alternates.size <= 2;
    if (!languages?.size) findings.expect(alone, path, `${address} names languages that the sitemap does not`);
    else for (const [language, href] of languages) {
      findings.expect(page.alternates.get(language) === href, path, `${address}: ${language} is ${href}, on the page ${page.alternates.get(language)}`);
    }
  }
}

/** Returns the sitemap itself, or the files that it lists. */
async function parts(site, findings, path) {
  const body = await text(site, findings, path, 'application/xml');
  if (body === null) return [];
  if (!body.includes('<sitemapindex')) return [body];
  const locations = [...body.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, location]) => location);
  return Promise.all(locations.map(async (location) => (await site.get(location)).text));
}

async function security(site, findings, moment) {
  const path = '/.well-known/security.txt';
  const body = await text(site, findings, path, 'text/plain');
  if (body === null) return;
  const fields = [...body.matchAll(/^([A-Za-z-]+): (.+)$/gm)].map(([, name, value]) => [name.toLowerCase(), value]);
  const all = (name) => fields.filter(([found]) => found === name).map(([, value]) => value);
  findings.expect(all('contact').length > 0 && all('contact').every((it) => /^(mailto|https|tel):/.test(it)), path, 'has no good Contact');
  findings.expect(all('expires').length === 1, path, 'needs exactly one Expires');
  const days = (Date.parse(all('expires')[0]) - moment) / 86_400_000;
  findings.expect(days > 0 && days < 366, path, `expires in ${Math.round(days)} days; it should be within a year`);
  findings.expect(all('canonical').includes(site.absolute(path)), path, 'does not name its own address');
  for (const policy of all('policy')) await resolves(site, findings, path, policy);
}

async function llms(site, findings, path) {
  const body = await text(site, findings, path, 'text/plain');
  if (body === null) return;
  findings.expect(/^# \S/.test(body), path, 'does not begin with a first heading');
  findings.expect(/^> \S/m.test(body), path, 'has no summary');
  findings.expect(body.length < 50_000, path, `has ${body.length} characters; agents cut off at 50,000`);
  // `links.mjs` checks the targets of all links.
  findings.expect(/\]\([^)]+\)/.test(body), path, 'has no link');
}

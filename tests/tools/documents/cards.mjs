// vCards: ical.js reads them as 4.0 and 3.0, and the page that links to a card has its values.

import { dirname } from 'node:path/posix';

import ICAL from 'ical.js';

export async function judge(site, findings) {
  const cards = site.routes('document').filter(({ path }) => path.endsWith('.vcf'));
  findings.expect(cards.length > 0, 'cards', 'there are none');
  const linked = new Set();
  for (const { path } of site.routes('page')) {
    const page = await site.page(site.absolute(path));
    for (const link of page.links.filter((it) => it.endsWith('.vcf'))) linked.add(new URL(link, site.url).pathname);
  }
  for (const { path } of cards) {
    // A single office has the contact of the firm, and pages link to the card of the firm.
    const beside = cards.filter((it) => dirname(it.path) === dirname(path));
    const isOnlyOffice = beside.length === 2 && cards.some((it) => it.path === `${dirname(path)}.vcf`);
    findings.expect(linked.has(path) || isOnlyOffice, path, 'no page links to it');
    const { headers, bytes, text } = await site.get(site.absolute(path));
    findings.expect(headers.get('content-type') === 'text/vcard; charset=utf-8', path, `is ${headers.get('content-type')}`);
    for (const line of bytes.toString('latin1').split('\r\n')) findings.expect(line.length <= 75, path, `has a line of ${line.length} bytes`);
    await read(site, findings, path, text);
  }
}

async function read(site, findings, path, text) {
  const card = new ICAL.Component(ICAL.parse(text));
  const value = (name) => card.getFirstPropertyValue(name);
  const version = path.endsWith('.v3.vcf') ? '3.0' : '4.0';
  findings.expect(value('version') === version, path, `is of version ${value('version')}`);
  for (const name of ['fn', 'org', 'adr', 'url', 'uid']) findings.expect(value(name), path, `has no ${name}`);
  const address = new URL(value('url'));
  const { status, text: html } = await site.get(site.absolute(decodeURI(address.pathname)));
  findings.expect(status === 200, path, `names ${address}, which answers ${status}`);
  const email = value('email');
  const number = value('tel')?.replace(/^tel:/, '');
  findings.expect(email || number, path, 'has neither an e-mail address nor a number');
  for (const value of [email, number]) findings.expect(!value || html.includes(value), path, `has ${value}, which its page does not have`);
}

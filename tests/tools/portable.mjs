// Checks that a portable copy opens by `file:`: `node portable.mjs FOLDER`. Visits every page by following links, as a person
// would who has unpacked it.
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { newContext, start } from './browser/chromium.mjs';
import { Findings } from './findings.mjs';

const folder = resolve(process.argv[2]);
const root = `${pathToFileURL(folder)}/`;
const findings = new Findings();
const browser = await start();
const page = await (await newContext(browser)).newPage();
let address = root;
page.on('request', (request) => {
  const url = request.url();
  findings.expect(url.startsWith(root) || url.startsWith('data:'), address, `requests ${url}`);
});
page.on('requestfailed', (request) => {
  // Aborted because the next page was opened.
  const errorText = request.failure()?.errorText;
  findings.expect(errorText === 'net::ERR_ABORTED', address, `${request.url()}: ${errorText}`);
});
page.on('console', (message) => findings.expect(message.type() !== 'error', address, message.text()));

const seen = new Set();
const waiting = [`${root}index.html`];
try {
  for (address = waiting.shift(); address; address = waiting.shift()) {
    if (seen.has(address)) continue;
    seen.add(address);
    await look();
  }
} finally {
  await browser.close();
}
const pages = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.html'));
const unseen = pages.filter((name) => !seen.has(`${root}${name}`) && !/(^|\/)404\.html$/.test(name));
findings.expect(unseen.length === 0, root, `nothing leads to ${unseen.join(', ')}`);
findings.expect(seen.size > 10, root, `has only ${seen.size} pages`);
findings.end(`${seen.size} pages by file:`);

async function look() {
  await page.goto(address);
  const { links, broken, styled, faces, marked, noindex } = await page.evaluate(async () => {
    await document.fonts.ready;
    const images = [...document.images].map((image) => ((image.loading = 'eager'), image));
    await Promise.allSettled(images.map((image) => image.decode()));
    return {
      links: [...document.links].map((link) => link.href.split('#')[0]),
      broken: images.filter((image) => !image.naturalWidth).map((image) => image.src),
      styled: getComputedStyle(document.body).display === 'flex',
      faces: [...document.fonts].filter((face) => face.status === 'error' && !face.family.includes(' local')).map((face) => face.family),
      marked: [...document.querySelectorAll('.draft')].some((mark) => mark.checkVisibility() && /^(Preview|Önizleme):/.test(mark.innerText)),
      noindex: document.querySelector('meta[name=robots]')?.content.includes('noindex'),
    };
  });
  findings.expect(broken.length === 0, address, `does not show ${broken}`);
  findings.expect(faces.length === 0, address, `lacks the fonts ${faces}`);
  findings.expect(styled, address, 'has no style');
  findings.expect(marked && noindex, address, 'does not say that it is a draft');
  for (const link of links.filter((link) => link.startsWith('file:'))) {
    const file = fileURLToPath(link);
    const isFile = file.startsWith(join(folder, '/')) && (await stat(file).then((it) => it.isFile(), () => false));
    findings.expect(isFile, address, `leads to ${link}, which is no file of the copy`);
    if (isFile && file.endsWith('.html')) waiting.push(link);
  }
}

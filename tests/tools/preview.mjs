// The preview in a browser: `node preview.mjs GENERATOR CONTENT TEMPLATES WORK`. A save, an error and its correction appear
// without a reload of the page, in both languages, and from a folder that cannot be built at first.
import { spawn } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { newContext, start } from './browser/chromium.mjs';
import { accessibility } from './browser/checks.mjs';
import { Findings } from './findings.mjs';

const LANGUAGES = {
  en: { path: '/en/about', sentence: 'This sentence is new.', bar: 'All views', error: 'The site cannot be built', mean: 'did you mean title?', empty: 'Nothing to show yet' },
  tr: { path: '/tr/hakkimizda', sentence: 'Bu cümle yenidir.', bar: 'Bütün görünümler', error: 'Site kurulamıyor', mean: 'bunu mu yazmak istediniz: title?', empty: 'Henüz gösterilecek bir şey yok' },
};
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const [generator, source, templates, work] = process.argv.slice(2);
const findings = new Findings();
const browser = await start();
let shown = 0;
try {
  for (const [language, words] of Object.entries(LANGUAGES)) await judged(language, words);
} finally {
  await browser.close();
}
findings.end(`${shown} changes shown`);

async function judged(language, words) {
  const content = join(work, language);
  await cp(source, content, { recursive: true });
  const preview = await begun(language, content);
  const context = await newContext(browser);
  try {
    await context.addInitScript({ path: axe });
    await looks(await context.newPage(), preview.address, language, words, content);
  } catch (error) {
    findings.add(language, error.message.split('\n')[0]);
  } finally {
    await context.close();
    preview.process.kill();
  }
}

/** Starts the preview and returns its address. */
async function begun(language, content) {
  const command = ['--lang', language, 'preview', '--listen', '127.0.0.1:0', '--content', content, '--templates', templates];
  const process = spawn(generator, command, { stdio: ['ignore', 'ignore', 'pipe'] });
  const lines = createInterface({ input: process.stderr });
  const address = await new Promise((resolve) => {
    lines.on('close', resolve);
    // Read every line, because a full pipe would block the preview.
    lines.on('line', (line) => {
      console.log(`${language}: ${line}`);
      const address = line.match(/http:\/\/[^/\s`]+/)?.[0];
      if (address) resolve(address);
    });
  });
  if (address) return { process, address };
  throw new Error('the preview ended without an address');
}

async function looks(page, address, language, words, content) {
  page.on('pageerror', (error) => findings.add(language, `exception: ${error.message}`));
  page.on('console', (message) => {
    // Browsers request an icon by themselves.
    const isExpected = message.type() !== 'error' || message.location().url.endsWith('/favicon.ico');
    findings.expect(isExpected, language, `console: ${message.text()} ${message.location().url}`);
  });
  const file = join(content, `pages/about/${language}.md`);
  const rewritten = async (name, change) => writeFile(name, change(await readFile(name, 'utf8')));
  /** Waits until the open page contains a text, or does not. */
  const expectText = async (what, is = true) => {
    await page.waitForFunction(([text, expected]) => document.body?.innerText.includes(text) === expected, [what, is]);
    shown += 1;
    console.log(`${language}: ${what} ${is ? 'shown' : 'gone'} after ${Math.round(process.uptime())} s`);
  };

  await page.goto(address + words.path);
  await expectText(words.bar);
  await accessibility(page, {}, findings, `${language} page`);
  await rewritten(file, (text) => `${text}\n${words.sentence}\n`);
  await expectText(words.sentence);

  await rewritten(file, (text) => text.replace('title: ', 'titel: '));
  await expectText(words.error);
  const error = await page.locator('.preview-errors').innerText();
  for (const part of [words.mean, `pages/about/${language}.md:2:1`, 'titel: ']) {
    findings.expect(error.includes(part), language, `the error does not say ${part}: ${error}`);
  }
  findings.expect(await page.getByText(words.sentence).isVisible(), language, 'the last page that could be built is not below the error');
  await accessibility(page, {}, findings, `${language} error`);
  await rewritten(file, (text) => text.replace('titel: ', 'title: '));
  await expectText(words.error, false);

  await page.goto(`${address}/_preview/views?path=${encodeURIComponent(words.path)}`);
  for (const frame of page.frames().slice(1)) {
    await frame.waitForLoadState();
    findings.expect((await frame.locator('body').innerText()).includes(words.sentence), language, `${frame.url()} is not the page`);
  }
  findings.expect(page.frames().length === 4, language, 'there are not three views of the page');
  // The pages in the frames are checked separately.
  await page.locator('iframe').evaluateAll((all) => all.forEach((it) => it.remove()));
  await accessibility(page, {}, findings, `${language} views`);
  await page.goto(`${address}/_preview/`);
  await accessibility(page, {}, findings, `${language} overview`);

  const settings = join(content, 'site.toml');
  const whole = await readFile(settings, 'utf8');
  await writeFile(settings, 'site_url = \n');
  await expectText('E0502');
  const empty = await begun(language, content);
  try {
    await page.goto(empty.address + words.path);
    await expectText(words.empty);
    await writeFile(settings, whole);
    await expectText(words.sentence);
    await page.goto('about:blank');
  } finally {
    empty.process.kill();
  }
}

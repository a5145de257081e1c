// Debian's Chromium, without a window and without contacting anybody.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { PATIENCE } from '../extent.mjs';

/** What the browser says, and how it ended: Playwright reads where to write it when it is loaded. */
const folder = mkdtempSync(join(tmpdir(), 'mecelle-browser.'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.env.DEBUG ??= 'pw:browser';
process.env.DEBUG_FILE ??= join(folder, 'log');
const { chromium } = await import('playwright-core');

/** The first that is on the path is used: the shell draws the same pages, and makes no window for each of them. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser'];

/** How many of these lines are printed when a browser ends by itself. */
const LAST_LINES = 12;

/** Starts a browser, which is replaced when it ends by itself. */
export async function start() {
  const browser = new Browser();
  await browser.replace(null);
  return browser;
}

/** Returns the profile of a reader who has never been here, whose pages wait as long as a busy machine needs. */
export async function newContext(browser, options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/** A browser, and those that it replaced. */
class Browser {
  #all = [];
  #starting = null;
  #isClosing = false;

  /** The process that is in use, for `replace`. */
  get current() {
    return this.#all.at(-1) ?? null;
  }

  async newContext(options) {
    if (!this.current.isConnected()) await this.replace(this.current);
    return this.current.newContext(options);
  }

  /** Starts another process unless that has happened since `used` was in use, whose pages may still be looked at. */
  async replace(used) {
    if (this.current !== used) return;
    this.#starting ??= this.#launch().finally(() => (this.#starting = null));
    await this.#starting;
  }

  async close() {
    this.#isClosing = true;
    await Promise.all(this.#all.map((it) => it.close().catch(() => {})));
  }

  async #launch() {
    const launched = () => chromium.launch({
      executablePath: installed(),
      headless: true,
      timeout: PATIENCE,
      // The sandbox needs a privilege that root in a container does not have; every page comes from this machine. The process that draws
      // is ended by a busy machine or by its own watchdog; when that has happened six times, the browser would end.
      args: [
        '--no-sandbox', '--disable-gpu', '--disable-gpu-watchdog', '--disable-gpu-process-crash-limit', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync',
      ],
    });
    const browser = await launched().catch((error) => {
      console.log(`the browser did not start, and is started once more: ${error.message.split('\n')[0]}`);
      return launched();
    });
    browser.on('disconnected', () => {
      if (!this.#isClosing) console.log(`the browser ended by itself; what it said last:\n${lastLines()}`);
    });
    this.#all.push(browser);
  }
}

function lastLines() {
  const { DEBUG_FILE: path } = process.env;
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  return lines.slice(-LAST_LINES).map((line) => `  ${line.slice(0, 300)}`).join('\n');
}

function installed() {
  const folders = process.env.PATH.split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (!found) throw new Error(`none of ${NAMES.join(', ')} is on the path`);
  return found;
}
